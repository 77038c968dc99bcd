"""Which statements of two sequences are the same, which were moved, and which take their operands from elsewhere."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Container, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from xpuasm_magic.compare.lcs import Pairs, common
from xpuasm_magic.compare.statement import Operand, Statement

_CONTEXT = 2
"""How many steps back along the operands a statement is looked at to tell it from others that read alike."""

_TRIES = 8
"""How many statements that read alike are looked at to find one that was moved."""


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
    return _resolved(a, b, pairs)


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


def _resolved(a: Sequence[Statement], b: Sequence[Statement], pairs: Pairs) -> Alignment:
    """Moves are found among what has no pair, and among pairs that an operand contradicts: of code that was unrolled
    and then put in another order, copies that stand at one place are not of one round.
    """
    there, back = dict(pairs), {j: i for i, j in pairs}
    doubtful = [(i, j) for i, j in pairs if _contradicted(a[i], b[j], there, back)]
    for i, j in doubtful:
        del there[i], back[j]
    waiting: defaultdict[Hashable, deque[int]] = defaultdict(deque)
    for j, other in enumerate(b):
        if j not in back:
            waiting[other.text, other.operands].append(j)
            waiting[other.text].append(j)
    moved: Pairs = []
    for i, one in enumerate(a):
        if i in there:
            continue
        exactly = _waiting(waiting, (one.text, _translated(one.operands, there)), back)
        alike = (j for j in _waiting(waiting, one.text, back) if not _contradicted(one, b[j], there, back))
        found = next(chain(exactly, alike), None)
        if found is not None:
            there[i], back[found] = found, i
            moved.append((i, found))
    rerouted = frozenset((i, j) for i, j in doubtful if i not in there and j not in back)
    kept = [(i, j) for i, j in pairs if there.get(i) == j or (i, j) in rerouted]
    return Alignment(tuple(kept), rerouted, tuple(sorted(set(moved) - set(kept))))


def _contradicted(one: Statement, other: Statement, there: dict[int, int], back: dict[int, int]) -> bool:
    """Only where it is certain: all origins of an operand, on either side, have their like, and these differ."""
    return any(_differ(x, y, there, back) for x, y in zip(one.operands, other.operands, strict=False))


def _differ(x: Operand, y: Operand, there: dict[int, int], back: dict[int, int]) -> bool:
    if not x or not y or any(place not in there for place, _ in x) or any(place not in back for place, _ in y):
        return False
    return [(there[place], part) for place, part in x] != list(y)


def _translated(operands: tuple[Operand, ...], there: dict[int, int]) -> tuple[Operand, ...] | None:
    """The operands as the other sequence would have them; None where an origin has no like there."""
    if any(place not in there for operand in operands for place, _ in operand):
        return None
    return tuple(tuple((there[place], part) for place, part in operand) for operand in operands)


def _waiting(waiting: dict[Hashable, deque[int]], key: Hashable, claimed: Container[int]) -> Iterator[int]:
    """The first few that have the key and are not claimed; the claimed at the front are let go."""
    places = waiting.get(key, deque())
    while places and places[0] in claimed:
        places.popleft()
    return (place for place in islice(places, _TRIES) if place not in claimed)
