"""Intel GPU ISA text -> statements."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from xpuasm_magic.compare.statement import Operand, Origin, Statement
from xpuasm_magic.formats.gen_isa import platform_of
from xpuasm_magic.formats.gen_operands import Operation, decode
from xpuasm_magic.formats.gen_registers import Operand as Register
from xpuasm_magic.formats.gen_registers import grf_bytes_of
from xpuasm_magic.model import Line

_CELL = 2
"""Bytes that one instruction is taken to have written."""
_MOST_BYTES = 512 * 64
_ONES = re.compile("1+")

# _0_073:     L832:
_LABEL = re.compile(r"[ \t]*(?P<name>[A-Za-z_.$][\w.$]*):[ \t]*$")
# r10.0  f3.1  acc2.0  a0.2  s0.56: what the register allocator chose. r0 is the thread's own header.
_REGISTER = re.compile(r"(?<![\w.])(?P<file>r(?!0\b)|acc|[fas])\d+(?:\.\d+)?(?![\w.])")
# f3.1  acc2.0  a0.2: flags and accumulators are told as wholes; address and scalar registers each by itself
_NAME = re.compile(r"(?:f|acc)\d+|[as]\d+\.\d+")
_NAMED = ("flag", "acc", "address", "scalar")
# ($5,$6,$7)
_TOKENS = re.compile(r"\(\$[^)]*\)")
# EOT, Atomic, …: what the instruction does; the rest of the braces is the scoreboard's and the encoding's
_OPTION = re.compile(r"[A-Z][A-Za-z]+")
# //  scratch space spill:  from offset[2x32]      //  fill from offset[3*64]
_SPILL = re.compile(r"(?:^|//)[ \t]+(?:scratch space )?(?P<kind>spill|fill)\b(?!/)")
# hword scratch block write x4
_SPILL_SIZE = re.compile(r"block (?:read|write) x\d+")
_HEX = re.compile(r"0x[0-9A-Fa-f]+")
# (W)     mov (16|M0)   null<1>:ud    0x1F237707:ud      after the end of thread: the module's hash, no code
_HASH = re.compile(r"\(W\)[ \t]+mov \(16\|M0\)[ \t]+null<1>:ud[ \t]+0x[0-9A-F]+:ud")


def isa_statements(lines: Sequence[Line]) -> list[Statement]:
    """Instructions. Spill slots are names as registers are: an access is told by its kind and its size."""
    grf_bytes = grf_bytes_of(platform_of(lines))
    origins = _Origins()
    read: list[tuple[int, str, tuple[Operand, ...], tuple[str, ...]]] = []
    labels: dict[str, Origin] = {}
    ended = False
    for index, line in enumerate(lines):
        text = line.text
        if text.startswith("//"):
            continue
        operation = decode(text, grf_bytes)
        if operation is None:
            if label := _LABEL.match(text.partition("//")[0]):
                labels[label["name"]] = (len(read), 0)
            continue
        if ended and _HASH.match(text):
            continue
        ended = (ended and operation.opcode == "nop") or operation.ends_thread
        targets = operation.targets if operation.is_branch else ()
        read.append((index, _said(operation, targets, text), origins.step(len(read), operation), targets))
    return [
        Statement(index, text, (*operands, *(_target(labels, name) for name in targets)))
        for index, text, operands, targets in read
    ]


def _said(operation: Operation, targets: tuple[str, ...], text: str) -> str:
    """The instruction without names."""
    operands = operation.operands
    if targets:
        operands = " ".join("label" if token in targets else token for token in operands.split())
    enabled = f"{'W' if operation.no_mask else ''}({operation.predicate or ''})"
    said = f"{enabled} {operation.opcode} ({operation.exec_size}|M{operation.exec_offset}) {operands}"
    said = _TOKENS.sub("tokens", _REGISTER.sub(r"\g<file>", said))
    comment = text.partition("//")[2]
    if "offset[" in comment and (spill := _SPILL.search(comment)):
        shape = _SPILL_SIZE.search(comment)
        said = f"{_HEX.sub('slot', said)} {spill['kind']} {shape[0] if shape else ''}"
    options = (word for word in operation.options if word != "Compacted" and _OPTION.fullmatch(word))
    return " ".join((*said.split(), *options))


def _target(labels: dict[str, Origin], name: str) -> Operand:
    return (labels[name],) if name in labels else ()


class _Origins:
    """Which instruction gave each register the value that another reads, in the order of the text.

    Branches are not followed: of two listings both are read alike, and that is all that comparing needs.
    """

    def __init__(self) -> None:
        self._general: list[Origin | None] = [None] * (_MOST_BYTES // _CELL)
        self._others: dict[str, int] = {}

    def step(self, place: int, operation: Operation) -> tuple[Operand, ...]:
        """Where the operands of the instruction come from, predicate first; what it writes is from `place` on."""
        dst = operation.dst
        found = self._named(operation.predicate or "")
        for operand in operation.srcs:
            found += self._read(operand)
        if dst is not None and dst.pointer:
            found += self._named(dst.pointer)
        self._name(operation.flag or "", place)
        if dst is not None:
            self._write(dst, place)
        return tuple(found)

    def _read(self, operand: Register) -> list[Operand]:
        if operand.pointer:
            return self._named(operand.pointer)
        if operand.kind in _NAMED:
            return self._named(operand.text)
        if operand.kind != "grf":
            return []
        cells: list[Origin | None] = []
        first = operand.first or 0
        for start, end in _runs(operand.mask, first % _CELL):
            cells += self._general[first // _CELL + start : first // _CELL + end]
        return [tuple([(origin[0], first - origin[1]) for origin in dict.fromkeys(cells) if origin])]

    def _write(self, operand: Register, place: int) -> None:
        if operand.kind in _NAMED:
            self._name(operand.text, place)
        if operand.first is None:
            return
        cell = operand.first // _CELL
        for start, end in _runs(operand.mask, operand.first % _CELL):
            room = max(min(cell + end, len(self._general)) - cell - start, 0)
            self._general[cell + start : cell + start + room] = [(place, operand.first)] * room

    def _named(self, text: str) -> list[Operand]:
        places = [self._others.get(name) for name in _NAME.findall(text)]
        return [() if place is None else ((place, 0),) for place in places]

    def _name(self, text: str, place: int) -> None:
        self._others.update((name, place) for name in _NAME.findall(text))


@lru_cache(maxsize=1 << 10)
def _runs(mask: int, odd: int) -> tuple[tuple[int, int], ...]:
    """The cells, from first to end, of the bytes of a mask that starts at the first or second byte of a cell."""
    bits = f"{mask << odd:b}"[::-1]
    return tuple((found.start() // _CELL, -(-found.end() // _CELL)) for found in _ONES.finditer(bits))
