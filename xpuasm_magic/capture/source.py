"""Cells of a notebook -> the one file that the child runs, every line where it was."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xpuasm_magic.errors import UsageError

# Cell magics whose body is ordinary Python of this process; any other (%%bash, %%html …) is another language.
PYTHON_CELL_MAGICS = frozenset({"time", "timeit", "capture", "prun", "xpu_asm"})


@dataclass(frozen=True)
class Segment:
    """Lines `line` … `line + count - 1` of the file are those from `start` on of what `label` names."""

    line: int
    count: int
    label: str
    start: int = 1


@dataclass(frozen=True)
class Source:
    """What the child runs: the text, where its lines come from, and what was left out."""

    text: str
    segments: tuple[Segment, ...]
    notes: tuple[str, ...] = ()


def from_cell(text: str, label: str, *, first_line: int = 1) -> Source:
    """A cell's body as a file. `first_line`: the body's first line within the cell (2 under a cell magic)."""
    return _join([(text, label, first_line)])


def from_cells(earlier: Sequence[tuple[int, str]], text: str, label: str, *, first_line: int = 1) -> Source:
    """Earlier input cells, then the cell itself."""
    return _join([(body, f"In[{number}]", 1) for number, body in earlier] + [(text, label, first_line)])


def parse_cell_numbers(spec: str) -> list[int]:
    """`3-5,7` -> [3, 4, 5, 7]. Raises UsageError on anything else."""
    numbers: list[int] = []
    for part in spec.split(","):
        match = re.fullmatch(r"\s*(\d+)(?:\s*-\s*(\d+))?\s*", part)
        if not match:
            raise UsageError(f"--cells {spec}: write numbers and ranges of input cells, such as 3-5,7")
        first = int(match[1])
        last = int(match[2] or first)
        if last < first:
            raise UsageError(f"--cells {spec}: {part.strip()} runs backwards")
        numbers.extend(range(first, last + 1))
    return list(dict.fromkeys(numbers))


def cells_defining(name: str, cells: Mapping[int, str]) -> list[int]:
    """Numbers of the input cells that bind `name` at their top level, last first."""
    found = []
    for number in sorted(cells, reverse=True):
        text, _ = python_only(cells[number], f"In[{number}]")
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        if name in _bound_names(tree):
            found.append(number)
    return found


def python_only(text: str, label: str, first_line: int = 1) -> tuple[str, list[str]]:
    """The cell with the lines that only IPython understands blanked, and a note for each.

    `first_line` is the number of the text's first line within its cell. The line count stays. A blanked line in an
    indented block becomes `pass`, so that the block remains one.
    """
    lines = text.splitlines(keepends=True)
    notes: list[str] = []
    first = next((i for i, line in enumerate(lines) if line.strip()), None)
    if first is not None and lines[first].startswith("%%"):
        magic = lines[first][2:].split(None, 1)[0].strip() if lines[first][2:].strip() else ""
        if magic not in PYTHON_CELL_MAGICS:
            notes.append(f"{label} was left out: a %%{magic} cell is not Python")
            return "".join(_blank(line) for line in lines), notes
        if magic != "xpu_asm":
            notes.append(f"{label}:{first + first_line}: `%%{magic}` was left out (only IPython understands it)")
        lines[first] = _blank(lines[first])
    if not any(mark in text for mark in ("%", "!", "?")) and not re.search(r"^\s*[,;/]", text, re.M):
        return "".join(lines), notes
    _blank_escapes(lines, label, first_line, notes)
    return "".join(lines), notes


def _blank_escapes(lines: list[str], label: str, first_line: int, notes: list[str]) -> None:
    """IPython's own finders decide, so that a `%` inside a string or an expression stays."""
    from IPython.core import inputtransformer2 as it2

    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
        added = True
    else:
        added = False
    finders = (it2.MagicAssign, it2.SystemAssign, it2.EscapedCommand, it2.HelpEnd)
    for _ in range(len(lines) + 1):
        try:
            tokens = it2.make_tokens_by_line(lines)
        except (SyntaxError, IndentationError):
            break  # Python will say it, with the line
        found = [hit for hit in (finder.find(tokens) for finder in finders) if hit is not None]
        if not found:
            break
        start = min(hit.start_line for hit in found)
        end = it2.find_end_of_continued_line(lines, start)
        shown = lines[start].strip()
        notes.append(f"{label}:{start + first_line}: `{shown}` was left out (only IPython understands it)")
        indent = lines[start][: len(lines[start]) - len(lines[start].lstrip())]
        for index in range(start, end + 1):
            lines[index] = "\n"
        if indent:
            lines[start] = f"{indent}pass\n"
    if added:
        lines[-1] = lines[-1][:-1]


def _join(parts: Sequence[tuple[str, str, int]]) -> Source:
    texts: list[str] = []
    segments: list[Segment] = []
    notes: list[str] = []
    line = 1
    for position, (raw, label, first_line) in enumerate(parts):
        text, left_out = python_only(raw, label, first_line)
        notes.extend(left_out)
        if position < len(parts) - 1 and not text.endswith("\n"):
            text += "\n"
        count = max(1, len(text.splitlines()))
        segments.append(Segment(line=line, count=count, label=label, start=first_line))
        texts.append(text)
        line += count
    return Source(text="".join(texts), segments=tuple(segments), notes=tuple(notes))


def _blank(line: str) -> str:
    return "\n" if line.endswith("\n") else ""


def _bound_names(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in tree.body:
        for part in ast.walk(node) if not isinstance(node, _SCOPES) else (node,):
            if isinstance(part, _SCOPES):
                names.add(part.name)
            elif isinstance(part, (ast.Import, ast.ImportFrom)):
                names.update((alias.asname or alias.name).split(".")[0] for alias in part.names)
            elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                names.add(part.id)
    return names


_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
