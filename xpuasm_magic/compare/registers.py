"""Which instruction gave each register the value that another reads, in the order of the text.

Branches are not followed: of two listings both are read alike, and that is all that comparing needs.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import NamedTuple

from xpuasm_magic.compare.statement import Operand, Origin

_CELL = 2
"""Bytes that one instruction is taken to have written."""
_MOST_BYTES = 512 * 64

# r10.0<8;8,1>:f    r16:2 (of a message)    r20:bf (of dpas)    f3.1    acc2.0<1>:f    a0.2    s0.56
_REFERENCE = re.compile(
    r"(?<![\w.])(?P<file>r|acc|[fas])(?P<number>\d{1,4})(?:\.(?P<sub>\d{1,4}))?(?![\w.])"
    r"(?:<(?P<region>[\d;,]{1,12})>)?(?::(?:(?P<count>\d{1,3})(?!\d)|(?P<type>[a-z]\w*)))?"
)
# (lt)f3.0 null<1>:d …     (sat)r10.0<1>:f …
_MODIFIER = re.compile(r"\s*(?:\((?P<compares>[a-z]{2})\)(?P<flag>f\d+)(?:\.\d+)?)?\s*(?:\(sat\))?\s*")
# dpas.8x4: systolic depth, repeat count
_DPAS = re.compile(r"b?dpas\w*\.(?P<depth>\d{1,2})x(?P<repeat>\d{1,2})")
# wr:1h+2, rd:4;
_RETURNED = re.compile(r"\brd:(?P<count>\d{1,3})(?!\d| B)")
_NO_RESULT = (
    "store",
    "goto",
    "join",
    "jmpi",
    "sync",
    "nop",
    "br",
    "while",
    "if",
    "else",
    "endif",
    "ret",
    "halt",
)
_SIZES = {"b": 1, "ub": 1, "bf8": 1, "hf8": 1, "w": 2, "uw": 2, "hf": 2, "bf": 2, "q": 8, "uq": 8, "df": 8}
"""Bytes of a type; of all others four."""


class Code(NamedTuple):
    """An instruction, taken apart. `operands` without the braces."""

    predicate: str
    opcode: str
    exec_size: int
    operands: str
    comment: str


class Registers:
    """Reads instructions in order. `grf_bytes` is the size of a general register."""

    def __init__(self, grf_bytes: int) -> None:
        self._grf_bytes = grf_bytes
        self._general: list[Origin | None] = [None] * (_MOST_BYTES // _CELL)
        self._others: dict[str, int] = {}

    def step(self, place: int, code: Code) -> tuple[Operand, ...]:
        """Where the operands of the instruction come from, predicate first; what it writes is from `place` on."""
        modifier = _MODIFIER.match(code.operands)
        start = modifier.end() if modifier else 0
        result: re.Match[str] | None = None
        found: list[Operand] = []
        for reference in chain(_REFERENCE.finditer(code.predicate), _REFERENCE.finditer(code.operands, start)):
            if reference.string is code.operands and reference.start() == start and self._has_result(code):
                result = reference
            else:
                found.append(self._read(reference, code, len(found)))
        if modifier and modifier["flag"]:
            self._others[modifier["flag"]] = place
        if result:
            self._write(result, code, place)
        return tuple(found)

    def _has_result(self, code: Code) -> bool:
        return not code.opcode.startswith(_NO_RESULT)

    def _read(self, reference: re.Match[str], code: Code, number: int) -> Operand:
        if reference["file"] != "r":
            place = self._others.get(_name(reference))
            return () if place is None else ((place, 0),)
        first = self._byte(reference)
        size = self._bytes(reference, code, number)
        cells = self._general[first // _CELL : (first + size + _CELL - 1) // _CELL]
        return tuple((origin[0], first - origin[1]) for origin in dict.fromkeys(cells) if origin)

    def _write(self, reference: re.Match[str], code: Code, place: int) -> None:
        if reference["file"] != "r":
            self._others[_name(reference)] = place
            return
        first = self._byte(reference)
        start, end = first // _CELL, (first + self._bytes(reference, code, -1) + _CELL - 1) // _CELL
        end = min(end, len(self._general))
        if start < end:
            self._general[start:end] = [(place, first)] * (end - start)

    def _byte(self, reference: re.Match[str]) -> int:
        return int(reference["number"]) * self._grf_bytes + int(reference["sub"] or 0) * _size(reference)

    def _bytes(self, reference: re.Match[str], code: Code, number: int) -> int:
        """How much of the file an operand covers; `number` counts sources, -1 is the result."""
        if reference["count"]:
            return int(reference["count"]) * self._grf_bytes
        if reference["region"]:
            return _extent(reference["region"], code.exec_size) * _size(reference)
        if dpas := _DPAS.match(code.opcode):
            depth, repeat = int(dpas["depth"]), int(dpas["repeat"])
            if number == 1:
                return 4 * depth * code.exec_size
            return 4 * depth * repeat if number == 2 else repeat * code.exec_size * _size(reference)
        returned = _RETURNED.search(code.comment) if number < 0 else None
        return int(returned["count"] if returned else 1) * self._grf_bytes


def _name(reference: re.Match[str]) -> str:
    """Flags and accumulators are told as wholes; address and scalar registers each by itself."""
    whole = f"{reference['file']}{reference['number']}"
    return whole if reference["file"] in ("f", "acc") else f"{whole}.{reference['sub'] or 0}"


def _size(reference: re.Match[str]) -> int:
    return _SIZES.get(reference["type"] or "", 4)


def _extent(region: str, exec_size: int) -> int:
    """Elements from the first that a region touches to its last: `<1>`, `<8;8,1>`, `<1;0>` of three sources."""
    numbers = [int(number) for number in re.split("[;,]", region) if number]
    if len(numbers) == 1:
        return (exec_size - 1) * numbers[0] + 1
    if len(numbers) == 2:
        return (exec_size - 1) * max(numbers) + 1 if any(numbers) else 1
    vertical, width, horizontal = numbers[:3]
    rows = max(exec_size // max(width, 1), 1)
    return (rows - 1) * vertical + (min(width, exec_size) - 1) * horizontal + 1
