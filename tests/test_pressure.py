"""Register pressure. What is allocated bounds the result by nature, so the checks are others:

(a) what is live at the entry is r0, the inputs and nothing else but for named exceptions; (b) nothing is read that
nothing has written, but for these; (c) operands equal an independent decoding (test_gen_operands.py); (d) kernels
worked by hand; (e) a wrong rule of what a write ends makes (a) fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

import pytest
from corpus_kernels import corpus_kernel, corpus_kernels

from xpuasm_magic.analysis.flow import ControlFlow, control_flow
from xpuasm_magic.analysis.liveness import Liveness, RegisterCounter, liveness, registers_of
from xpuasm_magic.analysis.pressure import OCCUPANCY_OF_A_SPILLING_KERNEL, given_bytes, listing_pressure, pressure
from xpuasm_magic.analysis.register_use import Kill, RegisterUse, Use, register_use
from xpuasm_magic.formats.gen_isa import parse_listing
from xpuasm_magic.formats.gen_variables import parse_inputs, parse_variables
from xpuasm_magic.model import Kernel, Listing

MASKED = "loaded under a mask, read after it: undefined for a channel that the mask left out (LLVM's undef)"
PART = "copied or spilled as a whole register, of which a part is never written"
EXCEPTIONS: dict[str, dict[str, tuple[int, ...]]] = {
    "1.0.12504/pvc/softmax_w4": {MASKED: (8, 9)},
    "1.0.17791/pvc/softmax_w4": {MASKED: (8, 9)},
    "2.40/acm-g10/softmax_w4": {MASKED: (14, 16, 17, 19, 20, 22), PART: (23, 25)},
    "2.40/arl-h/softmax_w4": {MASKED: (14, 16, 17, 19, 20, 22), PART: (23, 25)},
    "2.40/bmg/softmax_w4": {MASKED: (10,)},
    "2.40/pvc/softmax_w4": {MASKED: (10, 11)},
    "2.40/pvc/atomic": {MASKED: (58, 59)},
    "2.40/bmg/attn_w8_large": {PART: (47, 187, 188, 191, 202, 207, 209, 217, 221)},
    "2.40/pvc/attn_w8_large": {PART: (54, 164, 165, 183, 189, 193, 202, 207, 209, 217, 221)},
    "2.40/pvc/attn_w8_small": {PART: (31, 32, 33, 61, 63, 117, 121)},
    "2.40/pvc/matmul_w16_default": {PART: (117,)},
}
"""Registers live at the entry beyond r0 and the inputs."""
CALLS = "1.0.12504/pvc/matmul_bp_w16_default"
"""Calls functions that this IGC does not know: its pressure is not known."""


class _Analysis:
    def __init__(self, listing: Listing) -> None:
        texts = [line.text for line in listing.lines]
        self.flow: ControlFlow = control_flow(listing)
        self.size = self.flow.grf_bytes
        self.use: RegisterUse = register_use(self.flow, parse_variables(texts, self.size))
        self.given = given_bytes(texts, parse_inputs(texts, self.size), self.size)

    def liveness(self, kill: Callable[[Use], Kill] = lambda use: use.kill) -> Liveness:
        return liveness(self.flow, self.use, self.given, kill)

    def at_entry(self, found: Liveness) -> tuple[int, ...]:
        return registers_of(found.before[0] & ~self.given, self.size)


def _known(corpus: Path) -> Iterator[tuple[str, Kernel]]:
    return ((case, kernel) for case, kernel in corpus_kernels(corpus).items() if case != CALLS)


@lru_cache(maxsize=1)
def _analyses(corpus: Path) -> dict[str, _Analysis]:
    return {case: _Analysis(kernel.listing("isa")) for case, kernel in _known(corpus)}


def _body(listing: Listing) -> Listing:
    """The kernel's own code: with no prolog, it starts with its inputs."""
    main = next(index for index, line in enumerate(listing.lines) if "_main:" in line.text)
    head = tuple(line for line in listing.lines[:main] if line.text.startswith(("//.", "// |")))
    return Listing("isa", head + listing.lines[main:])


def test_live_at_the_entry_is_what_the_thread_is_given(corpus: Path) -> None:
    """(a), with prologs, which load the inputs."""
    for case, analysis in _analyses(corpus).items():
        expected = sorted(register for registers in EXCEPTIONS.get(case, {}).values() for register in registers)
        assert list(analysis.at_entry(analysis.liveness())) == expected, case


def test_live_at_the_start_of_the_body_are_inputs_to_the_byte(corpus: Path) -> None:
    """(a), sharper: bytes, in place of registers, of the `.inputs` table."""
    checked = 0
    for case, kernel in _known(corpus):
        analysis = _Analysis(_body(kernel.listing("isa")))
        assert analysis.flow.reason is None, case
        found = analysis.liveness()
        expected = sorted(register for registers in EXCEPTIONS.get(case, {}).values() for register in registers)
        assert list(analysis.at_entry(found)) == expected, case
        checked += (found.before[0] & analysis.given).bit_count() > analysis.size
    assert checked > 50


def test_nothing_is_read_that_nothing_has_written(corpus: Path) -> None:
    """(b). Of the exceptions, each reads a register in part of which something has been written, or its neighbours."""
    for case, analysis in _analyses(corpus).items():
        undefined = analysis.liveness().undefined
        registers = {each for _, bytes_ in undefined for each in registers_of(bytes_, analysis.size)}
        assert registers <= set(EXCEPTIONS.get(case, {}).get(PART, ())), case
        for line, bytes_ in undefined:
            use = analysis.use.uses[line]
            assert (use.reads | use.channel_reads) & ~bytes_, f"{case} line {line + 1}"
            operation = analysis.flow.operations[line]
            assert operation is not None
            assert operation.no_mask
            assert operation.name == "mov" or operation.is_send


def test_a_wrong_kill_rule_is_noticed(corpus: Path) -> None:
    """(e). Writes that end nothing leave all that is ever read live at the entry, in every kernel."""
    for case, analysis in _analyses(corpus).items():
        wrong = analysis.at_entry(analysis.liveness(lambda _: Kill.NOBODY))
        right = analysis.at_entry(analysis.liveness())
        assert set(right) < set(wrong), case


def test_whole_needs_that_no_masked_write_ends_are_noticed(corpus: Path) -> None:
    """(e), a finer fault: what `(W)` reads would be alive from before the branch, up to the entry."""
    kernel = corpus_kernel(corpus, "2.40/pvc/dpnp_tensor _ZTSN4dpnp6tensor7kernels3sin17sin_contig_kernelIffLh4ELh2EEE")
    analysis = _Analysis(kernel.listing("isa"))

    def every_masked_write(use: Use) -> Kill:
        return Kill.CHANNELS if use.kill is Kill.ALL and use.channel_reads else use.kill

    assert analysis.at_entry(analysis.liveness()) == ()
    assert analysis.at_entry(analysis.liveness(every_masked_write))


def test_no_kernel_occupies_more_than_it_has(corpus: Path) -> None:
    for case, kernel in _known(corpus):
        found = pressure(kernel)
        assert found.reason is None, case
        assert found.grf_count is not None
        assert found.peak is not None
        assert found.peak <= found.grf_count, case
        assert found.peak_line is not None
        assert found.live[found.peak_line] == found.peak == max(each for each in found.live if each is not None)
        assert sum(len(variable.registers) for variable in found.live_at_peak) == found.peak, case


def test_a_kernel_that_spills_fills_its_registers(corpus: Path) -> None:
    """The allocator spills because it has no register left: at the peak few are free."""
    kernel = corpus_kernel(corpus, "2.40/pvc/spill")
    found = pressure(kernel)
    assert found.peak is not None
    assert found.peak > 110
    assert (found.to_next_step, found.note) == (None, OCCUPANCY_OF_A_SPILLING_KERNEL)


def test_what_to_free_is_told_for_the_next_smaller_file_that_holds_more_threads(corpus: Path) -> None:
    matmul = pressure(corpus_kernel(corpus, "2.40/pvc/matmul_bp_w16_large"))
    assert (matmul.grf_count, matmul.peak, matmul.next_step, matmul.to_next_step) == (256, 136, 128, 8)
    add = pressure(corpus_kernel(corpus, "2.40/ptl/add"))
    assert (add.grf_count, add.next_step, add.to_next_step) == (96, None, None)  # 32 and 64 hold no more threads
    unknown = pressure(corpus_kernel(corpus, "2.40/cri/add"))
    assert (unknown.grf_count, unknown.next_step) == (64, None)


def test_variables_at_the_peak_are_those_of_the_listing(corpus: Path) -> None:
    """The two operands of the matmul that its 2D block loads have just filled: 32 registers each."""
    kernel = corpus_kernel(corpus, "2.40/pvc/matmul_bp_w16_large")
    listing = kernel.listing("isa")
    found = pressure(kernel)
    tiles = {each.name: each for each in found.live_at_peak if len(each.registers) == 32}
    assert set(tiles) == {"V0049", "V0050"}
    wrote = [listing.lines[line].instruction for tile in tiles.values() for line in tile.written]
    assert {each.opcode for each in wrote if each} == {"load_block2d.ugm.d16.a64", "load_block2d.ugm.d16v.a64"}


def test_a_call_out_of_the_listing_leaves_pressure_unknown(corpus: Path) -> None:
    found = pressure(corpus_kernel(corpus, CALLS))
    assert found.peak is None
    assert set(found.live) == {None}
    assert found.reason is not None
    assert "calls a function whose code is not in this listing" in found.reason


def test_pressure_of_a_cut_listing_is_unknown_and_raises_nothing(corpus: Path) -> None:
    listing = corpus_kernel(corpus, "2.40/pvc/trans").listing("isa")
    assert listing_pressure(listing).peak == 97
    for end in range(0, len(listing.lines), 101):
        found = listing_pressure(Listing("isa", listing.lines[:end]))
        ended = any("EOT" in line.text for line in listing.lines[:end])
        assert ended or (found.peak is None and found.reason)


def test_folding_counts_each_register_once() -> None:
    count = RegisterCounter(64)
    assert [count(bytes_) for bytes_ in (0, 1, 1 << 63, 1 << 64, (1 << 128) - 1, 1 << 63 | 1 << 64)] == [
        0,
        1,
        1,
        1,
        2,
        2,
    ]
    assert RegisterCounter(32)(1 << 31 | 1 << 32) == 2


END = "(W)     send.gtwy (1|M0)  null  r0  null:0  0x0  0x02000010  {EOT} // wr:1+0, rd:0; end of thread\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            # r1 | r1 r2 | r3 takes the place of both | r3
            """//.platform XE2
        mov (16|M0)  r1.0<1>:d  1:w
        mov (16|M0)  r2.0<1>:d  2:w
        add (16|M0)  r3.0<1>:d  r1.0<1;1,0>:d  r2.0<1;1,0>:d
        mov (16|M0)  r4.0<1>:d  r3.0<1;1,0>:d
"""
            + END,
            [2, 3, 3, 2, 1],
            id="straight, with r0 to the end",
        ),
        pytest.param(
            # 32-byte registers: 16 channels of :d take two
            """//.platform DG2
        mov (16|M0)  r2.0<1>:d  1:w
        mov (16|M0)  r4.0<1>:d  r2.0<1;1,0>:d
        mov (8|M0)   r2.0<1>:d  r5.0<1;1,0>:d
"""
            + END,
            [3, 3, 2, 1],
            id="registers of 32 bytes",
        ),
        pytest.param(
            # the second half of r1 is written apart: both are needed for the last read
            """//.platform XE2
        mov (8|M0)   r1.0<1>:d  1:w
        mov (8|M0)   r1.8<1>:d  2:w
        mov (16|M0)  r2.0<1>:d  3:w
        add (16|M0)  r1.0<1>:d  r1.0<1;1,0>:d  r2.0<1;1,0>:d
        mov (1|M0)   r3.0<1>:d  r1.15<0;1,0>:d
"""
            + END,
            [2, 2, 3, 3, 2, 1],
            id="halves of a register",
        ),
        pytest.param(
            # a guarded write keeps the old r1 alive; an unguarded one would not
            """//.platform XE2
        mov (16|M0)  r1.0<1>:d  1:w
        mov (16|M0)  r2.0<1>:d  2:w
(f0.0)  mov (16|M0)  r1.0<1>:d  r2.0<1;1,0>:d
        mov (16|M0)  r3.0<1>:d  r1.0<1;1,0>:d
        mov (16|M0)  r1.0<1>:d  9:w
        mov (16|M0)  r2.0<1>:d  r1.0<1;1,0>:d
"""
            + END,
            [2, 3, 3, 2, 2, 2, 1],
            id="guarded",
        ),
        pytest.param(
            # the load's four registers live until the store; its address r9:4 ends there
            """//.platform XE2
        mov (32|M0)  r9.0<1>:q  1:w
        load.ugm.d32x2.a64 (32|M0)  r20:4  [r9:4]  {$1} // ex_desc:0x0; desc:0x8402580
        store.ugm.d32x2.a64 (32|M0)  [r9:4]  r20:4  {$2} // ex_desc:0x0; desc:0x8002584
"""
            + END,
            [5, 9, 9, 1],
            id="payloads",
        ),
        pytest.param(
            # r1 is carried around the loop; r3 lives inside it only; r2 is read after it
            """//.platform XE2
        mov (16|M0)  r1.0<1>:d  1:w
        mov (16|M0)  r2.0<1>:d  2:w
_loop:
        mov (16|M0)  r3.0<1>:d  r1.0<1;1,0>:d
        add (16|M0)  r1.0<1>:d  r1.0<1;1,0>:d  r3.0<1;1,0>:d
(W&f0.0) jmpi _loop
        mov (16|M0)  r4.0<1>:d  r2.0<1;1,0>:d
"""
            + END,
            [2, 3, 4, 4, 3, 2, 1],
            id="a loop",
        ),
        pytest.param(
            # r5 is wanted by the channels that wait at the else part, while the others run the first
            """//.platform XE2
        mov (16|M0)  r5.0<1>:d  1:w
(~f0.0) goto (16|M0)  _else  _else
        mov (16|M0)  r2.0<1>:d  2:w
        goto (16|M0)  _else  _end
_else:
        join (16|M0)  _end
        mov (16|M0)  r2.0<1>:d  r5.0<1;1,0>:d
_end:
        join (16|M0)  _out
_out:
        mov (16|M0)  r3.0<1>:d  r2.0<1;1,0>:d
"""
            + END,
            # while the second part runs, the first's channels wait at the end with their r2
            [2, 2, 3, 3, 3, 3, 2, 2, 1],
            id="channels that wait",
        ),
        pytest.param(
            # a message names its registers one by one: r2, r4
            """//.platform XE3
        mov (16|M0)  r2.0<1>:d  1:w
        mov (16|M0)  r4.0<1>:d  2:w
(W)     mov (1|M0)   s0.0<1>:uq  0x402:uq
        send.ugm (16|M0)  null  r[s0.0]  0x0  0x04000504  {$1} // wr:2+0, rd:0; store.ugm.d32.a32
"""
            + END,
            [2, 3, 3, 3, 1],
            id="a gathering send",
        ),
        pytest.param(
            # what nobody reads is written all the same; after the end of the thread nothing runs
            """//.platform XE2
        mov (16|M0)  r7.0<1>:q  1:w
"""
            + END
            + "(W)     mov (16|M0)  null<1>:ud  0x1:ud\n",
            [3, 1, None],
            id="dead writes and dead code",
        ),
    ],
)
def test_kernels_worked_by_hand(text: str, expected: list[int | None]) -> None:
    """(d). r0 is read by the message that ends the thread, and so occupied all the time."""
    listing = Listing("isa", parse_listing(text))
    found = listing_pressure(listing)
    assert found.reason is None
    counts = [count for line, count in zip(listing.lines, found.live, strict=True) if line.instruction]
    assert counts == expected
    assert found.unexplained == ()


def test_a_register_that_only_the_code_itself_can_name_leaves_pressure_unknown() -> None:
    text = "//.platform XE2\n        mov (16|M0)  r1.0<1>:d  r[a0.0]<1,0>:d\n" + END
    found = listing_pressure(Listing("isa", parse_listing(text)))
    assert found.peak is None
    assert found.reason == "line 2: which registers `r[a0.0]<1,0>:d` stands for is not known"


def test_a_read_before_any_write_is_told() -> None:
    text = "//.platform XE2\n        mov (16|M0)  r1.0<1>:d  r9.0<1;1,0>:d\n" + END
    found = listing_pressure(Listing("isa", parse_listing(text)))
    assert found.unexplained == (9,)
