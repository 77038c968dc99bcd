"""A source line as its reader knows it: `In[5]:3` for a cell, else the file's name and the line."""

from __future__ import annotations

from pathlib import PurePath

from xpuasm_magic.model import Capture, Kernel, SourceLoc


def place(capture: Capture, loc: SourceLoc) -> str:
    """E.g. `In[5]:3`, `model.py:31`."""
    source = capture.info.source
    if source.get("kind") == "cell" and loc.file in _paths_of_the_cell(capture):
        segments = source.get("segments")
        for segment in segments if isinstance(segments, list) else ():
            first, count, start = (int(segment.get(name, 1)) for name in ("line", "count", "start"))
            if first <= loc.line < first + count:
                return f"{segment.get('label', 'cell')}:{start + loc.line - first}"
        return f"{source.get('label') or 'cell'}:{loc.line}"
    return f"{PurePath(loc.file).name}:{loc.line}"


def origin_text(capture: Capture, kernel: Kernel) -> str | None:
    """E.g. `gelu, mul, add from In[2]:5`; None: not a fusion, or nothing is known of it."""
    origin = kernel.origin
    if origin is None:
        return None
    ops = ", ".join(op.removeprefix("aten.") for op in origin.ops)
    lines = ", ".join(dict.fromkeys(place(capture, loc) for loc in origin.lines))
    return " from ".join(part for part in (ops, lines) if part) or None


def _paths_of_the_cell(capture: Capture) -> tuple[str, ...]:
    name = str(capture.info.source.get("path") or "cell.py")
    roots = (capture.info.raw.get("run_path"), capture.folder)  # when it was made, and now
    return tuple(f"{str(root).rstrip('/')}/{name}" for root in roots if root)
