"""How much of a kernel's registers went to memory."""

from __future__ import annotations

from xpuasm_magic.model import Attempt, Kernel


def spill_bytes(code: Kernel | Attempt) -> int | None:
    """Spill per hardware thread: the binary's ze_info, else the listing's header; None where neither is."""
    if code.env and code.env.spill_size is not None:
        return code.env.spill_size
    return code.header.spill_size if code.header else None


def launched_spill_bytes(kernel: Kernel) -> int | None:
    """Spill of the build that the installed Triton launches, where that is not the row's; else the row's."""
    launched = [attempt for attempt in kernel.attempts if attempt.launched]
    return spill_bytes(launched[0] if launched else kernel)
