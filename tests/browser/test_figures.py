"""Figures of the chosen kernel: above its listing, and beside its lines; in a notebook and in a report."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page

from xpuasm_magic.model import Capture
from xpuasm_magic.view.html import report_html
from xpuasm_magic.view.widget import Browser

from .bridge import open_browser
from .conftest import CONTRAST, OpenPage

SPILL = "tr.xa-kernel:has(th[title='spill_kernel'])"


@pytest.fixture(params=["notebook", "report"])
def spill(request: pytest.FixtureRequest, open_page: OpenPage, capture: Capture, tmp_path: Path) -> Page:
    """The spilling kernel, its figures there."""
    page = open_page(width=1280, height=1000)
    if request.param == "notebook":
        open_browser(page, Browser(capture))
    else:
        path = tmp_path / "report.html"
        path.write_text(report_html(capture), encoding="utf-8")
        page.goto(path.as_uri())
    page.click(SPILL)
    page.wait_for_selector(".xa-beside .xa-code[aria-label='ISA of spill_kernel']")
    return page


def _current(page: Page) -> str:
    figure: str = page.get_attribute(".xa-row.xa-current", "data-figure") or ""
    return figure


def test_live_registers_stand_beside_each_instruction_and_the_peak_is_a_key_away(spill: Page) -> None:
    assert "peak 119 of 128 registers" in spill.inner_text(".xa-figure-facts")
    beside = spill.eval_on_selector_all(
        ".xa-row[data-figure]", "rows => rows.map(row => [parseInt(row.dataset.figure), row.textContent.trim()])"
    )
    assert all(0 < count <= 128 for count, _ in beside)
    assert not [text for _, text in beside if text.startswith("//")]
    spill.focus(".xa-code")
    spill.keyboard.press("p")
    spill.wait_for_selector(".xa-row.xa-current.xa-peak")
    assert _current(spill).startswith(" 119")
    assert "119 of 128 registers live, the peak" in spill.inner_text(".xa-where")
    assert spill.locator(".xa-profile svg path").count() == 1


def test_a_fact_about_a_line_leads_to_it(spill: Page) -> None:
    spill.click(".xa-tab[data-stage=ttgir]")
    spill.wait_for_selector(".xa-code[aria-label='TTGIR of spill_kernel'] .xa-row")
    assert spill.locator(".xa-beside").count() == 0, "figures are those of the machine code"
    spill.click(".xa-figure-facts >> text=peak 119")
    spill.wait_for_selector(".xa-code[aria-label='ISA of spill_kernel'] .xa-row.xa-current.xa-peak")
    assert spill.get_attribute("*:focus", "aria-label") == "ISA of spill_kernel"


def test_spills_are_marked_and_x_steps_through_what_is_marked(spill: Page) -> None:
    spill.focus(".xa-code")
    spill.keyboard.press("p")
    spill.keyboard.press("x")
    first = _current(spill)
    assert first[-1] in "SF•"
    assert "scratch space" in spill.inner_text(".xa-row.xa-current")
    spill.keyboard.press("X")
    spill.keyboard.press("X")
    assert _current(spill)[-1] in "SF•"
    assert spill.locator(".xa-strip-spill").count() + spill.locator(".xa-strip-fill").count() > 10


def test_notes_of_an_expert_link_to_their_lines(spill: Page) -> None:
    note = spill.locator(".xa-advice .xa-note", has_text="are inside a loop")
    assert "xa-warning" in (note.get_attribute("class") or "")
    link = note.locator(".xa-link").first
    line = int(link.inner_text().split()[1])
    link.click()
    spill.wait_for_selector(f".xa-row.xa-current[data-index='{line - 1}']")
    assert "scratch space" in spill.inner_text(".xa-row.xa-current")


def test_the_mix_is_a_bar_with_words(spill: Page) -> None:
    label = spill.get_attribute(".xa-mix", "aria-label") or ""
    assert label.startswith("Instructions: integer 49 %, integer 64-bit 17 %")
    assert spill.locator(".xa-legend li").count() == 5
    widths = spill.eval_on_selector_all(".xa-mix i", "parts => parts.map(part => part.offsetWidth)")
    assert widths == sorted(widths, reverse=True)
    assert "931 in innermost loops" not in label
    assert "20% in innermost loops" in spill.inner_text(".xa-figure-facts")


def test_figures_are_of_the_kernel_and_the_build_that_is_shown(open_page: OpenPage, capture: Capture) -> None:
    page = open_browser(open_page(width=1400), Browser(capture))
    page.click("tr.xa-kernel:has(th[title='matmul_kernel'])")
    page.wait_for_selector(".xa-figure-facts >> text=of 256 registers")
    page.select_option("select[aria-label='Which build']", label="Rejected: pvc-default")
    page.wait_for_selector(".xa-figure-facts >> text=of 128 registers")
    page.click("tr.xa-kernel:has(th[title='triton_red_fused_sum_7'])")
    assert page.locator(".xa-figures").is_hidden(), "it has no code"


def test_figures_fit_where_there_is_little_room_and_can_be_read_by_everybody(
    open_page: OpenPage, capture: Capture
) -> None:
    for dark in (False, True):
        page = open_browser(open_page(width=700, height=900, dark=dark), Browser(capture), dark=dark)
        page.click(SPILL)
        page.wait_for_selector(".xa-beside")
        assert page.evaluate(CONTRAST) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 700
