"""How full the register file is at each instruction of a kernel, and with what at its fullest.

This is occupancy of the register file by the code as it was compiled, never more than it has. It is no demand: what
did not fit has been spilled, and does not show.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from xpuasm_magic.analysis.device import device_of
from xpuasm_magic.analysis.entry import given_bytes
from xpuasm_magic.analysis.flow import ControlFlow, control_flow
from xpuasm_magic.analysis.liveness import Liveness, liveness, registers_in
from xpuasm_magic.analysis.spills import grf_count, spill_bytes
from xpuasm_magic.errors import ParseError
from xpuasm_magic.model import Kernel, Listing, SourceLoc

# mul (M1, 16) V0053(0,0)<1> V0052(0,0)<1;1,0> 0x4:d     lsc_load.ugm (M1_NM, 1) V0047:d32x64t bti(0x0)[…]
_DESTINATION = re.compile(r"\(M\w+, \d+\) (?:\([^)]*\) )?(?P<name>[A-Za-z_]\w*)")


@dataclass(frozen=True)
class Held:
    """Registers in a row that hold one value."""

    first: int
    count: int
    line: int | None
    """Index of the line of the listing that wrote it last; None: the thread started with it."""
    loc: SourceLoc | None = None
    """The source line of that instruction."""
    variable: str | None = None
    """Its name in vISA, e.g. `V0047`."""


@dataclass(frozen=True)
class Pressure:
    """Registers in use. What is not known is None, and `reason` says why."""

    registers: tuple[int | None, ...] = ()
    """Per line of the listing: those that are live before it or written by it. None: it is no reachable instruction."""
    peak: int | None = None
    peak_line: int | None = None
    """Index of the first line with so many."""
    grf_count: int | None = None
    held: tuple[Held, ...] = ()
    """What the registers hold at the peak, the largest first."""
    next_step: int | None = None
    """The next smaller register file of the device; None: there is none, or the device is not known."""
    to_free: int | None = None
    """Registers to be freed for the kernel to fit it; 0: it fits already."""
    spills: bool = False
    """Some of its values are in memory, beside these."""
    reason: str | None = None


def pressure(kernel: Kernel, isa: Listing | None = None, flow: ControlFlow | None = None) -> Pressure:
    """Registers in use at each instruction.

    Args:
        kernel: with a stage `isa`.
        isa, flow: where they have been read already.
    """
    try:
        listing = isa or kernel.listing("isa")
    except (KeyError, ParseError, OSError) as error:
        return Pressure(reason=f"there is no listing: {error.args[0] if error.args else error}")
    flow = flow or control_flow(listing)
    live = liveness(flow, given_bytes(listing.lines, flow.grf_bytes))
    if live.reason:
        return Pressure(grf_count=grf_count(kernel), reason=live.reason)
    registers: list[int | None] = [None] * len(listing.lines)
    for line, count in live.counts():
        registers[line] = count
    peak = max((count for count in registers if count is not None), default=0)
    at = registers.index(peak) if peak else None
    step = _next_step(kernel)
    return Pressure(
        registers=tuple(registers),
        peak=peak,
        peak_line=at,
        grf_count=grf_count(kernel),
        held=() if at is None else tuple(sorted(_held(kernel, listing, live, at), key=lambda held: -held.count)),
        next_step=step,
        to_free=None if step is None else max(peak - step, 0),
        spills=bool(spill_bytes(kernel)),
    )


def _next_step(kernel: Kernel) -> int | None:
    device, registers = device_of(kernel), grf_count(kernel)
    if device is None or registers is None:
        return None
    return max((count for count in device.threads_per_eu if count < registers), default=None)


def _held(kernel: Kernel, listing: Listing, live: Liveness, line: int) -> Iterator[Held]:
    """Runs of registers that one instruction wrote, of those that are live before a line."""
    flow = live.flow
    writers = _writers(flow, line)
    names = _names(kernel)
    runs: list[list[int]] = []
    for register in registers_in(live.before(line), flow.grf_bytes):
        last = runs[-1][-1] if runs else None
        if last is not None and register == last + 1 and writers.get(register) == writers.get(last):
            runs[-1].append(register)
        else:
            runs.append([register])
    for run in runs:
        writer = writers.get(run[0])
        if writer is None:
            yield Held(run[0], len(run), None)
        else:
            wrote = listing.lines[writer]
            name = next((names[id_] for id_ in wrote.ids if id_ in names), None)
            yield Held(run[0], len(run), writer, wrote.loc, name)


def _writers(flow: ControlFlow, line: int) -> dict[int, int]:
    """The line that last wrote each register, on one of the ways that lead to a line: nearest blocks first."""
    found: dict[int, int] = {}
    number = flow.block_of(line)
    if number is None:
        return found
    seen = {number}
    pending = [(number, line - 1)]
    for block, last in pending:  # grows as it is walked
        for index in range(last, flow.blocks[block].first - 1, -1):
            operation = flow.operations[index]
            if operation is not None and operation.dst is not None:
                for register in operation.dst.registers(flow.grf_bytes):
                    found.setdefault(register, index)
        for before in sorted(flow.blocks[block].predecessors, reverse=True):
            if before not in seen:
                seen.add(before)
                pending.append((before, flow.blocks[before].last))
    return found


def _names(kernel: Kernel) -> dict[int, str]:
    """By vISA number, the variable that the instruction writes."""
    try:
        lines = kernel.listing("visa").lines
    except (KeyError, ParseError, OSError):
        return {}
    found: dict[int, str] = {}
    for line in lines:
        if line.ids and (name := _DESTINATION.search(line.text)):
            for id_ in line.ids:
                found.setdefault(id_, name["name"])
    return found
