"""A kernel's register spills: how much, which instructions, from which source lines, and how it came to that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from xpuasm_magic.analysis.reading import read_stage
from xpuasm_magic.analysis.source_lines import source_lines
from xpuasm_magic.analysis.spilled_variables import VariableSpills, spilled_variables
from xpuasm_magic.analysis.spills import grf_count, simd_width, spill_bytes, spill_dwords_per_lane
from xpuasm_magic.errors import ParseError
from xpuasm_magic.formats.gen_spills import SpillAccess, SpilledVariable, parse_spill_access, parse_spilled_variable
from xpuasm_magic.formats.igc_log import LoggedSpill, parse_spill_warnings, recompiled_kernels
from xpuasm_magic.model import Attempt, Kernel, Line, Listing, SourceLoc


@dataclass(frozen=True)
class SpillSite:
    """An instruction that IGC marks as a spill or a fill."""

    line: int
    """Index in the listing."""
    access: SpillAccess
    loc: SourceLoc | None
    """The line of the code that needed the registers; of an inlined function, the line that called it."""


@dataclass(frozen=True)
class SourceSpills:
    """What one source line costs, in instructions. `loc` None: those of which no line is known."""

    loc: SourceLoc | None
    spills: int
    fills: int


@dataclass(frozen=True)
class CompilerTry:
    """One of the codes that were made of a kernel."""

    label: str
    grf_count: int | None
    simd: int | None
    spill_bytes: int | None
    shipped: bool
    """Whether it is the row's code."""
    launched: bool
    """Whether the installed Triton launches it instead of the row's, against its own rule."""
    reason: str
    """Why it is not the row's, in the words of the rule that decided; empty for the row's."""


@dataclass(frozen=True)
class SpillReport:
    """Counts are of instructions in the code, not of how often they run. What is not known is None."""

    bytes_per_thread: int | None
    """Scratch space of spilled registers, per hardware thread."""
    dwords_per_lane: float | None
    """The same per work-item."""
    flag_stores: int | None
    flag_loads: int | None
    """Moves of spilled flags to and from general registers: they touch no memory, so they are cheap."""
    tries: tuple[CompilerTry, ...]
    """Those that did not ship, then the row's."""
    warnings: tuple[LoggedSpill, ...] = ()
    """IGC's own warnings, where the build's log is there."""
    recompiled: bool | None = None
    """Whether the log says that IGC compiled the kernel again; None: there is no log."""
    spills: int | None = None
    fills: int | None = None
    sites: tuple[SpillSite, ...] = ()
    by_source: tuple[SourceSpills, ...] = ()
    """The costliest first."""
    variables: tuple[VariableSpills, ...] = ()
    """Largest first. Names for parts of a variable are not repeated."""
    flags: tuple[SpilledVariable, ...] = ()
    reason: str | None = None
    """Why the instructions are not counted."""


def spill_report(kernel: Kernel, isa: Listing | None = None) -> SpillReport:
    """The spills of the code that is the kernel's row.

    Reads its listing, unless the caller has (`isa`), its build's log, and where it spills the stages with source lines.

    Every IGC marks each instruction that stores to a spill slot or loads from one. A disassembly has no marks, and
    private memory uses the same surface, so nothing is counted there.
    """
    header = kernel.header
    listing = read_stage(kernel, "log")
    log = listing.text if listing else None
    report = SpillReport(
        bytes_per_thread=spill_bytes(kernel),
        dwords_per_lane=spill_dwords_per_lane(kernel),
        flag_stores=header.spill_flag_store if header else None,
        flag_loads=header.spill_flag_load if header else None,
        tries=(*(_try(attempt) for attempt in kernel.attempts), _shipped(kernel)),
        warnings=tuple(found for found in parse_spill_warnings(log or "") if found.kernel == kernel.name),
        recompiled=None if log is None else any(name in (kernel.name, None) for name in recompiled_kernels(log)),
    )
    if "isa" not in kernel.stages:
        return replace(report, reason="there is no listing")
    if header is None:
        return replace(report, reason="the listing is a disassembly, in which nothing marks spills")
    try:
        lines = (isa or kernel.listing("isa")).lines
    except (ParseError, OSError) as error:
        return replace(report, reason=str(error))
    marked = {index: access for index, line in enumerate(lines) if (access := _marked(line))}
    places = source_lines(kernel, lines, marked)
    sites = tuple(SpillSite(index, access, places.get(index)) for index, access in marked.items())
    declared = [variable for line in lines if (variable := parse_spilled_variable(line.text))]
    kinds = Counter(access.kind for access in marked.values())
    return replace(
        report,
        spills=kinds["spill"],
        fills=kinds["fill"],
        sites=sites,
        by_source=by_source(sites),
        variables=spilled_variables(declared, list(marked.values())),
        flags=tuple(variable for variable in declared if variable.flag),
    )


def by_source(sites: Sequence[SpillSite]) -> tuple[SourceSpills, ...]:
    """Spills and fills of each source line, the costliest first."""
    counts = Counter((site.loc, site.access.kind) for site in sites)
    found = [
        SourceSpills(loc, counts[loc, "spill"], counts[loc, "fill"])
        for loc in dict.fromkeys(site.loc for site in sites)
    ]
    return tuple(sorted(found, key=lambda cost: -(cost.spills + cost.fills)))


def _marked(line: Line) -> SpillAccess | None:
    return parse_spill_access(line.text) if line.instruction else None


def _try(attempt: Attempt) -> CompilerTry:
    return CompilerTry(
        label=attempt.label,
        grf_count=grf_count(attempt),
        simd=simd_width(attempt),
        spill_bytes=spill_bytes(attempt),
        shipped=False,
        launched=attempt.launched,
        reason=attempt.reason,
    )


def _shipped(kernel: Kernel) -> CompilerTry:
    return CompilerTry(
        label="the code shown",
        grf_count=grf_count(kernel),
        simd=simd_width(kernel),
        spill_bytes=spill_bytes(kernel),
        shipped=True,
        launched=not any(attempt.launched for attempt in kernel.attempts),
        reason="",
    )
