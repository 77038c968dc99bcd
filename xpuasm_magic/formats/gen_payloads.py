"""The operands of a message in Intel GPU ISA -> its payloads, and which bytes of their registers it uses.

A payload is whole registers; a message to one channel uses a few bytes of them. Layouts follow Intel's PRM ("Shared
Functions: Load/Store Cache, Gateway, Data Port"): one item per channel, each component of a vector from a register of
its own on; transposed blocks in a row.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from xpuasm_magic.formats.gen_registers import Operand, parse_block, parse_operand

Operands = tuple[Operand | None, tuple[Operand, ...]]
"""Destination and sources."""

# r12:4
_COUNT = re.compile(r":(?P<count>\d{1,3})$")
# bti[255][r254:1]    ss[a0.2][r3:1-0x10000]    [r220:4]    [r53:1+(0x0,0x20)]
_ADDRESS = re.compile(r"(?P<surface>[a-z]+\[(?P<state>[^]]*)\])?\[(?P<register>r\d{1,3}:\d{1,3})[^]]*\]")
# 0x80200000:a0.2
_DESCRIPTOR_REGISTER = re.compile(r"(?:0x[0-9A-Fa-f]+:)?(?P<register>[as]0\.\d{1,3})")
# wr:1h+2, rd:4;     of messages to registers by the byte: rd:128 B
_LENGTHS = re.compile(r"(?:wr:(?P<address>\d{1,3})h?\+(?P<data>\d{1,3}), )?rd:(?P<read>\d{1,5})(?P<bytes> B)?")
_DESCRIPTOR = re.compile(r"0x[0-9A-Fa-f]{1,8}")
# wr:1h+0, rd:4; hword scratch block read x4      rd:128 B; load.ugm.d32.a32u [s0.16+0x4*src0]      …; signal barrier
_FORM = re.compile(r"; ?(?P<form>(?:load|store|atomic)[\w.]*|signal barrier|end of thread|[oh]word (?=.*block))")
# d32x64t     d16u32     d64x1t     d32x4
_DATA = re.compile(r"\.d(?P<bits>\d{1,2})(?:[uc](?P<to>\d{2}))?(?:x(?P<vector>\d{1,2}))?(?P<transposed>t?)(?![\w])")
_ADDRESS_SIZE = re.compile(r"\.a(?P<bits>16|32|64)[us]?(?!\w)")
_COMPONENTS = re.compile(r"\.(?P<components>x?y?z?w?)(?=\.)")

_MOST_READ = 31
_HEADER = (1 << 32) - 1
"""A header of eight dwords, as the data port's messages, those that end a thread and 2D blocks' addresses have."""
_BARRIER = 0xF << 8
"""A barrier's message is its payload's third dword."""


class _Layout(NamedTuple):
    """The bytes that a message uses of its payloads; None: all of them."""

    address: int | None = None
    data: int | None = None


def parse_message(opcode: str, exec_size: int, tokens: list[str], grf_bytes: int) -> Operands:
    """`load DST ADDRESS`, `store ADDRESS DATA`, `atomic DST ADDRESS DATA`."""
    layout = _layout(opcode, exec_size, grf_bytes)
    index = next((index for index, token in enumerate(tokens) if "[" in token), None)
    if index is None:
        return _payload(tokens[0], None, grf_bytes), tuple(_payload(token, None, grf_bytes) for token in tokens[1:])
    dst = _result(tokens[0], None, opcode, grf_bytes) if index else None
    data = [_payload(token, None, grf_bytes, layout.data) for token in tokens[index + 1 :]]
    address = _ADDRESS.fullmatch(tokens[index])
    if address is None:
        return dst, (Operand(tokens[index], "grf"), *data)
    srcs = [_payload(address["register"], None, grf_bytes, layout.address), *data]
    if address["state"] and not address["state"].isdigit():
        srcs.append(parse_operand(address["state"], 1, grf_bytes))
    return dst, tuple(srcs)


def parse_raw_message(opcode: str, exec_size: int, tokens: list[str], rest: str, grf_bytes: int) -> Operands:
    """`send DST SRC0 SRC1 EXTENDED-DESCRIPTOR DESCRIPTOR`, `sendg DST SRC0 SRC1 [SCALARS] DESCRIPTOR`.

    What the operands do not tell of lengths is in the comment, or in bits 20-24 (read) and 25-28 (address) of the
    descriptor (PRM, "Message Descriptor").
    """
    address = data = read = None
    if said := _LENGTHS.search(rest):
        address, data = (int(said[name]) if said[name] else None for name in ("address", "data"))
        read = -(-int(said["read"]) // grf_bytes) if said["bytes"] else int(said["read"])
    elif not opcode.startswith("sendg") and _DESCRIPTOR.fullmatch(tokens[-1]):
        descriptor = int(tokens[-1], 16)
        address, read = descriptor >> 25 & 0xF, descriptor >> 20 & 0x1F
    form = _FORM.search(rest)
    layout = _layout(form["form"], exec_size, grf_bytes) if form else _Layout()
    expected = [(address, layout.address), (data, layout.data)]
    srcs: list[Operand] = []
    for token in tokens[1:]:
        if found := _DESCRIPTOR_REGISTER.fullmatch(token):
            srcs.append(parse_operand(found["register"], 1, grf_bytes))
        elif token[0] == "r" or token.startswith("null"):
            length, used = expected.pop(0) if expected else (None, None)
            srcs.append(_payload(token, length, grf_bytes, used))
    return _result(tokens[0], read, form["form"] if form else "", grf_bytes), tuple(srcs)


def _result(token: str, length: int | None, form: str, grf_bytes: int) -> Operand:
    """The descriptor has five bits for it: 2D blocks of 32 registers, the largest there are, say 31."""
    result = _payload(token, length, grf_bytes)
    if result.payload == _MOST_READ and "load_block2d" in form and result.mask:
        return result._replace(mask=(1 << (_MOST_READ + 1) * grf_bytes) - 1)
    return result


@lru_cache(maxsize=1 << 14)
def _payload(token: str, length: int | None, grf_bytes: int, used: int | None = None) -> Operand:
    """`length` in registers stands where the operand itself has none."""
    if found := _COUNT.search(token):
        length = int(found["count"])
    size = length * grf_bytes if length is not None else None
    operand = parse_block(token, size, grf_bytes, payload=length)
    return operand if used is None or not operand.mask & used else operand._replace(mask=operand.mask & used)


@lru_cache(maxsize=1 << 10)
def _layout(form: str, exec_size: int, grf_bytes: int) -> _Layout:
    if form == "signal barrier":
        return _Layout(_BARRIER)
    if form == "end of thread" or form.endswith("word ") or "block2d" in form:
        return _Layout(_HEADER)
    data, address = _DATA.search(form), _ADDRESS_SIZE.search(form)
    if data is None or address is None:
        return _Layout()
    addresses = (1 << exec_size * int(address["bits"]) // 8) - 1
    element = int(data["to"] or data["bits"]) // 8
    if data["transposed"]:
        return _Layout(addresses, (1 << element * int(data["vector"] or 1)) - 1)
    quad = _COMPONENTS.search(form, data.end()) if "quad" in form or "cmask" in form else None
    count = len(quad["components"]) if quad else int(data["vector"] or 1)
    if form.startswith(("atomic_icas", "atomic_fcas")):
        count = 2
    component = (1 << exec_size * element) - 1
    stride = -(-exec_size * element // grf_bytes) * grf_bytes
    return _Layout(addresses, sum(component << number * stride for number in range(count)))
