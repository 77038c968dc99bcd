"""The common subsequence is a longest one, also where memory bounds make it divide."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from itertools import pairwise

import pytest

from xpuasm_magic.compare import lcs


def length(a: Sequence[int], b: Sequence[int]) -> int:
    """The textbook's table."""
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            table[i + 1][j + 1] = table[i][j] + 1 if x == y else max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


@pytest.mark.parametrize("most_bits", [1 << 29, 8])
def test_pairs_are_equal_in_order_and_as_many_as_can_be(monkeypatch: pytest.MonkeyPatch, most_bits: int) -> None:
    monkeypatch.setattr(lcs, "_MOST_BITS", most_bits)
    chance = random.Random(4)
    for _ in range(300):
        a, b = ([chance.randrange(4) for _ in range(chance.randrange(15))] for _ in range(2))
        pairs = lcs.common(a, b)
        assert all(a[i] == b[j] for i, j in pairs)
        assert all(x[0] < y[0] and x[1] < y[1] for x, y in pairwise(pairs))
        assert len(pairs) == length(a, b), (a, b)


def test_a_few_values_repeated_thousands_of_times_are_no_trap() -> None:
    a, b = [0, 1] * 5000, [1, 0, 0] * 3333
    start = time.perf_counter()
    pairs = lcs.common(a, b)
    assert time.perf_counter() - start < 5  # difflib takes minutes
    assert all(a[i] == b[j] for i, j in pairs)
    assert len(pairs) >= 6666  # every 1 of B with a 0 after it
