"""Builds of a run's variants by ocloc: in parallel, while the script still runs, each in its own folder."""

from __future__ import annotations

import fnmatch
import hashlib
import os
import shutil
import threading
from collections.abc import Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xpuasm_magic import home, loader
from xpuasm_magic.build_output import BuildFacts, read_build
from xpuasm_magic.capture.folder import read_json, write_json

if TYPE_CHECKING:
    from xpuasm_magic.loader import LoaderRule
    from xpuasm_magic.toolchain import CompileResult, Toolchain

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
    left_out: int = 0
    names: dict[str, str] = field(default_factory=dict)


class Builder:
    """Builds variants as they are announced; `close` waits for or ends what is left."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.progress = Progress()
        self._seen: set[str] = set()
        self._futures: list[Future[None]] = []
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(max_workers=os.cpu_count() or 2, thread_name_prefix="xpuasm-ocloc")

    def announce(self, variant: Mapping[str, Any]) -> None:
        """Start the build of a variant that Triton has just compiled; a key already seen is left alone."""
        key, name = str(variant.get("key", "")), str(variant.get("name", ""))
        if not key or key in self._seen or "/" in key or key.startswith("."):
            return
        self._seen.add(key)
        self.progress.found += 1
        self.progress.names[key] = name
        target = self.plan.folder / "igc" / key
        if self.plan.kernel_glob and not fnmatch.fnmatchcase(name, self.plan.kernel_glob):
            self.progress.left_out += 1
            self._write_unbuilt(target, variant, f"left out by --kernel {self.plan.kernel_glob}")
            return
        if self.plan.toolchain is None:
            self.progress.failed += 1
            self._write_unbuilt(target, variant, self.plan.missing or "no ocloc was found")
            return
        self._futures.append(self._pool.submit(self._build_variant, target, dict(variant)))

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
        """End: builds not begun are recorded as interrupted, those under way are waited for."""
        self._stop.set()
        self._pool.shutdown(wait=True)
        for future in self._futures:
            if future.done() and not future.cancelled():
                future.result()  # a fault of ours must be seen

    def _build_variant(self, target: Path, variant: dict[str, Any]) -> None:
        if self._stop.is_set():
            self._write_unbuilt(target, variant, "the run ended before it was built", status="interrupted")
            return
        flags = str(variant.get("build_flags") or "")
        if self.plan.grf:
            flags = loader.with_grf(flags, self.plan.grf)
        first = self._build(target, variant, flags)
        rule = self.plan.rule
        decision: dict[str, Any] = {"kept": first.name, "rejected": [], "rule": rule.words if rule else None}
        kept = first
        if rule and first.spill_bytes is not None and rule.wants_retry(flags, first.spill_bytes):
            second = self._build(target, variant, f"{flags} {rule.flag}".strip())
            if second.status == "ok":
                kept = second
                reason = f"{first.spill_bytes:,} bytes of spill: {rule.words}"
                decision |= {
                    "kept": second.name,
                    "rejected": [{"build": first.name, "reason": reason}],
                    "note": _discard_note(rule, first) if rule.discards_retry else None,
                }
            else:
                reason = f"the rebuild with {rule.flag} {second.status}: the loader keeps the first build"
                decision["rejected"] = [{"build": second.name, "reason": reason}]
        decision |= {
            "status": kept.status,
            "error": kept.error,
            "n_regs": kept.grf_count,
            "spill_bytes": kept.spill_bytes,
        }
        write_json(target / "loader.json", decision)
        with self._lock:
            if kept.status == "ok":
                self.progress.built += 1
            else:
                self.progress.failed += 1

    def _build(self, target: Path, variant: Mapping[str, Any], flags: str) -> _Built:
        toolchain = self.plan.toolchain
        assert toolchain is not None
        name = f"{self.plan.device}-{loader.grf_label(flags)}"
        spv = find_spirv(self.plan.folder / "triton" / str(variant["key"]))
        record: dict[str, Any] = {
            "key": variant["key"],
            "name": variant.get("name"),
            "device": self.plan.device,
            "flags": flags,
            "igc": toolchain.igc,
            "ocloc": toolchain.version,
        }
        final = target / name
        if isinstance(spv, str):
            final.mkdir(parents=True, exist_ok=True)
            write_json(final / "build.json", record | {"status": "failed", "exit": None, "seconds": 0.0, "error": spv})
            return _Built(name, "failed", spv, BuildFacts())
        stored = home.builds_home() / _build_key(spv.read_bytes(), self.plan.device, flags, toolchain)
        if (stored / "build.json").is_file():
            shutil.copytree(stored, final, dirs_exist_ok=True)
            earlier = read_json(stored / "build.json")
            write_json(final / "build.json", earlier | record | {"cached": True})
            stored.touch()
            return _Built(name, "ok", None, read_build(final))
        draft = target / f".{name}"
        draft.mkdir(parents=True, exist_ok=True)
        result = toolchain.compile(spv, draft, self.plan.device, flags, self.plan.timeout_s)
        facts = read_build(draft) if result.status == "ok" else BuildFacts()
        outcome = _outcome(result)
        outcome["repro"] = result.repro.replace(str(draft), str(final))
        write_json(draft / "build.json", record | outcome | {"cached": False})
        draft.rename(final)
        if result.status == "ok":
            _store(final, stored)
        return _Built(name, result.status, result.error, facts)

    def _write_unbuilt(self, target: Path, variant: Mapping[str, Any], why: str, *, status: str = "not built") -> None:
        target.mkdir(parents=True, exist_ok=True)
        decision: dict[str, Any] = {"kept": None, "rejected": [], "rule": None, "status": status, "error": why}
        write_json(target / "loader.json", decision | {"name": variant.get("name")})


class _Built:
    """One finished build, as the rule needs it."""

    def __init__(self, name: str, status: str, error: str | None, facts: BuildFacts) -> None:
        self.name = name
        self.status = status
        self.error = error
        self.spill_bytes = facts.spill_bytes if status == "ok" else None
        self.grf_count = facts.grf_count


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


def trim_builds(limit_bytes: int = 2 << 30) -> None:
    """Drop the builds longest unused until the store of finished builds is under the limit."""
    root = home.builds_home()
    if not root.is_dir():
        return
    entries = []
    for folder in root.iterdir():
        try:
            size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
            entries.append((folder.stat().st_mtime, size, folder))
        except OSError:
            continue  # another run is trimming too
    total = sum(size for _, size, _ in entries)
    for _, size, folder in sorted(entries):
        if total <= limit_bytes:
            break
        shutil.rmtree(folder, ignore_errors=True)
        total -= size


def _discard_note(rule: LoaderRule, first: _Built) -> str:
    return (
        f"the row is the build that the loader's rule asks for; on a GPU, {rule.source.split(',')[0]} itself makes "
        f"it and then launches the first one ({first.grf_count} GRF, {first.spill_bytes:,} bytes of spill), because "
        "its loader drops the rebuilt module (intel-xpu-backend-for-triton#4286, mended in later versions)"
    )


def _build_key(spv: bytes, device: str, flags: str, toolchain: Toolchain) -> str:
    text = "\0".join((hashlib.sha256(spv).hexdigest(), device, flags, toolchain.name, toolchain.igc, toolchain.version))
    return hashlib.sha256(text.encode()).hexdigest()[:40]


def _outcome(result: CompileResult) -> dict[str, Any]:
    return {
        "status": result.status,
        "exit": result.exit,
        "seconds": round(result.seconds, 3),
        "error": result.error,
    }


def _store(build: Path, stored: Path) -> None:
    """Keep a copy for later runs; losing the race to another run, or the disk's end, only costs time later."""
    draft = stored.with_name(f".{stored.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        stored.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(build, draft)
        draft.rename(stored)
    except OSError:
        shutil.rmtree(draft, ignore_errors=True)
