"""Notes on access to memory, and on work-items that have nothing to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xpuasm_magic.analysis.advice.code import Code
from xpuasm_magic.analysis.advice.note import Advice
from xpuasm_magic.analysis.advice.tensors import Operation
from xpuasm_magic.analysis.sends import SendKind

CACHE_LINE = 64
"""Bytes of a cache line on Xe (oneAPI GPU Optimization Guide)."""

_BITS = {"bf16": 16, "f16": 16, "f32": 32, "f64": 64, **{f"i{bits}": bits for bits in (8, 16, 32, 64)}}


def scattered_loads(code: Code) -> Iterator[Advice]:
    """Loads and stores that move one element for each address, where the text proves why.

    * Neighbours are 2 elements or more apart in every dimension: no block can be fetched, and of each cache line only
      some elements are used. Proven from TTIR: multiples of `tl.arange` by constants, through loops too. Let one
      dimension have stride 1, or load the block and select in registers.
    * Neighbours are neighbours in memory, but the pointer is not known to be a multiple of 16 bytes
      (`tt.divisibility`): Triton then takes elements one by one (`d32`) and not by four (`d32x4`). Pass a tensor that
      starts at such an address, not a slice such as `x[1:]`.

    Addresses that come from memory, or strides known only at run time, are not judged. Source: oneAPI GPU Optimization
    Guide, "Optimizing Memory Accesses"; Triton's axis analysis (`tt.divisibility`); messages of the listing.
    """
    one_by_one: dict[tuple[str, int], tuple[int, ...]] = {}
    pointers: set[str] = set()
    told: set[tuple[str, int, str]] = set()
    for op in code.tensors.named("tt.load", "tt.store"):
        bits = _BITS.get(op.element)
        if not op.of_pointers or op.loc is None or bits is None:
            continue
        kind: SendKind = "global load" if op.name == "tt.load" else "global store"
        lines = code.per_channel(kind, code.from_source(op.loc))
        place = (op.loc.file, op.loc.line)
        if (apart := _bytes_apart(op, bits)) and lines and (*place, kind) not in told:
            told.add((*place, kind))
            yield _scattered(op, apart, bits, lines)
        elif (base := _unaligned(code, op, bits, lines)) is not None:
            one_by_one[place] = (*one_by_one.get(place, ()), *lines)
            pointers.add(base)
    if one_by_one:
        yield _one_by_one(one_by_one, pointers)


def predicated_off(code: Code) -> Iterator[Advice]:
    """More work-items than the largest tensor has elements.

    Triton gives the rest copies of elements, and switches their stores off by a predicate: they occupy hardware
    threads and do nothing. What to do: fewer warps, or a larger block. Source: TTIR's shapes against num_warps *
    threads_per_warp of Triton's metadata.
    """
    variant = code.kernel.variant
    if variant.num_warps is None or variant.threads_per_warp is None or not code.instructions:
        return
    items = variant.num_warps * variant.threads_per_warp
    largest = max((op.elements for op in code.tensors.operations), default=0)
    stores = [op for op in code.tensors.named("tt.store") if op.of_pointers and op.elements > 1]
    if not stores or largest >= items:
        return
    fewer = f"fewer warps than {variant.num_warps}, or " if variant.num_warps > 1 else ""
    yield Advice(
        "predicated-off",
        f"{items} work-items hold tensors of at most {largest} elements: {items - largest} of them repeat the others' "
        f"work, and their stores are switched off. Use {fewer}a larger block.",
        tuple(dict.fromkeys(index for op in stores for index in code.from_source(op.loc))),
    )


def _bytes_apart(op: Operation, bits: int) -> int | None:
    """The distance of the nearest neighbours, where it is proven and more than an element."""
    strides = [stride for stride, size in zip(op.strides, op.shape, strict=False) if size > 1]
    known = [abs(stride) for stride in strides if stride]
    return min(known) * bits // 8 if known and None not in strides and min(known) > 1 else None


def _scattered(op: Operation, apart: int, bits: int, lines: tuple[int, ...]) -> Advice:
    verb = "loads" if op.name == "tt.load" else "stores"
    used, whole = max(1, CACHE_LINE // apart), CACHE_LINE * 8 // bits
    return Advice(
        "scattered-loads",
        f"line {op.loc.line if op.loc else 0} {verb} elements that lie {apart} bytes apart: {len(lines)} "
        f"message{'s' if len(lines) > 1 else ''}, one element an address, {used} of the {whole} elements of each cache "
        "line. Let neighbouring elements be neighbours in memory.",
        lines,
    )


def _unaligned(code: Code, op: Operation, bits: int, lines: tuple[int, ...]) -> str | None:
    """The pointer whose unknown alignment makes an access with stride 1 go one by one; None: it does not."""
    items = (code.kernel.variant.num_warps or 0) * (code.kernel.variant.threads_per_warp or 0)
    base = code.tensors.base_of(op)
    if 1 not in op.strides or base not in code.tensors.unaligned or not items or op.elements < 2 * items:
        return None
    messages = [send.message for index in lines if (send := code.sends.get(index))]
    single = [message for message in messages if message and message.vector == 1 and message.data_bits == bits]
    return base if len(lines) > 1 and len(single) == len(lines) else None


def _one_by_one(accesses: Mapping[tuple[str, int], tuple[int, ...]], pointers: set[str]) -> Advice:
    lines = tuple(sorted({index for found in accesses.values() for index in found}))
    sources = ", ".join(str(line) for _, line in accesses)
    names = ", ".join(f"%{name}" for name in sorted(pointers))
    return Advice(
        "scattered-loads",
        f"line{'s' if len(accesses) > 1 else ''} {sources}: neighbouring elements go one an address, {len(lines)} "
        f"messages. Triton takes several at once only where pointers ({names}), and under a mask its bound, are known "
        "to be multiples of 16: pass tensors that start at such an address, not slices such as x[1:].",
        lines,
    )
