"""Goldens lie in data/lexer; UPDATE_GOLDENS=1 rewrites them, and the diff is reviewed like code."""

from __future__ import annotations

import os
import time
from collections import Counter
from pathlib import Path

import pytest
from pygments import lex
from pygments.lexers import find_lexer_class, guess_lexer
from pygments.token import STANDARD_TYPES, Comment, Error, Keyword, Name, Number, Text, Token

from xpuasm_magic.lexers import GenIsaLexer
from xpuasm_magic.styles import ListingDark, ListingLight

GOLDENS = sorted((Path(__file__).parent / "data/lexer").glob("*.asm"))


def _tokens(text: str) -> list[tuple[object, str]]:
    return [(token, value) for _, token, value in GenIsaLexer().get_tokens_unprocessed(text)]


@pytest.mark.parametrize("source", GOLDENS, ids=lambda path: path.stem)
def test_each_form_of_line_has_its_tokens(source: Path) -> None:
    text = source.read_text(encoding="utf-8")
    found = "".join(
        f"{line}\n    " + "  ".join(f"{STANDARD_TYPES[token]}:{value}" for token, value in tokens) + "\n"
        for line in text.splitlines()
        if (tokens := [(token, value) for token, value in _tokens(line) if value.strip()])
    )
    golden = source.with_suffix(".tokens")
    if os.environ.get("UPDATE_GOLDENS"):
        golden.write_text(found, encoding="utf-8")
    assert found == golden.read_text(encoding="utf-8"), "UPDATE_GOLDENS=1 pytest tests/test_lexers.py updates it"


def test_there_are_goldens() -> None:
    assert len(GOLDENS) >= 5


def test_every_listing_of_the_corpus_is_understood(corpus: Path) -> None:
    listings = sorted(corpus.glob("**/*.asm"))
    assert listings, f"no listings under {corpus}"
    plain: Counter[str] = Counter()
    characters = 0
    for listing in listings:
        text = listing.read_text(encoding="utf-8", errors="replace")
        tokens = _tokens(text)
        assert "".join(value for _, value in tokens) == text, listing
        assert Error not in {token for token, _ in tokens}, listing
        plain.update(value for token, value in tokens if token in (Text, Token))
        characters += sum(len(line) for line in text.split("\n") if not line.startswith("//"))
    assert plain.total() <= 0.01 * characters, plain.most_common(10)


def test_time_grows_with_length_only(corpus: Path) -> None:
    text = max(corpus.glob("**/*.asm"), key=lambda path: path.stat().st_size).read_text(encoding="utf-8")
    text *= 60_000 // text.count("\n") + 1
    started = time.perf_counter()
    _tokens(text)
    assert time.perf_counter() - started < 10


@pytest.mark.parametrize("unit", ["(", "{", "<", "0x", "//", "r1.", "-", "$", "_a:", "(W&", ":a", " ", "bfn.(s0&"])
def test_hostile_lines_take_no_longer_than_their_length(unit: str) -> None:
    text = "        mov " + unit * 100_000
    started = time.perf_counter()
    tokens = _tokens(text)
    assert time.perf_counter() - started < 2
    assert "".join(value for _, value in tokens) == text


def test_what_is_not_understood_is_plain_text_never_an_error() -> None:
    text = "        mov (8|M0) r1.0<1>:ud §§ “x”\r\n\x00\x07 é\n"
    tokens = _tokens(text)
    assert "".join(value for _, value in tokens) == text
    assert Error not in {token for token, _ in tokens}
    assert (Text, "§") in tokens


def test_kinds_of_opcode_are_told_apart() -> None:
    kinds = {
        "mad": Keyword,
        "goto": Keyword.Reserved,
        "sync": Keyword.Pseudo,
        "dpas": Name.Function.Magic,
        "load": Name.Function,
        "sendg": Name.Function,
        "atomic_iadd": Name.Function,
    }
    for opcode, kind in kinds.items():
        assert _tokens(f"        {opcode}.x (1|M0)  r1")[1] == (kind, opcode)


def test_a_spill_stands_out_and_a_spill_of_zero_is_none() -> None:
    line = "(W)     send.ugm (1|M0)  null r1 r2:1 0x0 0x0 {$4} // wr:1+1, rd:0 //  spill to offset[0*64] of ?; ; $4"
    assert (Name.Exception, "spill to offset[0*64] of ?") in _tokens(line)
    assert Name.Exception not in {
        token for token, _ in _tokens("        mov (8|M0) r1 r2 //  spill/fill zero register")
    }


def test_source_lines_are_comments_of_their_own() -> None:
    assert _tokens("// Line 17:  tl.store(o_ptr+offs, x+y, mask=m)") == [
        (Comment.Single, "// Line 17:"),
        (Comment.Special, "  tl.store(o_ptr+offs, x+y, mask=m)"),
    ]


def test_lexing_any_run_of_lines_alone_gives_the_same_tokens(corpus: Path) -> None:
    text = next(corpus.glob("**/add/**/*.asm")).read_text(encoding="utf-8")
    assert [t for line in text.splitlines(keepends=True) for t in _tokens(line)] == _tokens(text)


def test_pygments_finds_the_lexer_by_its_text() -> None:
    assert GenIsaLexer.analyse_text("//.kernel add_kernel\n") == 1.0
    assert next(iter(lex("nop", GenIsaLexer()))) == (Keyword.Pseudo, "nop")


def test_pygments_finds_the_lexer_by_name_where_the_package_is_installed() -> None:
    from importlib.metadata import entry_points

    if not any(point.name == "xpuasm-gen-isa" for point in entry_points(group="pygments.lexers")):
        pytest.fail("xpuasm_magic is not installed here (pip install -e .), so its lexer is not registered")
    assert find_lexer_class("Intel GPU ISA") is not None
    assert guess_lexer("//.kernel add_kernel\n").name == "Intel GPU ISA"


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(
    ("style", "grounds"),
    [(ListingLight, ("ffffff", "f6f8fa")), (ListingDark, ("111111", "1e1e1e", "212121"))],
    ids=["light", "dark"],
)
def test_every_colour_has_the_contrast_of_wcag_aa(style: type, grounds: tuple[str, ...]) -> None:
    too_faint = []
    for token, rules in style:  # type: ignore[attr-defined]
        for ground in grounds:
            lighter, darker = sorted((_luminance(rules["color"] or "000000"), _luminance(ground)), reverse=True)
            ratio = (lighter + 0.05) / (darker + 0.05)
            if rules["color"] and ratio < 4.5:
                too_faint.append((str(token), rules["color"], ground, round(ratio, 2)))
    assert too_faint == []


def test_numbers_of_each_kind() -> None:
    tokens = _tokens("(W) mov (1|M0) r1.0<1>:f -0x3F800000:f 12:w 1.5:f")
    assert {(Number.Hex, "-0x3F800000"), (Number.Integer, "12"), (Number.Float, "1.5")} <= set(tokens)
