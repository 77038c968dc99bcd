"""What the compilers chose counts as equal; what the code does never does."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from xpuasm_magic.backends import INTEL
from xpuasm_magic.compare import ListingDiff, diff_listings
from xpuasm_magic.model import Line, Listing

Edit = Callable[[str], str]

STAGES = {
    "isa": "dump/*.asm",
    "visa": "dump/*.visaasm",
    "visa_ll": "dump/*.visa.ll",
    "llir": "*.llir",
    "ttgir": "*.ttgir",
    "ttir": "*.ttir",
    "spirv": "dump/*.spvasm",
}


def text_of(corpus: Path, case: str, stage: str) -> str:
    """The listing of a case; of a retry, the one that shipped."""
    return sorted((corpus / case).glob(STAGES[stage]))[0].read_text(encoding="utf-8")


def listing(stage: str, text: str, tmp_path: Path) -> Listing:
    path = tmp_path / f"listing-{abs(hash(text))}"
    path.write_text(text, encoding="utf-8")
    return INTEL.stage(stage).file(path).parse(path)


def compared(stage: str, a: str, b: str, tmp_path: Path) -> ListingDiff:
    return diff_listings(listing(stage, a, tmp_path), listing(stage, b, tmp_path))


def renumbered(pattern: str, by: int) -> Edit:
    """Numbers in the group `n` of the pattern, moved on: another choice of the same names."""
    return lambda text: re.sub(
        pattern, lambda m: m[0].replace(m["n"], str(int(m["n"]) + by), 1) if m["n"] else m[0], text
    )


def once(old: str, new: str) -> Edit:
    def edit(text: str) -> str:
        assert old in text, f"the listing has no {old!r}"
        return text.replace(old, new, 1)

    return edit


CHOSEN: list[tuple[str, str, Edit]] = [
    ("isa", "registers", renumbered(r"(?<![\w.])r(?P<n>[1-9]\d*)", 1)),
    ("isa", "flags", renumbered(r"(?<![\w.])f(?P<n>\d)(?=\.\d)", 4)),
    ("isa", "scoreboard tokens", renumbered(r"(?<=\$)(?P<n>\d+)(?=\.(?:dst|src)|[,}])", 3)),
    ("isa", "dependency distances", renumbered(r"(?<=@)(?P<n>\d)", 1)),
    ("isa", "compaction", lambda text: text.replace("{Compacted}", "").replace("Compacted,", "")),
    ("isa", "vISA numbers", renumbered(r"(?m)\$(?P<n>\d+)$", 7)),
    ("isa", "labels", renumbered(r"\b_0_(?P<n>\d{3})\b", 100)),
    ("isa", "addresses in labels", renumbered(r"\bL(?P<n>\d+)\b", 64)),
    ("isa", "source lines", renumbered(r"(?m)^// Line (?P<n>\d+)", 5)),
    ("isa", "comments", lambda text: re.sub(r"//  ALU pipe: \w+;", "//", text)),
    (
        "isa",
        "the module's hash",
        lambda text: re.sub(r"(null<1>:ud +)0x[0-9A-F]{7,8}(:ud +// $)", r"\g<1>0xABCDEF01\2", text, flags=re.M),
    ),
    ("visa", "virtual registers", renumbered(r"\bV(?P<n>\d{4})\b", 1)),
    ("visa", "numbers", renumbered(r"/// \$(?P<n>\d+)", 3)),
    ("visa", "labels", renumbered(r"\b_0_(?P<n>\d{3})\b", 100)),
    ("visa", "source lines", renumbered(r"LOC (?P<n>\d+)", 5)),
    ("visa_ll", "values", renumbered(r"(?<![\w.])%(?P<n>\d+)|(?<=\n)(?P<m>\d+)(?=:)", 0)),
    ("llir", "metadata", renumbered(r"!(?P<n>\d+)", 9)),
    ("llir", "attribute numbers", renumbered(r"(?<= )#(?P<n>\d+)", 3)),
    ("ttgir", "values", renumbered(r"%(?P<n>\d+)", 40)),
    ("ttgir", "arguments", renumbered(r"%arg(?P<n>\d+)", 40)),
    ("ttgir", "locations", renumbered(r"(?<=kernels.py\":)(?P<n>\d+)", 5)),
    ("ttgir", "location aliases", renumbered(r"#loc(?P<n>\d+)", 40)),
    ("ttgir", "layout aliases", lambda text: re.sub(r"#blocked\b", "#blocked7", text)),
]


@pytest.mark.parametrize(("stage", "what", "edit"), CHOSEN, ids=[f"{stage} {what}" for stage, what, _ in CHOSEN])
def test_another_choice_of_names_is_no_change(corpus: Path, tmp_path: Path, stage: str, what: str, edit: Edit) -> None:
    text = text_of(corpus, "2.40/pvc/softmax_w4", stage)
    other = edit(text)
    assert what == "values" or other != text, "the edit does nothing"
    assert compared(stage, text, other, tmp_path).changes.same


DONE: list[tuple[str, str, Edit]] = [
    ("isa", "an immediate", once("508:w", "252:w")),
    ("isa", "an opcode", once("        mul (32|M0)", "        add (32|M0)")),
    ("isa", "a region", once("<1;1,0>:f", "<0;1,0>:f")),
    ("isa", "a type", once("<1;1,0>:f", "<1;1,0>:hf")),
    ("isa", "a width", once("        mul (32|M0)", "        mul (16|M0)")),
    ("isa", "a predicate's sense", once("(~f", "(f")),
    ("isa", "the exec mask", once("        mul (32|M0)", "(W)     mul (32|M0)")),
    ("isa", "a source modifier", once("<1;1,0>:f", "<1;1,0>:f -")),
    ("isa", "a message", once("store.slm.d32.a32", "store.slm.d64.a32")),
    ("isa", "the length of a payload", once(":2 ", ":1 ")),
    ("isa", "a field of the thread's header", once("r0.1<0;1,0>", "r0.6<0;1,0>")),
    ("visa", "an immediate", once("0x1fc:d", "0x0fc:d")),
    ("visa", "a region", once("<1;1,0>", "<0;1,0>")),
    ("visa", "a part of a variable", once("V0039(0,1)", "V0039(0,6)")),
    ("visa", "a declared type", once("type=f num_elts=32", "type=d num_elts=32")),
    ("llir", "a constant", once("i32 %", "i64 %")),
    ("llir", "the sub-group size", once("!{i32 32}", "!{i32 16}")),
    ("ttgir", "a layout", once("sizePerThread = [4]", "sizePerThread = [8]")),
    ("ttir", "a constant", once("end = 2048", "end = 1024")),
    ("ttir", "an attribute of an argument", once("tt.divisibility = 16", "tt.divisibility = 8")),
]

ELSEWHERE = ("a declared type", "the sub-group size")
"""What is shown at the statements that it is used in."""


@pytest.mark.parametrize(("stage", "what", "edit"), DONE, ids=[f"{stage} {what}" for stage, what, _ in DONE])
def test_what_the_code_does_is_a_change(corpus: Path, tmp_path: Path, stage: str, what: str, edit: Edit) -> None:
    text = text_of(corpus, "2.40/pvc/softmax_w4", stage)
    other = edit(text)
    found = compared(stage, text, other, tmp_path)
    [differing] = [i for i, (x, y) in enumerate(zip(text.split("\n"), other.split("\n"), strict=True)) if x != y]
    if what not in ELSEWHERE:
        assert [hunk.a_lines for hunk in found.hunks] == [(differing,)]
        assert [hunk.b_lines for hunk in found.hunks] == [(differing,)]
    assert not found.changes.same


def test_a_line_of_many_that_read_alike_is_found(corpus: Path, tmp_path: Path) -> None:
    """A `mov` more before nine like it: that one is the change, not the nine."""
    text = text_of(corpus, "2.40/pvc/add", "visa")
    line = next(line for line in text.split("\n") if " shl (M1, 32) " in line)
    found = compared("visa", text, text.replace(line, f"{line}\n{line.replace('V0', 'V9')}", 1), tmp_path)
    assert found.changes.counts == {"removed": 0, "added": 1, "moved": 0, "rerouted": 0}


def test_two_statements_that_changed_places_are_moves(corpus: Path, tmp_path: Path) -> None:
    text = text_of(corpus, "2.40/pvc/softmax_w4", "llir")
    lines = text.split("\n")
    at = next(i for i, line in enumerate(lines) if "@_Z12get_local_idj(i32 0)" in line and "= " in line)
    moved = [*lines[: at - 1], lines[at], lines[at - 1], *lines[at + 1 :]]
    found = compared("llir", text, "\n".join(moved), tmp_path)
    assert found.changes.counts == {"removed": 0, "added": 0, "moved": 1, "rerouted": 0}


@pytest.mark.parametrize("stage", ["isa", "visa", "visa_ll", "llir", "ttgir"])
def test_another_operand_is_a_change_at_that_line(corpus: Path, tmp_path: Path, stage: str) -> None:
    text = text_of(corpus, "2.40/pvc/softmax_w4", stage)
    patterns = {
        "isa": r"sel \(4\|M0\) +\(ge\)f0\.0 +r\d+\.0<1>:f +(?P<x>r\d+\.0)<1;1,0>:f +(?P<y>r\d+\.0)",
        "visa": r"(?m)^ +mul \(M1, 32\) V\d+\(0,0\)<1> (?P<x>V\d+)\(0,0\)<1;1,0> (?P<y>V\d+)",
        "visa_ll": r" = fadd float (?P<x>%\d+), (?P<y>%\d+)",
        "llir": r" = fsub float (?P<x>%\d+), (?P<y>%\d+)",
        "ttgir": r"arith.subf (?P<x>%\d+), (?P<y>%\d+)",
    }
    found = next(m for m in re.finditer(patterns[stage], text) if m["x"] != m["y"])
    swapped = f"{text[: found.start('x')]}{found['y']}{text[found.end('x') : found.start('y')]}{found['x']}"
    diff = compared(stage, text, swapped + text[found.end("y") :], tmp_path)
    line = text.count("\n", 0, found.start("x"))
    assert [hunk.a_lines for hunk in diff.hunks] == [(line,)]
    assert diff.changes.counts == {"removed": 0, "added": 0, "moved": 0, "rerouted": 1}


def test_a_branch_that_leads_elsewhere_is_a_change(corpus: Path, tmp_path: Path) -> None:
    text = text_of(corpus, "2.40/pvc/add", "isa")
    found = re.search(r"goto \(32\|M0\) +(?P<to>_0_\d+) ", text)
    labels = re.findall(r"(?m)^(_0_\d+):", text)
    other = labels[labels.index(found["to"]) + 3]
    edited = text[: found.start("to")] + other + text[found.end("to") :]
    diff = compared("isa", text, edited, tmp_path)
    assert diff.changes.counts == {"removed": 0, "added": 0, "moved": 0, "rerouted": 1}


def test_another_argument_is_a_change(corpus: Path, tmp_path: Path) -> None:
    """The pointers are parts of one register; the message that brings them is the same."""
    text = text_of(corpus, "2.40/pvc/add", "isa")
    found = re.search(r"(?m)^ +add \(16\|M0\) +r\d+\.0<1>:q +r\d+\.0<1;1,0>:q +r4\.(?P<part>0)<0;1,0>:q", text)
    assert found
    edited = f"{text[: found.start('part')]}1{text[found.end('part') :]}"
    diff = compared("isa", text, edited, tmp_path)
    assert diff.changes.counts == {"removed": 0, "added": 0, "moved": 0, "rerouted": 1}


def test_half_of_a_result_is_another_operand(corpus: Path, tmp_path: Path) -> None:
    """`(16|M16)` reads the second register of two that an instruction of 32 lanes wrote."""
    text = text_of(corpus, "2.40/pvc/add", "isa")
    line = next(line for line in text.split("\n") if "mov (16|M16)" in line and "r21.0<1;1,0>:ud" in line)
    diff = compared("isa", text, text.replace(line, line.replace("r21.0<1", "r20.0<1"), 1), tmp_path)
    assert diff.changes.counts == {"removed": 0, "added": 0, "moved": 0, "rerouted": 1}


@pytest.mark.parametrize("case", ["2.40/acm-g10/softmax_w4", "2.40/ptl/matmul_w16_large", "2.40/cri/spill"])
def test_registers_of_every_platform_are_names(corpus: Path, tmp_path: Path, case: str) -> None:
    text = text_of(corpus, case, "isa")
    other = renumbered(r"(?<![\w.])r(?P<n>[1-9]\d*)", 1)(text)
    assert other != text
    assert compared("isa", text, other, tmp_path).changes.same


def test_spill_slots_are_names_and_their_sizes_are_not(corpus: Path, tmp_path: Path) -> None:
    text = text_of(corpus, "2.40/pvc/spill", "isa")
    spill = next(line for line in text.split("\n") if "scratch block write x4" in line and line.startswith("(W)"))
    slot = spill.replace("0x020F2", "0x020F3").replace("offset[", "offset[9")
    assert compared("isa", text, text.replace(spill, slot), tmp_path).changes.same
    size = spill.replace("write x4", "write x2")
    assert not compared("isa", text, text.replace(spill, size), tmp_path).changes.same


def test_a_device_of_the_same_code_has_no_change(corpus: Path, tmp_path: Path) -> None:
    for stage in ("isa", "visa", "visa_ll", "ttgir"):
        a, b = (text_of(corpus, f"2.40/{device}/spill", stage) for device in ("bmg", "lnl"))
        assert compared(stage, a, b, tmp_path).changes.same, stage


def test_hunks_carry_the_lines_and_where_they_come_from(corpus: Path, tmp_path: Path) -> None:
    text = text_of(corpus, "2.40/pvc/add", "isa")
    found = compared("isa", text, text.replace(" 384:w", " 320:w"), tmp_path)
    [hunk] = found.hunks
    [a], [b] = hunk.a_lines, hunk.b_lines
    assert "384:w" in found.a.lines[a].text
    assert "320:w" in found.b.lines[b].text
    assert [(loc.file, loc.line) for loc in hunk.a_sources] == [("/src/kernels.py", 15)]
    assert hunk.b_sources == hunk.a_sources == found.changes.a_sources
    assert [row.change for row in hunk.rows] == ["equal"] * 3 + ["removed", "added"] + ["equal"] * 3


def test_every_instruction_is_compared(corpus: Path, tmp_path: Path) -> None:
    """But for the module's hash, which IGC 2 writes after the end as four movs."""
    from xpuasm_magic.compare.statements import statements

    for path in corpus.glob("*/*/*/dump/*.asm"):
        made = listing("isa", path.read_text(encoding="utf-8"), tmp_path)
        count = sum(line.instruction is not None for line in made.lines)
        assert count - len(statements(made)) in (0, 4), path


@pytest.mark.parametrize("stage", list(STAGES))
def test_cut_and_hostile_text_is_compared(corpus: Path, tmp_path: Path, stage: str) -> None:
    case = "1.0.17791/pvc/add" if stage == "spirv" else "2.40/pvc/add"
    text = text_of(corpus, case, stage)
    for cut in (0, 1, 700, len(text) // 2, len(text) - 9):
        compared(stage, text, text[:cut], tmp_path)
    compared(stage, text, "% = ) ( { %% # #1 \x00 \x1b[2J\n\n\n(((\n{{{{:::", tmp_path)
    assert not compared(stage, text, "", tmp_path).changes.same


@pytest.mark.parametrize("stage", list(STAGES))
@pytest.mark.parametrize("piece", [" ", "a", "(", '"', "r1.0 ", "// spill ", "{", "%a#1 ", "loc(", ";", "/ ", "!a !1"])
def test_long_lines_are_read_in_time(stage: str, piece: str) -> None:
    text = f"  mov (16|M0) {piece * (100_000 // len(piece))}!"
    number = f"  mov (16|M0) r{'9' * 5000}.0<1>:f %1#{'9' * 5000} r1:{'9' * 5000}"
    a, b = Listing(stage, (Line(text), Line(number))), Listing(stage, (Line(number), Line(text), Line("")))
    start = time.perf_counter()
    diff_listings(a, b)
    assert time.perf_counter() - start < 5
