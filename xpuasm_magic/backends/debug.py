"""ISA lines with what the kernel's DWARF adds to the listing's own comments."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from xpuasm_magic.errors import ParseError
from xpuasm_magic.formats.debug_lines import DebugLines, parse_debug_lines
from xpuasm_magic.model import Line
from xpuasm_magic.regular import read_regular


def with_debug_lines(listing: Path, lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """By the `.elf` that IGC writes beside a listing; without one, the lines as they are.

    A listing's own comments are finer than the DWARF where instructions were reordered, so they stand. The DWARF
    says what they cannot: the source of a listing without comments, and where an inlined function was called.
    """
    try:
        debug = parse_debug_lines(read_regular(listing.with_suffix(".elf")))
    except (OSError, ParseError):  # a damaged or missing file costs these links only
        return lines
    return located(lines, debug) if debug else lines


def located(lines: tuple[Line, ...], debug: DebugLines) -> tuple[Line, ...]:
    commented = any(line.loc for line in lines)
    return tuple(_located(line, debug, commented=commented) for line in lines)


def _located(line: Line, debug: DebugLines, *, commented: bool) -> Line:
    if line.instruction is None:
        return line
    pc = line.instruction.pc
    by_address = debug.loc(pc)
    if not commented:
        return replace(line, loc=by_address, callers=debug.callers(pc) if by_address else ())
    # Where both name one line, the DWARF's call is this instruction's.
    same = line.loc and by_address and (line.loc.file, line.loc.line) == (by_address.file, by_address.line)
    return replace(line, callers=debug.callers(pc)) if same else line
