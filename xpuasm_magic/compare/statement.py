"""A line of a listing as it is compared: what it says without its names, and where its operands come from.

Names (registers, virtual registers, SSA values, labels) are the compiler's to choose, and all of them shift when one
instruction is added. So names are not compared: the statements that gave them their values are.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

Origin: TypeAlias = tuple[int, int]
"""The statement, by its place in the sequence, that gave a value; and which of its results, or which part of it."""

Operand: TypeAlias = tuple[Origin, ...]
"""Where an operand comes from: several statements where they wrote parts of it; none where that is not known."""


class Statement(NamedTuple):
    """`line` is the index in the listing; `text` is equal for statements that differ in names only."""

    line: int
    text: str
    operands: tuple[Operand, ...] = ()
