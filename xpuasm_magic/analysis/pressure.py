"""How full the register file is at every instruction of a kernel.

This is occupancy of the register file, not demand: the listing is what is left after the compiler has made the code
fit, and of a kernel that spills the demand was larger than any listing shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from xpuasm_magic.analysis.device import device_of
from xpuasm_magic.analysis.flow import ControlFlow, control_flow
from xpuasm_magic.analysis.live_variables import LiveVariable, live_variables
from xpuasm_magic.analysis.liveness import Liveness, liveness, registers_of
from xpuasm_magic.analysis.reading import read_stage
from xpuasm_magic.analysis.register_use import register_use
from xpuasm_magic.analysis.spills import grf_count, spill_bytes
from xpuasm_magic.formats.gen_variables import Input, parse_inputs, parse_variables
from xpuasm_magic.model import Kernel, Line, Listing

OCCUPANCY_OF_A_SPILLING_KERNEL = (
    "The kernel spills: this is what its registers hold, not what it would need. Fewer live values make it spill less "
    "before they free a register."
)

_PROLOGS = ("per_thread_prolog:", "cross_thread_prolog:")
"""Code before the kernel's own that loads its inputs; without it, the thread starts with them."""


@dataclass(frozen=True)
class Pressure:
    """General registers that hold what is still needed. Registers are whole: r0 to r127 with 128 of them."""

    live: tuple[int | None, ...] = ()
    """For each line of the listing: registers occupied before the instruction, or right after it with what it writes,
    whichever are more. None: no instruction, one that no thread reaches, or not known (`reason`)."""
    peak: int | None = None
    peak_line: int | None = None
    """Index of the first line with as many."""
    grf_count: int | None = None
    """Registers that the thread has."""
    live_at_peak: tuple[LiveVariable, ...] = ()
    next_step: int | None = None
    """The largest smaller number of registers with which more threads fit on a vector engine. None: there is none, or
    the device's are not known."""
    to_next_step: int | None = None
    """Registers to free at the peak to fit in `next_step`; 0: as many as it has would do. An estimate from below: the
    allocator also needs room for alignment. None for kernels that spill, too."""
    unexplained: tuple[int, ...] = ()
    """Registers read, on some path, before anything is known to have written them: where this is not empty, the
    figures may be too high there."""
    note: str | None = None
    reason: str | None = None
    """Why nothing is known."""


def pressure(kernel: Kernel, listing: Listing | None = None, flow: ControlFlow | None = None) -> Pressure:
    """The register pressure of a kernel's ISA. `listing` and `flow`, where the caller has them, are not made again.

    Raises what reading the listing raises: KeyError where there is none, ParseError on a damaged file.
    """
    listing = listing or kernel.listing("isa")
    device = device_of(kernel)
    found = listing_pressure(
        listing,
        flow,
        grf_count=grf_count(kernel),
        threads_per_eu=device.threads_per_eu if device else {},
        visa=_visa(kernel),
    )
    if spill_bytes(kernel):
        return replace(found, to_next_step=None, note=OCCUPANCY_OF_A_SPILLING_KERNEL)
    return found


def listing_pressure(
    listing: Listing,
    flow: ControlFlow | None = None,
    *,
    grf_count: int | None = None,
    threads_per_eu: Mapping[int, int] | None = None,
    visa: Sequence[Line] = (),
) -> Pressure:
    """The register pressure of a listing. `visa`, the same kernel's vISA, tells more variables apart."""
    flow = flow or control_flow(listing)
    texts = [line.text for line in listing.lines]
    variables = parse_variables(texts, flow.grf_bytes)
    use = register_use(flow, variables)
    reason = flow.reason or _opaque(flow) or use.reason
    if reason:
        return Pressure(live=(None,) * len(texts), grf_count=grf_count, reason=reason)
    inputs = parse_inputs(texts, flow.grf_bytes)
    found = liveness(flow, use, given_bytes(texts, inputs, flow.grf_bytes))
    peak = found.peak
    assert peak.line is not None
    step = _next_step(grf_count, threads_per_eu or {})
    return Pressure(
        live=found.registers,
        peak=peak.registers,
        peak_line=peak.line,
        grf_count=grf_count,
        live_at_peak=live_variables(flow, use, peak.line, peak.bytes, variables, listing.lines, visa),
        next_step=step,
        to_next_step=max(peak.registers - step, 0) if step is not None else None,
        unexplained=_unexplained(found, texts, inputs, flow.grf_bytes),
    )


def given_bytes(texts: Sequence[str], inputs: Sequence[Input], grf_bytes: int) -> int:
    """Bytes that hold something when the thread starts, as the bits of an integer.

    r0, the thread's header. r1, where inputs come inline with the thread (the table of IGC 1.0.12504 does not say).
    The inputs, where no prolog loads them.
    """
    register = (1 << grf_bytes) - 1
    given = register
    if any(each.source.startswith(("inline", "general")) for each in inputs):
        given |= register << grf_bytes
    if not any(text.startswith(_PROLOGS) for text in texts):
        for each in inputs:
            given |= (1 << each.size) - 1 << each.first
    return given


def _unexplained(found: Liveness, texts: Sequence[str], inputs: Sequence[Input], grf_bytes: int) -> tuple[int, ...]:
    needed = found.before[0] if found.before else 0
    given = given_bytes(texts, inputs, grf_bytes)
    return registers_of(needed & ~given, grf_bytes)


def _opaque(flow: ControlFlow) -> str | None:
    """Why registers that code elsewhere uses leave the answer open."""
    if flow.calls_elsewhere:
        line = flow.calls_elsewhere[0]
        return f"line {line + 1} calls a function whose code is not in this listing: what it uses is not known"
    for number in flow.order:
        block = flow.blocks[number]
        last = flow.operations[block.last]
        if last is not None and last.name == "ret" and not block.successors:
            return f"line {block.last + 1} returns to a caller outside this listing: what that needs is not known"
    return None


def _next_step(grf_count: int | None, threads_per_eu: Mapping[int, int]) -> int | None:
    now = threads_per_eu.get(grf_count or 0)
    if now is None:
        return None
    return max((count for count, threads in threads_per_eu.items() if threads > now), default=None)


def _visa(kernel: Kernel) -> tuple[Line, ...]:
    listing = read_stage(kernel, "visa")
    return listing.lines if listing else ()
