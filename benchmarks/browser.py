"""Reading a listing of 60,000 lines in a report, against the same as a plain `<pre>`; a report of 300 kernels."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright
from pygments import highlight
from pygments.formatters import HtmlFormatter

from benchmarks.join_speed import growing_capture
from benchmarks.result import Result
from tests.corpus_archive import unpack_corpus
from xpuasm_magic import read_capture
from xpuasm_magic.formats.gen_isa import parse_listing
from xpuasm_magic.lexers import GenIsaLexer
from xpuasm_magic.model import Capture, Line, Listing, StageFile
from xpuasm_magic.view.html import report_html

ARGUMENTS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking")
LINES = 60_000
KERNELS = 300
STEPS = 40
"""Jumps from the first line of a listing to its last."""
WORK = ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration")

# Scrolls to the end in even jumps, one for each frame.
_SCROLL = """
(code, steps) => new Promise((done) => {
  let step = 0;
  const jump = () => {
    if (step++ === steps) return done();
    code.scrollTop = (code.scrollHeight - code.clientHeight) * step / steps;
    requestAnimationFrame(jump);
  };
  requestAnimationFrame(jump);
})
"""

# From a click on a kernel to the frame in which its coloured lines are on the screen.
_OPEN = """
(name) => new Promise((done) => {
  const start = performance.now();
  document.querySelector(`tr.xa-kernel:has(th[title='${name}'])`).click();
  const look = () => {
    const long = document.querySelector('.xa-sizer').offsetHeight > 1e6;
    const there = long && document.querySelector('.xa-row span[class]');
    if (!there) return requestAnimationFrame(look);
    const shown = new MessageChannel();
    shown.port1.onmessage = () => done(performance.now() - start);
    requestAnimationFrame(() => shown.port2.postMessage(0));
  };
  look();
})
"""

_PAINT = """
() => new Promise((done) => {
  const seen = (list) => list.getEntriesByName('first-contentful-paint').forEach((one) => done(one.startTime));
  new PerformanceObserver(seen).observe({ type: 'paint', buffered: true });
})
"""


def measure(rounds: int = 3) -> list[Result]:
    with tempfile.TemporaryDirectory(prefix="xpuasm-bench-") as scratch, sync_playwright() as playwright:
        root = Path(scratch)
        corpus = unpack_corpus(root)
        text = "\n".join(_real_lines(corpus))
        long = _long_report(root, corpus, text)
        plain = _plain_page(root, text)
        many = root / "many.html"
        many.write_text(report_html(_unlike(read_capture(growing_capture(root / "many", corpus, KERNELS)))), "utf-8")
        browser = playwright.chromium.launch(executable_path=_chromium(), args=list(ARGUMENTS))
        try:
            opened = min(_open_ms(browser, long) for _ in range(2 * rounds))
            pairs = [
                (
                    _reading(browser, f"{long.as_uri()}#kernel=LONG&stage=isa", ".xa-code"),
                    _reading(browser, plain.as_uri(), "html"),
                )
                for _ in range(rounds)
            ]
            (ours, jump), (bare, _) = min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
            megabytes = many.stat().st_size / 1e6
            paint = min(_first_paint_s(browser, many) for _ in range(rounds))
        finally:
            browser.close()
    detail = f"(ours {ours:.2f} s, plain {bare:.2f} s, best of {rounds})"
    return [
        Result(
            f"a listing of {LINES:,} lines, opened and scrolled to its end, against a plain <pre>",
            ours / bare,
            0.2,
            "×",
            detail,
        ),
        Result(f"a listing of {LINES:,} lines opens", opened, 150, " ms"),
        Result("script and layout of a jump in it", jump, 16, " ms"),
        Result(
            f"first paint of a report of {KERNELS} kernels",
            paint,
            1.0,
            " s",
            f"({megabytes:.0f} MB)",
        ),
    ]


def _chromium() -> str:
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        raise SystemExit("no Chromium on PATH: `make test` brings it")
    return path


def _real_lines(corpus: Path) -> list[str]:
    """What IGC wrote for the corpus's kernels, one listing after another."""

    def lines() -> Iterator[str]:
        for path in sorted(corpus.glob("2.40/*/*/dump/*.asm")):
            yield from path.read_text(encoding="utf-8").splitlines()

    return [line for line, _ in zip(lines(), range(LINES), strict=False)]


def _unlike(capture: Capture) -> Capture:
    """The same kernels, and no two with the same text: a report would hold it once."""

    def numbered(file: StageFile, number: int) -> StageFile:
        def parse(path: Path) -> Listing:
            listing = file.parse(path)
            return replace(listing, lines=(*listing.lines, Line(f"// {number}")))

        return replace(file, parse=parse)

    kernels = (
        replace(kernel, stages={stage: numbered(file, i) for stage, file in kernel.stages.items()})
        for i, kernel in enumerate(capture)
    )
    return replace(capture, kernels=tuple(kernels))


def _long_report(root: Path, corpus: Path, text: str) -> Path:
    """A report of a short kernel and of the long one."""
    short = next(iter(read_capture(corpus / "2.40/pvc/add")))
    listing = Listing("isa", parse_listing(text))
    stages = {"isa": StageFile("isa", root / "long.asm", lambda _: listing)}
    long = replace(short, name="long", stages=stages, attempts=(), variant=replace(short.variant, key="LONG"))
    path = root / "long.html"
    path.write_text(report_html(Capture(root, (short, long))), encoding="utf-8")
    return path


def _plain_page(root: Path, text: str) -> Path:
    path = root / "plain.html"
    path.write_text(highlight(text, GenIsaLexer(), HtmlFormatter(full=True, encoding=None)), encoding="utf-8")
    return path


def _page(browser: Browser) -> Page:
    page = browser.new_page(viewport={"width": 1280, "height": 860})
    page.set_default_timeout(300_000)  # the plain page takes its time
    return page


def _open_ms(browser: Browser, report: Path) -> float:
    page = _page(browser)
    page.goto(report.as_uri())
    page.click("tr.xa-kernel:has(th[title='add_kernel'])")
    page.wait_for_selector(".xa-row span[class]")
    ms: float = page.evaluate(_OPEN, "long")
    page.close()
    return ms


def _reading(browser: Browser, url: str, code: str) -> tuple[float, float]:
    """Seconds of script, layout and style from the address to the listing's end; milliseconds of one jump."""
    page = _page(browser)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")

    def work() -> float:
        metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
        return sum(metrics[name] for name in WORK)

    start = work()
    page.goto(url)
    page.wait_for_selector(f"{code} span[class]")
    page.wait_for_timeout(300)
    opened = work()
    page.eval_on_selector(code, _SCROLL, STEPS)
    page.wait_for_timeout(300)
    end = work()
    page.close()
    return end - start, (end - opened) / STEPS * 1000


def _first_paint_s(browser: Browser, report: Path) -> float:
    page = _page(browser)
    page.goto(report.as_uri(), wait_until="commit")
    page.wait_for_selector("tr.xa-kernel")
    ms: float = page.evaluate(_PAINT)
    page.close()
    return ms / 1000
