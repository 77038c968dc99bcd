"""What each instruction of a listing does to the general registers: sets of bytes, as the bits of integers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from xpuasm_magic.analysis.flow import ControlFlow
from xpuasm_magic.formats.gen_operands import Operation
from xpuasm_magic.formats.gen_registers import Operand
from xpuasm_magic.formats.gen_variables import Variable

# a0.0<1>:uw     s0.0<1>:uq
_POINTER = re.compile(r"(?P<name>[as]0\.\d{1,3})<1>:(?P<type>uw|uq)")
# 0x440:uw     0x24232221:uq
_NUMBER = re.compile(r"(?P<value>0x[0-9A-Fa-f]{1,16}):u[wq]")


class Kill(IntEnum):
    """For whom a write ends the life of what was there before."""

    NOBODY = 0
    """The predicate may keep a channel from writing."""
    CHANNELS = 1
    """For each channel that runs it. What `(W)` has written before in the same block stays for the others, as the
    identity of a reduction does, which runs in divergent flow."""
    ALL = 2


class Use(NamedTuple):
    """One instruction. Bit i of a set stands for byte i of the register file."""

    reads: int = 0
    """As a whole: by `(W)`, by a channel that reads another's element, by dpas."""
    channel_reads: int = 0
    """Each channel its own element."""
    writes: int = 0
    kill: Kill = Kill.NOBODY


@dataclass(frozen=True)
class RegisterUse:
    """The uses of a listing's instructions."""

    uses: Mapping[int, Use] = field(default_factory=dict)
    """By the index of the line."""
    reason: str | None = None
    """Why they are not known."""


def register_use(flow: ControlFlow, variables: Iterable[Variable] = ()) -> RegisterUse:
    """The uses of every instruction that can be reached.

    A register that is named by an address register is taken for the whole of the largest variable that is declared
    at the address; what one names by `s0` must have been written there as a number in the same block.
    """
    sizes: dict[int, int] = {}
    for variable in variables:
        sizes[variable.first] = max(variable.size, sizes.get(variable.first, 0))
    uses: dict[int, Use] = {}
    for index in flow.order:
        block = flow.blocks[index]
        pointers: dict[str, int] = {}
        merged = 0  # what all channels have been given in this block
        for line in range(block.first, block.last + 1):
            operation = flow.operations[line]
            if operation is None:
                continue
            if operation.unresolved is not None:
                operation = _resolved(operation, pointers, sizes, flow.grf_bytes)
                if operation.unresolved is not None:
                    text = operation.unresolved.text
                    return RegisterUse(reason=f"line {line + 1}: which registers `{text}` stands for is not known")
            use = use_of(operation, divergent=bool(block.waiting))
            if use.kill is Kill.CHANNELS and not use.writes & merged:
                use = use._replace(kill=Kill.ALL)
            elif use.kill is Kill.ALL:
                merged |= use.writes
            uses[line] = use
            if operation.dst is not None and operation.dst.kind in ("address", "scalar"):
                _note_pointer(operation, pointers)
    return RegisterUse(uses)


def use_of(operation: Operation, *, divergent: bool) -> Use:
    """What an operation reads and writes. `divergent`: there may be channels that wait elsewhere."""
    reads = channel_reads = 0
    apart = not operation.no_mask and (operation.exec_size or 1) > 1 and not operation.opcode.startswith(_WHOLE)
    waits_only = operation.dst is not None and operation.dst.kind == "null" and operation.name == "mov"
    for source in () if waits_only and not operation.flag else operation.srcs:
        if source.mask:
            if apart and not source.uniform:
                channel_reads |= _bytes(source.first, source.mask)
            else:
                reads |= _bytes(source.first, source.mask)
    dst = operation.dst
    if dst is None or not dst.mask:
        return Use(reads, channel_reads)
    alone = divergent and not operation.no_mask
    kill = Kill.NOBODY if operation.guarded else Kill.CHANNELS if alone else Kill.ALL
    return Use(reads, channel_reads, _bytes(dst.first, dst.mask), kill)


_WHOLE = ("dpas", "bdpas", "shfl")
"""Operations whose channels read what belongs to others."""


@lru_cache(maxsize=1 << 14)
def _bytes(first: int | None, mask: int) -> int:
    return mask << (first or 0)


def _note_pointer(operation: Operation, pointers: dict[str, int]) -> None:
    """Keeps the number that an instruction puts in an address or scalar register, or adds to what it puts there."""
    assert operation.dst is not None
    found = _POINTER.fullmatch(operation.dst.text)
    name = found["name"] if found else operation.dst.text.partition("<")[0]
    value = _NUMBER.fullmatch(operation.srcs[-1].text) if operation.srcs and operation.name in ("add", "mov") else None
    if found and value and not operation.guarded:
        pointers[name] = int(value["value"], 16)
    else:
        pointers.pop(name, None)


def _resolved(operation: Operation, pointers: Mapping[str, int], sizes: Mapping[int, int], grf_bytes: int) -> Operation:
    """With the registers that its pointers name, where these are known."""
    srcs: list[Operand] = []
    for source in operation.srcs:
        value = pointers.get(source.pointer or "")
        if source.kind != "grf" or source.mask or value is None:
            srcs.append(source)
        elif source.pointer == "s0.0" and source.payload is not None:  # a byte names a register, the lowest the first
            names = value.to_bytes(8, "little")[: source.payload]
            register = (1 << grf_bytes) - 1
            mask = sum(register << name * grf_bytes for name in set(names)) if len(names) == source.payload else 0
            srcs.append(source._replace(first=0, mask=mask))
        elif source.pointer is not None and source.pointer[0] == "a" and value in sizes:
            srcs.append(source._replace(first=value, mask=(1 << sizes[value]) - 1))
        else:
            srcs.append(source)
    return operation._replace(srcs=tuple(srcs))
