"""The widget in a real JupyterLab and a real Notebook 7: a live Python kernel, Jupyter's keys, themes and files."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from capture_builder import CaptureBuilder
from playwright.sync_api import Page

from .conftest import CONTRAST, OpenPage
from .server import Server, restart_kernel, run_cells, save, serving, wait_for_idle

LOAD = "%load_ext xpuasm_magic"
JIT = """%%xpu_asm --device pvc --name made
import torch
import triton
import triton.language as tl

@triton.jit
def scale_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(y_ptr + at, x * 2.0 + 1.0, mask=at < n)

x = torch.randn(4096, device="xpu")
scale_kernel[(16,)](x, torch.empty_like(x), 4096, BLOCK=256)"""


@pytest.fixture(scope="module", params=["jupyterlab", "notebook"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(request.param, tmp_path_factory.mktemp(request.param)) as running:
        yield running


def _choose(page: Page, name: str) -> None:
    page.click(f"tr.xa-kernel:has(th[title='{name}'])")
    page.wait_for_selector(f".xa-title >> text={name}")


def _show(page: Page, server: Server, name: str, folder: Path) -> None:
    """Opens a capture as the value of a cell."""
    server.open(page, server.write(name, LOAD, f"%xpu_asm {folder}"))
    run_cells(page, 2)
    page.wait_for_selector(".xpuasm tr.xa-kernel", timeout=60_000)


def test_a_capture_is_browsed(server: Server, open_page: OpenPage, capture_folder: Path) -> None:
    folder = server.folder.parent / "run"
    shutil.copytree(capture_folder, folder)
    page = open_page(width=1100, height=1000)
    _show(page, server, "browse.ipynb", folder)
    assert not page.locator(".xpuasm-static").is_visible()

    # A click asks the Python kernel for the listing, and for the colours of what is seen.
    _choose(page, "softmax_kernel")
    page.wait_for_selector(".xa-row .nf >> text=load")
    assert page.get_attribute(".xpuasm", "data-theme") == "light"

    # Sorted by a column, the worst first.
    page.click("th[data-column=spill_bytes] button")
    page.wait_for_selector("th[data-column=spill_bytes][aria-sort=descending]")
    assert page.locator("tr.xa-kernel th").first.get_attribute("title") == "spill_kernel"

    # The keys are ours, not the notebook's: "dd" in command mode would delete the cell.
    page.locator("tr.xa-kernel[aria-selected=true]").focus()
    page.keyboard.press("/")
    page.keyboard.type("addd")
    page.keyboard.press("Backspace")
    assert page.inner_text(".xa-tools .xa-count") == "1 of 5 kernels"
    page.keyboard.press("ArrowDown")
    page.wait_for_selector(".xa-title >> text=add_kernel")
    page.wait_for_selector(".xa-row .nf >> text=load")
    page.keyboard.press("d")
    page.keyboard.press("d")
    assert page.locator(".jp-Cell").count() == 2

    # Jupyter's theme is followed as it changes.
    page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    page.wait_for_selector(".xpuasm[data-theme='dark']")
    page.evaluate("document.body.dataset.jpThemeLight = 'true'")
    page.wait_for_selector(".xpuasm[data-theme='light']")

    # The capture goes, and the next listing that is asked for says so.
    page.fill(".xa-filter", "")
    shutil.rmtree(folder)
    _choose(page, "spill_kernel")
    page.wait_for_selector(".xa-say >> text=no longer there; run the cell again")


def test_a_cell_is_run_read_saved_reloaded_and_outlives_its_kernel(server: Server, open_page: OpenPage) -> None:
    page = open_page(width=1100, height=1000)
    name = server.write("jit.ipynb", LOAD, JIT)
    server.open(page, name)
    run_cells(page, 2)
    page.wait_for_selector(".xpuasm tr.xa-kernel", timeout=120_000)
    wait_for_idle(page)

    page.wait_for_selector(".xa-code[aria-label='ISA of scale_kernel'] .xa-row .nf", timeout=60_000)

    # A line that is chosen, or under the pointer, lights up what belongs to it in the other pane.
    page.click(".xa-layout button:nth-child(2)")
    page.locator(".xa-stage-choice").nth(1).select_option("ttgir")
    isa, ttgir = page.locator(".xa-stage").nth(0), page.locator(".xa-stage").nth(1)
    ttgir.locator(".xa-row", has_text="tt.store").click(position={"x": 40, "y": 9})
    isa.locator(".xa-row.xa-lit", has_text="store.ugm").first.wait_for()
    ttgir.locator(".xa-row", has_text="arith.mulf").hover(position={"x": 40, "y": 9})
    isa.locator(".xa-row.xa-hovered").first.wait_for()

    # Found by a word.
    isa.locator(".xa-find").fill("store.ugm")
    page.wait_for_selector(".xa-stage >> nth=0 >> .xa-bar >> text=/\\d+ lines?/")

    # Saved and reloaded, the widget is back, and the kernel answers it.
    save(page)
    server.open(page, name)
    page.wait_for_selector(".xpuasm tr.xa-kernel", timeout=60_000)
    page.wait_for_selector(".xa-row .nf >> text=load")

    # The kernel is restarted: what is shown stays, and what is not there says what to do.
    restart_kernel(page)
    assert "scale_kernel" in page.inner_text(".xa-title")
    assert page.locator(".xa-row").count() > 5
    page.click(".xa-layout button:nth-child(1)")
    page.click(".xa-tab >> text=LLVM IR")
    page.wait_for_selector(".xa-say >> text=run the cell again to read more")

    # Opened again, with no kernel that knows the widget: the static view.
    save(page)
    server.open(page, name)
    page.wait_for_selector(".xpuasm-static >> text=scale_kernel")
    page.click(".xpuasm-static summary >> text=ISA")
    assert "store.ugm" in page.inner_text(".xpuasm-static pre")
    assert page.locator("text=Error displaying widget").filter(visible=True).count() == 0
    assert page.locator(".xpuasm").count() == 0


def test_a_notebook_that_is_not_trusted_has_the_static_view(
    server: Server, open_page: OpenPage, capture_folder: Path
) -> None:
    page = open_page(width=1100, height=1000)
    _show(page, server, "trusted.ipynb", capture_folder)
    wait_for_idle(page)
    save(page)
    notebook = server.saved("trusted.ipynb")
    notebook["cells"].pop(0)  # nobody has signed this one
    (server.folder / "strange.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    server.open(page, "strange.ipynb")
    page.wait_for_selector(".xpuasm-static >> text=softmax_kernel")
    assert page.locator(".xpuasm-static pre").filter(visible=True).count() == 0
    page.click(".xpuasm-static summary >> text=ISA")
    assert re.search(r"\bsend|\bload\.ugm", page.inner_text(".xpuasm-static pre"))
    assert page.locator(".xpuasm").count() == 0
    assert page.locator(".xpuasm-static").evaluate("box => box.offsetHeight") < 1200


def test_a_notebook_grows_little_by_300_kernels_and_is_read_with_its_widgets_state_saved(
    server: Server, open_page: OpenPage, corpus: Path, tmp_path: Path
) -> None:
    builder = CaptureBuilder(tmp_path / "run", corpus)
    for index in range(300):
        builder.kernel(f"2.40/pvc/{('add', 'softmax_w4', 'spill', 'trans')[index % 4]}", seed=f"{index}")
    server.set("@jupyter-widgets/jupyterlab-manager/plugin", saveState=True)
    page = open_page(width=1100, height=1000)
    _show(page, server, "many.ipynb", builder.folder)
    page.wait_for_selector(".xa-count >> text=300 kernels")
    wait_for_idle(page)
    save(page)
    notebook = server.saved("many.ipynb")
    assert "_payload" in json.dumps(notebook["metadata"]["widgets"])
    assert len(json.dumps(notebook)) < 300_000

    # A widget whose kernel has gone has no listing to show: the static view has one.
    restart_kernel(page)
    save(page)
    server.open(page, "many.ipynb")
    page.wait_for_selector(".xpuasm-static >> text=softmax_kernel")
    assert page.locator(".xpuasm").count() == 0


@pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])
def test_text_has_the_contrast_of_wcag_aa_in_jupyters_themes(
    server: Server, open_page: OpenPage, capture_folder: Path, theme: str
) -> None:
    server.choose_theme(theme)
    page = open_page(width=900, height=1000)
    _show(page, server, f"{theme}.ipynb", capture_folder)
    _choose(page, "spill_kernel")
    page.wait_for_selector(".xa-code[aria-label='ISA of spill_kernel'] .xa-row .nl")
    page.wait_for_selector(f".xpuasm[data-theme='{theme.split()[-1].lower()}']")
    assert page.evaluate(CONTRAST) == []
