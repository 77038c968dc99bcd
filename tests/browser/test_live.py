"""A run that goes on, in a real JupyterLab and a real Notebook 7: seen, read and stopped before its end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from .conftest import CONTRAST, OpenPage
from .server import Server, restart_kernel, run_cells, save, serving, wait_for_idle

LOAD = "%load_ext xpuasm_magic"
KERNELS = """%%xpu_asm --device pvc --name made
import time
from pathlib import Path
import torch, triton, triton.language as tl

@triton.jit
def first_kernel(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)

@triton.jit
def second_kernel(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.exp(tl.load(x + i, mask=i < n)), mask=i < n)

x = torch.ones(1000, device="xpu")
first_kernel[(1,)](x, 1000, BLOCK=1024)
print("first launched", flush=True)
while not Path("GO").exists():
    time.sleep(0.05)
second_kernel[(1,)](x, 1000, BLOCK=1024)
print("the end")
"""
RUNS_WITHIN_MS = 120_000


@pytest.fixture(scope="module", params=["jupyterlab", "notebook"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(request.param, tmp_path_factory.mktemp(request.param)) as running:
        yield running


def _kernels_until(go: Path) -> str:
    return KERNELS.replace("GO", str(go))


def _row(name: str) -> str:
    return f"tr.xa-kernel:has(th[title='{name}'])"


def _begin(page: Page, server: Server, name: str, *cells: str) -> None:
    """Runs all cells, and waits for the first kernel of the run."""
    page.set_default_timeout(RUNS_WITHIN_MS)
    server.open(page, server.write(name, LOAD, *cells))
    run_cells(page, 1 + len(cells))
    page.wait_for_selector(_row("first_kernel"))


def test_the_first_kernel_is_read_while_the_run_goes_on(server: Server, open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(width=1100, height=1000)
    _begin(page, server, "grows.ipynb", _kernels_until(tmp_path / "go"), "print(made['second_kernel'].status, type(_))")
    assert page.locator(".xa-progress").is_visible()

    # Its machine code, from a Python kernel that is busy with the cell.
    page.wait_for_selector(".xa-code[aria-label='ISA of first_kernel'] .xa-row .nf >> text=load")
    assert page.locator("tr.xa-kernel").count() == 1
    assert page.inner_text(".xa-running") == "running"
    assert page.inner_text(".xa-counts") == "1 kernel found, 1 compiled"
    clock = page.inner_text(".xa-clock")
    page.wait_for_function("before => document.querySelector('.xa-clock').textContent !== before", arg=clock)
    assert page.evaluate(CONTRAST) == []

    # What is being read stays where it is when the second kernel comes and the run ends.
    page.evaluate("document.querySelector('.xa-code').scrollTop = 180")
    page.evaluate("document.querySelector('.xpuasm').dataset.same = 'yes'")
    (tmp_path / "go").touch()
    page.wait_for_selector(_row("second_kernel"))
    expect(page.locator(".xa-progress")).to_be_hidden()
    assert page.evaluate("document.querySelector('.xa-code').scrollTop") == 180
    assert page.locator(".xpuasm").count() == 1, "one output, and not a second one as the value of the cell"
    assert page.get_attribute(".xpuasm", "data-same") == "yes", "and the same from the first moment to the last"
    wait_for_idle(page)
    page.wait_for_selector(".jp-OutputArea-output >> text=ok <class 'xpuasm_magic.view.widget.Browser'>")
    page.click(_row("second_kernel"))
    page.wait_for_selector(".xa-code[aria-label='ISA of second_kernel'] .xa-row .nf >> text=load")


def test_lines_of_a_cell_are_named_as_the_notebook_names_them(
    server: Server, open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(width=1100, height=1000)
    (tmp_path / "go").touch()
    _begin(page, server, "lines.ipynb", _kernels_until(tmp_path / "go"))
    page.wait_for_selector(_row("second_kernel"))
    expect(page.locator(".xa-progress")).to_be_hidden()
    page.click(_row("second_kernel"))
    page.click(".xa-tab[data-stage=python]")

    # The source is the whole cell: it opens at the kernel's own function.
    page.wait_for_selector(".xa-row >> text=def second_kernel")
    lines = KERNELS.splitlines()
    store = next(at for at, line in enumerate(lines, 1) if "tl.exp" in line)
    page.click(".xa-row >> text=tl.exp")
    page.wait_for_selector(f".xa-where >> text=In[2]:{store}")


def test_the_stop_button_interrupts_the_run(server: Server, open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(width=1100, height=1000)
    _begin(page, server, "stops.ipynb", _kernels_until(tmp_path / "never"), "print('the next ' + 'cell')")
    page.click(".xa-stop")
    said = "interrupted; what was compiled by then is shown above"
    page.wait_for_selector(f".jp-OutputArea-output >> text={said}")
    expect(page.locator(".xa-progress")).to_be_hidden()
    page.wait_for_selector(".xa-note >> text=interrupted")
    page.wait_for_selector(_row("first_kernel"))
    assert page.locator(".xpuasm").count() == 1
    assert page.locator("text=the next cell").count() == 0, "run all stops here"
    assert page.locator(".jp-OutputArea-output", has_text=said).last.inner_text().strip() == said


def test_a_page_that_is_closed_in_the_middle_and_opened_again_shows_the_end(
    server: Server, open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(width=1100, height=1000)
    _begin(page, server, "closed.ipynb", _kernels_until(tmp_path / "go"))
    save(page)
    where = page.url.split("?")[0]
    page.close()
    again = open_page(width=1100, height=1000)
    again.set_default_timeout(RUNS_WITHIN_MS)
    again.goto(f"{where}?token={server.token}")
    again.wait_for_selector(".xpuasm-static >> text=the run goes on")
    (tmp_path / "go").touch()
    again.wait_for_selector(_row("second_kernel"))
    assert not again.locator(".xa-progress").is_visible()


def test_a_kernel_restarted_in_the_middle_hangs_nothing(server: Server, open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(width=1100, height=1000)
    _begin(page, server, "restarted.ipynb", _kernels_until(tmp_path / "never"))
    restart_kernel(page)
    run_cells(page, 1)
    wait_for_idle(page)
    page.wait_for_selector(".xa-hint >> text=has been restarted or has ended")
    assert not page.locator(".xa-stop").is_visible()


@pytest.mark.parametrize("server", ["jupyterlab"], indirect=True)  # Notebook 7 has no such setting
def test_where_a_busy_kernel_answers_no_page_there_is_no_stop_button_and_the_page_says_so(
    server: Server, open_page: OpenPage, tmp_path: Path
) -> None:
    settings = server.folder.parent / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True, exist_ok=True)
    subshells = settings / "kernels-settings.jupyterlab-settings"
    subshells.write_text('{"commsOverSubshells": "disabled"}', encoding="utf-8")
    try:
        page = open_page(width=1100, height=1000)
        _begin(page, server, "deaf.ipynb", _kernels_until(tmp_path / "go"))
        page.wait_for_selector(".xa-hint >> text=The notebook's own stop button works now")
        assert not page.locator(".xa-stop").is_visible()
        (tmp_path / "go").touch()
        page.wait_for_selector(_row("second_kernel"))
        page.wait_for_selector(".xa-code[aria-label='ISA of first_kernel'] .xa-row .nf >> text=load")
        expect(page.locator(".xa-progress")).to_be_hidden()
    finally:
        subshells.unlink()
