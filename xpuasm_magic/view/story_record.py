"""The figures of a kernel's story as plain values, for JSON. Missing is None."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from xpuasm_magic.analysis.mix import Mix
from xpuasm_magic.model import SourceLoc
from xpuasm_magic.view.columns import row
from xpuasm_magic.view.known import Known


def story_record(known: Known) -> dict[str, Any]:
    """A kernel's row of the table, and what each section of its story tells; `reason`: why it tells nothing."""
    return {
        **row(known.kernel),
        "error": known.kernel.error,
        "spills": _spills(known),
        "pressure": _pressure(known),
        "mix": _mix(known),
        "occupancy": asdict(known.occupancy),
        "notes": _notes(known),
    }


def _spills(known: Known) -> dict[str, Any]:
    report = known.spills
    return {
        "bytes_per_thread": report.bytes_per_thread,
        "dwords_per_lane": report.dwords_per_lane,
        "spills": report.spills,
        "fills": report.fills,
        "flag_stores": report.flag_stores,
        "flag_loads": report.flag_loads,
        "by_source": [
            {"source": _source(known, cost.loc), "spills": cost.spills, "fills": cost.fills}
            for cost in report.by_source
        ],
        "variables": [
            {**each.variable._asdict(), "spills": each.spills, "fills": each.fills} for each in report.variables
        ],
        "tries": [asdict(each) for each in report.tries],
        "recompiled": report.recompiled,
        "warnings": [asdict(each) for each in report.warnings],
        "rules": [asdict(each) for each in known.rules],
        "reason": report.reason,
    }


def _pressure(known: Known) -> dict[str, Any]:
    if known.code is None:
        return {"reason": known.no_code}
    found = known.code.pressure
    return {
        "peak": found.peak,
        "line": _line(found.peak_line),
        "sources": _sources(known, [found.peak_line] if found.peak_line is not None else []),
        "grf_count": found.grf_count,
        "live_at_peak": [
            {"name": each.name, "registers": list(each.registers), "written": [line + 1 for line in each.written]}
            for each in found.live_at_peak
        ],
        "next_step": found.next_step,
        "to_next_step": found.to_next_step,
        "unexplained": list(found.unexplained),
        "note": found.note,
        "reason": found.reason,
    }


def _mix(known: Known) -> dict[str, Any]:
    if known.code is None:
        return {"reason": known.no_code}
    mix = known.code.mix
    return {
        "whole": _part(mix.whole),
        "loops": _part(mix.loops) if mix.loops else None,
        "innermost": _part(mix.innermost) if mix.innermost else None,
        "reason": mix.reason,
    }


def _part(part: Mix) -> dict[str, Any]:
    waits = part.waits
    return {
        "instructions": part.total,
        "classes": {class_: count for class_, count in part.counts.items() if count},
        "compacted": part.compacted,
        "bytes": dict(part.moved),
        "unsized": part.unsized,
        "systolic_rows": part.systolic_rows,
        "multiply_adds": part.multiply_adds,
        "waits": {
            "results": waits.results,
            "sources": waits.sources,
            "distances": waits.distances,
            "syncs": waits.syncs,
            "median_result_distance": waits.median_result_distance,
        },
    }


def _notes(known: Known) -> list[dict[str, Any]]:
    """Lines are counted from 1, as in a listing that is shown."""
    return [
        {
            "id": note.id,
            "severity": note.severity,
            "text": note.text,
            "lines": [line + 1 for line in note.lines],
            "sources": _sources(known, note.lines),
        }
        for note in (known.code.advice if known.code else ())
    ]


def _sources(known: Known, lines: Iterable[int]) -> list[dict[str, Any] | None]:
    return [_source(known, loc) for loc in known.sources(lines)]


def _source(known: Known, loc: SourceLoc | None) -> dict[str, Any] | None:
    return {"place": known.place(loc), "file": loc.file, "line": loc.line} if loc else None


def _line(index: int | None) -> int | None:
    return None if index is None else index + 1
