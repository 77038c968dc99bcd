"""What is to vary: names that a user gave -> devices, GRF modes, options, toolchains, launch options."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar, get_args

from xpuasm_magic import toolchain
from xpuasm_magic.errors import SetupError, UsageError
from xpuasm_magic.loader import GRF_FLAGS
from xpuasm_magic.offline.devices import DEVICES, Device, find_device
from xpuasm_magic.recompile.ttir import Change
from xpuasm_magic.toolchain import Toolchain

Question = Literal["spirv", "source"]
"""`spirv`: the same SPIR-V, compiled by IGC again. `source`: the same source, compiled by Triton again, then by IGC.
Two questions: Triton's SPIR-V carries its sub-group size and what it knew of the device."""

OPT_DISABLE = "-cl-opt-disable"
_T = TypeVar("_T")


@dataclass(frozen=True)
class Axes:
    """The values of each axis; the cells are their product. An empty `devices`: each kernel's own."""

    question: Question
    devices: tuple[Device, ...]
    grf: tuple[str | None, ...]
    """Counts of registers, or `auto`; None: the kernel's own mode."""
    options: tuple[str, ...]
    """Build options beside the kernel's own."""
    toolchains: tuple[Toolchain, ...]
    changes: tuple[Change, ...]
    """Of Triton's options; for `spirv` the only one changes nothing."""


def axes(
    *,
    question: str | None,
    device: Sequence[str],
    grf: Sequence[str],
    options: Sequence[str],
    opt_disable: bool,
    toolchains: Sequence[str],
    threads_per_warp: Sequence[int],
    num_warps: Sequence[int],
    num_stages: Sequence[int],
) -> Axes:
    """Check the names and numbers of a user.

    Raises:
        UsageError: a name that nothing answers to, with those that are known; or two wishes that contradict.
        SetupError: no toolchain was named and there is none.
    """
    changes = _changes(threads_per_warp, num_warps, num_stages)
    asked = _question(question, changes)
    devices = _once(_device(name) for name in device)
    return Axes(
        question=asked,
        devices=devices,
        grf=_grf(grf, devices),
        options=_options(options, opt_disable),
        toolchains=_once(_toolchain(name) for name in toolchains) or (toolchain.find(),),
        changes=changes or (Change(),),
    )


def device_name(device: Device) -> str:
    """What a user calls it: the family where it is the family's default card, else the card."""
    return device.family if find_device(device.family) is device else device.card


def _question(question: str | None, changes: tuple[Change, ...]) -> Question:
    known = get_args(Question)
    if question is None:
        return "source" if changes else "spirv"
    if question not in known:
        raise UsageError(f"question {question!r}: known are {', '.join(known)}")
    if question == "spirv" and changes:
        names = ", ".join(sorted({name for change in changes for name in change.options()}))
        raise UsageError(f"{names} is Triton's: the same SPIR-V cannot have another; ask for question 'source'")
    return "source" if question == "source" else "spirv"


def _device(name: str) -> Device:
    try:
        return find_device(name)
    except ValueError as error:
        raise UsageError(f"device: {error}") from error


def _toolchain(name: str) -> Toolchain:
    try:
        return toolchain.find(name)
    except SetupError as error:
        raise UsageError(f"toolchain {name}: {error}") from error


def _grf(modes: Sequence[str], devices: tuple[Device, ...]) -> tuple[str | None, ...]:
    counts = sorted({count for device in devices or DEVICES for count in device.threads_per_eu})
    known = [*map(str, counts), "auto"]
    for mode in modes:
        if mode not in known:
            here = "the devices asked for have" if devices else "the known devices have"
            raise UsageError(f"grf {mode}: {here} {', '.join(known)}")
    return _once(modes) or (None,)


def _options(options: Sequence[str], opt_disable: bool) -> tuple[str, ...]:
    for text in options:
        if any(flag in text for flag in (*GRF_FLAGS.values(), "register-file-size")):
            raise UsageError(f"options {text!r}: name the GRF mode with grf, so that the table can tell")
    plain = _once(" ".join(text.split()) for text in options) or ("",)
    return (*plain, *(f"{text} {OPT_DISABLE}".strip() for text in plain)) if opt_disable else plain


def _changes(
    threads_per_warp: Sequence[int], num_warps: Sequence[int], num_stages: Sequence[int]
) -> tuple[Change, ...]:
    for name, values in (("threads_per_warp", threads_per_warp), ("num_warps", num_warps)):
        for value in values:
            if value < 1 or value & (value - 1):
                raise UsageError(f"{name} {value}: Triton takes powers of two, such as 16 or 32")
    if any(value < 1 for value in num_stages):
        raise UsageError("num_stages: give numbers above 0")
    if not (threads_per_warp or num_warps or num_stages):
        return ()
    return tuple(
        Change(width, warps, stages)
        for width in _once(threads_per_warp) or (None,)
        for warps in _once(num_warps) or (None,)
        for stages in _once(num_stages) or (None,)
    )


def _once(values: Iterable[_T]) -> tuple[_T, ...]:
    found: list[_T] = []
    for value in values:
        if value not in found:
            found.append(value)
    return tuple(found)
