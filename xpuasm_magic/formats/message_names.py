"""The words that a message's spelling is made of, and what each stands for.

Sources: vISA specification (LSC messages), IGA's message decoders (visa/iga/IGALibrary/IR/Messages).
"""

from __future__ import annotations

from collections.abc import Mapping

UNITS: Mapping[str, str] = {
    "ugm": "untyped global memory, through the load/store cache (LSC)",
    "ugml": "untyped global memory over the low-bandwidth path to another tile (LSC)",
    "slm": "shared local memory (LSC)",
    "tgm": "typed global memory: images and typed buffers (LSC)",
    "dc0": "legacy data cache port 0",
    "dc1": "legacy data cache port 1",
    "dc2": "legacy data cache port 2",
    "dcro": "read-only (constant) data cache",
    "gtwy": "message gateway: barriers and the end of threads",
    "rc": "render cache",
    "smpl": "sampler",
    "urb": "unified return buffer",
    "ts": "thread spawner",
    "btd": "bindless thread dispatcher",
    "rta": "ray tracing accelerator",
    "cre": "check and refinement engine",
    "vme": "video motion estimation",
    "pixi": "pixel interpolator",
    "null": "no unit",
}
"""The unit a message goes to: its shared function (SFID)."""

CACHING: Mapping[str, str] = {
    "df": "default, as the surface or the memory object control state says",
    "uc": "uncached",
    "ca": "cached",
    "cc": "cached as a constant",
    "wb": "write-back",
    "wt": "write-through",
    "st": "streaming",
    "ri": "read and invalidate (last use)",
}

OPERATIONS: Mapping[str, str] = {
    "load": "load",
    "load_quad": "load of chosen components (X, Y, Z, W)",
    "load_cmask": "load of chosen components (X, Y, Z, W)",
    "load_strided": "strided block load",
    "load_block": "block load",
    "load_block2d": "load of one or more 2D blocks",
    "load_status": "load of each address's page status",
    "store": "store",
    "store_quad": "store of chosen components (X, Y, Z, W)",
    "store_cmask": "store of chosen components (X, Y, Z, W)",
    "store_strided": "strided block store",
    "store_block": "block store",
    "store_block2d": "store of one 2D block",
    "store_uncompressed": "store that leaves the data uncompressed",
    "fence": "memory fence",
    "read_state": "read of a surface's state",
}
ATOMICS: Mapping[str, str] = {
    "iinc": "integer increment",
    "idec": "integer decrement",
    "ipdec": "integer pre-decrement",
    "iadd": "integer add",
    "isub": "integer subtract",
    "irsub": "integer reverse subtract",
    "icas": "integer compare and swap",
    "smin": "signed minimum",
    "smax": "signed maximum",
    "umin": "unsigned minimum",
    "umax": "unsigned maximum",
    "fadd": "floating-point add",
    "fsub": "floating-point subtract",
    "fmin": "floating-point minimum",
    "fmax": "floating-point maximum",
    "fcas": "floating-point compare and swap",
    "and": "bitwise and",
    "or": "bitwise or",
    "xor": "bitwise exclusive or",
    "load": "load",
    "store": "store (exchange)",
}
FENCE_OPS: Mapping[str, str] = {
    "none": "only waits, and leaves the caches as they are",
    "evict": "then writes dirty L1 lines back and invalidates all of them",
    "invalidate": "then invalidates clean L1 lines, so that later loads see what others wrote",
    "discard": "then drops all L1 lines, dirty ones unwritten",
    "clean": "then writes dirty L1 lines back and keeps them, now clean",
    "flushl3": "then flushes L3",
}
SCOPES: Mapping[str, str] = {
    "group": "the work-group",
    "local": "the local scope (the sub-slices that share one L1)",
    "tile": "the tile",
    "gpu": "the whole GPU",
    "gpus": "all GPUs of the system",
    "system": "the whole system",
    "sysrel": "the whole system (release)",
    "sysacq": "the whole system (acquire)",
}
ADDRESSES: Mapping[str, str] = {
    "a16": "16-bit offsets",
    "a32": "32-bit offsets",
    "a64": "64-bit addresses",
    "a32u": "32-bit unsigned offsets, added to a 64-bit base",
    "a32s": "32-bit signed offsets, added to a 64-bit base",
}
SURFACES: Mapping[str, str] = {
    "flat": "stateless: the addresses are virtual addresses",
    "bti": "binding table entry",
    "bss": "bindless surface state",
    "ss": "surface state at an offset, as scratch space has one",
    "surf": "surface state",
    "arg": "kernel argument data",
}
CONTROL: Mapping[str, str] = {
    "signal barrier": "tells the gateway that this hardware thread has reached the work-group's barrier",
    "end of thread": "ends this hardware thread",
}
