"""Do the sources of a row agree? Triton's metadata, the binary's ze_info and the listing's header."""

from __future__ import annotations

from dataclasses import dataclass

from xpuasm_magic.model import Kernel


@dataclass(frozen=True)
class Check:
    """`holds` None: one of the two sides is not known."""

    name: str
    holds: bool | None
    message: str = ""
    """What disagrees, where it does."""


def checks(kernel: Kernel) -> tuple[Check, ...]:
    """All checks of a row, in the order of the table's column."""
    return _simd(kernel), _work_group(kernel), _header(kernel)


def failed_checks(kernel: Kernel) -> tuple[Check, ...]:
    return tuple(check for check in checks(kernel) if check.holds is False)


def _simd(kernel: Kernel) -> Check:
    """`simd_size` is the sub-group size, which Triton calls `threads_per_warp`."""
    simd = kernel.env.simd_size if kernel.env else kernel.header.simd if kernel.header else None
    asked = kernel.variant.threads_per_warp
    if simd is None or asked is None:
        return Check("simd", None)
    return Check("simd", simd == asked, f"compiled SIMD{simd}, Triton asked for {asked} threads per warp")


def _work_group(kernel: Kernel) -> Check:
    """Where the compiler states a work-group size it is `num_warps * threads_per_warp`."""
    stated = kernel.env.required_work_group_size if kernel.env else None
    warps, width = kernel.variant.num_warps, kernel.variant.threads_per_warp
    if stated is None or warps is None or width is None:
        return Check("work_group", None)
    x, y, z = stated
    return Check(
        "work_group",
        x * y * z == warps * width,
        f"compiled for {x * y * z} work-items, Triton asked for {warps} x {width}",
    )


def _header(kernel: Kernel) -> Check:
    """The listing's header and the binary's ze_info say the same of registers, width and memory."""
    header, env = kernel.header, kernel.env
    if header is None or env is None:
        return Check("header", None)
    pairs = (
        ("GRF", header.num_grf, env.grf_count),
        ("SIMD", header.simd, env.simd_size),
        ("spill bytes", header.spill_size, env.spill_size),
        ("private bytes", header.private_size, env.private_size),
    )
    different = [
        f"{ours} {what} in the listing, {theirs} in the ze_info"
        for what, ours, theirs in pairs
        if ours is not None and theirs is not None and ours != theirs
    ]
    return Check("header", not different, "; ".join(different))
