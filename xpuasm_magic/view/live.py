"""The browser of a run that goes on: shown from its first moment, and filled as kernels are found."""

from __future__ import annotations

import logging
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from types import TracebackType
from typing import TYPE_CHECKING

from xpuasm_magic.catalog.growing import GrowingCapture

if TYPE_CHECKING:
    from xpuasm_magic.capture.runner import State
    from xpuasm_magic.model import Capture
    from xpuasm_magic.view.widget import Browser, View

BEAT_S = 1.0
"""The page hears of the run at least this often, and thinks it lost when it does not."""
CHANGE_S = 0.25
READ_S = 1.0
READ_SHARE = 0.04
"""Of one processor: a reading that took long is repeated the later."""


class LiveView:
    """Watches a run, for `capture(job, watch=…)`, and shows it. Use as a context around the run."""

    def __init__(self, make: Callable[[Capture], Browser]) -> None:
        self._make = make
        self._browser: Browser | None = None
        self._reader: _Reader | None = None
        self._pump: Callable[[], None] = _nothing
        self._stop = threading.Event()
        self._told: tuple[object, ...] = ()
        self._told_at = 0.0

    def __enter__(self) -> LiveView:
        return self

    def __call__(self, state: State) -> None:
        """Called by the run, in the main thread, between two of its steps."""
        if self._browser is None:
            self._open(state)
        if self._stop.is_set():
            self._stop.clear()
            signal.raise_signal(signal.SIGINT)  # the run takes note of it, as of the notebook's own stop button
        self._pump()
        self._tell(state)
        if self._reader and self._browser and (newer := self._reader.newer(state)):
            self._browser.show(newer)

    def ended(self, capture: Capture) -> Browser:
        """The same browser with the whole capture; it is not displayed a second time as the cell's value."""
        if self._browser is None:
            return self._make(capture)
        self._browser.on_stop = None
        self._browser.update(capture)
        return self._browser

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._reader:
            self._reader.close()
        browser = self._browser
        if browser and browser.capture.info.state == "running":  # it could not be brought to its end
            self.ended(replace(browser.capture, info=replace(browser.capture.info, state="failed")))

    def _open(self, state: State) -> None:
        from xpuasm_magic.view.busy import requests_of

        growing = GrowingCapture(state.folder)
        self._browser = self._make(growing.read())
        self._browser.on_stop = self._stop.set
        self._browser.display_once()
        self._pump = requests_of(self._browser)
        self._reader = _Reader(growing, self._browser.view)

    def _tell(self, state: State) -> None:
        """A beat for the page: the clock, the phase, the counts. It is not saved with the notebook."""
        now = time.monotonic()
        counts = (state.phase, state.found, state.built, state.failed)
        if self._browser is None or now < self._told_at + (BEAT_S if counts == self._told else CHANGE_S):
            return
        self._told, self._told_at = counts, now
        names = ("phase", "found", "built", "failed")
        self._browser.send(
            {"type": "progress", **dict(zip(names, counts, strict=True)), "elapsed_s": round(state.elapsed_s, 1)}
        )


@dataclass(frozen=True)
class _Reading:
    view: View
    cpu_s: float


class _Reader:
    """Reads the folder in a thread of its own, when something has changed."""

    def __init__(self, growing: GrowingCapture, view: Callable[[Capture], View]) -> None:
        self._growing = growing
        self._view = view
        self._thread = ThreadPoolExecutor(1, "xpuasm-reader")
        self._reading: Future[_Reading] | None = None
        self._seen: tuple[int, ...] = (0, 0, 0)
        self._due = 0.0

    def newer(self, state: State) -> View | None:
        """What has been read since the last call; the next reading starts when it is due. Returns at once."""
        now = time.monotonic()
        if self._reading is None:
            counts = (state.found, state.built, state.failed, _size(state))
            if counts != self._seen and now >= self._due:
                self._seen = counts
                self._reading = self._thread.submit(self._read)
            return None
        if not self._reading.done():
            return None
        reading, self._reading = self._reading, None
        if error := reading.exception():
            # The run is worth more than the view of it, which is made anew at its end.
            logging.getLogger(__name__).error("a running capture could not be shown", exc_info=error)
            self._due = float("inf")
            return None
        read = reading.result()
        self._due = now + max(READ_S, read.cpu_s / READ_SHARE)
        return read.view

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _read(self) -> _Reading:
        start = time.thread_time()
        view = self._view(self._growing.read())
        return _Reading(view, time.thread_time() - start)


def _size(state: State) -> int:
    """Of the list of variants: with a real device nobody counts them."""
    with suppress(OSError):
        return (state.folder / "variants.jsonl").stat().st_size
    return 0


def _nothing() -> None:
    """No messages are waiting."""
