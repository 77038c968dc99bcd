"""Notes on matrix multiplication."""

from __future__ import annotations

from collections.abc import Iterator

from xpuasm_magic.analysis.advice.code import Code
from xpuasm_magic.analysis.advice.note import Advice
from xpuasm_magic.analysis.advice.tensors import Operation

_DOTS = ("tt.dot", "tt.dot_scaled")


def dot_without_dpas(code: Code) -> Iterator[Advice]:
    """A kernel that multiplies matrices (`tl.dot`) on a device that has dpas, and no dpas in its code.

    The product is then made of ordinary multiply-adds, at a small part of the systolic array's rate. Triton uses dpas
    for a sub-group of the size that the device's dpas needs (16; 8 on Xe-HPG), and for types that the array has: 32-bit
    floats only as tf32. Source: intel-xpu-backend-for-triton #714, #3750; devices: `ocloc query`.
    """
    dots = code.tensors.named(*_DOTS)
    if not dots or not code.instructions or code.device is None or not code.device.has_dpas:
        return
    if code.with_opcode("dpas"):
        return
    width = code.kernel.variant.threads_per_warp
    needed = min(code.device.sub_group_sizes)
    asked = (
        f" It was compiled for {width} threads per warp, dpas needs {needed}." if width not in (None, needed) else ""
    )
    lines = tuple(dict.fromkeys(line for dot in dots for line in code.from_source(dot.loc)))
    yield Advice(
        "dot-without-dpas",
        f"tl.dot{_at(dots[0])} compiled to no dpas, though {code.device.family} has it: the product is made of "
        f"ordinary multiply-adds.{asked} Check the operands' types (32-bit floats only as tf32) and threads per warp.",
        lines,
        "warning",
    )


def no_block2d(code: Code) -> Iterator[Advice]:
    """Operands of dpas that come by per-lane loads, on a device with 2D block loads.

    A per-lane load takes an address per work-item, computed by vector instructions and kept in registers; a 2D block
    load takes one address for a whole tile and puts it into registers as dpas needs it. Said only where tiles are
    loaded through tensors of pointers with a dimension of stride 1. What to do: `tl.make_block_ptr` or a tensor
    descriptor; base and row pitch must be aligned. Source: vISA specification, `lsc_load_block2d`; oneAPI GPU
    Optimization Guide.
    """
    if code.device is None or not code.device.has_2d_block_io or not code.with_opcode("dpas"):
        return
    env = code.kernel.env
    if env is None or env.spill_size is None:  # ze_info 1.20: of an IGC that has no such loads (1.0.12504)
        return
    if any(send.kind.startswith("2D block") for send in code.sends.values()):
        return
    tiles = [load for load in code.tensors.named("tt.load") if load.of_pointers and _is_tile(load)]
    places = dict.fromkeys((load.loc.file, load.loc.line) for load in tiles if load.loc)
    lines = tuple(
        index for file, line in places for index in code.per_channel("global load", code.from_line(file, line))
    )
    if not lines:
        return
    sources = sorted({load.loc.line for load in tiles if load.loc})
    yield Advice(
        "no-block2d",
        f"the operands of dpas are loaded with an address per work-item, {len(lines)} messages in the code "
        f"({_lines(sources)}); with tl.make_block_ptr or a tensor descriptor a 2D block load fetches a tile by one "
        "address, where base and row pitch are aligned.",
        lines,
    )


def _is_tile(load: Operation) -> bool:
    return sum(size > 1 for size in load.shape) >= 2 and 1 in load.strides


def _at(operation: Operation) -> str:
    return f" (line {operation.loc.line})" if operation.loc else ""


def _lines(numbers: list[int]) -> str:
    return f"line{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
