"""The report page alone, from `file://`: the front end that notebooks have too."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page

from xpuasm_magic.formats.gen_isa import parse_listing
from xpuasm_magic.model import Capture, Line, Listing, Note, StageFile
from xpuasm_magic.view.html import report_html

from .conftest import CONTRAST, OpenPage

HOSTILE = "</script><img src=x onerror='window.harmed=1'><script>window.harmed=1</script>\u202egnol\u202c"


def _open(page: Page, report: Path) -> Page:
    page.goto(report.as_uri())
    page.wait_for_selector("tr.xa-kernel")
    return page


def _choose(page: Page, name: str) -> None:
    page.click(f"tr.xa-kernel:has(th[title='{name}'])")
    page.wait_for_function("name => document.querySelector('.xa-title').textContent.startsWith(name)", arg=name)


def _names(page: Page) -> list[str]:
    titles: list[str] = page.eval_on_selector_all("th.xa-name", "cells => cells.map(cell => cell.title)")
    return titles


def _focus(page: Page) -> str:
    focus: str = page.evaluate("document.activeElement.className")
    return focus


def test_kernels_stand_by_family_with_verdict_and_notes(open_page: OpenPage, report: Path) -> None:
    page = _open(open_page(), report)
    titles = page.eval_on_selector_all(
        ".xa-family-title", "titles => titles.map(title => title.firstChild.textContent)"
    )
    assert titles == ["Pointwise", "Persistent reduction", "Reduction", "User kernels (@triton.jit)"]
    assert page.inner_text(".xa-verdict").startswith("6 kernels, 1 failed, 1 spill")
    assert "graph break in model.py:31" in page.inner_text(".xa-notes >> nth=0")
    assert "launches are recorded" in page.text_content(".xa-foot")


def test_a_click_shows_the_coloured_isa_of_a_kernel(open_page: OpenPage, report: Path) -> None:
    page = _open(open_page(), report)
    _choose(page, "triton_per_fused__softmax_1")
    page.wait_for_selector(".xa-row .nf >> text=load")
    assert "per_thread_prolog" in page.inner_text(".xa-code")
    assert page.locator("tr.xa-kernel[aria-selected=true]").count() == 1


def test_other_stages_and_rejected_builds_can_be_read(open_page: OpenPage, report: Path) -> None:
    page = _open(open_page(), report)
    _choose(page, "matmul_kernel")
    page.click(".xa-tab >> text=vISA")
    page.wait_for_selector(".xa-row >> text=.version")
    page.click(".xa-tab >> text=/^ISA$/")
    page.wait_for_selector(".xa-row .nl >> text=per_thread_prolog")
    assert "256 GRF" in page.inner_text(".xa-facts")
    page.select_option(".xa-select", label="Rejected: pvc-default")
    page.wait_for_selector(".xa-messages >> text=it spills more than 1,000 bytes")
    page.wait_for_selector(".xa-facts >> text=128 GRF")


def test_a_failed_kernel_shows_the_compilers_words(open_page: OpenPage, report: Path) -> None:
    page = _open(open_page(), report)
    _choose(page, "triton_red_fused_sum_7")
    assert "__spirv_GroupNonUniformFAdd" in page.inner_text(".xa-error-text")
    assert "ocloc compile -file" in page.inner_text(".xa-repro")
    assert "no listing" in page.inner_text(".xa-stage .xa-say")


def test_the_filter_and_the_keyboard_are_enough(open_page: OpenPage, report: Path) -> None:
    page = _open(open_page(), report)
    page.focus("tr.xa-kernel[tabindex='0']")
    page.keyboard.press("/")
    page.keyboard.type("fused layer")
    assert _names(page) == ["triton_poi_fused_add_clone_gelu_native_layer_norm_permute_view_23"]
    assert page.inner_text(".xa-count") == "1 of 6 kernels"
    page.keyboard.press("ArrowDown")
    page.wait_for_selector(".xa-title >> text=layer_norm")
    page.keyboard.press("/")
    page.keyboard.press("Escape")
    assert len(_names(page)) == 6
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.wait_for_selector(".xa-title >> text=layer_norm")
    page.keyboard.press("Enter")
    assert _focus(page) == "xa-code"
    page.keyboard.press("End")
    page.wait_for_function(
        "code => code.scrollTop + code.clientHeight >= code.scrollHeight - 2",
        arg=page.query_selector(".xa-code"),
    )
    page.keyboard.press("Escape")
    assert _focus(page) == "xa-kernel"


def test_a_click_on_a_heading_sorts_and_the_third_goes_back_to_families(open_page: OpenPage, report: Path) -> None:
    page = _open(open_page(), report)
    families = _names(page)
    page.click("th[data-column=instructions] button")
    assert page.get_attribute("th[data-column=instructions]", "aria-sort") == "descending"
    assert _names(page)[0] == "spill_kernel"
    assert _names(page)[-1] == "triton_red_fused_sum_7"  # not known: last, whichever way
    page.click("th[data-column=instructions] button")
    assert _names(page)[-2:] == ["spill_kernel", "triton_red_fused_sum_7"]
    page.click("th[data-column=instructions] button")
    assert _names(page) == families


def test_the_listing_is_copied_and_saved_as_the_compiler_wrote_it(
    open_page: OpenPage, report: Path, capture: Capture
) -> None:
    page = _open(open_page(), report)
    _choose(page, "spill_kernel")
    page.wait_for_selector(".xa-row .k")
    text = capture["spill_kernel"].path("isa").read_text(encoding="utf-8")
    with page.expect_download() as download:
        page.click("text=Save .asm")
    assert download.value.suggested_filename == "spill_kernel.asm"
    assert Path(download.value.path()).read_text(encoding="utf-8") == text
    page.click(".xa-bar >> text=Copy")
    page.wait_for_selector("text=Copied")
    assert page.evaluate("navigator.clipboard.readText()") == text
    page.focus(".xa-code")
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+c")
    assert page.evaluate("navigator.clipboard.readText()") == text.rstrip("\n")


def test_selected_lines_are_copied_without_their_numbers(open_page: OpenPage, report: Path) -> None:
    page = _open(open_page(), report)
    page.wait_for_selector(".xa-row .k")
    page.evaluate(
        """() => {
          const rows = document.querySelectorAll('.xa-row');
          getSelection().setBaseAndExtent(rows[20], 0, rows[22], rows[22].childNodes.length);
        }"""
    )
    page.keyboard.press("Control+c")
    copied = page.evaluate("navigator.clipboard.readText()")
    rows = page.eval_on_selector_all(".xa-row", "rows => rows.map(row => row.textContent)")
    assert copied.split("\n") == rows[20:23]


@pytest.fixture(scope="session")
def long_report(capture: Capture, tmp_path_factory: pytest.TempPathFactory) -> Path:
    text = capture["spill_kernel"].path("isa").read_text(encoding="utf-8")
    lines = parse_listing(text)
    listing = Listing("isa", (lines * (60_000 // len(lines) + 1))[:60_000])
    folder = tmp_path_factory.mktemp("long")
    stages = {"isa": StageFile("isa", folder / "x.asm", lambda _: listing)}
    kernel = replace(capture["spill_kernel"], stages=stages)
    path = folder / "report.html"
    path.write_text(report_html(replace(capture, kernels=(kernel, *capture.kernels))), encoding="utf-8")
    return path


def test_a_listing_of_60000_lines_opens_at_once_and_scrolls(open_page: OpenPage, long_report: Path) -> None:
    page = _open(open_page(), long_report)
    page.wait_for_selector(".xa-row .k")
    _choose(page, "triton_poi_fused_add_0")
    page.wait_for_selector(".xa-row .k")
    started = time.perf_counter()
    _choose(page, "spill_kernel")
    page.wait_for_function("document.querySelector('.xa-sizer').offsetHeight >= 60000 * 18")
    assert time.perf_counter() - started < 3
    page.evaluate("document.querySelector('.xa-code').scrollTop = 1e9")
    page.wait_for_selector(".xa-row[data-index='59999']")
    assert page.locator(".xa-row").count() < 300


def test_text_of_a_capture_does_nothing_in_the_page(open_page: OpenPage, capture: Capture, tmp_path: Path) -> None:
    listing = Listing("isa", tuple(Line(f"        mov (8|M0) r1 // {HOSTILE}") for _ in range(50)))
    stages = {"isa": StageFile("isa", tmp_path / "x.asm", lambda _: listing)}
    kernel = replace(capture.kernels[0], name=HOSTILE, stages=stages, notes=(Note("error", HOSTILE),))
    path = tmp_path / "report.html"
    path.write_text(report_html(replace(capture, kernels=(kernel,), notes=(Note("error", HOSTILE),))))
    page = _open(open_page(), path)
    page.wait_for_selector(".xa-row .k")
    assert "onerror" in page.inner_text(".xa-code")
    assert page.locator("img").count() == 0
    assert page.evaluate("window.harmed") is None
    assert "\u202e" not in page.inner_text("body")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [900, 1280])
def test_the_page_fits_its_window_in_light_and_dark(
    open_page: OpenPage, report: Path, tmp_path: Path, dark: bool, width: int
) -> None:
    page = _open(open_page(width=width, height=800, dark=dark), report)
    _choose(page, "spill_kernel")
    page.wait_for_selector(".xa-row .k")
    assert page.get_attribute(".xpuasm", "data-theme") == ("dark" if dark else "light")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.documentElement.scrollHeight") <= 800
    assert page.locator(".xa-row").count() > 15
    page.screenshot(path=str(tmp_path / "report.png"))


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_all_text_of_the_page_has_the_contrast_of_wcag_aa(open_page: OpenPage, report: Path, dark: bool) -> None:
    page = _open(open_page(dark=dark), report)
    _choose(page, "spill_kernel")
    page.wait_for_selector(".xa-row .k")
    assert page.evaluate(CONTRAST) == []
