"""Lines of all stages link both ways: by source line, and by `$N` where there is no source line."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from capture_builder import RUN_PATH, CaptureBuilder

from xpuasm_magic.analysis.links import Links, coverage, link, linked_lines, tie
from xpuasm_magic.analysis.places import origin_text, place
from xpuasm_magic.catalog import read_capture
from xpuasm_magic.errors import ParseError
from xpuasm_magic.formats.debug_lines import parse_debug_lines
from xpuasm_magic.formats.gen_isa import linked_share, parse_listing
from xpuasm_magic.model import Capture, CaptureInfo, Kernel, Line, Origin, SourceLoc

KERNELS = "/src/kernels.py"
CASE = "2.40/pvc/softmax_w4"
CHAIN = {"ttir", "ttgir", "llir", "spirv", "visa_ll", "visa", "isa"}


def softmax(folder: Path) -> Kernel:
    return read_capture(folder)["softmax_kernel"]


@pytest.fixture(scope="module")
def links(corpus: Path) -> Links:
    return link(softmax(corpus / CASE))


def index(links: Links, stage: str, text: str) -> int:
    return next(i for i, line in enumerate(links.stages[stage]) if text in line.text)


def texts(links: Links, linked: dict[str, list[int]], stage: str) -> list[str]:
    return [links.stages[stage][line].text for line in linked.get(stage, [])]


def test_an_instruction_links_to_every_other_stage(links: Links) -> None:
    store = index(links, "isa", "store.ugm")
    linked = links.linked_lines("isa", store)
    assert set(linked) == CHAIN - {"isa"}
    assert "tt.store" in "".join(texts(links, linked, "ttir"))
    assert all("store" in text for text in texts(links, linked, "visa"))


def test_links_go_both_ways(links: Links) -> None:
    for stage in ("isa", "visa", "visa_ll", "ttgir", "llir", "spirv"):
        for line in range(0, len(links.stages[stage]), 7):
            for other, lines in links.linked_lines(stage, line).items():
                for back in lines:
                    assert line in links.linked_lines(other, back)[stage], (stage, line, other, back)


def test_the_number_decides_between_isa_visa_and_llvm(links: Links) -> None:
    at = next(i for i, line in enumerate(links.stages["isa"]) if line.ids == (97,))
    linked = links.linked_lines("isa", at)
    assert [links.stages["visa"][i].ids for i in linked["visa"]] == [(97,)]
    assert "@llvm.maxnum.f32" in "".join(texts(links, linked, "visa_ll"))


def test_an_inlined_instruction_belongs_to_the_line_that_called(links: Links) -> None:
    at = next(i for i, line in enumerate(links.stages["isa"]) if line.ids == (97,))
    files = [(Path(loc.file).name, loc.line) for loc in links.source_lines("isa", at)]
    assert files == [("standard.py", 163), ("standard.py", 184), ("kernels.py", 26)]
    # the sum's reduction is of line 28: the maximum's lines are not among its own
    addition = next(i for i, line in enumerate(links.stages["ttir"]) if "arith.addf" in line.text)
    assert {loc.line for loc in links.source_lines("ttir", addition)} == {256, 286, 28}
    assert at not in links.linked_lines("ttir", addition)["isa"]


def test_without_line_comments_isa_visa_and_llvm_link_by_number(corpus: Path, tmp_path: Path) -> None:
    shutil.copytree(corpus / CASE, tmp_path / "case")
    for listing in (tmp_path / "case").glob("dump/*.asm"):
        text = listing.read_text(encoding="utf-8")
        broken = re.sub(r"^// (Line|File)", "// Broken", text, flags=re.MULTILINE)
        assert broken != text
        listing.write_text(broken, encoding="utf-8")
        listing.with_suffix(".elf").unlink()
    whole, broken_links = link(softmax(corpus / CASE)), link(softmax(tmp_path / "case"))
    numbered = [i for i, line in enumerate(whole.stages["isa"]) if line.ids]
    assert len(numbered) > 500
    for line in numbered:
        linked = broken_links.linked_lines("isa", line)
        assert linked["visa"], line
        assert linked.get("visa_ll") == whole.linked_lines("isa", line).get("visa_ll")
    assert sum("visa_ll" in broken_links.linked_lines("isa", line) for line in numbered) > 0.98 * len(numbered)
    # and through vISA's LOC they still have their line of Python, and so the rest of the chain
    assert sum(broken_links.stages["isa"][line].loc is not None for line in numbered) > 0.98 * len(numbered)
    assert "ttir" in broken_links.linked_lines("isa", index(broken_links, "isa", "store.ugm"))


def test_without_comments_and_numbers_the_debug_information_links(corpus: Path, tmp_path: Path) -> None:
    shutil.copytree(corpus / CASE, tmp_path / "case")
    [listing] = (tmp_path / "case").glob("dump/*.asm")
    text = re.sub(r"^// (Line|File)", "// Broken", listing.read_text(encoding="utf-8"), flags=re.MULTILINE)
    listing.write_text(re.sub(r"\$\d+[ \t]*$", "", text, flags=re.MULTILINE), encoding="utf-8")
    instructions = [line for line in softmax(tmp_path / "case").listing("isa").lines if line.instruction]
    placed = [line for line in instructions if line.loc]
    assert len(placed) > 0.9 * len(instructions)
    assert {caller.line for line in placed for caller in line.callers} == {26, 28}
    assert instructions[0].loc is None  # the prolog


def test_a_disassembled_binary_has_lines_by_its_debug_information(corpus: Path, tmp_path: Path) -> None:
    shutil.copytree(corpus / CASE, tmp_path / "case")
    for suffix in (".asm", ".dat"):
        next((tmp_path / "case").glob(f"dump/*{suffix}")).unlink()
    kernel = softmax(tmp_path / "case")
    lines = [line.loc.line for line in kernel.listing("isa").lines if line.loc]
    assert {23, 25, 29} <= set(lines)
    assert coverage(kernel) is None  # a summary runs no disassembler


def test_the_prolog_links_to_nothing(links: Links) -> None:
    isa = links.stages["isa"]
    main = next(i for i, line in enumerate(isa) if "_main:" in line.text)
    prolog = [i for i, line in enumerate(isa[:main]) if line.instruction]
    assert prolog
    assert all(links.linked_lines("isa", line) == {} for line in prolog)


def test_lines_of_python_link_to_all_that_they_became(corpus: Path, tmp_path: Path) -> None:
    made = CaptureBuilder(tmp_path, corpus)
    source = "\n" * 25 + "    x = x - tl.max(x, axis=0)\n"
    (tmp_path / "kernels.py").write_text(source, encoding="utf-8")
    made.kernel(CASE, fn_file=f"{RUN_PATH}/kernels.py")
    kernel = read_capture(tmp_path)["softmax_kernel"]
    assert kernel.listing("python").lines[25].loc == SourceLoc(f"{RUN_PATH}/kernels.py", 26)
    # the case was compiled from another folder
    stages = {name: kernel.listing(name).lines for name in kernel.stages if name != "python"}
    python = tuple(replace(line, loc=SourceLoc(KERNELS, n)) for n, line in enumerate(kernel.listing("python").lines, 1))
    links = tie({"python": python, **stages})
    linked = links.linked_lines("python", 25)
    assert set(linked) == CHAIN
    assert any('"tt.reduce"' in text for text in texts(links, linked, "ttgir"))
    for stage, lines in linked.items():
        assert all(25 in links.linked_lines(stage, line)["python"] for line in lines if links.stages[stage][line].loc)


def test_one_line_of_a_kernel(corpus: Path, links: Links) -> None:
    store = index(links, "isa", "store.ugm")
    assert linked_lines(softmax(corpus / CASE), "isa", store) == links.linked_lines("isa", store)


def test_an_unreadable_stage_costs_only_its_links(corpus: Path, tmp_path: Path) -> None:
    shutil.copytree(corpus / CASE, tmp_path / "case")
    kernel = softmax(tmp_path / "case")
    kernel.path("ttir").unlink()
    assert set(link(kernel).stages) == CHAIN - {"ttir"}


def test_a_line_that_came_in_two_ways_has_no_call_site_without_more() -> None:
    inner = SourceLoc("/s.py", 5)
    ways = tuple(Line("op", loc=inner, callers=(SourceLoc("/k.py", line),)) for line in (1, 2))
    links = tie({"ttir": ways, "isa": (Line("x", loc=inner), Line("y", loc=inner, callers=(SourceLoc("/k.py", 2),)))})
    assert links.linked_lines("isa", 0) == {"ttir": [0, 1]}
    assert links.linked_lines("isa", 1) == {"ttir": [1]}


def test_coverage_is_the_share_of_linked_instructions(corpus: Path) -> None:
    listings = [*corpus.glob("*/*/*/dump/*.asm")]
    assert len(listings) > 60
    for path in listings:
        data = path.read_bytes()
        instructions = [line for line in parse_listing(data.decode()) if line.instruction]
        linked = sum(1 for line in instructions if line.loc or line.ids)
        assert linked_share(data) == pytest.approx(linked / len(instructions)), path
    assert coverage(softmax(corpus / CASE)) == pytest.approx(0.968, abs=0.001)
    assert linked_share(b"") is None


def test_damaged_debug_information_is_an_error_and_no_listings(corpus: Path, tmp_path: Path) -> None:
    shutil.copytree(corpus / CASE, tmp_path / "case")
    [elf] = (tmp_path / "case").glob("dump/*.elf")
    data = elf.read_bytes()
    for cut in range(0, len(data), 97):
        try:
            parse_debug_lines(data[:cut])
        except ParseError:
            continue
    elf.write_bytes(data[: len(data) // 2])
    assert any(line.loc for line in softmax(tmp_path / "case").listing("isa").lines)


def cell_capture() -> Capture:
    segments = [
        {"line": 1, "count": 2, "label": "In[3]", "start": 1},
        {"line": 3, "count": 5, "label": "In[5]", "start": 2},
    ]
    info = CaptureInfo(
        source={"kind": "cell", "label": "In[5]", "path": "cell.py", "segments": segments}, raw={"run_path": "/live/0"}
    )
    return Capture(Path("/moved"), (), info=info)


@pytest.mark.parametrize(
    ("loc", "expected"),
    [
        (SourceLoc("/live/0/cell.py", 2), "In[3]:2"),
        (SourceLoc("/live/0/cell.py", 3), "In[5]:2"),
        (SourceLoc("/moved/cell.py", 4), "In[5]:3"),
        (SourceLoc("/live/0/cell.py", 99), "In[5]:99"),
        (SourceLoc("/home/me/model.py", 31), "model.py:31"),
        (SourceLoc("/elsewhere/cell.py", 1), "cell.py:1"),
    ],
)
def test_a_line_of_a_cell_is_named_as_the_notebook_names_it(loc: SourceLoc, expected: str) -> None:
    assert place(cell_capture(), loc) == expected


def test_a_fusion_says_what_it_is_in_a_sentence(corpus: Path) -> None:
    kernel = softmax(corpus / CASE)
    assert origin_text(cell_capture(), kernel) is None
    origin = Origin(("aten.gelu", "aten.mul", "aten.add"), (SourceLoc("/live/0/cell.py", 6),))
    assert origin_text(cell_capture(), replace(kernel, origin=origin)) == "gelu, mul, add from In[5]:5"
