"""A traceback as a notebook shows it: the user's lines first, frameworks folded, ours absent."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import sysconfig
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from types import TracebackType
from typing import Any

_OURS = str(Path(__file__).resolve().parent.parent) + os.sep
_INSTALLED = tuple({sysconfig.get_paths()[name] + os.sep for name in ("purelib", "platlib")})
_PYTHON = tuple({sysconfig.get_paths()[name] + os.sep for name in ("stdlib", "platstdlib")})


# (indent)File "/run/cell.py", line 3, in <module>
_PLACE = re.compile(r'^(?P<indent>\s+)File "(?P<file>[^"\n]+)", line (?P<line>\d+)', re.MULTILINE)


@dataclass(frozen=True)
class Shown:
    """What is the user's own in a run, and how its lines are called.

    Args:
        path: the file that was run.
        run: the capture folder; code in it that is not that file was generated.
        segments: as in `capture.json`, `{"line", "count", "label", "start"}`: which lines are which cell's.
    """

    path: str
    run: str
    segments: Sequence[Mapping[str, Any]] = ()

    @staticmethod
    def of(raw: Mapping[str, Any]) -> Shown:
        """From the child's configuration."""
        return Shown(raw["path"], raw["run"], raw.get("segments") or ())

    def place(self, file: str, line: int) -> str | None:
        """`In[5]:3` for a line of a cell; None for any other."""
        for segment in self.segments if file == self.path else ():
            offset = line - int(segment["line"])
            if 0 <= offset < int(segment["count"]):
                return f"{segment['label']}:{int(segment.get('start', 1)) + offset}"
        return None

    def called(self, file: str, line: int) -> str:
        """A line's place for a sentence: `In[5]:3`, or `/src/model.py:12`; generated code within the capture folder."""
        return self.place(file, line) or f"{file.removeprefix(self.run + os.sep) if file != self.path else file}:{line}"

    def innermost(self, error: BaseException) -> str | None:
        """The last line of the file that was run on the way to the error, as it is called."""
        if isinstance(error, SyntaxError) and error.filename == self.path and error.lineno:
            return self.place(self.path, error.lineno) or f"line {error.lineno}"
        lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == self.path and f.lineno]
        return (self.place(self.path, lines[-1]) or f"line {lines[-1]}") if lines else None

    def framework(self, file: str) -> str | None:
        """What a file belongs to, where that is not the user's own."""
        if file == self.path:
            return None
        for root in _INSTALLED:
            if file.startswith(root):
                return Path(file[len(root) :]).parts[0].removesuffix(".py")
        if file.startswith(("<frozen ", *_PYTHON)):
            return "Python"
        return "generated code" if file.startswith(self.run + os.sep) else None


def is_ours(file: str) -> bool:
    return file.startswith(_OURS)


def show(error: BaseException, shown: Shown) -> None:
    """Print what ended the user's code to stderr; leave the traceback with every frame in the capture folder."""
    sys.stdout.flush()
    print(report(error, shown), end="", file=sys.stderr, flush=True)
    whole = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    with contextlib.suppress(OSError):  # a full disk: the short form has been shown
        Path(shown.run, "traceback.txt").write_text(whole, encoding="utf-8", errors="backslashreplace")


def report(error: BaseException, shown: Shown) -> str:
    """The text to print for an exception that ended the user's code."""
    parts: list[str] = []
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        parts.append(_one(current, shown))
        if current.__cause__ is not None:
            parts.append("\nThe above exception was the direct cause of the following exception:\n\n")
            current = current.__cause__
        elif current.__context__ is not None and not current.__suppress_context__:
            parts.append("\nDuring handling of the above exception, another exception occurred:\n\n")
            current = current.__context__
        else:
            current = None
    return _with_cells("".join(reversed(parts)), shown)


def _one(error: BaseException, shown: Shown) -> str:
    lines = list(_frames(error.__traceback__, shown))
    head = ["Traceback (most recent call last):\n", *lines] if lines else []
    return "".join([*head, *traceback.TracebackException(type(error), error, None).format_exception_only()])


def _frames(trace: TracebackType | None, shown: Shown) -> Iterator[str]:
    frames = [frame for frame in traceback.extract_tb(trace) if not is_ours(frame.filename)]
    for framework, group in groupby(frames, key=lambda frame: shown.framework(frame.filename)):
        found = list(group)
        if framework is None:
            yield from traceback.StackSummary.from_list(found).format()
        else:
            yield f"  … {len(found)} frame{'s' if len(found) > 1 else ''} in {framework} (traceback.txt has them)\n"


def _with_cells(text: str, shown: Shown) -> str:
    """The lines of cells by the cells' names, in frames, in syntax errors, and where torch quotes the user's code."""

    def place(found: re.Match[str]) -> str:
        called = shown.place(found["file"], int(found["line"]))
        return f"{found['indent']}{called}" if called else found[0]

    return _PLACE.sub(place, text)
