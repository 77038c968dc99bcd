"""One run of ocloc: SPIR-V in, a zebin and IGC's dump out."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

BuildStatus = Literal["ok", "failed", "crashed", "timeout", "interrupted"]

_TICK_S = 0.1
"""How soon a cancelled build notices."""


@dataclass(frozen=True)
class CompileResult:
    """How one build ended. The files lie in the folder that was given."""

    status: BuildStatus
    exit: int | None
    """ocloc's exit status, negative for a signal; None where it was stopped by us or never began."""
    seconds: float
    error: str | None
    """The compiler's own words; None when all went well."""
    repro: str
    """A command line that repeats the build."""


def run_ocloc(
    command: Sequence[str],
    out: Path,
    *,
    timeout_s: float,
    env: Mapping[str, str] | None = None,
    keep_passes: bool = False,
    cancel: threading.Event | None = None,
) -> CompileResult:
    """Runs a compile command, dumping into `out`/dump.

    Args:
        command: as `Toolchain.compile_command` gives it; writes `kernel` or `kernel.bin` into `out`.
        out: the build's own folder; made if need be, what an earlier build left in it is replaced.
        timeout_s: after so many seconds ocloc and all that it started are killed.
        env: switches of IGC's for this build; those of the user's environment do not reach it.
        keep_passes: keep the LLVM IR that IGC wrote after each of its passes.
        cancel: once set, ocloc is killed and the result is `interrupted`.
    """
    dump, binary, log = out / "dump", out / "kernel.bin", out / "ocloc.log"
    switches = {
        "IGC_ShaderDumpEnable": "1",
        # relative to `out`: IGC turns every byte beyond ASCII in the path into `_`, and then cannot open the listing
        "IGC_DumpToCustomDir": dump.name,
        "IGC_ShaderDumpPidDisable": "1",
        "NEO_CACHE_PERSISTENT": "0",
        **(env or {}),
    }
    environment = [f"{name}={value}" for name, value in switches.items()]
    repro = f"cd {shlex.quote(str(out))} && {shlex.join(['env', *environment, *command])}"
    started = time.monotonic()
    try:
        shutil.rmtree(dump, ignore_errors=True)
        dump.mkdir(parents=True)
        for stale in (binary, out / "kernel"):
            stale.unlink(missing_ok=True)
        status, code = _run_group(command, out, log, _environment(switches), timeout_s, cancel)
        unnamed = out / "kernel"  # ocloc 22.43 adds no suffix where it is told so; 26.27 adds `.bin`
        if unnamed.is_file():
            unnamed.replace(binary)
        if not keep_passes:
            _drop_passes(dump)
    except OSError as error:
        words = f"ocloc could not run: {error}"
        return CompileResult("failed", None, time.monotonic() - started, words, repro)
    seconds = time.monotonic() - started
    words = _last_words(log.read_text(encoding="utf-8", errors="replace"))
    if status == "timeout":
        return CompileResult(status, None, seconds, f"stopped at the time limit of {timeout_s:g} s", repro)
    if status == "interrupted":
        return CompileResult(status, None, seconds, "stopped before it ended", repro)
    if status == "ok" and not binary.is_file():
        return CompileResult("failed", code, seconds, words or "ocloc ended well but wrote no binary", repro)
    if status == "ok":
        return CompileResult(status, code, seconds, None, repro)
    ended = f"ocloc {'crashed' if status == 'crashed' else 'failed'} ({_exit_text(code)})"
    if code == -signal.SIGKILL:
        ended += ": killed from outside, perhaps for want of memory; run it again"
    return CompileResult(status, code, seconds, f"{words}\n{ended}".strip(), repro)


def _run_group(
    command: Sequence[str],
    cwd: Path,
    log: Path,
    environment: Mapping[str, str],
    timeout_s: float,
    cancel: threading.Event | None,
) -> tuple[BuildStatus, int]:
    with log.open("wb") as sink:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        stopped = _wait(process, time.monotonic() + timeout_s, cancel)
    finally:  # also on an interrupt: nothing of it outlives this call
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        code = process.wait()
    if stopped:
        return stopped, code
    if code == 0:
        return "ok", 0
    # 134 and 139: a wrapper's shell reports an abort and a segmentation fault so
    return ("crashed" if code < 0 or code in {134, 139} else "failed"), code


def _wait(
    process: subprocess.Popen[bytes], deadline: float, cancel: threading.Event | None
) -> Literal["timeout", "interrupted"] | None:
    """Waits for the end; or says why it was not waited for."""
    while True:
        left = deadline - time.monotonic()
        try:
            process.wait(max(0.0, left if cancel is None else min(left, _TICK_S)))
            return None
        except subprocess.TimeoutExpired:
            if cancel is not None and cancel.is_set():
                return "interrupted"
            if time.monotonic() >= deadline:
                return "timeout"


def _environment(switches: Mapping[str, str]) -> dict[str, str]:
    """The user's environment less what changes the compiler: code must not depend on a forgotten switch."""
    changing = ("IGC_", "NEO", "CISA_", "VISA_")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(changing) and k != "LD_PRELOAD"}
    return {**kept, **switches}


def _drop_passes(dump: Path) -> None:
    for path in dump.glob("*.ll"):
        if not path.name.endswith(".visa.ll"):
            path.unlink(missing_ok=True)


_CHATTER = re.compile(r"^(Command was: |Compilation from IR - skipping|Build succeeded)")
_MEANT = re.compile(
    r"error|undefined|invalid|corrupted|unsupported|not supported|cannot|abort|assert|fault|failed",
    re.IGNORECASE,
)


def _last_words(log: str, limit: int = 8) -> str:
    """The lines that say what went wrong, in their order; the last lines where none stands out."""
    lines = [line.rstrip() for line in log.splitlines() if line.strip() and not _CHATTER.match(line)]
    meant = [line for line in lines if _MEANT.search(line)]
    return "\n".join((meant or lines)[-limit:])


def _exit_text(code: int) -> str:
    if code < 0:
        try:
            return signal.Signals(-code).name
        except ValueError:
            return f"signal {-code}"
    return f"exit status {code}"
