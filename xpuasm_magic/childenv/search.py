"""The Python that runs a capture: one with torch and a triton that compiles for Intel GPUs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xpuasm_magic import home
from xpuasm_magic.childenv import probe
from xpuasm_magic.errors import SetupError, UsageError

MARKER = "xpuasm-child.json"
"""Written last by `setup`: without it the environment is unfinished."""


@dataclass(frozen=True)
class ChildPython:
    """An interpreter, and what of torch and triton it has."""

    path: Path
    version: str
    torch: str
    triton: str
    triton_xpu: str | None
    """The version of the distribution; None for a triton built from source."""
    has_real_xpu_build: bool
    """Whether this torch can drive a real Intel GPU."""
    site_packages: Path
    """The folder that holds `triton`."""
    origin: str
    """Why this one: `--python`, `XPUASM_PYTHON`, `running`, `child environment`."""


def find_child(python: str | None = None) -> ChildPython:
    """The interpreter for a capture; nothing is imported to find it.

    Args:
        python: an interpreter, or the folder of a virtual environment. None: `XPUASM_PYTHON`, else the
            running interpreter where it has what is needed, else the environment that `xpuasm setup` made.

    Raises:
        UsageError: `python` does not exist.
        SetupError: there is none, or the one asked for lacks torch or triton-xpu.
    """
    if python:
        return required(python, "--python")
    chosen = os.environ.get("XPUASM_PYTHON")
    if chosen:
        return required(chosen, "XPUASM_PYTHON")
    running = probe.describe()
    if not _lacking(running):
        return _child(Path(sys.executable), running, "running")
    child = home.child_home() / "bin" / "python"
    if child.exists():
        if not (home.child_home() / MARKER).is_file():
            raise SetupError(f"the environment in {home.child_home()} is unfinished; run `xpuasm setup` to end it")
        return required(str(child), "child environment")
    raise SetupError(
        f"no Python with torch and triton-xpu (this one, {sys.executable}, has no {_lacking(running)}); "
        "run `xpuasm setup`, or name one with --python or XPUASM_PYTHON"
    )


def examine(path: Path) -> dict[str, Any]:
    """What `probe.describe` says of an interpreter, remembered until it or one of its packages changes."""
    cache = home.cache_home() / "pythons.json"
    remembered = _read(cache)
    key = f"{path}|{os.environ.get('PYTHONPATH', '')}"
    entry = remembered.get(key)
    if isinstance(entry, dict) and entry.get("stamps") == _stamps(path, entry.get("facts", {})):
        return dict(entry["facts"])
    facts = _ask(path)
    remembered[key] = {"facts": facts, "stamps": _stamps(path, facts)}
    _write(cache, remembered)
    return facts


def required(python: str, origin: str) -> ChildPython:
    """The interpreter at `python`, checked. `origin` says who asked for it, for the message."""
    path = _interpreter(python, origin)
    facts = examine(path)
    lacking = _lacking(facts)
    if lacking:
        raise SetupError(
            f"{path} ({origin}) has no {lacking}; name a Python that has torch and triton-xpu, or leave it "
            "out and run `xpuasm setup`"
        )
    return _child(path, facts, origin)


def _interpreter(python: str, origin: str) -> Path:
    path = Path(python).expanduser()
    if path.is_dir():
        path = path / "bin" / "python"
    if not path.is_file() and os.sep not in python:
        path = Path(shutil.which(python) or path)
    if not path.is_file():
        raise UsageError(f"{python} ({origin}) is no Python interpreter, nor a folder with bin/python")
    return path.absolute()  # not resolved: a virtual environment's python is a link to its base


def _lacking(facts: Mapping[str, Any]) -> str | None:
    """What a capture needs and these facts lack, in words; None when all is there."""
    if tuple(map(int, facts["version"].split("."))) < (3, 10):
        return f"Python 3.10 or later (it is {facts['version']})"
    if not facts["torch"]:
        return "torch"
    if not facts["triton"]:
        return "triton-xpu"
    if not facts["intel_backend"]:
        return f"triton-xpu (its triton {facts['triton']} has no Intel backend)"
    if facts["triton_xpu"] and facts["upstream_triton"]:  # both unpack into `triton/`: the later one has won
        return (
            f"triton-xpu of its own: triton {facts['upstream_triton']} lies in the same folder (pip "
            "uninstall -y triton triton-xpu, then pip install triton-xpu)"
        )
    return None


def _child(path: Path, facts: Mapping[str, Any], origin: str) -> ChildPython:
    return ChildPython(
        path=path,
        version=facts["version"],
        torch=facts["torch"],
        triton=facts["triton"],
        triton_xpu=facts["triton_xpu"],
        has_real_xpu_build=facts["xpu_build"],
        site_packages=Path(facts["site_packages"]),
        origin=origin,
    )


def _ask(path: Path) -> dict[str, Any]:
    try:
        done = subprocess.run(
            [str(path), str(Path(probe.__file__))], capture_output=True, text=True, timeout=60, check=False
        )
        facts = json.loads(done.stdout.strip().splitlines()[-1]) if done.returncode == 0 else None
    except (OSError, ValueError, IndexError, subprocess.TimeoutExpired) as error:
        raise SetupError(f"{path} does not run as a Python interpreter ({error}); name another one") from error
    if not isinstance(facts, dict):
        words = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise SetupError(f"{path} does not run as a Python interpreter ({words}); name another one")
    return facts


def _stamps(path: Path, facts: Mapping[str, Any]) -> dict[str, int]:
    """Times of change: installing or removing a package touches the folder that holds it."""
    places = [str(path), *facts.get("path", ())]
    return {place: Path(place).stat().st_mtime_ns for place in places if Path(place).exists()}


def _read(cache: Path) -> dict[str, Any]:
    try:
        found = json.loads(cache.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _write(cache: Path, content: Mapping[str, Any]) -> None:
    """Whole or not at all; a cache that cannot be written costs time only."""
    draft = cache.with_name(f"{cache.name}.{os.getpid()}")
    try:
        cache.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(json.dumps(content), encoding="utf-8")
        draft.replace(cache)
    except OSError:
        draft.unlink(missing_ok=True)
