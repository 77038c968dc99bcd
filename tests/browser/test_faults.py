"""A reader who is faster than the answers, a capture that grows under his hands, a Python kernel that goes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from xpuasm_magic.model import Capture, Line, Listing, Note, StageFile
from xpuasm_magic.view.html import report_html
from xpuasm_magic.view.widget import Browser

from .bridge import open_browser
from .conftest import OpenPage
from .server import run_cells, serving

HOLD = """(wanted) => {
  const waiting = [];
  bridge.held = (message) =>
    JSON.stringify(message).includes(wanted) ? new Promise((go) => waiting.push(go)) : undefined;
  bridge.release = () => { bridge.held = () => {}; for (const go of waiting) go(); };
  bridge.waiting = () => waiting.length;
}"""
"""Requests with these words get no answer until `bridge.release()`."""


def _running(capture: Capture) -> Capture:
    return replace(capture, info=replace(capture.info, state="running"))


def _row(name: str) -> str:
    return f"tr.xa-kernel:has(th[title*='{name}'])"


def _shown(page: Page) -> str:
    """Text of the listing that is seen; empty: none is."""
    text: str = page.evaluate(
        "[...document.querySelectorAll('.xa-code')].map((one) => (one.checkVisibility() ? one.innerText : '')).join('')"
    )
    return text


def _hold(page: Page, wanted: str) -> None:
    page.evaluate(HOLD, wanted)


def _release(page: Page) -> None:
    page.wait_for_function("bridge.waiting() > 0")
    page.evaluate("bridge.release()")
    # The answers have come when a later request has been answered.
    page.evaluate("new Promise((done) => setTimeout(done, 300))")


# ---- answers that come too late ----


def test_a_late_listing_does_not_fill_the_pane_of_a_kernel_that_has_none(open_page: OpenPage, capture: Capture) -> None:
    page = open_browser(open_page(), Browser(capture))
    page.wait_for_selector(".xa-row span[class]")
    _hold(page, '"kind":"listing"')
    page.click(_row("spill_kernel"))
    page.click(_row("triton_red_fused_sum_7"))
    page.wait_for_selector(".xa-say >> text=There is no listing of this kernel.")
    _release(page)
    assert page.locator(".xa-say >> text=There is no listing of this kernel.").is_visible()
    assert _shown(page) == ""


def test_a_late_hit_of_a_search_chooses_no_line_of_another_kernel(open_page: OpenPage, capture: Capture) -> None:
    page = open_browser(open_page(height=1400), Browser(capture))
    page.click("text=Search code")
    page.fill(".xa-search .xa-filter", "mov")
    page.press(".xa-search .xa-filter", "Enter")
    page.wait_for_selector(".xa-search button[type=submit]")
    hits = page.locator(".xa-results > li")
    first = hits.filter(has_text="spill_kernel").locator(".xa-hit").first
    other = hits.filter(has_text="matmul_kernel").locator(".xa-hit").first
    line = int(other.get_attribute("data-line") or -1)
    _hold(page, f'"kernel":"{first.get_attribute("data-kernel")}"')
    first.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("bridge.waiting() > 0")
    other.click()
    page.wait_for_selector(f".xa-row.xa-current[data-index='{line}']")
    _release(page)
    assert page.inner_text(".xa-title").startswith("matmul_kernel")
    assert page.locator(f".xa-row.xa-current[data-index='{line}']").count() == 1
    assert page.evaluate("document.activeElement.className") == "xa-hit", "nor does it take the focus"


def test_late_help_is_not_shown_when_the_pointer_is_elsewhere(open_page: OpenPage, capture: Capture) -> None:
    page = open_browser(open_page(), Browser(capture))
    page.click(_row("softmax"))
    page.wait_for_selector(".xa-code[aria-label^='ISA of triton_per'] .xa-row span[class]")
    page.locator(".xa-row", has_text="mov (").first.click(position={"x": 20, "y": 9})
    _hold(page, '"kind":"help"')
    page.keyboard.press("h")
    page.wait_for_function("bridge.waiting() > 0")
    page.mouse.move(5, 5)
    _release(page)
    assert page.locator(".xa-help").is_hidden()


def test_colours_of_the_next_kernel_are_not_painted_on_the_one_that_is_still_shown(
    open_page: OpenPage, capture: Capture
) -> None:
    page = open_browser(open_page(), Browser(capture))
    page.click(_row("spill_kernel"))
    page.wait_for_selector(".xa-code[aria-label='ISA of spill_kernel'] .xa-row .nf")
    spill = page.get_attribute(_row("spill_kernel"), "data-id")
    page.evaluate("""() => { bridge.asked = []; bridge.held = (message) => {
        if (message.kind === "spans") bridge.asked.push(message.params.kernel);
        return message.kind === "listing" ? new Promise(() => {}) : undefined;
    }; }""")
    page.click(_row("matmul_kernel"))
    # Before "Reading …" takes its place.
    page.evaluate("document.querySelector('.xa-code').scrollTop = 1e6")
    page.wait_for_function("bridge.asked.length > 0 || document.querySelector('.xa-say')")
    assert set(page.evaluate("bridge.asked")) <= {spill}


def test_a_late_form_of_what_if_does_not_replace_the_one_that_is_filled_in(
    open_page: OpenPage, capture: Capture
) -> None:
    page = open_browser(open_page(), Browser(capture))
    page.evaluate("""() => {
      let first = true;
      bridge.held = ({ kind }) => kind === "recompile" && first
        ? ((first = false), new Promise((go) => { bridge.release = go; })) : undefined;
    }""")
    page.click(_row("spill_kernel"))
    page.click("button:text-is('What if')")
    page.click(_row("matmul_kernel"))
    page.wait_for_selector(".xa-whatif-form")
    page.click(_row("spill_kernel"))
    page.wait_for_selector(".xa-whatif-form")
    page.fill(".xa-whatif-form input[type=text]", "-cl-mad-enable")
    page.evaluate("bridge.release()")
    page.evaluate("new Promise((done) => setTimeout(done, 300))")
    assert page.input_value(".xa-whatif-form input[type=text]") == "-cl-mad-enable"


# ---- a capture that grows ----
@pytest.fixture
def grouped(capture: Capture) -> Capture:
    """A run that goes on, with three configs of one kernel."""
    three = [replace(one, name="tuned", group="tuned", family="user", winner=None) for one in capture.kernels[:3]]
    return _running(replace(capture, kernels=(*capture.kernels[3:], *three)))


def _less(capture: Capture) -> Capture:
    """As it was a moment before: its first kernel was not there."""
    return replace(capture, kernels=capture.kernels[1:])


def _grows(page: Page, browser: Browser, newer: Capture) -> None:
    browser.update(newer)
    page.evaluate("bridge.update()")
    page.wait_for_selector(f".xa-tools .xa-count >> text={len(newer.kernels)} kernels")


def test_the_list_stays_where_it_was_scrolled_to_while_it_grows(open_page: OpenPage, grouped: Capture) -> None:
    browser = Browser(_less(grouped), all_configs=True)
    page = open_browser(open_page(), browser)
    page.add_style_tag(content=".xpuasm .xa-grid { max-height: 100px !important }")
    page.evaluate("document.querySelector('.xa-grid').scrollTop = 83")
    _grows(page, browser, grouped)
    assert page.evaluate("document.querySelector('.xa-grid').scrollTop") == 83


def test_a_group_that_was_folded_by_hand_stays_folded_while_the_capture_grows(
    open_page: OpenPage, grouped: Capture
) -> None:
    browser = Browser(_less(grouped))
    page = open_browser(open_page(), browser)
    page.click("button.xa-fold")
    page.click("tr.xa-child >> nth=0")
    page.click("button.xa-fold")
    assert page.locator("tr.xa-child").count() == 0
    _grows(page, browser, grouped)
    assert page.locator("tr.xa-child").count() == 0
    # Another choice of what lies in it opens it.
    assert page.locator(".xa-title").inner_text().startswith("tuned")


def test_the_kernel_that_was_chosen_before_is_in_view_at_first(open_page: OpenPage, grouped: Capture) -> None:
    browser = Browser(grouped)
    browser._selected = browser._shown.kernels[-1].variant.key
    page = open_browser(open_page(), browser)
    assert page.locator("tr.xa-child[aria-selected=true]").is_visible()


@pytest.mark.parametrize("what", [".xa-sort >> nth=1", ".xa-tab[aria-selected=true]", "summary >> nth=0"])
def test_an_update_takes_the_focus_from_nothing(open_page: OpenPage, grouped: Capture, what: str) -> None:
    notes = tuple(Note("warning", f"note {number}") for number in range(9))
    before = replace(_less(grouped), notes=notes)
    browser = Browser(before)
    page = open_browser(open_page(), browser)
    page.click(_row("tuned"))
    page.wait_for_selector(".xa-row span[class]")
    page.locator(what).focus()
    text = page.evaluate("document.activeElement.textContent")
    digits = str.maketrans("", "", "0123456789")
    page.keyboard.press("Enter")  # sorts, opens
    _grows(page, browser, replace(grouped, notes=(*notes, Note("warning", "one more"))))
    now = page.evaluate("document.activeElement.textContent")
    assert now.translate(digits)[:6] == text.translate(digits)[:6]
    if what.startswith("summary"):
        assert page.locator(".xa-notes details[open]").count() == 1, "what was unfolded stays so"


def test_a_growing_kernel_leaves_the_focus_on_its_tabs(open_page: OpenPage, capture: Capture) -> None:
    whole = _running(capture)
    first = replace(whole.kernels[0], stages={"isa": whole.kernels[0].stages["isa"]})
    less = replace(whole, kernels=(first, *whole.kernels[2:]))
    browser = Browser(less)
    page = open_browser(open_page(), browser)
    page.click(f"tr.xa-kernel[data-id='{first.variant.key}']")
    page.wait_for_selector(".xa-row span[class]")
    page.focus(".xa-tab[data-stage=isa]")
    _grows(page, browser, whole)
    page.wait_for_selector(".xa-tab[data-stage=ttgir]")
    assert page.evaluate("document.activeElement.dataset.stage") == "isa"


@pytest.mark.parametrize("choice", ["", "visa"])
def test_the_stages_to_search_stay_chosen_while_the_capture_grows(
    open_page: OpenPage, grouped: Capture, choice: str
) -> None:
    browser = Browser(_less(grouped))
    page = open_browser(open_page(), browser)
    page.click("text=Search code")
    page.select_option("select[aria-label='Stage to search']", choice)
    browser.update(grouped)
    page.evaluate("bridge.update()")
    expect(page.locator("tr.xa-kernel")).to_have_count(len(grouped.kernels) - 2)
    assert page.input_value("select[aria-label='Stage to search']") == choice


def test_the_stage_to_search_is_the_isa_when_it_comes(open_page: OpenPage, grouped: Capture) -> None:
    failed = [one for one in grouped.kernels if not one.stages]
    browser = Browser(replace(grouped, kernels=tuple(failed)))
    page = open_browser(open_page(), browser)
    page.click("text=Search code")
    assert page.input_value("select[aria-label='Stage to search']") == ""
    browser.update(grouped)
    page.evaluate("bridge.update()")
    expect(page.locator("select[aria-label='Stage to search']")).to_have_value("isa")


# ---- a Python kernel that is slow, or has gone ----

PROGRESS = {"phase": "running", "found": 1, "built": 1, "failed": 0, "elapsed_s": 3}


def test_one_lost_answer_does_not_cost_the_stop_button(open_page: OpenPage, grouped: Capture) -> None:
    page = open_page()
    page.add_init_script("window.lose = ['hello']")
    open_browser(page, Browser(grouped))
    page.evaluate("(told) => { bridge.beat = setInterval(() => bridge.progress(told), 500) }", PROGRESS)
    page.wait_for_selector(".xa-stop")
    assert page.evaluate("lose") == []


def test_of_a_kernel_that_has_gone_the_reason_stays_and_stop_goes(open_page: OpenPage, grouped: Capture) -> None:
    page = open_browser(open_page(), Browser(grouped))
    page.evaluate("(told) => bridge.progress(told)", PROGRESS)
    page.wait_for_selector(".xa-stop")
    page.evaluate("bridge.live = false")
    page.click(".xa-stop")
    reason = page.locator(".xa-hint >> text=has been restarted or has ended")
    reason.wait_for()
    page.wait_for_timeout(8000)  # longer than a silence that is told of
    assert reason.is_visible()
    assert page.locator(".xa-stop").is_hidden()
    assert page.inner_text(".xa-running") == "ended"
    # The connection was lost only for a while.
    page.evaluate("(told) => { bridge.live = true; bridge.progress(told) }", PROGRESS)
    page.wait_for_selector(".xa-stop")
    assert page.inner_text(".xa-running") == "running"


def test_a_kernel_that_was_restarted_is_noticed_without_a_click(open_page: OpenPage, grouped: Capture) -> None:
    page = open_browser(open_page(), Browser(grouped))
    page.evaluate("(told) => bridge.progress(told)", PROGRESS)
    page.wait_for_selector(".xa-stop")
    page.evaluate("bridge.live = false")
    page.wait_for_selector(".xa-hint >> text=has been restarted or has ended")
    assert page.locator(".xa-stop").is_hidden()


# ---- addresses ----


def _line(page: Page) -> tuple[str, str]:
    text, index = page.inner_text(".xa-row.xa-current"), page.get_attribute(".xa-row.xa-current", "data-index")
    return text, str(index)


def _open(page: Page, report: Path, address: str = "") -> Page:
    page.goto("about:blank")
    page.goto(report.as_uri() + address)
    page.wait_for_selector(".xa-row span[class], .xa-say:visible")
    return page


def test_an_address_leads_back_to_a_line_of_a_build_that_did_not_ship(open_page: OpenPage, report: Path) -> None:
    page = _open(open_page(), report)
    page.click(_row("matmul_kernel"))
    page.select_option("select[aria-label='Which build']", "0")
    page.wait_for_function("location.hash.includes('build=pvc-default')")
    page.wait_for_selector(".xa-facts >> text=128 GRF")
    page.wait_for_selector(".xa-row span[class]")
    page.focus(".xa-code")
    for _ in range(4):
        page.keyboard.press("ArrowDown")
    page.wait_for_function("location.hash.includes('line=')")
    line, address = _line(page), page.evaluate("location.hash")
    other = _open(open_page(), report, address)
    other.wait_for_selector(".xa-row.xa-current")
    assert _line(other) == line
    assert other.input_value("select[aria-label='Which build']") == "0"
    assert "128 GRF" in other.inner_text(".xa-facts >> nth=0")
    # The build that ships has an address of its own.
    other.select_option("select[aria-label='Which build']", "")
    other.wait_for_function("!location.hash.includes('build=')")


def _key(capture: Capture, name: str) -> str:
    return next(one.variant.key for one in capture.kernels if one.name == name)


@pytest.mark.parametrize(
    ("rest", "said"),
    [
        ("&build=pvc-gone&stage=isa&line=40", "has no build “pvc-gone”, shown is the one that ships"),
        ("&stage=sass&line=40", "There is no stage “sass” here"),
        ("&stage=isa&line=12.5", "This listing has no such line"),
        ("&stage=isa&line=1e3", "This listing has no such line"),
        ("&stage=isa&line=-4", "This listing has no such line"),
        ("&stage=isa&line=0", "This listing has no such line"),
        ("&stage=isa&line=999999999", "This listing has no such line"),
        ("&stage=isa&line=99999999999999999999", "This listing has no such line"),
        ("&stage=isa&line=", "This listing has no such line"),
        ("&stage=isa&line=NaN", "This listing has no such line"),
    ],
)
def test_an_address_that_leads_nowhere_says_so_and_chooses_no_line(
    open_page: OpenPage, report: Path, capture: Capture, rest: str, said: str
) -> None:
    page = _open(open_page(), report, f"#kernel={_key(capture, 'matmul_kernel')}{rest}")
    page.wait_for_selector(f".xa-messages .xa-note >> text={said}")
    assert page.inner_text(".xa-title").startswith("matmul_kernel")
    assert page.locator(".xa-row.xa-current").count() == 0
    # The listing is as sound as ever.
    page.wait_for_selector(".xa-row span[class]")
    page.focus(".xa-code")
    page.keyboard.press("ArrowDown")
    assert _line(page)[1].isdigit()
    page.keyboard.press("Shift+Z")
    page.wait_for_selector(".xa-fold-all >> text=Unfold")


def test_an_address_of_a_kernel_that_is_not_here_says_so(open_page: OpenPage, report: Path) -> None:
    page = _open(open_page(), report, "#kernel=GONE&stage=isa&line=4")
    page.wait_for_selector(".xa-note >> text=has no kernel “GONE”")


# ---- much of one thing ----


def test_marks_of_a_long_line_have_an_end(open_page: OpenPage, capture: Capture, tmp_path: Path) -> None:
    text = Listing("log", tuple(Line("a" * 30_000) for _ in range(60)))
    first = replace(capture.kernels[0], stages={"log": StageFile("log", tmp_path / "long.log", lambda _: text)})
    path = tmp_path / "report.html"
    path.write_text(report_html(replace(capture, kernels=(first,))), encoding="utf-8")
    page = open_page()
    page.goto(path.as_uri())
    page.wait_for_selector(".xa-row")
    page.fill(".xa-find", "a")
    page.wait_for_selector(".xa-said >> text=60 lines")
    assert page.evaluate("CSS.highlights.get('xa-find').size") == 5000
    rows = page.evaluate(
        "[...CSS.highlights.get('xa-find')].map((one) => one.startContainer.parentElement.closest('.xa-row').style.top)"
    )
    assert max(Counter(rows).values()) == 200


OUTSIDE = """() => [...document.querySelectorAll('.xpuasm :is(button, input, select, progress, summary, p)')]
  .filter((one) => one.checkVisibility() && !one.closest('.xa-grid, .xa-code, .xa-matrix, .xa-results'))
  .filter((one) => one.getBoundingClientRect().right > one.closest('.xpuasm').getBoundingClientRect().right + 0.5)
  .map((one) => `${one.className} ${one.textContent.slice(0, 40)}`)"""


LINE = """() => {
  const [bar, said] = ['.xa-progress', '.xa-running'].map((one) => document.querySelector(one).getBoundingClientRect());
  return bar.top <= said.top && said.bottom <= bar.bottom;
}"""


def test_a_narrow_notebook_beside_an_open_sidebar_lets_no_control_stick_out(
    open_page: OpenPage, capture_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    show = (
        "from xpuasm_magic import read_capture\nfrom xpuasm_magic.view.widget import Browser\n"
        f"Browser(read_capture({str(capture_folder)!r}))"
    )
    with serving("jupyterlab", tmp_path_factory.mktemp("narrow-lab")) as server:
        page = open_page(width=1280, height=1000)
        page.set_default_timeout(60_000)
        server.open(page, server.write("narrow.ipynb", show))
        run_cells(page)
        page.wait_for_selector("tr.xa-kernel")
        assert page.locator(".jp-SideBar .lm-mod-current").count() > 0, "the sidebar is open"
        wide = page.evaluate("document.querySelector('.xpuasm').offsetWidth")
        page.set_viewport_size({"width": 1280 - wide + 480, "height": 1000})
        page.click(_row("matmul_kernel"))
        page.wait_for_selector(".xa-row span[class]")
        page.wait_for_selector(".xa-figures .xa-mix")
        page.click("button:text-is('What if')")
        page.wait_for_selector(".xa-whatif-form")
        print("width", page.evaluate("document.querySelector('.xpuasm').offsetWidth"))
        assert page.evaluate(OUTSIDE) == []
        page.close()  # before its server


@pytest.mark.parametrize("width", [320, 480, 600])
def test_a_narrow_widget_lets_no_control_stick_out(open_page: OpenPage, capture: Capture, width: int) -> None:
    page = open_browser(open_page(width=width, height=1600), Browser(_running(capture)))
    page.evaluate("(told) => bridge.progress(told)", PROGRESS)
    page.wait_for_selector(".xa-stop")
    assert page.evaluate(LINE), "what the run does is said in the line of the run"
    page.click(_row("matmul_kernel"))
    page.wait_for_selector(".xa-row span[class]")
    page.wait_for_selector(".xa-figures .xa-mix")
    assert page.evaluate(OUTSIDE) == []
    page.click("button:text-is('What if')")
    page.wait_for_selector(".xa-whatif-form")
    assert page.evaluate(OUTSIDE) == []
    page.keyboard.press("Escape")
    page.click(".xa-layout button:nth-child(2)")
    page.wait_for_selector(".xa-stage >> nth=1 >> .xa-row")
    assert page.evaluate(OUTSIDE) == []
    page.click("button:text-is('Columns')")
    assert page.evaluate(OUTSIDE) == []
    page.click("text=Search code")
    page.fill(".xa-search .xa-filter", "mov")
    page.press(".xa-search .xa-filter", "Enter")
    page.wait_for_selector(".xa-result")
    assert page.evaluate(OUTSIDE) == []
    page.focus(".xa-code >> nth=0")
    page.select_option(".xa-others", index=1)
    page.wait_for_selector(".xa-compare .xa-row")
    assert page.evaluate(OUTSIDE) == []
