"""Comparing two captures, or two kernels: what changed, where in the source, and why where that is proven."""

from __future__ import annotations

from xpuasm_magic.compare.comparison import Diff, Pair, diff
from xpuasm_magic.compare.listing_diff import Changes, Hunk, ListingDiff, Row, diff_listings

__all__ = ["Changes", "Diff", "Hunk", "ListingDiff", "Pair", "Row", "diff", "diff_listings"]
