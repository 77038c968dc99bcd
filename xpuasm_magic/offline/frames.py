"""A traceback as a notebook shows it: the user's lines first, frameworks folded, ours absent."""

from __future__ import annotations

import os
import sys
import sysconfig
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from types import TracebackType

_OURS = str(Path(__file__).resolve().parent.parent) + os.sep
_FOREIGN = tuple(
    {os.path.join(sysconfig.get_paths()[name], "") for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)


@dataclass(frozen=True)
class Folder:
    """How paths and lines of a run are shown: the file that was run may hold several cells."""

    path: str
    segments: tuple[dict[str, object], ...] = ()
    """As in `capture.json`: `{"line", "count", "label", "start"}`, a part's first line here and in its cell."""

    def place(self, file: str, line: int) -> str | None:
        """`In[5]:3` for a line of a cell; None for any other file."""
        if file != self.path:
            return None
        for segment in self.segments:
            first, count = int(str(segment["line"])), int(str(segment["count"]))
            if first <= line < first + count:
                return f"{segment['label']}:{line - first + int(str(segment.get('start', 1)))}"
        return None


def report(error: BaseException, folder: Folder) -> str:
    """The text to print for an exception that ended the user's code."""
    chain: list[str] = []
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        chain.append(_one(current, folder))
        if current.__cause__ is not None:
            chain.append("\nThe above exception was the direct cause of the following exception:\n\n")
            current = current.__cause__
        elif current.__context__ is not None and not current.__suppress_context__:
            chain.append("\nDuring handling of the above exception, another exception occurred:\n\n")
            current = current.__context__
        else:
            current = None
    return "".join(reversed(chain))


def _one(error: BaseException, folder: Folder) -> str:
    lines = list(_frames(error.__traceback__, folder))
    head = ["Traceback (most recent call last):\n", *lines] if lines else []
    words = traceback.TracebackException(type(error), error, None).format_exception_only()
    return "".join([*head, *words])


def _frames(trace: TracebackType | None, folder: Folder) -> Iterator[str]:
    frames = [frame for frame in traceback.extract_tb(trace) if not frame.filename.startswith(_OURS)]
    for framework, group in groupby(frames, key=lambda frame: _framework(frame.filename)):
        found = list(group)
        if framework is None:
            for frame in found:
                yield _shown(frame, folder)
        elif len(found) == 1:
            yield f"  … 1 frame in {framework}\n"
        else:
            yield f"  … {len(found)} frames in {framework}\n"


def _shown(frame: traceback.FrameSummary, folder: Folder) -> str:
    text = "".join(traceback.StackSummary.from_list([frame]).format())
    place = folder.place(frame.filename, frame.lineno or 0)
    return text.replace("\n", f"  ({place})\n", 1) if place else text


def _framework(file: str) -> str | None:
    """The package that a file belongs to, where that is not the user's own."""
    if file.startswith("<frozen "):
        return "Python"
    for root in sorted(_FOREIGN, key=len, reverse=True):
        if file.startswith(root):
            inner = Path(file[len(root) :]).parts
            return inner[0].removesuffix(".py") if "site-packages" in root or "dist-packages" in root else "Python"
    return None


def show(error: BaseException, folder: Folder) -> None:
    """Print the report to stderr, as an uncaught exception would be."""
    sys.stdout.flush()
    print(report(error, folder), end="", file=sys.stderr, flush=True)
