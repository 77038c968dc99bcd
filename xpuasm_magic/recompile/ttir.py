"""The same source for another device or other launch options: Triton compiles the variant's TTIR again.

TTIR is what Triton's front end made of the Python source for this signature and these constants. The front end of the
Intel back end asks neither the device nor `num_warps`, `num_stages` or `threads_per_warp`, so from the TTIR on
everything is as Triton would have made it from the source, and neither the user's script nor torch has to be loaded.
With unchanged device and options the SPIR-V is byte for byte the captured one (tested on every kernel of the corpus).

What this does not ask: Inductor, or an autotuner, may choose other kernels or configs on the other device; and a source
that itself asks for the device (`triton.runtime.driver`) has been answered for the captured one.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import select
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from xpuasm_magic.capture.folder import write_json
from xpuasm_magic.capture.store import Stored
from xpuasm_magic.childenv import ChildPython
from xpuasm_magic.model import Kernel
from xpuasm_magic.offline.devices import Device
from xpuasm_magic.regular import read_regular

_TICK_S = 0.1
DEFAULT_THREADS_PER_WARP = 32
"""Triton's own, of `XPUOptions`."""
# TRITON_INTEL_RAISE_BLOCK_POINTER, DISABLE_LLVM_OPT: switches that Triton counts into its cache key
_SWITCH = re.compile(r"(?:TRITON|DISABLE)_[A-Z0-9_]+")
_PLAIN = re.compile(r"[\w:.-]*")
_NOT_OURS = ("TRITON_CACHE_DIR", "TRITON_DUMP_DIR", "TRITON_OVERRIDE_DIR", "TRITON_CACHE_MANAGER")
_DPAS = re.compile(r"^#\w+ = #triton_intel_gpu\.dpas<", re.MULTILINE)
# names of the machine that compiled it, and what Triton writes beside the options
_NO_OPTIONS = frozenset(("hash", "target", "triton_version", "name", "shared", "build_flags", "warp_size", "ids"))


@dataclass(frozen=True)
class Change:
    """Triton's options that are to differ; None: as captured."""

    threads_per_warp: int | None = None
    num_warps: int | None = None
    num_stages: int | None = None

    def options(self) -> dict[str, int]:
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True)
class Job:
    """One run of Triton's compiler. `options` and `environment` are the captured ones with the change."""

    ttir: Path
    device: Device
    options: Mapping[str, Any]
    environment: Mapping[str, str]
    python: ChildPython = field(compare=False)

    @property
    def stored(self) -> Stored:
        """Where its result is kept: by all that shapes it, and by the Triton that makes it."""
        library = self.python.site_packages / "triton"
        stamp = max((path.stat().st_mtime_ns for path in library.glob("_C/libtriton*")), default=0)
        made_of = {
            "ttir": hashlib.sha256(self.ttir.read_bytes()).hexdigest(),
            "device": {name: str(value) for name, value in self.device.properties().items()},
            "options": dict(self.options),
            "environment": dict(self.environment),
            "triton": [self.python.triton, self.python.triton_xpu, str(library), stamp],
        }
        return Stored("triton", json.dumps(made_of, sort_keys=True, default=str))


def job(kernel: Kernel, device: Device, change: Change, python: ChildPython) -> Job | str:
    """The run that answers a change, or a sentence on why it cannot be asked."""
    if "ttir" not in kernel.stages:
        return "the capture has no TTIR of this kernel: only what Triton compiled can be compiled again from its source"
    metadata = kernel.variant.metadata
    if not metadata:
        return "the capture has no metadata of this kernel: the options that Triton compiled it with are not known"
    options = {name: value for name, value in metadata.items() if name not in _NO_OPTIONS and name.islower()}
    if libraries := _libraries(metadata):
        options["extern_libs"] = libraries
    else:
        options.pop("extern_libs", None)
    if _width_is_the_devices(kernel, metadata):
        options["threads_per_warp"] = DEFAULT_THREADS_PER_WARP
    if "generate_native_code" in options:
        options["generate_native_code"] = False  # ocloc is ours to run
    options |= change.options()
    return Job(kernel.path("ttir"), device, options, _environment(metadata), python)


def run(
    jobs: Sequence[Job],
    outs: Sequence[Path],
    ended: Callable[[int, Mapping[str, Any]], None],
    *,
    timeout_s: float,
    stopped: Callable[[], bool],
) -> None:
    """Compile all jobs, each into its folder, telling each end as it comes; those not told were stopped.

    Args:
        jobs: what to compile.
        outs: an empty folder for each.
        ended: called with the job's number and `status`, `error`, `seconds`, from this thread.
        timeout_s: for one job.
        stopped: asked some ten times a second; True ends all.
    """
    left = []
    for number, (one, out) in enumerate(zip(jobs, outs, strict=True)):
        earlier = one.stored.fetch(out)
        if earlier is None:
            out.mkdir(parents=True, exist_ok=True)
            left.append(number)
        else:
            ended(number, {"status": "ok", "error": None, "seconds": 0.0, **earlier})
    if not left or stopped():
        return
    for number, answer in _child(jobs[left[0]].python, [_record(jobs[n], outs[n], timeout_s) for n in left], stopped):
        one, out = jobs[left[number]], outs[left[number]]
        if answer["status"] == "ok":
            write_json(out / "build.json", answer)
            one.stored.keep(out)
        ended(left[number], answer)


def _record(one: Job, out: Path, timeout_s: float) -> dict[str, Any]:
    return {
        "ttir": str(one.ttir),
        "device": one.device.card,
        "options": dict(one.options),
        "environment": dict(one.environment),
        "out": str(out),
        "timeout_s": timeout_s,
    }


def _child(
    python: ChildPython, jobs: Sequence[Mapping[str, Any]], stopped: Callable[[], bool]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The answers of the child as they come, by number; when it ends before its time, its last words are the answer."""
    with tempfile.TemporaryDirectory(prefix="xpuasm-") as scratch:
        config, log = Path(scratch, "jobs.json"), Path(scratch, "log")
        workers = min(len(jobs), os.cpu_count() or 2)
        write_json(config, {"parent": os.getpid(), "workers": workers, "jobs": list(jobs)})
        with log.open("wb") as sink:
            process = subprocess.Popen(
                [str(python.path), str(Path(__file__).with_name("child.py")), str(config)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=sink,
                env={k: v for k, v in os.environ.items() if not _SWITCH.fullmatch(k)},
                start_new_session=True,
            )
        told = set()
        try:
            for line in _lines(process, stopped):
                answer = json.loads(line)
                number = answer.pop("index")
                told.add(number)
                yield number, answer
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if stopped():
            return
        words = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        error = (
            f"Triton could not be run by {python.path}: {words[-1] if words else f'exit status {process.returncode}'}"
        )
        for number in range(len(jobs)):
            if number not in told:
                yield number, {"status": "failed", "error": error, "seconds": 0.0}


def _lines(process: subprocess.Popen[bytes], stopped: Callable[[], bool]) -> Iterator[bytes]:
    """Whole lines of the child's output, until it ends or is to be stopped."""
    assert process.stdout is not None
    rest = b""
    with process.stdout as pipe:
        while not stopped():
            if not select.select([pipe], [], [], _TICK_S)[0]:
                continue
            data = os.read(pipe.fileno(), 1 << 16)
            if not data:
                return
            *lines, rest = (rest + data).split(b"\n")
            yield from lines


def _libraries(metadata: Mapping[str, Any]) -> list[list[str]]:
    """Libraries that the kernel was linked with, less Triton's own, whose place is another on each machine."""
    named = metadata.get("extern_libs")
    pairs = [pair for pair in named if isinstance(pair, list) and len(pair) == 2] if isinstance(named, list) else []
    return [[str(name), str(path)] for name, path in pairs if name != "libdevice"]


def _environment(metadata: Mapping[str, Any]) -> dict[str, str]:
    """Triton's switches at the time, as it recorded them; plain words only: a capture may come from anybody."""
    return {
        name: str(value)
        for name, value in metadata.items()
        if _SWITCH.fullmatch(name) and name not in _NOT_OURS and _PLAIN.fullmatch(str(value))
    }


def _width_is_the_devices(kernel: Kernel, metadata: Mapping[str, Any]) -> bool:
    """Whether Triton, for dpas, took the device's narrowest sub-group whatever was asked: that was not recorded.

    Triton's default stands for it, as in almost every source; on the captured device it comes to the same code.
    """
    target = metadata.get("target")
    properties = target.get("arch") if isinstance(target, dict) else None
    sizes = properties.get("sub_group_sizes") if isinstance(properties, dict) else None
    if not isinstance(sizes, list) or not sizes or kernel.variant.threads_per_warp != min(sizes):
        return False
    if "ttgir" not in kernel.stages:
        return False
    try:
        text = read_regular(kernel.path("ttgir")).decode("utf-8", "replace")
    except OSError:
        return False
    return _DPAS.search(text) is not None
