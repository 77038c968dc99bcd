"""Makes the README's pictures: the quickstart in a real JupyterLab, and the report of its matmul. About two minutes."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from palette import shrink  # noqa: E402

from tests.browser.conftest import ARGUMENTS  # noqa: E402
from tests.browser.server import Server, run_cells, serving  # noqa: E402

IMAGES = ROOT / "docs" / "images"
QUICKSTART = ROOT / "notebooks" / "quickstart.ipynb"
WITHIN_MS = 120_000
SIZE = {"width": 1280, "height": 960}


def main() -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as home,
        serving("jupyterlab", Path(home) / "lab") as server,
        sync_playwright() as playwright,
    ):
        chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
        browser = playwright.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        _gelu(browser, server)
        report = _matmul(browser, server)
        _report(browser, report)
        browser.close()
    for picture in sorted(IMAGES.glob("*.png")):
        shrink(picture)
        print(f"{picture.relative_to(ROOT)}: {picture.stat().st_size / 1000:.0f} kB")


def _run(browser: Browser, server: Server, name: str) -> Page:
    """The quickstart's cell that makes `name`, run in a notebook of its own, which writes its report too."""
    cells = json.loads(QUICKSTART.read_text(encoding="utf-8"))["cells"]
    [cell] = [text for text in ("".join(cell["source"]) for cell in cells) if f"--name {name}\n" in text]
    report = (
        "from pathlib import Path\nfrom xpuasm_magic.view.html import report_html\n"
        f"Path('{name}.html').write_text(report_html({name}), encoding='utf-8');"
    )
    page = browser.new_page(viewport=SIZE)
    page.set_default_timeout(WITHIN_MS)
    server.open(page, server.write(f"{name}.ipynb", "%load_ext xpuasm_magic", cell, report))
    page.keyboard.press("Control+b")  # the file list aside
    run_cells(page, 3)
    page.wait_for_selector(".jp-Cell >> nth=2 >> .jp-InputPrompt >> text=/\\d/")
    page.wait_for_selector(".xa-code[aria-label^='ISA of'] .xa-row .nf")
    return page


def _gelu(browser: Browser, server: Server) -> None:
    """The line of GELU's error function, and what became of it in ISA."""
    page = _run(browser, server, "gelu")
    _panes(page, "python", "isa")
    page.locator(".xa-stage >> nth=0 >> .xa-row", has_text="erf(").click(position={"x": 60, "y": 9})
    page.wait_for_selector(".xa-stage >> nth=1 >> .xa-row.xa-lit")
    _take(page, "jupyterlab")
    page.close()


def _matmul(browser: Browser, server: Server) -> Path:
    """The matmul in three panes, all dpas found; returns its report."""
    page = _run(browser, server, "matmul")
    _panes(page, "python", "ttgir", "isa")
    page.locator(".xa-stage >> nth=0 >> .xa-row", has_text="tl.dot(").click(position={"x": 60, "y": 9})
    isa = page.locator(".xa-stage").nth(2)
    isa.locator(".xa-row.xa-lit").first.wait_for()
    isa.locator(".xa-find").fill("dpas")
    isa.locator(".xa-find").press("Enter")
    page.wait_for_timeout(800)
    _take(page, "matmul")
    page.close()
    return server.folder / "matmul.html"


def _report(browser: Browser, report: Path) -> None:
    """The report in the dark, with help on a message."""
    page = browser.new_page(viewport=SIZE, color_scheme="dark")
    page.goto(report.as_uri())
    _panes(page, "visa", "isa")
    page.locator(".xa-find").nth(1).fill("load.ugm")
    page.locator(".xa-find").nth(1).press("Enter")
    page.keyboard.press("n")
    page.keyboard.press("n")
    page.keyboard.press("n")
    page.wait_for_selector(".xa-stage >> nth=1 >> .xa-row.xa-current .nf")
    page.wait_for_timeout(500)
    page.locator(".xa-stage >> nth=1 >> .xa-row.xa-current .nf").first.hover()
    page.wait_for_selector(".xa-help")
    page.screenshot(path=IMAGES / "report.png")
    page.close()


def _panes(page: Page, *stages: str) -> None:
    page.click(f".xa-layout button:nth-child({len(stages)})")
    for index, stage in enumerate(stages):
        page.locator(".xa-stage-choice").nth(index).select_option(stage)
        page.wait_for_selector(f".xa-stage >> nth={index} >> .xa-row")


def _take(page: Page, name: str) -> None:
    page.mouse.move(2, 2)
    page.evaluate(
        """() => {
          document.querySelector('.xpuasm').scrollIntoView({ block: 'start' });
          for (const code of document.querySelectorAll('.xa-code')) code.scrollLeft = 0;
        }"""
    )
    page.wait_for_timeout(800)
    page.screenshot(path=IMAGES / f"{name}.png")


if __name__ == "__main__":
    main()
