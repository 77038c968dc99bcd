"""Capture -> one line that says what was found."""

from __future__ import annotations

from collections import Counter

from xpuasm_magic.analysis.spills import launched_spill_bytes, spill_bytes
from xpuasm_magic.model import Capture, Status

_UNDONE: tuple[Status, ...] = ("compiling", "failed", "crashed", "timeout", "incomplete", "interrupted", "not built")


def verdict(capture: Capture) -> str:
    """E.g. `12 kernels, 2 spill (worst 5,440 B/thread), pvc max1550, IGC 2.40.14, triton-xpu 3.3.0b1, …`."""
    if not capture.kernels and capture.info.state == "running":
        return "no kernel yet: the run goes on"
    if not capture.kernels:
        return f"no kernel: {_why_none(capture)}"
    count = len(capture.kernels)
    parts = [f"{count:,} kernel{'s' if count > 1 else ''}"]
    statuses = Counter(kernel.status for kernel in capture.kernels)
    parts += [f"{statuses[status]:,} {status}" for status in _UNDONE if statuses[status]]
    if spills := [spill for kernel in capture.kernels if (spill := spill_bytes(kernel))]:
        parts.append(f"{len(spills):,} spill (worst {max(spills):,} B/thread)")
    elif statuses["ok"]:
        parts.append("none spills")
    if dropped := [kernel for kernel in capture.kernels if any(attempt.launched for attempt in kernel.attempts)]:
        worst = max(launched_spill_bytes(kernel) or 0 for kernel in dropped)
        parts[-1] += (
            f"; this triton-xpu launches a spilling build of {len(dropped):,} instead (worst {worst:,} B/thread)"
        )
    return ", ".join([*parts, *_where(capture)])


def _where(capture: Capture) -> list[str]:
    """The device and the versions that made the code, as far as they are known."""
    info = capture.info
    names = [str(info.device[name]) for name in ("name", "card") if info.device.get(name)]
    devices = list(dict.fromkeys(kernel.device for kernel in capture.kernels if kernel.device))
    parts = [" ".join(dict.fromkeys(names))] if names else devices[:3]
    for label, package in (("IGC", "igc"), ("triton-xpu", "triton_xpu")):
        if package in info.versions:
            parts.append(f"{label} {info.versions[package]}")
    if info.device.get("real") is False:
        parts.append("no GPU: values from the CPU")
    return parts


def _why_none(capture: Capture) -> str:
    """The last thing that went wrong: the diagnosis of a run is the last note that it takes."""
    grave = [note.message for note in capture.notes if note.severity != "info"]
    other = [note.message for note in capture.notes]
    return (grave or other or ["nothing was compiled"])[-1]
