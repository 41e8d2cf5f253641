"""A line that drops, and people who share a project."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from service.browser.conftest import PROJECT, SHARED
from service.browser.visiting import Visit

pytestmark = pytest.mark.slow
Events = Callable[..., list[dict[str, Any]]]


def test_answers_without_a_line_wait_and_are_sent_in_order(
    visit: Callable[..., Visit], admin: str, last: Any, events: Events
) -> None:
    here = visit()
    here.enter(admin)
    before, page = last(), here.page
    page.wait_for_timeout(500)  # The second question is there.
    page.context.set_offline(True)
    said = [here.answer()]
    node = here.node()
    page.wait_for_timeout(150)
    page.keyboard.press("2")
    page.wait_for_selector("text=Offline: 2 waiting")
    assert page.locator(".question .node-name").count() == 0
    assert page.locator("text=You are offline").count() == 1
    assert events(before) == []
    page.context.set_offline(False)
    here.until_saved()
    said.append((node, "learning"))
    assert [(each["payload"]["node"], each["payload"]["label"]) for each in events(before)] == said
    page.wait_for_selector(".question .node-name")
    assert page.evaluate("Object.keys(localStorage).filter(key => key.includes('waiting')).length") == 0


def test_an_answer_survives_a_reload_without_a_line(
    visit: Callable[..., Visit], admin: str, last: Any, events: Events
) -> None:
    here = visit()
    here.enter(admin)
    before, page = last(), here.page
    page.route("**/labels", lambda route: route.abort())  # The page comes through, the answers do not.
    node, label = here.answer()
    page.wait_for_selector("text=Offline: 1 waiting")
    assert events(before) == []
    page.unroute("**/labels")
    page.reload()
    page.wait_for_selector(".answer")
    here.until_saved()
    assert [(each["payload"]["node"], each["payload"]["label"]) for each in events(before)] == [(node, label)]


def test_a_lost_reply_counts_once(visit: Callable[..., Visit], admin: str, last: Any, events: Events) -> None:
    here = visit()
    here.enter(admin)
    before, page = last(), here.page
    lost = []

    def lose_first(route: Any) -> None:
        if lost:
            route.continue_()
            return
        lost.append(route.fetch().status)  # It is written; only its reply is lost.
        route.abort()

    page.route("**/labels", lose_first)
    node, label = here.answer()
    here.until_saved()
    assert lost == [200]
    assert [(each["payload"]["node"], each["payload"]["label"]) for each in events(before)] == [(node, label)]


def test_a_stale_lease_moves_on_with_a_note(
    visit: Callable[..., Visit], admin: str, place: Any, last: Any, events: Events
) -> None:
    here = visit()
    here.page.route(
        "**/events*", lambda route: route.abort()
    )  # So that the page does not hear of it in time.
    here.enter(admin)
    before, page, node = last(), here.page, here.node()
    page.wait_for_selector("text=The live connection is lost")
    held = place.admin.post(place.url("/next", PROJECT), json={"count": 2}).json()["questions"]
    lease = next(each["lease"] for each in held if each["node"] == node)
    assert place.admin.post(place.url("/release", PROJECT), json={"lease": lease}).status_code == 200
    given = {"node": node, "label": "genetic"}  # Somebody else was quicker.
    assert place.ann.post(place.url("/labels", PROJECT), json=given).status_code == 200
    _, label = here.answer()
    page.wait_for_selector(f".note:has-text('Not saved'):has-text('{label}')")
    assert [each["actor"] for each in events(before)] == ["ann"]
    page.click("text=Save it anyway")
    page.wait_for_selector(".last-line:has-text('Saved')")
    written = [(each["actor"], each["payload"]["node"], each["payload"]["label"]) for each in events(before)]
    assert written == [("ann", node, "genetic"), ("root", node, label)]


def test_a_second_person_gets_other_questions_and_both_see_what_happens(
    visit: Callable[..., Visit], admin: str, annotator: str, last: Any, events: Events
) -> None:
    one, two, before = visit(), visit(), last()
    one.enter(admin)
    two.enter(annotator)
    nodes = []
    for _ in range(4):
        nodes += [one.answer()[0], two.answer()[0]]
    one.until_saved()
    two.until_saved()
    assert len(set(nodes)) == 8
    labelled = [each for each in events(before) if each["kind"] == "labelled"]
    assert {each["actor"] for each in labelled} == {"root", "ann"}
    count = one.page.inner_text(".counted b")
    two.answer()
    one.page.wait_for_function("n => document.querySelector('.counted b').textContent !== n", arg=count)
    assert two.page.locator("nav a:has-text('Settings')").count() == 0


def test_disagreements_are_settled_and_agreement_is_told(
    visit: Callable[..., Visit], admin: str, annotator: str, events: Events, place: Any, last: Any
) -> None:
    before = last(SHARED)
    for client, label in ((place.admin, "theory"), (place.ann, "genetic")):
        assert (
            client.post(place.url("/labels", SHARED), json={"node": "p1", "label": label}).status_code == 200
        )
    here = visit(SHARED)
    here.enter(admin, "people")
    page = here.page
    page.wait_for_selector("text=Krippendorff's alpha")
    page.click(".settle:has-text('Paper 1 ') >> .answer:has-text('learning')")
    page.wait_for_selector(".settle:has-text('Paper 1 ')", state="detached")
    settled = [each for each in events(before, SHARED) if each["kind"] == "adjudicated"]
    assert [(each["payload"]["node"], each["payload"]["label"]) for each in settled] == [("p1", "learning")]
    page.fill("input[type=search]", "Paper 7 ")
    page.click("button[aria-label^='Choose Paper 7 ']")
    page.click("[aria-label='Its label'] .answer:has-text('networks')")
    page.wait_for_selector("[aria-label^='Remove the gold item Paper 7 ']")
    assert [each["payload"]["label"] for each in events(before, SHARED) if each["kind"] == "gold-set"] == [
        "networks"
    ]


def test_two_windows_of_one_person_follow_each_other(
    visit: Callable[..., Visit], admin: str, last: Any, events: Events
) -> None:
    one, two = visit(), visit()
    one.enter(admin)
    two.enter(admin)
    before = last()
    assert one.node() == two.node()
    node, _ = one.answer()
    two.page.wait_for_function(
        "n => document.querySelector('.question .node-name')?.textContent !== n", arg=node
    )
    two.page.wait_for_selector(".question .node-name")
    other, _ = two.answer()
    two.until_saved()
    assert [each["payload"]["node"] for each in events(before)] == [node, other]
