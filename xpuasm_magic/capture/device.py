"""Which device a run compiles for: a real XPU where there is one, else a card of the table through the stand-in."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xpuasm_magic.childenv import ChildPython
from xpuasm_magic.errors import UsageError, XpuasmError
from xpuasm_magic.offline.devices import find_device

DEFAULT = "pvc"
INTEL = "0x8086"


@dataclass(frozen=True)
class Target:
    """What `--device` came to: a card of a family; `ocloc` is the name that ocloc knows it by."""

    requested: str
    name: str
    card: str
    ocloc: str
    real: bool
    title: str
    source: str

    def describe(self) -> dict[str, Any]:
        """For `capture.json`."""
        return dict(vars(self))


def choose(requested: str, python: ChildPython, drm: Path = Path("/sys/class/drm")) -> Target:
    """The target for `--device requested`.

    Raises:
        UsageError: the name is neither a device nor a card; the message lists the known ones, nearest first.
        XpuasmError: a real XPU was asked for (`xpu`, `xpu:1`) and there is none.
    """
    wanted = requested.strip().lower()
    if wanted == "auto" or re.fullmatch(r"xpu(:\d+)?", wanted):
        if _real_xpu(python, drm):
            index = wanted.partition(":")[2] or "0"
            title = f"XPU {index} of this machine"
            return Target(requested, f"xpu:{index}", "", "", real=True, title=title, source="this machine")
        if wanted != "auto":
            raise XpuasmError(
                f"--device {requested}: no Intel GPU that this PyTorch can use is here; "
                "name a device to compile for without one, such as --device pvc"
            )
        wanted = DEFAULT
    try:
        row = find_device(wanted)
    except ValueError as error:
        raise UsageError(f"--device {requested}: {error}") from error
    return Target(requested, row.family, row.card, row.ocloc, real=False, title=row.title, source=row.source)


def _real_xpu(python: ChildPython, drm: Path) -> bool:
    """Asked of PyTorch itself, but only where its build and the machine make a yes possible."""
    if not python.has_real_xpu_build or not _intel_gpu(drm):
        return False
    asked = subprocess.run(
        [str(python.path), "-c", "import torch; raise SystemExit(0 if torch.xpu.is_available() else 1)"],
        capture_output=True,
        env=dict(os.environ),
        timeout=120,
        check=False,
    )
    return asked.returncode == 0


def _intel_gpu(drm: Path) -> bool:
    for vendor in drm.glob("renderD*/device/vendor"):
        try:
            if vendor.read_text().strip() == INTEL:
                return True
        except OSError:
            continue
    return False
