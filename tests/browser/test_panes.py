"""Reading a kernel in the report page: panes side by side, linked lines, search, jumps, registers, addresses."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page

from xpuasm_magic.formats.gen_isa import parse_listing
from xpuasm_magic.model import Capture, Listing, StageFile
from xpuasm_magic.view.html import report_html

from .conftest import CONTRAST, OpenPage


def _open(page: Page, report: Path, kernel: str = "softmax", panes: int = 2) -> Page:
    page.goto(report.as_uri())
    page.click(f"tr.xa-kernel:has(th[title*='{kernel}'])")
    page.click(f".xa-layout button:nth-child({panes})")
    page.wait_for_selector(".xa-row .nf, .xa-row .k")
    return page


def _pane(page: Page, index: int, stage: str) -> Locator:
    pane = page.locator(".xa-stage").nth(index)
    pane.locator(".xa-stage-choice").select_option(stage)
    title = pane.locator(".xa-stage-choice option:checked").inner_text()
    pane.locator(f".xa-code[aria-label^='{title} of ']").wait_for()
    return pane


def _instruction(pane: Locator, opcode: str) -> Locator:
    return pane.locator(".xa-row", has_text=re.compile(rf"\b{opcode} \(")).first


def _numbered(pane: Locator) -> Locator:
    """The first line in view that carries its vISA number: `… // $12`."""
    return pane.locator(".xa-row", has_text=re.compile(r"//.*\$\d+")).first


def _marked(page: Page, name: str) -> list[str]:
    marked: list[str] = page.evaluate("name => [...CSS.highlights.get(name)].map(String)", f"xa-{name}")
    return marked


def test_a_chosen_line_lights_up_in_the_other_pane_and_comes_into_view(open_page: OpenPage, report: Path) -> None:
    page = _open(open_page(), report)
    isa, visa = _pane(page, 0, "isa"), _pane(page, 1, "visa")
    visa.locator(".xa-code").evaluate("code => { code.scrollTop = code.scrollHeight }")
    _numbered(isa).click(position={"x": 20, "y": 9})
    lit = visa.locator(".xa-row.xa-lit")
    lit.first.wait_for()
    number = re.findall(r"\$\d+", _numbered(isa).inner_text())[-1]
    assert any(text.rstrip().endswith(f"/// {number}") for text in lit.all_inner_texts())
    assert page.locator(".xa-where >> text=/linked line/").count() == 1

    # The other way, by keys alone.
    before = isa.locator(".xa-row.xa-lit").first.inner_text()
    visa.locator(".xa-code").focus()
    for _ in range(6):
        page.keyboard.press("ArrowDown")
    assert visa.locator(".xa-row.xa-current").count() == 1
    assert isa.locator(".xa-row.xa-lit").all_inner_texts() != [before]


def test_a_line_under_the_pointer_lights_up_elsewhere_without_scrolling(open_page: OpenPage, report: Path) -> None:
    page = _open(open_page(), report)
    isa, visa = _pane(page, 0, "isa"), _pane(page, 1, "visa")
    _numbered(isa).click(position={"x": 20, "y": 9})
    visa.locator(".xa-row.xa-lit").first.wait_for()
    top = visa.locator(".xa-code").evaluate("code => code.scrollTop")
    _numbered(isa).hover(position={"x": 30, "y": 9})
    visa.locator(".xa-row.xa-hovered").first.wait_for()
    assert visa.locator(".xa-code").evaluate("code => code.scrollTop") == top


def test_search_counts_marks_and_walks_the_whole_listing(open_page: OpenPage, report: Path) -> None:
    page = _open(open_page(), report, "spill", panes=1)
    page.focus(".xa-code")
    page.keyboard.press("/")
    page.keyboard.type("SEND")
    page.wait_for_selector(".xa-said >> text=/lines?$/")
    page.keyboard.press("Enter")
    first = page.inner_text(".xa-row.xa-current")
    assert "send" in first.lower()
    assert page.locator(".xa-strip-hit").count() > 0
    assert {text.lower() for text in _marked(page, "find")} == {"send"}
    page.keyboard.press("n")
    assert page.inner_text(".xa-row.xa-current") != first
    page.keyboard.press("Shift+N")
    assert page.inner_text(".xa-row.xa-current") == first


def test_one_opcode_stands_out_and_the_others_are_dimmed(open_page: OpenPage, report: Path) -> None:
    page = _open(open_page(), report, panes=1)
    page.select_option(".xa-opcodes", "mov")
    page.wait_for_selector(".xa-row.xa-dimmed")
    bright = page.locator(".xa-row:not(.xa-dimmed)").all_inner_texts()
    assert bright
    assert all("mov" in text for text in bright)
    assert page.evaluate(CONTRAST) == []


def test_writes_and_reads_of_a_register_are_marked_apart(open_page: OpenPage, report: Path) -> None:
    page = _open(open_page(), report, panes=1)
    page.locator(".xa-row span:text-matches('^r127')").first.click()
    page.wait_for_selector(".xa-bar >> text=r127: writes and reads are marked")
    assert all(text.startswith("r12") for text in _marked(page, "write") + _marked(page, "read"))
    assert _marked(page, "write")
    assert _marked(page, "read")


def test_help_of_an_instruction_is_shown_by_pointer_and_by_key(open_page: OpenPage, report: Path) -> None:
    page = _open(open_page(), report, panes=1)
    page.locator(".xa-row .k:text-is('mov'), .xa-row .nf:text-is('mov')").first.hover()
    page.wait_for_selector(".xa-help strong")
    page.mouse.move(5, 5)
    page.wait_for_selector(".xa-help", state="hidden")
    _instruction(page.locator(".xa-stage"), "mov").click(position={"x": 20, "y": 9})
    page.keyboard.press("h")
    page.wait_for_selector(".xa-help strong >> text=/mov/i")


def test_the_address_leads_back_to_kernel_stage_and_line(open_page: OpenPage, report: Path) -> None:
    page = _open(open_page(), report, panes=1)
    _instruction(page.locator(".xa-stage"), "mov").click(position={"x": 20, "y": 9})
    page.wait_for_function("location.hash.includes('line=')")
    line, address = page.inner_text(".xa-row.xa-current"), page.url
    other = open_page()
    other.goto(address)
    other.wait_for_selector(".xa-row.xa-current")
    assert other.inner_text(".xa-row.xa-current") == line
    assert "softmax" in other.inner_text(".xa-title")


def test_the_split_moves_by_keys_and_panes_are_remembered(open_page: OpenPage, report: Path) -> None:
    page = _open(open_page(), report)
    _pane(page, 1, "visa")
    width = page.locator(".xa-stage").first.evaluate("pane => pane.offsetWidth")
    page.focus(".xa-divider")
    page.keyboard.press("ArrowRight")
    assert page.locator(".xa-stage").first.evaluate("pane => pane.offsetWidth") > width
    page.reload()
    page.wait_for_selector(".xa-row .nf, .xa-row .k")
    assert page.locator(".xa-stage-choice").nth(1).input_value() == "visa"


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_three_panes_fit_and_are_readable(open_page: OpenPage, report: Path, tmp_path: Path, dark: bool) -> None:
    page = _open(open_page(dark=dark), report, panes=3)
    isa = _pane(page, 0, "isa")
    _instruction(isa, "mov").click(position={"x": 20, "y": 9})
    page.wait_for_selector(".xa-row.xa-lit")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert page.evaluate(CONTRAST) == []
    page.screenshot(path=str(tmp_path / "three.png"))


def _text(page: Page) -> str:
    copied: str = page.evaluate("navigator.clipboard.readText()")
    return copied


def _listing_text(capture: Capture, kernel: str, stage: str = "isa") -> str:
    return "\n".join(line.text for line in capture[kernel].listing(stage).lines)


def _fold_row(page: Page, label: str) -> Locator:
    return page.locator(".xa-row", has_text=re.compile(rf"^{re.escape(label)}")).first


def test_a_block_folds_to_its_label_and_what_is_in_it(open_page: OpenPage, report: Path, capture: Capture) -> None:
    page = _open(open_page(), report, "spill", panes=1)
    mark = page.locator(".xa-fold-mark[aria-label='Fold per_thread_prolog']")
    mark.click()
    row = _fold_row(page, "per_thread_prolog:")
    assert re.search(r"⋯ \d+ instructions?: \d+ \w+", row.inner_text())
    assert row.locator(".xa-fold-mark").get_attribute("aria-expanded") == "false"
    after = int(page.locator(".xa-row").nth(1 + _index_of(page, row)).get_attribute("data-index") or 0)
    assert after > int(row.get_attribute("data-index") or 0) + 1
    row.locator(".xa-fold-mark").click()
    assert "⋯" not in _fold_row(page, "per_thread_prolog:").inner_text()
    page.focus(".xa-code")
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+c")
    assert _text(page) == _listing_text(capture, "spill_kernel")


def _index_of(page: Page, row: Locator) -> int:
    index: int = row.evaluate("row => [...row.parentNode.children].indexOf(row)")
    return index


def test_blocks_fold_and_unfold_by_keys_one_and_all(open_page: OpenPage, report: Path) -> None:
    page = _open(open_page(), report, panes=1)
    page.wait_for_selector(".xa-fold-mark")
    total = page.locator(".xa-sizer").evaluate("sizer => sizer.offsetHeight")
    _instruction(page.locator(".xa-stage"), "mov").click(position={"x": 20, "y": 9})
    page.keyboard.press("ArrowLeft")
    assert "⋯" in page.inner_text(".xa-row.xa-current")
    assert page.locator(".xa-sizer").evaluate("sizer => sizer.offsetHeight") < total
    page.keyboard.press("ArrowRight")
    assert page.locator(".xa-sizer").evaluate("sizer => sizer.offsetHeight") == total
    page.keyboard.press("Shift+Z")
    page.wait_for_selector(".xa-fold-all >> text=Unfold")
    rows = page.locator(".xa-row", has_text="⋯").all_inner_texts()
    assert any(text.startswith("//.kernel") for text in rows)
    assert len(rows) > 2
    page.keyboard.press("ArrowDown")
    page.keyboard.press("z")
    page.click(".xa-fold-all")
    page.click(".xa-fold-all")
    assert page.locator(".xa-sizer").evaluate("sizer => sizer.offsetHeight") == total
    assert page.evaluate(CONTRAST) == []


@pytest.mark.parametrize(
    ("stage", "head", "says"),
    [
        ("llir", "define ", r"\d+ instructions: .*\d+ \w+"),
        ("visa_ll", "define ", r"\d+ instructions: .*\d+ \w+"),
        ("ttgir", "module attributes", r"\d+ operations: .*\d+ (tt|arith)\.\w+"),
        ("visa", "_main_0:", r"\d+ instructions: .*\d+ \w+"),
    ],
)
def test_functions_and_regions_of_other_stages_fold(
    open_page: OpenPage, report: Path, stage: str, head: str, says: str
) -> None:
    page = _open(open_page(), report, panes=2)
    pane = _pane(page, 0, stage)
    pane.locator(".xa-fold-all").click()
    row = pane.locator(".xa-row", has_text=head).first
    row.wait_for()
    assert re.search(rf"⋯ {says}", row.inner_text())


def test_search_opcodes_and_linked_lines_unfold_what_they_lead_to(open_page: OpenPage, report: Path) -> None:
    page = _open(open_page(), report)
    isa, visa = _pane(page, 0, "isa"), _pane(page, 1, "visa")
    for pane in (isa, visa):
        pane.locator(".xa-fold-all").click()
    isa.locator(".xa-find").fill("send")
    isa.locator(".xa-strip-hit").first.wait_for()
    isa.locator(".xa-code").focus()
    page.keyboard.press("n")
    current = isa.locator(".xa-row.xa-current").inner_text()
    assert "send" in current
    assert "⋯" not in current
    isa.locator(".xa-fold-all").click()
    page.wait_for_selector(".xa-fold-all >> text=Unfold")
    isa.locator(".xa-opcodes").select_option("mov")
    first = isa.locator(".xa-row:not(.xa-dimmed)", has_text=re.compile(r"\bmov \(")).first
    first.wait_for()
    isa.locator(".xa-opcodes").select_option("")
    isa.locator(".xa-fold-all").click()
    isa.locator(".xa-fold-all").click()
    isa.locator(".xa-find").fill("; $1")
    isa.locator(".xa-find").press("Enter")
    _numbered(isa).click(position={"x": 60, "y": 9})
    visa.locator(".xa-row.xa-lit").first.wait_for()
    number = re.findall(r"\$\d+", _numbered(isa).inner_text())[-1]
    assert any(text.rstrip().endswith(f"/// {number}") for text in visa.locator(".xa-row.xa-lit").all_inner_texts())


def test_a_branch_leads_to_its_label_and_back_also_into_a_folded_block(open_page: OpenPage, report: Path) -> None:
    page = _open(open_page(), report, "matmul", panes=1)
    page.wait_for_selector(".xa-fold-mark")
    page.fill(".xa-find", "jmpi")
    page.press(".xa-find", "Enter")
    branch = page.inner_text(".xa-row.xa-current")
    label = re.search(r"jmpi\s+(\w+)", branch)
    assert label
    page.keyboard.press("Enter")
    assert page.inner_text(".xa-row.xa-current").startswith(f"{label[1]}:")
    page.keyboard.press("Backspace")
    assert page.inner_text(".xa-row.xa-current") == branch
    page.keyboard.press("Shift+Z")
    page.fill(".xa-find", "jmpi")
    page.press(".xa-find", "Enter")
    page.locator(".xa-row.xa-current").dblclick(position={"x": 180, "y": 9})
    target = page.inner_text(".xa-row.xa-current")
    assert re.match(r"\w+:", target)
    page.keyboard.press("Backspace")
    assert "jmpi" in page.inner_text(".xa-row.xa-current")


def test_a_menu_copies_instructions_only_or_with_numbers_by_keys_alone(
    open_page: OpenPage, report: Path, capture: Capture
) -> None:
    page = _open(open_page(), report, "spill", panes=1)
    text = _listing_text(capture, "spill_kernel").split("\n")
    page.focus(".xa-menu-button")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent") == "Instructions only"
    assert page.evaluate(CONTRAST) == []
    page.keyboard.press("Enter")
    page.wait_for_selector(".xa-bar >> text=/lines copied/")
    lines = _text(page).rstrip("\n").split("\n")
    instructions = sum(line.instruction is not None for line in capture["spill_kernel"].listing("isa").lines)
    assert sum(not line.endswith(":") for line in lines) == instructions
    assert not any("//" in line for line in lines)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    page.keyboard.press("ArrowUp")  # the last saves a file
    page.keyboard.press("Enter")
    page.wait_for_selector(f".xa-bar >> text={len(text):,} lines copied")
    numbered = _text(page).rstrip("\n").split("\n")
    assert len(numbered) == len(text)
    assert all(f"{i + 1} " in line and line.endswith(text[i]) for i, line in enumerate(numbered) if text[i])
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    assert page.get_attribute(".xa-menu-button", "aria-expanded") == "false"


def test_the_menu_copies_what_is_selected_with_what_is_folded_in_it(
    open_page: OpenPage, report: Path, capture: Capture
) -> None:
    page = _open(open_page(), report, "spill", panes=1)
    page.click(".xa-fold-mark[aria-label='Fold per_thread_prolog']")
    row = _fold_row(page, "per_thread_prolog:")
    row.evaluate("row => getSelection().setBaseAndExtent(row, 0, row, row.childNodes.length)")
    page.keyboard.press("Control+c")
    copied = _text(page)
    assert copied in _listing_text(capture, "spill_kernel")
    assert copied.count("\n") > 3
    page.click(".xa-menu-button")
    page.click(".xa-action >> text=Instructions only")
    page.wait_for_selector(".xa-bar >> text=/lines copied/")
    bare = _text(page)
    assert bare.startswith("per_thread_prolog:\n")
    assert 2 < bare.count("\n") < copied.count("\n")


@pytest.mark.parametrize(
    ("platform", "width", "payload"),
    [("PVCXT", 32, "r11:1"), ("PVCXT", 32, "r9:4"), ("DG2", 16, "r11:1")],
)
def test_an_operand_wider_than_a_register_covers_those_after_it(
    open_page: OpenPage, capture: Capture, tmp_path: Path, platform: str, width: int, payload: str
) -> None:
    text = f"""\
//.kernel k
//.platform {platform}
        mov ({width}|M0)  r10.0<1>:f   r20.0<1;1,0>:f
        mov (8|M0)   r10.0<1>:f   r20.0<1;1,0>:f
        store.ugm.d32.a64 ({width}|M0)  [r40:4]  {payload}   {{A@1,$12}} // ex_desc:0x0; desc:0x8003584 // $575
        add ({width}|M0)  r50.0<1>:f   r11.0<0;1,0>:f   r30.0<1;1,0>:f"""
    listing = Listing("isa", parse_listing(text))
    kernel = replace(capture.kernels[0], stages={"isa": StageFile("isa", tmp_path / "x.asm", lambda _: listing)})
    path = tmp_path / "report.html"
    path.write_text(report_html(replace(capture, kernels=(kernel,))), encoding="utf-8")
    page = open_page()
    page.goto(path.as_uri())
    page.locator(".xa-row span:text-is('r11.0')").click()
    page.wait_for_selector(".xa-bar >> text=r11: writes and reads are marked")
    assert _marked(page, "write") == ["r10.0<1>:f"]
    assert sorted(_marked(page, "read")) == sorted([payload, "r11.0<0;1,0>:f"])


def test_a_pane_that_opens_later_lights_up_for_the_chosen_line(open_page: OpenPage, report: Path) -> None:
    page = _open(open_page(), report, panes=1)
    _numbered(page.locator(".xa-stage")).click(position={"x": 20, "y": 9})
    page.click(".xa-layout button:nth-child(2)")
    visa = _pane(page, 1, "visa")
    visa.locator(".xa-row.xa-lit").first.wait_for()
    visa.locator("[aria-haspopup=menu]").click()
    with page.expect_download() as download:
        visa.locator("text=Save as a file").click()
    assert download.value.suggested_filename.endswith(".visaasm")
