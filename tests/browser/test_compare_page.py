"""Two codes side by side, in the notebook's browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from xpuasm_magic.model import Capture
from xpuasm_magic.view.widget import Browser

from .bridge import open_browser
from .conftest import CONTRAST, OpenPage

Opened = Callable[..., Page]


@pytest.fixture
def matmul(open_page: OpenPage, capture: Capture) -> Opened:
    """The matmul that was built twice, compared with its build that was rejected."""

    def opened(**options: bool) -> Page:
        page = open_browser(open_page(width=1400, height=1000, **options), Browser(capture), **options)
        page.click("tr.xa-kernel:has(th[title='matmul_kernel'])")
        page.focus(".xa-code")
        page.keyboard.press("d")
        page.select_option(".xa-others", label="pvc-default")
        page.wait_for_selector(".xa-compare .xa-is-head")
        return page

    return opened


def _changes(page: Page) -> int:
    return int(page.inner_text(".xa-compare-bar .xa-count").split(" of ")[1])


def _heads(page: Page) -> list[str]:
    texts: list[str] = page.eval_on_selector_all(
        ".xa-compare-side:first-child .xa-is-head.xa-current", "rows => rows.map(row => row.textContent)"
    )
    return texts


def test_what_differs_is_said_in_a_sentence_and_shown_first(matmul: Opened) -> None:
    page = matmul()
    said = page.inner_text(".xa-compare-summary")
    assert said.startswith("spill_bytes 0 → 3,136, grf 256 → 128 (-50%)")
    assert "mostly from kernels.py:48" in said
    labels = page.eval_on_selector_all(".xa-compare-label", "all => all.map(one => one.textContent)")
    assert labels == ["A: matmul_kernel num_warps=16 num_stages=2 grf_mode=large", "B: matmul_kernel, pvc-default"]
    assert _heads(page)[0].startswith("Change 1 of 12 · kernels.py:41")
    # The header and the prolog, 1,800 lines, are one line.
    assert page.inner_text(".xa-unfold >> nth=0").endswith("lines without a change")
    assert page.evaluate("document.querySelector('.xa-compare .xa-code').scrollTop") == 0
    page.wait_for_selector(".xa-compare-side:last-child .xa-row span[class]")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("B: ")


def test_brackets_step_through_the_changes_and_both_sides_follow(matmul: Opened) -> None:
    page = matmul()
    many = _changes(page)
    page.keyboard.press("]")
    page.keyboard.press("]")
    assert page.inner_text(".xa-compare-bar .xa-count") == f"change 3 of {many}"
    page.wait_for_selector(".xa-is-head.xa-current >> text=Change 3 of")
    tops = page.eval_on_selector_all(".xa-compare .xa-code", "views => views.map(view => view.scrollTop)")
    assert tops[0] == tops[1] > 0
    page.keyboard.press("[")
    page.wait_for_selector(".xa-is-head.xa-current >> text=Change 2 of")
    for _ in range(3):
        page.keyboard.press("[")
    assert page.inner_text(".xa-compare-bar .xa-count") == f"change 1 of {many}"


def test_a_line_of_one_side_stands_beside_nothing_and_its_sign_says_what_it_is(matmul: Opened) -> None:
    page = matmul()
    added = page.locator(".xa-compare-side:last-child .xa-is-added").first
    assert added.get_attribute("data-gutter").endswith("+")
    index = added.get_attribute("data-index")
    beside = page.locator(f".xa-compare-side:first-child .xa-row[data-index='{index}']")
    assert "xa-absent" in beside.get_attribute("class")
    assert beside.text_content() == ""
    assert beside.get_attribute("data-gutter").strip() == ""


def test_registers_that_were_renamed_are_no_change(matmul: Opened) -> None:
    page = matmul()
    pairs: list[list[str]] = page.evaluate("""() => {
      const rows = (side) => [...document.querySelectorAll(`.xa-compare-side:nth-child(${side}) .xa-is-equal`)];
      return rows(1).map((row, at) => [row.textContent, rows(2)[at].textContent]);
    }""")
    renamed = [(a, b) for a, b in pairs if a != b and "r135" in a]
    assert renamed, "mov r135 … of A stands beside mov r2 … of B, and is marked as equal"


def test_unchanged_stretches_unfold_one_by_one_or_all(matmul: Opened) -> None:
    page = matmul()
    page.click(".xa-unfold >> nth=0")
    page.wait_for_selector(".xa-unfold[aria-expanded=true]")
    page.keyboard.press("Enter")
    page.wait_for_selector(".xa-unfold[aria-expanded=false]")
    folded = page.evaluate("document.querySelector('.xa-compare .xa-sizer').offsetHeight")
    page.focus(".xa-compare .xa-code")
    page.keyboard.press("Z")
    whole = page.evaluate("document.querySelector('.xa-compare .xa-sizer').offsetHeight")
    assert whole > folded + 18 * 1500
    assert page.get_attribute("text=All lines", "aria-pressed") == "true"
    page.wait_for_selector(".xa-is-head.xa-current >> text=Change 1 of")


def test_another_stage_is_compared_and_escape_leads_back(matmul: Opened) -> None:
    page = matmul()
    page.select_option(".xa-compare-bar select", "visa")
    page.wait_for_selector(".xa-compare .xa-row >> text=(M1, 1)")
    page.focus(".xa-compare .xa-code")
    page.keyboard.press("Escape")
    assert page.locator(".xa-compare").is_hidden()
    assert page.get_attribute("*:focus", "aria-label") == "ISA of matmul_kernel"


def test_another_kernel_closes_the_comparison(matmul: Opened) -> None:
    page = matmul()
    page.click("tr.xa-kernel:has(th[title='triton_per_fused__softmax_1'])")
    page.wait_for_selector(".xa-code[aria-label='ISA of triton_per_fused__softmax_1']")
    assert page.locator(".xa-compare").is_hidden()
    assert page.evaluate("document.activeElement.className") == "xa-kernel"


@pytest.mark.parametrize("dark", [False, True])
def test_a_comparison_can_be_read_by_everybody(matmul: Opened, dark: bool) -> None:
    page = matmul(dark=dark)
    page.wait_for_selector(".xa-compare .xa-is-equal span[class]")
    assert page.evaluate(CONTRAST) == []


def test_two_that_have_nothing_in_common_say_so(open_page: OpenPage, capture: Capture, tmp_path: Path) -> None:
    page = open_browser(open_page(), Browser(capture))
    page.click("tr.xa-kernel:has(th[title='triton_red_fused_sum_7'])")
    page.select_option(".xa-others", label="spill_kernel num_warps=4 num_stages=2")
    page.wait_for_selector(".xa-compare-summary >> text=there is nothing to compare")
