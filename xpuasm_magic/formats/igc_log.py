"""What IGC logs of spilling and of compiling again -> records."""

from __future__ import annotations

import re
from dataclasses import dataclass

# warning: kernel matmul_kernel  compiled SIMD16 allocated 128 regs and spilled around 257                 IGC 1.0
# warning: in kernel 'spill_kernel': compiled SIMD32 allocated 128 regs and spilled around 245             IGC 2
_SPILLED = re.compile(
    r"kernel '?(?P<kernel>[^\s']+)'?:?\s+compiled SIMD(?P<simd>\d{1,9}) allocated (?P<grf>\d{1,9}) regs "
    r"and spilled around (?P<registers>\d{1,9})"
)
# warning: in kernel 'matmul_kernel': [RetryManager] Start recompilation of the kernel                     IGC 2
# warning: [RetryManager] Start recompilation of the kernel
# in kernel: 'matmul_kernel'                                                                         IGC 1.0.17791
_RETRY = re.compile(
    r"(?:kernel '?(?P<before>[^\s':]+)'?: )?\[RetryManager\] Start recompilation of the kernel"
    r"(?:\s*in kernel:? '?(?P<after>[^\s']+)'?)?"
)


@dataclass(frozen=True)
class LoggedSpill:
    """The warning for a kernel that spills; `registers` is the spill divided by a register's size."""

    kernel: str
    simd: int
    grf_count: int
    registers: int


def parse_spill_warnings(text: str) -> tuple[LoggedSpill, ...]:
    """Every warning of spilled registers in a compiler's log."""
    return tuple(
        LoggedSpill(found["kernel"], int(found["simd"]), int(found["grf"]), int(found["registers"]))
        for found in _SPILLED.finditer(text)
    )


def recompiled_kernels(text: str) -> tuple[str | None, ...]:
    """Kernels that the log says were compiled again, in order; None: it does not name the kernel."""
    return tuple(found["before"] or found["after"] for found in _RETRY.finditer(text))
