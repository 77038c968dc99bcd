"""Control flow and register pressure of listings that are parsed, and how the time grows."""

from __future__ import annotations

import re
import tempfile
import time
from pathlib import Path

from benchmarks.result import Result
from tests.corpus_archive import unpack_corpus
from xpuasm_magic.analysis.pressure import listing_pressure
from xpuasm_magic.formats.gen_isa import parse_listing
from xpuasm_magic.model import Listing

TARGET_PER_S = 30_000
LONG = "2.40/pvc/matmul_w8_large"
# _0_073     L8752     _L_k0_0_
_LABEL = re.compile(r"\b(?:_0_\d+|L\d+|_L_k\d+_\d+_)(?=[:\s])")


def measure(rounds: int = 3) -> list[Result]:
    with tempfile.TemporaryDirectory(prefix="xpuasm-bench-") as scratch:
        root = unpack_corpus(Path(scratch))
        texts = [path.read_text(encoding="utf-8", errors="replace") for path in sorted(root.rglob("*.asm"))]
        longest = next((root / LONG).glob("dump/*_1_*.asm")).read_text(encoding="utf-8", errors="replace")
    corpus = [Listing("isa", parse_listing(text)) for text in texts]
    count = sum(line.instruction is not None for listing in corpus for line in listing.lines)
    seconds = _seconds(corpus, rounds)
    detail = f"({count / seconds:,.0f} instructions/s of {count:,}, decoding included)"
    once, fourfold = (_seconds([Listing("isa", parse_listing(_times(longest, times)))], rounds) for times in (1, 4))
    return [
        Result(
            f"flow and liveness of {TARGET_PER_S:,} instructions", seconds / count * TARGET_PER_S, 1.0, " s", detail
        ),
        Result("flow and liveness of a listing four times as long", fourfold / once, 6.0, "×", f"({fourfold:.2f} s)"),
    ]


def _times(text: str, times: int) -> str:
    """The listing's code so many times in a row, each with labels of its own, and one end of the thread."""
    start = text.index("// _main:")
    head, body = text[:start], text[start:]
    going_on = "\n".join(line for line in body.splitlines() if "EOT" not in line)
    copies = [_LABEL.sub(rf"\g<0>c{number}", going_on) for number in range(times - 1)]
    return "\n".join((head, *copies, body))


def _seconds(listings: list[Listing], rounds: int) -> float:
    """Of the processor, the best of some rounds: other processes do not count."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        for listing in listings:
            listing_pressure(listing)
        times.append(time.process_time() - start)
    return min(times)
