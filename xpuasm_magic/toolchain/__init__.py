"""Intel's offline compiler: found, installed without root, and run on SPIR-V."""

from __future__ import annotations

from xpuasm_magic.toolchain.compile import CompileResult
from xpuasm_magic.toolchain.installer import install, remove
from xpuasm_magic.toolchain.model import Toolchain
from xpuasm_magic.toolchain.search import available, find, installed


def device_flags_query(device: str, toolchain: Toolchain | None = None) -> frozenset[str]:
    """The OpenCL extensions that ocloc says a device has."""
    return (toolchain or find()).device_extensions(device)


__all__ = [
    "CompileResult",
    "Toolchain",
    "available",
    "device_flags_query",
    "find",
    "install",
    "installed",
    "remove",
]
