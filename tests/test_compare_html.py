"""A Diff where a notebook shows it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from IPython.core.formatters import DisplayFormatter

from xpuasm_magic import diff, read_capture
from xpuasm_magic.model import Capture, Kernel

HOSTILE = "</pre><script>harm()</script>\u202egnol"


@pytest.fixture(scope="module")
def capture(corpus: Path) -> Capture:
    return read_capture(corpus / "2.40" / "pvc")


def _matmuls(capture: Capture) -> tuple[Kernel, Kernel]:
    found = [kernel for kernel in capture if kernel.name == "matmul_kernel" and kernel.variant.num_warps == 16]
    return found[0], found[1]


def test_a_notebook_shows_a_sentence_a_table_and_the_changed_lines(capture: Capture) -> None:
    data, _ = DisplayFormatter().format(diff(*_matmuls(capture)))
    assert "1 of 1 kernel differs" in data["text/plain"]
    assert "1 of 1 kernel differs" in data["text/html"]
    assert "<th>instructions</th>" in data["text/html"]
    assert '<span class="r">- ' in data["text/html"]
    assert "<script" not in data["text/html"]
    assert len(data["text/html"]) < 120_000


def test_a_diff_of_the_same_says_so_and_shows_no_table(capture: Capture) -> None:
    found = diff(capture, capture)
    assert "no kernel differs" in found._repr_html_()
    assert "<table>" not in found._repr_html_()


def test_hostile_names_are_text(capture: Capture) -> None:
    a, b = _matmuls(capture)
    text = diff(replace(a, name=HOSTILE), replace(b, name=HOSTILE))._repr_html_()
    assert "<script" not in text
    assert "&lt;script&gt;harm()" in text
    assert "\u202e" not in text
