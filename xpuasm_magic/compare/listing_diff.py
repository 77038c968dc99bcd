"""Two listings of one stage -> what differs, with the lines of source that it comes from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from xpuasm_magic.compare.alignment import Alignment, align
from xpuasm_magic.compare.statement import Statement
from xpuasm_magic.compare.statements import statements
from xpuasm_magic.model import Line, Listing, SourceLoc

Change = Literal["equal", "removed", "added", "moved", "rerouted"]
"""`equal`: but for names. `moved`: the same statement stands elsewhere in the other listing. `rerouted`: it reads
alike, but an operand comes from another statement."""

CHANGES: tuple[Change, ...] = ("removed", "added", "moved", "rerouted")

CONTEXT = 3
"""Equal statements around a change, as in unified diffs."""


@dataclass(frozen=True)
class Row:
    """A statement of either side or of both; `a` and `b` are indices of lines of the listings."""

    change: Change
    a: int | None
    b: int | None


@dataclass(frozen=True)
class Hunk:
    """Changes that stand close to one another, with the equal statements between and around them."""

    rows: tuple[Row, ...]
    a_sources: tuple[SourceLoc, ...]
    """Where the changed statements of A come from; the line that most come from first."""
    b_sources: tuple[SourceLoc, ...]

    @property
    def a_lines(self) -> tuple[int, ...]:
        """Indices of the changed lines of A's listing."""
        return tuple(row.a for row in self.rows if row.change != "equal" and row.a is not None)

    @property
    def b_lines(self) -> tuple[int, ...]:
        return tuple(row.b for row in self.rows if row.change != "equal" and row.b is not None)


@dataclass(frozen=True)
class Changes:
    """How much of a stage differs, and where that comes from."""

    counts: Mapping[Change, int]
    """Statements by what became of them, but for equal ones; a moved one counts once."""
    a_sources: tuple[SourceLoc, ...]
    """Source lines that changed statements of A come from, the most concerned first."""
    b_sources: tuple[SourceLoc, ...]

    @property
    def same(self) -> bool:
        """Whether the two say the same but for names."""
        return not any(self.counts.values())


NO_CHANGES = Changes(dict.fromkeys(CHANGES, 0), (), ())


@dataclass(frozen=True)
class ListingDiff:
    """Of one stage. Both listings stand verbatim; only their statements are compared, not comments."""

    a: Listing
    b: Listing
    hunks: tuple[Hunk, ...]
    moves: tuple[tuple[int, int], ...]
    """Line of A, line of B."""
    rows: tuple[Row, ...] = ()
    """All statements in order, also those between the hunks; none where the two are the same text."""

    @cached_property
    def changes(self) -> Changes:
        rows = [row for hunk in self.hunks for row in hunk.rows if row.change != "equal"]
        found = Counter(row.change for row in rows if row.change != "moved" or row.a is not None)
        counts = {change: found[change] for change in CHANGES}
        return Changes(counts, _sources(self.a, [row.a for row in rows]), _sources(self.b, [row.b for row in rows]))


def diff_listings(a: Listing, b: Listing) -> ListingDiff:
    """What differs but for names. Both must be of one stage."""
    if a.lines == b.lines:
        return ListingDiff(a, b, (), ())
    left, right = statements(a), statements(b)
    found = align(left, right)
    rows = list(_rows(left, right, found))
    hunks = tuple(_hunk(a, b, rows[start:stop]) for start, stop in _spans(rows))
    moves = tuple((left[i].line, right[j].line) for i, j in found.moved)
    return ListingDiff(a, b, hunks, moves, tuple(rows))


def _rows(a: Sequence[Statement], b: Sequence[Statement], found: Alignment) -> Iterator[Row]:
    moved_a, moved_b = {i for i, _ in found.moved}, {j for _, j in found.moved}
    i = j = 0
    for x, y in [*found.pairs, (len(a), len(b))]:
        yield from (Row("moved" if p in moved_a else "removed", a[p].line, None) for p in range(i, x))
        yield from (Row("moved" if q in moved_b else "added", None, b[q].line) for q in range(j, y))
        if x < len(a):
            yield Row("rerouted" if (x, y) in found.rerouted else "equal", a[x].line, b[y].line)
        i, j = x + 1, y + 1


def _spans(rows: Sequence[Row]) -> Iterator[tuple[int, int]]:
    """Ranges of rows that hold the changes and their context, none overlapping another."""
    begun: int | None = None
    end = 0
    for place, row in enumerate(rows):
        if row.change == "equal":
            continue
        if begun is not None and place - CONTEXT > end:
            yield begun, end
            begun = None
        if begun is None:
            begun = max(place - CONTEXT, 0)
        end = min(place + CONTEXT + 1, len(rows))
    if begun is not None:
        yield begun, end


def _hunk(a: Listing, b: Listing, rows: Sequence[Row]) -> Hunk:
    changed = [row for row in rows if row.change != "equal"]
    return Hunk(tuple(rows), _sources(a, [row.a for row in changed]), _sources(b, [row.b for row in changed]))


def _sources(listing: Listing, lines: Sequence[int | None]) -> tuple[SourceLoc, ...]:
    found: Counter[SourceLoc] = Counter()
    for index in lines:
        if index is not None and (loc := _place(listing.lines[index])):
            found[loc] += 1
    return tuple(loc for loc, _ in found.most_common())


def _place(line: Line) -> SourceLoc | None:
    """Of an inlined function, the line that called it: the user's own. Columns are left out."""
    loc = line.callers[-1] if line.callers else line.loc
    return SourceLoc(loc.file, loc.line) if loc else None
