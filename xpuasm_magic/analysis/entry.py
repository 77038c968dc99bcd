"""What an ISA listing reads before it writes it: the payload of the thread, and what only seems so.

A kernel starts with its thread header in r0 and its arguments where `.inputs` says. All else that is live at the entry
has a reason, or the analysis is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from xpuasm_magic.analysis.flow import ControlFlow
from xpuasm_magic.analysis.liveness import Kill, ends, liveness, registers_in
from xpuasm_magic.formats.gen_operands import Operation
from xpuasm_magic.model import Line

# // | V0034    | :uq      |    0x8 | r4+0x8   | cti+0x8          |
# // | V0229    | :uq      |      8 | r8+8     | general    |          (IGC 1.0)
_INPUT = re.compile(
    r"// \|[^|]*\|[^|]*\|[ ]*(?P<size>(?:0x)?[0-9A-Fa-f]{1,6}) \| r(?P<register>\d{1,3})"
    r"(?:\+(?P<at>(?:0x)?[0-9A-Fa-f]{1,4}))?[ ]*\|"
)

Why = Literal["thread header", "input", "partly written", "predicated", "other channels", "unexplained"]
"""`thread header`: r0. `input`: a row of `.inputs`. `partly written`: an instruction reads a register of which some
channels were never written (a message that spills a register which is half full, an address for one channel).
`predicated`: every write of it is under a predicate, as what reads it is in effect. `other channels`: only some
channels have run what writes it. `unexplained`: none of these."""


@dataclass(frozen=True)
class EntryRegister:
    """A register that is live at the entry."""

    register: int
    why: Why


def entry_registers(lines: Sequence[Line], flow: ControlFlow, rule: Kill = ends) -> tuple[EntryRegister, ...]:
    """The registers that are live before the first instruction, each with the reason. Empty: none, or not known.

    `rule`: what a write ends, to see that a wrong one is noticed.
    """
    size = flow.grf_bytes

    def live(kill: Kill, *, staying: bool = False) -> set[int]:
        return set(registers_in(liveness(flow, kill=kill, staying=staying).at_entry, size))

    def whole(operation: Operation, divergent: bool) -> int:
        return _whole(rule(operation, divergent), size)

    def unguarded(operation: Operation, divergent: bool) -> int:
        return _whole(rule(operation._replace(predicate=None, no_mask=True), divergent), size)

    inputs = input_registers(lines, size)
    without: tuple[tuple[Why, set[int]], ...] = (
        ("partly written", live(whole)),
        ("predicated", live(unguarded)),
        ("other channels", live(unguarded, staying=True)),
    )

    def why(register: int) -> Why:
        if register == 0:
            return "thread header"
        if register in inputs:
            return "input"
        for reason, left in without:
            if register not in left:
                return reason
        return "unexplained"

    return tuple(EntryRegister(register, why(register)) for register in sorted(live(rule)))


def input_registers(lines: Iterable[Line], grf_bytes: int) -> frozenset[int]:
    """The registers that a listing's `.inputs` table names."""
    found: set[int] = set()
    for line in lines:
        if line.text.startswith("// |") and (row := _INPUT.match(line.text)):
            first = int(row["register"]) * grf_bytes + _bytes(row["at"] or "0")
            last = first + max(_bytes(row["size"]), 1) - 1
            found.update(range(first // grf_bytes, last // grf_bytes + 1))
    return frozenset(found)


def given_bytes(lines: Iterable[Line], grf_bytes: int) -> int:
    """What a thread starts with, as a set of bytes: its header in r0, and its inputs."""
    register = (1 << grf_bytes) - 1
    return sum(register << number * grf_bytes for number in {0, *input_registers(lines, grf_bytes)})


def _bytes(text: str) -> int:
    """`0x20`, or `32` as IGC 1.0 writes it."""
    return int(text, 16 if text.startswith("0x") or not text.isdigit() else 10)


def _whole(written: int, grf_bytes: int) -> int:
    register = (1 << grf_bytes) - 1
    return sum(register << number * grf_bytes for number in registers_in(written, grf_bytes)) if written else 0
