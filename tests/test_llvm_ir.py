"""LLVM IR: instructions know the Python line that they come from, through inlining."""

from __future__ import annotations

from pathlib import Path

from xpuasm_magic.formats.llvm_ir import parse_llvm_ir
from xpuasm_magic.model import Line, SourceLoc

KERNELS, STANDARD = "/src/kernels.py", "/opt/venv/lib/python3.11/site-packages/triton/language/standard.py"


def softmax(corpus: Path) -> tuple[Line, ...]:
    return parse_llvm_ir((corpus / "2.40/pvc/softmax_w4/softmax_kernel.llir").read_text(encoding="utf-8"))


def line_with(lines: tuple[Line, ...], text: str) -> Line:
    return next(line for line in lines if text in line.text)


def test_an_instruction_has_its_line_and_column(corpus: Path) -> None:
    assert line_with(softmax(corpus), "  %6 = tail call").loc == SourceLoc(KERNELS, 22, 24)


def test_an_inlined_instruction_has_its_call_site(corpus: Path) -> None:
    maximum = line_with(softmax(corpus), "@llvm.maxnum.f32(")
    assert (maximum.loc, maximum.callers) == (SourceLoc(STANDARD, 163, 27), (SourceLoc(KERNELS, 26, 19),))


def test_a_definition_has_its_functions_line_and_a_declaration_none(corpus: Path) -> None:
    lines = softmax(corpus)
    assert line_with(lines, "define ").loc == SourceLoc(KERNELS, 21)
    assert all(line.loc is None for line in lines if line.text.startswith(("declare", "!")))


def test_line_zero_is_no_line_and_a_circle_ends() -> None:
    text = """\
  %1 = add i32 1, 2, !dbg !1
  %2 = add i32 1, 2, !dbg !2
  %3 = add i32 1, 2, !dbg !9
!1 = !DILocation(line: 0, scope: !3)
!2 = !DILocation(line: 7, scope: !3, inlinedAt: !2)
!3 = distinct !DILexicalBlock(scope: !3, line: 3)
"""
    zero, circle, missing, *_ = parse_llvm_ir(text)
    assert (zero.loc, missing.loc) == (None, None)
    assert circle.loc == SourceLoc("", 7)


def test_all_text_of_the_corpus_stands_verbatim(corpus: Path) -> None:
    files = list(corpus.glob("*/*/*/*.llir"))
    assert len(files) > 50
    for path in files:
        text = path.read_text(encoding="utf-8")
        lines = parse_llvm_ir(text)
        assert "\n".join(line.text for line in lines) + "\n" == text
        assert any(line.loc for line in lines), path
