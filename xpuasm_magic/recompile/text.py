"""A matrix as text, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xpuasm_magic.analysis.table import COLUMNS
from xpuasm_magic.recompile.whatif import QUESTIONS, Row, WhatIf
from xpuasm_magic.view.columns import heading, plain, shown_text
from xpuasm_magic.view.highlight import visible

_FIGURES = ("simd", "grf", "threads_per_eu", "spill_bytes", "instructions", "dpas", "sends", "slm_bytes", "isa_bytes")
_GAP = "  "


def matrix_text(found: WhatIf) -> str:
    """The rows under the question that they answer; then the reasons, numbered; then where it all lies."""
    reasons = list(dict.fromkeys(row.reason for row in found.rows if row.reason))
    parts = []
    for question, words in QUESTIONS.items():
        rows = [row for row in found.rows if row.question == question]
        if rows:
            parts.append("\n".join([f"{words}:", *_lines(rows, reasons)]))
    if reasons:
        parts.append("\n".join(f"[{number}] {_indented(reason)}" for number, reason in enumerate(reasons, 1)))
    if not found.rows:
        parts.append("no kernel to recompile")
    parts.append(f"{found.folder}: open it like a capture (xpuasm isa, report, diff)")
    return visible("\n\n".join(parts))


def _lines(rows: Sequence[Row], reasons: Sequence[str]) -> list[str]:
    columns = [column for column in _columns(rows, reasons) if any(cell not in ("", "–") for cell in column[1:])]
    numeric = [all(cell.replace(",", "").isdecimal() or cell == "–" for cell in column[1:]) for column in columns]
    widths = [max(map(len, column)) for column in columns]
    lines = []
    for cells in zip(*columns, strict=True):
        parts = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(cells, widths, numeric, strict=True)
        ]
        lines.append(f"{_GAP}{_GAP.join(parts)}".rstrip())
    return lines


def _columns(rows: Sequence[Row], reasons: Sequence[str]) -> list[list[str]]:
    """Each column with its heading first."""

    def column(title: str, values: Sequence[Any]) -> list[str]:
        return [title, *(shown_text(plain(value)) for value in values)]

    names = [row.kernel.name for row in rows]
    found = [
        column("kernel", names),
        column("device", [row.device for row in rows]),
        column("GRF mode", [row.grf_mode for row in rows]),
        column("options", [row.options for row in rows]),
        column("toolchain", [row.toolchain for row in rows]),
        column("Triton", [row.triton or "" for row in rows]),
    ]
    if any(row.question == "source" for row in rows):
        found += [
            column("warps", [row.kernel.variant.num_warps for row in rows]),
            column("thr/warp", [row.kernel.variant.threads_per_warp for row in rows]),
            column("stages", [row.kernel.variant.num_stages for row in rows]),
        ]
    status = [f"{row.status} [{reasons.index(row.reason) + 1}]" if row.reason else row.status for row in rows]
    found.append(column("status", status))
    values = {one.name: one.value for one in COLUMNS}
    found += [column(heading(name).title, [values[name](row.kernel) for row in rows]) for name in _FIGURES]
    return [*found, column("key", [row.kernel.key for row in rows])]


def _indented(text: str) -> str:
    return text.replace("\n", "\n    ")
