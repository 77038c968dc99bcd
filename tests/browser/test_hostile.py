"""Text of a capture is shown and never obeyed: in the report, in the widget, in the static output."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hostile import LONG, SEEN, hostile_capture
from playwright.sync_api import Page

from xpuasm_magic.view.html import report_html, static_html

from .conftest import OpenPage
from .server import Server, run_cells, save, serving, wait_for_idle

SHOWN = """(root) => {
  const found = [document.querySelector(root).innerText];
  for (const element of document.querySelectorAll(`${root} *`)) {
    for (const name of ['title', 'aria-label']) if (element.hasAttribute(name)) found.push(element.getAttribute(name));
  }
  return found.join('\\n');
}"""
"""All that a reader sees or hears."""


def _assert_harmless(page: Page, root: str) -> None:
    assert page.evaluate("window.harmed") is None
    assert page.locator(f"{root} img, {root} script, {root} [onmouseover], {root} [onerror]").count() == 0
    shown = page.evaluate(SHOWN, root)
    assert SEEN in shown
    assert "␦" in shown
    obeyed = "\x00\x07\x1b\x9b\u200b\u2028\u202c\u202e\u2066\u2069\ufeff"
    assert {f"U+{ord(character):04X}" for character in obeyed if character in shown} == set()


def _walk(page: Page) -> None:
    """Opens what there is to open."""
    page.wait_for_selector(".xa-row >> text=mov")
    assert page.locator(".xa-code .xa-row").nth(3).evaluate("row => row.textContent.length") == LONG
    page.click(".xa-layout button:nth-child(2)")
    page.wait_for_selector(".xa-stage >> nth=1 >> .xa-row")
    page.locator(".xa-row", has_text="mov").first.click(position={"x": 20, "y": 9})
    page.wait_for_selector(".xa-row.xa-lit")
    page.keyboard.press("h")
    page.wait_for_selector(".xa-help")
    page.locator(".xa-find").first.fill("<img src=x")
    page.locator(".xa-find").first.press("Enter")
    page.locator("select[aria-label='Which build']").select_option(index=1)
    page.wait_for_selector(".xa-note >> text=/onerror/")
    page.wait_for_selector(".xa-row >> text=mov")
    for details in page.locator(".xpuasm details:not([open]) > summary").all():
        if details.is_visible():
            details.click()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hostile") / "report.html"
    path.write_text(report_html(hostile_capture(path.parent)), encoding="utf-8")
    return path


def test_the_report_obeys_nothing(open_page: OpenPage, report: Path) -> None:
    page = open_page()
    page.goto(report.as_uri())
    _walk(page)
    _assert_harmless(page, ".xpuasm")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_an_address_with_an_attack_leads_nowhere(open_page: OpenPage, report: Path) -> None:
    page = open_page()
    page.goto(f"{report.as_uri()}#kernel=K1%3Cimg src=x onerror=window.harmed=1%3E&stage=__proto__&line=1e9")
    page.wait_for_selector(".xa-row >> text=mov")
    _assert_harmless(page, ".xpuasm")


def test_the_static_output_obeys_nothing(open_page: OpenPage, tmp_path: Path) -> None:
    text = static_html(hostile_capture(tmp_path))
    assert len(text) < 200_000
    path = tmp_path / "static.html"
    path.write_text(f"<!doctype html><meta charset=utf-8><body>{text}", encoding="utf-8")
    page = open_page()
    page.goto(path.as_uri())
    page.click("summary")
    _assert_harmless(page, ".xpuasm-static")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving("jupyterlab", tmp_path_factory.mktemp("hostile-lab")) as running:
        yield running


def test_the_widget_and_what_is_saved_of_it_obey_nothing(server: Server, open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(width=1400, height=1000)
    cell = (
        "from pathlib import Path\nfrom tests.hostile import hostile_capture\n"
        f"from xpuasm_magic.view.widget import Browser\nBrowser(hostile_capture(Path({str(tmp_path)!r})))"
    )
    server.open(page, server.write("hostile.ipynb", cell))
    run_cells(page)
    page.wait_for_selector("tr.xa-kernel", timeout=60_000)
    _walk(page)
    _assert_harmless(page, ".xpuasm")
    wait_for_idle(page)
    save(page)
    assert len((server.folder / "hostile.ipynb").read_text(encoding="utf-8")) < 300_000
