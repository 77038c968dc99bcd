"""What an IGC listing says of where variables lie -> rows of its `//.declare` and `.inputs` tables."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from xpuasm_magic.formats.gen_registers import BITS, GRF_BYTES

# //.declare V0034 (44)  rf=r size=8 type=uq align=4 words (r4.1)
# //.declare V0048 (58)  rf=r size=64 type=uw alias=V0041+0 align=32 words (r1.0)
_DECLARE = re.compile(
    r"//\.declare (?P<name>\S*) *\(\d+\)[ \t]+rf=r size=(?P<size>\d{1,9}) type=(?P<type>\w+)"
    r"(?: alias=(?P<alias>[^+ ]*)\+\d+)? .*\(r(?P<register>\d{1,4})\.(?P<sub>\d{1,4})\)"
)
# // | V0034    | :uq      |    0x8 | r4+0x8   | cti+0x8          |
# // | V0034    | :uq      |      8 | r1+32    | general    |
_INPUT = re.compile(
    r"// \| (?P<name>\S+) +\| :(?P<type>\S+(?: x \d+)?) +\| +(?P<size>0x[0-9A-Fa-f]{1,8}|[1-9]\d{0,8}) "
    r"\| r(?P<register>\d{1,4})(?:\+(?P<offset>0x[0-9A-Fa-f]{1,8}|[1-9]\d{0,8}))? +\| (?P<source>\S+) +\|"
)


@dataclass(frozen=True)
class Variable:
    """A variable of the compiler's, and where in the register file it lies."""

    name: str
    """Empty where the compiler gave none."""
    first: int
    """Byte offset from r0.0."""
    size: int
    """Bytes."""
    type: str
    alias: str | None = None
    """The variable that it is another view or a part of; empty where that has no name."""


@dataclass(frozen=True)
class Input:
    """What the thread is given before the kernel's own code."""

    name: str
    first: int
    """Byte offset from r0.0."""
    size: int
    """Bytes."""
    source: str
    """`pti[tid]+0x40` (per thread), `cti+0x8` (the same for all threads), `inline+0x0` (with the thread itself);
    `general` where the compiler does not say."""


def parse_variables(lines: Iterable[str], grf_bytes: int = GRF_BYTES) -> tuple[Variable, ...]:
    """Variables that lie in general registers; spilled ones and other files are left out."""
    found = (_DECLARE.match(line) for line in lines if line.startswith("//.declare"))
    return tuple(
        Variable(
            row["name"],
            int(row["register"]) * grf_bytes + int(row["sub"]) * BITS.get(row["type"], 32) // 8,
            int(row["size"]),
            row["type"],
            row["alias"],
        )
        for row in found
        if row
    )


def parse_inputs(lines: Iterable[str], grf_bytes: int = GRF_BYTES) -> tuple[Input, ...]:
    """The rows of the `.inputs` table."""
    found = (_INPUT.match(line) for line in lines if line.startswith("// | "))
    return tuple(
        Input(
            row["name"],
            int(row["register"]) * grf_bytes + int(row["offset"] or "0", 0),
            int(row["size"], 0),
            row["source"],
        )
        for row in found
        if row
    )
