"""An operand of Intel GPU ISA -> the bytes of the register file that it touches.

Regions follow Intel's PRM (Xe ISA, "Execution Environment: Register Region Addressing"); the syntax is that of IGA,
Intel's assembler.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

GRF_BYTES = 64
"""Bytes of a general register on PVC, and from Xe2 on."""
SMALL_GRF_BYTES = 32
SMALL_GRF_PLATFORMS = ("DG2", "MTL", "ARL")
"""As `//.platform` spells them: Xe-HPG and its kin, with registers of 32 bytes (Level Zero and listings agree)."""

BITS = {
    **dict.fromkeys(("s2", "u2"), 2),
    **dict.fromkeys(("s4", "u4", "e2m1"), 4),
    **dict.fromkeys(("b", "ub", "bf8", "hf8"), 8),
    **dict.fromkeys(("w", "uw", "hf", "bf"), 16),
    **dict.fromkeys(("d", "ud", "f", "tf32", "v", "uv", "vf"), 32),
    **dict.fromkeys(("q", "uq", "df"), 64),
}
"""Bits of a data type; of `v`, `uv` and `vf`, immediates of several small values, all of those."""

# r5.0<2;1,0>:f    -r5.0<1;0>:d    acc0.0<1>:f    r12:4    r40.0:hf    a0.2    null<1>:ud    (abs)r3.0<0>:f
_REGISTER = re.compile(
    r"[-~]?(?:\((?:abs|sat)\))?(?P<file>[a-z]+)(?P<number>\d{0,3})(?:\.(?P<sub>\d{1,3}))?"
    r"(?:<(?P<region>[\d;,]*)>)?(?::(?:(?P<count>\d{1,3})|(?P<type>[a-z]\w*)))?"
)
# r[a0.0]<1,0>:d     r[a0.4,16]<0;1,0>:ud    r[s0.0]
_INDIRECT = re.compile(
    r"[-~]?(?:\((?:abs|sat)\))?r\[(?P<pointer>[as]0\.\d+)[^]]*\](?:<[\d;,]*>)?(?::(?P<type>[a-z]\w*))?"
)
# 0x3F800000:f     -15:w      0x0      0x76543210:v
_IMMEDIATE = re.compile(r"[-~]?(?:0x[0-9A-Fa-f]+|\d[\d.e+-]*)(?::(?P<type>[a-z]\w*))?")

# 1     1;0     8;8,1
_REGION = re.compile(r"(\d{1,2})(?:;(\d{1,2})(?:,(\d{1,2}))?)?")
_MOST_CHANNELS = 32

_KINDS = {"r": "grf", "acc": "acc", "f": "flag", "a": "address", "s": "scalar", "null": "null"}
_OTHERS = frozenset(("sr", "cr", "ce", "ip", "tm", "tdr", "dbg", "mme", "msg", "n", "sp", "fc"))
_SCALARS = frozenset(("0", "0;0", "0;1,0"))


class Operand(NamedTuple):
    """An operand. `mask` is exact: its bit i says whether byte `first + i` of the general registers is touched."""

    text: str
    kind: str
    """`grf`, `acc`, `flag`, `address` (a0), `scalar` (s0), `null`, `immediate`, `other` (cr0, sr0 …), `label`."""
    type: str | None = None
    first: int | None = None
    """Byte offset from r0.0; None where it is no general register, or one that is known only as it runs."""
    mask: int = 0
    """0 with `kind` `grf`: which bytes is not known from the text."""
    payload: int | None = None
    """Registers of a message's payload."""
    uniform: bool = False
    """One element, which all channels share."""
    pointer: str | None = None
    """The address or scalar register that names the general registers, e.g. `a0.0`."""

    @property
    def size(self) -> int:
        """Bytes from the first that is touched to the last."""
        return self.mask.bit_length()

    def registers(self, grf_bytes: int = GRF_BYTES) -> range:
        """The general registers that it touches."""
        if self.first is None or not self.mask:
            return range(0)
        return range(self.first // grf_bytes, (self.first + self.size - 1) // grf_bytes + 1)


def grf_bytes_of(platform: str | None) -> int:
    """Bytes of a general register of the platform that `//.platform` names."""
    return SMALL_GRF_BYTES if platform in SMALL_GRF_PLATFORMS else GRF_BYTES


@lru_cache(maxsize=1 << 15)
def parse_operand(token: str, exec_size: int = 1, grf_bytes: int = GRF_BYTES) -> Operand:
    """An operand with a region. What is not a register or a number is a `label`."""
    if found := _INDIRECT.fullmatch(token):
        return Operand(token, "grf", found["type"], pointer=found["pointer"])
    found = _REGISTER.fullmatch(token)
    if found is None:
        value = _IMMEDIATE.fullmatch(token)
        return Operand(token, "immediate", value["type"]) if value else Operand(token, "label")
    file, number, kind = found["file"], found["number"], found["type"]
    if file != "r" or not number:
        name = _KINDS.get(file) or ("other" if file in _OTHERS and number else "label")
        return Operand(token, name, kind)
    bits = BITS.get(kind or "ud")
    if bits is None or bits < 8:
        return Operand(token, "grf", kind)
    size = bits // 8
    first = int(number) * grf_bytes + int(found["sub"] or 0) * size
    region = found["region"] or "0;1,0"
    mask = region_mask(region, exec_size, size)
    return Operand(token, "grf", kind, first, mask, uniform=region in _SCALARS or exec_size == 1)


def parse_block(token: str, size: int | None, grf_bytes: int = GRF_BYTES, *, payload: int | None = None) -> Operand:
    """An operand that is `size` bytes in a row, as those of messages and of `dpas` are. `payload`: its registers."""
    found = _REGISTER.fullmatch(token)
    if found is None or found["file"] != "r" or not found["number"]:
        return parse_operand(token, 1, grf_bytes)._replace(payload=payload)
    kind = found["type"]
    if size is None:
        return Operand(token, "grf", kind, payload=payload)
    first = int(found["number"]) * grf_bytes + int(found["sub"] or 0) * BITS.get(kind or "ud", 32) // 8
    return Operand(token, "grf", kind, first, (1 << size) - 1, payload)


@lru_cache(maxsize=1 << 12)
def region_mask(region: str, exec_size: int, size: int) -> int:
    """The bytes that a region of elements of `size` bytes touches, from its origin; 0: it is no region.

    `1`: horizontal stride. `1;0`: vertical and horizontal stride of an operation with three sources, whose width is
    their quotient. `8;8,1`: vertical stride, width, horizontal stride.
    """
    found = _REGION.fullmatch(region)
    if found is None or exec_size > _MOST_CHANNELS:
        return 0
    numbers = [int(number) for number in found.groups() if number]
    if len(numbers) == 1:
        vertical, width, horizontal = 0, exec_size, numbers[0]
    elif len(numbers) == 2:
        vertical, horizontal = numbers
        width = vertical // horizontal or exec_size if horizontal else 1
    else:
        vertical, width, horizontal = numbers
    element = (1 << size) - 1
    mask = 0
    for channel in range(exec_size):
        row, column = divmod(channel, max(width, 1))
        mask |= element << size * (row * vertical + column * horizontal)
    return mask
