"""The GPU families whose compilers are understood."""

from __future__ import annotations

from xpuasm_magic.backends.backend import Backend, Stage
from xpuasm_magic.backends.intel import INTEL

__all__ = ["BACKENDS", "INTEL", "Backend", "Stage"]

BACKENDS: tuple[Backend, ...] = (INTEL,)
