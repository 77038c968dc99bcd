"""Instructions of a listing -> the source lines that need them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from xpuasm_magic.analysis.links import tie
from xpuasm_magic.analysis.reading import read_stage
from xpuasm_magic.model import Kernel, Line, SourceLoc


def source_lines(kernel: Kernel, lines: Sequence[Line], wanted: Iterable[int]) -> dict[int, SourceLoc | None]:
    """The source line of each instruction of `wanted` (indices in the ISA listing), by its vISA number.

    `// Line` is not taken: from Xe2 on, and where a kernel has a stack frame, IGC writes the kernel's last line
    over all of them. Where it writes others (DG2, PVC), they are those that the number leads to.
    """
    indices = tuple(wanted)
    if not indices:
        return {}
    stages = {stage: found.lines for stage in ("llir", "visa") if (found := read_stage(kernel, stage))}
    unplaced = tuple(replace(lines[index], loc=None) for index in indices)
    tied = tie({**stages, "isa": unplaced}).stages.get("isa", unplaced)
    return {index: _users_line(line) for index, line in zip(indices, tied, strict=True)}


def _users_line(line: Line) -> SourceLoc | None:
    """The outermost source line that a line belongs to, whatever column."""
    outermost = line.callers[-1] if line.callers else line.loc
    return replace(outermost, column=None) if outermost else None
