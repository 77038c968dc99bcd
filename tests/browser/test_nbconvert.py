"""`jupyter nbconvert --execute --to html`: the page is readable where no widget can be loaded, offline too."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Browser

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def page_file(capture_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nbconvert")
    notebook = new_notebook(
        cells=[new_code_cell("%load_ext xpuasm_magic"), new_code_cell(f"%xpu_asm {capture_folder}")]
    )
    nbformat.write(notebook, folder / "kernels.ipynb")
    subprocess.run(
        [sys.executable, "-m", "nbconvert", "--execute", "--to", "html", "kernels.ipynb"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(folder)},
        check=True,
        capture_output=True,
    )
    return folder / "kernels.html"


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_converted_notebook_is_readable_without_a_network(chromium: Browser, page_file: Path, dark: bool) -> None:
    assert "widget-state+json" in page_file.read_text(encoding="utf-8")  # nbconvert tries to load a widget
    context = chromium.new_context(offline=True, color_scheme="dark" if dark else "light")
    page = context.new_page()
    page.goto(page_file.as_uri())
    page.wait_for_selector(".xpuasm-static td >> text=softmax_kernel")
    page.click(".xpuasm-static summary >> text=ISA")
    assert "mov (16|M0)" in page.inner_text(".xpuasm-static pre")
    assert "Error" not in page.inner_text("main")
    context.close()
