"""The story of a kernel in sections. Each is a row of `SECTIONS`: to add one, write a function of `Known` and a row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from xpuasm_magic.analysis.checks import failed_checks
from xpuasm_magic.analysis.live_variables import LiveVariable
from xpuasm_magic.analysis.mix import CLASSES, InstructionClass, KernelMix
from xpuasm_magic.analysis.places import origin_text
from xpuasm_magic.analysis.pressure import Pressure
from xpuasm_magic.analysis.sends import SEND_KINDS
from xpuasm_magic.analysis.spill_rules import SpillVerdict
from xpuasm_magic.analysis.spill_words import spill_words
from xpuasm_magic.analysis.spilled_variables import VariableSpills
from xpuasm_magic.analysis.spills import grf_count, simd_width
from xpuasm_magic.analysis.table import config_text
from xpuasm_magic.view.known import Known

_MOST_SOURCES, _MOST_VARIABLES, _MOST_LINES = 10, 5, 8
_APPLIES = {
    True: "it acts on this kernel",
    False: "it leaves this kernel alone",
    None: "whether it acts here is not known",
}


@dataclass(frozen=True)
class Table:
    """The first cell of a row names it."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Section:
    """Sentences, then a table."""

    title: str
    sentences: tuple[str, ...]
    table: Table | None = None


def headline(known: Known) -> str:
    """Its name and what tells it from its siblings."""
    return "  ".join(part for part in (known.kernel.name, config_text(known.kernel)) if part)


def sections(known: Known) -> tuple[Section, ...]:
    """What is known; of what is not, why."""
    told = (Section(title, tuple(tell(known)), table(known)) for title, tell, table in SECTIONS)
    return tuple(section for section in told if section.sentences or section.table)


def line_words(lines: Iterable[int]) -> str:
    """Indices in a listing as people count its lines: `lines 12, 40-43 and 7 more`."""
    runs: list[list[int]] = []
    for line in sorted(set(lines)):
        if runs and runs[-1][1] == line - 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    shown = ", ".join(
        f"{first + 1}" if first == last else f"{first + 1}-{last + 1}" for first, last in runs[:_MOST_LINES]
    )
    left = sum(last - first + 1 for first, last in runs[_MOST_LINES:])
    one = len(runs) == 1 and runs[0][0] == runs[0][1]
    return f"line{'' if one else 's'} {shown}{f' and {left:,} more' if left else ''}"


def _facts(known: Known) -> Iterator[str]:
    kernel = known.kernel
    grf, simd, per_eu = grf_count(kernel), simd_width(kernel), known.occupancy.threads_per_eu
    count = kernel.header.inst_count if kernel.header else None
    facts = [
        kernel.device,
        None if simd is None else f"SIMD{simd}",
        None if grf is None else f"{grf} GRF",
        None if per_eu is None else f"{per_eu} hardware threads per vector engine",
        None if count is None else f"{count:,} instructions",
        None if kernel.isa_bytes is None else f"{kernel.isa_bytes:,} bytes of code",
        None if not kernel.slm_size else f"{kernel.slm_size:,} bytes of shared local memory",
    ]
    if told := ", ".join(fact for fact in facts if fact):
        yield told
    if kernel.status != "ok":
        yield f"{kernel.status}: {kernel.error or 'the compiler says nothing'}"
    if known.capture and (origin := origin_text(known.capture, kernel)):
        yield f"fuses {origin}"
    defined = f", defined at {known.place(kernel.defined_at)}" if kernel.defined_at else ""
    yield f"match {kernel.match}, key {kernel.key}{defined}"
    yield from (f"check failed, {check.name}: {check.message}" for check in failed_checks(kernel))
    yield from (f"{note.severity}: {note.message}" for note in kernel.notes if note.severity != "info")


def _spills(known: Known) -> Iterator[str]:
    report = known.spills
    yield from spill_words(report, known.place, most=_MOST_SOURCES)
    largest = report.variables[:_MOST_VARIABLES]
    if largest:
        more = len(report.variables) - len(largest)
        yield f"spilled: {'; '.join(map(_spilled, largest))}{f'; and {more:,} smaller' if more else ''}"
    for warning in report.warnings:
        yield (
            f"IGC's warning: SIMD{warning.simd}, {warning.grf_count} registers, around {warning.registers:,} "
            "registers spilled"
        )
    if not report.bytes_per_thread and len(report.tries) < 2:
        return
    yield from map(_rule, known.rules)
    if not known.rules:
        yield "what Triton's loader does with a kernel that spills is not known: the capture has no rule of it"


def _spilled(each: VariableSpills) -> str:
    where = "" if each.variable.offset is None else f" at {each.variable.offset:,}"
    known = each.spills is not None and each.fills is not None
    moved = f", spilled {_times(each.spills)} and filled {_times(each.fills)}" if known else ", in a slot of several"
    return f"{each.variable.name or 'a variable without a name'} ({each.variable.size:,} bytes{where}{moved})"


def _times(count: int | None) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _rule(verdict: SpillVerdict) -> str:
    source = "" if verdict.source in verdict.words else f" ({verdict.source})"
    return f"{verdict.tool}: {verdict.words}{source}; {_APPLIES[verdict.applies]}"


def _pressure(known: Known) -> Iterator[str]:
    if known.code is None:
        yield f"not known: {known.no_code}"
        return
    found = known.code.pressure
    if found.peak is None or found.peak_line is None:
        yield f"not known: {found.reason or 'no instruction uses a register'}"
        return
    whole = f" of {found.grf_count}" if found.grf_count else ""
    peak = [found.peak_line]
    yield f"{found.peak}{whole} registers are in use at the peak: {line_words(peak)} of the listing{_for(known, peak)}"
    yield from (f"held there: {_held(known, each)}" for each in _largest(found))
    if found.to_next_step:
        yield f"free {found.to_next_step} registers at the peak, at least, to fit {found.next_step}"
    elif found.to_next_step == 0:
        yield f"{found.next_step} registers would do, so more threads could fit on a vector engine"
    if found.unexplained:
        names = ", ".join(f"r{register}" for register in found.unexplained)
        yield f"nothing is known to have written {names} before it is read: the figures may be too high"
    if found.note:
        yield found.note


def _largest(found: Pressure) -> list[LiveVariable]:
    return sorted(found.live_at_peak, key=lambda each: -len(each.registers))[:_MOST_VARIABLES]


def _held(known: Known, each: LiveVariable) -> str:
    first, last = each.registers[0], each.registers[-1]
    registers = f"r{first}" if first == last else f"r{first}-r{last}"
    written = (
        f"written at {line_words(each.written)}{_for(known, each.written)}" if each.written else "given at the start"
    )
    return f"{each.name or 'a value'} in {registers}, {written}"


def _mix(known: Known) -> Iterator[str]:
    if known.code is None:
        yield f"not known: {known.no_code}"
        return
    mix, flow = known.code.mix, known.code.flow
    if mix.reason:
        yield f"which are in loops is not known: {mix.reason}"
    elif not flow.loops:
        yield "there is no loop"
    else:
        deepest = max(loop.depth for loop in flow.loops)
        nested = f", {deepest} deep" if deepest > 1 else ""
        yield (
            f"{len(flow.loops):,} loop{'' if len(flow.loops) == 1 else 's'}{nested}: "
            f"{mix.innermost_share or 0:.0%} of the instructions are in innermost loops"
        )
    if (share := mix.whole.compacted_share) is not None:
        yield f"{share:.0%} are compacted (8 bytes instead of 16)"
    if (rows := mix.whole.systolic_rows_per_instruction) is not None:
        inner = mix.innermost.systolic_rows_per_instruction if mix.innermost else None
        within = "" if inner is None else f", {inner:.2g} in innermost loops"
        yield f"dpas computes {rows:.2g} rows per instruction issued{within}; 8 where all were dpas of 8 rows"


def _mix_table(known: Known) -> Table | None:
    if known.code is None:
        return None
    mix = known.code.mix
    total = mix.whole.total
    classes = [class_ for class_ in CLASSES if mix.whole.counts[class_]]
    rows = [
        (class_, f"{mix.whole.counts[class_]:,}", f"{mix.whole.counts[class_] / total:.1%}", *_in_loops(mix, class_))
        for class_ in classes
    ]
    return Table(("class", "instructions", "share", *_loop_heads(mix)), tuple(rows))


def _loop_heads(mix: KernelMix) -> tuple[str, ...]:
    return ("in loops", "in innermost") if mix.loops and mix.innermost else ()


def _in_loops(mix: KernelMix, class_: InstructionClass) -> tuple[str, ...]:
    if not mix.loops or not mix.innermost:
        return ()
    return tuple(f"{part.counts[class_]:,}" for part in (mix.loops, mix.innermost))


def _messages(known: Known) -> Iterator[str]:
    if known.code is None:
        yield f"not known: {known.no_code}"
        return
    mix = known.code.mix.whole
    if not any(mix.counts[kind] for kind in SEND_KINDS):
        yield "it sends none"
        return
    yield "bytes per hardware thread when each message runs once with all channels on"
    if mix.unsized:
        yield f"{mix.unsized:,} messages do not say how much they move, and are not in the bytes"


def _messages_table(known: Known) -> Table | None:
    if known.code is None:
        return None
    mix = known.code.mix
    kinds = [kind for kind in SEND_KINDS if mix.whole.counts[kind]]
    rows = []
    for kind in kinds:
        inner = [f"{mix.innermost.counts[kind]:,}", _size(mix.innermost.moved.get(kind))] if mix.innermost else []
        rows.append((kind, f"{mix.whole.counts[kind]:,}", _size(mix.whole.moved.get(kind)), *inner))
    heads = ("in innermost", "bytes there") if mix.innermost else ()
    return Table(("kind", "messages", "bytes", *heads), tuple(rows)) if rows else None


def _size(size: int | None) -> str:
    return "–" if size is None else f"{size:,}"


def _waits(known: Known) -> Iterator[str]:
    if known.code is None:
        yield f"not known: {known.no_code}"
        return
    mix = known.code.mix
    for where, part in (("", mix.whole), ("in innermost loops: ", mix.innermost)):
        if part is None:
            continue
        found = part.waits
        yield (
            f"{where}{found.results:,} for a result ($N.dst), {found.sources:,} until sources are read ($N.src), "
            f"{found.distances:,} for a pipe that ends in order (@N), {found.syncs:,} sync instructions"
        )
        if (middle := found.median_result_distance) is not None:
            yield (
                f"{where}half of the results are awaited within {middle:g} instructions "
                f"(of {len(found.result_distances):,} whose message, math or dpas is in the same block)"
            )


def _occupancy(known: Known) -> Iterator[str]:
    found = known.occupancy
    if found.occupancy is not None:
        yield f"{found.occupancy:.0%} of a Xe core's hardware threads at most, with enough work-groups launched"
    if found.work_groups is not None:
        limit = f": {found.limit} run out first" if found.limit == "threads" else f": {found.limit} runs out first"
        groups = f"{found.work_groups:,} work-group{'' if found.work_groups == 1 else 's'}"
        threads = f"{found.threads_per_work_group} hardware threads fit in the {found.threads_per_core} of a Xe core"
        yield f"{groups} of {threads}{limit if found.limit else ''}"
    if found.slm_per_work_group:
        core = "" if found.slm_per_core is None else f" of {found.slm_per_core:,} on a Xe core"
        yield f"a work-group takes {found.slm_per_work_group:,} bytes of shared local memory{core}"
    if found.reason:
        yield f"not known: {found.reason}"


def _notes(known: Known) -> Iterator[str]:
    if known.code is None or known.kernel.status != "ok":
        yield f"not known: {known.no_code or f'the kernel is {known.kernel.status}'}"
        return
    for note in known.code.advice:
        where = f" ({line_words(note.lines)}{_for(known, note.lines)})" if note.lines else ""
        yield f"{note.severity}, {note.id}: {note.text}{where}"
    if not known.code.advice:
        yield "none; that proves nothing"


def _for(known: Known, lines: Iterable[int]) -> str:
    """` for In[5]:9, In[5]:12 and 2 more`: the source lines of instructions."""
    places = list(dict.fromkeys(map(known.place, known.sources(lines))))
    more = f" and {len(places) - 3:,} more" if len(places) > 3 else ""
    return f" for {', '.join(places[:3])}{more}" if places else ""


def _no_table(_known: Known) -> None:
    return None


SECTIONS: Sequence[tuple[str, Callable[[Known], Iterator[str]], Callable[[Known], Table | None]]] = (
    ("", _facts, _no_table),
    ("Spills", _spills, _no_table),
    ("Register pressure", _pressure, _no_table),
    ("Instructions", _mix, _mix_table),
    ("Messages", _messages, _messages_table),
    ("Waits", _waits, _no_table),
    ("Occupancy", _occupancy, _no_table),
    ("Notes", _notes, _no_table),
)
