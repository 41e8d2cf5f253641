"""The map: a lasso and one key label many nodes, as one event; the same without a pointer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from service.browser.conftest import PROJECT
from service.browser.visiting import CLASSES, Visit
from service.running import Running

pytestmark = pytest.mark.slow
Events = Callable[..., list[dict[str, Any]]]


def test_lasso_labels_at_once_as_one_undoable_event(
    visit: Callable[..., Visit], admin: str, last: Any, events: Events
) -> None:
    here = visit()
    here.enter(admin, "map")
    before, page = last(), here.page
    page.wait_for_selector(".canvas canvas")
    page.click("[aria-label^=Lasso]")
    box = page.locator(".lasso").bounding_box()
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    reach = box["height"] / 5
    page.mouse.move(middle[0] - reach, middle[1] - reach)
    page.mouse.down()
    for dx, dy in ((1, -1), (1, 1), (-1, 1), (-1, -1)):
        page.mouse.move(middle[0] + dx * reach, middle[1] + dy * reach, steps=8)
    page.mouse.up()
    page.wait_for_selector("#selected:has-text(' selected')")
    assert "Nothing" not in page.inner_text("#selected")
    page.keyboard.press("3")
    page.wait_for_selector(".note:has-text('as one event')")
    written = events(before)
    assert [each["kind"] for each in written] == ["many-labelled"]
    nodes = written[0]["payload"]["nodes"]
    assert len(nodes) > 1
    assert written[0]["payload"]["label"] == "genetic"
    page.click(".note >> text=Undo")
    page.wait_for_selector(".note:has-text('Taken back')")
    written = events(before)
    assert [(each["kind"], each["undone"]) for each in written] == [
        ("many-labelled", True),
        ("undone", False),
    ]
    assert here.errors == []


def test_select_by_search_and_neighbours_without_a_pointer(
    visit: Callable[..., Visit], admin: str, last: Any, events: Events, place: Any
) -> None:
    here = visit()
    here.enter(admin, "map")
    before, page = last(), here.page
    page.wait_for_selector(".canvas canvas")
    page.focus("input[type=search]")
    page.keyboard.type("Paper 100 ")
    page.wait_for_selector("button[aria-label^='Select Paper 100 ']")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("#selected:has-text('1 selected')")
    page.focus("text=Add their neighbours")
    page.keyboard.press("Enter")
    around = place.admin.get(
        place.url("/neighbourhood", PROJECT), params={"node": '"p100"', "hops": 1}
    ).json()
    page.wait_for_selector(f"#selected:has-text('{len(around['ids'])} selected')")
    free = {node for node, label in zip(around["ids"], around["label"], strict=True) if label < 0}
    page.focus(".map-side .answer:has-text('theory')")
    page.keyboard.press("Enter")
    page.wait_for_selector(".note:has-text('as one event')")
    assert set(events(before)[0]["payload"]["nodes"]) == free
    page.click(".note >> text=Undo")
    page.wait_for_selector(".note:has-text('Taken back')")


def test_click_opens_a_node_and_its_text_stays_text(visit: Callable[..., Visit], admin: str) -> None:
    here = visit()
    here.enter(admin, "map")
    page = here.page
    page.wait_for_selector(".canvas canvas")
    page.fill("input[type=search]", "onerror")
    page.click("button[aria-label^='Select Paper about theory']")
    page.click(".chosen-nodes .link")
    page.wait_for_selector("dialog h2:has-text('<script>')")
    page.wait_for_timeout(300)
    assert "owned" not in page.title()
    assert page.locator("dialog img, dialog script").count() == 0
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    box = page.locator(".canvas").bounding_box()
    page.wait_for_timeout(500)  # The camera has come to rest on the node.
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_selector("dialog")


@pytest.mark.parametrize("mode", ["prediction", "confidence", "wanted"])
def test_every_colouring_draws(visit: Callable[..., Visit], place: Running, admin: str, mode: str) -> None:
    for node, label in zip(["p0", "p1"], CLASSES, strict=False):  # Without a label nothing is predicted.
        place.admin.post(
            place.url("/labels", PROJECT), json={"node": node, "label": label}
        ).raise_for_status()
    here = visit()
    here.enter(admin, "map")
    page = here.page
    page.wait_for_selector(".canvas canvas")
    page.wait_for_timeout(500)
    plain = page.locator(".stage").screenshot()
    page.check(f"input[value={mode}]")
    page.wait_for_timeout(500)
    assert page.locator(".stage").screenshot() != plain
    assert here.errors == []
