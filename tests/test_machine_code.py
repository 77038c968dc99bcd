"""Raw code is held against sections and listings."""

from __future__ import annotations

from pathlib import Path

import pytest

from xpuasm_magic.formats.gen_isa import parse_header
from xpuasm_magic.formats.machine_code import fills, spells_out
from xpuasm_magic.formats.zebin import parse_zebin


def test_the_code_of_every_case_fills_its_section_and_is_spelt_out(corpus: Path) -> None:
    seen = 0
    for listing in corpus.glob("*/*/*/dump/*.asm"):
        text, code = listing.read_bytes(), listing.with_suffix(".dat").read_bytes()
        header = parse_header(text.decode())
        assert header.inst_count is not None
        assert spells_out(text, header.inst_count, len(code)), listing
        assert not spells_out(text, header.inst_count, len(code) - 8), listing
        for program in listing.parent.glob(f"{listing.name[:23]}.progbin"):
            section = parse_zebin(program.read_bytes()).code[header.kernel]
            assert fills(code, section) == section.startswith(code), listing
            assert not fills(code[:-16], section), listing
            seen += 1
    assert seen > 50


@pytest.mark.parametrize("code", [b"", b"\1" * 12, b"\1" * 8])
def test_what_is_no_code_or_a_part_of_it_fills_nothing(code: bytes) -> None:
    assert not fills(code, b"\1" * 16 + bytes(128))


def test_a_line_of_source_that_says_compacted_is_no_instruction() -> None:
    listing = b"//.instCount 2\n// Line 1:  # Compacted\n  nop {Compacted,A@1}\n  nop\n"
    assert spells_out(listing, 2, 24)
    assert not spells_out(listing, 2, 32)
