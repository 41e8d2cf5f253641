"""Labelling by keyboard: nothing is lost, nothing counts twice, and everything can be taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from service.browser.visiting import Visit

pytestmark = pytest.mark.slow
Events = Callable[..., list[dict[str, Any]]]


def test_thirty_items_by_keyboard(visit: Callable[..., Visit], admin: str, last: Any, events: Events) -> None:
    here, before = visit(), last()
    here.enter(admin)
    said = [here.answer() for _ in range(30)]
    saved = here.until_saved()
    written = events(before)
    assert {each["kind"] for each in written} == {"labelled"}
    labelled = [each["payload"] for each in written]
    assert [(each["node"], each["label"]) for each in labelled] == said
    assert len({node for node, _ in said}) == 30
    assert written[-1]["seq"] == saved
    assert all(each["seconds"] > 0 for each in labelled)
    assert here.errors == []
    assert all(url.startswith(here.address) for url in here.asked)


def test_undo_brings_the_question_back_also_after_a_reload(
    visit: Callable[..., Visit], admin: str, last: Any, events: Events
) -> None:
    here = visit()
    here.enter(admin)
    before = last()
    first, _ = here.answer()
    second, _ = here.answer()
    here.until_saved()
    here.page.keyboard.press("u")
    here.page.wait_for_function(
        "n => document.querySelector('.question .node-name').textContent === n", arg=second
    )
    here.page.reload()
    here.page.wait_for_selector(".answer")
    here.page.keyboard.press("u")
    here.page.wait_for_function(
        "n => document.querySelector('.question .node-name').textContent === n", arg=first
    )
    labelled = [each for each in events(before) if each["kind"] == "labelled"]
    assert [(each["payload"]["node"], each["undone"]) for each in labelled] == [(first, True), (second, True)]
    node, label = here.answer()
    here.until_saved()
    assert node == first
    newest = [each for each in events(before) if each["kind"] == "labelled"][-1]
    assert (newest["payload"]["node"], newest["payload"]["label"], newest["undone"]) == (first, label, False)


def test_skip_and_skip_with_a_reason(
    visit: Callable[..., Visit], admin: str, last: Any, events: Events
) -> None:
    here = visit()
    here.enter(admin)
    before = last()
    plain = here.press("s")
    reasoned = here.node()
    here.page.wait_for_timeout(150)
    here.page.keyboard.press("Shift+S")
    here.page.wait_for_selector("dialog #reason")
    here.page.keyboard.type("two papers in 1")  # The digit is part of the reason, and labels nothing.
    here.page.keyboard.press("Enter")
    here.page.wait_for_function(
        "n => document.querySelector('.question .node-name')?.textContent !== n", arg=reasoned
    )
    here.until_saved()
    written = [
        (each["kind"], each["payload"]["node"], each["payload"].get("reason", "")) for each in events(before)
    ]
    assert written == [("skipped", plain, ""), ("skipped", reasoned, "two papers in 1")]


def test_reload_resumes_with_the_same_question(visit: Callable[..., Visit], admin: str) -> None:
    here = visit()
    here.enter(admin)
    here.answer()
    here.until_saved()
    node = here.node()
    here.page.reload()
    here.page.wait_for_selector(".answer")
    assert here.node() == node


def test_a_key_held_down_counts_once(
    visit: Callable[..., Visit], admin: str, last: Any, events: Events
) -> None:
    here = visit()
    here.enter(admin)
    before = last()
    here.page.wait_for_timeout(200)
    here.page.keyboard.down("1")
    for _ in range(5):
        here.page.wait_for_timeout(200)
        here.page.keyboard.down("1")  # What the browser sends while a key is held.
    here.page.keyboard.up("1")
    here.until_saved()
    assert len(events(before)) == 1


def test_keys_are_shown_and_a_class_can_be_found_by_name(
    visit: Callable[..., Visit], admin: str, last: Any, events: Events
) -> None:
    here = visit()
    here.enter(admin)
    before, page = last(), here.page
    page.keyboard.press("?")
    page.wait_for_selector("dialog[aria-label=Keys]")
    page.keyboard.press("1")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    assert events(before) == []
    node = here.node()
    page.wait_for_timeout(150)
    page.keyboard.press("/")
    page.wait_for_selector(".finder input:focus")
    page.keyboard.type("net")
    page.keyboard.press("Enter")
    page.wait_for_function("n => document.querySelector('.question .node-name')?.textContent !== n", arg=node)
    here.until_saved()
    assert [(each["payload"]["node"], each["payload"]["label"]) for each in events(before)] == [
        (node, "networks")
    ]
