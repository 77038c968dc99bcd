"""Which kernel of one capture is which kernel of another, and how that is known.

Triton's cache keys hold the device and the compiler's version, so they pair nothing that is worth comparing.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from xpuasm_magic.compare.source import kernel_source
from xpuasm_magic.compare.ttir import ttir_lines
from xpuasm_magic.model import Kernel

How = Literal[
    "given",
    "source, signature, constants and config",
    "source, signature and constants",
    "name, signature, constants and config",
    "name and position",
    "similar source",
]
"""How a pair was found, the surest first; `given`: the caller named both."""

SIMILAR = 0.6
"""The least share of lines that two kernels of different names have in common to be paired."""


@dataclass(frozen=True)
class Match:
    """Two kernels that are one."""

    a: Kernel
    b: Kernel
    how: How
    similarity: float | None = None
    """Share of lines in common, where that is how they were paired."""


def pair_kernels(
    a: Sequence[Kernel], b: Sequence[Kernel]
) -> tuple[tuple[Match, ...], tuple[Kernel, ...], tuple[Kernel, ...]]:
    """The pairs in the order of A; then what only A and only B has."""
    left, right = [_Identity(kernel) for kernel in a], [_Identity(kernel) for kernel in b]
    place = {id(one): index for index, one in enumerate(left)}
    found: list[tuple[_Identity, Match]] = []
    for how, key in _STEPS:
        for one, other in _equal(left, right, key):
            left.remove(one)
            right.remove(other)
            found.append((one, Match(one.kernel, other.kernel, how)))
    for similarity, one, other in _alike(left, right):
        left.remove(one)
        right.remove(other)
        found.append((one, Match(one.kernel, other.kernel, "similar source", similarity)))
    found.sort(key=lambda pair: place[id(pair[0])])
    return (
        tuple(match for _, match in found),
        tuple(one.kernel for one in left),
        tuple(one.kernel for one in right),
    )


class _Identity:
    """What a kernel is told by, other than its key; read when asked for. Equal only to itself."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    @cached_property
    def arguments(self) -> str:
        variant = self.kernel.variant
        return json.dumps([dict(variant.signature), dict(variant.constants)], sort_keys=True, default=str)

    @property
    def config(self) -> Hashable:
        variant = self.kernel.variant
        return variant.num_warps, variant.num_stages, variant.grf_mode

    @cached_property
    def source(self) -> str | None:
        """A digest of the Python, else of the TTIR, else of the module."""
        if source := kernel_source(self.kernel):
            return source.digest
        if lines := self._ttir:
            return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()
        try:
            path = self.kernel.binaries.get("spv")
            return hashlib.sha256(path.read_bytes()).hexdigest() if path else None
        except OSError:
            return None

    @cached_property
    def lines(self) -> Counter[str]:
        """What similarity is counted in."""
        source = kernel_source(self.kernel)
        return Counter([line.text.strip() for line in source.lines] if source else self._ttir)

    @cached_property
    def _ttir(self) -> tuple[str, ...]:
        return ttir_lines(self.kernel)


_Key = Callable[[_Identity], Hashable | None]
_STEPS: tuple[tuple[How, _Key], ...] = (
    (
        "source, signature, constants and config",
        lambda one: (one.source, one.arguments, one.config) if one.source else None,
    ),
    ("source, signature and constants", lambda one: (one.source, one.arguments) if one.source else None),
    ("name, signature, constants and config", lambda one: (one.kernel.name, one.arguments, one.config)),
    ("name and position", lambda one: one.kernel.name),
)


def _equal(a: Sequence[_Identity], b: Sequence[_Identity], key: _Key) -> list[tuple[_Identity, _Identity]]:
    """Those with one key, in order. Between equals those of one name go first."""
    pairs = []
    by_key: defaultdict[Hashable, list[_Identity]] = defaultdict(list)
    for other in b:
        by_key[key(other)].append(other)
    for one in a:
        waiting = by_key.get(found) if (found := key(one)) is not None else None
        if waiting:
            other = next((other for other in waiting if other.kernel.name == one.kernel.name), waiting[0])
            waiting.remove(other)
            pairs.append((one, other))
    return pairs


def _alike(a: Sequence[_Identity], b: Sequence[_Identity]) -> list[tuple[float, _Identity, _Identity]]:
    """The most similar first, each kernel once."""
    found = [(_similarity(one.lines, other.lines), i, j) for i, one in enumerate(a) for j, other in enumerate(b)]
    pairs = []
    taken_a: set[int] = set()
    taken_b: set[int] = set()
    for share, i, j in sorted(found, key=lambda item: (-item[0], item[1], item[2])):
        if share >= SIMILAR and i not in taken_a and j not in taken_b:
            taken_a.add(i)
            taken_b.add(j)
            pairs.append((share, a[i], b[j]))
    return pairs


def _similarity(a: Counter[str], b: Counter[str]) -> float:
    total = sum(a.values()) + sum(b.values())
    return 2 * sum((a & b).values()) / total if total else 0.0
