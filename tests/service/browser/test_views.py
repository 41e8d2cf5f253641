"""The views around the desk: curves, history, settings, projects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from service.browser.conftest import PROJECT, SHARED
from service.browser.visiting import CLASSES, Visit

pytestmark = pytest.mark.slow
Events = Callable[..., list[dict[str, Any]]]


def test_curves_are_drawn_and_told_and_tabled(visit: Callable[..., Visit], admin: str, place: Any) -> None:
    here = visit()
    here.enter(admin)
    here.answer()
    here.until_saved()
    here.go("curves")
    page = here.page
    page.wait_for_selector(".chart canvas")
    curves = place.admin.get(place.url("/curves", PROJECT)).json()
    said = page.inner_text("figure[aria-label='Labels asked'] figcaption")
    assert curves["sentences"]["labels"][1:] in said
    page.click("figure[aria-label='Labels asked'] summary")
    cells = page.locator("figure[aria-label='Labels asked'] tbody tr:last-child > *").all_inner_texts()
    assert [cell.replace(",", "") for cell in cells] == [
        str(curves["labels"]["seq"][-1]),
        str(curves["labels"]["count"][-1]),
    ]
    assert here.errors == []


def test_history_undoes_any_own_event_and_export_downloads(
    visit: Callable[..., Visit], admin: str, last: Any, events: Events
) -> None:
    here = visit()
    here.enter(admin)
    before = last()
    first, _ = here.answer()
    here.answer()
    here.until_saved()
    seq = events(before)[0]["seq"]
    here.go("history")
    page = here.page
    page.click(f"[aria-label='Undo event {seq}']")
    page.wait_for_selector(f".events li:has-text('#{seq}'):has-text('taken back')")
    taken = events(before)[0]
    assert (taken["payload"]["node"], taken["undone"]) == (first, True)
    with page.expect_download() as started:
        page.click("[aria-label='Labels as CSV']")
    path = started.value.path()
    with open(path, encoding="utf-8") as table:
        header = table.readline()
        assert "node" in header
        assert "label" in header
        assert all(f"{first}," not in row.replace('"', "") for row in table)


def test_settings_change_what_everybody_sees(
    visit: Callable[..., Visit], admin: str, annotator: str, events: Events, last: Any
) -> None:
    before = last(SHARED)
    other = visit(SHARED)
    other.enter(annotator)
    here = visit(SHARED)
    here.enter(admin, "settings")
    page = here.page
    page.fill("#set-goal", "7.5")
    page.click("text=Save the settings")
    page.wait_for_selector(".note:has-text('settings are saved')")
    other.page.wait_for_selector(".gauge:has-text('7.5 %')")
    page.fill("#set-confidence", "200")
    page.click("text=Save the settings")
    page.wait_for_selector(".note.bad:has-text('confidence')")
    page.fill("#new-class", "other")
    page.click("text=Add")
    other.page.wait_for_selector(".answer:has-text('other')")
    page.click("[aria-label='Remove the class other']")
    page.click(".button.danger")
    other.page.wait_for_selector(".answer:has-text('other')", state="detached")
    kinds = [each["kind"] for each in events(before, SHARED)]
    assert kinds == ["configured", "classes-added", "class-removed"]


def test_the_chooser_lists_projects_and_opens_one(visit: Callable[..., Visit], admin: str) -> None:
    here = visit()
    here.page.goto(f"{here.address}/#token={admin}")
    here.page.wait_for_selector(".choose")
    assert here.page.locator(".choose li").count() == 2
    here.page.click(f".choose a[href$='/{SHARED}/label']")
    here.page.wait_for_selector(".answer")
    assert here.page.locator(".answer").count() == len(CLASSES)
    here.page.click("[aria-label='Ohmline: all projects']")
    here.page.wait_for_selector(".choose")


def test_unknown_project_is_told(visit: Callable[..., Visit], admin: str) -> None:
    here = visit("no-such-project")
    here.page.goto(f"{here.address}/#token={admin}")
    here.page.wait_for_selector(".choose")
    here.page.goto(f"{here.address}/#/p/no-such-project/label")
    here.page.wait_for_selector("[role=alert]:has-text('no-such-project')")
    here.page.click("text=All projects")
    here.page.wait_for_selector(".choose")


def test_a_server_that_cannot_write_keeps_answers_here(
    visit: Callable[..., Visit], admin: str, last: Any, events: Events
) -> None:
    here = visit()
    here.enter(admin)
    before, page = last(), here.page
    refusal = {
        "status": 503,
        "content_type": "application/problem+json",
        "body": '{"title": "full", "status": 503}',
    }
    page.route("**/labels", lambda route: route.fulfill(**refusal))
    node, label = here.answer()
    page.wait_for_selector("text=Not saved yet: 1 waiting")
    assert events(before) == []
    page.unroute("**/labels")
    here.until_saved()
    assert [(each["payload"]["node"], each["payload"]["label"]) for each in events(before)] == [(node, label)]
