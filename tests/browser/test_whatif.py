"""What if, in the notebook's browser: real compilers, asked by a real page."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from capture_builder import CaptureBuilder
from playwright.sync_api import Page, expect

from xpuasm_magic import read_capture
from xpuasm_magic.model import Capture
from xpuasm_magic.recompile import Progress, recompile
from xpuasm_magic.view import recompiling
from xpuasm_magic.view.html import report_html
from xpuasm_magic.view.widget import Browser

from .bridge import open_browser
from .conftest import CONTRAST, OpenPage
from .server import run_cells, serving

SPILL, ADD = "tr.xa-kernel:has(th[title='spill_kernel'])", "tr.xa-kernel:has(th[title='add_kernel'])"
COMPILES_WITHIN_MS = 120_000


@pytest.fixture(scope="module")
def small(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Capture:
    builder = CaptureBuilder(tmp_path_factory.mktemp("whatif") / "run", corpus)
    builder.kernel("2.40/pvc/add")
    builder.kernel("2.40/pvc/spill")
    return read_capture(builder.folder)


def _asking(page: Page, capture: Capture, **options: bool) -> Page:
    """By keys alone: the panel of the spilling kernel is open."""
    open_browser(page, Browser(capture), **options)
    page.click(SPILL)
    page.focus(".xa-code")
    page.keyboard.press("w")
    page.wait_for_selector(".xa-whatif-form input:focus")
    return page


def _compile(page: Page) -> None:
    page.click(".xa-whatif-form button[type=submit]")
    page.wait_for_selector(".xa-whatif .xa-matrix", timeout=COMPILES_WITHIN_MS)


def _cells(page: Page) -> list[list[str]]:
    rows: list[list[str]] = page.eval_on_selector_all(
        ".xa-matrix tbody tr", "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    )
    return rows


def test_another_grf_mode_is_a_click_away_and_two_cells_are_compared(open_page: OpenPage, small: Capture) -> None:
    page = _asking(open_page(width=1280, height=1000), small)
    assert page.locator(".xa-whatif-form .xa-check", has_text="The same SPIR-V").locator("input").is_checked()
    assert page.inner_text(".xa-whatif-go .xa-count") == "3 cells"
    page.uncheck(".xa-axis .xa-check:has-text('auto') input")
    assert page.inner_text(".xa-whatif-go .xa-count") == "2 cells"
    _compile(page)
    assert page.inner_text(".xa-matrix h4") == "What if: the same SPIR-V, compiled by IGC again"
    rows = _cells(page)
    assert rows[0][2] == "as captured"
    assert [row[3] for row in rows[1:]] == ["128", "256"]
    assert rows[2][7] == "5,440 best"
    assert rows[1][7] == "15,680 worst"
    assert page.evaluate(CONTRAST) == []

    page.check(".xa-matrix input[aria-label^='B:'] >> nth=2")
    page.click("text=Compare A with B")
    page.wait_for_selector(".xa-compare-summary >> text=because GRF mode")
    page.wait_for_selector(".xa-compare-label >> text=GRF 256")
    page.wait_for_selector(".xa-compare .xa-is-head.xa-current")


def test_a_refused_cell_says_why(open_page: OpenPage, small: Capture) -> None:
    page = _asking(open_page(width=1280, height=1000, dark=True), small, dark=True)
    for mode in ("128", "256", "auto"):
        page.uncheck(f".xa-axis .xa-check:text-is('{mode}') input")
    page.check(".xa-axis .xa-check:text-is('96') input")
    page.check(".xa-axis .xa-check:text-is('pvc') input")
    page.check(".xa-axis .xa-check:text-is('ptl') input")
    _compile(page)
    row = page.locator(".xa-matrix tbody tr", has_text="refused")
    assert "pvc has no mode of 96 registers; it has 128, 256" in row.inner_text()
    assert row.locator("input").count() == 0, "what is not there cannot be compared"
    assert page.evaluate(CONTRAST) == []


def test_the_two_questions_are_never_mixed(open_page: OpenPage, small: Capture) -> None:
    page = _asking(open_page(), small)
    warps = page.locator("fieldset", has_text="num_warps")
    assert warps.is_hidden()
    page.check(".xa-check:has-text('The same source') input")
    assert warps.is_visible()
    page.check("fieldset:has-text('num_warps') .xa-check:text-is('8') input")
    for mode in ("256", "auto"):
        page.uncheck(f".xa-axis .xa-check:text-is('{mode}') input")
    _compile(page)
    assert page.inner_text(".xa-matrix h4") == "What if: the same source, compiled by Triton and by IGC again"
    row = _cells(page)[1]
    assert "ok" in row


def _slowly(kernel: Any, *, watch: Any, cancel: threading.Event, **conditions: Any) -> Any:
    """`recompile`, with compilers that do not end by themselves."""
    watch(Progress(phase="compiling", cells=3, done=1, refused=0, failed=0, elapsed_s=0.5))
    cancel.wait(60)
    return recompile(kernel, cancel=cancel, options="-cl-mad-enable", **conditions)


def test_progress_is_told_the_page_stays_alive_and_stop_leaves_what_there_is(
    open_page: OpenPage, small: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recompiling, "recompile", _slowly)
    page = _asking(open_page(), small)
    page.click(".xa-whatif-form button[type=submit]")
    page.wait_for_selector(".xa-whatif-running >> text=compiling, 1 of 3 cells")
    assert page.locator(".xa-whatif-form button[type=submit]").is_disabled()

    page.click(ADD)
    page.wait_for_selector(".xa-code[aria-label='ISA of add_kernel'] .xa-row span[class]")
    expect(page.locator(".xa-whatif-running")).to_be_hidden()
    assert page.locator(".xa-whatif .xa-matrix").count() == 0, "the panel is that of the chosen kernel"
    page.click(SPILL)
    page.wait_for_selector(".xa-whatif-running >> text=compiling, 1 of 3 cells")

    page.click(".xa-whatif-running >> text=Stop")
    page.wait_for_selector(".xa-matrix-say >> text=Stopped", timeout=COMPILES_WITHIN_MS)
    assert all("interrupted" in row for row in _cells(page)[1:])


def test_what_went_wrong_is_said_and_can_be_tried_again(
    open_page: OpenPage, small: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = _asking(open_page(), small)
    page.fill("input[aria-label^='Build options']", "fast please")
    assert page.inner_text(".xa-whatif-go .xa-count") == "6 cells"
    page.click(".xa-whatif-form button[type=submit]")
    page.wait_for_selector(".xa-whatif [role=alert] >> text='fast' does not begin with -")
    assert page.locator(".xa-whatif-form button[type=submit]").is_enabled()


def test_escape_closes_the_panel_and_the_focus_is_where_it_was_opened(open_page: OpenPage, small: Capture) -> None:
    page = _asking(open_page(), small)
    assert page.get_attribute("text=What if >> nth=0", "aria-expanded") == "true"
    page.keyboard.press("Escape")
    assert page.locator(".xa-whatif").is_hidden()
    assert page.inner_text("*:focus") == "What if"


def test_a_report_has_no_panel_but_the_matrix_that_it_is_of(
    open_page: OpenPage, small: Capture, tmp_path: Path
) -> None:
    found = recompile(small["spill_kernel"], grf=[128, 256])
    for name, capture in (("plain", small), ("matrix", found.capture)):
        (tmp_path / f"{name}.html").write_text(report_html(capture), encoding="utf-8")
    page = open_page()
    page.goto((tmp_path / "plain.html").as_uri())
    page.wait_for_selector("tr.xa-kernel")
    assert page.locator(".xa-matrix").count() == 0
    assert page.locator("button:text-is('What if')").is_hidden()
    assert page.locator(".xa-others").is_hidden()
    page.goto((tmp_path / "matrix.html").as_uri())
    page.wait_for_selector(".xa-matrix")
    assert [row[1] for row in _cells(page)] == ["128", "256"]
    assert "5,440 best" in page.inner_text(".xa-matrix")
    assert page.locator(".xa-matrix button").count() == 0, "nobody is there to compare"


def test_a_real_notebook_runs_cells_while_compilers_run(
    open_page: OpenPage, small: Capture, tmp_path_factory: pytest.TempPathFactory
) -> None:
    show = f"""from xpuasm_magic import read_capture
from xpuasm_magic.view import recompiling
from xpuasm_magic.view.widget import Browser
import threading
go, compile_all = threading.Event(), recompiling.recompile
recompiling.recompile = lambda *a, **k: (k["watch"](recompiling._STARTING), go.wait(60), compile_all(*a, **k))[2]
Browser(read_capture({str(small.folder)!r}))"""
    with serving("jupyterlab", tmp_path_factory.mktemp("whatif-lab")) as server:
        page = open_page(width=1280, height=1000)
        page.set_default_timeout(COMPILES_WITHIN_MS)
        server.open(page, server.write("whatif.ipynb", show, "go.set(); print('set while it ' + 'waits')"))
        run_cells(page)
        page.click(SPILL)
        page.click("button:text-is('What if')")
        page.click(".xa-whatif-form button[type=submit]")
        page.wait_for_selector(".xa-whatif-running >> text=starting")
        page.click(".xa-tab[data-stage=ttgir]")
        page.wait_for_selector(".xa-code[aria-label='TTGIR of spill_kernel'] .xa-row")
        page.locator(".jp-CodeCell").nth(1).locator(".cm-content").click()
        page.keyboard.press("Control+Enter")
        page.wait_for_selector(".jp-OutputArea-output >> text=set while it waits")
        page.wait_for_selector(".xa-matrix td.xa-best")
        page.close()  # before its server
