"""Reading a kernel in the report page: panes side by side, linked lines, search, jumps, registers, addresses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page

from xpuasm_magic.model import Capture
from xpuasm_magic.view.html import report_html

from .conftest import CONTRAST, OpenPage


@pytest.fixture(scope="session")
def report(capture: Capture, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("panes") / "report.html"
    path.write_text(report_html(capture), encoding="utf-8")
    return path


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
    page.wait_for_selector(".xa-bar >> text=/lines?$/")
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
