"""A kernel's story: what it says is counted in the listing, what is not known says why, and nothing in it acts."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from capture_builder import CaptureBuilder
from corpus_kernels import corpus_kernel, corpus_kernels
from hostile import SEEN, hostile_capture

from xpuasm_magic import read_capture
from xpuasm_magic.analysis.table import build_table
from xpuasm_magic.cli import main
from xpuasm_magic.errors import ParseError
from xpuasm_magic.model import Capture, Kernel, StageFile
from xpuasm_magic.view.explanation import explain
from xpuasm_magic.view.story import line_words

SPILLS, SPILLS_IN_A_LOOP, MATMUL = "2.40/bmg/spill_large", "2.40/pvc/spill", "2.40/pvc/matmul_bp_w16_default"
RULE = {"threshold_bytes": 1000, "flag": "-cl-intel-256-GRF-per-thread", "source": "triton-xpu 3.3.0b1, driver.c"}


def section(kernel: Kernel, title: str) -> list[str]:
    [found] = [one for one in explain(kernel).sections if one.title == title]
    return list(found.sentences)


def table(kernel: Kernel, title: str) -> dict[str, tuple[str, ...]]:
    [found] = [one for one in explain(kernel).sections if one.title == title]
    assert found.table is not None
    return {name: cells for name, *cells in found.table.rows}


@pytest.fixture
def captured(tmp_path: Path, corpus: Path) -> CaptureBuilder:
    return CaptureBuilder(tmp_path / "capture", corpus)


@pytest.mark.parametrize("case", [SPILLS, SPILLS_IN_A_LOOP, MATMUL, "2.40/acm-g10/softmax_w4", "2.40/ptl/add"])
def test_the_numbers_of_the_story_are_counted_in_the_listing(corpus: Path, case: str) -> None:
    kernel = corpus_kernel(corpus, case)
    lines = kernel.listing("isa").lines
    marked = [line for line in lines if line.instruction and re.search(r"(spill|fill)\b.*\[\d+[x*]\d+\]", line.text)]
    instructions = table(kernel, "Instructions")
    assert sum(int(cells[0].replace(",", "")) for cells in instructions.values()) == kernel.header.inst_count
    assert instructions.get("scratch", ("0",))[0] == str(len(marked))
    opcodes = [line.instruction.opcode for line in lines if line.instruction]
    assert instructions.get("dpas", ("0",))[0] == str(sum(opcode.startswith("dpas") for opcode in opcodes))
    messages = table(kernel, "Messages")
    assert (
        sum(int(cells[0].replace(",", "")) for cells in messages.values())
        == build_table(Capture(Path(), (kernel,)))["sends"].item()
    )


def test_the_story_has_every_section_and_the_spills_by_line(corpus: Path) -> None:
    kernel = corpus_kernel(corpus, SPILLS)
    assert [one.title for one in explain(kernel).sections] == [
        "", "Spills", "Register pressure", "Instructions", "Messages", "Waits", "Occupancy", "Notes",
    ]  # fmt: skip
    assert section(kernel, "Spills")[:2] == [
        "3,584 bytes per hardware thread, 28 dwords per work-item: 15 spills and 32 fills in the code",
        "kernels.py:98 costs 4 of 15 spills and 6 of 32 fills",
    ]


def test_only_the_costliest_lines_are_listed_and_the_rest_is_counted(corpus: Path) -> None:
    kernel = corpus_kernel(corpus, SPILLS)
    told = [one for one in section(kernel, "Spills") if " costs " in one or one.startswith("the rest")]
    sources = explain(kernel).record["spills"]["by_source"]
    assert len(told) == min(len(sources), 11)
    if len(sources) > 10:
        assert told[-1].startswith(f"the rest is for {len(sources) - 10} more source line")


def test_a_note_names_its_lines_in_the_listing_and_in_the_source(corpus: Path) -> None:
    kernel = corpus_kernel(corpus, SPILLS_IN_A_LOOP)
    [note] = [one for one in explain(kernel).record["notes"] if one["id"] == "spill-in-loop"]
    lines = kernel.listing("isa").lines
    assert all(re.search("spill|fill", lines[number - 1].text) for number in note["lines"])
    [told] = [one for one in section(kernel, "Notes") if one.startswith("warning, spill-in-loop: ")]
    assert f"(line{'s' if len(note['lines']) > 1 else ''} {note['lines'][0]}" in told
    assert note["sources"][0]["place"] in told


@pytest.mark.parametrize(
    ("flags", "applies"),
    [("", "it acts on this kernel"), ("-cl-intel-128-GRF-per-thread", "it leaves this kernel alone")],
)
def test_the_loaders_rule_is_told_with_its_version(captured: CaptureBuilder, flags: str, applies: str) -> None:
    """`--grf` sets flags that the kernel itself has not: those of the build count."""
    key = captured.variant(SPILLS_IN_A_LOOP)
    captured.build(key, SPILLS_IN_A_LOOP, flags=flags)
    captured.decision(key, "pvc-default")
    captured.write_record(loader_rule=RULE)
    [kernel] = read_capture(captured.folder)
    [rule] = [one for one in section(kernel, "Spills") if one.startswith("Triton's loader")]
    assert rule == (
        "Triton's loader: more than 1,000 bytes of spill and no GRF flag: built again with "
        f"-cl-intel-256-GRF-per-thread (triton-xpu 3.3.0b1, driver.c); {applies}"
    )


def test_a_rule_that_the_capture_lacks_is_not_made_up(captured: CaptureBuilder) -> None:
    captured.kernel(SPILLS_IN_A_LOOP)
    captured.write_record(loader_rule={"threshold_bytes": "many"})
    [kernel] = read_capture(captured.folder)
    assert section(kernel, "Spills")[-1] == (
        "what Triton's loader does with a kernel that spills is not known: the capture has no rule of it"
    )


def damaged(path: Path) -> Any:
    raise ParseError("line 7 is cut")


@pytest.mark.parametrize(
    ("stages", "why"),
    [
        ({}, "there is no listing of its machine code"),
        ({"isa": StageFile("isa", Path("x"), damaged)}, "the listing cannot be read: line 7 is cut"),
    ],
)
def test_what_is_not_known_says_why(corpus: Path, stages: dict[str, StageFile], why: str) -> None:
    kernel = replace(corpus_kernel(corpus, SPILLS), stages=stages, status="failed", error="out of\nmemory")
    for title in ("Register pressure", "Instructions", "Messages", "Waits", "Notes"):
        assert section(kernel, title) == [f"not known: {why}"]
    assert "  failed: out of\n    memory\n" in explain(kernel).text
    record = explain(kernel).record
    assert record["mix"] == record["pressure"] == {"reason": why}
    assert record["spills"]["bytes_per_thread"] == 3584


def test_occupancy_says_what_limits_it_or_why_it_is_not_known(corpus: Path) -> None:
    assert section(corpus_kernel(corpus, MATMUL), "Occupancy")[:2] == [
        "100% of a Xe core's hardware threads at most, with enough work-groups launched",
        "4 work-groups of 16 hardware threads fit in the 64 of a Xe core: threads run out first",
    ]
    nowhere = replace(corpus_kernel(corpus, MATMUL), device="nowhere")
    assert section(nowhere, "Occupancy") == ["not known: no row for device nowhere"]


def test_every_listing_of_the_corpus_has_a_story_that_json_can_hold(corpus: Path) -> None:
    for case, kernel in list(corpus_kernels(corpus).items())[::6]:
        story = explain(kernel)
        assert story.text.startswith(kernel.name), case
        assert json.loads(json.dumps(story.record, allow_nan=False))["name"] == kernel.name


@pytest.mark.parametrize(
    ("lines", "words"),
    [([4], "line 5"), ([1, 0, 2], "lines 1-3"), (range(0, 20, 2), "lines 1, 3, 5, 7, 9, 11, 13, 15 and 2 more")],
)
def test_lines_are_counted_as_people_count_them(lines: Any, words: str) -> None:
    assert line_words(lines) == words


def test_hostile_text_is_shown_and_not_obeyed(tmp_path: Path) -> None:
    capture = hostile_capture(tmp_path)
    for kernel in capture:
        story = explain(kernel, capture)
        for text in (story.text, story.to_text(width=80)):
            assert SEEN in text
            assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028\u202a-\u202e\u2066-\u2069\ufeff]", text)
        assert set(re.findall("\x1b[^m]*m", story.to_text(color=True))) == {"\x1b[1m", "\x1b[0m"}
        json.dumps(story.record)
        page = _Tags()
        page.feed(story._repr_html_())
        assert page.tags <= {"style", "div", "p", "strong", "ul", "li", "table", "thead", "tbody", "tr", "th", "td"}
        assert page.attributes == {("class", "xpuasm-story")}


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str | None]] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(attrs)


def test_a_name_with_a_line_break_begins_no_line(corpus: Path) -> None:
    kernel = replace(corpus_kernel(corpus, "2.40/pvc/add"), name="a\nSpills\n  none")
    assert explain(kernel).text.startswith("a Spills   none")


def test_sentences_fit_the_terminal(corpus: Path) -> None:
    story = corpus_kernel(corpus, SPILLS_IN_A_LOOP).explain()
    sentences = [line for line in story.to_text(width=80).splitlines() if line.startswith("  ")]
    assert max(map(len, sentences)) <= 80
    assert " ".join(story.text.split()) == " ".join(story.to_text(width=80).split())


def test_a_notebook_shows_the_story(corpus: Path) -> None:
    story = corpus_kernel(corpus, MATMUL).explain()
    assert repr(story).startswith("<Explanation of matmul_bp_kernel ")
    assert "<td>dpas</td>" in story._repr_html_()


@pytest.fixture
def folder(captured: CaptureBuilder) -> Path:
    for case in ("2.40/pvc/add", MATMUL, SPILLS_IN_A_LOOP):
        captured.kernel(case)
    return captured.folder


def test_the_command_tells_all_kernels_or_those_that_are_named(folder: Path, capsys: Any) -> None:
    key = read_capture(folder)["add_kernel"].key
    for words, names in (
        ((), ["add_kernel", "matmul_bp_kernel", "spill_kernel"]),
        (("spill_kernel", "add_*"), ["add_kernel", "spill_kernel"]),
        ((key[:8],), ["add_kernel"]),
    ):
        assert main(["explain", str(folder), *words]) == 0
        out = capsys.readouterr().out
        assert [line.split()[0] for line in out.splitlines() if re.match(r"\w+_kernel", line)] == names
        assert main(["explain", str(folder), *words, "--format", "json"]) == 0
        assert [one["name"] for one in json.loads(capsys.readouterr().out)] == names


def test_a_slip_is_answered_with_what_there_is(folder: Path, tmp_path: Path, corpus: Path, capsys: Any) -> None:
    assert main(["explain", str(folder), "ad_kernel"]) == 2
    assert "no kernel 'ad_kernel' in this capture; kernels: add_kernel" in capsys.readouterr().err
    empty = CaptureBuilder(tmp_path / "empty", corpus)
    assert main(["explain", str(empty.folder)]) == 2
    assert "no kernel: " in capsys.readouterr().err
