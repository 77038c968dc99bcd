"""Where recompiled kernels come from: the capture's record, and a kernel's SPIR-V module."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xpuasm_magic.capture.folder import read_json
from xpuasm_magic.errors import ParseError
from xpuasm_magic.formats.spirv import is_spirv
from xpuasm_magic.formats.zebin import parse_zebin
from xpuasm_magic.model import Capture, Kernel
from xpuasm_magic.regular import read_regular

_STAGES = ("ttir", "ttgir", "llir")


@dataclass(frozen=True)
class Origin:
    """The captured kernels that are to be recompiled, and what their capture recorded."""

    folder: Path
    record: dict[str, Any]
    """`capture.json`; empty for a dump of somebody else's."""
    kernels: tuple[Kernel, ...]


def of_capture(capture: Capture) -> Origin:
    return Origin(capture.folder, dict(capture.info.raw), capture.kernels)


def of_kernel(kernel: Kernel) -> Origin:
    """A kernel alone: its capture is the folder above its files that has a `capture.json`."""
    files = [stage.path for stage in kernel.stages.values()] + list(kernel.binaries.values())
    for folder in files[0].parents if files else ():
        if (folder / "capture.json").is_file():
            return Origin(folder, read_json(folder / "capture.json"), (kernel,))
    return Origin(files[0].parent if files else Path(), {}, (kernel,))


@dataclass(frozen=True)
class Module:
    """What Triton made of a cell, or had made when it was captured."""

    spirv: bytes | None
    metadata: Mapping[str, Any]
    numbers: Mapping[str, Any]
    """`num_warps`, `num_stages`, `threads_per_warp`, and `shared` (bytes of shared local memory); None: not known."""
    files: tuple[Path, ...]
    """Its stages before SPIR-V."""


def captured_module(kernel: Kernel) -> Module:
    """A kernel's module as it was captured."""
    files = tuple(kernel.path(stage) for stage in _STAGES if stage in kernel.stages)
    return Module(_spirv(kernel), kernel.variant.metadata, _numbers(vars(kernel.variant)), files)


def unmade_module(kernel: Kernel, options: Mapping[str, Any]) -> Module:
    """What there is where Triton made nothing of these options."""
    files = (kernel.path("ttir"),) if "ttir" in kernel.stages else ()
    known = {**vars(kernel.variant), "shared": None, **options}
    return Module(None, {**kernel.variant.metadata, **options}, _numbers(known), files)


def made_module(kernel: Kernel, folder: Path) -> Module:
    """What Triton has just made of a kernel's TTIR. Raises OSError where it is not there."""
    # Triton calls the files of a module that it was given as IR `@<name>.spv`, and writes no TTIR
    by_suffix = {path.suffix: path for path in sorted(folder.iterdir()) if path.stem.startswith("@")}
    if ".spv" not in by_suffix:
        raise FileNotFoundError(f"Triton left no .spv in {folder}")
    later = tuple(by_suffix[f".{stage}"] for stage in _STAGES[1:] if f".{stage}" in by_suffix)
    metadata = read_json(by_suffix[".json"]) if ".json" in by_suffix else {}
    return Module(by_suffix[".spv"].read_bytes(), metadata, _numbers(metadata), (kernel.path("ttir"), *later))


def _numbers(stated: Mapping[str, Any]) -> dict[str, Any]:
    return {name: stated.get(name) for name in ("num_warps", "num_stages", "threads_per_warp", "shared")}


def _spirv(kernel: Kernel) -> bytes | None:
    """Triton's file, the one inside the binary, or the one that IGC dumped."""
    dumped = [stage.path for name, stage in kernel.stages.items() if name == "spirv"]
    for path in (*(kernel.binaries[name] for name in ("spv", "zebin") if name in kernel.binaries), *dumped):
        try:
            data = read_regular(path)
            module = data if is_spirv(data) else parse_zebin(data).spirv
        except (OSError, ParseError):
            continue
        if module is not None:
            return module
    return None


def place(source: Path, target: Path) -> None:
    """The file at another place: the same one where the disk allows, so that a matrix costs no room."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target, follow_symlinks=False)
    except FileExistsError:
        return
    except OSError:  # another disk, or not ours to link
        shutil.copyfile(source, target)
