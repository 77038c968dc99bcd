"""Search in the code of all kernels, in the report page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page

from xpuasm_magic.errors import ParseError
from xpuasm_magic.model import Capture, Line, Listing, StageFile, Variant
from xpuasm_magic.view.html import report_html

from .conftest import CONTRAST, OpenPage
from .server import run_cells, serving


def _damaged(path: Path) -> Listing:
    raise ParseError("it ends in the middle of a line")


@pytest.fixture(scope="session")
def report(capture: Capture, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The capture, with a listing that is damaged and one on which some expressions never end."""
    folder = tmp_path_factory.mktemp("search")
    broken = replace(capture.kernels[0], name="broken_kernel", group="broken", variant=_key(capture, "broken"))
    broken = replace(broken, stages={"isa": StageFile("isa", folder / "broken.asm", _damaged)})
    endless = Listing("log", (Line("a" * 60 + "b"),))
    slow = replace(capture.kernels[0], name="slow_kernel", group="slow", variant=_key(capture, "slow"))
    slow = replace(slow, stages={"log": StageFile("log", folder / "slow.log", lambda _: endless)})
    path = folder / "report.html"
    path.write_text(report_html(replace(capture, kernels=(*capture.kernels, broken, slow))), encoding="utf-8")
    return path


def _key(capture: Capture, key: str) -> Variant:
    return replace(capture.kernels[0].variant, key=key)


@pytest.fixture
def page(open_page: OpenPage, report: Path) -> Page:
    page = open_page()
    page.goto(report.as_uri())
    page.wait_for_selector("tr.xa-kernel")
    return page


def _search(page: Page, text: str, *, stage: str = "isa", regex: bool = False, whole: bool = False) -> None:
    if page.locator(".xa-search").is_hidden():
        page.click("text=Search code")
    page.fill(".xa-search .xa-filter", text)
    page.select_option("select[aria-label='Stage to search']", stage)
    page.set_checked("label:has-text('regular expression') input", regex)
    page.set_checked("label:has-text('whole text') input", whole)
    page.press(".xa-search .xa-filter", "Enter")
    page.wait_for_selector(".xa-search button[type=submit]")


def _found(page: Page) -> list[str]:
    names: list[str] = page.locator(".xa-result-name").all_inner_texts()
    return [name.split()[0] for name in names]


def test_kernels_with_an_instruction_are_found_and_opened_by_keys(page: Page) -> None:
    page.focus("tr.xa-kernel[tabindex='0']")
    page.keyboard.press("s")
    page.keyboard.type("DPAS")
    page.keyboard.press("Enter")
    page.wait_for_selector(".xa-result")
    page.wait_for_selector(".xa-search button[type=submit]")
    assert _found(page) == ["matmul_kernel"]
    assert page.inner_text(".xa-search .xa-count").startswith("1 of 8 kernels, ")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    hit = page.evaluate("document.activeElement.innerText").split()
    page.keyboard.press("Enter")
    page.wait_for_selector(".xa-row.xa-current >> text=dpas")
    assert page.get_attribute(".xa-row.xa-current", "data-index") == str(int(hit[0].replace(",", "")) - 1)
    assert page.inner_text(".xa-title").startswith("matmul_kernel")
    page.wait_for_function("document.activeElement.className === 'xa-code'")
    # The words are marked there, and n goes on to the next.
    assert page.evaluate("[...CSS.highlights.get('xa-find')].map(String)")[0] == "dpas"
    line = page.get_attribute(".xa-row.xa-current", "data-index")
    page.keyboard.press("n")
    assert page.get_attribute(".xa-row.xa-current", "data-index") != line
    # Esc leads back, step by step.
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.className") == "xa-hit"
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.dataset.id") == page.get_attribute(
        "tr.xa-kernel[aria-selected=true]", "data-id"
    )


def test_the_key_of_other_editors_opens_the_search_from_anywhere(page: Page) -> None:
    page.focus(".xa-filter")
    page.keyboard.press("Control+Shift+F")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Search in all kernels"
    page.click("button[aria-label='Close the search']")
    page.focus(".xa-code")
    page.keyboard.press("Control+Shift+F")
    assert page.locator(".xa-search").is_visible()


def test_only_instructions_count_until_the_whole_text_is_asked_for(page: Page) -> None:
    _search(page, "-> Scratch")
    assert _found(page) == []
    page.click("text=Search the whole text")
    page.wait_for_selector(".xa-result")
    page.wait_for_selector(".xa-search button[type=submit]")
    assert "spill_kernel" in _found(page)
    assert "triton_poi_fused_add_0" not in _found(page)


def test_all_stages_are_searched_and_each_line_says_of_which_it_is(page: Page) -> None:
    _search(page, "tl.dot", stage="")
    assert _found(page) in ([], ["matmul_kernel"])
    _search(page, "tt.dot", stage="")
    places = page.locator("li:has-text('matmul_kernel') .xa-hit-place").all_inner_texts()
    assert {place.rsplit(" ", 1)[0] for place in places} == {"TTIR", "TTGIR"}
    page.click(".xa-hit >> nth=-1")
    page.wait_for_selector(".xa-row.xa-current >> text=tt.dot")
    assert page.inner_text(".xa-tab[aria-selected=true]") == "TTGIR"


def test_a_regular_expression_finds_and_a_wrong_one_says_so(page: Page) -> None:
    _search(page, r"load\.ugm\.d\d+x\d+t", regex=True)
    assert _found(page)
    assert "load.ugm.d32x32t" in page.inner_text(".xa-hit >> nth=0")
    _search(page, "load(", regex=True)
    page.wait_for_selector(".xa-results [role=alert] >> text=not a regular expression")


def test_an_expression_that_never_ends_is_ended_and_the_page_lives(page: Page) -> None:
    page.click("text=Search code")
    page.fill(".xa-search .xa-filter", "(a+)+$")
    page.select_option("select[aria-label='Stage to search']", "log")
    page.check("label:has-text('regular expression') input")
    page.press(".xa-search .xa-filter", "Enter")
    page.wait_for_selector(".xa-search button:has-text('Stop')")
    assert page.evaluate("1 + 1") == 2
    page.wait_for_selector(".xa-results [role=alert] >> text=make it simpler")
    _search(page, "aab", stage="log")
    assert _found(page) == ["slow_kernel"]


def test_a_search_can_be_stopped(page: Page) -> None:
    page.click("text=Search code")
    page.fill(".xa-search .xa-filter", "(a+)+$")
    page.select_option("select[aria-label='Stage to search']", "log")
    page.check("label:has-text('regular expression') input")
    page.press(".xa-search .xa-filter", "Enter")
    page.click(".xa-search button:has-text('Stop')")
    assert page.inner_text(".xa-search .xa-count").startswith("stopped: ")
    _search(page, "dpas")
    assert _found(page) == ["matmul_kernel"]


def test_a_damaged_listing_is_told_and_the_others_are_searched(page: Page) -> None:
    _search(page, "mov")
    assert len(_found(page)) == 5
    told = page.inner_text(".xa-unread")
    assert "1 listing not searched: broken.asm is damaged: it ends in the middle of a line" in told


def test_what_was_found_becomes_a_filter_of_the_table(page: Page) -> None:
    _search(page, "dpas")
    page.click("text=Show in the table")
    assert page.locator(".xa-search").is_hidden()
    assert page.locator("tr.xa-kernel").count() == 1
    page.click(".xa-chip >> text=with “dpas” (1)")
    assert page.locator("tr.xa-kernel").count() == 8


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_what_was_found_fits_a_narrow_window_and_can_be_read(open_page: OpenPage, report: Path, dark: bool) -> None:
    page = open_page(width=720, height=700, dark=dark)
    page.goto(report.as_uri())
    _search(page, "load", stage="")
    page.click(".xa-hit >> nth=1")
    assert page.evaluate("document.documentElement.scrollWidth") <= 720
    assert page.locator(".xa-results").evaluate("list => list.scrollWidth - list.clientWidth") <= 0
    assert page.evaluate(CONTRAST) == []


def test_in_a_notebook_python_searches(open_page: OpenPage, capture_folder: Path, tmp_path: Path) -> None:
    with serving("jupyterlab", tmp_path / "home") as server:
        page = open_page(width=1100, height=1000)
        server.open(page, server.write("search.ipynb", "%load_ext xpuasm_magic", f"%xpu_asm {capture_folder}"))
        run_cells(page, 2)
        page.wait_for_selector(".xpuasm tr.xa-kernel", timeout=60_000)
        page.focus("tr.xa-kernel[tabindex='0']")
        page.keyboard.press("Control+Shift+F")
        page.keyboard.type("dpas")
        page.keyboard.press("Enter")
        page.wait_for_selector(".xa-result")
        page.wait_for_selector(".xa-search button[type=submit]")
        assert _found(page) == ["matmul_kernel"]
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_selector(".xa-row.xa-current >> text=dpas")
        page.close()  # before its server: a page whose server has gone says so on the console
