"""The hunks of a pair's stage as lines of text, each with what became of it."""

from __future__ import annotations

from collections.abc import Iterator

from xpuasm_magic.compare.comparison import Pair
from xpuasm_magic.compare.listing_diff import Change, Hunk, ListingDiff
from xpuasm_magic.compare.summary import source_places

HunkLine = tuple[Change | None, str]
"""None: the head of a hunk."""

_MOST_PLACES = 3


def hunk_lines(pair: Pair, found: ListingDiff) -> Iterator[HunkLine]:
    """`-` only in A, `+` only in B, `<` and `>` where a moved line left and where it went, `~` A's and then B's of
    two lines whose operands differ, blank: equal but for names, shown as in B.
    """
    for hunk in found.hunks:
        places = ", ".join(source_places(pair.side_a, pair.side_b, hunk)[:_MOST_PLACES])
        yield None, f"@@ A {_range(hunk, 0)}, B {_range(hunk, 1)} @@{f' {places}' if places else ''}"
        for row in hunk.rows:
            old = None if row.a is None else found.a.lines[row.a].text.rstrip()
            new = None if row.b is None else found.b.lines[row.b].text.rstrip()
            if row.change == "equal":
                yield "equal", f"  {new}"
            elif row.change == "rerouted":
                yield "rerouted", f"~ {old}"
                yield "rerouted", f"~ {new}"
            elif row.change == "moved":
                yield "moved", f"> {new}" if old is None else f"< {old}"
            else:
                yield row.change, f"+ {new}" if old is None else f"- {old}"


def _range(hunk: Hunk, side: int) -> str:
    """Lines of the listing, counted from 1; a dash where the side has none."""
    lines = [line for row in hunk.rows if (line := (row.a, row.b)[side]) is not None]
    return f"{lines[0] + 1}-{lines[-1] + 1}" if lines else "–"
