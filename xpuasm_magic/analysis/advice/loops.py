"""Notes on what loops repeat. Where the control flow cannot be followed there are no loops, and nothing is said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from xpuasm_magic.analysis.advice.code import Code
from xpuasm_magic.analysis.advice.note import Advice
from xpuasm_magic.analysis.spill_report import by_source, spill_report
from xpuasm_magic.analysis.spills import grf_count, spill_bytes

ADDRESS_SHARE = 0.1
"""Of a loop's instructions: below it, 64-bit addresses are not worth a note. Our choice."""
SMALL_GRF_COUNT = 128
"""Every device that Triton knows has a mode with more."""

_WIDE = ("q", "uq")
_ARITHMETIC = ("add", "add3", "addc", "asr", "bfn", "mad", "mul", "or", "shl", "shr", "sel")


def spill_in_loop(code: Code) -> Iterator[Advice]:
    """Spills and fills inside a loop: memory traffic that every iteration repeats.

    Those outside run once. What to do: more registers (256 GRF), smaller tiles, more warps for the same tile, or fewer
    values alive across the loop. Source: IGC's marks in the listing.
    """
    if not code.lines or spill_bytes(code.kernel) == 0:
        return
    sites = spill_report(code.kernel, code.listing).sites
    inside = [site for site in sites if code.flow.depth_of(site.line)]
    if not inside:
        return
    kinds = Counter(site.access.kind for site in inside)
    worst = next((cost for cost in by_source(inside) if cost.loc), None)
    where = f", {worst.spills + worst.fills} of them for line {worst.loc.line}" if worst and worst.loc else ""
    more = "more registers, " if grf_count(code.kernel) == SMALL_GRF_COUNT else ""
    yield Advice(
        "spill-in-loop",
        f"{kinds['spill']} spills and {kinds['fill']} fills are inside a loop, of {len(sites)} in the code{where}: "
        f"every iteration repeats them. Try {more}a smaller tile, or more warps.",
        tuple(site.line for site in inside),
        "warning",
    )


def barrier_in_loop(code: Code) -> Iterator[Advice]:
    """Barriers of the work-group in an innermost loop.

    At each, all hardware threads of the work-group wait for the slowest. In Triton they come with data that goes
    through shared local memory (a change of layout, a reduction across warps). What to do: layouts or block pointers
    that need no exchange, fewer warps, or a longer tile per iteration. Source: `sync.bar`, Intel's PRM.
    """
    for loop in code.innermost_loops:
        barriers = code.with_opcode("sync.bar", among=loop)
        if not barriers:
            continue
        sources = sorted({loc.line for index in barriers if (loc := code.lines[index].loc)})
        where = f" (from line {', '.join(map(str, sources))})" if sources else ""
        yield Advice(
            "barrier-in-loop",
            f"{len(barriers)} barrier{'s' if len(barriers) > 1 else ''} in an innermost loop{where}: in every "
            "iteration all hardware threads of the work-group wait for the slowest.",
            barriers,
        )


def address_arithmetic_64(code: Code) -> Iterator[Advice]:
    """Vector arithmetic on 64-bit addresses in an innermost loop, a tenth of its instructions or more.

    Counted are 64-bit integer operations for 8 channels or more, in a loop that has per-lane messages with 64-bit
    addresses, and that lead to the registers of such an address. Each takes twice the registers of a 32-bit one.
    What to do: a block pointer, or one pointer that all lanes share and that advances, with offsets that stay; fewer
    and wider loads need fewer addresses. Source: `a64` of the message, vISA specification; types of the operands.
    """
    operations = code.flow.operations
    for loop in code.innermost_loops:
        wanted: set[int] = set()
        for index in loop:
            operation, send = operations[index], code.sends.get(index)
            if operation and send and send.per_channel and send.message and send.message.address == "a64":
                wanted.update(register for source in operation.srcs[:1] for register in source.registers(_size(code)))
        found = []
        for index in (*reversed(loop), *reversed(loop)):  # twice: what one iteration leaves for the next
            operation = operations[index]
            if operation is None or operation.dst is None or operation.dst.type not in _WIDE:
                continue
            if operation.name not in _ARITHMETIC or (operation.exec_size or 0) < 8:
                continue
            if wanted.isdisjoint(operation.dst.registers(_size(code))):
                continue
            found.append(index)
            wanted.update(register for source in operation.srcs for register in source.registers(_size(code)))
        lines = tuple(sorted(set(found)))
        if len(lines) >= ADDRESS_SHARE * len(loop):
            yield Advice(
                "address-arithmetic-64",
                f"{len(lines)} of the {len(loop)} instructions of an innermost loop compute 64-bit addresses, a vector "
                "at a time. A block pointer needs one address for a tile, wider loads need fewer.",
                lines,
            )


def _size(code: Code) -> int:
    return code.flow.grf_bytes
