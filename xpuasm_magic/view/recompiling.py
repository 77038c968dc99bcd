"""What a page asks to be compiled: a thread for each matrix, whose progress and end the page asks for."""

from __future__ import annotations

import shlex
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypedDict

from xpuasm_magic import toolchain
from xpuasm_magic.errors import SetupError, XpuasmError
from xpuasm_magic.model import Kernel
from xpuasm_magic.offline.devices import DEVICES
from xpuasm_magic.recompile import QUESTIONS, Progress, WhatIf, recompile
from xpuasm_magic.recompile.axes import device_name
from xpuasm_magic.view.columns import plain
from xpuasm_magic.view.matrix import MatrixPayload, matrix_payload

_KEPT = 12
"""Matrices whose listings can be opened."""


class ChoicePayload(TypedDict):
    """A value of an axis, with words for the reader."""

    value: str
    title: str


class ChoicesPayload(TypedDict):
    """What can vary, with the values that are known."""

    questions: dict[str, str]
    device: list[ChoicePayload]
    grf: list[ChoicePayload]
    toolchain: list[ChoicePayload]
    threads_per_warp: list[ChoicePayload]
    num_warps: list[ChoicePayload]
    own: dict[str, str]
    """The kernel's own, for the reader to know what differs."""


class JobPayload(TypedDict):
    """How far a matrix is; `matrix` is there when it has ended."""

    job: str
    phase: str
    cells: int
    done: int
    refused: int
    failed: int
    elapsed_s: float
    matrix: MatrixPayload | None


_STARTING = Progress(phase="starting", cells=0, done=0, refused=0, failed=0, elapsed_s=0)


@dataclass
class _Job:
    kernel: Kernel
    id_: str
    cancel: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)
    progress: Progress = _STARTING
    found: WhatIf | None = None
    error: Exception | None = None


class Recompiling:
    """The jobs of one page. Every method returns at once."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[str, _Job] = OrderedDict()
        self._count = 0

    @property
    def matrices(self) -> dict[str, WhatIf]:
        """Those that are there, by the number of their job."""
        return {number: job.found for number, job in self._jobs.items() if job.found}

    def choices(self, kernel: Kernel) -> ChoicesPayload:
        devices = [device for device in DEVICES if device_name(device) == device.family]
        cards = [device for device in DEVICES if device_name(device) != device.family]
        counts = sorted({count for device in DEVICES for count in device.threads_per_eu})
        everywhere = [count for count in counts if all(count in device.threads_per_eu for device in DEVICES)]
        widths = sorted({size for device in DEVICES for size in device.sub_group_sizes})
        try:
            chains = toolchain.available()
        except SetupError:
            chains = []
        variant = kernel.variant
        own = {
            "device": kernel.device,
            "num_warps": variant.num_warps,
            "threads_per_warp": variant.threads_per_warp,
            "options": variant.build_flags,
        }
        return ChoicesPayload(
            questions=dict(QUESTIONS),
            device=[
                ChoicePayload(value=device_name(device), title=f"{device_name(device)}: {device.title}")
                for device in (*devices, *cards)
            ],
            grf=[
                *(ChoicePayload(value=str(count), title=str(count)) for count in everywhere),
                ChoicePayload(value="auto", title="auto: IGC chooses"),
                *(ChoicePayload(value=str(c), title=f"{c}, some devices") for c in counts if c not in everywhere),
            ],
            toolchain=[ChoicePayload(value=one.name, title=f"{one.name}: IGC {one.igc}") for one in chains],
            threads_per_warp=[ChoicePayload(value=str(width), title=str(width)) for width in widths],
            num_warps=[ChoicePayload(value=str(1 << power), title=str(1 << power)) for power in range(7)],
            own={name: str(plain(value)) for name, value in own.items() if value},
        )

    def start(self, kernel: Kernel, id_: str, wanted: Mapping[str, Any]) -> JobPayload:
        """Begin a matrix. Raises XpuasmError: the wishes are not what the form can send."""
        conditions = _conditions(wanted)
        self._count += 1
        number = str(self._count)
        job = self._jobs[number] = _Job(kernel, id_)
        for old in [old for old, one in self._jobs.items() if one.ended.is_set()][:-_KEPT]:
            del self._jobs[old]
        threading.Thread(target=_run, args=(job, conditions), name="xpuasm-whatif", daemon=True).start()
        return self.poll(number)

    def poll(self, number: str) -> JobPayload:
        """Raises XpuasmError, with what went wrong, where it could not be compiled."""
        job = self._job(number)
        if job.error is not None:
            raise XpuasmError(str(job.error)) from job.error
        found = job.found
        progress = job.progress
        return JobPayload(
            job=number,
            phase=progress.phase,
            cells=progress.cells,
            done=progress.done,
            refused=progress.refused,
            failed=progress.failed,
            elapsed_s=round(progress.elapsed_s, 1),
            matrix=matrix_payload(found, number, job.kernel, job.id_) if found else None,
        )

    def cancel(self, number: str) -> JobPayload:
        """What has ended by then stays."""
        self._job(number).cancel.set()
        return self.poll(number)

    def close(self) -> None:
        """Nobody asks any longer."""
        for job in self._jobs.values():
            job.cancel.set()

    def _job(self, number: str) -> _Job:
        try:
            return self._jobs[number]
        except KeyError as error:
            raise XpuasmError("this table of what-ifs is no longer kept; compile it again") from error


def _run(job: _Job, conditions: Mapping[str, Any]) -> None:
    def watch(progress: Progress) -> None:
        job.progress = progress

    try:
        job.found = recompile(job.kernel, watch=watch, cancel=job.cancel, **conditions)
    except XpuasmError as error:
        job.error = error
    except Exception as error:  # a fault of ours: the page must hear of it, and the traceback is not lost
        job.error = RuntimeError(f"{type(error).__name__}: {error}")
        raise
    finally:
        job.ended.set()


def _conditions(wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Of the form's words the arguments of `recompile`; nothing else passes."""
    question = str(wanted.get("question"))
    if question not in QUESTIONS:
        raise XpuasmError(f"the page asked question {question!r}, which this version does not know; reload the page")
    found: dict[str, Any] = {"question": question, "device": _words(wanted, "device"), "grf": _words(wanted, "grf")}
    found["toolchain"] = _words(wanted, "toolchain")
    if options := str(wanted.get("options") or "").strip():
        _checked(options)
        found["options"] = ["", options]
    if wanted.get("opt_disable"):
        found["opt_disable"] = True
    if question == "source":
        for name in ("threads_per_warp", "num_warps"):
            found[name] = [int(word) for word in _words(wanted, name) if word.isdecimal()]
    return found


def _words(wanted: Mapping[str, Any], name: str) -> list[str]:
    words = wanted.get(name)
    return [str(word) for word in words] if isinstance(words, (list, tuple)) else []


def _checked(options: str) -> None:
    try:
        words = shlex.split(options)
    except ValueError as error:
        raise XpuasmError(f"options {options!r}: {error}") from error
    wrong = [word for word in words if not word.startswith("-")]
    if wrong:
        raise XpuasmError(f"options {options!r}: {wrong[0]!r} does not begin with -, as every option of IGC's does")
