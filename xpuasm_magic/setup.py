"""`xpuasm setup`: everything a capture needs, in the user's own folders; what is there is left as it is."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from xpuasm_magic import childenv, cxx, home, toolchain
from xpuasm_magic.errors import SetupError
from xpuasm_magic.offline import native

Say = Callable[[str], None]
CHILD = Path(__file__).parent / "capture" / "child.py"


def run(*, python: str | None = None, progress: Say) -> None:
    """Make the child environment, the toolchain and the stand-in's native part, each if it is missing.

    Raises:
        SetupError: one of them could not be made; what was made before stays and is found by the next run.
    """
    child = _child(python, progress)
    if not [one for one in toolchain.installed() if _current(one)]:
        made = toolchain.install(progress=progress)
        progress(f"toolchain {made.name}: IGC {made.igc}, ocloc {made.version}")
    if not _native_is_ready(child):
        _build_native(child, progress)
    progress(f"set up: torch {child.torch}, triton-xpu {child.triton_xpu or child.triton}, in {home.data_home()}")


def remove(*, progress: Say) -> None:
    """Remove what `run` made; captures stay."""
    brought = home.data_home() / "pythons"
    for folder in (home.child_home(), brought, home.toolchains_home(), cxx.home_folder(), _native_home()):
        if folder.is_dir():
            progress(f"removing {folder}")
            shutil.rmtree(folder)


def _child(python: str | None, progress: Say) -> childenv.ChildPython:
    if python is None:
        try:
            return childenv.find_child(None)
        except SetupError:  # that is what setup is for, unless the user named a Python of theirs
            if os.environ.get("XPUASM_PYTHON"):
                raise
    return childenv.setup(progress=progress, python=python)


def _current(one: toolchain.Toolchain) -> bool:
    """IGC 2.x: older generations lack the builtins that Triton's code calls."""
    return not one.igc.startswith("1.")


def _native_home() -> Path:
    return home.data_home() / "native"


def _native_is_ready(child: childenv.ChildPython) -> bool:
    """Told from the files' names, so that a second set-up need not import torch."""
    digest = hashlib.sha256(native.SOURCE.read_bytes()).hexdigest()[:12]
    name = f"standin-torch{child.torch}-*-{digest}"
    checked = f"tiers-{name}-triton{child.triton_xpu or child.triton}-*.json"
    return all(any(_native_home().glob(pattern)) for pattern in (f"{name}.so", checked))


def _build_native(child: childenv.ChildPython, progress: Say) -> None:
    if not cxx.find():
        cxx.install(progress)
    progress("building the stand-in device's native part and checking it (once per torch version, about 1 min) …")
    command = [str(child.path), str(CHILD), "--build-native", str(_native_home())]
    environment = {**os.environ, **cxx.environment()}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode and done.stderr.strip():
        raise SetupError(done.stderr.strip())
    if done.returncode:  # a part of the stand-in is off with this torch and triton; the rest serves
        progress(done.stdout.strip())
