"""Control flow of ISA listings, against the blocks that IGC writes into them, and by hand."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from corpus_kernels import corpus_kernel, corpus_kernels

from xpuasm_magic.analysis.flow import ControlFlow, control_flow
from xpuasm_magic.analysis.loops import find_loops, reverse_postorder
from xpuasm_magic.formats.gen_isa import parse_listing
from xpuasm_magic.model import Listing

# // B003: [inDivergent],  Preds:{B002},  Succs:{B005}
_STATED = re.compile(
    r"// (?P<name>B\d+): (?P<marks>(?:\[\w+\],? *)*)Preds:\{[^}]*\},\s+Succs:\{(?P<successors>[^}]*)\}"
)


def _flow(text: str) -> ControlFlow:
    return control_flow(Listing("isa", parse_listing(text)))


def _stated(listing: Listing) -> dict[str, tuple[str, set[str], list[int]]]:
    """IGC's own blocks: marks, successors, and the lines of its instructions up to the end of the thread."""
    blocks: dict[str, tuple[str, set[str], list[int]]] = {}
    lines: list[int] = []
    for index, line in enumerate(listing.lines):
        if found := _STATED.match(line.text):
            lines = []
            blocks[found["name"]] = (found["marks"], set(re.findall(r"B\d+", found["successors"])), lines)
        elif line.instruction and not any("EOT" in listing.lines[before].text for before in lines):
            lines.append(index)
    return blocks


def test_every_edge_of_the_corpus_is_the_one_that_igc_states(corpus: Path) -> None:
    checked = 0
    for case, kernel in corpus_kernels(corpus).items():
        listing = kernel.listing("isa")
        flow = control_flow(listing)
        assert flow.reason is None, case
        stated = _stated(listing)
        head = {lines[0]: name for name, (_, _, lines) in stated.items() if lines}
        following = dict(zip(head.values(), [*list(head.values())[1:], ""], strict=True))
        for name, (_, successors, lines) in stated.items():
            block = flow.blocks[flow.block_of(lines[-1]) or 0]
            if block.last == lines[-1]:
                ours = {head[flow.blocks[successor].first] for successor in block.successors}
            else:  # IGC ends a block where ours goes on: a part of the prolog without a label
                ours = {following[name]}
            assert ours == successors, f"{case} {name}"
            checked += 1
    assert checked > 1300


def test_divergence_is_what_igc_marks_but_where_no_channel_waits(corpus: Path) -> None:
    """IGC goes by the place in the text: a block that a uniform jump alone leads to is marked with those around it."""
    counted: Counter[tuple[bool, bool]] = Counter()
    for kernel in corpus_kernels(corpus).values():
        listing = kernel.listing("isa")
        flow = control_flow(listing)
        for marks, _, lines in _stated(listing).values():
            waits = bool(flow.blocks[flow.block_of(lines[0]) or 0].waiting)
            counted["inDivergent" in marks, waits] += 1
    assert counted[False, True] == 0
    assert counted[True, True] > 500
    assert counted[True, False] == 10


def test_a_call_out_of_the_listing_is_told_and_the_return_taken_for_granted(corpus: Path) -> None:
    kernel = corpus_kernel(corpus, "1.0.12504/pvc/matmul_bp_w16_default")
    flow = control_flow(kernel.listing("isa"))
    assert (flow.reason, len(flow.calls_elsewhere)) == (None, 14)
    assert [loop.depth for loop in flow.loops] == [1]


def test_the_loop_of_a_matmul_holds_its_dpas(corpus: Path) -> None:
    listing = corpus_kernel(corpus, "2.40/bmg/matmul_w16_large").listing("isa")
    flow = control_flow(listing)
    dpas = [index for index, line in enumerate(listing.lines) if line.instruction and "dpas" in line.instruction.opcode]
    assert dpas
    assert {flow.depth_of(line) for line in dpas} == {1}
    loop = flow.innermost(dpas[0])
    assert loop is not None
    assert loop.header in loop.blocks
    assert flow.depth_of(0) == 0


NESTED = """//.platform XE2
_main:
        mov (16|M0)   r1.0<1>:d  0:w
_outer:
        mov (16|M0)   r2.0<1>:d  0:w
_inner:
        add (16|M0)   r2.0<1>:d  r2.0<1;1,0>:d  1:w
(W&f0.0) jmpi _inner
        add (16|M0)   r1.0<1>:d  r1.0<1;1,0>:d  1:w
(W&f1.0) jmpi _outer
(W)     send.gtwy (1|M0)  null  r9  null:0  0x0  0x02000010  {EOT,A@1} // wr:1+0, rd:0; end of thread
"""


def test_loops_nest() -> None:
    flow = _flow(NESTED)
    assert [(loop.depth, loop.parent, len(loop.blocks)) for loop in flow.loops] == [(1, None, 3), (2, 0, 1)]
    by_line = {line: flow.depth_of(line) for line in (2, 4, 6, 7, 8, 9, 10)}
    assert by_line == {2: 0, 4: 1, 6: 2, 7: 2, 8: 1, 9: 1, 10: 0}


def test_a_loop_with_two_entrances_is_one_loop() -> None:
    """0 -> 1, 2; 1 <-> 2; 2 -> 3."""
    successors = [(1, 2), (2,), (1, 3), ()]
    loops = find_loops(successors, reverse_postorder(successors))
    assert [(loop.blocks, loop.depth) for loop in loops] == [(frozenset({1, 2}), 1)]


def test_channels_wait_where_they_were_sent() -> None:
    """The else part and what follows: while the first part runs, the others wait at the second, and the other way."""
    flow = _flow(
        """//.platform XE2
        cmp (16|M0)  (lt)f0.0  null<1>:d  r1.0<1;1,0>:d  0:w
(~f0.0) goto (16|M0)  _else  _else
        mov (16|M0)  r2.0<1>:d  1:w
        goto (16|M0)  _else  _end
_else:
        join (16|M0)  _end
        mov (16|M0)  r2.0<1>:d  2:w
_end:
        join (16|M0)  _out
_out:
(W)     send.gtwy (1|M0)  null  r2  null:0  0x0  0x02000010  {EOT} // wr:1+0, rd:0; end of thread
"""
    )
    names = {"then": 3, "else": 6, "end": 9}
    blocks = {name: flow.block_of(line) for name, line in names.items()}
    waiting = {name: flow.blocks[blocks[name] or 0].waiting for name in names}
    assert waiting == {"then": (blocks["else"],), "else": (blocks["end"],), "end": ()}
    assert flow.blocks[blocks["then"] or 0].successors == (blocks["end"],)
    assert flow.blocks[blocks["then"] or 0].thread_successors == (blocks["else"],)


def test_structured_branches_close_too() -> None:
    """`if`, `else`, `endif`, `while` and `break`, as media kernels and other compilers write them."""
    flow = _flow(
        """//.platform DG2
_loop:
(f0.0)  if (8|M0)  _else  _endif
        mov (8|M0)  r2.0<1>:d  1:w
        else (8|M0)  _endif  _endif
_else:
        mov (8|M0)  r2.0<1>:d  2:w
_endif:
        endif (8|M0)  _after
_after:
(f1.0)  break (8|M0)  _while  _while
        add (8|M0)  r3.0<1>:d  r2.0<1;1,0>:d  1:w
_while:
(f0.1)  while (8|M0)  _loop
(W)     send.gtwy (8|M0)  null  r3  null:0  0x0  0x02000010  {EOT} // wr:1+0, rd:0; end of thread
"""
    )
    assert flow.reason is None
    assert len(flow.loops) == 1
    leaves = flow.blocks[flow.block_of(10) or 0]
    end = flow.block_of(14)
    assert end in leaves.successors
    assert (flow.depth_of(13), flow.depth_of(14)) == (1, 0)


def test_a_function_in_the_listing_returns_to_its_callers() -> None:
    flow = _flow(
        """//.platform XE2
        call (1|M0)  r9.0  _f
        mov (16|M0)  r1.0<1>:d  r2.0<1;1,0>:d
        call (1|M0)  r9.0  _f
(W)     send.gtwy (1|M0)  null  r1  null:0  0x0  0x02000010  {EOT} // wr:1+0, rd:0; end of thread
_f:
        mov (16|M0)  r2.0<1>:d  0:w
        ret (1|M0)  r9.0
"""
    )
    assert flow.reason is None
    assert flow.calls_elsewhere == ()
    body = flow.blocks[flow.block_of(6) or 0]
    assert {flow.blocks[successor].first for successor in body.successors} == {2, 4}


def test_why_a_graph_cannot_be_closed_is_said() -> None:
    end = "(W)     send.gtwy (1|M0)  null  r1  null:0  0x0  0x02000010  {EOT}\n"
    cases = {
        "": "the listing has no instructions",
        "        mov (1|M0)  r1.0<1>:d  0:w\n": "the listing ends at line 1, before the thread does",
        "        goto (16|M0)  _gone  _gone\n" + end: "line 1: `goto` leads to _gone, a label that the",
        "(W)     jmpi (1|M0)  r5.0\n" + end: "line 1: `jmpi` leads to an address that is known only as it runs",
    }
    for text, reason in cases.items():
        flow = _flow(text)
        assert (flow.reason or "").startswith(reason)
        assert flow.loops == ()


def test_a_listing_cut_anywhere_has_a_reason_or_an_end(corpus: Path) -> None:
    listing = corpus_kernel(corpus, "2.40/pvc/softmax_w4").listing("isa")
    whole = control_flow(listing)
    assert whole.reason is None
    for end in range(0, len(listing.lines), 37):
        cut = control_flow(Listing("isa", listing.lines[:end]))
        ended = any(operation is not None and operation.ends_thread for operation in cut.operations)
        assert ended or (cut.reason is not None and not cut.loops)
