"""Progress of a run: one line, on a terminal or in a notebook."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xpuasm_magic.capture.runner import State


def progress_line(state: State) -> str:
    """`running, 4 kernels found, 3 compiled, 1 failed, 12 s`."""
    parts = [state.phase]
    if state.found:
        parts.append(f"{state.found} kernel{'s' if state.found != 1 else ''} found")
        parts.append(f"{state.built} compiled")
    if state.failed:
        parts.append(f"{state.failed} failed")
    parts.append(f"{state.elapsed_s:.0f} s")
    return ", ".join(parts)


class TerminalProgress:
    """A status line on stderr that later output overwrites; silent where stderr is no terminal."""

    def __init__(self) -> None:
        self._shown = ""
        self._on = sys.stderr.isatty()

    def __call__(self, state: State) -> None:
        line = progress_line(state)
        if self._on and line != self._shown:
            sys.stderr.write(f"\r\x1b[2K{line}")
            sys.stderr.flush()
            self._shown = line

    def clear(self) -> None:
        """Take the line away, before anything else is printed."""
        if self._on and self._shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
            self._shown = ""


class NotebookProgress:
    """A line of the cell's output, replaced in place at most a few times a second."""

    def __init__(self, interval_s: float = 0.25) -> None:
        self._interval_s = interval_s
        self._next = 0.0
        self._shown = ""
        self._handle: Any = None

    def __call__(self, state: State) -> None:
        now = time.monotonic()
        line = progress_line(state)
        if line == self._shown or now < self._next:
            return
        self._next = now + self._interval_s
        self._shown = line
        self._display(line)

    def clear(self) -> None:
        """Empty the line: the browser says the rest."""
        if self._handle is not None:
            self._display("")

    def _display(self, line: str) -> None:
        from IPython.display import display

        bundle = {"text/plain": line}
        if self._handle is None:
            self._handle = display(bundle, raw=True, display_id=True)
        else:
            self._handle.update(bundle, raw=True)
