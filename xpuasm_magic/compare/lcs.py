"""The longest common subsequence of two sequences: exact, and quick where values repeat, as instructions do.

Hyyrö's bit-parallel recurrence ("Bit-parallel LCS-length computation revisited", 2004) on Python's long integers:
two listings of 10,000 lines take about 50 ms whatever they hold; `difflib` takes minutes where few values repeat
often. Memory is bounded by Hirschberg's division (1975).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import accumulate

_MOST_BITS = 1 << 29
"""The table of one call: a bit for each pair of items (64 MB)."""

Pairs = list[tuple[int, int]]


def common(a: Sequence[Hashable], b: Sequence[Hashable]) -> Pairs:
    """Index pairs of a longest common subsequence, in order."""
    start = _same(a, b)
    end = _same(a[start:][::-1], b[start:][::-1])
    head = [(i, i) for i in range(start)]
    tail = [(len(a) - i, len(b) - i) for i in range(end, 0, -1)]
    middle = _common(a[start : len(a) - end], b[start : len(b) - end])
    return [*head, *((start + i, start + j) for i, j in middle), *tail]


def _same(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """How many items from the start are equal."""
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _common(a: Sequence[Hashable], b: Sequence[Hashable]) -> Pairs:
    if not a or not b:
        return []
    if len(a) * len(b) <= _MOST_BITS or len(b) == 1:
        return _traced(_rows(a, b), len(a))
    half = len(b) // 2
    before = _lengths(_rows(a, b[:half])[-1], len(a))
    after = _lengths(_rows(a[::-1], b[half:][::-1])[-1], len(a))[::-1]
    split = max(range(len(a) + 1), key=lambda i: before[i] + after[i])
    second = _common(a[split:], b[half:])
    return [*_common(a[:split], b[:half]), *((split + i, half + j) for i, j in second)]


def _rows(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[int]:
    """After each item of `b`: bit i is 0 where item i of `a` makes the common subsequence longer."""
    places: dict[Hashable, int] = {}
    for i, item in enumerate(a):
        places[item] = places.get(item, 0) | 1 << i
    ones = (1 << len(a)) - 1
    row, rows = ones, []
    for item in b:
        matched = row & places.get(item, 0)
        row = ((row + matched) | (row - matched)) & ones
        rows.append(row)
    return rows


def _lengths(row: int, size: int) -> list[int]:
    """The common length with each prefix of `a`, the empty one first."""
    bits = f"{row:0{size}b}"[::-1]
    return list(accumulate((bit == "0" for bit in bits), initial=0))


def _traced(rows: list[int], size: int) -> Pairs:
    pairs = []
    i, j = size, len(rows)
    while i and j:
        if rows[j - 1] >> (i - 1) & 1:
            i -= 1
        elif j > 1 and not rows[j - 2] >> (i - 1) & 1:
            j -= 1
        else:
            i, j = i - 1, j - 1
            pairs.append((i, j))
    return pairs[::-1]
