"""The shape that a `dpas` spells: dot products accumulated by the systolic array."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

# dpas.8x8 (16|M0)  r118:f  r118:f  r26:hf  r73.0:hf
_ISA = re.compile(r"b?dpasw?\.(?P<depth>\d)x(?P<repeat>\d)")

PER_CHANNEL: Mapping[str, int] = {
    "tf32": 1,
    **dict.fromkeys(("bf", "hf"), 2),
    **dict.fromkeys(("u8", "s8", "ub", "b", "bf8", "hf8"), 4),
    **dict.fromkeys(("u4", "s4", "u2", "s2"), 8),
}
"""Products per channel and step, by the type of the B operand; ISA says `ub` where vISA says `u8`."""


class DpasShape(NamedTuple):
    """`repeat` rows of the result, each the sum of `depth` steps."""

    depth: int
    repeat: int


def parse_dpas(opcode: str) -> DpasShape | None:
    """The shape in an ISA opcode, `dpas.8x4`; None of any other opcode."""
    found = _ISA.fullmatch(opcode)
    return DpasShape(int(found["depth"]), int(found["repeat"])) if found else None
