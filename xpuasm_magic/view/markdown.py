"""A capture as Markdown fit for a comment on a pull request: short, and folded where it is long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xpuasm_magic.analysis.spills import launched_spill_bytes, spill_bytes
from xpuasm_magic.analysis.verdict import verdict
from xpuasm_magic.compare.fail_on import Failure
from xpuasm_magic.compare.failed_text import failed_block
from xpuasm_magic.model import Capture, Kernel
from xpuasm_magic.view.columns import PRIMARY_RANK, ShownColumn, shown_columns, shown_text, without_losers
from xpuasm_magic.view.markdown_text import code, details, plain
from xpuasm_magic.view.text import notes_said

_MOST_ROWS, _MOST_NOTES = 100, 20
"""GitHub takes comments of 65,536 characters."""


def capture_markdown(capture: Capture, failed: Sequence[Failure] = (), *, all_configs: bool = False) -> str:
    """A heading, the conditions that failed, a table in which kernels that spill come first, and notes folded."""
    head = verdict(capture)
    parts = [f"### {plain(head)}"]
    parts += [failed_block(failed)] if failed else []
    rows = capture if all_configs else without_losers(capture)
    kernels = sorted(rows.kernels, key=_worst_spill, reverse=True)
    if kernels:
        parts.append(_table(replace(capture, kernels=tuple(kernels[:_MOST_ROWS]))))
    if (left := len(kernels) - _MOST_ROWS) > 0:
        parts.append(f"{left:,} more kernels, none of which spills more.")
    if folded := len(capture) - len(rows):
        parts.append(f"{folded:,} slower configs are not listed.")
    notes = [f"- {severity}: {plain(words)}" for severity, words in notes_said(capture) if words not in head]
    if notes:
        more = [f"- and {len(notes) - _MOST_NOTES:,} more"] if len(notes) > _MOST_NOTES else []
        parts.append(details(f"{len(notes):,} notes", [*notes[:_MOST_NOTES], *more]))
    if capture.info.fidelity:
        parts.append(details("What hardware can change", [f"- {plain(words)}" for words in capture.info.fidelity]))
    return "\n\n".join(parts) + "\n"


def _worst_spill(kernel: Kernel) -> int:
    return max(spill_bytes(kernel) or 0, launched_spill_bytes(kernel) or 0)


def _table(capture: Capture) -> str:
    columns = shown_columns(capture, PRIMARY_RANK)
    head = [plain(column.title) for column in columns]
    marks = ["--:" if column.numeric else "---" for column in columns]
    rows = [[_cell(column, index) for column in columns] for index in range(len(capture))]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, marks, *rows])


def _cell(column: ShownColumn, index: int) -> str:
    cell = column.cells[index]
    text = shown_text(cell)
    if column.name == "name":
        return code(text)
    spills = column.name.startswith("spill") and isinstance(cell, (int, float)) and cell > 0
    return f"**{plain(text)}**" if spills else plain(text)
