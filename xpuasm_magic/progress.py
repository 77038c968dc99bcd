"""Progress as a line of a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from xpuasm_magic.capture.runner import State

StateT = TypeVar("StateT", contravariant=True)


def progress_line(state: State) -> str:
    """Of a run: `running, 4 kernels found, 3 compiled, 1 failed, 12 s`."""
    parts = [state.phase]
    if state.found:
        parts.append(f"{state.found} kernel{'s' if state.found != 1 else ''} found")
        parts.append(f"{state.built} compiled")
    if state.failed:
        parts.append(f"{state.failed} failed")
    parts.append(f"{state.elapsed_s:.0f} s")
    return ", ".join(parts)


class StatusLine(Generic[StateT]):
    """A line on stderr that later output overwrites; silent where stderr is no terminal."""

    def __init__(self, text: Callable[[StateT], str]) -> None:
        self._text = text
        self._shown = ""
        self._on = sys.stderr.isatty()

    def __call__(self, state: StateT) -> None:
        if not self._on:
            return
        line = self._text(state)
        if line != self._shown:
            sys.stderr.write(f"\r\x1b[2K{line}")
            sys.stderr.flush()
            self._shown = line

    def clear(self) -> None:
        """Take the line away, before anything else is printed."""
        if self._shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
            self._shown = ""
