"""The instruction mix, against the listings of the corpus and what their kernels must do."""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from corpus_kernels import corpus_kernel, corpus_kernels

from xpuasm_magic.analysis.flow import ControlFlow, control_flow
from xpuasm_magic.analysis.mix import CLASSES, class_of, kernel_mix, mix
from xpuasm_magic.analysis.sends import send_of
from xpuasm_magic.analysis.waits import waits
from xpuasm_magic.formats.gen_isa import parse_listing
from xpuasm_magic.formats.message import decode_message
from xpuasm_magic.model import Line, Listing

# … //  ALU pipe: float; $12
_PIPE = re.compile(r"//  (?:\([^)]*\); )?ALU pipe: (?P<pipe>\w+)")


def _lines(text: str) -> tuple[Line, ...]:
    return parse_listing(text)


def test_the_classes_of_every_case_add_up_to_its_instructions(corpus: Path) -> None:
    for case, kernel in corpus_kernels(corpus).items():
        found = mix(kernel.listing("isa").lines)
        assert kernel.header is not None
        assert found.total == kernel.header.inst_count, case
        assert tuple(found.counts) == CLASSES


def test_the_corpus_has_no_opcode_that_is_not_known(corpus: Path) -> None:
    """`other` are nops; a message of another kind is the one that ends the thread."""
    for case, kernel in corpus_kernels(corpus).items():
        lines = kernel.listing("isa").lines
        found = mix(lines)
        nops = sum(line.instruction is not None and line.instruction.opcode == "nop" for line in lines)
        assert found.counts["other"] == nops, case
        ends = sum("EOT" in line.text for line in lines if line.instruction)
        assert found.counts["other message"] == ends == 1, case


def test_classes_are_the_pipes_that_igc_names(corpus: Path) -> None:
    """IGC 2 writes the pipe behind most instructions."""
    pipes = {
        "int": {"integer", "integer 64-bit"},
        "float": {"float 16-bit", "float 32-bit"},
        "long": {"float 64-bit"},
        "math": {"math"},
    }
    checked: Counter[str] = Counter()
    for case, kernel in corpus_kernels(corpus).items():
        for line in kernel.listing("isa").lines:
            if line.instruction and (named := _PIPE.search(line.text)) and named["pipe"] in pipes:
                class_ = class_of(line)
                if class_ == "control":
                    continue
                assert class_ in pipes[named["pipe"]], (case, line.text)
                checked[named["pipe"]] += 1
    assert checked["int"] > 30_000
    assert checked["float"] > 10_000
    assert checked["math"] > 500
    assert checked["long"] == 40


def test_messages_agree_with_the_full_decoder(corpus: Path) -> None:
    for case, kernel in corpus_kernels(corpus).items():
        for line in kernel.listing("isa").lines:
            if line.instruction is None or (send := send_of(line.text, line.instruction)) is None:
                continue
            message = decode_message(line.text)
            assert message is not None
            assert send.message is not None, line.text
            assert send.message.operation == message.operation, (case, line.text)
            assert send.message.data_bits == message.data_bits, (case, line.text)
            assert (send.kind == "prefetch") == message.prefetch, (case, line.text)
            assert not message.spill or send.kind == "scratch", (case, line.text)
            assert (send.kind in ("SLM load", "SLM store")) == (
                message.unit == "slm" and message.operation.startswith(("load", "store"))
            )


@pytest.mark.parametrize(
    ("case", "stored"),
    [
        ("2.40/pvc/add", 1024 * 4 // 4),
        ("2.40/bmg/add", 1024 * 4 // 4),
        ("2.40/cri/add", 1024 * 4 // 4),
        ("1.0.12504/acm-g10/add", 1024 * 4 // 4),
        ("2.40/pvc/softmax_w4", 2048 * 4 // 4),
        ("2.40/pvc/trans", 64 * 64 * 4 // 4),
        ("2.40/cri/trans", 64 * 64 * 4 // 4),
        ("2.40/pvc/spill", 4 * 4096 * 4 // 4),
        ("2.40/pvc/matmul_w16_large", 128 * 128 * 2 // 16),
    ],
)
def test_bytes_stored_are_the_kernels_result_over_its_hardware_threads(corpus: Path, case: str, stored: int) -> None:
    moved = mix(corpus_kernel(corpus, case).listing("isa").lines).moved
    assert moved["global store"] == stored


@pytest.mark.parametrize("case", ["2.40/pvc/matmul_bp_w16_large", "2.40/bmg/matmul_bp_w16_default"])
def test_2d_blocks_store_the_result_too(corpus: Path, case: str) -> None:
    found = mix(corpus_kernel(corpus, case).listing("isa").lines)
    assert found.moved["2D block store"] == 128 * 128 * 2 // 16
    assert found.counts["2D block store"] > 0
    assert found.unsized == 2  # the loads of 32 registers, which the text cannot tell from 31
    assert "2D block load" not in found.moved


@pytest.mark.parametrize(
    ("case", "products", "threads"),
    [
        ("2.40/pvc/matmul_w16_large", 128 * 128 * 32, 16),
        ("2.40/pvc/matmul_w8_large", 128 * 128 * 32, 8),
        ("1.0.12504/pvc/matmul_w16_large", 128 * 128 * 32, 16),
        ("2.40/ptl/matmul_bp_w16_default", 128 * 128 * 32, 16),
        ("2.40/bmg/attn_w8_large", 2 * 128 * 64 * 64, 8),
    ],
)
def test_the_systolic_work_is_the_kernels_dot_products(corpus: Path, case: str, products: int, threads: int) -> None:
    """M * N * K of one pass of the loop, over the hardware threads of a work-group."""
    found = mix(corpus_kernel(corpus, case).listing("isa").lines)
    assert found.multiply_adds == products // threads
    assert found.systolic_rows_per_instruction is not None


def test_without_dpas_there_is_no_systolic_work(corpus: Path) -> None:
    found = mix(corpus_kernel(corpus, "2.40/ptl/matmul_fma_w16").listing("isa").lines)
    assert (found.counts["dpas"], found.multiply_adds, found.systolic_rows_per_instruction) == (0, 0, None)


def test_compacted_instructions_make_the_code_as_small_as_it_is(corpus: Path) -> None:
    for case, kernel in corpus_kernels(corpus).items():
        found = mix(kernel.listing("isa").lines)
        if kernel.isa_bytes is not None:
            assert 16 * found.total - 8 * found.compacted == kernel.isa_bytes, case


def test_loops_are_counted_apart(corpus: Path) -> None:
    """In attention and matmul all dpas are in the one loop; an elementwise kernel has none."""
    for case in ("2.40/pvc/matmul_w16_large", "2.40/bmg/attn_w8_large"):
        listing = corpus_kernel(corpus, case).listing("isa")
        found = kernel_mix(listing, control_flow(listing))
        assert found.innermost is not None
        assert found.loops is not None
        assert found.innermost.counts["dpas"] == found.whole.counts["dpas"] > 0, case
        assert found.innermost.total == found.loops.total
        assert found.innermost_share is not None
        assert 0.2 < found.innermost_share < 0.5
    listing = corpus_kernel(corpus, "2.40/pvc/add").listing("isa")
    found = kernel_mix(listing, control_flow(listing))
    assert (found.loops, found.innermost, found.innermost_share, found.reason) == (None, None, None, None)


def test_of_a_graph_that_cannot_be_closed_no_loop_is_told(corpus: Path) -> None:
    listing = corpus_kernel(corpus, "2.40/pvc/matmul_w16_large").listing("isa")
    cut = Listing("isa", listing.lines[: len(listing.lines) * 3 // 4])
    flow = control_flow(cut)
    found = kernel_mix(cut, flow)
    assert found.loops is None
    assert found.reason == flow.reason is not None
    assert found.whole.total == sum(line.instruction is not None for line in cut.lines)
    assert kernel_mix(listing).reason == "the control flow was not asked for"


def test_instructions_of_nested_loops_are_in_the_inner_one_alone() -> None:
    text = """
_outer:
        mov (16|M0)              r1.0<1>:d     r2.0<1;1,0>:d
_inner:
        add (16|M0)              r1.0<1>:f     r1.0<1;1,0>:f     r3.0<1;1,0>:f
        add (16|M0)   (lt)f0.0   r5.0<1>:f     r5.0<1;1,0>:f     r3.0<1;1,0>:f
(W&f0.0) jmpi                                _inner
(W&f1.0) jmpi                                _outer
(W)     send.gtwy (1|M0)  null  r112  null:0  0x0  0x02000010  {EOT} // wr:1+0, rd:0; end of thread
"""
    listing = Listing("isa", _lines(text))
    found = kernel_mix(listing, control_flow(listing))
    assert found.innermost is not None
    assert found.loops is not None
    assert (found.innermost.total, found.loops.total, found.whole.total) == (3, 5, 6)
    assert (found.innermost.counts["float 32-bit"], found.innermost.counts["integer"]) == (2, 0)


def test_unknown_opcodes_and_types_are_other() -> None:
    lines = _lines(
        "        frobnicate (16|M0)       r1.0<1>:d     r2.0<1;1,0>:d\n"
        "        mov (16|M0)              r1.0<1>:zz    r2.0<1;1,0>:zz\n"
        "        mov (16|M0)\n"
        "        dpas.9xQ (16|M0)         r1:f r1:f r2:hf r3:hf\n"
        "        send.warp (16|M0)        r1  r2  null:0  0x0 0x0\n"
        "        load.ugm.d128q.a99 (16|M0)  r1:1  [r2:1]\n"
    )
    found = mix(lines)
    assert (found.counts["other"], found.counts["dpas"], found.counts["other message"]) == (3, 1, 1)
    assert found.counts["global load"] == 1
    assert (found.unsized, found.multiply_adds, found.total) == (1, None, 6)


def test_numbers_of_any_length_never_raise() -> None:
    huge = "9" * 5_000  # more digits than Python makes an integer of
    lines = _lines(
        f"        load.ugm.d32x{huge}.a64 (16|M0)  r1:1  [r2:1] // $1\n"
        f"        load_block2d.ugm.d16.a64 (1|M0)  r2:{huge}  [r253:1] // $2\n"
        f"        send.ugm (1|M0) r2 r64 null:0 0x0 0x2 // wr:1+0, rd:{huge}; load_block2d.ugm.d16.a64 // $3\n"
        f"        send.dc0 (16|M0) r5 r0 null:0 0x0 0x0 // wr:1h+0, rd:4; hword scratch block read x{huge} // $4\n"
    )
    found = mix(lines)
    assert found.total == 4
    assert found.unsized == found.counts["global load"] + found.counts["2D block load"]


def test_an_empty_listing_has_an_empty_mix() -> None:
    found = kernel_mix(Listing("isa", ()), ControlFlow())
    assert found.whole.total == 0
    assert (found.whole.compacted_share, found.innermost_share) == (None, None)


@pytest.mark.parametrize("damage", ["cut", "noise"])
def test_damaged_lines_never_raise(corpus: Path, damage: str) -> None:
    lines = corpus_kernel(corpus, "2.40/bmg/attn_w8_large").listing("isa").lines
    for step in (1, 2, 3, 5, 8):
        text = "\n".join(
            line.text[: len(line.text) * step // 9] if damage == "cut" else line.text[::step] for line in lines
        )
        damaged = _lines(text)
        assert mix(damaged).total == sum(line.instruction is not None for line in damaged)


@pytest.mark.parametrize(
    ("line", "kind", "size", "per_channel"),
    [
        ("        load.ugm.d32.a64 (32|M0)  r54:2  [r4:4]  {I@1,$5} // ex_desc:0x0; desc:0x8200580 // $31",
         "global load", 128, True),
        ("(W)     load.ugm.d32x16t.a32.ca.ca (1|M0)  r1:1 bti[255][r127:1] {A@1,$0} // ex_desc:0xFF000000 //",
         "global load", 64, False),
        ("        store.ugm.d32x4.a64 (16|M0)  [r4:2] r54:4  {$5} // ex_desc:0x0; desc:0x8200580 // $31",
         "global store", 256, True),
        ("        store.slm.d16u32.a32 (16|M0)  [r4:1] r54:1  {$5} // ex_desc:0x0; desc:0x8200580 // $31",
         "SLM store", 32, True),
        ("        load_block2d.ugm.d16.a64.ca.ca (1|M0)  null:0 [r64:1] {A@1,$1} // ex_desc:0x0; desc:0x2080203 // $24",
         "prefetch", None, False),
        ("        load_block2d.ugm.d32t.a64 (1|M0)  r2:16  [r253:1] {$16} // ex_desc:0x0; desc:0x2 // $1873",
         "2D block load", 1024, False),
        ("        load_block2d.ugm.d16v.a64 (1|M0)  r2:31  [r253:1] {$16} // ex_desc:0x0; desc:0x3F00283 // $1873",
         "2D block load", None, False),
        ("        store_block2d.ugm.d16.a64 (1|M0)  [r67:1] r57:4 {$10} // ex_desc:0x0; desc:0x2000207 // $365",
         "2D block store", 256, False),
        ("        send.ugm (1|M0) r2 r64 null:0 0x0 0x2880203 {$1} // wr:1+0, rd:8; load_block2d.ugm.d16.a64 // $24",
         "2D block load", 512, False),
        ("(W)     send.dc0 (16|M0) null r0 r116:2 0x0 0x020F2002 {$3} // wr:1h+2, rd:0; hword scratch block write x4 "
         "//  scratch space spill:  from offset[2x32]; ; $9", "scratch", 128, False),
        ("(W)     store.ugm.d32x32t.a32 (1|M0)  ss[a0.2][r3:1-0xFFC0] r62:2  {$2} // ex_desc:a0.2; desc:0x4200E504",
         "scratch", 128, False),
        ("        atomic_iadd.ugm.d32.a64 (32|M0)  null:0 [r4:4] r54:2 {$5} // ex_desc:0x0; desc:0x8 // $3",
         "atomic", 128, True),
        ("(W)     send.slm (1|M0) r12 r0 null:0 0x0 0x0210011F {$2} // wr:1+0, rd:1; fence.slm.none.group // $99",
         "fence", None, False),
        ("(W)     send.gtwy (1|M0) null r3 null:0 0x0 0x02000004 {$0} // wr:1+0, rd:0; signal barrier // $100",
         "barrier", None, False),
        ("(W)     sendg.ugm (1|M0) r1 r63:1 null:0 s0.16 0x281680 {$0} // rd:64 B; load.ugm.d32x16t.a32u.ovf.ca.ca.uc "
         "[s0.16+src0] //", "global load", 64, False),
    ],
)  # fmt: skip
def test_every_kind_of_message_is_told_with_its_bytes(
    line: str, kind: str, size: int | None, per_channel: bool
) -> None:
    [parsed] = _lines(line)
    assert parsed.instruction is not None
    send = send_of(line, parsed.instruction)
    assert send is not None
    assert (send.kind, send.size, send.per_channel) == (kind, size, per_channel)


def test_waits_are_counted_and_their_distance_measured_within_a_block() -> None:
    lines = _lines(
        "        load.ugm.d32.a64 (16|M0)  r10:1  [r4:2]  {I@1,$5} // ex_desc:0x0; desc:0x8200580 // $1\n"
        "        mov (16|M0)              r1.0<1>:d     r2.0<1;1,0>:d    {$5.src}\n"
        "        mov (16|M0)              r3.0<1>:d     r2.0<1;1,0>:d\n"
        "        add (16|M0)              r1.0<1>:d     r10.0<1;1,0>:d   r3.0<1;1,0>:d   {A@1,$5.dst}\n"
        "        load.ugm.d32.a64 (16|M0)  r11:1  [r4:2]  {$6} // ex_desc:0x0; desc:0x8200580 // $2\n"
        "_next:\n"
        "(W)     sync.allwr                           ($6,$7)\n"
        "(W)     sync.nop                             null                             {Compacted,$8.dst}\n"
    )
    found = waits(lines)
    assert (found.results, found.sources, found.distances, found.syncs) == (4, 1, 2, 2)
    assert found.result_distances == (2,)  # the second load's is in another block
    assert found.median_result_distance == 2


def test_waits_of_the_corpus_are_those_in_its_text(corpus: Path) -> None:
    for case, kernel in corpus_kernels(corpus).items():
        lines = kernel.listing("isa").lines
        code = [line.text.partition("//")[0] for line in lines if line.instruction]
        found = waits(lines)
        assert found.syncs == sum(" sync." in text for text in code), case
        listed = [text.count("$") for text in code if "sync.allwr" in text and "(" in text]
        assert found.results == sum(text.count(".dst") for text in code) + sum(listed), case
        assert found.distances == sum(len(re.findall(r"@\d", text)) for text in code), case


def test_the_mix_is_linear_in_the_listing(corpus: Path) -> None:
    """Twice the lines take about twice the time; the benchmark says how much that is."""
    lines = corpus_kernel(corpus, "2.40/pvc/spill").listing("isa").lines

    def seconds(count: int) -> float:
        start = time.process_time()
        mix(lines * count)
        return time.process_time() - start

    seconds(1)
    once, four_times = min(seconds(1) for _ in range(3)), min(seconds(4) for _ in range(3))
    assert four_times < 8 * once


def test_a_kernel_without_its_loops_keeps_its_whole(corpus: Path) -> None:
    listing = corpus_kernel(corpus, "2.40/pvc/matmul_w16_large").listing("isa")
    flow = replace(control_flow(listing), reason="a reason")
    assert kernel_mix(listing, flow).whole == mix(listing.lines)
