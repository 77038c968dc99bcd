"""Zebin (the ELF that Intel's GPU driver loads) -> its kernels' code, `.ze_info`, SPIR-V and device."""

from __future__ import annotations

import io
import struct
from collections.abc import Mapping
from dataclasses import dataclass

from elftools.common.exceptions import ELFError
from elftools.construct import ConstructError
from elftools.elf.elffile import ELFFile

from xpuasm_magic.errors import ParseError

MAGIC = b"\x7fELF"
_AR_MAGIC = b"!<arch>\n"
_TEXT = ".text."
_EM_INTEL205 = "EM_INTEL205"
_SYMBOL = struct.Struct("<IBBHQQ")
_SHN_UNDEF = 0

_PRODUCT_FAMILY, _NOTE_OWNER = 1, b"IntelGT\0"
_COMPAT_NOTE = ".note.intelgt.compat"

# pyelftools raises the plain ones where offsets and counts are nonsense.
_DAMAGE = (ELFError, ConstructError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError)

# What the driver fills in when it loads a kernel: IGC's RelocationInfo.h and its SPIR-V builtins.
_DRIVER_SYMBOLS = frozenset(("__SubDeviceID", "__MaxHWThreadIDPerSubDevice"))
_DRIVER_PREFIX = "__INTEL_"


@dataclass(frozen=True)
class Zebin:
    """What a zebin holds."""

    code: Mapping[str, bytes]
    """`.text.<kernel>` by kernel name: the machine code, padded with zeros behind."""
    ze_info: str | None
    spirv: bytes | None
    """The module that it was compiled from."""
    product_family: int | None
    """From the compatibility note, e.g. 1274 for bmg; names are the back end's."""
    undefined: tuple[str, ...]
    """Functions that nothing defines: the compiler did not know them, and the kernel cannot run."""


def parse_zebin(data: bytes) -> Zebin:
    """Read a whole zebin.

    Raises:
        ParseError: not a zebin, or damaged.

    """
    if data.startswith(_AR_MAGIC):
        raise ParseError("an archive of zebins for several devices; unpack your device's with `ar x`")
    if not data.startswith(MAGIC):
        raise ParseError("not a zebin: it is no ELF file" if data else "the zebin is empty")
    try:
        sections = _sections(data)
    except _DAMAGE as error:
        raise ParseError(f"the zebin is cut short or damaged: {error or type(error).__name__}") from error
    ze_info = sections.get(".ze_info")
    code = {name.removeprefix(_TEXT): data for name, data in sections.items() if name.startswith(_TEXT)}
    return Zebin(
        code=code,
        ze_info=ze_info.decode("utf-8", "replace").rstrip("\0") if ze_info is not None else None,
        spirv=sections.get(".spv"),
        product_family=_product_family(sections.get(_COMPAT_NOTE, b"")),
        undefined=_undefined_symbols(sections.get(".symtab", b""), sections.get(".strtab", b"")),
    )


def _sections(data: bytes) -> dict[str, bytes]:
    """Raw contents by section name, cut out of the file so that no header can ask for more than there is."""
    elf = ELFFile(io.BytesIO(data))
    if elf["e_machine"] != _EM_INTEL205 or elf.elfclass != 64:
        raise ParseError("an ELF file, but not a zebin (its machine is not Intel's GPU)")
    if elf.num_sections() > len(data) // 64:
        raise ParseError("the zebin is cut short or damaged: it names more sections than it can hold")
    sections = {}
    for section in elf.iter_sections():
        start, size = section["sh_offset"], section["sh_size"]
        if start + size > len(data):
            raise ParseError(f"the zebin is cut short: {section.name} ends behind the end of the file")
        sections[section.name] = data[start : start + size]
    return sections


def _product_family(notes: bytes) -> int | None:
    at = 0
    while at + 12 <= len(notes):
        name_size, value_size, kind = struct.unpack_from("<III", notes, at)
        name_at = at + 12
        value_at = name_at + (name_size + 3) // 4 * 4
        is_ours = notes[name_at : name_at + name_size] == _NOTE_OWNER
        if is_ours and kind == _PRODUCT_FAMILY and len(notes) >= value_at + 4 <= value_at + value_size:
            return int.from_bytes(notes[value_at : value_at + 4], "little")
        at = value_at + (value_size + 3) // 4 * 4
    return None


def _undefined_symbols(symbols: bytes, names: bytes) -> tuple[str, ...]:
    undefined = []
    for name_at, _info, _other, section, _value, _size in _SYMBOL.iter_unpack(
        symbols[: len(symbols) // _SYMBOL.size * _SYMBOL.size]
    ):
        if section != _SHN_UNDEF:
            continue
        name = names[name_at:].partition(b"\0")[0].decode("utf-8", "replace")
        if name and name not in _DRIVER_SYMBOLS and not name.startswith(_DRIVER_PREFIX):
            undefined.append(name)
    return tuple(undefined)
