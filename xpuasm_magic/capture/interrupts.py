"""Ctrl-C, the stop button, and requests to end: noted while a run goes on, and acted upon between two steps."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any


class Interrupts:
    """Within the context a signal is counted and raises nothing, so that no step of a run is left half done.

    Handlers can only be set in the main thread; a run in another thread is ended by its time limit alone.
    """

    SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def __init__(self) -> None:
        self.count = 0
        self.number: int | None = None
        """The first signal that came."""
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            for number in self.SIGNALS:
                before = signal.getsignal(number)
                if before != signal.SIG_IGN:  # nohup means it
                    self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _note(self, number: int, frame: FrameType | None) -> None:
        del frame
        self.count += 1
        self.number = self.number or number
