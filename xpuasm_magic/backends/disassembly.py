"""A zebin of which no listing is left -> its machine code as text, by `ocloc disasm`."""

from __future__ import annotations

import subprocess
import tempfile
from functools import partial
from pathlib import Path

from xpuasm_magic.backends.debug import located
from xpuasm_magic.errors import ParseError, SetupError
from xpuasm_magic.formats.debug_lines import parse_debug_lines
from xpuasm_magic.formats.gen_isa import parse_listing
from xpuasm_magic.formats.zebin import parse_zebin
from xpuasm_magic.model import Line, Listing, StageFile

TIMEOUT_S = 60.0


def disassembled(zebin: Path, kernel: str) -> StageFile:
    """The ISA stage of a kernel whose listing is lost. vISA numbers are lost with it; the DWARF has source lines."""
    return StageFile("isa", zebin, partial(_disassemble, kernel))


def _disassemble(kernel: str, zebin: Path) -> Listing:
    from xpuasm_magic import toolchain  # needed only here: reading a capture runs no compiler

    if not zebin.is_file():
        raise FileNotFoundError(zebin)
    try:
        ocloc = toolchain.find()
    except SetupError as error:
        raise ParseError(f"{zebin.name} has no listing, and disassembling it needs ocloc: {error}") from error
    with tempfile.TemporaryDirectory(prefix="xpuasm-") as folder:
        command = [*ocloc.command, "disasm", "-file", str(zebin.absolute()), "-dump", folder]
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=TIMEOUT_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise ParseError(f"{zebin.name} could not be disassembled: {error}") from error
        # ocloc names its output after the section: a hidden file
        path = Path(folder, f".text.{kernel}.asm")
        if "/" in kernel or not path.is_file():
            words = " ".join((done.stdout + done.stderr).split())[-300:]
            raise ParseError(f"{ocloc.name} did not disassemble {zebin.name}: {words or 'no word of why'}")
        lines = parse_listing(path.read_text(encoding="utf-8", errors="replace"))
    return Listing("isa", _with_source(lines, zebin.read_bytes()))


def _with_source(lines: tuple[Line, ...], zebin: bytes) -> tuple[Line, ...]:
    """Addresses in the DWARF of several kernels stand for one another's: then no line is known."""
    try:
        debug = parse_debug_lines(zebin) if len(parse_zebin(zebin).code) == 1 else None
    except ParseError:
        return lines
    return located(lines, debug) if debug else lines
