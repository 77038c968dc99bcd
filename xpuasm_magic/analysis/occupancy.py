"""How much of a Xe core a kernel can keep busy: hardware threads, work-groups and shared local memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import Literal

from xpuasm_magic.analysis.device import device_of
from xpuasm_magic.analysis.spills import grf_count, simd_width
from xpuasm_magic.model import Kernel
from xpuasm_magic.offline.devices import Device

KIB = 1024
_SLM_PER_CORE: Mapping[str, int] = {
    "pvc": 128 * KIB,
    "acm-g10": 128 * KIB,
    "arl-h": 128 * KIB,
    "bmg": 160 * KIB,
    "lnl": 128 * KIB,
}
"""Largest shared local memory that the driver partitions off a Xe core's L1, by device family.

Source: compute-runtime, `getSizeToPreferredSlmValue` of shared/source/release_helper (12.60 pvc, 12.55 acm-g10, 12.74
arl-h, 20.1 bmg, 20.4 lnl). Its versions contradict each other for Xe3 (128 or 192 KiB), so that ptl has no entry.
"""

_SLM_STEPS = tuple(size * KIB for size in (0, 1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128))
_SLM_STEPS_XE_HPG = tuple(size * KIB for size in (0, 1, 2, 4, 8, 16, 32, 64))
"""What one work-group is given, next larger than what it asks for (compute-runtime, `alignSlmSize`)."""


@dataclass(frozen=True)
class Occupancy:
    """An upper bound: what the kernel itself allows, with enough work-groups launched. What is not known is None."""

    threads_per_eu: int | None = None
    """Hardware threads that a vector engine (EU, XVE) holds at the kernel's number of registers."""
    threads_per_core: int | None = None
    """The same of a Xe core: `threads_per_eu` times its vector engines."""
    threads_per_work_group: int | None = None
    slm_per_work_group: int | None = None
    """Bytes that a work-group is given: what it asks for, rounded up to what the hardware can give."""
    slm_per_core: int | None = None
    work_groups: int | None = None
    """Whole work-groups that fit on a Xe core at once."""
    limit: Literal["threads", "shared local memory"] | None = None
    """What runs out first."""
    occupancy: float | None = None
    """Share of `threads_per_core` that they fill, 0 to 1."""
    reason: str | None = None
    """Why `work_groups` or `occupancy` is not known."""


def occupancy(kernel: Kernel) -> Occupancy:
    """How full a Xe core can be.

    work_groups = min(threads_per_core // threads_per_work_group, slm_per_core // slm_per_work_group) and
    occupancy = work_groups * threads_per_work_group / threads_per_core, since the threads of a work-group that has
    barriers or shared local memory all run on one Xe core. Those of any other may be spread over several: occupancy 1.
    Source: oneAPI GPU Optimization Guide, "SYCL Thread Mapping and GPU Occupancy". The number of hardware barriers and
    the dispatch rate are not taken into account.
    """
    device = device_of(kernel)
    per_eu = kernel.threads_per_eu
    if per_eu is None and device is not None:
        per_eu = device.threads_per_eu.get(grf_count(kernel) or 0)
    known = Occupancy(threads_per_eu=per_eu, threads_per_work_group=threads_per_work_group(kernel))
    if device is None:
        return replace(known, reason=f"no row for device {kernel.device}" if kernel.device else "the device is unknown")
    if per_eu is None:
        return replace(known, reason=f"hardware threads per EU are unknown for {grf_count(kernel)} registers")
    if kernel.slm_size is not None and kernel.slm_size > device.local_memory:
        return replace(known, reason="it asks for more shared local memory than a work-group may have")
    known = replace(
        known,
        threads_per_core=per_eu * device.xves_per_core,
        slm_per_work_group=_given(kernel.slm_size, device),
        slm_per_core=_SLM_PER_CORE.get(device.family),
    )
    return _resident(known, barriers=kernel.env.barrier_count if kernel.env else None)


def threads_per_work_group(kernel: Kernel) -> int | None:
    """Hardware threads of a work-group: Triton's `num_warps`, else the work-group size that the compiler states."""
    variant = kernel.variant
    simd = simd_width(kernel)
    if variant.num_warps is not None and variant.threads_per_warp is not None:
        items = variant.num_warps * variant.threads_per_warp
    else:
        stated = kernel.env.required_work_group_size if kernel.env else None
        items = prod(stated) if stated else 0
    return -(-items // simd) if items and simd else None


def _resident(known: Occupancy, barriers: int | None) -> Occupancy:
    threads, wanted = known.threads_per_core or 0, known.threads_per_work_group
    slm = known.slm_per_work_group
    if wanted is None:
        return replace(known, reason="the size of a work-group is unknown")
    if slm is None:
        return replace(known, reason="the shared local memory of a work-group is unknown")
    by_threads = threads // wanted
    if not slm:
        if barriers is None:
            return replace(known, reason="whether there are barriers is unknown")
        full = 1.0 if not barriers else by_threads * wanted / threads
        return replace(known, work_groups=by_threads, limit="threads", occupancy=full)
    if known.slm_per_core is None:
        return replace(known, reason="the shared local memory of a Xe core is unknown for this device")
    by_slm = known.slm_per_core // slm
    fit = min(by_threads, by_slm)
    return replace(
        known,
        work_groups=fit,
        limit="threads" if by_threads <= by_slm else "shared local memory",
        occupancy=fit * wanted / threads,
    )


def _given(wanted: int | None, device: Device) -> int | None:
    """Bytes that a work-group gets."""
    if wanted is None:
        return None
    steps = _SLM_STEPS_XE_HPG if device.grf_bytes < 64 else _SLM_STEPS
    return next((step for step in steps if wanted <= step <= device.local_memory), None)
