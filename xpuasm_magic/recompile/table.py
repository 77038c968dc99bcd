"""Rows -> the pandas table of a matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd

from xpuasm_magic.analysis.table import COLUMNS
from xpuasm_magic.recompile.whatif import Row

_OWN: tuple[tuple[str, Callable[[Row], Any], str], ...] = (
    ("question", lambda r: r.question, "spirv: the same SPIR-V. source: the same source, Triton asked again."),
    ("kernel", lambda r: r.kernel.name, "The kernel's name."),
    ("device", lambda r: r.device, "The card that it was compiled for."),
    ("grf_mode", lambda r: r.grf_mode, "Registers asked for; auto: IGC chooses; default: no flag was given."),
    ("options", lambda r: r.options or None, "Build options beside the kernel's own."),
    ("toolchain", lambda r: r.toolchain, "The ocloc and IGC that compiled it."),
    ("triton", lambda r: r.triton, "The Triton that compiled the source again. <NA>: it was not asked."),
    ("status", lambda r: r.status, "What became of the cell; refused: the device lacks what the module needs."),
    ("reason", lambda r: r.reason, "Why it is not ok, in the compiler's words; of an ok one what to know of it."),
)
_FIGURES = (
    "simd",
    "grf",
    "threads_per_eu",
    "spill_bytes",
    "spill_dwords_per_lane",
    "instructions",
    "dpas",
    "sends",
    "isa_bytes",
    "slm_bytes",
    "private_bytes",
    "barriers",
    "num_warps",
    "threads_per_warp",
    "checks",
    "key",
)
"""Columns of `Capture.table`, by the same names and with the same values."""


def build_table(rows: Sequence[Row]) -> pd.DataFrame:
    """One row per cell. `attrs["units"]` and `attrs["tooltips"]` explain the columns."""
    shared = {column.name: column for column in COLUMNS}
    series: dict[str, Any] = {name: pd.array([value(row) for row in rows], dtype="string") for name, value, _ in _OWN}
    for name in _FIGURES:
        column = shared[name]
        series[name] = pd.array([column.value(row.kernel) for row in rows], dtype=column.dtype)
        if name == "threads_per_warp":
            stages = [row.kernel.variant.num_stages for row in rows]
            series["num_stages"] = pd.array(stages, dtype="Int64")
    table: pd.DataFrame = pd.DataFrame(series)
    table.attrs["units"] = {name: shared[name].unit for name in _FIGURES if shared[name].unit}
    table.attrs["tooltips"] = {name: text for name, _, text in _OWN} | {
        "num_stages": "Triton's depth of software pipelining.",
        **{name: shared[name].tooltip for name in _FIGURES},
    }
    return table
