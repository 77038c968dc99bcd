"""A Diff -> the pandas table of its pairs."""

from __future__ import annotations

from typing import Any

import pandas as pd

from xpuasm_magic.analysis.table import COLUMNS
from xpuasm_magic.compare.comparison import Diff
from xpuasm_magic.compare.delta import TEXT


def pair_table(found: Diff) -> pd.DataFrame:
    """One row per pair; columns are (column of the table, `a` | `b` | `change`), and (`paired`, `by`)."""
    series: dict[tuple[str, str], Any] = {
        ("paired", "by"): pd.array([pair.how for pair in found.pairs], dtype="string")
    }
    for column in COLUMNS:
        rows = [pair.deltas[column.name] for pair in found.pairs]
        series[column.name, "a"] = pd.array([row.a for row in rows], dtype=column.dtype)
        series[column.name, "b"] = pd.array([row.b for row in rows], dtype=column.dtype)
        if column.dtype not in TEXT:
            changes: list[Any] = [row.change for row in rows]
            series[column.name, "change"] = pd.array(changes, dtype=column.dtype)
    table: pd.DataFrame = pd.DataFrame(series)
    table.attrs["units"] = {column.name: column.unit for column in COLUMNS if column.unit}
    table.attrs["tooltips"] = {column.name: column.tooltip for column in COLUMNS}
    return table
