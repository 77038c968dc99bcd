"""The kernel list of the report page: configs folded, columns, filters, notes, CSV."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page

from xpuasm_magic.model import Capture, Kernel, Note
from xpuasm_magic.view.html import report_html

from .conftest import CONTRAST, OpenPage

MEASURED, UNMEASURED = "triton_poi_fused_add_gelu_mul_0", "triton_per_fused__softmax_prepare_softmax_online_1"


def _config(kernel: Kernel, name: str, xblock: int, warps: int, **more: Any) -> Kernel:
    """A config of an autotuned kernel, with the code of another one."""
    constants = {"XBLOCK": xblock, "R0_BLOCK": 2048}
    variant = replace(kernel.variant, key=f"{name}-{xblock}", constants=constants, num_warps=warps)
    return replace(kernel, name=name, group=name, variant=variant, **more)


@pytest.fixture(scope="session")
def tuned(capture: Capture) -> Capture:
    """The capture, with a kernel whose configs were measured and one whose configs were not."""
    add, spill, softmax = capture["triton_poi_fused_add_0"], capture["spill_kernel"], capture.kernels[1]
    failed = Note("error", "the compiler crashed (exit status 134)")
    configs = (
        _config(add, MEASURED, 256, 4, winner=False, time_ms=0.5),
        _config(spill, MEASURED, 1024, 16, winner=False, time_ms=0.9, family="pointwise"),
        _config(add, MEASURED, 512, 8, winner=True, time_ms=0.25),
        _config(softmax, UNMEASURED, 1, 2, winner=None),
        _config(spill, UNMEASURED, 32, 8, winner=None, family=softmax.family),
        _config(softmax, UNMEASURED, 128, 16, winner=None, status="crashed", stages={}, notes=(failed,)),
    )
    return replace(capture, kernels=(*configs, *capture.kernels))


@pytest.fixture(scope="session")
def report(tuned: Capture, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("table") / "report.html"
    path.write_text(report_html(tuned), encoding="utf-8")
    return path


@pytest.fixture
def page(open_page: OpenPage, report: Path) -> Page:
    return _open(open_page(width=1200), report)


def _open(page: Page, report: Path) -> Page:
    page.goto(report.as_uri())
    page.wait_for_selector("tr.xa-kernel")
    return page


def _ids(page: Page) -> list[str]:
    ids: list[str] = page.eval_on_selector_all("tr.xa-kernel", "rows => rows.map(row => row.dataset.id)")
    return ids


def _of(page: Page, name: str) -> list[str]:
    return [id_.removeprefix(f"{name}-") for id_ in _ids(page) if id_.startswith(name)]


def _row(id_: str) -> str:
    return f'tr.xa-kernel[data-id="{id_}"]'


def _focused(page: Page) -> str:
    id_: str = page.evaluate("document.activeElement.dataset.id ?? ''")
    return id_


def _cell(page: Page, id_: str, column: str) -> str:
    names = page.eval_on_selector_all("th[data-column]", "heads => heads.map(head => head.dataset.column)")
    return page.locator(f"{_row(id_)} > *").nth(names.index(column)).inner_text()


def _columns(page: Page) -> list[str]:
    names: list[str] = page.eval_on_selector_all("th[data-column]", "heads => heads.map(head => head.dataset.column)")
    return names


def _assert_within(element: Locator, width: int) -> None:
    box = element.bounding_box()
    assert box is not None
    assert 0 <= box["x"] <= box["x"] + box["width"] <= width


def test_configs_that_lost_are_folded_under_the_one_that_won(page: Page) -> None:
    assert _of(page, MEASURED) == ["512"]
    row = page.locator(_row(f"{MEASURED}-512"))
    assert row.get_attribute("aria-expanded") == "false"
    assert row.locator(".xa-configs").inner_text() == "3 configs"
    assert "fastest of 3 configs" in (row.locator(".xa-configs").get_attribute("title") or "")
    row.locator("button.xa-fold").click()
    assert _of(page, MEASURED) == ["512", "256", "1024"]
    assert row.get_attribute("aria-expanded") == "true"
    assert page.get_attribute(_row(f"{MEASURED}-256"), "aria-level") == "2"
    row.locator("button.xa-fold").click()
    assert _of(page, MEASURED) == ["512"]


def test_where_nothing_was_measured_no_config_is_said_to_have_lost(page: Page) -> None:
    assert _of(page, UNMEASURED) == ["1"]
    assert "none measured" in (page.locator(f"{_row(f'{UNMEASURED}-1')} .xa-configs").get_attribute("title") or "")


def test_what_is_bad_about_a_folded_config_is_seen(page: Page) -> None:
    spilled = _cell(page, f"{UNMEASURED}-1", "spill_bytes")
    assert spilled.startswith("0 … ")
    assert _cell(page, f"{UNMEASURED}-1", "status") == "ok, 1 crashed"
    mark = page.locator(f"{_row(f'{UNMEASURED}-1')} .xa-mark.xa-error")
    told = mark.get_attribute("aria-label") or ""
    assert "XBLOCK=128" in told
    assert "the compiler crashed (exit status 134)" in told
    assert "XBLOCK=32" in told
    assert f"spills {spilled.removeprefix('0 … ')} B" in told
    # The worst are first, also where they are folded.
    page.click("th[data-column=spill_bytes] button")
    assert _ids(page)[:2] == [f"{MEASURED}-512", f"{UNMEASURED}-1"]


def test_configs_unfold_by_keys(page: Page) -> None:
    page.click(_row(f"{MEASURED}-512"))
    page.keyboard.press("ArrowRight")
    assert _of(page, MEASURED) == ["512", "256", "1024"]
    assert _focused(page) == f"{MEASURED}-512"
    page.keyboard.press("ArrowRight")
    assert _focused(page) == f"{MEASURED}-256"
    page.wait_for_selector(".xa-title >> text=XBLOCK=256")
    page.keyboard.press("ArrowLeft")
    assert _focused(page) == f"{MEASURED}-512"
    page.keyboard.press("ArrowLeft")
    assert _of(page, MEASURED) == ["512"]


def test_all_configs_are_shown_at_once(page: Page) -> None:
    assert page.inner_text(".xa-count") == "12 kernels, 4 folded"
    page.click("text=All configs")
    assert len(_of(page, MEASURED)) == len(_of(page, UNMEASURED)) == 3
    assert page.inner_text(".xa-count") == "12 kernels"
    page.click(f"{_row(f'{UNMEASURED}-1')} button.xa-fold")
    assert (len(_of(page, MEASURED)), len(_of(page, UNMEASURED))) == (3, 1)


def test_an_address_leads_to_a_folded_config(open_page: OpenPage, report: Path) -> None:
    page = open_page()
    page.goto(f"{report.as_uri()}#kernel={MEASURED}-1024&stage=isa")
    page.wait_for_selector(f"{_row(f'{MEASURED}-1024')}[aria-selected=true]")
    page.wait_for_selector(".xa-title >> text=XBLOCK=1024")


def test_a_kernel_without_siblings_has_nothing_to_unfold(page: Page) -> None:
    rows = page.locator("tr.xa-kernel:has(th[title='matmul_kernel'])")
    assert rows.count() == 1
    assert rows.first.get_attribute("aria-expanded") is None
    assert rows.first.locator(".xa-configs").count() == 0


@pytest.mark.parametrize("width", [1200, 720])
def test_what_tells_configs_apart_fits(open_page: OpenPage, report: Path, width: int) -> None:
    page = _open(open_page(width=width), report)
    page.click("text=All configs")
    cell = page.locator(f"{_row(f'{MEASURED}-1024')} .xa-config")
    assert cell.locator(".xa-telling").inner_text() == "XBLOCK=1024 warps=16"
    cut = cell.evaluate(
        "cell => cell.querySelector('.xa-telling').getBoundingClientRect().right - cell.getBoundingClientRect().right"
    )
    assert cut <= 0


def test_columns_are_chosen_one_by_one_by_keys_and_remembered(page: Page, report: Path) -> None:
    assert "num_warps" not in _columns(page)
    page.focus("text=Columns")
    page.keyboard.press("Enter")
    assert page.get_attribute("text=Columns", "aria-expanded") == "true"
    while page.evaluate("document.activeElement.value") != "num_warps":
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    while page.evaluate("document.activeElement.value") != "sends":
        page.keyboard.press("ArrowUp")
    page.keyboard.press("Space")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.textContent") == "Columns"
    assert page.locator(".xa-menu[aria-label=Columns]").is_hidden()
    assert "num_warps" in _columns(page)
    assert "sends" not in _columns(page)
    _open(page, report)
    assert "num_warps" in _columns(page)
    assert "sends" not in _columns(page)
    page.click("text=Columns")
    page.click("text=As at first")
    assert "num_warps" not in _columns(page)
    assert "sends" in _columns(page)
    page.check("label:has-text('All columns') input")
    assert {"key", "family", "barriers"} <= set(_columns(page))
    page.uncheck("label:has-text('All columns') input")
    assert _columns(page) == ["name"]
    page.click(".xa-verdict")
    assert page.locator(".xa-menu[aria-label=Columns]").is_hidden()


def test_headings_say_what_they_count_and_in_what(page: Page) -> None:
    title = page.get_attribute("th[data-column=spill_bytes] button", "title") or ""
    assert title == "Registers that did not fit and went to memory. Unit: bytes per hardware thread."
    titles = page.eval_on_selector_all("th[data-column] button", "all => all.map(one => one.title)")
    assert all(titles)
    assert not any("<NA>" in one for one in titles)


def test_trouble_is_counted_and_one_click_shows_it(page: Page) -> None:
    chips = page.locator(".xa-chip").all_inner_texts()
    assert {"3 spill", "1 crashed", "1 failed"} <= set(chips)
    page.click(".xa-chip >> text=spill")
    assert page.get_attribute(".xa-chip >> text=spill", "aria-pressed") == "true"
    # A config that spills is shown, and not the sibling that it is folded under.
    assert set(_ids(page)) == {f"{MEASURED}-1024", f"{UNMEASURED}-32", *[i for i in _ids(page) if "triton" not in i]}
    assert page.inner_text(".xa-count") == "3 of 12 kernels"
    page.click(".xa-chip >> text=crashed")
    assert f"{UNMEASURED}-32" in _ids(page)
    assert page.inner_text(".xa-count").startswith("4 of 12 kernels, 1 folded")


def test_filters_compose_and_an_empty_list_says_which_to_remove(page: Page) -> None:
    page.select_option("select[aria-label=Family]", label="User kernels (@triton.jit) (2)")
    assert page.inner_text(".xa-count") == "2 of 12 kernels"
    page.click(".xa-chip >> text=spill")
    assert page.inner_text(".xa-count") == "1 of 12 kernels"
    page.fill(".xa-filter", "matmul")
    empty = page.inner_text(".xa-empty")
    assert "No kernel answers to “matmul” and User kernels (@triton.jit) and spill." in empty
    page.click("text=Without spill: 1 kernel")
    assert page.locator("tr.xa-kernel th").first.get_attribute("title") == "matmul_kernel"
    page.fill(".xa-filter", "nothing has this name")
    page.click("text=Without “nothing has this name”: 2 kernels")
    assert page.inner_text(".xa-count") == "2 of 12 kernels"
    # Sorting stays.
    page.click("th[data-column=instructions] button")
    page.select_option("select[aria-label=Family]", "")
    assert page.get_attribute("th[data-column=instructions]", "aria-sort") == "descending"


def test_rows_are_copied_as_csv_all_or_one(page: Page) -> None:
    page.click("text=Copy CSV")
    page.wait_for_selector("text=Copied")
    lines = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert lines[0].split(",") == _columns(page)
    assert len(lines) == 1 + len(_ids(page))
    page.click(_row(f"{MEASURED}-512"))
    page.keyboard.press("c")
    page.wait_for_selector("text=Row copied")
    head, row = page.evaluate("navigator.clipboard.readText()").splitlines()
    cells = dict(zip(head.split(","), row.split(","), strict=True))
    assert (cells["name"], cells["spill_bytes"], cells["time_ms"]) == (MEASURED, "0", "0.25")
    assert _focused(page) == f"{MEASURED}-512"


@pytest.mark.parametrize("many", [1, 5, 40])
def test_notes_are_seen_however_many_there_are(open_page: OpenPage, tuned: Capture, tmp_path: Path, many: int) -> None:
    notes = [Note("warning", f"graph break {i}") for i in range(many - 1)] + [Note("error", "a file is damaged")]
    path = tmp_path / "report.html"
    path.write_text(report_html(replace(tuned, notes=tuple(notes))), encoding="utf-8")
    page = _open(open_page(width=900, height=700), path)
    box = page.locator(".xa-notes").first
    assert box.locator(".xa-note").first.inner_text().endswith("a file is damaged")  # the gravest is first
    assert box.locator(".xa-note").filter(visible=True).count() == min(many, 3)
    assert box.locator("summary").all_inner_texts() == (
        [] if many == 1 else [f"!{many - 3} more notes: {many - 3} warnings"]
    )
    assert page.locator("tr.xa-kernel").first.is_visible()
    if many > 1:
        box.locator("summary").click()
        assert box.locator(".xa-note").filter(visible=True).count() == many
    assert box.evaluate("box => box.offsetHeight") <= 180
    assert page.locator(".xa-code").evaluate("code => code.clientHeight") > 90


def test_notes_that_say_the_same_of_many_files_are_one(open_page: OpenPage, tuned: Capture, tmp_path: Path) -> None:
    notes = tuple(Note("warning", "the file is empty", f"igc/{i}/a.asm") for i in range(9))
    path = tmp_path / "report.html"
    path.write_text(report_html(replace(tuned, notes=notes)), encoding="utf-8")
    page = _open(open_page(), path)
    (text,) = page.locator(".xa-notes").first.locator(".xa-note").all_inner_texts()
    assert "igc/0/a.asm igc/1/a.asm igc/2/a.asm and 6 more files" in text


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [480, 720, 1200], ids=["beside a file list", "900 at 125 %", "1200"])
def test_the_first_screen_is_whole_in_a_narrow_window(
    open_page: OpenPage, report: Path, dark: bool, width: int
) -> None:
    page = _open(open_page(width=width, height=700, dark=dark), report)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for selector in (".xa-tools button, .xa-tools select, .xa-tools input", ".xa-chip", ".xa-tab"):
        for box in page.locator(selector).filter(visible=True).all():
            _assert_within(box, width)
    # The number that people look for needs no scrolling.
    _assert_within(page.locator("th[data-column=spill_bytes]"), width)
    page.click("text=Columns")
    _assert_within(page.locator(".xa-menu[aria-label=Columns]"), width)
    assert page.evaluate(CONTRAST) == []
