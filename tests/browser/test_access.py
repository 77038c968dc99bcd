"""The report page for everybody: enlarged, narrow, by keys alone, by ear, with less motion."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from .conftest import CONTRAST, OpenPage

NAMELESS = """() => {
  const ids = (element, name) => (element.getAttribute(name) ?? '').split(/\\s+/).filter(Boolean);
  const spoken = (element) => [
    element.getAttribute('aria-label'),
    ...ids(element, 'aria-labelledby').map((id) => document.getElementById(id)?.textContent),
    ...[...(element.labels ?? [])].map((label) => label.textContent),
    element.matches('input, select') ? null : element.textContent,
    element.getAttribute('title'),
  ].some((text) => text && text.trim());
  const interactive = 'a[href], button, input, select, textarea, summary, dialog, table, [tabindex]';
  const roles = ['tab', 'tablist', 'separator', 'group', 'dialog', 'grid', 'listbox', 'menu', 'menuitem', 'search'];
  const all = `${interactive}, ${roles.map((role) => `[role=${role}]`).join(', ')}`;
  return [...document.querySelectorAll(`.xpuasm :is(${all})`)]
    .filter((element) => element.checkVisibility() && !spoken(element))
    .map((element) => `${element.tagName}.${element.className}`);
}"""
"""Elements that do something and that a screen reader could not name."""

MISUSED = """() => {
  const roles = new Set(`alert button dialog group img list listbox menu menuitem menuitemcheckbox menuitemradio none
    option presentation progressbar region search separator status tab tablist tabpanel timer toolbar tooltip grid
    treegrid row gridcell document log code`.split(/\\s+/));
  const alone = { tab: 'tablist', menuitem: 'menu', menuitemcheckbox: 'menu', option: 'listbox' };
  const wrong = [];
  for (const element of document.querySelectorAll('.xpuasm *')) {
    const role = element.getAttribute('role');
    if (role && !roles.has(role)) wrong.push(`${element.className}: role ${role}`);
    const around = alone[role] && element.parentElement.closest(`[role=${alone[role]}]`);
    if (alone[role] && !around) wrong.push(`${element.className}: alone`);
    for (const name of ['aria-controls', 'aria-labelledby', 'aria-describedby', 'aria-activedescendant']) {
      const ids = (element.getAttribute(name) ?? '').split(/\\s+/).filter(Boolean);
      if (!ids.every((id) => document.getElementById(id))) wrong.push(`${element.className}: ${name} ${ids}`);
    }
    if (element.closest('[aria-hidden=true]') && element.matches('button, input, select, a, [tabindex="0"]'))
      wrong.push(`${element.className}: hidden, and yet focused`);
  }
  const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
  wrong.push(...ids.filter((id, index) => ids.indexOf(id) !== index));
  return wrong;
}"""
"""Roles that do not exist or stand in the wrong place, references that lead nowhere, ids twice."""

FOCUS = """() => {
  const element = document.activeElement;
  const look = getComputedStyle(element);
  const name = element.querySelector?.('th') ?? element;
  const box = element.getBoundingClientRect();
  const outlined = look.outlineStyle !== 'none' && parseFloat(look.outlineWidth) >= 1;
  return {
    name: `${element.tagName}.${element.className}`,
    inside: Boolean(element.closest('.xpuasm')),
    seen: outlined || getComputedStyle(name).boxShadow !== 'none',
    within: box.right > 0 && box.left < innerWidth,
  };
}"""


def _open(page: Page, report: Path, kernel: str = "spill_kernel") -> Page:
    page.goto(report.as_uri())
    page.click(f"tr.xa-kernel:has(th[title*='{kernel}'])")
    page.wait_for_selector(".xa-row .k, .xa-row .nf")
    return page


def _assert_nothing_is_cut_off(page: Page) -> None:
    width = page.evaluate("innerWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    hidden = page.evaluate(
        """() => [...document.querySelectorAll('.xpuasm :is(button, input, select)')]
          .filter((element) => element.checkVisibility() && !element.closest('.xa-grid'))
          .map((element) => [element.className, element.getBoundingClientRect()])
          .filter(([, box]) => box.left < 0 || box.right > innerWidth + 1).map(([name]) => name)"""
    )
    assert hidden == []
    assert page.locator(".xa-row").count() >= 6


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("panes", [1, 3])
def test_contrast_is_that_of_wcag_aa_in_all_parts(open_page: OpenPage, report: Path, dark: bool, panes: int) -> None:
    page = _open(open_page(dark=dark), report)
    page.click(f".xa-layout button:nth-child({panes})")
    page.locator(".xa-row .k").first.click()
    assert page.evaluate(CONTRAST) == []
    page.keyboard.press("h")
    page.wait_for_selector(".xa-help")
    assert page.evaluate(CONTRAST) == []
    page.click("[aria-label=Keys]")
    assert page.evaluate(CONTRAST) == []
    page.keyboard.press("Escape")
    page.click("tr.xa-kernel >> text=triton_red_fused_sum_7")
    page.wait_for_selector(".xa-error-text")
    page.click(".xa-foot summary")
    assert page.evaluate(CONTRAST) == []


@pytest.mark.parametrize("panes", [1, 2, 3])
def test_whatever_does_something_has_a_name_and_a_role(open_page: OpenPage, report: Path, panes: int) -> None:
    page = _open(open_page(), report)
    page.click(f".xa-layout button:nth-child({panes})")
    assert page.evaluate(NAMELESS) == []
    assert page.evaluate(MISUSED) == []
    page.click("[aria-label=Keys]")
    assert page.evaluate(NAMELESS) == []
    page.keyboard.press("Escape")
    page.click("tr.xa-kernel >> text=triton_red_fused_sum_7")
    page.wait_for_selector(".xa-error-text")
    assert page.evaluate(NAMELESS) == []
    assert page.evaluate(MISUSED) == []


@pytest.mark.parametrize("panes", [1, 2])
def test_tab_reaches_everything_and_is_seen_where_it_is(open_page: OpenPage, report: Path, panes: int) -> None:
    page = _open(open_page(), report)
    page.click(f".xa-layout button:nth-child({panes})")
    page.reload()
    page.wait_for_selector(".xa-row .k, .xa-row .nf")
    visited = []
    for _ in range(80):
        page.keyboard.press("Tab")
        focus = page.evaluate(FOCUS)
        if not focus["inside"]:
            break
        assert focus["seen"], f"the focus on {focus['name']} is not seen"
        assert focus["within"], f"the focus on {focus['name']} is outside the window"
        visited.append(focus["name"])
    text = " ".join(visited)
    for part in ("xa-filter", "xa-sort", "xa-kernel", "xa-find", "xa-code"):
        assert part in text, f"{part} is not reached: {text}"
    assert visited.count("TR.xa-kernel") == 1, "one stop for all rows: arrows go on from there"
    assert "SUMMARY." in text
    if panes == 2:
        assert "xa-divider" in text


def test_the_page_is_read_by_keys_alone(open_page: OpenPage, report: Path) -> None:
    page = open_page()
    page.goto(report.as_uri())
    page.wait_for_selector("tr.xa-kernel")
    page.keyboard.press("/")
    page.keyboard.type("softmax")
    page.keyboard.press("Enter")
    page.wait_for_selector(".xa-title >> text=softmax")
    page.wait_for_selector(".xa-row .nf")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.className") == "xa-code"
    page.keyboard.press("/")
    page.keyboard.type("load")
    page.keyboard.press("Enter")
    page.wait_for_selector(".xa-row.xa-current >> text=load")
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog[open]", state="detached")


@pytest.mark.parametrize("width", [900, 1280])
@pytest.mark.parametrize("zoom", [1.25, 1.5])
def test_nothing_is_cut_off_when_the_page_is_enlarged(chromium: Browser, report: Path, width: int, zoom: float) -> None:
    # A browser's zoom is a smaller window of larger pixels.
    context = chromium.new_context(
        viewport={"width": round(width / zoom), "height": round(900 / zoom)}, device_scale_factor=zoom
    )
    page = _open(context.new_page(), report)
    _assert_nothing_is_cut_off(page)
    page.click(".xa-layout button:nth-child(2)")
    _assert_nothing_is_cut_off(page)
    context.close()


@pytest.mark.parametrize("panes", [1, 2])
def test_a_window_of_900_pixels_has_room_for_all(open_page: OpenPage, report: Path, panes: int) -> None:
    page = _open(open_page(width=900, height=800), report)
    page.click(f".xa-layout button:nth-child({panes})")
    page.wait_for_selector(f".xa-stage >> nth={panes - 1} >> .xa-row")
    _assert_nothing_is_cut_off(page)


def test_nothing_moves_by_itself_for_who_asks_for_less_motion(chromium: Browser, report: Path) -> None:
    context = chromium.new_context(reduced_motion="reduce")
    page = _open(context.new_page(), report)
    page.locator(".xa-row .k").first.click()
    moving = page.evaluate(
        """() => [...document.querySelectorAll('.xpuasm, .xpuasm *')].filter((element) => {
          const look = getComputedStyle(element);
          const lasts = (text) => text.split(',').some((part) => parseFloat(part) > 0.01);
          return (look.animationName !== 'none' && lasts(look.animationDuration)) || lasts(look.transitionDuration)
            || look.scrollBehavior === 'smooth';
        }).map((element) => element.className)"""
    )
    assert moving == []
    assert page.evaluate("document.getAnimations().length") == 0
    context.close()


def test_colours_are_not_the_only_sign(open_page: OpenPage, report: Path) -> None:
    """Trouble is a word or a mark, the chosen row and the lit lines are told apart by more than a tone."""
    page = _open(open_page(), report)
    assert page.locator("tr.xa-kernel[aria-selected=true]").count() == 1
    assert page.locator(".xa-facts .xa-bad").inner_text().startswith("spills")
    assert page.locator("tr.xa-kernel >> text=failed").count() >= 1
    page.locator(".xa-row .k").first.click()
    assert page.locator(".xa-row.xa-lit").first.evaluate("row => getComputedStyle(row).boxShadow") != "none"
