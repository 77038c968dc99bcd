"""A real Chromium. Playwright drives it; its own download of a browser is not used."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from capture_builder import CaptureBuilder
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from xpuasm_magic.catalog import read_capture
from xpuasm_magic.model import Capture, Family, Kernel, Note, Variant
from xpuasm_magic.view.html import report_html

ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
OpenPage = Callable[..., Page]
SCREENSHOTS = Path(__file__).parents[2] / "test-screenshots"

CONTRAST = """() => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = channels(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const faint = new Set();
  for (const element of document.querySelectorAll('.xpuasm *')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || !element.checkVisibility()) continue;
    const [a, b] = [luminance(channels(getComputedStyle(element).color)), luminance(ground(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) faint.add(`${element.className} ${ratio.toFixed(2)}`);
  }
  return [...faint];
}"""
"""Elements whose text has less than 4.5 : 1 on the ground that is really behind it."""


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        pytest.fail("no Chromium on PATH: `apt-get install chromium` brings it (make test does)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield browser
        browser.close()


# What Jupyter itself prints, by its exact words.
JUPYTERS_OWN = (
    "Cannot read properties of undefined (reading 'schema')",  # Notebook 7, when it starts
    # Both, when a kernel is restarted.
    "Could not restore the debugger state: Canceled future for debug_request message before replies were done",
)


def _is_ours(text: str) -> bool:
    return text not in JUPYTERS_OWN


@pytest.fixture
def open_page(chromium: Browser, request: pytest.FixtureRequest) -> Iterator[OpenPage]:
    """Opens pages; a script error, an error on the console or a dialog in one of them fails the test.

    How each looked at the test's end is kept in `SCREENSHOTS`, for people to look at.
    """
    wrong: list[str] = []
    contexts = []

    def console(said: ConsoleMessage) -> None:
        if said.type == "error" and _is_ours(said.text):
            wrong.append(f"console: {said.text}")

    def answer(dialog: Dialog) -> None:
        if dialog.type == "beforeunload":  # Jupyter asks before a page with changes is left
            dialog.accept()
            return
        wrong.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def opened(*, width: int = 1280, height: int = 1040, dark: bool = False) -> Page:
        context = chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            accept_downloads=True,
            permissions=["clipboard-read", "clipboard-write"],
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("pageerror", lambda error: wrong.append(f"page error: {error}") if _is_ours(str(error)) else None)
        page.on("console", console)
        page.on("dialog", answer)
        return page

    yield opened
    for number, context in enumerate(contexts):
        for page in context.pages:
            name = re.sub(r"[^\w.-]+", "_", f"{request.module.__name__.split('.')[-1]}-{request.node.name}-{number}")
            with suppress(PlaywrightError):
                page.screenshot(path=SCREENSHOTS / f"{name}.png", timeout=5000)
        context.close()
    assert wrong == []


@pytest.fixture(scope="session")
def capture_folder(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A capture of five kernels: one spills, one was built twice."""
    builder = CaptureBuilder(tmp_path_factory.mktemp("captures") / "run", corpus)
    for case in ("add", "softmax_w4", "spill", "trans"):
        builder.kernel(f"2.40/pvc/{case}")
    key = builder.variant("2.40/pvc/matmul_w16_large")
    builder.build(key, "2.40/pvc/matmul_w16_default")
    builder.build(key, "2.40/pvc/matmul_w16_large", "pvc-grf256")
    builder.decision(key, "pvc-grf256", {"pvc-default": "it spills more than 1,000 bytes"})
    return builder.folder


@pytest.fixture(scope="session")
def capture(capture_folder: Path) -> Capture:
    """The same, with kernels of several families and one that failed."""
    families: dict[str, tuple[str, Family]] = {
        "add_kernel": ("triton_poi_fused_add_0", "pointwise"),
        "trans_kernel": ("triton_poi_fused_add_clone_gelu_native_layer_norm_permute_view_23", "pointwise"),
        "softmax_kernel": ("triton_per_fused__softmax_1", "persistent_reduction"),
    }
    read = read_capture(capture_folder)
    kernels = []
    for kernel in read:
        name, family = families.get(kernel.name, (kernel.name, "user"))
        kernels.append(replace(kernel, name=name, family=family))
    kernels.append(
        Kernel(
            name="triton_red_fused_sum_7",
            family="reduction",
            variant=Variant(key="FAILED"),
            match="none",
            status="failed",
            stages={},
            error="error: undefined reference to `__spirv_GroupNonUniformFAdd'",
            repro="ocloc compile -file triton_red_fused_sum_7.spv -device pvc",
        )
    )
    notes = (*read.notes, Note("warning", "graph break in model.py:31"))
    return replace(read, kernels=tuple(kernels), notes=notes)


@pytest.fixture(scope="session")
def report(capture: Capture, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That capture's report, made once for all who read it."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(report_html(capture), encoding="utf-8")
    return path
