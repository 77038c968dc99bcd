"""SPIR-V module bytes -> what can be told of them without a disassembler."""

from __future__ import annotations

import struct

from xpuasm_magic.errors import ParseError

MAGIC = b"\x03\x02\x23\x07"
_HEADER_BYTES = 20
_OP_ENTRY_POINT = 15
_OP_FUNCTION = 54


def is_spirv(data: bytes) -> bool:
    return data[:4] == MAGIC


def entry_points(data: bytes) -> tuple[str, ...]:
    """Names of the kernels of a module, in its order.

    Raises:
        ParseError: not SPIR-V, or cut short before the first function.

    """
    if not is_spirv(data):
        raise ParseError("not a SPIR-V module: it does not begin with SPIR-V's magic number")
    names: list[str] = []
    at = _HEADER_BYTES
    # "The SPIR-V logical layout": entry points stand before every function.
    while at + 4 <= len(data):
        (word,) = struct.unpack_from("<I", data, at)
        opcode, size = word & 0xFFFF, (word >> 16) * 4
        if opcode == _OP_FUNCTION:
            return tuple(names)
        if not size or at + size > len(data):
            break
        if opcode == _OP_ENTRY_POINT:  # execution model, id, then the name, zero-terminated
            names.append(data[at + 12 : at + size].partition(b"\0")[0].decode("utf-8", "replace"))
        at += size
    raise ParseError("the SPIR-V module is cut short")
