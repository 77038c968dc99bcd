"""Zebin (the ELF that Intel's GPU driver loads) -> its kernels' code, `.ze_info`, SPIR-V and device."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass

from xpuasm_magic.errors import ParseError

MAGIC = b"\x7fELF"
_AR_MAGIC = b"!<arch>\n"
_TEXT = ".text."
_CLASS64_LITTLE = b"\x02\x01"
_EM_INTELGT = 205

# The section table alone is read, by its layout: pyelftools takes 0.7 ms for each of a capture's hundreds of files.
# e_machine, e_shoff, e_shentsize, e_shnum, e_shstrndx
_HEADER = struct.Struct("<18xH20xQ10xHHH")
# sh_name, sh_type, sh_offset, sh_size
_SECTION = struct.Struct("<II16xQQ24x")
_SYMBOL = struct.Struct("<IBBHQQ")
_SHN_UNDEF = 0

_PRODUCT_FAMILY, _NOTE_OWNER = 1, b"IntelGT\0"
_COMPAT_NOTE = ".note.intelgt.compat"

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
    sections = _sections(data)
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
    """Contents by section name. Every offset and size is checked against the file before it is used."""
    if len(data) < _HEADER.size:
        raise ParseError("the zebin is cut short: it ends within its header")
    header = _HEADER.unpack_from(data)
    machine, table, entry_size, count, names_index = header[0], header[1], header[2], header[3], header[4]
    if data[4:6] != _CLASS64_LITTLE or machine != _EM_INTELGT:
        raise ParseError("an ELF file, but not a zebin: its machine is not Intel's GPU")
    if entry_size != _SECTION.size or table + count * entry_size > len(data) or names_index >= count:
        raise ParseError("the zebin is cut short: its section table lies behind the end of the file")
    headers = list(_SECTION.iter_unpack(data[table : table + count * entry_size]))
    contents = []
    for _name_at, _kind, offset, size in headers:
        if offset + size > len(data):
            raise ParseError("the zebin is cut short: a section ends behind the end of the file")
        contents.append(data[offset : offset + size])
    names = contents[names_index]
    return {_name(names, at): content for (at, *_), content in zip(headers, contents, strict=True)}


def _name(names: bytes, at: int) -> str:
    end = names.find(b"\0", at)
    return names[at : end if end >= 0 else len(names)].decode("utf-8", "replace")


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
        name = _name(names, name_at)
        if name and name not in _DRIVER_SYMBOLS and not name.startswith(_DRIVER_PREFIX):
            undefined.append(name)
    return tuple(undefined)
