"""Run a source in a fresh process whose compilers dump into one folder, building its variants on the way."""

from __future__ import annotations

import os
import sys
import sysconfig
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from typing import Any

from xpuasm_magic import home
from xpuasm_magic.capture import store
from xpuasm_magic.capture.builds import Builder, Plan
from xpuasm_magic.capture.device import Target
from xpuasm_magic.capture.diagnosis import diagnose
from xpuasm_magic.capture.environment import child_environment
from xpuasm_magic.capture.folder import (
    SCHEMA,
    JsonLines,
    claimed,
    new_run_folder,
    read_json,
    stable_path,
    write_json,
)
from xpuasm_magic.capture.interrupts import Interrupts
from xpuasm_magic.capture.process import Child, Output
from xpuasm_magic.capture.source import Source
from xpuasm_magic.childenv import ChildPython
from xpuasm_magic.errors import XpuasmError
from xpuasm_magic.loader import LoaderRule, installed_rule
from xpuasm_magic.pairing import pairing_sentence
from xpuasm_magic.toolchain import Toolchain

INTERRUPT_GRACE_S = 5.0
TICK_S = 0.03


@dataclass(frozen=True)
class Job:
    """All that one run needs, resolved and checked."""

    source: Source | None
    """The cell; None: a script."""
    script: Path | None
    args: tuple[str, ...]
    label: str
    python: ChildPython
    target: Target
    toolchain: Toolchain | None
    toolchain_missing: str | None = None
    kernel: str | None = None
    grf: str | None = None
    timeout_s: float | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    output: Path | None = None


@dataclass(frozen=True)
class State:
    """For the progress line."""

    folder: Path
    phase: str
    found: int
    built: int
    failed: int
    elapsed_s: float


Watch = Callable[[State], None]


def run_job(job: Job, *, output: Output, watch: Watch) -> Path:
    """Run the job and return its capture folder, complete whatever became of the script.

    Args:
        output: called with each piece of the child's output.
        watch: called some thirty times a second.

    Raises:
        UsageError, XpuasmError: nothing could be started. An interrupt is not raised: the capture's state says
            `interrupted`, and `ended_by` which signal it was.
    """
    run, moved = new_run_folder(job.output)
    try:
        with claimed(run), stable_path(run) as (seen, lock), Interrupts() as interrupts:
            return _Run(job, run, seen, lock, interrupts, output, watch, moved).go()
    except OSError as error:
        raise XpuasmError(
            f"the capture in {run} could not be written to its end: {error.strerror or error}; "
            f"make room, or name another place with --output or XPUASM_HOME (what is there can be opened: {run})"
        ) from error


class _Run:
    def __init__(
        self,
        job: Job,
        run: Path,
        seen: Path,
        lock: int,
        interrupts: Interrupts,
        output: Output,
        watch: Watch,
        moved: str | None,
    ) -> None:
        self.job = job
        self.run = run
        self.seen = seen
        self.lock = lock
        self.interrupts = interrupts
        self.output = output
        self.watch = watch
        self.start = time.monotonic()
        self.phase = "starting"
        self.notes: list[dict[str, str]] = []
        self.timings: dict[str, float] = {}
        if moved:
            self._note("info", moved)
        for text in job.source.notes if job.source else ():
            self._note("info", text)
        self.environment = child_environment(os.environ, seen, real=job.target.real, extra=job.env)
        self.rule = _rule(job)
        self.builder = None if job.target.real else Builder(self._plan())
        self.variants = JsonLines(run / "variants.jsonl")
        self.events = JsonLines(run / "events.jsonl")
        self.record: dict[str, Any] = {}

    def go(self) -> Path:
        self._lay_out()
        state, status = self._child()
        state = self._builds(state)
        self._finish(state, status)
        return self.run

    def _lay_out(self) -> None:
        for name in ("triton", "inductor", "neo", "igc/live" if self.job.target.real else "igc"):
            (self.run / name).mkdir(parents=True, exist_ok=True)
        job = self.job
        if job.source is not None:
            (self.run / "cell.py").write_bytes(job.source.text.encode("utf-8", "surrogatepass"))
            path = str(self.seen / "cell.py")
        else:
            assert job.script is not None
            (self.run / "cell.py").write_bytes(job.script.read_bytes())
            path = str(job.script)
        segments = [vars(segment) for segment in job.source.segments] if job.source else []
        self.record = {
            "schema": SCHEMA,
            "created": datetime.now(timezone.utc).isoformat(timespec="seconds"),
            "state": "running",
            "run_path": str(self.seen),
            "source": {
                "kind": "cell" if job.source else "script",
                "label": job.label,
                "path": "cell.py",
                "script": str(job.script) if job.script else None,
                "args": list(job.args),
                "segments": segments,
            },
            "device": job.target.describe(),
            "versions": self._versions(),
            "environment": {"set": dict(self.environment.set), "unset": list(self.environment.unset)},
            "loader_rule": {**vars(self.rule), "words": self.rule.words} if self.rule else None,
        }
        self._write_record()
        write_json(
            self.run / "child_config.json",
            {
                "run": str(self.seen),
                "path": path,
                "argv": [path, *job.args],
                "sys_path": _working_path(self.seen if job.source else None, job.script),
                "cwd": str(Path.cwd()),
                "device": None if job.target.real else job.target.card,
                "segments": segments,
                "builds": self.builder is not None,
                "parent": os.getpid(),
                "home": str(home.data_home() / "native"),
            },
        )

    def _child(self) -> tuple[str, int | None]:
        command = [
            str(self.job.python.path),
            str(Path(__file__).with_name("child.py")),
            str(self.seen / "child_config.json"),
        ]
        self.record["command"] = command
        deadline = None if self.job.timeout_s is None else self.start + self.job.timeout_s
        state = "finished"
        self.phase = "running"
        with Child(
            command,
            cwd=Path.cwd(),
            env=self.environment.variables,
            log=self.run / "run.log",
            streams=self.run / "streams.jsonl",
            output=self.output,
            inherited=(self.lock,),
        ) as child:
            while child.returncode is None:
                child.pump(TICK_S)
                self._tick()
                if self.interrupts.count:
                    state = "interrupted"
                    self._note("warning", "interrupted; what was compiled by then is shown")
                    child.end(INTERRUPT_GRACE_S, hurry=lambda: self.interrupts.count > 1)
                elif deadline is not None and time.monotonic() > deadline:
                    state = "timeout"
                    self._note(
                        "error",
                        f"the code was still running after {self.job.timeout_s:g} s; raise --timeout "
                        "(what was compiled by then is shown)",
                    )
                    child.end(INTERRUPT_GRACE_S, hurry=lambda: self.interrupts.count > 0)
            child.drain(0.5)
            if child.left_running():
                self._note("warning", "the code left processes running; they were ended with it")
        status = child.returncode
        self.timings["child_s"] = self._elapsed()
        if state == "finished" and status is not None and status != 0:
            state = "crashed" if status < 0 else "failed"
        return state, status

    def _builds(self, state: str) -> str:
        """Wait for the builds; the run's state, which an interrupt changes here too."""
        self._take_variants()
        if self.builder is None:
            return state
        self.phase = "compiling"
        while self.builder.pending and not self.interrupts.count:
            self.builder.wait(TICK_S)
            self.watch(self._state())
        if self.builder.pending and state != "interrupted":
            self._note("warning", "interrupted while ocloc was still compiling; the rest was not built")
            state = "interrupted" if state == "finished" else state
        self.builder.close()
        for fault in self.builder.faults:
            self._note("error", fault)
        self.timings["builds_s"] = round(self._elapsed() - self.timings["child_s"], 3)
        return state

    def _finish(self, state: str, status: int | None) -> None:
        told = read_json(self.run / "child.json")
        self.record["versions"] |= told.get("versions", {})
        self.timings["total_s"] = self._elapsed()
        if state == "crashed" and status is not None:
            self._note("error", f"the process was ended by {_signal_name(-status)}; what was compiled is shown")
        if not self.variants_seen:
            self._note("warning", diagnose(told, state, status))
        self.record |= {
            "state": state,
            "exit_status": None if status is None else status if status >= 0 else 128 - status,
            "signal": -status if status is not None and status < 0 else None,
            "ended_by": self.interrupts.number,
            "elapsed_s": self.timings["total_s"],
            "fidelity": [*self._fidelity(), *told.get("fidelity", [])],
            "notes": [*told.get("notes", []), *self.notes],
            "timings": self.timings | told.get("timings", {}),
            "child": {k: v for k, v in told.items() if k not in {"versions", "fidelity", "notes", "timings"}},
        }
        self._write_record()
        self.phase = state
        self.watch(self._state())
        store.trim()

    def _tick(self) -> None:
        self._take_variants()
        for event in self.events.new():
            if event.get("event") == "phase":
                self.phase = str(event.get("text", self.phase))
        self.watch(self._state())

    def _take_variants(self) -> None:
        for variant in self.variants.new():
            self.variants_seen = True
            if self.builder is not None:
                self.builder.announce(variant)

    variants_seen = False

    def _plan(self) -> Plan:
        return Plan(
            folder=self.run,
            toolchain=self.job.toolchain,
            device=self.job.target.ocloc,
            rule=self.rule,
            kernel_glob=self.job.kernel,
            grf=self.job.grf,
            missing=self.job.toolchain_missing,
        )

    def _fidelity(self) -> list[str]:
        if self.job.target.real:
            return []
        pair = pairing_sentence(self.job.python.torch, self.job.python.triton_xpu)
        found = [pair] if pair else []
        if self.rule is None:
            found.append(
                "the second build of spilling kernels was not made: this Triton's loader states no rule that is known"
            )
        if self.job.grf:
            found.append(f"all kernels were built with GRF mode {self.job.grf} (--grf), whatever their own flags")
        return found

    def _versions(self) -> dict[str, str]:
        job = self.job
        known = {
            "xpuasm_magic": version("xpuasm_magic"),
            "python": job.python.version,
            "torch": job.python.torch,
            "triton": job.python.triton,
            "triton_xpu": job.python.triton_xpu,
        }
        if job.toolchain and not job.target.real:
            known |= {"igc": job.toolchain.igc, "ocloc": job.toolchain.version}
        return {name: value for name, value in known.items() if value}

    def _note(self, severity: str, message: str) -> None:
        self.notes.append({"severity": severity, "message": message})

    def _write_record(self) -> None:
        write_json(self.run / "capture.json", self.record)

    def _state(self) -> State:
        counts = self.builder.progress if self.builder else None
        return State(
            folder=self.run,
            phase=self.phase,
            found=counts.found if counts else 0,
            built=counts.built if counts else 0,
            failed=counts.failed if counts else 0,
            elapsed_s=self._elapsed(),
        )

    def _elapsed(self) -> float:
        return round(time.monotonic() - self.start, 3)


def _rule(job: Job) -> LoaderRule | None:
    return installed_rule(job.python.site_packages, job.python.triton_xpu or job.python.triton or "")


def _working_path(run: Path | None, script: Path | None) -> list[str]:
    """What the child's `sys.path` starts with: the entries the user works with, not those of an interpreter."""
    if script is not None:
        return [str(script.parent)]
    paths = sysconfig.get_paths()
    own = [Path(paths[name]).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    working = []
    for entry in sys.path:
        path = Path(entry or ".").absolute()
        resolved = path.resolve()
        if path.is_file() or any(resolved == root or root in resolved.parents for root in own):
            continue
        if not path.is_dir() or resolved.name in {"site-packages", "dist-packages"}:
            continue
        working.append(str(path))
    here = str(Path.cwd())
    if here not in working:
        working.insert(0, here)
    return list(dict.fromkeys([*working, *([str(run)] if run else [])]))


def _signal_name(number: int) -> str:
    import signal

    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"signal {number}"
    return f"{name} (out of memory, perhaps)" if name == "SIGKILL" else name
