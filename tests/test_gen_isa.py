"""Listings of the GPU ISA are read whole, and lose nothing."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import pytest

from xpuasm_magic.errors import ParseError
from xpuasm_magic.formats.gen_isa import (
    MixCounts,
    instruction_mix_counts,
    linked_share,
    parse_header,
    parse_listing,
)
from xpuasm_magic.model import Instruction, Listing, ListingHeader, SourceLoc


def listings(corpus: Path) -> list[Path]:
    found = sorted(corpus.rglob("*.asm"))
    assert len(found) == 87, "the corpus is not the one that these tests are about"
    return found


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_every_listing_of_the_corpus_has_the_compilers_own_counts(corpus: Path) -> None:
    wrong = []
    for path in listings(corpus):
        instructions = [line.instruction for line in parse_listing(text(path)) if line.instruction]
        size = sum(instruction.size for instruction in instructions)
        if len(instructions) != parse_header(text(path)).inst_count or size != path.with_suffix(".dat").stat().st_size:
            wrong.append(path)
    assert wrong == []


def test_text_is_kept_verbatim(corpus: Path) -> None:
    for path in listings(corpus):
        assert Listing("isa", parse_listing(text(path))).text == text(path)


def test_addresses_follow_from_the_sizes_before(corpus: Path) -> None:
    lines = parse_listing(text(next(corpus.glob("2.40/pvc/add/dump/*.asm"))))
    instructions = [line.instruction for line in lines if line.instruction]
    assert instructions[0] == Instruction(pc=0, size=16, opcode="mov", exec_size=16)
    for before, after in pairwise(instructions):
        assert after.pc == before.pc + before.size


def test_header_of_the_current_compiler(corpus: Path) -> None:
    header = parse_header(text(next(corpus.glob("2.40/pvc/spill/dump/*_1_*.asm"))))
    assert header == ListingHeader(
        kernel="spill_kernel",
        platform="PVCXT",
        num_grf=128,
        num_acc=4,
        num_swsb=16,
        inst_count=4732,
        ra_type="GRAPH_COLORING_SPILL_FF_RA",
        spill_size=15680,
        options="-emitCrossThreadOffR0Reloc -hashmovs 3824235766 2027095097 -hashmovs1 0 1",
    )


def test_header_of_the_old_compiler(corpus: Path) -> None:
    header = parse_header(text(next(corpus.glob("1.0.12504/pvc/add/dump/*.asm"))))
    assert (header.kernel, header.ra_type, header.options) == ("add_kernel", "LOCAL_FIRST_FIT_RA", "")
    assert (header.spill_size, header.spill_flag_store, header.spill_flag_load) == (0, 1, 3)


def test_private_memory_is_told_from_spill(corpus: Path) -> None:
    headers = [parse_header(text(path)) for path in listings(corpus)]
    assert any(header.private_size for header in headers) == any(
        "//.private memory size" in text(path) for path in listings(corpus)
    )


def test_a_listing_without_its_kernel_line_is_an_error() -> None:
    with pytest.raises(ParseError, match="empty"):
        parse_header("")
    with pytest.raises(ParseError, match=r"no `//\.kernel` line"):
        parse_header("//.platform PVCXT\n")


LISTING = """\
//.kernel k
// B000: Preds:{},  Succs:{B001}
per_thread_prolog:
(W)     mov (16|M0)              r127.0<1>:ud  0x0:ud                           //  ALU pipe: int; \n
// File: /src/kernels.py

// Line 18:  tl.store(o_ptr+offs, x+y, mask=m)
        nop                                                                     // \n// _main:
(W)     or (1|M0)                cr0.0<1>:ud   cr0.0<0;1,0>:ud   0x4C0:uw  {Compacted,A@1} // $1

// Line 15:  offs = pid*BLOCK + tl.arange(0, BLOCK)
        dpas.8x8 (16|M0)  r62:f  r62:f  r70:hf  r96.0:hf  {Atomic,Compacted,A@1} // $905 R{} IR{}{E:15,},  {BC=2}
        bfn.(s0&s1|s2) (32|M0)   r10.0<1>:ud   r5.0<1;0>:ud  r9.0<0;0>:ud  r2.0<0>:ud       {I@3} // $11
// Line 16
(W&~f0.0) jmpi                       _0_073                     // $12
_0_073:
        send.dc0 (16|M0)  null  r1  r2:1  0x0  0x020F11FF {$3} // wr:1h+1, rd:0; hword scratch block write x1 //  \
scratch space spill: SP_GRF_V0048_0 from offset[0x32]; $10
"""


def test_source_lines_hold_until_the_next_and_the_prologs_are_not_taken() -> None:
    lines = [line for line in parse_listing(LISTING) if line.instruction]
    file = "/src/kernels.py"
    assert [line.loc for line in lines] == [
        None,
        None,
        None,
        SourceLoc(file, 15),
        SourceLoc(file, 15),
        SourceLoc(file, 16),
        SourceLoc(file, 16),
    ]


def test_visa_numbers_are_found_behind_every_kind_of_comment() -> None:
    lines = [line for line in parse_listing(LISTING) if line.instruction]
    assert [line.ids for line in lines] == [(), (), (1,), (905,), (11,), (12,), (10,)]


def test_opcodes_and_widths() -> None:
    instructions = [line.instruction for line in parse_listing(LISTING) if line.instruction]
    assert [(i.opcode, i.exec_size, i.size) for i in instructions] == [
        ("mov", 16, 16),
        ("nop", None, 16),
        ("or", 1, 8),
        ("dpas.8x8", 16, 8),
        ("bfn.(s0&s1|s2)", 32, 16),
        ("jmpi", None, 16),
        ("send.dc0", 16, 16),
    ]


def test_quick_counts_equal_those_of_the_parsed_listing(corpus: Path) -> None:
    for path in listings(corpus):
        words = [line.instruction.opcode for line in parse_listing(text(path)) if line.instruction]
        expected = MixCounts(
            dpas=sum(word.startswith("dpas") for word in words),
            sends=sum(word.startswith(("send", "load", "store", "atomic_")) for word in words),
        )
        assert instruction_mix_counts(text(path)) == expected
        assert instruction_mix_counts(path.read_bytes()) == expected


def test_a_listing_cut_anywhere_is_still_shown(corpus: Path) -> None:
    choose = random.Random(0)
    for path in listings(corpus)[::8]:
        whole = text(path)
        for _ in range(10):
            part = whole[: choose.randrange(len(whole))]
            assert "\n".join(line.text for line in parse_listing(part)) == part.removesuffix("\n")


@pytest.mark.parametrize("words", ["// spill ", "// $1 ", " $1 ", "(W) ", "{Compacted,"])
def test_a_line_of_any_length_is_read_in_one_go(words: str) -> None:
    # Two hundred thousand characters: read again from each of them, it would take minutes.
    line = "        mov (1|M0)  r1.0<1>:ud  r0.0<0;1,0>:ud  " + words * (200_000 // len(words))
    (parsed,) = parse_listing(line)
    assert parsed.instruction is not None
    assert linked_share(b"\n" + line.encode()) is not None


def test_numbers_that_no_listing_has_are_no_numbers() -> None:
    # Python refuses to read more than 4,300 digits.
    many = "9" * 5000
    header = parse_header(f"//.kernel k\n//.instCount {many}\n//.spill size {many}\n//.thread_config numGRF={many}\n")
    assert (header.inst_count, header.spill_size) == (None, 0)
    text = f"// Line {many}:  x\n        mov ({many}|M0)  r1.0<1>:ud  r0.0<0;1,0>:ud  // ${many}"
    line, instruction = parse_listing(text)
    assert line.loc is None
    assert instruction.ids == ()
