"""A column of the table, for both kernels of a pair."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

from xpuasm_magic.analysis.table import COLUMNS
from xpuasm_magic.model import Kernel

TEXT = ("string", "boolean")
"""Types of columns between whose values there is no difference to count."""


@dataclass(frozen=True)
class Delta:
    """`a` and `b` are None where the value is missing, and then there is no change to tell of."""

    column: str
    a: Any
    b: Any

    @property
    def differs(self) -> bool:
        return bool(self.a != self.b)

    @property
    def change(self) -> int | float | None:
        """`b - a`; None where either is missing, or they are no numbers."""
        if _is_number(self.a) and _is_number(self.b):
            difference: int | float = self.b - self.a
            return difference
        return None

    @property
    def percent(self) -> float | None:
        """The change in percent of A's value; from 0 to more is infinite, from 0 to 0 is 0."""
        change = self.change
        if change is None:
            return None
        if not self.a:
            return inf if change else 0.0
        return 100 * change / abs(float(self.a))


def deltas(a: Kernel, b: Kernel) -> tuple[Delta, ...]:
    """Of every column of the table, in its order."""
    return tuple(Delta(column.name, column.value(a), column.value(b)) for column in COLUMNS)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
