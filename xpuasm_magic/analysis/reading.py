"""A stage that an analysis can do without."""

from __future__ import annotations

from xpuasm_magic.errors import ParseError
from xpuasm_magic.model import Kernel, Listing


def read_stage(kernel: Kernel, stage: str) -> Listing | None:
    """A stage's listing; None where there is none, or it cannot be read: its own view says why."""
    try:
        return kernel.listing(stage) if stage in kernel.stages else None
    except (ParseError, OSError):
        return None
