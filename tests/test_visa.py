"""vISA and IGC's last LLVM IR carry the numbers by which the ISA's lines refer to them."""

from __future__ import annotations

from pathlib import Path

from xpuasm_magic.formats.gen_isa import parse_listing
from xpuasm_magic.formats.visa import parse_visa, parse_visa_llvm
from xpuasm_magic.model import Line, SourceLoc


def test_lines_of_vISA_have_number_and_source() -> None:  # noqa: N802  # the field's spelling
    text = '    FILE "/src/kernels.py"\n    LOC 15\n    shl (M1_NM, 1) V0047(0,0)<1> 0xa:d      /// $6\n.decl V0032\n'
    assert parse_visa(text)[2:] == (
        Line("    shl (M1_NM, 1) V0047(0,0)<1> 0xa:d      /// $6", SourceLoc("/src/kernels.py", 15), (6,)),
        Line(".decl V0032"),
    )


def test_lines_of_the_last_llvm_ir_have_the_number() -> None:
    assert parse_visa_llvm("  %6 = shl i32 %5, 10, !dbg !445\t\t; visa id: 4\nret\n") == (
        Line("  %6 = shl i32 %5, 10, !dbg !445\t\t; visa id: 4", ids=(4,)),
        Line("ret"),
    )


def test_an_instruction_of_llvm_ir_owns_all_numbers_up_to_the_next_ones() -> None:
    text = "a ; visa id: 4\nb\nc ; visa id: 7\nd ; visa id: 7\n"
    assert [line.ids for line in parse_visa_llvm(text)] == [(4, 5, 6), (), (7,), (7,)]
    assert parse_visa_llvm("no number\n") == (Line("no number"),)


def test_every_number_of_a_listing_is_in_its_vISA(corpus: Path) -> None:  # noqa: N802
    # IGC 1.0.12504 gives what it inserts itself (joins, say) a number that no vISA instruction has.
    listings = [*corpus.glob("1.0.17791/*/*/dump/*.asm"), *corpus.glob("2.40/*/*/dump/*.asm")]
    listings = [listing for listing in listings if listing.with_suffix(".visaasm").is_file()]
    assert len(listings) > 60
    for listing in listings:
        visa = parse_visa(listing.with_suffix(".visaasm").read_text(encoding="utf-8"))
        numbers = {number for line in visa for number in line.ids}
        used = {number for line in parse_listing(listing.read_text(encoding="utf-8")) for number in line.ids}
        assert used <= numbers, listing
