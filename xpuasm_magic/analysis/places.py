"""A source line as its reader knows it: `In[5]:3` for a cell, else the file's name and the line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from xpuasm_magic.model import Capture, Kernel, SourceLoc


@dataclass(frozen=True)
class CellSource:
    """Lines `first` … `first + count - 1` of `file` are those from `start` on of the cell `label`."""

    file: str
    """As the compilers saw it."""
    first: int
    count: int
    start: int
    label: str


def cell_sources(capture: Capture) -> tuple[CellSource, ...]:
    """Where the lines of the cell's file come from, the first that fits; none for a script."""
    source = capture.info.source
    if source.get("kind") != "cell":
        return ()
    segments = source.get("segments")
    known = [segment for segment in segments if _is_whole(segment)] if isinstance(segments, list) else []
    label = str(source.get("label") or "cell")
    whole = {"line": 1, "count": _MANY, "start": 1, "label": label}
    return tuple(
        CellSource(path, segment["line"], segment["count"], segment["start"], str(segment.get("label") or label))
        for path in _paths_of_the_cell(capture)
        for segment in (*known, whole)
    )


def place(capture: Capture, loc: SourceLoc) -> str:
    """E.g. `In[5]:3`, `model.py:31`."""
    for cell in cell_sources(capture):
        if loc.file == cell.file and cell.first <= loc.line < cell.first + cell.count:
            return f"{cell.label}:{cell.start + loc.line - cell.first}"
    return f"{PurePath(loc.file).name}:{loc.line}"


def origin_text(capture: Capture, kernel: Kernel) -> str | None:
    """E.g. `gelu, mul, add from In[2]:5`; None: not a fusion, or nothing is known of it."""
    origin = kernel.origin
    if origin is None:
        return None
    ops = ", ".join(op.removeprefix("aten.") for op in origin.ops)
    lines = ", ".join(dict.fromkeys(place(capture, loc) for loc in origin.lines))
    return " from ".join(part for part in (ops, lines) if part) or None


_MANY = 1 << 31
"""More lines than a file has."""


def _is_whole(segment: Any) -> bool:
    """A capture may come from anybody."""
    return isinstance(segment, Mapping) and all(
        type(segment.get(name)) is int and 0 <= segment[name] <= _MANY for name in ("line", "count", "start")
    )


def _paths_of_the_cell(capture: Capture) -> tuple[str, ...]:
    name = str(capture.info.source.get("path") or "cell.py")
    roots = (capture.info.raw.get("run_path"), capture.folder)  # when it was made, and now
    return tuple(dict.fromkeys(f"{str(root).rstrip('/')}/{name}" for root in roots if root))
