"""The table's columns as a page or a terminal shows them: headings, and which to keep where room is short."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, TypeAlias

from xpuasm_magic.analysis.table import COLUMNS, Column
from xpuasm_magic.model import Capture, Family, Kernel, Note

Cell: TypeAlias = bool | int | float | str | None


@dataclass(frozen=True)
class Heading:
    """`rank`: 0 is always shown; of the others the lowest stay longest."""

    name: str
    title: str
    rank: int


HEADINGS = (
    Heading(name="name", title="kernel", rank=0),
    Heading(name="config", title="config", rank=4),
    Heading(name="spill_bytes", title="spill B", rank=2),
    Heading(name="status", title="status", rank=1),
    Heading(name="simd", title="SIMD", rank=2),
    Heading(name="grf", title="GRF", rank=2),
    Heading(name="instructions", title="instr.", rank=3),
    Heading(name="dpas", title="dpas", rank=4),
    Heading(name="sends", title="sends", rank=4),
    Heading(name="slm_bytes", title="SLM B", rank=5),
    Heading(name="time_ms", title="ms", rank=5),
    Heading(name="winner", title="winner", rank=5),
    Heading(name="launches", title="launches", rank=5),
    Heading(name="match", title="match", rank=6),
    Heading(name="threads_per_eu", title="thr/EU", rank=7),
    Heading(name="num_warps", title="warps", rank=8),
    Heading(name="work_group", title="work-group", rank=8),
    Heading(name="spill_dwords_per_lane", title="spill dw/lane", rank=8),
    Heading(name="private_bytes", title="private B", rank=8),
    Heading(name="barriers", title="barriers", rank=8),
    Heading(name="registers", title="registers", rank=2),
    Heading(name="isa_bytes", title="code B", rank=8),
    Heading(name="threads_per_warp", title="thr/warp", rank=9),
    Heading(name="checks", title="checks", rank=9),
    Heading(name="family", title="family", rank=9),
    Heading(name="device", title="device", rank=9),
    Heading(name="key", title="key", rank=9),
)
"""In the order in which people read them; the DataFrame has its own."""
PRIMARY_RANK = 7
"""A page shows columns up to this rank until it is asked for all."""

FAMILIES: dict[Family, str] = {
    "pointwise": "Pointwise",
    "persistent_reduction": "Persistent reduction",
    "reduction": "Reduction",
    "template": "Template",
    "foreach": "Foreach",
    "user": "User kernels (@triton.jit)",
    "sycl": "SYCL",
    "other": "Other",
}
"""In the order in which they are listed."""

_HEADINGS = {heading.name: heading for heading in HEADINGS}

_LAST_RANK = 9
_ASIDE: dict[str, frozenset[Cell]] = {
    "status": frozenset({"ok"}),
    "winner": frozenset({True, None}),
    "match": frozenset({"spirv", "zebin"}),
}
"""Columns that step aside where no kernel has another value: they would say nothing."""


def heading(name: str) -> Heading:
    return _HEADINGS.get(name) or Heading(name=name, title=name.replace("_", " "), rank=_LAST_RANK)


def plain(value: Any) -> Cell:
    """A cell as a JSON value. Missing is None, and never a zero."""
    if isinstance(value, (tuple, list)):  # a work-group
        return "×".join(str(part) for part in value)
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def row(kernel: Kernel) -> dict[str, Cell]:
    return {column.name: plain(column.value(kernel)) for column in COLUMNS}


@dataclass(frozen=True)
class ShownColumn:
    """A column with its cells, one per kernel, in the capture's order."""

    name: str
    title: str
    tooltip: str
    rank: int
    numeric: bool
    cells: tuple[Cell, ...]


def shown_columns(capture: Capture, most_rank: int = _LAST_RANK) -> list[ShownColumn]:
    """The columns that say something about this capture: those without a single value are left out."""
    rows = [row(kernel) for kernel in capture.kernels]
    shown = []
    for column in COLUMNS:
        cells = tuple(cells[column.name] for cells in rows)
        look = heading(column.name)
        rank = _LAST_RANK if set(cells) <= _ASIDE.get(column.name, frozenset()) else look.rank
        if rank <= most_rank and (rank == 0 or any(cell is not None for cell in cells)):
            numeric = all(_is_number(cell) for cell in cells)
            shown.append(ShownColumn(column.name, look.title, _tooltip(column), rank, numeric, cells))
    order = {heading.name: place for place, heading in enumerate(HEADINGS)}
    return sorted(shown, key=lambda column: order.get(column.name, len(order)))


def matching(capture: Capture, glob: str | None) -> Capture:
    """The capture with only the kernels whose name answers to `glob`; None: all."""
    if not glob:
        return capture
    kept = tuple(kernel for kernel in capture.kernels if fnmatchcase(kernel.name, glob))
    if kept or not capture.kernels:
        return replace(capture, kernels=kept)
    names = ", ".join(dict.fromkeys(kernel.name for kernel in capture.kernels))
    note = Note("warning", f"no kernel's name matches {glob!r}; there are: {names}")
    return replace(capture, kernels=(), notes=(*capture.notes, note))


def without_losers(capture: Capture) -> Capture:
    """The capture without the configs that lost an autotuning."""
    return replace(capture, kernels=tuple(k for k in capture.kernels if k.winner is not False))


def shown_text(cell: Cell) -> str:
    """A cell for people: thousands apart, a dash where nothing is known."""
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}"
    return f"{cell:,.6g}" if isinstance(cell, float) else cell


def _tooltip(column: Column) -> str:
    """What the column holds, with its unit; a page shows a dash where the table has `<NA>`."""
    words = column.tooltip.replace("<NA>", "–")
    return f"{words} Unit: {column.unit}." if column.unit else words


def _is_number(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, (int, float)) and not isinstance(cell, bool))
