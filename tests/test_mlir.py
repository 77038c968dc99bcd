"""TTIR and TTGIR: operations know the Python line that they come from, inlined calls their call sites."""

from __future__ import annotations

from pathlib import Path

import pytest

from xpuasm_magic.formats.mlir import parse_mlir
from xpuasm_magic.model import Line, SourceLoc

SOFTMAX = "2.40/pvc/softmax_w4/softmax_kernel"
KERNELS, STANDARD = "/src/kernels.py", "/opt/venv/lib/python3.11/site-packages/triton/language/standard.py"


def line_with(lines: tuple[Line, ...], text: str) -> Line:
    return next(line for line in lines if text in line.text)


@pytest.fixture(params=["ttir", "ttgir"])
def softmax(request: pytest.FixtureRequest, corpus: Path) -> tuple[Line, ...]:
    return parse_mlir((corpus / f"{SOFTMAX}.{request.param}").read_text(encoding="utf-8"))


def test_an_operation_has_the_line_and_column_of_its_alias(softmax: tuple[Line, ...]) -> None:
    assert line_with(softmax, "tt.get_program_id").loc == SourceLoc(KERNELS, 22, 24)


def test_a_call_site_chain_goes_from_the_innermost_line_to_the_kernels(softmax: tuple[Line, ...]) -> None:
    maximum = line_with(softmax, "arith.maxnumf")
    assert maximum.loc == SourceLoc(STANDARD, 163, 27)
    assert maximum.callers == (SourceLoc(STANDARD, 184, 40), SourceLoc(KERNELS, 26, 19))


def test_an_operation_with_a_body_has_the_location_behind_its_brace(softmax: tuple[Line, ...]) -> None:
    reduction = line_with(softmax, '"tt.reduce"')
    assert (reduction.loc, reduction.callers) == (SourceLoc(STANDARD, 184, 40), (SourceLoc(KERNELS, 26, 19),))
    assert line_with(softmax, "tt.func").loc == SourceLoc(KERNELS, 21, 0)


def test_what_has_no_place_is_not_linked(softmax: tuple[Line, ...]) -> None:
    assert line_with(softmax, "arith.constant").loc is None
    assert line_with(softmax, "module").loc is None
    assert all(line.loc is None for line in softmax if line.text.startswith("#"))


def test_a_loop_begins_and_ends_with_its_line(corpus: Path) -> None:
    lines = parse_mlir((corpus / "2.40/pvc/attn_w8_large/attn_kernel.ttir").read_text(encoding="utf-8"))
    loop = next(index for index, line in enumerate(lines) if "scf.for" in line.text)
    end = next(index for index, line in enumerate(lines) if index > loop and line.text.startswith("    } "))
    assert lines[loop].loc == lines[end].loc is not None


@pytest.mark.parametrize(
    ("loc", "expected"),
    [
        ('"/a.py":3:4', (SourceLoc("/a.py", 3, 4),)),
        ('"/a.py":3:4 to :9', (SourceLoc("/a.py", 3, 4),)),
        ('"offsets"("/a.py":3:4)', (SourceLoc("/a.py", 3, 4),)),
        ('"offsets"(#loc1)', (SourceLoc("/b.py", 7, 1),)),
        ("fused[#loc2, #loc1]", (SourceLoc("/b.py", 7, 1),)),
        ('fused<"CSE">[#loc1]', (SourceLoc("/b.py", 7, 1),)),
        ('callsite("/a.py":3:4 at callsite(#loc1 at "/c.py":1:1))',
         (SourceLoc("/a.py", 3, 4), SourceLoc("/b.py", 7, 1), SourceLoc("/c.py", 1, 1))),
        ("unknown", ()),
        ("#loc3", ()),
        ("#loc99", ()),
        ("callsite(", ()),
        ("fused[", ()),
    ],
)  # fmt: skip
def test_each_kind_of_location(loc: str, expected: tuple[SourceLoc, ...]) -> None:
    aliases = '#loc1 = loc("/b.py":7:1)\n#loc2 = loc(unknown)\n#loc3 = loc(#loc4)\n#loc4 = loc(#loc3)'
    [line, *_] = parse_mlir(f"  %0 = arith.addi %1, %2 : i32 loc({loc})\n{aliases}\n")
    assert ((line.loc, *line.callers) if line.loc else ()) == expected


def test_all_text_of_the_corpus_stands_verbatim_and_most_operations_are_linked(corpus: Path) -> None:
    files = [*corpus.glob("*/*/*/*.ttir"), *corpus.glob("*/*/*/*.ttgir")]
    assert len(files) > 100
    for path in files:
        text = path.read_text(encoding="utf-8")
        lines = parse_mlir(text)
        assert "\n".join(line.text for line in lines) + "\n" == text
        operations = [line for line in lines if " = " in line.text and line.text.startswith(" ")]
        placed = [line for line in operations if "loc(#loc1)" not in line.text]  # Triton's `unknown`, on constants
        assert sum(line.loc is not None for line in placed) >= 0.95 * len(placed), path
