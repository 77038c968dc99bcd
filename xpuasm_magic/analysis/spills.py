"""How much of a kernel's registers went to memory."""

from __future__ import annotations

from xpuasm_magic.model import Attempt, Kernel

DWORD_BYTES = 4


def spill_bytes(code: Kernel | Attempt) -> int | None:
    """Spill per hardware thread: the binary's ze_info, else the listing's header; None where neither is."""
    if code.env and code.env.spill_size is not None:
        return code.env.spill_size
    return code.header.spill_size if code.header else None


def simd_width(code: Kernel | Attempt) -> int | None:
    """Work-items per hardware thread: the binary's ze_info, else the listing's file name."""
    if code.env and code.env.simd_size is not None:
        return code.env.simd_size
    return code.header.simd if code.header else None


def grf_count(code: Kernel | Attempt) -> int | None:
    """General registers per hardware thread: the binary's ze_info, else the listing's header."""
    if code.env and code.env.grf_count is not None:
        return code.env.grf_count
    return code.header.num_grf if code.header else None


def spill_dwords_per_lane(code: Kernel | Attempt) -> float | None:
    """Spill per work-item, in 32-bit words: bytes / (4 * SIMD width), as CUDA's tools and newer Tritons count."""
    spill, simd = spill_bytes(code), simd_width(code)
    return None if spill is None or not simd else spill / (DWORD_BYTES * simd)


def launched_spill_bytes(kernel: Kernel) -> int | None:
    """Spill of the build that the installed Triton launches, where that is not the row's; else the row's."""
    launched = [attempt for attempt in kernel.attempts if attempt.launched]
    return spill_bytes(launched[0] if launched else kernel)
