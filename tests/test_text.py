from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from xpuasm_magic.catalog import read_capture
from xpuasm_magic.model import Capture, CaptureInfo, Kernel, Note, Variant
from xpuasm_magic.view.text import isa_text, summary_text, table_text


@pytest.fixture(scope="module")
def capture(corpus: Path) -> Capture:
    return read_capture(corpus / "2.40" / "pvc")


def _capture(folder: Path, *names: str) -> Capture:
    return Capture(
        folder,
        tuple(
            Kernel(
                name=name,
                family="pointwise",
                variant=Variant(key=name, constants={"XBLOCK": 256}),
                match="spirv",
                status="ok",
                stages={},
                launches=(),
            )
            for name in names
        ),
    )


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_the_table_fits_the_terminal_and_keeps_what_tells_most(capture: Capture, width: int) -> None:
    lines = table_text(capture, width=width).splitlines()
    assert max(len(line) for line in lines) <= width
    assert len(lines) == 1 + len(capture)
    assert lines[0].split()[0] == "kernel"
    assert "spill B" in lines[0]
    assert "SIMD" in lines[0]


def test_wider_terminals_show_more_columns(capture: Capture) -> None:
    narrow, wide = (table_text(capture, width=width).splitlines()[0] for width in (70, 200))
    assert set(narrow.split()) < set(wide.split())


def test_a_long_name_keeps_both_ends(tmp_path: Path) -> None:
    names = [f"triton_per_fused_add_clone_native_layer_norm_permute_transpose_{i}" for i in (1, 10)]
    rows = table_text(_capture(tmp_path, *names), width=60).splitlines()[1:]
    assert [row.split()[0].startswith("triton_per_fused") for row in rows] == [True, True]
    assert rows[0].split()[0].endswith("ose_1")
    assert rows[1].split()[0].endswith("se_10")


def test_missing_is_a_dash_and_zero_is_zero(tmp_path: Path) -> None:
    kernels = _capture(tmp_path, "a", "b").kernels
    known = replace(kernels[0], launches=None), kernels[1]
    header, first, second = table_text(Capture(tmp_path, known), width=100).splitlines()
    place = header.split().index("launches")
    assert [row.split()[place] for row in (first, second)] == ["–", "0"]


def test_colour_is_asked_for(capture: Capture) -> None:
    plain, coloured = (table_text(capture, color=color, width=100) for color in (False, True))
    assert "\x1b" not in plain
    assert "\x1b[31m" in coloured  # the spills
    assert summary_text(capture, width=100).count("\x1b") == 0


def test_the_summary_says_verdict_notes_and_fidelity(tmp_path: Path) -> None:
    capture = replace(
        _capture(tmp_path, "a"),
        notes=(Note("warning", "graph break in model.py:3"),),
        info=CaptureInfo(fidelity=("row max1550",)),
    )
    first, *rest = summary_text(capture, width=100).splitlines()
    assert first.startswith("1 kernel")
    assert "warning: graph break in model.py:3" in rest
    assert "fidelity: row max1550" in rest


def test_losers_of_an_autotuning_are_folded_until_asked_for(tmp_path: Path) -> None:
    kernels = _capture(tmp_path, "k", "k", "k").kernels
    kernels = (replace(kernels[0], winner=True), *(replace(k, winner=False) for k in kernels[1:]))
    capture = Capture(tmp_path, kernels)
    assert "2 slower configs are not listed" in summary_text(capture, width=100)
    assert len(summary_text(capture, width=100, all_configs=True).splitlines()) == 1 + 1 + 3


def test_a_listing_is_printed_as_the_compiler_wrote_it(capture: Capture) -> None:
    kernel = next(k for k in capture if k.name == "add_kernel")
    assert isa_text(kernel) == kernel.path("isa").read_text(encoding="utf-8")
    assert "\x1b" in isa_text(kernel, color=True)


def test_control_characters_of_a_capture_do_not_reach_the_terminal(tmp_path: Path) -> None:
    capture = replace(_capture(tmp_path, "a\x1b[2Jb"), notes=(Note("error", "x\x1b]0;t\x07\u202e"),))
    text = summary_text(capture, width=100)
    assert "\x1b" not in text
    assert "\u202e" not in text
