"""What a page shows of the analyses of a code: facts above its listing, figures and marks beside its lines.

Each is a row of `FACTS`, `COLUMNS` or `MARKS`. To add one, write a function of `Analysed` and a row: the page, the
report and the tests take it from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypedDict

from xpuasm_magic.analysis.mix import CLASSES
from xpuasm_magic.view.analysed import Analysed


@dataclass(frozen=True)
class Told:
    """A fact in words; `line`, where it is about one, is an index in the ISA listing."""

    text: str
    tooltip: str
    line: int | None = None


@dataclass(frozen=True)
class Fact:
    """Something to know of the whole code; None: it is not known, or not worth a word."""

    name: str
    tell: Callable[[Analysed], Told | None]


@dataclass(frozen=True)
class Column:
    """A number beside every line; None, or a line's None: it is not known."""

    name: str
    title: str
    tooltip: str
    values: Callable[[Analysed], Sequence[int | None]]
    most: Callable[[Analysed], int | None]
    """What the numbers are to be measured against; None: the largest of them."""


@dataclass(frozen=True)
class Mark:
    """A sign beside some lines."""

    name: str
    sign: str
    """One character."""
    title: str
    lines: Callable[[Analysed], Iterator[int]]


def _occupancy(of: Analysed) -> Told | None:
    """How full a Xe core can be; the formula is that of `analysis.occupancy`."""
    found = of.occupancy
    if found.occupancy is None or found.threads_per_core is None:
        return None
    groups = f"{found.work_groups} work-group{'' if found.work_groups == 1 else 's'}"
    words = f"{groups} of {found.threads_per_work_group} hardware threads fit on a Xe core"
    limit = f"; {found.limit} run out first" if found.limit and found.occupancy < 1 else ""
    return Told(
        f"{found.occupancy:.0%} occupancy",
        f"{words}, which has room for {found.threads_per_core}{limit}. An upper bound: enough work-groups are launched",
    )


def _peak(of: Analysed) -> Told | None:
    found = of.pressure
    if found.peak is None or found.peak_line is None:
        return None
    whole = f" of {found.grf_count}" if found.grf_count else ""
    free = f" Free {found.to_next_step} for the code to fit {found.next_step}." if found.to_next_step else ""
    return Told(
        f"peak {found.peak}{whole} registers",
        f"In use at once, at line {found.peak_line + 1}: how full the register file is, not what the kernel would "
        f"want.{free}{f' {found.note}' if found.note else ''}",
        found.peak_line,
    )


def _held(of: Analysed) -> Told | None:
    """The largest value in registers at the peak."""
    held = max(
        (one for one in of.pressure.live_at_peak if one.written), key=lambda one: len(one.registers), default=None
    )
    if held is None:
        return None
    line = held.written[-1]
    count = len(held.registers)
    loc = of.isa.lines[line].loc
    name = f"{held.name} " if held.name else ""
    where = f", for line {loc.line} of the source" if loc else ""
    return Told(
        f"largest value there: {name}r{held.registers[0]}:{count}",
        f"At the peak {count} registers hold what line {line + 1} wrote{where}",
        line,
    )


def _innermost(of: Analysed) -> Told | None:
    share = of.mix.innermost_share
    if share is None or of.mix.innermost is None:
        return None
    return Told(
        f"{share:.0%} in innermost loops",
        f"{of.mix.innermost.total:,} of {of.mix.whole.total:,} instructions in the code, each counted once",
    )


def _moved(of: Analysed) -> Told | None:
    moved = of.mix.whole.moved
    if not moved:
        return None
    kinds = ", ".join(f"{kind} {size:,}" for kind, size in moved.items())
    unsized = f"; {of.mix.whole.unsized} messages do not say their size" if of.mix.whole.unsized else ""
    return Told(
        f"messages move {sum(moved.values()):,} B",
        f"When each runs once with all channels on, in bytes: {kinds}{unsized}",
    )


def _systolic(of: Analysed) -> Told | None:
    rows = of.mix.whole.systolic_rows_per_instruction
    if rows is None:
        return None
    inner = of.mix.innermost.systolic_rows_per_instruction if of.mix.innermost else None
    within = "" if inner is None else f", {inner:.2g} in innermost loops"
    return Told(
        f"{rows:.2g} dpas rows per instruction{within}",
        "Rows of results that dpas computes, for each instruction that is issued: 8 where all were dpas of 8 rows. "
        "Below 1 a hardware thread alone cannot keep the systolic array busy (PVC)",
    )


def _compacted(of: Analysed) -> Told | None:
    share = of.mix.whole.compacted_share
    return None if share is None else Told(f"{share:.0%} compacted", "Instructions of 8 bytes instead of 16")


FACTS = (
    Fact("occupancy", _occupancy),
    Fact("peak", _peak),
    Fact("held", _held),
    Fact("innermost", _innermost),
    Fact("moved", _moved),
    Fact("systolic", _systolic),
    Fact("compacted", _compacted),
)

COLUMNS = (
    Column(
        name="live",
        title="live",
        tooltip="Registers in use at the line: those that are read later, and those that it writes",
        values=lambda of: of.pressure.live,
        most=lambda of: of.pressure.grf_count,
    ),
)

MARKS = (
    Mark("spill", "S", "a spill: registers are stored to memory", lambda of: _accesses(of, "spill")),
    Mark("fill", "F", "a fill: spilled registers are loaded back", lambda of: _accesses(of, "fill")),
    Mark("note", "•", "a note is about it", lambda of: (line for one in of.advice for line in one.lines)),
)
"""Of several at one line the first is shown."""


def _accesses(of: Analysed, kind: str) -> Iterator[int]:
    return (site.line for site in of.spills.sites if site.access.kind == kind)


class FactPayload(TypedDict):
    """See `Told`."""

    name: str
    text: str
    tooltip: str
    line: int | None


class SharePayload(TypedDict):
    """A class of instructions, and how many there are; those of a kernel make a bar."""

    title: str
    count: int
    innermost: int


class ColumnFigures(TypedDict):
    """Runs `[value, count]` over all lines; -1: none."""

    name: str
    title: str
    tooltip: str
    runs: list[list[int]]
    most: int
    peak: int | None


class MarkFigures(TypedDict):
    """Lines with a sign."""

    name: str
    sign: str
    title: str
    lines: list[int]


class AdvicePayload(TypedDict):
    """A note that an expert would write, with the lines that it is about."""

    id: str
    severity: str
    text: str
    lines: list[int]


class AnalysisPayload(TypedDict):
    """All figures of one code."""

    facts: list[FactPayload]
    mix: list[SharePayload]
    columns: list[ColumnFigures]
    marks: list[MarkFigures]
    advice: list[AdvicePayload]


def analysis_payload(of: Analysed) -> AnalysisPayload:
    """Raises ParseError or OSError: the listing cannot be read."""
    told = [(fact.name, fact.tell(of)) for fact in FACTS]
    inner = of.mix.innermost.counts if of.mix.innermost else {}
    return AnalysisPayload(
        facts=[FactPayload(name=name, text=one.text, tooltip=one.tooltip, line=one.line) for name, one in told if one],
        mix=[
            SharePayload(title=class_, count=count, innermost=inner.get(class_, 0))
            for class_ in CLASSES
            if (count := of.mix.whole.counts[class_])
        ],
        columns=[found for column in COLUMNS if (found := _column(column, of))],
        marks=[
            MarkFigures(name=mark.name, sign=mark.sign, title=mark.title, lines=lines)
            for mark in MARKS
            if (lines := sorted(set(mark.lines(of))))
        ],
        advice=[
            AdvicePayload(id=one.id, severity=one.severity, text=one.text, lines=list(one.lines)) for one in of.advice
        ],
    )


def _column(column: Column, of: Analysed) -> ColumnFigures | None:
    values = column.values(of)
    known = [value for value in values if value is not None]
    if not known:
        return None
    peak = max(known)
    return ColumnFigures(
        name=column.name,
        title=column.title,
        tooltip=column.tooltip,
        runs=_runs(values),
        most=column.most(of) or peak or 1,
        peak=values.index(peak) if peak else None,
    )


def _runs(values: Sequence[int | None]) -> list[list[int]]:
    runs: list[list[int]] = []
    for value in values:
        number = -1 if value is None else value
        if runs and runs[-1][0] == number:
            runs[-1][1] += 1
        else:
            runs.append([number, 1])
    return runs
