"""The widget in a real JupyterLab: messages to a live Python kernel, Jupyter's keys and themes."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page

from .conftest import CONTRAST, OpenPage

ROOT = Path(__file__).parents[2]
STARTS_WITHIN_S = 60


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab."""

    url: str
    token: str
    folder: Path

    def choose_theme(self, name: str) -> None:
        settings = self.folder.parent / "settings" / "@jupyterlab" / "apputils-extension"
        settings.mkdir(parents=True, exist_ok=True)
        (settings / "themes.jupyterlab-settings").write_text(json.dumps({"theme": name}), encoding="utf-8")

    def page_of(self, notebook: str) -> str:
        return f"{self.url}/lab/tree/{notebook}?token={self.token}&reset"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    home = tmp_path_factory.mktemp("lab")
    folder = home / "notebooks"
    folder.mkdir()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    token = secrets.token_hex(16)
    log = (home / "log").open("w")
    server = subprocess.Popen(
        [
            *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1"),
            *(f"--port={port}", "--ServerApp.port_retries=0", f"--IdentityProvider.token={token}"),
            f"--ServerApp.root_dir={folder}",
        ],
        env={
            **os.environ,
            "HOME": str(home),
            "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
            "PYTHONPATH": str(ROOT),
        },
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    running = Lab(f"http://127.0.0.1:{port}", token, folder)
    try:
        _wait_for(running, server, home / "log")
        yield running
    finally:
        server.terminate()
        server.wait(timeout=20)
        log.close()


def _wait_for(lab: Lab, server: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + STARTS_WITHIN_S
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while time.monotonic() < end and server.poll() is None:
        try:
            with direct.open(f"{lab.url}/api/status?token={lab.token}", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    pytest.fail(f"JupyterLab did not start:\n{log.read_text()[-2000:]}")


def _notebook(lab: Lab, name: str, source: str) -> str:
    cell = {
        "cell_type": "code",
        "id": "only",
        "metadata": {},
        "execution_count": None,
        "outputs": [],
        "source": source,
    }
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = {"cells": [cell], "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    (lab.folder / name).write_text(json.dumps(notebook), encoding="utf-8")
    return name


def _show(folder: Path) -> str:
    return (
        "from xpuasm_magic import read_capture\n"
        "from xpuasm_magic.view.widget import Browser\n"
        f"Browser(read_capture({str(folder)!r}))"
    )


def _run_first_cell(page: Page, lab: Lab, notebook: str) -> None:
    page.goto(lab.page_of(notebook))
    page.wait_for_selector(".jp-NotebookPanel .jp-Cell .cm-content", timeout=60_000)
    # Before the kernel is ready a run is dropped without a word.
    page.wait_for_selector("#jp-main-statusbar >> text=/Idle/", timeout=60_000)
    page.click(".jp-Cell .cm-content")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".xpuasm tr.xa-kernel", timeout=60_000)


def _choose(page: Page, name: str) -> None:
    page.click(f"tr.xa-kernel:has(th[title='{name}'])")
    page.wait_for_selector(f".xa-title >> text={name}")


def test_a_capture_is_browsed_in_jupyterlab(lab: Lab, open_page: OpenPage, capture_folder: Path) -> None:
    folder = lab.folder.parent / "run"
    shutil.copytree(capture_folder, folder)
    page = open_page(width=1100, height=1000)
    _run_first_cell(page, lab, _notebook(lab, "browse.ipynb", _show(folder)))

    # A click asks the Python kernel for the listing, and for the colours of what is seen.
    _choose(page, "softmax_kernel")
    page.wait_for_selector(".xa-row .nf >> text=load")
    assert page.get_attribute(".xpuasm", "data-theme") == "light"

    # The keys are ours, not the notebook's: "dd" in command mode would delete the cell.
    page.keyboard.press("/")
    page.keyboard.type("addd")
    page.keyboard.press("Backspace")
    assert page.inner_text(".xa-count") == "1 of 5 kernels"
    page.keyboard.press("ArrowDown")
    page.wait_for_selector(".xa-title >> text=add_kernel")
    page.wait_for_selector(".xa-row .nf >> text=load")
    page.keyboard.press("d")
    page.keyboard.press("d")
    assert page.locator(".jp-Cell").count() == 1

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


@pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])
def test_text_has_the_contrast_of_wcag_aa_in_jupyters_themes(
    lab: Lab, open_page: OpenPage, capture_folder: Path, theme: str
) -> None:
    lab.choose_theme(theme)
    page = open_page(width=900, height=1000)
    _run_first_cell(page, lab, _notebook(lab, f"{theme}.ipynb", _show(capture_folder)))
    _choose(page, "spill_kernel")
    page.wait_for_selector(".xa-code[aria-label='ISA of spill_kernel'] .xa-row .nl")
    page.wait_for_selector(f".xpuasm[data-theme='{theme.split()[-1].lower()}']")
    assert page.evaluate(CONTRAST) == []
