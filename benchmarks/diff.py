"""Two listings of 10,000 lines compared, and how it grows."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from benchmarks.result import Result
from tests.corpus_archive import unpack_corpus
from xpuasm_magic.backends import INTEL
from xpuasm_magic.compare import diff_listings
from xpuasm_magic.model import Listing

CASES = ("2.40/pvc/spill", "2.40/ptl/spill_small")
"""One kernel for two devices: 11,336 lines and 10,089, of which more differ than are alike."""


def measure(rounds: int = 3) -> list[Result]:
    with tempfile.TemporaryDirectory(prefix="xpuasm-bench-") as scratch:
        corpus = unpack_corpus(Path(scratch))
        a, b = (_listing(corpus / case) for case in CASES)
    twice = Listing("isa", a.lines * 2), Listing("isa", b.lines * 2)
    times = [(_seconds(a, b), _seconds(*twice), _seconds(a, Listing("isa", a.lines[1:]))) for _ in range(rounds)]
    once, double, alike = (min(column) for column in zip(*times, strict=True))
    detail = f"({len(a.lines):,} and {len(b.lines):,} lines, {once:.2f} s; of nearly the same {alike:.2f} s)"
    return [
        Result("diff of two listings of 10,000 lines", once, 1.0, " s", detail),
        Result("diff of listings twice as long", double / once, 3.5, "×", f"({double:.2f} s)"),
    ]


def _listing(case: Path) -> Listing:
    path = max(case.glob("dump/*.asm"), key=lambda path: path.stat().st_size)
    return INTEL.stage("isa").file(path).parse(path)


def _seconds(a: Listing, b: Listing) -> float:
    start = time.perf_counter()
    diff_listings(a, b)
    return time.perf_counter() - start
