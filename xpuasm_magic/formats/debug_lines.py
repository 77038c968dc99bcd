"""DWARF of a compiled kernel -> the source line of an address, and the lines that it was inlined at."""

from __future__ import annotations

import io
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from elftools.common.exceptions import DWARFError, ELFError
from elftools.construct import ConstructError
from elftools.elf.elffile import ELFFile

from xpuasm_magic.errors import ParseError
from xpuasm_magic.model import SourceLoc

# pyelftools raises the plain ones where offsets and counts are nonsense.
_DAMAGE = (ELFError, DWARFError, ConstructError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError)


@dataclass(frozen=True)
class DebugLines:
    """The line table of one kernel, and where other functions were inlined into it."""

    addresses: tuple[int, ...]
    locs: tuple[SourceLoc | None, ...]
    """From each address on; None: no source line (the prolog)."""
    inlined: tuple[tuple[int, int, int, SourceLoc], ...]
    """From, to (exclusive), depth, and the line of the call."""

    def loc(self, pc: int) -> SourceLoc | None:
        at = bisect_right(self.addresses, pc) - 1
        return self.locs[at] if at >= 0 else None

    def callers(self, pc: int) -> tuple[SourceLoc, ...]:
        """The lines of the calls that this address was inlined by, innermost first."""
        around = [(depth, call) for low, high, depth, call in self.inlined if low <= pc < high]
        if len({depth for depth, _ in around}) < len(around):
            return ()  # the compiler mixed two calls' instructions, and does not tell them apart
        return tuple(call for _, call in sorted(around, key=lambda item: -item[0]))


def parse_debug_lines(data: bytes) -> DebugLines | None:
    """The per-kernel `.elf` of a dump, or a zebin of one kernel. None: no debug information in it.

    Raises:
        ParseError: damaged.

    """
    try:
        elf = ELFFile(io.BytesIO(data))
        if not elf.has_dwarf_info():
            return None
        # A zebin's relocation types are its own and not pyelftools'. With one kernel the line table is right without
        # them; of the inlined calls those that are a single range then have no address, and are not known.
        info = elf.get_dwarf_info(relocate_dwarf_sections=elf["e_machine"] == "EM_X86_64")
        rows: list[tuple[int, SourceLoc | None]] = []
        inlined: list[tuple[int, int, int, SourceLoc]] = []
        for unit in info.iter_CUs():
            files = _files(info, unit)
            rows += _rows(info, unit, files)
            inlined += _inlined(info, unit.get_top_DIE(), files, 0)
    except _DAMAGE as error:
        raise ParseError(f"damaged debug information: {error}") from error
    rows.sort(key=lambda row: row[0])
    return DebugLines(tuple(row[0] for row in rows), tuple(row[1] for row in rows), tuple(inlined))


def _files(info: Any, unit: Any) -> list[str]:
    """Names of the unit's files; they count from 1."""
    program = info.line_program_for_CU(unit)
    if program is None:
        return []
    compiled_in = unit.get_top_DIE().attributes.get("DW_AT_comp_dir")
    folders = [compiled_in.value.decode("utf-8", "replace") if compiled_in else ""]
    folders += [folder.decode("utf-8", "replace") for folder in program.header["include_directory"]]
    names = []
    for entry in program.header["file_entry"]:
        name = entry.name.decode("utf-8", "replace")
        folder = folders[entry.dir_index] if entry.dir_index < len(folders) else ""
        names.append(name if name.startswith("/") or not folder else f"{folder.rstrip('/')}/{name}")
    return names


def _rows(info: Any, unit: Any, files: list[str]) -> Iterator[tuple[int, SourceLoc | None]]:
    program = info.line_program_for_CU(unit)
    for entry in program.get_entries() if program else ():
        state = entry.state
        if state is None:
            continue
        if state.end_sequence or not state.line or not state.column:
            # Column 0 is the function's own line, which IGC gives to the prolog.
            yield state.address, None
        elif 0 < state.file <= len(files):
            yield state.address, SourceLoc(files[state.file - 1], state.line, state.column)


def _inlined(info: Any, die: Any, files: list[str], depth: int) -> Iterator[tuple[int, int, int, SourceLoc]]:
    for child in die.iter_children():
        if child.tag == "DW_TAG_inlined_subroutine":
            call = child.attributes
            file = call["DW_AT_call_file"].value if "DW_AT_call_file" in call else 0
            line = call["DW_AT_call_line"].value if "DW_AT_call_line" in call else 0
            if line and 0 < file <= len(files):
                call_site = SourceLoc(files[file - 1], line)
                yield from ((low, high, depth, call_site) for low, high in _ranges(info, child) if low < high)
        yield from _inlined(info, child, files, depth + 1)


def _ranges(info: Any, die: Any) -> list[tuple[int, int]]:
    """Addresses from `low_pc`, or the list that `ranges` refers to (the kernel begins at 0, so they are absolute)."""
    attributes = die.attributes
    if "DW_AT_ranges" in attributes:
        lists = info.range_lists()
        found = lists.get_range_list_at_offset(attributes["DW_AT_ranges"].value) if lists else []
        return [(entry.begin_offset, entry.end_offset) for entry in found if hasattr(entry, "begin_offset")]
    if "DW_AT_low_pc" not in attributes or "DW_AT_high_pc" not in attributes:
        return []
    low, high = attributes["DW_AT_low_pc"].value, attributes["DW_AT_high_pc"]
    return [(low, high.value if high.form == "DW_FORM_addr" else low + high.value)]
