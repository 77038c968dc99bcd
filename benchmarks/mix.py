"""The instruction mix and the marks of spilling from listings that are parsed, and how the time grows."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.result import Result
from tests.corpus_archive import unpack_corpus
from xpuasm_magic.analysis.mix import mix
from xpuasm_magic.formats.gen_isa import parse_listing
from xpuasm_magic.formats.gen_spills import parse_spill_access
from xpuasm_magic.model import Line

TARGET_PER_S = 150_000


def measure(rounds: int = 5) -> list[Result]:
    with tempfile.TemporaryDirectory(prefix="xpuasm-bench-") as scratch:
        corpus = unpack_corpus(Path(scratch))
        texts = [path.read_text(encoding="utf-8", errors="replace") for path in sorted(corpus.rglob("*.asm"))]
    lines = [line for text in texts for line in parse_listing(text)]
    count = sum(line.instruction is not None for line in lines)
    results = []
    for name, work in (("mix", mix), ("marks of spilling", _marks)):
        once, twice = _seconds(work, lines, rounds), _seconds(work, lines * 2, rounds)
        detail = f"({count / once:,.0f} instructions/s of {count:,}; twice as many take {twice / once:.1f}×)"
        results.append(
            Result(f"{name} of {TARGET_PER_S:,} instructions", once / count * TARGET_PER_S, 1.0, " s", detail)
        )
    return results


def _marks(lines: list[Line]) -> int:
    return sum(parse_spill_access(line.text) is not None for line in lines if line.instruction)


def _seconds(work: Callable[[list[Line]], Any], lines: list[Line], rounds: int) -> float:
    """Of the processor, the best of some rounds: other processes do not count."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work(lines)
        times.append(time.process_time() - start)
    return min(times)
