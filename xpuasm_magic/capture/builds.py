"""Builds of a run's variants by ocloc: in parallel, while the script still runs, each in its own folder."""

from __future__ import annotations

import fnmatch
import os
import shutil
import threading
from collections.abc import Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xpuasm_magic import loader
from xpuasm_magic.build_output import read_build
from xpuasm_magic.capture.decision import Built, decide
from xpuasm_magic.capture.folder import write_json
from xpuasm_magic.capture.store import StoredBuild

if TYPE_CHECKING:
    from xpuasm_magic.loader import LoaderRule
    from xpuasm_magic.toolchain import Toolchain

SPIRV_MAGIC = (b"\x03\x02\x23\x07", b"\x07\x23\x02\x03")


@dataclass(frozen=True)
class Plan:
    """What to build with, for all variants of a run."""

    folder: Path
    toolchain: Toolchain | None
    device: str
    """As ocloc names it."""
    rule: LoaderRule | None
    kernel_glob: str | None = None
    grf: str | None = None
    """A GRF mode to build with instead of each variant's own."""
    timeout_s: float = 300.0
    missing: str | None = None
    """Why there is no toolchain, in a sentence."""


@dataclass
class Progress:
    """Counts for the progress line."""

    found: int = 0
    built: int = 0
    failed: int = 0


class Builder:
    """Builds variants as they are announced; `close` ends what is left.

    Each variant has a thread that follows its builds and applies the loader's rule; the builds themselves take
    turns in a pool.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.progress = Progress()
        self.faults: list[str] = []
        """Sentences on what could not be written."""
        self._seen: set[str] = set()
        self._futures: list[Future[None]] = []
        self._stop = threading.Event()
        self._cancels: set[threading.Event] = set()
        self._lock = threading.Lock()
        self._variants = ThreadPoolExecutor(64, "xpuasm-variant")
        # Two more than processors, so that one long build does not hold up the short ones behind it.
        self._oclocs = ThreadPoolExecutor((os.cpu_count() or 2) + 2, "xpuasm-ocloc", initializer=_behind_the_script)

    def announce(self, variant: Mapping[str, Any]) -> None:
        """Start the build of a variant that Triton has just compiled; a key already seen is left alone."""
        key, name = str(variant.get("key", "")), str(variant.get("name", ""))
        if not key or key in self._seen or "/" in key or key.startswith("."):
            return
        self._seen.add(key)
        self.progress.found += 1
        target = self.plan.folder / "igc" / key
        if self.plan.kernel_glob and not fnmatch.fnmatchcase(name, self.plan.kernel_glob):
            self._write_unbuilt(target, variant, f"left out by --kernel {self.plan.kernel_glob}")
            return
        if self.plan.toolchain is None:
            self.progress.failed += 1
            self._write_unbuilt(target, variant, self.plan.missing or "no ocloc was found")
            return
        self._futures.append(self._variants.submit(self._follow, target, dict(variant)))

    @property
    def pending(self) -> int:
        """Variants whose build has not ended."""
        return sum(not future.done() for future in self._futures)

    def wait(self, timeout_s: float) -> None:
        """Wait at most `timeout_s` for some build to end."""
        pending = [future for future in self._futures if not future.done()]
        if pending:
            wait(pending, timeout=timeout_s, return_when=FIRST_COMPLETED)

    def close(self) -> None:
        """End: builds under way are stopped, and recorded as interrupted like those not begun."""
        self._stop.set()
        with self._lock:
            for cancel in self._cancels:
                cancel.set()
        self._variants.shutdown(wait=True)
        self._oclocs.shutdown(wait=True)
        for future in self._futures:
            future.result()  # a fault of ours must be seen

    def _follow(self, target: Path, variant: dict[str, Any]) -> None:
        """Build a variant; a disk that is full or read-only costs that variant, not the run."""
        try:
            self._build_variant(target, variant)
        except OSError as error:
            with self._lock:
                self.progress.failed += 1
                self.faults.append(f"{variant.get('name')} was not built: {error}")

    def _build_variant(self, target: Path, variant: dict[str, Any]) -> None:
        if self._stop.is_set():
            self._write_unbuilt(target, variant, "the run ended before it was built", status="interrupted")
            return
        flags = str(variant.get("build_flags") or "")
        if self.plan.grf:
            flags = loader.with_grf(flags, self.plan.grf)
        rule = self.plan.rule
        again = f"{flags} {rule.flag}".strip() if rule and not loader.has_grf_flag(flags) else None
        first, early = self._first_build(target, variant, flags, again)
        wanted = rule is not None and rule.wants_retry(flags, first.spill_bytes or 0)
        second = None
        if wanted and again:
            second = (early or self._start(target, variant, again)).future.result()
        elif early:
            early.drop()
        decision = decide(rule, first, second)
        if not (target / str(decision["kept"])).is_dir():
            decision["kept"] = None
        target.mkdir(parents=True, exist_ok=True)
        write_json(target / "loader.json", decision)
        with self._lock:
            if decision["status"] == "ok":
                self.progress.built += 1
            else:
                self.progress.failed += 1

    def _first_build(
        self, target: Path, variant: Mapping[str, Any], flags: str, again: str | None
    ) -> tuple[Built, _Started | None]:
        """The first build, and the second if IGC said half-way through the first that the kernel spills."""
        first, early = self._start(target, variant, flags), None
        log = target / f".{first.name}" / "ocloc.log"
        while not wait([first.future], timeout=0.05 if again and not early else None).done:
            if again and _says_it_spills(log):
                early = self._start(target, variant, again)
        return first.future.result(), early

    def _start(self, target: Path, variant: Mapping[str, Any], flags: str) -> _Started:
        name, cancel = f"{self.plan.device}-{loader.grf_label(flags)}", threading.Event()
        with self._lock:
            self._cancels.add(cancel)
        future = self._oclocs.submit(self._build, target, variant, flags, name, cancel)
        return _Started(name, target / name, future, cancel)

    def _build(self, target: Path, variant: Mapping[str, Any], flags: str, name: str, cancel: threading.Event) -> Built:
        toolchain, device = self.plan.toolchain, self.plan.device
        assert toolchain is not None
        if self._stop.is_set() or cancel.is_set():
            return Built(name, "interrupted", "the run ended before it was built")
        final = target / name
        record: dict[str, Any] = {
            "key": variant["key"],
            "name": variant.get("name"),
            "device": device,
            "flags": flags,
            "igc": toolchain.igc,
            "ocloc": toolchain.version,
        }
        spv = find_spirv(self.plan.folder / "triton" / str(variant["key"]))
        if isinstance(spv, str):
            final.mkdir(parents=True, exist_ok=True)
            write_json(final / "build.json", record | {"status": "failed", "exit": None, "seconds": 0.0, "error": spv})
            return Built(name, "failed", spv)
        return build_module(spv, final, toolchain, record, timeout_s=self.plan.timeout_s, cancel=cancel)

    def _write_unbuilt(self, target: Path, variant: Mapping[str, Any], why: str, *, status: str = "not built") -> None:
        target.mkdir(parents=True, exist_ok=True)
        decision: dict[str, Any] = {"kept": None, "rejected": [], "rule": None, "status": status, "error": why}
        write_json(target / "loader.json", decision | {"name": variant.get("name")})


def build_module(
    spv: Path,
    final: Path,
    toolchain: Toolchain,
    record: Mapping[str, Any],
    *,
    timeout_s: float,
    cancel: threading.Event,
) -> Built:
    """Fill `final` with one build, an earlier one where there is one, and its `build.json`.

    Args:
        spv: the module.
        final: a folder that does not exist yet; it appears when the build has ended.
        toolchain: the compiler.
        record: what `build.json` shall say of the build; `device` and `flags` are what is built.
        timeout_s: then the build is killed.
        cancel: once set, the build is killed and its status is `interrupted`.
    """
    device, flags = str(record["device"]), str(record["flags"])
    draft = final.with_name(f".{final.name}")
    stored = StoredBuild(spv.read_bytes(), device, flags, toolchain)
    earlier = stored.fetch(final)
    if earlier is not None:
        write_json(final / "build.json", {**earlier, **record, "cached": True})
        return _built(final.name, final)
    draft.mkdir(parents=True, exist_ok=True)
    result = toolchain.compile(spv, draft, device, flags, timeout_s, cancel=cancel)
    outcome = {
        "status": result.status,
        "exit": result.exit,
        "seconds": round(result.seconds, 3),
        "error": result.error,
        "repro": result.repro.replace(str(draft), str(final)),
        "cached": False,
    }
    write_json(draft / "build.json", {**record, **outcome})
    draft.rename(final)
    if result.status != "ok":
        return Built(final.name, result.status, result.error)
    stored.keep(final)
    return _built(final.name, final)


@dataclass(frozen=True)
class _Started:
    """A build that is under way or waits for its turn."""

    name: str
    folder: Path
    future: Future[Built]
    cancel: threading.Event

    def drop(self) -> None:
        """End it and leave nothing of it: it was begun early, and is not wanted after all."""
        self.cancel.set()
        self.future.result()
        shutil.rmtree(self.folder, ignore_errors=True)


def _built(name: str, folder: Path) -> Built:
    facts = read_build(folder)
    return Built(name, "ok", None, facts.grf_count, facts.spill_bytes)


def _behind_the_script() -> None:
    """Compilers yield to the user's code (on Linux a niceness is a thread's own, and its children's)."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)


#   warning: in kernel 'spill_kernel': [RetryManager] Start recompilation of the kernel
_RETRY = b"[RetryManager] Start recompilation"


def _says_it_spills(log: Path) -> bool:
    """Whether IGC's first attempt spilled so much that it compiles again; mostly the second spills, too."""
    try:
        return _RETRY in log.read_bytes()
    except OSError:
        return False


def find_spirv(folder: Path) -> Path | str:
    """The SPIR-V module of a Triton cache entry, or a sentence on why there is none."""
    found = sorted(folder.glob("*.spv"))
    if not found:
        return f"no .spv in triton/{folder.name}: this Triton keeps none, or the cache entry was removed"
    with found[0].open("rb") as file:
        magic = file.read(4)
    if magic not in SPIRV_MAGIC:
        what = "native code (TRITON_XPU_GEN_NATIVE_CODE)" if magic == b"\x7fELF" else "no SPIR-V module"
        return f"{found[0].name} holds {what}; unset that switch so that the module itself is kept"
    return found[0]
