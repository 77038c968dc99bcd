"""Two captures, or two kernels -> their pairs and what differs in each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xpuasm_magic.catalog import read_capture
from xpuasm_magic.catalog.around import capture_around
from xpuasm_magic.compare.cause import Input, cause, inputs, source_diff
from xpuasm_magic.compare.delta import Delta, deltas
from xpuasm_magic.compare.listing_diff import NO_CHANGES, Changes, ListingDiff, diff_listings
from xpuasm_magic.compare.pairing import How, Match, pair_kernels
from xpuasm_magic.compare.side import Side
from xpuasm_magic.compare.source import SourceDiff
from xpuasm_magic.errors import ParseError
from xpuasm_magic.model import Capture, Kernel

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class Pair:
    """A kernel of A and the one of B that it became."""

    side_a: Side
    side_b: Side
    how: How
    similarity: float | None = None
    """Share of source lines in common, where that is how they were paired."""

    def __repr__(self) -> str:
        return f"<Pair {self.name}: {self.how}>"

    @property
    def a(self) -> Kernel:
        return self.side_a.kernel

    @property
    def b(self) -> Kernel:
        return self.side_b.kernel

    @property
    def name(self) -> str:
        """Of both where they differ."""
        return self.a.name if self.a.name == self.b.name else f"{self.a.name} → {self.b.name}"

    @cached_property
    def deltas(self) -> dict[str, Delta]:
        """By column of the table, in its order."""
        return {delta.column: delta for delta in deltas(self.a, self.b)}

    @cached_property
    def inputs(self) -> tuple[Input, ...]:
        """What the two compilations were made of, compared."""
        return inputs(self.side_a, self.side_b)

    @cached_property
    def cause(self) -> Input | None:
        """The one input that the difference is proven to come from."""
        return cause(self.side_a, self.side_b, self.inputs)

    @cached_property
    def source(self) -> SourceDiff | None:
        """Of the kernel's own Python; None where it is not known on both sides."""
        return source_diff(self.side_a, self.side_b)

    @property
    def stages(self) -> tuple[str, ...]:
        """Those that both have, in pipeline order."""
        return tuple(stage for stage in self.a.stages if stage in self.b.stages)

    def listing(self, stage: str = "isa") -> ListingDiff:
        """What differs in a stage, found each time it is asked for.

        Raises:
            KeyError: one of the two has no such stage; the message says which it has.
            ParseError: a file is damaged.
            FileNotFoundError: the capture has been deleted.

        """
        return diff_listings(self.a.listing(stage), self.b.listing(stage))

    @cached_property
    def isa(self) -> Changes | None:
        """How much of the machine code differs; None where either has none that can be read."""
        try:
            if self.a.path("isa").read_bytes() == self.b.path("isa").read_bytes():
                return NO_CHANGES
            return self.listing("isa").changes
        except (KeyError, ParseError, OSError):
            return None


@dataclass(frozen=True, repr=False)
class Diff:
    """What became of A's kernels in B."""

    label_a: str
    label_b: str
    pairs: tuple[Pair, ...]
    only_a: tuple[Kernel, ...] = ()
    only_b: tuple[Kernel, ...] = ()

    def __repr__(self) -> str:
        return f"<Diff of {self.label_a} and {self.label_b}: {len(self.pairs)} pairs>"

    def _repr_html_(self) -> str:
        from xpuasm_magic.compare.html import diff_html

        return diff_html(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """The summary, where a notebook or IPython shows text."""
        from xpuasm_magic.compare.text import diff_text

        printer.text(repr(self) if cycle else diff_text(self))

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row per pair; columns are (column of the table, `a` | `b` | `change`). Missing is `<NA>`.

        `change` is `b - a`, and only numbers have one.
        """
        from xpuasm_magic.compare.table import pair_table  # pandas stays unloaded until asked

        return pair_table(self)

    @cached_property
    def summary(self) -> str:
        """What changed, kernel by kernel, and why where that is proven."""
        from xpuasm_magic.compare.summary import summary_text

        return summary_text(self)

    def markdown(self) -> str:
        """The summary as a comment on a pull request."""
        from xpuasm_magic.compare.markdown import markdown

        return markdown(self)


def diff(a: Capture | Kernel | str | Path, b: Capture | Kernel | str | Path) -> Diff:
    """Compare two captures (or paths to such), or two kernels.

    Raises:
        UsageError: a path is no capture.
        TypeError: a kernel against a capture.

    """
    a, b = (read_capture(one) if isinstance(one, (str, Path)) else one for one in (a, b))
    if isinstance(a, Kernel) and isinstance(b, Kernel):
        pair = Pair(Side(a, capture_around(a)), Side(b, capture_around(b)), "given")
        return Diff(f"{a.name} {a.key[:12]}", f"{b.name} {b.key[:12]}", (pair,))
    if isinstance(a, Kernel) or isinstance(b, Kernel):
        raise TypeError('a kernel compares with a kernel: diff(a["name"], b["name"]), or diff(a, b) for two captures')
    matches, only_a, only_b = pair_kernels(a.kernels, b.kernels)
    return Diff(*_labels(a, b), tuple(_pair(a, b, match) for match in matches), only_a, only_b)


def _pair(a: Capture, b: Capture, match: Match) -> Pair:
    return Pair(Side(match.a, a), Side(match.b, b), match.how, match.similarity)


def _labels(a: Capture, b: Capture) -> tuple[str, str]:
    """The folders' names, or as much of their paths as tells them apart."""
    parts = [capture.folder.parts for capture in (a, b)]
    for count in range(1, max(len(part) for part in parts) + 1):
        first, second = ("/".join(part[-count:]) for part in parts)
        if first != second:
            return first, second
    return str(a.folder), str(b.folder)
