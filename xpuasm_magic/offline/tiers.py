"""What of the stand-in works with the installed torch and Triton: tried once per pair, then remembered."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

TIERS = ("jit", "compile", "backward")

_PROBE = Path(__file__).with_name("probe.py")
_LIMIT_S = 300


def verdict(home: Path, native: Path | None, announce: Callable[[str], None]) -> dict[str, str]:
    """For each tier `ok` or why it is off.

    Args:
        home: where verdicts are kept.
        native: the native part, whose name holds torch's version and its own digest; None where there is none.
        announce: told before a probe, which takes some seconds.
    """
    path = home / f"tiers-{native.stem if native else 'none'}-triton{_triton_version()}-py{_python()}.json"
    known = _read(path)
    if known is not None:
        return known
    with open(path.with_suffix(".lock"), "w") as lock:  # noqa: PTH123  fcntl wants the file itself
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = _read(path)
        if known is None:
            announce("checking the stand-in (once per pair of torch and triton-xpu, about 20 s)")
            known = _probe(home)
            part = path.with_suffix(f".{os.getpid()}.tmp")
            part.write_text(json.dumps(known, indent=1), encoding="utf-8")
            part.replace(path)
    return known


def _probe(home: Path) -> dict[str, str]:
    """Run `probe.py` on the stand-in in a process of its own."""
    child = Path(__file__).resolve().parent.parent / "capture" / "child.py"
    with tempfile.TemporaryDirectory(prefix="xpuasm-probe-") as folder:
        answer = Path(folder, "verdict.json")
        config = {
            "run": folder, "path": str(_PROBE), "argv": [str(_PROBE), str(answer)], "sys_path": [], "cwd": folder,
            "device": "pvc", "builds": False, "home": str(home), "probing": True,
        }  # fmt: skip
        config_path = Path(folder, "config.json")
        config_path.write_text(json.dumps(config), encoding="utf-8")
        caches = {"TRITON_CACHE_DIR": f"{folder}/triton", "TORCHINDUCTOR_CACHE_DIR": f"{folder}/inductor"}
        try:
            done = subprocess.run(
                [sys.executable, str(child), str(config_path)],
                env={**os.environ, **caches},
                capture_output=True,
                text=True,
                errors="replace",
                stdin=subprocess.DEVNULL,
                timeout=_LIMIT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return dict.fromkeys(TIERS, f"the check of the stand-in did not end within {_LIMIT_S} s")
        found = _read(answer) or {}
        last = (done.stderr.strip().splitlines() or ["no word"])[-1]
        return {tier: found.get(tier, f"the check ended with status {done.returncode}: {last}") for tier in TIERS}


def _read(path: Path) -> dict[str, str] | None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError):
        return None
    return found if isinstance(found, dict) else None


def _triton_version() -> str:
    for name in ("triton-xpu", "pytorch-triton-xpu", "triton"):
        try:
            return version(name)
        except PackageNotFoundError:
            continue
    return "unknown"


def _python() -> str:
    return f"{sys.version_info[0]}.{sys.version_info[1]}"
