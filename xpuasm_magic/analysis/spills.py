"""How much of a kernel's registers went to memory."""

from __future__ import annotations

from xpuasm_magic.model import Kernel


def spill_bytes(kernel: Kernel) -> int | None:
    """Spill per hardware thread: the binary's ze_info, else the listing's header; None where neither is."""
    if kernel.env and kernel.env.spill_size is not None:
        return kernel.env.spill_size
    return kernel.header.spill_size if kernel.header else None
