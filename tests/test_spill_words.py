"""A report on spills, as people read it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from corpus_kernels import corpus_kernel

from xpuasm_magic.analysis.spill_report import spill_report
from xpuasm_magic.analysis.spill_words import spill_words


def test_the_costliest_lines_come_first_with_their_share(corpus: Path) -> None:
    told = spill_words(spill_report(corpus_kernel(corpus, "2.40/bmg/spill_large")))
    assert told[:3] == (
        "3,584 bytes per hardware thread, 28 dwords per work-item: 15 spills and 32 fills in the code",
        "kernels.py:98 costs 4 of 15 spills and 6 of 32 fills",
        "kernels.py:103 costs 2 of 15 spills and 7 of 32 fills",
    )


def test_a_line_is_called_as_the_caller_wishes(corpus: Path) -> None:
    report = spill_report(corpus_kernel(corpus, "2.40/bmg/spill_large"))
    assert spill_words(report, lambda loc: f"In[5]:{loc.line}")[1] == "In[5]:98 costs 4 of 15 spills and 6 of 32 fills"


def test_the_first_attempt_is_told_where_it_did_not_ship(corpus: Path) -> None:
    assert spill_words(spill_report(corpus_kernel(corpus, "2.40/pvc/matmul_w8_large"))) == (
        "no register is spilled to memory",
        "IGC's first attempt, SIMD16: 256 GRF, 6,400 bytes of spill "
        "(IGC compiled the kernel again; this code is not in the binary)",
        "the code shown: 256 GRF, 0 bytes of spill",
    )


def test_flag_spills_are_told_apart(corpus: Path) -> None:
    told = spill_words(spill_report(corpus_kernel(corpus, "2.40/arl-h/softmax_w4")))
    assert told[0] == "256 bytes per hardware thread, 2 dwords per work-item: 6 spills and 5 fills in the code"
    assert "flags are moved to general registers 54 times and back 73 times: no memory is touched" in told


def test_what_is_not_known_is_said(corpus: Path) -> None:
    kernel = replace(corpus_kernel(corpus, "2.40/pvc/spill"), header=None)
    assert spill_words(spill_report(kernel)) == (
        "15,680 bytes per hardware thread, 122.5 dwords per work-item",
        "which instructions spill is not known: the listing is a disassembly, in which nothing marks spills",
    )
    assert spill_words(spill_report(replace(kernel, env=None)))[0] == "whether it spills is not known"
