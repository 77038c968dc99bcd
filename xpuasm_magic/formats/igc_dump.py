"""The file names of an IGC shader dump -> which module, attempt, width and kernel a file belongs to."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass

# OCL_asm71b594dce90d210c_1_simd16_entry_0001.asm
# OCL_asm555d1d3929ae9241_simd32__ZTS5SaxpyIfLi4EE.visa.ll         (IGC_DumpUseShorterName=0)
# OCL_asm35eec053db8466ff_simd16_Intel_Symbol_Table_Void_Program.asm
_ENTRY_FILE = re.compile(
    r"OCL_asm(?P<hash>[0-9a-f]{16})(?:_(?P<retry>\d+))?_simd(?P<simd>\d+)_(?P<entry>.+?)"
    r"(?P<suffix>\.visa\.ll|\.[a-z]+)"
)
# OCL_asm71b594dce90d210c.spv        OCL_asm71b594dce90d210c_options.txt
_MODULE_FILE = re.compile(
    r"OCL_asm(?P<hash>[0-9a-f]{16})(?P<suffix>\.(?:spv|spvasm|progbin|zeinfo|cl)|_(?:options|internal_options|cmd)\.txt)"
)
PREFIX = "OCL_asm"

_MASK = 0xFFFFFFFF


@dataclass(frozen=True)
class DumpFile:
    """What a file name says. `entry` and `simd` are None for a file of the whole module."""

    hash: str
    """16 hex digits over the SPIR-V bytes alone: the same for every device and every option."""
    suffix: str
    """e.g. `.asm`, `.visa.ll`, `_options.txt`."""
    retry: int = 0
    """IGC compiles a kernel that spills again; the second attempt is 1."""
    simd: int | None = None
    entry: str | None = None


def parse_file_name(name: str) -> DumpFile | None:
    """None: not a file of a dump that we read (the `.ll` files of passes are such)."""
    if not name.startswith(PREFIX):
        return None
    if found := _MODULE_FILE.fullmatch(name):
        return DumpFile(found["hash"], found["suffix"])
    if found := _ENTRY_FILE.fullmatch(name):
        return DumpFile(found["hash"], found["suffix"], int(found["retry"] or 0), int(found["simd"]), found["entry"])
    return None


def spirv_hash(spirv: bytes) -> str:
    """The 16 digits by which IGC names a module's dump (its `ShaderHashOCL`: a Jenkins mix of the words).

    Slow in Python (8 ms for 12 KB): where bytes can be compared, compare bytes.
    """
    a, hi, lo = 0x428A2F98, 0x71374491, 0xB5C0FBCF
    for (word,) in struct.iter_unpack("<I", spirv[: len(spirv) // 4 * 4]):
        a ^= word
        for first, second, third in ((13, 8, 13), (12, 16, 5), (3, 10, 15)):
            a = (a - hi - lo & _MASK) ^ lo >> first
            hi = (hi - lo - a & _MASK) ^ a << second & _MASK
            lo = (lo - a - hi & _MASK) ^ hi >> third
    return f"{hi << 32 | lo:016x}"
