"""Two codes side by side: what differs in a stage, row by row, with the unchanged stretches between."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import TypedDict

from xpuasm_magic.compare.comparison import Pair
from xpuasm_magic.compare.listing_diff import CHANGES, Change, Hunk, ListingDiff
from xpuasm_magic.compare.summary import pair_words, source_places
from xpuasm_magic.errors import ParseError, XpuasmError
from xpuasm_magic.view.codes import Code
from xpuasm_magic.view.payload import CHUNK, StagePayload
from xpuasm_magic.view.stages import stage_view

ROW_KINDS: tuple[Change | str, ...] = ("text", "equal", *CHANGES)
"""`text`: a comment or a blank line, which is not compared."""

_MOST_PLACES = 3


class HunkPayload(TypedDict):
    """Changes that stand close to one another: rows `first` to `last`, both counted in."""

    first: int
    last: int
    places: list[str]
    """Source lines that they come from, the most concerned first."""


class ComparePayload(TypedDict):
    """Both texts, and which of their lines stand beside each other."""

    labels: list[str]
    summary: str
    stages: list[StagePayload]
    stage: str
    texts: list[str]
    chunk: int
    kinds: list[str]
    runs: list[list[int]]
    """`[kind, line of A, line of B, count]`; -1: the side has no line there."""
    hunks: list[HunkPayload]
    counts: dict[str, int]


def compare_payload(a: Code, b: Code, stage: str) -> ComparePayload:
    """`stage`: where one of the two lacks it, the last that both have.

    Raises:
        XpuasmError: they have no stage in common, or a file cannot be read.
    """
    pair = Pair(a.side, b.side, "given")
    if not pair.stages:
        raise XpuasmError(f"there is nothing to compare: {pair_words(pair)}")
    shown = stage if stage in pair.stages else "isa" if "isa" in pair.stages else pair.stages[-1]
    try:
        found = pair.listing(shown)
    except (ParseError, OSError) as error:
        raise XpuasmError(f"{shown} cannot be read: {error}") from error
    rows = list(_rows(found))
    views = [stage_view(name) for name in pair.stages]
    return ComparePayload(
        labels=[a.label, b.label],
        summary=pair_words(pair),
        stages=[StagePayload(name=view.name, title=view.title, suffix=view.suffix) for view in views],
        stage=shown,
        texts=["\n".join(line.text for line in listing.lines) for listing in (found.a, found.b)],
        chunk=CHUNK,
        kinds=list(ROW_KINDS),
        runs=_runs(rows),
        hunks=_hunks(pair, found, rows),
        counts=dict(found.changes.counts.items()),
    )


_Row = tuple[int, int, int]
"""Kind, line of A, line of B."""


def _rows(found: ListingDiff) -> Iterator[_Row]:
    """All lines of both, in order: statements as they were aligned, what is not compared where it stands."""
    if not found.rows:
        yield from ((1, line, line) for line in range(len(found.a.lines)))
        return
    i = j = 0
    for row in found.rows:
        a, b = (i if row.a is None else row.a), (j if row.b is None else row.b)
        yield from _texts(i, a, j, b)
        yield ROW_KINDS.index(row.change), _line(row.a), _line(row.b)
        i, j = a + (row.a is not None), b + (row.b is not None)
    yield from _texts(i, len(found.a.lines), j, len(found.b.lines))


def _texts(i: int, a: int, j: int, b: int) -> Iterator[_Row]:
    for left, right in zip_longest(range(i, a), range(j, b), fillvalue=-1):
        yield 0, left, right


def _line(index: int | None) -> int:
    return -1 if index is None else index


def _runs(rows: list[_Row]) -> list[list[int]]:
    runs: list[list[int]] = []
    for kind, a, b in rows:
        if runs:
            last_kind, first_a, first_b, count = runs[-1]
            goes_on = kind == last_kind and a == _after(first_a, count) and b == _after(first_b, count)
            if goes_on:
                runs[-1][3] += 1
                continue
        runs.append([kind, a, b, 1])
    return runs


def _after(first: int, count: int) -> int:
    return -1 if first < 0 else first + count


def _hunks(pair: Pair, found: ListingDiff, rows: list[_Row]) -> list[HunkPayload]:
    at = {(a, b): place for place, (kind, a, b) in enumerate(rows) if kind}
    return [
        HunkPayload(first=at[_ends(hunk, 0)], last=at[_ends(hunk, -1)], places=_places(pair, hunk))
        for hunk in found.hunks
    ]


def _ends(hunk: Hunk, which: int) -> tuple[int, int]:
    return _line(hunk.rows[which].a), _line(hunk.rows[which].b)


def _places(pair: Pair, hunk: Hunk) -> list[str]:
    return source_places(pair.side_a, pair.side_b, hunk)[:_MOST_PLACES]
