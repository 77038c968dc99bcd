"""JupyterLab and Notebook 7, each a real server with a home of its own."""

from __future__ import annotations

import json
import os
import re
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Page
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

ROOT = Path(__file__).parents[2]
STARTS_WITHIN_S = 60
Kind = Literal["jupyterlab", "notebook"]


@dataclass(frozen=True)
class Server:
    """A running JupyterLab or Notebook; `folder` has its notebooks."""

    kind: Kind
    url: str
    token: str
    folder: Path

    def choose_theme(self, name: str) -> None:
        self.set("@jupyterlab/apputils-extension/themes", theme=name)

    def set(self, plugin: str, **settings: object) -> None:
        """Settings of `package/plugin`, for pages that are opened from now on."""
        path = self.folder.parent / "settings" / f"{plugin}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(settings), encoding="utf-8")

    def write(self, name: str, *sources: str) -> str:
        """A notebook of these code cells; returns its name."""
        cells = [
            {
                "cell_type": "code",
                "id": f"cell-{index}",
                "metadata": {},
                "execution_count": None,
                "outputs": [],
                "source": source,
            }
            for index, source in enumerate(sources)
        ]
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        notebook = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
        (self.folder / name).write_text(json.dumps(notebook), encoding="utf-8")
        return name

    def saved(self, name: str) -> dict[str, Any]:
        notebook: dict[str, Any] = json.loads((self.folder / name).read_text(encoding="utf-8"))
        return notebook

    def open(self, page: Page, notebook: str) -> None:
        """Opens it, or opens it again."""
        where = f"lab/tree/{notebook}?reset&" if self.kind == "jupyterlab" else f"notebooks/{notebook}?"
        page.goto(f"{self.url}/{where}token={self.token}")
        page.wait_for_selector(".jp-NotebookPanel .jp-Cell .cm-content", timeout=60_000)
        wait_for_idle(page)


def wait_for_idle(page: Page) -> None:
    # A narrow tool bar hides it.
    page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status='idle']", state="attached", timeout=60_000)


def run_cells(page: Page, count: int = 1) -> None:
    """Runs the first cells, one after the other. Before the kernel is connected a run is dropped without a word."""
    for index in range(count):
        cell = page.locator(".jp-CodeCell").nth(index)
        ran = cell.locator(".jp-InputPrompt", has_text=re.compile(r"\[[*\d]+\]"))
        for _ in range(30):
            if (dialog := page.locator(".jp-Dialog")).count():  # Jupyter's own, on a machine that is very busy
                print(dialog.first.inner_text())
                dialog.locator(".jp-mod-accept").first.click()
            cell.locator(".cm-content").click()
            page.keyboard.press("Control+Enter")
            with suppress(PlaywrightTimeoutError):
                ran.wait_for(timeout=2000)
                break


def save(page: Page) -> None:
    """Saves, wherever the focus is, and waits for the file to be written."""
    with page.expect_response(lambda response: response.request.method == "PUT" and "/api/contents/" in response.url):
        page.keyboard.press("Control+s")


def restart_kernel(page: Page) -> None:
    page.locator(".jp-Cell .jp-InputPrompt").first.click()
    page.keyboard.press("0")
    page.keyboard.press("0")
    page.click(".jp-Dialog .jp-mod-accept")
    page.wait_for_selector(".jp-Dialog", state="detached")
    wait_for_idle(page)


@contextmanager
def serving(kind: Kind, home: Path, arguments: Sequence[str] = ()) -> Iterator[Server]:
    folder = home / "notebooks"
    folder.mkdir(parents=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    token = secrets.token_hex(16)
    log = home / "log"
    with log.open("w") as out:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", kind, "--no-browser", "--allow-root", "--ip=127.0.0.1"),
                *(f"--port={port}", "--ServerApp.port_retries=0", f"--IdentityProvider.token={token}"),
                *(f"--ServerApp.root_dir={folder}", *arguments),
            ],
            env={
                **os.environ,
                "HOME": str(home),
                "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
                "PYTHONPATH": str(ROOT),
            },
            stdout=out,
            stderr=subprocess.STDOUT,
        )
        server = Server(kind, f"http://127.0.0.1:{port}", token, folder)
        try:
            server.set("@jupyterlab/apputils-extension/notification", fetchNews="false", checkForUpdates=False)
            _wait_for(server, process, log)
            yield server
        finally:
            process.terminate()
            process.wait(timeout=20)


def _wait_for(server: Server, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + STARTS_WITHIN_S
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while time.monotonic() < end and process.poll() is None:
        try:
            with direct.open(f"{server.url}/api/status?token={server.token}", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    pytest.fail(f"{server.kind} did not start:\n{log.read_text()[-2000:]}")
