"""Which lines of a kernel's stages belong together: by source line, and by vISA number where both have it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from xpuasm_magic.errors import ParseError
from xpuasm_magic.formats.gen_isa import linked_share
from xpuasm_magic.formats.zebin import MAGIC as ELF_MAGIC
from xpuasm_magic.model import Kernel, Line, SourceLoc
from xpuasm_magic.regular import read_regular

NUMBERED = ("visa", "isa", "visa_ll")
"""Stages whose lines carry vISA numbers, the best informed of source lines first."""

Place = tuple[str, int]
"""File and line."""


@dataclass(frozen=True)
class Links:
    """The stages of one kernel, every line with all that is known of where it comes from."""

    stages: Mapping[str, tuple[Line, ...]]

    def source_lines(self, stage: str, line: int) -> tuple[SourceLoc, ...]:
        """The source lines that a line belongs to, the innermost first."""
        found = self.stages[stage][line]
        return (found.loc, *found.callers) if found.loc else ()

    def linked_lines(self, stage: str, line: int) -> dict[str, list[int]]:
        """The lines of the other stages that belong to a line, as indices; only stages that have some."""
        linked = {other: self._linked(stage, self.stages[stage][line], other) for other in self.stages}
        return {other: lines for other, lines in linked.items() if lines and other != stage}

    def _linked(self, stage: str, line: Line, other: str) -> list[int]:
        index = self._indices[other]
        if index.by_id and self._indices[stage].by_id:  # a line without a number is then nobody's
            return sorted({at for id_ in line.ids for at in index.by_id.get(id_, ())})
        if line.loc is None:
            return []
        if stage == "python":
            return index.by_any.get(_place(line.loc), [])
        if other == "python":
            return sorted({at for loc in (line.loc, *line.callers) for at in index.by_loc.get(_place(loc), ())})
        lines = self.stages[other]
        return [at for at in index.by_loc.get(_place(line.loc), ()) if _same_call(line, lines[at])]

    @cached_property
    def _indices(self) -> dict[str, _Index]:
        return {stage: _Index.of(lines, numbered=stage in NUMBERED) for stage, lines in self.stages.items()}


@dataclass(frozen=True)
class _Index:
    """Lines of a stage by what they belong to."""

    by_id: Mapping[int, list[int]]
    by_loc: Mapping[Place, list[int]]
    """By the innermost source line."""
    by_any: Mapping[Place, list[int]]
    """By each source line, those that it was inlined at too."""

    @classmethod
    def of(cls, lines: tuple[Line, ...], *, numbered: bool) -> _Index:
        by_id: dict[int, list[int]] = {}
        by_loc: dict[Place, list[int]] = {}
        by_any: dict[Place, list[int]] = {}
        for at, line in enumerate(lines):
            for id_ in line.ids if numbered else ():
                by_id.setdefault(id_, []).append(at)
            if line.loc:
                by_loc.setdefault(_place(line.loc), []).append(at)
                for place in dict.fromkeys(map(_place, (line.loc, *line.callers))):
                    by_any.setdefault(place, []).append(at)
        return cls(by_id, by_loc, by_any)


def link(kernel: Kernel, stages: Iterable[str] | None = None) -> Links:
    """Read stages of a kernel (all that lines can link to, unless told) and tie their lines together.

    A stage that cannot be read is left out: its own view says why.
    """
    read = {}
    for stage in kernel.stages if stages is None else stages:
        try:
            read[stage] = kernel.listing(stage).lines
        except (ParseError, FileNotFoundError):
            continue
    return tie(read)


def tie(stages: Mapping[str, tuple[Line, ...]]) -> Links:
    """Fill in from one stage what another lacks: source lines by vISA number, call sites by source line."""
    tied = {stage: lines for stage, lines in stages.items() if any(line.loc or line.ids for line in lines)}
    calls = _calls(lines for stage, lines in tied.items() if stage not in NUMBERED)
    known: dict[int, Line] = {}
    numbered = [stage for stage in NUMBERED if stage in tied]
    for stage in numbered:
        for line in tied[stage]:
            for id_ in line.ids:
                if line.loc and (id_ not in known or (not known[id_].callers and _same_place(known[id_], line))):
                    known[id_] = line
    for stage in numbered:
        tied[stage] = tuple(_completed(line, known, calls) for line in tied[stage])
    return Links(tied)


def linked_lines(kernel: Kernel, stage: str, line: int) -> dict[str, list[int]]:
    """`Links.linked_lines` of a kernel; for more than one line of it, `link` once."""
    return link(kernel).linked_lines(stage, line)


def coverage(kernel: Kernel) -> float | None:
    """Share of the ISA's instructions that have a source line or a vISA number; None: there is no listing."""
    stage = kernel.stages.get("isa")
    if stage is None:
        return None
    try:
        data = read_regular(stage.path)
    except OSError:
        return None
    return None if data.startswith(ELF_MAGIC) else linked_share(data)


def _calls(stages: Iterable[tuple[Line, ...]]) -> dict[Place, set[tuple[SourceLoc, ...]]]:
    """How each source line came into the kernel, by the stages that record it: one way, or several."""
    calls: dict[Place, dict[Place | None, tuple[SourceLoc, ...]]] = {}
    for lines in stages:
        for line in lines:
            if line.loc:
                outermost = _place(line.callers[-1]) if line.callers else None
                calls.setdefault(_place(line.loc), {}).setdefault(outermost, line.callers)
    return {place: set(ways.values()) for place, ways in calls.items()}


def _completed(line: Line, known: Mapping[int, Line], calls: Mapping[Place, set[tuple[SourceLoc, ...]]]) -> Line:
    by_number = next((known[id_] for id_ in line.ids if id_ in known), None)
    if by_number and line.loc is None:
        line = replace(line, loc=by_number.loc, callers=by_number.callers)
    elif by_number and not line.callers and _same_place(line, by_number):
        line = replace(line, callers=by_number.callers)
    ways = calls.get(_place(line.loc)) if line.loc else None
    return replace(line, callers=_way(line.callers, ways)) if ways else line


def _way(callers: tuple[SourceLoc, ...], ways: set[tuple[SourceLoc, ...]]) -> tuple[SourceLoc, ...]:
    """The one way by which a line can have come in; where there are several, that which the DWARF's calls fit."""
    if len(ways) > 1:
        places = {_place(caller) for caller in callers}
        ways = {way for way in ways if way and _place(way[-1]) in places}
    return next(iter(ways)) if len(ways) == 1 else ()


def _same_place(one: Line, other: Line) -> bool:
    return one.loc is not None and other.loc is not None and _place(one.loc) == _place(other.loc)


def _same_call(one: Line, other: Line) -> bool:
    """Whether two lines of one source line come from one call of it, as far as both know."""
    return not one.callers or not other.callers or _place(one.callers[-1]) == _place(other.callers[-1])


def _place(loc: SourceLoc) -> Place:
    return loc.file, loc.line
