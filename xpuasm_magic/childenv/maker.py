"""Makes the child environment: a Python of its own with torch and triton-xpu, in the user's data folder."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from xpuasm_magic import home
from xpuasm_magic.childenv.pip import Coming, Pip
from xpuasm_magic.childenv.pythons import VERSIONS, base_python, runs_as
from xpuasm_magic.childenv.search import MARKER, ChildPython, examine, required
from xpuasm_magic.errors import SetupError
from xpuasm_magic.toolchain.staging import Progress, check_room, explained, locked, megabytes, silent

TORCH = "torch==2.13.0"
TRITON = "triton-xpu==3.3.0b1"
BESIDE = ("numpy", "setuptools")

_UNPACKED = 4
"""Wheels take about this many times their size on disk, pip's own copy included."""


def make(
    progress: Progress = silent,
    python: str | None = None,
    yes: bool | Callable[[str], bool] = True,
) -> ChildPython:
    """Makes the child environment, or completes it, or finds it done.

    Args:
        progress: told each step, sizes before they are downloaded.
        python: the CPython (3.10 to 3.12) to make it from; None takes the best that is here, or brings one.
        yes: go on after the sizes were told; a function is asked, with the sizes as its question.

    Raises:
        SetupError: it could not be made; what is there is completed by the next call.
        UsageError: `python` is no interpreter that triton-xpu has wheels for.
    """
    if sys.platform != "linux" or platform.machine() not in {"x86_64", "AMD64"}:
        raise SetupError(
            f"triton-xpu exists for Linux on x86-64 only, and this is {sys.platform}, {platform.machine()}; "
            "make the capture elsewhere and open it here: a capture folder is portable"
        )
    child = home.child_home()
    with locked(child.parent / ".child.lock", progress), explained(child):
        if (child / MARKER).is_file() and (python is None or _made_from(child, python)):
            return required(str(child), "child environment")
        if _begun(child, python):
            progress(f"completing the environment in {child}")
        else:
            _make(child, base_python(python, progress), progress)
        _fill(child, progress, yes)
        facts = _verified(child / "bin" / "python")
        (child / MARKER).write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    return required(str(child), "child environment")


def remove() -> Path | None:
    """Deletes the child environment; returns where it was, None where there was none."""
    child = home.child_home()
    if not child.exists():
        return None
    with locked(child.parent / ".child.lock", silent), explained(child):
        (child / MARKER).unlink(missing_ok=True)
        shutil.rmtree(child)
    return child


def _made_from(child: Path, python: str) -> bool:
    return runs_as(child / "bin" / "python") == runs_as(Path(shutil.which(python) or python))


def _begun(child: Path, python: str | None) -> bool:
    """Whether an unfinished environment can be completed; it needs no base to be found or brought."""
    return runs_as(child / "bin" / "python") in VERSIONS and (python is None or _made_from(child, python))


def _make(child: Path, base: Path, progress: Progress) -> None:
    version = runs_as(base)
    progress(f"making an environment with Python {version} ({base}) in {child}")
    for options in ((), ("--without-pip",)):  # Debian's python3 lacks ensurepip where python3-venv is missing
        command = [str(base), "-m", "venv", "--clear", *options, str(child)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return
    words = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
    shutil.rmtree(child, ignore_errors=True)
    raise SetupError(f"{base} cannot make a virtual environment ({words}); install python3-venv, or name another one")


def _fill(child: Path, progress: Progress, yes: bool | Callable[[str], bool]) -> None:
    python = child / "bin" / "python"
    pip = Pip(python)
    progress("asking the package index what is needed …")
    with tempfile.TemporaryDirectory(prefix="xpuasm-") as folder:
        coming = pip.plan([TORCH, *BESIDE, TRITON], Path(folder, "report.json"))
    text = sizes(coming, child)
    progress(text)
    if yes is False or (callable(yes) and not yes(text)):
        raise SetupError("nothing was downloaded; run `xpuasm setup` again to go on")
    check_room(child, _UNPACKED * sum(one.size_bytes or 0 for one in coming))
    pip.install([TORCH, *BESIDE], progress)
    if examine(python)["upstream_triton"]:  # torch's CUDA build brings it, into the folder that triton-xpu needs
        progress("removing the CUDA build's triton: triton-xpu has the same folder")
        pip.uninstall("triton", "triton-xpu")
    pip.install([TRITON], progress)


def sizes(coming: Sequence[Coming], target: Path) -> str:
    """What will be downloaded, in words."""
    if not coming:
        return f"all packages are in {target} already"
    total = sum(one.size_bytes or 0 for one in coming)
    unknown = sum(one.size_bytes is None for one in coming)
    main = [f"{one.name} {one.version}" for one in coming if one.name in {"torch", "triton-xpu"}]
    text = (
        f"{', '.join(main) or coming[0].name} and {len(coming) - len(main)} packages beside: "
        f"{megabytes(total)} to download{f' and {unknown} of unknown size' if unknown else ''}, "
        f"about {megabytes(_UNPACKED * total)} on disk in {target}"
    )
    foreign = [one for one in coming if one.name.startswith("nvidia-") or one.name == "triton"]
    if foreign:
        more = megabytes(sum(one.size_bytes or 0 for one in foreign))
        text += (
            f"\nthis is torch's CUDA build: {len(foreign)} packages of it ({more}) are of no use here. A CPU "
            "build is much smaller: stop, set PIP_EXTRA_INDEX_URL (or XPUASM_PIP_ARGS) to PyTorch's CPU "
            "wheel index, and run `xpuasm setup` again"
        )
    return text


def _verified(python: Path) -> dict[str, str]:
    """The finished environment's versions. Raises SetupError where it does not do what it was made for."""
    facts = examine(python)
    if facts["upstream_triton"]:
        raise SetupError("another triton shadows triton-xpu; run `xpuasm setup --remove`, then `xpuasm setup`")
    done = subprocess.run(
        [str(python), "-c", "import torch, triton.backends.intel"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        words = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise SetupError(
            f"torch and triton-xpu were installed but do not import ({words}); run `xpuasm setup --remove`, "
            "then `xpuasm setup`"
        )
    return {name: str(facts[name]) for name in ("version", "torch", "triton", "triton_xpu")}
