"""A Diff -> sentences: what changed in which kernel, and why where that is proven."""

from __future__ import annotations

from collections.abc import Sequence
from math import isinf
from typing import Any

from xpuasm_magic.compare.comparison import Diff, Pair
from xpuasm_magic.compare.delta import Delta
from xpuasm_magic.compare.listing_diff import Changes, Hunk
from xpuasm_magic.compare.side import Side
from xpuasm_magic.model import Kernel

_FIRST = ("status", "time_ms", "spill_bytes")
_ALWAYS = ("spill_bytes", "instructions", "simd", "grf")
_MOST_COLUMNS, _MOST_LINES = 8, 3

# fmt: off
_SELDOM = frozenset((
    "name", "family", "config", "winner", "launches", "match", "device", "registers", "spill_dwords_per_lane",
    "work_group", "num_warps", "threads_per_warp", "checks", "isa_bytes", "key",
))
# fmt: on
"""Columns that say who a kernel is or repeat another; what the compilers were given is told by its cause."""

_SURE = ("given", "source, signature, constants and config", "name, signature, constants and config")


def summary_text(found: Diff) -> str:
    """The count, then a line for each pair that differs, those that spill more first; then what has no pair."""
    differing = sorted((pair for pair in found.pairs if differs(pair)), key=_weight, reverse=True)
    lines = [headline(found, len(differing))]
    for pair in differing:
        lines.append(f"{pair.name}: {pair_words(pair)}")
    for label, kernels in ((found.label_a, found.only_a), (found.label_b, found.only_b)):
        if kernels:
            lines.append(f"only in {label}: {kernel_names(kernels)}")
    return "\n".join(lines)


def headline(found: Diff, differing: int) -> str:
    """E.g. `before → after: 1 of 3 kernels differs`."""
    count = len(found.pairs)
    if not count:
        return f"{found.label_a} → {found.label_b}: no kernel of the one is in the other"
    said = f"{differing} of {count} kernel{'s' if count > 1 else ''} {'differs' if differing == 1 else 'differ'}"
    return f"{found.label_a} → {found.label_b}: {said if differing else 'no kernel differs'}"


def differs(pair: Pair) -> bool:
    """In a figure, or in the machine code other than by names."""
    return bool(told_deltas(pair)) or pair.isa is None or not pair.isa.same


def pair_words(pair: Pair) -> str:
    """E.g. `spill_bytes 0 → 24, instructions 120 → 180 (+50%), because softmax.py:17 changed: …`."""
    told = told_deltas(pair)
    said = [delta_words(delta) for delta in told[:_MOST_COLUMNS]]
    if len(told) > _MOST_COLUMNS:
        said.append(f"{len(told) - _MOST_COLUMNS} more columns")
    parts = [", ".join(said) or "all figures are the same", because(pair), isa_words(pair)]
    if pair.how not in _SURE:
        share = f" ({pair.similarity:.0%})" if pair.similarity is not None else ""
        parts.append(f"paired by {pair.how}{share}")
    return "; ".join(part for part in parts if part).replace("; because", ", because")


def told_deltas(pair: Pair) -> list[Delta]:
    """Columns that differ and say something of the code, the gravest first.

    Where a kernel was not compiled, that is what differs: not each of the figures that it therefore lacks.
    """
    differing = [delta for delta in pair.deltas.values() if delta.differs and delta.column not in _SELDOM]
    if pair.deltas["status"].differs:
        differing = [delta for delta in differing if delta.a is not None and delta.b is not None]
    return sorted(differing, key=lambda one: _FIRST.index(one.column) if one.column in _FIRST else len(_FIRST))


def told_columns(pairs: Sequence[Pair]) -> list[str]:
    """Of a table: columns that differ somewhere, and the four that everybody asks for."""
    told = {delta.column for pair in pairs for delta in told_deltas(pair)}
    return [name for name in pairs[0].deltas if name in told or name in _ALWAYS]


def delta_words(delta: Delta) -> str:
    """E.g. `instructions 120 → 180 (+50%)`."""
    percent = delta.percent
    ratio = f" ({percent:+.3g}%)" if percent and not isinf(percent) and delta.a and delta.b else ""
    return f"{delta.column} {cell_words(delta.a)} → {cell_words(delta.b)}{ratio}"


def cell_words(value: Any) -> str:
    if value is None:
        return "not known"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.6g}" if isinstance(value, float) else str(value)


def because(pair: Pair) -> str:
    """The cause where one is proven; else what differs in what was compiled, with no claim."""
    if pair.cause:
        return f"because {pair.cause.words}"
    changed = [one.words for one in pair.inputs if one.state == "changed"]
    unknown = [one.name for one in pair.inputs if one.state == "unknown"]
    told = f"these differ: {', '.join(changed)}" if changed else ""
    return told + (f" (not known: {', '.join(unknown)})" if told and unknown else "")


def isa_words(pair: Pair) -> str:
    """E.g. `ISA: 12 added, 3 removed, mostly from softmax.py:17`."""
    isa = pair.isa
    if isa is None:
        lacking = [_lacking(*side) for side in (("A", pair.a), ("B", pair.b)) if "isa" not in side[1].stages]
        return f"no machine code to compare: {', '.join(lacking) or 'it cannot be read'}"
    if isa.same:
        return "the machine code is the same but for names"
    counts = ", ".join(f"{count:,} {_CHANGES[change]}" for change, count in isa.counts.items() if count)
    places = source_places(pair.side_a, pair.side_b, isa)
    return f"ISA: {counts}" + (f", mostly from {', '.join(places[:_MOST_LINES])}" if places else "")


_CHANGES = {"removed": "removed", "added": "added", "moved": "moved", "rerouted": "with other operands"}


def source_places(a: Side, b: Side, found: Changes | Hunk) -> list[str]:
    """Source lines that the changed statements come from, B's; A's where B has none."""
    return b.places(found.b_sources) or [f"{where} of A" for where in a.places(found.a_sources)]


def kernel_names(kernels: Sequence[Kernel]) -> str:
    """Each name once, with how many there are of it."""
    names = [kernel.name for kernel in kernels]
    return ", ".join(
        f"{name} (×{names.count(name)})" if names.count(name) > 1 else name for name in dict.fromkeys(names)
    )


def _lacking(label: str, kernel: Kernel) -> str:
    """With the first line of what the compiler said."""
    said = f" ({kernel.error.strip().splitlines()[0]})" if kernel.error and kernel.error.strip() else ""
    return f"{label} has none" if kernel.status == "ok" else f"{label} {kernel.status}{said}"


def _weight(pair: Pair) -> tuple[bool, float, float]:
    lost = pair.b.status != "ok" and pair.a.status == "ok"
    spill, size = pair.deltas["spill_bytes"].change, pair.deltas["instructions"].percent
    return lost, float(spill or 0), abs(size or 0)
