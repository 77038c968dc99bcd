"""Notes: each on a kernel that has the fault and on one that lacks it; all of the corpus, counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import SCRIPTS
from corpus_kernels import corpus_kernel, corpus_kernels

import xpuasm_magic
from xpuasm_magic.analysis.advice import NOTES, Advice, advise
from xpuasm_magic.analysis.advice.tensors import read_tensors
from xpuasm_magic.formats.gen_isa import parse_listing
from xpuasm_magic.formats.mlir import parse_mlir
from xpuasm_magic.model import Capture, Kernel, Listing, StageFile

COUNTS = {
    "dot-without-dpas": 1,
    "spill-in-loop": 21,
    "no-block2d": 7,
    "scattered-loads": 22,
    "barrier-in-loop": 9,
    "address-arithmetic-64": 8,
    "div-sqrt": 9,
}
"""Notes on the corpus, by id."""


@pytest.fixture(scope="module")
def advised() -> Capture:
    """A real run of kernels that have faults."""
    return xpuasm_magic.run(SCRIPTS / "advised.py", device="pvc")


def notes(kernel: Kernel, id_: str) -> list[Advice]:
    return [advice for advice in advise(kernel) if advice.id == id_]


def with_text(kernel: Kernel, stage: str, text: str) -> Kernel:
    """The kernel with another text at a stage."""
    parse = parse_listing if stage == "isa" else parse_mlir
    file = StageFile(stage, Path(stage), lambda _: Listing(stage, parse(text)))
    return replace(kernel, stages={**kernel.stages, stage: file})


def find(corpus: Path, name: str) -> Kernel:
    """A case's only kernel, or `case part`: the one whose name has that part."""
    case, _, part = name.partition(" ")
    if not part:
        return corpus_kernel(corpus, case)
    [kernel] = [kernel for key, kernel in corpus_kernels(corpus).items() if key.startswith(f"{case} ") and part in key]
    return kernel


def variants(capture: Capture, name: str) -> dict[int, Kernel]:
    return {kernel.variant.constants["BLOCK"]: kernel for kernel in capture if kernel.name == name}


@pytest.mark.parametrize(
    ("id_", "has", "lacks"),
    [
        ("dot-without-dpas", "2.40/ptl/matmul_fma_w16", "2.40/ptl/matmul_w16_large"),
        ("spill-in-loop", "2.40/pvc/spill", "2.40/pvc/matmul_w16_large"),
        ("no-block2d", "2.40/pvc/matmul_w16_large", "2.40/pvc/matmul_bp_w16_large"),
        ("scattered-loads", "2.40/pvc/add", "2.40/pvc/softmax_w4"),
        ("barrier-in-loop", "2.40/pvc/matmul_w16_default", "2.40/pvc/trans"),
        ("div-sqrt", "2.40/pvc/softmax_w4", "2.40/pvc/add"),
        ("address-arithmetic-64", "2.40/pvc/sycl_rtc kernel_wrapper", "2.40/pvc/matmul_w16_large"),
    ],
)
def test_a_note_is_said_of_the_kernel_that_has_the_fault_and_of_no_other(
    corpus: Path, id_: str, has: str, lacks: str
) -> None:
    assert notes(find(corpus, has), id_)
    assert not notes(find(corpus, lacks), id_)


def test_the_notes_of_the_corpus_are_counted(corpus: Path) -> None:
    counts = Counter(advice.id for kernel in corpus_kernels(corpus).values() for advice in advise(kernel))
    assert dict(counts) == COUNTS


def test_a_note_leads_to_the_instructions_that_it_is_about(corpus: Path) -> None:
    for name, kernel in corpus_kernels(corpus).items():
        listing = kernel.listing("isa").lines
        for advice in advise(kernel):
            assert advice.lines, name
            assert len(set(advice.lines)) == len(advice.lines)
            assert all(listing[line].instruction for line in advice.lines), name


def test_a_spill_in_a_loop_is_told_from_one_outside(corpus: Path) -> None:
    kernel = corpus_kernel(corpus, "1.0.12504/pvc/spill")
    [note] = notes(kernel, "spill-in-loop")
    text = kernel.listing("isa").lines
    assert "115 spills and 291 fills are inside a loop, of 879 in the code" in note.text
    assert Counter("fill" in text[line].text for line in note.lines) == {True: 291, False: 115}


def test_barriers_of_a_loop_are_its_waits(corpus: Path) -> None:
    kernel = corpus_kernel(corpus, "2.40/ptl/matmul_fma_w16")
    [note] = notes(kernel, "barrier-in-loop")
    text = kernel.listing("isa").lines
    assert ["sync.bar" in text[line].text for line in note.lines] == [True] * 4


def test_a_device_without_dpas_or_2d_blocks_is_not_blamed(corpus: Path) -> None:
    plain = corpus_kernel(corpus, "2.40/ptl/matmul_fma_w16")
    assert not notes(replace(plain, device="mtl"), "dot-without-dpas")
    assert not notes(replace(plain, device=None), "dot-without-dpas")
    gathers = corpus_kernel(corpus, "2.40/pvc/matmul_w16_large")
    assert not notes(replace(gathers, device="arl-h"), "no-block2d")


def test_an_igc_without_2d_block_loads_is_not_told_to_use_them(corpus: Path) -> None:
    assert not notes(corpus_kernel(corpus, "1.0.12504/pvc/matmul_w16_large"), "no-block2d")


def test_fewer_work_items_than_asked_for(corpus: Path) -> None:
    kernel = corpus_kernel(corpus, "2.40/pvc/matmul_w16_large")
    assert not notes(kernel, "simd16-where-32")
    [note] = notes(replace(kernel, variant=replace(kernel.variant, threads_per_warp=32)), "simd16-where-32")
    assert "compiled SIMD16, though Triton asked for 32" in note.text


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ("", False),
        ("-cl-intel-256-GRF-per-thread", False),
        ("-cl-intel-128-GRF-per-thread", True),
        ("-cl-intel-128-GRF-per-thread -cl-intel-256-GRF-per-thread", True),
        ("-cl-intel-enable-auto-large-GRF-mode", False),
    ],
)
def test_flags_and_binary_disagree_on_registers(corpus: Path, flags: str, told: bool) -> None:
    kernel = corpus_kernel(corpus, "2.40/pvc/matmul_w16_large")
    flagged = replace(kernel, variant=replace(kernel.variant, build_flags=flags))
    assert bool(notes(flagged, "grf-mode-disagrees")) is told


def test_elements_that_lie_apart_are_told_with_their_distance(advised: Capture) -> None:
    [once] = notes(advised["strided"], "scattered-loads")
    assert "loads elements that lie 32 bytes apart: 8 messages" in once.text
    [looped] = notes(advised["strided_loop"], "scattered-loads")
    assert "16 bytes apart" in looped.text
    assert not notes(variants(advised, "contiguous")[1024], "scattered-loads")


def test_more_work_items_than_elements(advised: Capture) -> None:
    [note] = notes(variants(advised, "contiguous")[64], "predicated-off")
    assert "128 work-items hold tensors of at most 64 elements" in note.text
    assert not notes(variants(advised, "contiguous")[1024], "predicated-off")


def test_integers_of_64_bits_are_told_from_those_of_32(advised: Capture) -> None:
    [note] = notes(advised["wide"], "int64-emulation")
    assert len(note.lines) > 1_000
    assert not notes(advised["narrow"], "int64-emulation")
    by_a_shift = advised["wide"].listing("ttir").text.replace("arith.muli %3, %3", "arith.addi %3, %3")
    by_a_shift = by_a_shift.replace("%8 = tt.splat %7 : i64 ->", "%8 = arith.constant dense<8> :")
    assert not notes(with_text(advised["wide"], "ttir", by_a_shift), "int64-emulation")


def test_divisions_that_can_be_fewer(advised: Capture) -> None:
    assert "tl.rsqrt" in notes(advised["root"], "div-sqrt")[0].text
    assert "known only at run time" in notes(advised["narrow"], "div-sqrt")[0].text
    assert not notes(advised["row_scale"], "div-sqrt")


def test_a_kernel_that_did_not_compile_gets_no_notes(corpus: Path) -> None:
    kernel = corpus_kernel(corpus, "2.40/pvc/spill")
    assert advise(replace(kernel, status="incomplete")) == ()
    assert advise(replace(kernel, stages={})) == ()


@pytest.mark.parametrize("case", ["2.40/pvc/matmul_w16_default", "2.40/cri/spill", "1.0.12504/pvc/softmax_w4"])
@pytest.mark.parametrize("stage", ["isa", "ttir"])
def test_a_text_cut_anywhere_or_strange_raises_nothing(corpus: Path, case: str, stage: str) -> None:
    kernel = corpus_kernel(corpus, case)
    text = kernel.listing(stage).text
    for end in range(0, len(text), len(text) // 7):
        advise(with_text(kernel, stage, text[:end]))
    advise(with_text(kernel, stage, text.replace("(", "[").replace("%1", "%%")))
    advise(with_text(kernel, stage, "\n".join(reversed(text.splitlines()))))


def test_strides_are_followed_through_a_loop_unless_it_changes_them() -> None:
    text = """module {
  tt.func public @k(%arg0: !tt.ptr<f32>, %arg1: i32) attributes {noinline = false} {
    %c0 = arith.constant 0 : i32
    %c3 = arith.constant dense<3> : tensor<64xi32>
    %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %1 = arith.muli %0, %c3 : tensor<64xi32>
    %2 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %3 = tt.addptr %2, %1 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %4:2 = scf.for %i = %c0 to %arg1 step %c0 iter_args(%p = %3, %q = %3) -> (tensor<64x!tt.ptr<f32>>)  : i32 {
      %5 = tt.load %p : tensor<64x!tt.ptr<f32>>
      %6 = tt.load %q : tensor<64x!tt.ptr<f32>>
      %7 = tt.addptr %p, %c3 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
      %8 = tt.addptr %q, %0 : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
      scf.yield %7, %8 : tensor<64x!tt.ptr<f32>>, tensor<64x!tt.ptr<f32>>
    }
    tt.store %4#0, %5 : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
"""
    found = read_tensors(parse_mlir(text))
    steady, changed, after = found.named("tt.load", "tt.store")
    assert (steady.strides, changed.strides, after.strides) == ((3,), (None,), (3,))
    assert (steady.in_loop, after.in_loop) == (True, False)
    assert found.base_of(steady) == "arg0"
    assert found.unaligned == {"arg0"}


def test_a_stride_known_only_at_run_time_is_not_guessed(corpus: Path) -> None:
    tensors = read_tensors(corpus_kernel(corpus, "2.40/pvc/trans").listing("ttir").lines)
    [load] = tensors.named("tt.load")
    assert (load.shape, load.strides) == ((64, 64), (None, 1))


def test_every_note_says_where_its_knowledge_comes_from() -> None:
    assert len({rule.id for rule in NOTES}) == len(NOTES)
    for rule in NOTES:
        assert "Source:" in (rule.look.__doc__ or ""), rule.id
