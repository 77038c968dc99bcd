"""Runs in a Python that has Triton: compiles TTIR for a card and other options, many at a time, with no GPU.

    python child.py JOBS.json

Standard library and Triton only (no torch); any CPython from 3.10. `JOBS.json`: `parent` (the process that asked),
`workers` (how many at a time) and `jobs`, each with `ttir` (a file), `device` (a card of `offline/devices.py`),
`options` (Triton's, as its metadata json has them), `environment` (switches of Triton's), `out` (an empty folder) and
`timeout_s`. For each ended job one line of json on stdout: `index`, `status` (ok, failed, crashed, timeout), `error`,
`seconds`. The stages and the metadata of an `ok` one then lie in its folder, named as in Triton's cache.

Each job is a process of its own, forked when Triton is loaded: an assertion in Triton's C++ ends that job alone, and
what Triton reads to know itself (400 MB) is read once.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import signal
import sys
import time
import types
from pathlib import Path
from typing import Any

FAILED = 1


def main(arguments: list[str]) -> int:
    """Compile all jobs; the value is an exit status."""
    config = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    capture_child = _module("xpuasm_child", Path(__file__).resolve().parent.parent / "capture" / "child.py")
    capture_child._end_with(config["parent"])
    capture_child.load_offline()
    compiler = importlib.import_module("triton.compiler.compiler")
    driver = importlib.import_module("xpuasm_offline.triton_driver")
    driver.trust_given_properties(importlib.import_module("triton.backends").backends["intel"].compiler)
    compiler.triton_key()  # remembered by Triton, and so known to every fork
    waiting = list(enumerate(config["jobs"]))
    running: dict[int, tuple[int, dict[str, Any], float]] = {}
    while waiting or running:
        while waiting and len(running) < config["workers"]:
            index, job = waiting.pop(0)
            running[_fork(job, capture_child._end_with)] = (index, job, time.monotonic())
        process, status = os.wait()
        if process in running:
            index, job, started = running.pop(process)
            answer = _answer(job, os.waitstatus_to_exitcode(status))
            print(json.dumps({"index": index, "seconds": time.monotonic() - started, **answer}), flush=True)
    return 0


def _fork(job: dict[str, Any], end_with: Any) -> int:
    parent = os.getpid()
    sys.stdout.flush()
    process = os.fork()
    if process:
        return process
    status = FAILED
    try:
        end_with(parent)
        signal.setitimer(signal.ITIMER_REAL, job["timeout_s"])
        log = os.open(Path(job["out"], "triton.log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        os.dup2(log, 1)
        os.dup2(log, 2)
        status = _compile(job)
    finally:
        os._exit(status)


def _compile(job: dict[str, Any]) -> int:
    import triton  # type: ignore[import-not-found, unused-ignore]  # absent where the checks run
    from xpuasm_offline.devices import find_device  # type: ignore[import-not-found, unused-ignore]
    from xpuasm_offline.triton_driver import compile_target  # type: ignore[import-not-found, unused-ignore]

    out = Path(job["out"])
    os.environ.update(job["environment"])
    os.environ["TRITON_CACHE_DIR"] = str(out / "cache")
    try:
        target = compile_target(find_device(job["device"]))
        triton.compile(job["ttir"], target=target, options=job["options"])
    except Exception as error:  # noqa: BLE001  Triton's own words are the answer
        (out / "error.txt").write_text(f"{type(error).__name__}: {error}".strip(), encoding="utf-8")
        return FAILED
    [entry] = [path for path in (out / "cache").iterdir() if path.is_dir()]
    for path in entry.iterdir():
        path.rename(out / path.name)
    return 0


def _answer(job: dict[str, Any], status: int) -> dict[str, Any]:
    if status == 0:
        return {"status": "ok", "error": None}
    if status == -signal.SIGALRM:
        return {"status": "timeout", "error": f"Triton was stopped at the time limit of {job['timeout_s']} s"}
    said = Path(job["out"], "error.txt")
    words = said.read_text(encoding="utf-8") if said.is_file() else _last_lines(Path(job["out"], "triton.log"))
    if status < 0:
        ended = f"Triton crashed ({signal.Signals(-status).name})"
        return {"status": "crashed", "error": f"{words}\n{ended}".strip()}
    return {"status": "failed", "error": words or f"Triton failed (exit status {status})"}


def _last_lines(log: Path, limit: int = 8) -> str:
    try:
        lines = [line for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    except OSError:
        return ""
    return "\n".join(lines[-limit:])


def _module(name: str, path: Path) -> types.ModuleType:
    """A module by its place: the package that it lies in is not importable here."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    sys.path.pop(0)  # the folder of this file: its names are no modules of the child's
    sys.exit(main(sys.argv[1:]))
