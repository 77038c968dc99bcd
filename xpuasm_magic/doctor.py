"""What a capture needs, whether it is here, and what to do where it is not: one screen."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from xpuasm_magic import childenv, cxx, home, toolchain
from xpuasm_magic.backends import spirv_tools
from xpuasm_magic.errors import XpuasmError
from xpuasm_magic.pairing import pairing_sentence
from xpuasm_magic.toolchain.probe import check_compiles
from xpuasm_magic.toolchain.staging import megabytes

_LITTLE_BYTES = 1_000_000_000
_TOO_LITTLE_BYTES = 50_000_000


@dataclass(frozen=True)
class Check:
    """One thing that a capture needs, or that is good to know."""

    name: str
    ok: bool | None
    """False: a capture cannot run. None: it can, with a limit that `what` tells."""
    what: str
    fix: str | None = None


def report() -> list[Check]:
    """Looks at everything; takes a second or two, since it tries the compiler and the imports."""
    child = _child()
    gpu = _gpu(child)
    real = gpu.ok is True
    checks = [_xpuasm(), _child_check(child), gpu, *_toolchains(needed=not real), *_disks(), _spirv_dis(), _widgets()]
    if not real:
        checks[3:3] = [_fidelity(child), _cpp()]
    return checks


def text(checks: Sequence[Check]) -> str:
    """The checks as lines, with what to do below those that need it."""
    marks = {True: "ok", False: "NO", None: "--"}
    width = max(len(check.name) for check in checks)
    lines = []
    for check in checks:
        lines.append(f"{marks[check.ok]}  {check.name:<{width}}  {check.what}")
        if check.fix:
            lines.append(f"    {'':<{width}}  -> {check.fix}")
    failed = [check.name for check in checks if check.ok is False]
    verdict = f"a capture cannot run yet: {', '.join(failed)}" if failed else "a capture can run here"
    return "\n".join([*lines, verdict])


def _xpuasm() -> Check:
    try:
        version = metadata.version("xpuasm_magic")
    except metadata.PackageNotFoundError:
        version = "from a checkout"
    machine = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    return Check("xpuasm_magic", True, f"{version}, {machine}; files in {home.data_home()}")


def _child() -> childenv.ChildPython | XpuasmError:
    try:
        return childenv.find_child()
    except XpuasmError as error:
        return error


def _child_check(child: childenv.ChildPython | XpuasmError) -> Check:
    name = "child Python"
    if isinstance(child, XpuasmError):
        return Check(name, False, str(child), "xpuasm setup")
    triton = f"triton-xpu {child.triton_xpu}" if child.triton_xpu else f"triton {child.triton} (from source)"
    what = f"{child.version}, torch {child.torch}, {triton}; {child.path} ({child.origin})"
    command = [str(child.path), "-c", "import torch, triton.backends.intel"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        words = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return Check(name, False, f"{what}: does not import ({words})", "xpuasm setup --remove, then xpuasm setup")
    return Check(name, True, what)


def _gpu(child: childenv.ChildPython | XpuasmError) -> Check:
    name = "Intel GPU"
    if isinstance(child, XpuasmError):
        return Check(name, None, "not looked for: that takes the child Python")
    from xpuasm_magic.capture.device import choose

    target = choose("auto", child)
    if target.real:
        return Check(name, True, f"{target.title} (torch {child.torch})")
    return Check(
        name,
        None,
        f"none that torch {child.torch} can use: kernels are compiled for {target.title} and not executed, "
        "values come from the CPU, no time is measured",
    )


def _fidelity(child: childenv.ChildPython | XpuasmError) -> Check:
    """What holds of every run without a GPU here; each capture lists what more applied to it."""
    name = "fidelity"
    if isinstance(child, XpuasmError):
        return Check(name, None, "not known: that takes the child Python")
    from xpuasm_magic.capture.device import DEFAULT
    from xpuasm_magic.offline.devices import find_device

    pair = pairing_sentence(child.torch, child.triton_xpu) or "torch and triton-xpu are the pair that ships"
    row = find_device(DEFAULT)
    return Check(name, None, f"{pair} Device {row.card}: {row.source}")


def _cpp() -> Check:
    name = "C++ compiler"
    found = cxx.find()
    if found:
        return Check(name, True, f"{found} (builds the stand-in device once per torch version)")
    if any((home.data_home() / "native").glob("*.so")):
        return Check(name, None, "none; the stand-in device was built earlier", "xpuasm setup, for another torch")
    return Check(name, False, "none; without one the stand-in device cannot be built", "xpuasm setup")


def _toolchains(*, needed: bool) -> list[Check]:
    try:
        chosen = toolchain.find()
    except XpuasmError as error:
        return [Check("toolchain", False if needed else None, str(error), "xpuasm toolchain install")]
    checks = [_compiles(chosen, needed=needed)]
    if chosen.generation == 1:
        checks.append(
            Check(
                "IGC 2.x",
                None,
                f"not here: IGC {chosen.igc} lacks builtins that Triton's code calls, and newer devices",
                "xpuasm toolchain install",
            )
        )
    others = [one for one in toolchain.available() if one != chosen]
    if others:
        listed = ", ".join(f"{one.name} (ocloc {one.version})" for one in others)
        checks.append(Check("others", True, f"{listed}; choose with --toolchain NAME"))
    return checks


def _compiles(chosen: toolchain.Toolchain, *, needed: bool) -> Check:
    what = f"{chosen.name}: IGC {chosen.igc}, ocloc {chosen.version}, {chosen.origin}"
    try:
        with tempfile.TemporaryDirectory(prefix="xpuasm-") as folder:
            check_compiles(chosen, Path(folder))
    except (XpuasmError, OSError) as error:
        return Check("toolchain", False if needed else None, f"{what}: {error}", "xpuasm toolchain install")
    return Check("toolchain", True, what)


def _disks() -> list[Check]:
    return [_disk("captures", home.cache_home), *([] if _same_home() else [_disk("data", home.data_home)])]


def _same_home() -> bool:
    return home.cache_home() == home.data_home()


def _disk(name: str, place: Callable[[], Path]) -> Check:
    folder = place()
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    fix = "free some space, or set XPUASM_HOME to another folder"
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        return Check(name, False, f"{folder} cannot be written", "set XPUASM_HOME to a folder of yours")
    free = shutil.disk_usage(existing).free
    what = f"{folder}, {megabytes(free)} free"
    if free < _TOO_LITTLE_BYTES:
        return Check(name, False, what, fix)
    return Check(name, True if free >= _LITTLE_BYTES else None, what, fix if free < _LITTLE_BYTES else None)


def _spirv_dis() -> Check:
    program = spirv_tools.find_spirv_dis()
    if program is None:
        return Check("spirv-dis", None, "not found: kernels have no SPIR-V stage", spirv_tools.HOW)
    return Check("spirv-dis", True, str(program))


def _widgets() -> Check:
    name = "notebook"
    versions = {package: _version(package) for package in ("ipywidgets", "anywidget", "jupyterlab", "notebook")}
    here = ", ".join(f"{package} {version}" for package, version in versions.items() if version)
    if not versions["ipywidgets"] or not versions["anywidget"]:
        return Check(
            name,
            None,
            f"{here or 'no widgets'} in {sys.executable}; results show as text and HTML",
            "pip install ipywidgets anywidget",
        )
    return Check(name, True, here)


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
