"""Notes on what was asked of the compiler and what it did."""

from __future__ import annotations

import re
from collections.abc import Iterator

from xpuasm_magic.analysis.advice.code import Code
from xpuasm_magic.analysis.advice.note import Advice
from xpuasm_magic.analysis.spills import grf_count, simd_width

# -cl-intel-256-GRF-per-thread
_GRF_FLAG = re.compile(r"-cl-intel-(?P<count>\d+)-GRF-per-thread")


def simd16_where_32(code: Code) -> Iterator[Advice]:
    """Compiled for fewer work-items per hardware thread than asked for.

    Each instruction then does less, and code that counts on the sub-group's size computes something else.
    `IGC_ForceOCLSIMDWidth` does so on IGC 1.0, even against a required sub-group size. Source: `.ze_info` (`simd_size`)
    against Triton's `threads_per_warp`, which is the same number.
    """
    asked, got = code.kernel.variant.threads_per_warp, simd_width(code.kernel)
    if asked is not None and got is not None and got < asked:
        yield Advice(
            "simd16-where-32",
            f"compiled SIMD{got}, though Triton asked for {asked} threads per warp: each instruction serves "
            f"{got} work-items. Look for IGC_ForceOCLSIMDWidth and the like in the environment.",
            severity="warning",
        )


def grf_mode_disagrees(code: Code) -> Iterator[Advice]:
    """The number of registers in the flags is not that of the binary, or the flags contradict one another.

    Triton's json may say 256 while the code has 128: IGC heeds the first flag where Triton's loader has appended a
    second (seen with native code, `grf_mode="small"`). Read the number from the binary. Source: `.ze_info`
    (`grf_count`) against the build flags; intel-xpu-backend-for-triton #5153.
    """
    flags = code.kernel.variant.build_flags
    asked = [int(found["count"]) for found in _GRF_FLAG.finditer(flags)]
    got = grf_count(code.kernel)
    if got is None or all(count == got for count in asked):
        return
    numbers = " and ".join(map(str, dict.fromkeys(asked)))
    yield Advice(
        "grf-mode-disagrees",
        f"the build flags ask for {numbers} registers per hardware thread, the binary has {got}"
        f"{': of contradicting flags IGC heeds one' if len(set(asked)) > 1 else ''}.",
        severity="warning",
    )
