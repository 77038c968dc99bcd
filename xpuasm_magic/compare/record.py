"""A Diff as plain values, for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from math import isinf
from typing import Any

from xpuasm_magic.compare.comparison import Diff, Pair
from xpuasm_magic.compare.fail_on import Failure
from xpuasm_magic.compare.listing_diff import Changes, Hunk, ListingDiff
from xpuasm_magic.compare.source import SourceLine
from xpuasm_magic.errors import ParseError
from xpuasm_magic.model import Kernel, SourceLoc


def diff_record(found: Diff, failed: Sequence[Failure] = (), stage: str | None = None) -> dict[str, Any]:
    """Missing is None. With `stage`, each pair has that stage's hunks, with both sides' lines."""
    return {
        "a": found.label_a,
        "b": found.label_b,
        "pairs": [_pair(pair, stage) for pair in found.pairs],
        "only_a": [_kernel(kernel) for kernel in found.only_a],
        "only_b": [_kernel(kernel) for kernel in found.only_b],
        "failures": [
            {"condition": one.condition.text, "kernel": one.kernel, "known": one.known, "words": one.words}
            for one in failed
        ],
    }


def _pair(pair: Pair, stage: str | None) -> dict[str, Any]:
    source = pair.source
    record: dict[str, Any] = {
        "a": _kernel(pair.a),
        "b": _kernel(pair.b),
        "paired_by": pair.how,
        "similarity": pair.similarity,
        "columns": {
            name: {"a": one.a, "b": one.b, "change": one.change, "percent": _finite(one.percent)}
            for name, one in pair.deltas.items()
        },
        "inputs": {one.name: {"state": one.state, "words": one.words} for one in pair.inputs},
        "cause": pair.cause.name if pair.cause else None,
        "source": source and {"removed": _lines(source.removed), "added": _lines(source.added)},
        "isa": _changes(pair.isa),
    }
    if stage:
        record["stage"] = _stage(pair, stage)
    return record


def _stage(pair: Pair, stage: str) -> dict[str, Any] | None:
    try:
        found = pair.listing(stage)
    except (KeyError, ParseError, OSError):
        return None
    return {
        "name": stage,
        **(_changes(found.changes) or {}),
        "hunks": [_hunk(hunk, found) for hunk in found.hunks],
    }


def _changes(found: Changes | None) -> dict[str, Any] | None:
    if found is None:
        return None
    sources = {
        "a_sources": [_loc(loc) for loc in found.a_sources],
        "b_sources": [_loc(loc) for loc in found.b_sources],
    }
    counts = {str(change): count for change, count in found.counts.items()}
    return {"same": found.same, **counts, **sources}


def _hunk(hunk: Hunk, found: ListingDiff) -> dict[str, Any]:
    return {
        "rows": [
            {
                "change": row.change,
                "a": row.a,
                "b": row.b,
                "a_text": None if row.a is None else found.a.lines[row.a].text,
                "b_text": None if row.b is None else found.b.lines[row.b].text,
            }
            for row in hunk.rows
        ],
        "a_sources": [_loc(loc) for loc in hunk.a_sources],
        "b_sources": [_loc(loc) for loc in hunk.b_sources],
    }


def _kernel(kernel: Kernel) -> dict[str, Any]:
    return {"name": kernel.name, "key": kernel.key, "status": kernel.status}


def _lines(lines: Sequence[SourceLine]) -> list[dict[str, Any]]:
    return [{"text": line.text, **_loc(line.loc)} for line in lines]


def _loc(loc: SourceLoc) -> dict[str, Any]:
    return {"file": loc.file, "line": loc.line}


def _finite(value: float | None) -> float | None:
    return None if value is None or isinf(value) else value
