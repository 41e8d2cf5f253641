"""The page for everybody: narrow screens, keyboards, screen readers, light and dark."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from service.browser.visiting import Visit

pytestmark = pytest.mark.slow
VIEWS = ["label", "map", "curves", "people", "history", "settings"]
UNNAMED = """() => [...document.querySelectorAll('button, a[href], input, select, [role=img], [role=meter], dialog')]
  .filter(each => each.getClientRects().length)
  .filter(each => !(each.getAttribute('aria-label') || each.innerText?.trim() || each.labels?.[0]?.innerText?.trim()))
  .map(each => each.outerHTML)"""
TARGETS = """() => [...document.querySelectorAll('.answer, .views a')].map(each => each.getBoundingClientRect())
  .map(box => Math.min(box.width, box.height))"""


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_cut_off_at_phone_width(
    visit: Callable[..., Visit], admin: str, view: str, scheme: str
) -> None:
    here = visit(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True, color_scheme=scheme)
    here.enter(admin, view)
    here.page.wait_for_load_state("networkidle") if view == "settings" else here.page.wait_for_timeout(800)
    assert here.page.evaluate("document.documentElement.scrollWidth") == 360
    assert min(here.page.evaluate(TARGETS)) >= 40
    assert here.errors == []


def test_a_phone_labels_by_touch(visit: Callable[..., Visit], admin: str) -> None:
    here = visit(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    here.enter(admin)
    node = here.node()
    here.page.wait_for_timeout(200)
    here.page.tap(f".answer >> nth={int(here.key_of_truth()) - 1}")
    here.page.wait_for_function(
        "n => document.querySelector('.question .node-name')?.textContent !== n", arg=node
    )
    here.until_saved()


@pytest.mark.parametrize("view", VIEWS)
def test_every_control_has_a_name_and_the_page_its_landmarks(
    visit: Callable[..., Visit], admin: str, view: str
) -> None:
    here = visit()
    here.enter(admin, view)
    here.page.wait_for_timeout(800)
    assert here.page.evaluate(UNNAMED) == []
    for landmark in ("header", "nav[aria-label]", "main", "h1", "h2"):
        assert here.page.locator(landmark).count() >= 1, landmark
    assert here.page.locator("nav [aria-current=page]").count() == 1
    assert here.page.locator("[aria-live=polite]").count() >= 2
    assert here.errors == []


def test_tab_reaches_the_answers_and_shows_where_it_is(visit: Callable[..., Visit], admin: str) -> None:
    here = visit()
    here.enter(admin)
    page = here.page
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('answer')"):
            break
    assert page.evaluate("document.activeElement.classList.contains('answer')")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    node = here.node()
    page.wait_for_timeout(150)
    page.keyboard.press("Enter")
    page.wait_for_function("n => document.querySelector('.question .node-name')?.textContent !== n", arg=node)
    here.until_saved()
    page.keyboard.press("u")
    page.wait_for_function("n => document.querySelector('.question .node-name')?.textContent === n", arg=node)


def test_the_switch_changes_the_colours_and_is_remembered(visit: Callable[..., Visit], admin: str) -> None:
    here = visit(color_scheme="light")
    here.enter(admin)
    ground = "getComputedStyle(document.querySelector('.ohm')).backgroundColor"
    light = here.page.evaluate(ground)
    here.page.click("[aria-label^='Colours']")
    here.page.click("[aria-label^='Colours']")
    dark = here.page.evaluate(ground)
    assert dark != light
    here.page.reload()
    here.page.wait_for_selector(".answer")
    assert here.page.evaluate(ground) == dark


def test_a_wrong_token_is_told_and_a_right_one_opens(visit: Callable[..., Visit], admin: str) -> None:
    here = visit()
    page: Any = here.page
    page.goto(f"{here.address}/#/p/{here.id}/label")
    page.fill("#token", "not a token")
    page.keyboard.press("Enter")
    page.wait_for_selector("#token-problem:not(:empty)")
    page.fill("#token", admin)
    page.keyboard.press("Enter")
    page.wait_for_selector(".answer")
    page.click("[aria-label^='Log out']")
    page.wait_for_selector("#token")


def test_the_token_leaves_the_address(visit: Callable[..., Visit], admin: str) -> None:
    here = visit()
    here.enter(admin)
    assert admin not in here.page.url
    assert here.page.evaluate("history.length") >= 1
    here.page.go_back()
    assert admin not in here.page.url
