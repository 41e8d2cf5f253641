"""Events as they happen: complete, in order, resumable by number, and no more than a person may see."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from ohmline.project import Settings
from ohmline.service.limits import Limits
from ohmline.service.people import Role, add_person, remove_person
from service.running import Running, expect_problem, make_project, running


@contextmanager
def listening(client: httpx.Client, url: str, **headers: str) -> Iterator[Iterator[dict[str, Any]]]:
    with client.stream("GET", url, headers=headers) as reply:
        assert reply.status_code == 200
        assert reply.headers["content-type"].startswith("text/event-stream")

        def events() -> Iterator[dict[str, Any]]:
            found: dict[str, Any] = {}
            for line in reply.iter_lines():
                if line.startswith("id: "):
                    found["id"] = int(line[4:])
                elif line.startswith("event: "):
                    found["event"] = line[7:]
                elif line.startswith("data: "):
                    found |= json.loads(line[6:])
                elif not line and found:
                    yield found
                    found = {}

        yield events()


def take(events: Iterator[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    return [next(events) for _ in range(count)]


def test_every_event_comes_once_and_in_order(served: Running) -> None:
    start = served.project().seq
    with listening(served.admin, served.url("/events?after=-1")) as events:
        old = take(events, start + 1)
        assert [each["seq"] for each in old] == list(range(start + 1))
        for node in (1, 2, 3):
            assert (
                served.ann.post(served.url("/labels"), json={"node": node, "label": "left"}).status_code
                == 200
            )
        new = take(events, 3)
    assert [(each["id"], each["seq"], each["event"], each["kind"]) for each in new] == [
        (k, k, "labelled", "labelled") for k in range(start + 1, start + 4)
    ]
    assert [each["payload"]["node"] for each in new] == [1, 2, 3]
    assert old[0]["progress"]["nodes"] == 30


def test_a_lost_line_is_taken_up_where_it_was(served: Running) -> None:
    start = served.project().seq
    with listening(served.ann, served.url("/events")) as events:
        served.ann.post(served.url("/labels"), json={"node": 4, "label": "left"})
        assert next(events)["seq"] == start + 1
    served.ann.post(served.url("/labels"), json={"node": 5, "label": "left"})
    served.ann.post(served.url("/undo"), json={})
    with listening(served.ann, served.url("/events"), **{"Last-Event-ID": str(start + 1)}) as events:
        assert [(each["seq"], each["kind"]) for each in take(events, 2)] == [
            (start + 2, "labelled"),
            (start + 3, "undone"),
        ]
    expect_problem(
        served.ann.get(served.url("/events"), headers={"Last-Event-ID": "x"}), 400, "Last-Event-ID"
    )


def test_many_listen_while_many_answer(served: Running) -> None:
    start, heard = served.project().seq, []

    def listen() -> None:
        with (
            httpx.Client(base_url=served.started.address, headers=served.ann.headers, timeout=60) as client,
            listening(client, served.url(f"/events?after={start}")) as events,
        ):
            heard.append([each["seq"] for each in take(events, 20)])

    threads = [threading.Thread(target=listen) for _ in range(5)]
    for thread in threads:
        thread.start()
    for k in range(20):
        node = 10 + k % 10
        assert served.ann.post(served.url("/labels"), json={"node": node, "label": "left"}).status_code == 200
    for thread in threads:
        thread.join(60)
    assert heard == [list(range(start + 1, start + 21))] * 5


def test_an_annotator_sees_neither_gold_nor_what_others_said(tmp_path: Path) -> None:
    make_project(tmp_path / "club", settings=Settings(overlap=2, gold_every=1))
    with running(tmp_path) as found:
        found.admin.post(found.url("/gold"), json={"node": 1, "label": "left"})
        found.admin.post(found.url("/labels"), json={"node": 2, "label": "right"})
        found.ann.post(found.url("/labels"), json={"node": 2, "label": "left"})
        question = found.ann.post(found.url("/next"), json={}).json()["questions"][0]
        assert (question["node"], question["asked"]) == (1, "query")
        assert question["card"]["label"] is None
        found.ann.post(found.url("/labels"), json={"node": 1, "label": "left", "lease": question["lease"]})
        history = found.ann.get(found.url("/history?limit=1000")).json()["events"]
        with listening(found.ann, found.url("/events?after=-1")) as events:
            live = take(events, len(history))
        for seen in (history, live):
            assert "gold" not in json.dumps([each["payload"] for each in seen if each["kind"] != "opened"])
            by_kind = [(each["kind"], each["actor"], each["payload"]) for each in seen]
            assert ("gold-set", "root", {}) in by_kind
            theirs = [about for kind, actor, about in by_kind if kind == "labelled" and actor == "root"]
            assert [about["label"] for about in theirs] == [None]
            own = [about["label"] for kind, actor, about in by_kind if kind == "labelled" and actor == "ann"]
            assert own == ["left", "left"]
            asked = [about["asked"] for kind, _, about in by_kind if kind in ("leased", "labelled")]
            assert asked == ["free", "free", "query", "query"]
            assert {each["hash"] for each in seen} == {""}  # with which one could check a guess
        for what in ("votes", "events"):
            expect_problem(found.ann.get(found.url(f"/export?what={what}")), 403, "admins")
        everything = found.admin.get(found.url("/history?limit=1000")).json()["events"]
        assert {"node": 1, "label": "left"}.items() <= next(
            each["payload"] for each in everything if each["kind"] == "gold-set"
        ).items()


def test_a_person_has_only_so_many_live_connections_and_requests(tmp_path: Path) -> None:
    make_project(tmp_path / "club")
    with running(tmp_path, Limits(rate=0.01, burst=12, live=2)) as found:
        with listening(found.ann, found.url("/events")), listening(found.ann, found.url("/events")):
            reply = found.ann.get(found.url("/events"))
            expect_problem(reply, 429, "live connections")
            assert found.admin.get(found.url("/progress")).status_code == 200  # others are not concerned
        replies = [found.ann.get("/api/me") for _ in range(12)]
        refused = next(reply for reply in replies if reply.status_code != 200)
        expect_problem(refused, 429, "requests per second")
        assert 1 <= int(refused.headers["retry-after"]) <= 100
        assert found.admin.get(found.url("/progress")).status_code == 200
        wrong = [found.nobody.get("/api/me").status_code for _ in range(14)]
        assert wrong == [401] * 12 + [429] * 2


@pytest.mark.parametrize("after", [10**6])
def test_who_is_ahead_of_the_log_waits(served: Running, after: int) -> None:
    with listening(served.ann, served.url(f"/events?after={after}")):
        pass


def test_who_is_ahead_of_the_log_by_last_event_id_is_told_so(served: Running) -> None:
    last = served.project().seq
    reply = served.ann.get(served.url("/events"), headers={"Last-Event-ID": str(last + 1)})
    expect_problem(reply, 422, str(last + 1), f"last event, {last}")
    with listening(served.ann, served.url("/events"), **{"Last-Event-ID": str(last)}):
        pass


@pytest.mark.parametrize("by", ["token", "cookie"])
def test_who_is_removed_hears_nothing_more(tmp_path: Path, by: str) -> None:
    make_project(tmp_path / "club")
    with running(tmp_path) as found:
        _, token = add_person(tmp_path, "cid", Role.ANNOTATOR)
        found.started.register.CHECK_SECONDS = 0.0
        with httpx.Client(base_url=found.started.address, timeout=60) as cid:
            if by == "token":
                cid.headers["Authorization"] = f"Bearer {token}"
            else:
                headers = {"Origin": found.started.address, "X-Ohmline": "1"}
                assert cid.post("/api/login", json={"token": token}, headers=headers).status_code == 200
            with listening(cid, found.url("/events")) as events:
                found.admin.post(found.url("/labels"), json={"node": 1, "label": "left"})
                assert next(events)["kind"] == "labelled"
                remove_person(tmp_path, "cid")
                found.admin.post(found.url("/labels"), json={"node": 2, "label": "left"})
                assert list(events) == []  # it ends, and by itself


def test_who_logs_out_hears_nothing_more(served: Running) -> None:
    headers = {"Origin": served.started.address, "X-Ohmline": "1"}
    token = served.ann.headers["Authorization"].removeprefix("Bearer ")
    with httpx.Client(base_url=served.started.address, timeout=60) as page:
        assert page.post("/api/login", json={"token": token}, headers=headers).status_code == 200
        with listening(page, served.url("/events")) as events:
            with httpx.Client(base_url=served.started.address, cookies=dict(page.cookies)) as other:
                assert other.post("/api/logout", json={}, headers=headers).status_code < 300
            assert list(events) == []
