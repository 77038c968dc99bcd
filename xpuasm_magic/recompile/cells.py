"""A cell of the matrix: one kernel, one device, one set of options, one compiler."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xpuasm_magic.errors import UsageError
from xpuasm_magic.loader import GRF_FLAGS, grf_label
from xpuasm_magic.model import Kernel
from xpuasm_magic.offline.devices import DEVICES, Device, find_device
from xpuasm_magic.recompile.axes import Axes, Question, device_name
from xpuasm_magic.recompile.ttir import Change
from xpuasm_magic.toolchain import Toolchain

_TRITON_MODES = {"128": "small", "256": "large", "auto": "auto"}
"""Triton's words for the modes: with them it writes the same flags."""


@dataclass(frozen=True)
class Cell:
    """One row that is to be."""

    key: str
    """What names it: in the table, and as the key of its kernel."""
    question: Question
    kernel: Kernel
    """The captured one."""
    device: Device
    grf: str | None
    """A count of registers, or `auto`; None: the kernel's own mode."""
    options: str
    toolchain: Toolchain
    change: Change

    @property
    def flags(self) -> str:
        """What ocloc is given: the kernel's own build flags, with the GRF mode and the options of this cell."""
        own = self.kernel.variant.build_flags.split()
        if self.grf is not None:
            own = [flag for flag in own if flag not in GRF_FLAGS.values()] + [_grf_flag(self.grf)]
        return " ".join([*own, *self.options.split()])

    @property
    def grf_mode(self) -> str:
        """`128`, `256`, …, `auto`, or `default` where no flag says it and the compiler chooses."""
        return self.grf or grf_label(self.flags).removeprefix("grf")

    @property
    def build(self) -> str:
        """The build's folder: ocloc's device and the GRF mode, as in a capture."""
        return f"{self.device.ocloc}-{self.grf_mode}"

    @property
    def triton_mode(self) -> str:
        """`grf_mode` as Triton's metadata would have it."""
        return _TRITON_MODES.get(self.grf_mode, "default")


def cells(asked: Axes, kernels: Sequence[Kernel], record: dict[str, Any]) -> tuple[Cell, ...]:
    """The product of kernels and axes, kernels outermost.

    Args:
        asked: the axes.
        kernels: of the capture.
        record: `capture.json`, which may name the device.

    Raises:
        UsageError: no device was named, and the capture does not say of which device a kernel is.
    """
    found: list[Cell] = []
    keys: set[str] = set()
    several = len(asked.toolchains) > 1
    for kernel in kernels:
        for device in asked.devices or (_own_device(kernel, record),):
            for change in asked.changes:
                for options in asked.options:
                    for chain in asked.toolchains:
                        for grf in asked.grf:
                            parts = [kernel.key[:12], asked.question, device_name(device), *_words(change)]
                            parts += [grf or "own", *([f"igc{chain.igc}"] if several else []), *_short(options)]
                            key = _unique(re.sub(r"[^\w.+-]", "_", "-".join(parts)).lstrip("."), keys)
                            found.append(Cell(key, asked.question, kernel, device, grf, options, chain, change))
    return tuple(found)


def _own_device(kernel: Kernel, record: dict[str, Any]) -> Device:
    """The card that the capture was made for, else that of its zebin, else of Triton's target."""
    device = record.get("device")
    names = [device.get("card"), device.get("name")] if isinstance(device, dict) else []
    for name in (*names, kernel.device):
        try:
            return find_device(str(name or "-"))
        except ValueError:
            continue
    target = kernel.variant.metadata.get("target")
    properties = target.get("arch") if isinstance(target, dict) else None
    if isinstance(properties, dict):
        alike = [d for d in DEVICES if d.architecture == properties.get("architecture")]
        exact = [d for d in alike if d.xe_cores == properties.get("gpu_subslice_count")]
        if exact or alike:
            return (exact or alike)[0]
    raise UsageError(f"the capture does not say for which device {kernel.name} was compiled; name one (device)")


def _grf_flag(mode: str) -> str:
    # the counts that only Xe3 has beside 128 and 256 have no flag of their own name in IGC
    return GRF_FLAGS.get(mode) or f"-cl-intel-exp-register-file-size={mode}"


def _words(change: Change) -> list[str]:
    letters = {"threads_per_warp": "t", "num_warps": "w", "num_stages": "s"}
    return [f"{letters[name]}{value}" for name, value in change.options().items()]


def _short(options: str) -> list[str]:
    if not options:
        return []
    named = re.fullmatch(r"-cl-([a-z0-9-]{1,24})", options)
    return [named[1] if named else hashlib.sha256(options.encode()).hexdigest()[:8]]


def _unique(key: str, taken: set[str]) -> str:
    unique, number = key, 1
    while unique in taken:
        number += 1
        unique = f"{key}-{number}"
    taken.add(unique)
    return unique
