"""The child process: its own group, its output as it comes, an end that leaves nothing running."""

from __future__ import annotations

import codecs
import contextlib
import json
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, cast

LOG_LIMIT_BYTES = 256 << 20
Output = Callable[[str, str], None]
"""Called with `stdout` or `stderr` and a piece of text."""


class Child:
    """A running child. Use as a context: at the end of it, the whole group is gone."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        log: Path,
        streams: Path,
        output: Output,
        inherited: Sequence[int] = (),
    ) -> None:
        """`inherited`: file descriptors that the child gets as they are."""
        self._output = output
        self._start = time.monotonic()
        self._log = log.open("wb")
        self._index = streams.open("w", encoding="utf-8")
        self._logged = 0
        self._process = subprocess.Popen(
            list(command),
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            pass_fds=tuple(inherited),
        )
        self._selector = selectors.DefaultSelector()
        self._decoders: dict[str, codecs.IncrementalDecoder] = {}
        for name, pipe in (("stdout", self._process.stdout), ("stderr", self._process.stderr)):
            stream = cast("IO[bytes]", pipe)
            os.set_blocking(stream.fileno(), False)
            self._selector.register(stream, selectors.EVENT_READ, name)
            self._decoders[name] = codecs.getincrementaldecoder("utf-8")("replace")

    def __enter__(self) -> Child:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end(grace_s=0.0)
        self._selector.close()
        for pipe in (self._process.stdout, self._process.stderr):
            cast("IO[bytes]", pipe).close()
        self._log.close()
        self._index.close()

    @property
    def returncode(self) -> int | None:
        """The exit status; negative: the number of the signal that ended it; None: still running."""
        return self._process.poll()

    def pump(self, timeout_s: float) -> bool:
        """Pass on what has been printed, waiting at most `timeout_s` for some. False: nothing more can come."""
        if not self._selector.get_map():
            time.sleep(min(timeout_s, 0.02))
            return False
        for key, _ in self._selector.select(timeout_s):
            data = self._read(cast("IO[bytes]", key.fileobj))
            if data == b"":
                self._selector.unregister(key.fileobj)
            elif data:
                self._take(key.data, data)
        return True

    def drain(self, timeout_s: float) -> None:
        """What is still in the pipes after the child's end; a process it left behind may hold them open."""
        end = time.monotonic() + timeout_s
        while self._selector.get_map() and time.monotonic() < end:
            self.pump(0.05)

    def end(self, grace_s: float, hurry: Callable[[], bool] = lambda: False) -> None:
        """Interrupt the whole group, and kill what is left of it after `grace_s`, or once `hurry` says so."""
        if grace_s > 0 and self._process.poll() is None:
            self._signal(signal.SIGINT)
            end = time.monotonic() + grace_s
            while self._process.poll() is None and time.monotonic() < end and not hurry():
                self.pump(0.05)
        self._signal(signal.SIGKILL)
        self._process.wait()

    def left_running(self) -> bool:
        """Whether processes of the group outlived the child."""
        try:
            os.killpg(self._process.pid, 0)
        except (ProcessLookupError, PermissionError):
            return False
        return self._process.poll() is not None

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):  # already gone
            os.killpg(self._process.pid, number)

    @staticmethod
    def _read(pipe: IO[bytes]) -> bytes | None:
        try:
            return os.read(pipe.fileno(), 1 << 16)
        except BlockingIOError:
            return None

    def _take(self, stream: str, data: bytes) -> None:
        kept = data[: max(0, LOG_LIMIT_BYTES - self._logged)]
        if kept:
            span: dict[str, Any] = {
                "t": round(time.monotonic() - self._start, 3),
                "stream": stream,
                "start": self._logged,
                "bytes": len(kept),
            }
            with contextlib.suppress(OSError):  # a full disk must not end the run; the note comes from capture.json
                self._log.write(kept)
                self._log.flush()
                self._index.write(json.dumps(span) + "\n")
            self._logged += len(kept)
        text = self._decoders[stream].decode(data)
        if text:
            self._output(stream, text)
