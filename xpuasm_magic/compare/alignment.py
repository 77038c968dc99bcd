"""Which statements of two sequences are the same, which were moved, and which take their operands from elsewhere."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from xpuasm_magic.compare.lcs import Pairs, common
from xpuasm_magic.compare.statement import Operand, Statement

_CONTEXT = 2
"""How many steps back along the operands a statement is looked at to tell it from others that read alike."""


@dataclass(frozen=True)
class Alignment:
    """Places in the two sequences."""

    pairs: tuple[tuple[int, int], ...]
    """The same text, in the same order."""
    rerouted: frozenset[tuple[int, int]]
    """Those of the pairs with an operand that comes from another statement than in the other sequence."""
    moved: tuple[tuple[int, int], ...]
    """The same text and the same operands, at another place."""


def align(a: Sequence[Statement], b: Sequence[Statement]) -> Alignment:
    """First what is equal with the statements that its operands come from, then, between those, what reads alike.

    So a `mov` among ten that read alike is not paired with its neighbour.
    """
    numbers: dict[Hashable, int] = {}
    plain_a, plain_b = (_numbered(numbers, [one.text for one in side]) for side in (a, b))
    deep_a, deep_b = _in_context(numbers, a, plain_a), _in_context(numbers, b, plain_b)
    pairs: Pairs = []
    i = j = 0
    for x, y in [*common(deep_a, deep_b), (len(a), len(b))]:
        pairs += ((i + p, j + q) for p, q in common(plain_a[i:x], plain_b[j:y]))
        pairs.append((x, y))
        i, j = x + 1, y + 1
    pairs.pop()
    moved = _moved(pairs, deep_a, deep_b)
    return Alignment(tuple(pairs), _rerouted(a, b, pairs, moved), tuple(moved))


def _numbered(numbers: dict[Hashable, int], keys: Sequence[Hashable]) -> list[int]:
    """Equal keys get one number: comparing these is quick."""
    return [numbers.setdefault(key, len(numbers)) for key in keys]


def _in_context(numbers: dict[Hashable, int], side: Sequence[Statement], plain: list[int]) -> list[int]:
    context = plain
    for _ in range(_CONTEXT):
        before = context
        context = _numbered(
            numbers,
            [
                (
                    own,
                    *(
                        tuple((before[place], part) for place, part in operand if place < len(before))
                        for operand in one.operands
                    ),
                )
                for own, one in zip(plain, side, strict=True)
            ],
        )
    return context


def _moved(pairs: Pairs, deep_a: list[int], deep_b: list[int]) -> Pairs:
    paired_a, paired_b = {i for i, _ in pairs}, {j for _, j in pairs}
    left: defaultdict[int, list[int]] = defaultdict(list)
    for j in reversed(range(len(deep_b))):
        if j not in paired_b:
            left[deep_b[j]].append(j)
    return [(i, left[deep].pop()) for i, deep in enumerate(deep_a) if i not in paired_a and left.get(deep)]


def _rerouted(
    a: Sequence[Statement], b: Sequence[Statement], pairs: Pairs, moved: Pairs
) -> frozenset[tuple[int, int]]:
    """Only what is certain: each origin on either side is known, has its like on the other, and they differ."""
    there = dict([*pairs, *moved])
    back = {j: i for i, j in there.items()}
    return frozenset(
        (i, j)
        for i, j in pairs
        if any(_differ(x, y, there, back) for x, y in zip(a[i].operands, b[j].operands, strict=False))
    )


def _differ(x: Operand, y: Operand, there: dict[int, int], back: dict[int, int]) -> bool:
    if (
        not x
        or not y
        or any(place not in there for place, _ in x)
        or any(place not in back for place, _ in y)
    ):
        return False
    return [(there[place], part) for place, part in x] != list(y)
