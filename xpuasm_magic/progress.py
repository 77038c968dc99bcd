"""Progress of a run as a line of a terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

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
