"""`xpuasm setup`: everything a capture needs, in the user's own folders; what is there is left as it is."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from xpuasm_magic import childenv, home, toolchain
from xpuasm_magic.errors import SetupError

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
    native = home.data_home() / "native"
    done = subprocess.run(
        [str(child.path), str(CHILD), "--build-native", str(native)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SetupError(done.stderr.strip() or done.stdout.strip())
    if done.stdout.strip():
        progress(done.stdout.strip())


def remove(*, progress: Say) -> None:
    """Remove the child environment, the toolchains and the native part; captures stay."""
    import shutil

    for folder in (home.child_home(), home.toolchains_home(), home.data_home() / "native"):
        if folder.is_dir():
            progress(f"removing {folder}")
            shutil.rmtree(folder)


def _child(python: str | None, progress: Say) -> childenv.ChildPython:
    if python is None:
        try:
            return childenv.find_child(None)
        except SetupError:
            pass  # that is what setup is for
    return childenv.setup(progress=progress, python=python)


def _current(one: toolchain.Toolchain) -> bool:
    """IGC 2.x: older generations lack the builtins that Triton's code calls."""
    return not one.igc.startswith("1.")
