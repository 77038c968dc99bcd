"""All cells of a matrix: refused, or compiled on all cores, each ending as a row whatever becomes of it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xpuasm_magic.capture import store
from xpuasm_magic.capture.builds import build_module
from xpuasm_magic.capture.folder import read_json
from xpuasm_magic.capture.interrupts import Interrupts
from xpuasm_magic.childenv import find_child
from xpuasm_magic.errors import ParseError, XpuasmError
from xpuasm_magic.recompile import folder as folders
from xpuasm_magic.recompile import ttir
from xpuasm_magic.recompile.axes import device_name
from xpuasm_magic.recompile.cells import Cell
from xpuasm_magic.recompile.needs import module_needs
from xpuasm_magic.recompile.refusal import refusal, unaskable
from xpuasm_magic.recompile.source import Module, Origin, captured_module, made_module, unmade_module

_TICK_S = 0.05
# Error: Cannot get HW Info for device bmg-g21.
_UNKNOWN_DEVICE = re.compile(r"Cannot get HW Info for device")
BUILD_TIMEOUT_S, TRITON_TIMEOUT_S = 300.0, 300


@dataclass(frozen=True)
class Progress:
    """For a progress line."""

    phase: str
    cells: int
    done: int
    refused: int
    failed: int
    elapsed_s: float


Watch = Callable[[Progress], None]


def compile_cells(target: Path, origin: Origin, cells: Sequence[Cell], watch: Watch, cancel: threading.Event) -> None:
    """Fill a matrix' folder. An interrupt is not raised: what has not ended by then is `interrupted`.

    `cancel` is the interrupt of a caller that is not the main thread.
    """
    try:
        with Interrupts() as interrupts:
            _Matrix(target, origin, cells, watch, lambda: interrupts.count > 0 or cancel.is_set()).go()
    except OSError as error:
        raise XpuasmError(
            f"the matrix in {target} could not be written to its end: {error.strerror or error}; "
            "make room, or name another place with XPUASM_HOME"
        ) from error


class _Matrix:
    def __init__(
        self, target: Path, origin: Origin, cells: Sequence[Cell], watch: Watch, interrupted: Callable[[], bool]
    ) -> None:
        self.target, self.origin, self.cells, self.watch = target, origin, cells, watch
        self.interrupted = interrupted
        self.start = time.monotonic()
        self.phase = "compiling"
        self.status: dict[str, str] = {}
        self.reasons: dict[str, str | None] = {}
        self.with_dpas: set[str] = set()
        self.killed: set[str] = set()
        self.triton: str | None = None
        self._cancel = threading.Event()
        self._lock = threading.Lock()
        self._same_build: defaultdict[Path, threading.Lock] = defaultdict(threading.Lock)
        self._pool = ThreadPoolExecutor(os.cpu_count() or 2, "xpuasm-cell")
        self._futures: list[Future[None]] = []

    def go(self) -> None:
        folders.write_sources(self.target, self.origin)
        self._record("running")
        with self._pool:
            try:
                self._spirv([cell for cell in self.cells if cell.question == "spirv"])
                self._source([cell for cell in self.cells if cell.question == "source"])
                while any(not future.done() for future in self._futures) and not self._stopped():
                    wait([f for f in self._futures if not f.done()], timeout=_TICK_S, return_when=FIRST_COMPLETED)
            finally:
                if self._futures and not all(future.done() for future in self._futures):
                    self._cancel.set()
        for future in self._futures:
            future.result()  # a fault of ours must be seen
        for cell in self.cells:
            if cell.key not in self.status:
                if not (self.target / "triton" / cell.key).exists():  # Triton had not answered
                    folders.write_variant(self.target, cell, unmade_module(cell.kernel, cell.change.options()))
                self._end(cell, "interrupted", "interrupted before it was compiled")
        self._record("interrupted" if "interrupted" in self.status.values() else "finished")
        self._tell()
        store.trim()
        store.trim(root=folders.results_home())

    def _spirv(self, cells: Sequence[Cell]) -> None:
        modules: dict[int, Module] = {}
        for cell in cells:
            if id(cell.kernel) not in modules:
                modules[id(cell.kernel)] = captured_module(cell.kernel)
            self._module(cell, modules[id(cell.kernel)])

    def _source(self, cells: Sequence[Cell]) -> None:
        """Triton for each device and change, then IGC as the modules come."""
        if not cells:
            return
        python = find_child()
        self.triton = python.triton_xpu or python.triton
        asked: dict[tuple[Any, ...], list[Cell]] = defaultdict(list)
        for cell in cells:
            asked[(id(cell.kernel), cell.device.card, cell.change)].append(cell)
        jobs: list[ttir.Job] = []
        groups: list[list[Cell]] = []
        for group in asked.values():
            first = group[0]
            job = unaskable(first) or ttir.job(first.kernel, first.device, first.change, python)
            if isinstance(job, str):
                for cell in group:
                    folders.write_variant(self.target, cell, unmade_module(cell.kernel, cell.change.options()))
                    self._end(cell, "refused", job)
            else:
                jobs.append(job)
                groups.append(group)
        if not jobs:
            return
        self.phase = "running Triton"
        scratch = self.target / ".triton"
        scratch.mkdir()
        outs = [scratch / str(number) for number in range(len(jobs))]

        def ended(number: int, answer: Mapping[str, Any]) -> None:
            for cell in groups[number]:
                if answer["status"] == "ok":
                    self._module(cell, made_module(cell.kernel, outs[number]))
                else:
                    folders.write_variant(self.target, cell, unmade_module(cell.kernel, cell.change.options()))
                    self._end(cell, str(answer["status"]), str(answer["error"]))

        ttir.run(jobs, outs, ended, timeout_s=TRITON_TIMEOUT_S, stopped=self._stopped)
        shutil.rmtree(scratch, ignore_errors=True)
        self.phase = "compiling"

    def _module(self, cell: Cell, module: Module) -> None:
        """Refuse the cell, or have IGC compile its module."""
        folders.write_variant(self.target, cell, module)
        try:
            needs = module_needs(module.spirv) if module.spirv is not None else None
            reason = refusal(cell, module, needs) if needs else "the capture has no SPIR-V module of this kernel"
        except ParseError as error:
            needs, reason = None, str(error)
        if needs and needs.has("has_dpas"):
            self.with_dpas.add(cell.key)
        if reason is not None:
            self._end(cell, "refused", reason)
        else:
            self._futures.append(self._pool.submit(self._try_build, cell))

    def _try_build(self, cell: Cell) -> None:
        """Build a cell; a disk that is full or read-only costs that cell, not the others."""
        try:
            if not self._cancel.is_set():
                self._build(cell)
        except OSError as error:
            self._end(cell, "failed", f"the build could not be written: {error}")

    def _build(self, cell: Cell) -> None:
        spv = self.target / "triton" / cell.key / f"{cell.kernel.name[:150]}.spv"
        record = {
            "key": cell.key,
            "name": cell.kernel.name,
            "device": cell.device.ocloc,
            "flags": cell.flags,
            "igc": cell.toolchain.igc,
            "ocloc": cell.toolchain.version,
        }
        final = self.target / "igc" / cell.key / cell.build
        final.parent.mkdir(parents=True, exist_ok=True)
        kept = store.StoredBuild(spv.read_bytes(), cell.device.ocloc, cell.flags, cell.toolchain).folder
        with self._lock:
            alike = self._same_build[kept]
        with alike:  # cards of one ocloc name: the second finds the first's build
            built = build_module(spv, final, cell.toolchain, record, timeout_s=BUILD_TIMEOUT_S, cancel=self._cancel)
        if read_json(final / "build.json").get("exit") == -signal.SIGKILL:
            self.killed.add(cell.key)
        if built.status == "failed" and _UNKNOWN_DEVICE.search(built.error or ""):
            reason = f"{cell.toolchain.name} does not know {device_name(cell.device)}: {built.error}"
            shutil.rmtree(final, ignore_errors=True)
            self._end(cell, "refused", reason)
        else:
            self._end(cell, built.status, built.error, kept=built.name)

    def _end(self, cell: Cell, status: str, reason: str | None, kept: str | None = None) -> None:
        folders.write_outcome(self.target, cell, status, reason, kept)
        with self._lock:
            self.status[cell.key], self.reasons[cell.key] = status, reason

    def _stopped(self) -> bool:
        self._tell()
        return self.interrupted()

    def _tell(self) -> None:
        with self._lock:
            states = list(self.status.values())
        self.watch(
            Progress(
                phase=self.phase,
                cells=len(self.cells),
                done=len(states),
                refused=states.count("refused"),
                failed=len(states) - states.count("ok") - states.count("refused"),
                elapsed_s=time.monotonic() - self.start,
            )
        )

    def _record(self, state: str) -> None:
        rows = [self._row(cell) for cell in self.cells]
        folders.write_record(self.target, self.origin, state, time.monotonic() - self.start, rows)

    def _row(self, cell: Cell) -> dict[str, Any]:
        return {
            "key": cell.key,
            "question": cell.question,
            "device": device_name(cell.device),
            "grf_mode": cell.grf_mode,
            "options": cell.options,
            "toolchain": cell.toolchain.name,
            "igc": cell.toolchain.igc,
            "triton": self.triton if cell.question == "source" else None,
            "asked": cell.change.options(),
            "captured_triton": cell.kernel.variant.metadata.get("triton_version"),
            "uses_dpas": cell.key in self.with_dpas,
            "killed": cell.key in self.killed,
            "status": self.status.get(cell.key, "interrupted"),
            "reason": self.reasons.get(cell.key),
        }
