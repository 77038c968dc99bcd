"""Does a toolchain compile at all? Asked with the smallest kernel there is."""

from __future__ import annotations

import struct
from pathlib import Path

from xpuasm_magic.errors import SetupError
from xpuasm_magic.toolchain.model import Toolchain

# SPIR-V of `kernel void k() {}`: each row is one instruction, its first word is (words << 16 | opcode).
_MODULE = (
    (0x07230203, 0x00010000, 0, 5, 0),  # magic, version 1.0, generator, bound, schema
    (2 << 16 | 17, 4),  # OpCapability Addresses
    (2 << 16 | 17, 6),  # OpCapability Kernel
    (3 << 16 | 14, 2, 2),  # OpMemoryModel Physical64 OpenCL
    (4 << 16 | 15, 6, 4, 0x6B),  # OpEntryPoint Kernel %4 "k"
    (2 << 16 | 19, 1),  # %1 = OpTypeVoid
    (3 << 16 | 33, 2, 1),  # %2 = OpTypeFunction %1
    (5 << 16 | 54, 1, 4, 0, 2),  # %4 = OpFunction %1 None %2
    (2 << 16 | 248, 3),  # %3 = OpLabel
    (1 << 16 | 253,),  # OpReturn
    (1 << 16 | 56,),  # OpFunctionEnd
)


def smallest_module() -> bytes:
    """A valid SPIR-V module with one empty kernel, `k`."""
    words = [word for row in _MODULE for word in row]
    return struct.pack(f"<{len(words)}I", *words)


def check_compiles(toolchain: Toolchain, folder: Path, device: str = "pvc") -> None:
    """Builds the smallest module in `folder`. Raises SetupError with the compiler's words on failure."""
    folder.mkdir(parents=True, exist_ok=True)
    spv = folder / "k.spv"
    spv.write_bytes(smallest_module())
    result = toolchain.compile(spv, folder / "build", device, timeout_s=120)
    if result.status == "ok":
        return
    words = result.error or "no message"
    advice = "install another one (xpuasm toolchain install), or add the .deb of a library that it lacks to the folder"
    if "`GLIBC_" in words:
        advice = (
            "it needs a newer C library than this system's: add the .deb files of libc6 and libstdc++6 to the folder"
        )
    raise SetupError(f"{toolchain.name} does not compile: {advice}. ocloc says: {words.splitlines()[0]}")
