"""The client over a real server: every call, every error, and a line that is lost at the worst moment."""

from __future__ import annotations

import csv
import inspect
import io
import json
import sys
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from client.flaky import flaky
from ohmline.client import Admin, Client, ProjectClient
from ohmline.errors import (
    Forbidden,
    KeyReused,
    MissingExtra,
    ParameterError,
    ServiceError,
    StaleLease,
    UnknownNode,
    UnknownProject,
)
from ohmline.sources import from_iterable, pump
from service.running import Running, make_project, running


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("projects")
    make_project(folder / "club")
    make_project(folder / "stream", recipe="matches")
    with running(folder) as found:
        yield found


@pytest.fixture
def root(server: Running) -> Iterator[Client]:
    with Client(server.started.address, server.started.token, patience=60) as client:
        yield client


@pytest.fixture
def ann(server: Running) -> Iterator[ProjectClient]:
    token = server.ann.headers["Authorization"].removeprefix("Bearer ")
    with Client(server.started.address, token, patience=60) as client:
        yield client.project("club")


@pytest.fixture
def club(root: Client) -> ProjectClient:
    return root.project("club")


def test_who_and_what_there_is(root: Client, club: ProjectClient) -> None:
    assert (root.me().person, root.me().role) == ("root", "admin")
    assert [each.id for each in root.projects()] == ["club", "stream"]
    state = club.state()
    assert (state.name, state.mode, state.nodes, state.role) == ("A club", "pool", 30, "admin")
    assert state.progress == club.progress()
    assert root.is_ready()
    assert "ohmline_events_total" in root.metrics()
    assert root.openapi()["openapi"].startswith("3.")
    with pytest.raises(UnknownProject, match="2 projects: club, stream"):
        root.project()


def test_ask_answer_undo_and_skip(ann: ProjectClient, club: ProjectClient) -> None:
    before = ann.progress().labels
    (question,) = ann.next().questions
    assert question.card.node == question.node
    said = ann.label(question.node, "left", lease=question.lease, seconds=1.5)
    assert (said.node, said.label, said.resolved) == (question.node, "left", "left")
    assert ann.progress().labels == before + 1
    assert ann.card(question.node).label == "left"
    (happened,) = ann.history(said.seq - 1, 1)
    assert (happened.kind, happened.hash, happened.undone) == ("labelled", said.hash, False)
    assert happened.payload["seconds"] == 1.5
    undone = ann.undo()
    assert (undone.undone, undone.nodes) == (said.seq, (question.node,))
    assert ann.history(said.seq - 1, 1)[0].undone
    (again,) = ann.next().questions
    ann.skip(again.node, lease=again.lease, reason="cannot say")
    assert ann.undo().nodes == (again.node,)
    (held,) = ann.next().questions
    ann.release(held.lease)
    with pytest.raises(StaleLease):
        ann.release(held.lease)
    club.label(held.node, "left")
    with pytest.raises(StaleLease):
        ann.label(held.node, "left", lease=held.lease)
    club.undo()


def test_many_at_once_and_what_follows(club: ProjectClient) -> None:
    said = club.label_many([1, 2, 3], "right")
    assert said.count == 3
    first, second = club.predict([2, 20], why=2)
    assert (first.node, first.prediction) == (2, "right")
    assert sum(chance for _, chance in second.probabilities) == pytest.approx(1.0, abs=0.01)
    assert second.because
    assert {reason.label for reason in second.because} <= {"left", "right", "middle"}
    assert club.undo().undone == said.seq
    assert club.search("item 4")[0].node == 4
    assert {each.person for each in club.people().people} >= {"root"}
    assert "labels" in club.curves().sentences
    assert club.audit().running in (True, False)


def test_the_map(club: ProjectClient) -> None:
    whole = club.map()
    assert whole.shown == len(whole.ids) == len(whole.x) == 30
    near = club.neighbourhood(5)
    assert near.ids[0] == 5
    assert near.shown < 30


def test_what_admins_do(root: Client, club: ProjectClient, ann: ProjectClient) -> None:
    admin = club.admin
    assert admin.configure(overlap=2).seq == club.state().seq
    assert club.state().settings["overlap"] == 2
    admin.configure(overlap=1)
    admin.add_classes(["other"])
    assert "other" in club.state().classes
    admin.remove_class("other")
    assert "other" not in club.state().classes
    admin.add_nodes({"x": {"text": "A new one", "size": "big"}})
    admin.add_edges([("x", 0), ("x", 1, 2.0)])
    card = club.card("x")
    assert (card.title, card.fields, card.degree) == ("A new one", {"size": "big"}, 2)
    assert {near.node: near.weight for near in card.neighbours} == {0: 1.0, 1: 2.0}
    admin.set_gold(7, "left")
    assert admin.gold() == {7: "left"}
    admin.set_gold(7, None)
    assert admin.gold() == {}
    ann.label(9, "left")
    admin.configure(overlap=2)
    club.label(9, "right")
    admin.configure(overlap=1)
    assert [each.node for each in admin.disagreements()] == [9]
    admin.adjudicate(9, "right")
    assert admin.disagreements() == []
    admin.begin_audit()
    assert club.audit().running
    admin.end_audit()
    assert not club.audit().running
    with pytest.raises(Forbidden):
        ann.admin.configure(overlap=3)


def test_files_in_and_out(club: ProjectClient, ann: ProjectClient) -> None:
    assert club.admin.import_labels(b"node,label\n11,left\n12,right\n") == 2
    rows = list(csv.DictReader(io.StringIO(club.export().decode())))
    assert {row["node"]: row["label"] for row in rows}["11"] == "left"
    assert {task["data"]["node"] for task in json.loads(club.export("labels", "label-studio"))} >= {11, 12}
    task = {"data": {"node": 14}, "annotations": [{"result": [{"value": {"choices": ["left"]}}]}]}
    assert club.admin.import_labels(json.dumps([task]).encode(), "label-studio") == 1
    assert club.card(14).label == "left"
    assert club.export("predictions", "parquet").startswith(b"PAR1")
    with pytest.raises(Forbidden):
        ann.export("votes")
    with pytest.raises(ParameterError, match="format must be one of"):
        club.admin.import_labels(b"", "xml")


def test_a_project_is_made(root: Client) -> None:
    made = root.create(
        "Two letters",
        ["a", "b"],
        [("p", "q"), ("q", ("r", 1), 2.0)],
        id="letters",
        nodes={"lonely": {"text": "alone"}, "p": {}, "q": {}, ("r", 1): {}},
        labels={"p": "a"},
        settings={"goal": 0.1},
    )
    state = made.state()
    assert (made.id, state.nodes, state.edges, state.progress.imported) == ("letters", 4, 2, 1)
    assert made.card("lonely").text == "alone"
    assert state.looking_for is None
    with pytest.raises(ParameterError, match="letters"):
        root.create("Again", ["a", "b"], [("p", "q")], id="letters")


def test_a_project_is_made_that_looks_for_a_class(root: Client) -> None:
    edges, known = [("p", "q"), ("q", "r"), ("r", "s")], {"p": "legit", "q": "legit", "r": "fraud"}
    rarest = root.create("Bank", ["fraud", "legit"], edges, labels=known, recipe="accounts")
    assert rarest.state().looking_for == "fraud"
    named = root.create("Own", ["fraud", "legit"], edges, labels=known, recipe="accounts", wanted="legit")
    assert named.state().looking_for == "legit"
    with pytest.raises(ParameterError, match="the class that is wanted, 'mule', is not there"):
        root.create("Bad", ["fraud", "legit"], edges, recipe="accounts", wanted="mule")


def test_refusals_are_the_errors_of_a_project(root: Client, club: ProjectClient) -> None:
    with pytest.raises(UnknownNode, match="unknown node 999"):
        club.card(999)
    with pytest.raises(UnknownProject):
        root.project("nobody").state()
    with pytest.raises(ParameterError, match="not among the classes"):
        club.label(1, "purple")
    club.label(13, "left", key="the same")
    assert club.label(13, "left", key="the same").seq == club.label(13, "left", key="the same").seq
    with pytest.raises(KeyReused):
        club.label(13, "right", key="the same")
    with pytest.raises(ParameterError, match="a node must be a text"):
        club.card(None)
    with pytest.raises(ParameterError):
        club.next(50)
    with (
        Client(str(root._wire.http.base_url), "ohm-nobody", patience=1) as stranger,
        pytest.raises(Forbidden),
    ):
        stranger.me()


def test_a_reply_that_is_lost_is_asked_for_again_and_the_label_counts_once(server: Running) -> None:
    with (
        flaky(server.started.address) as line,
        Client(line.url, server.started.token, patience=20) as client,
    ):
        club = client.project("club")
        club.progress()
        before = club.state().seq
        line.lose_replies = 2
        said = club.label(21, "middle")
        assert line.lost == 2
        assert said.seq == before + 1
        assert club.state().seq == before + 1
        line.lose_replies = 1
        (question,) = club.next().questions
        held = [each for each in club.history(before + 1) if each.kind == "leased"]
        assert len(held) == 1
        club.release(question.lease)


def test_live_events_go_on_where_the_line_was_lost(server: Running, club: ProjectClient) -> None:
    start = club.state().seq
    with (
        flaky(server.started.address) as line,
        Client(line.url, server.started.token, patience=20) as client,
    ):
        seen: list[Any] = []
        one, two = threading.Event(), threading.Event()

        def listen() -> None:
            for event in client.events(start, "club"):
                seen.append(event)
                (one if len(seen) == 1 else two).set()
                if len(seen) == 3:
                    return

        listener = threading.Thread(target=listen)
        listener.start()
        club.label(22, "left")
        assert one.wait(30)
        line.cut()
        club.label(23, "left")
        club.label(24, "left")
        listener.join(30)
        assert not listener.is_alive()
    assert [event.seq for event in seen] == [start + 1, start + 2, start + 3]
    assert [event.payload["node"] for event in seen] == [22, 23, 24]
    assert seen[0].progress is not None


def test_a_service_that_is_not_there_is_named() -> None:
    with (
        Client("http://127.0.0.1:9", "ohm-x", patience=0.2) as client,
        pytest.raises(ServiceError, match=r"127.0.0.1:9 did not answer"),
    ):
        client.me()
    for url in ("", "127.0.0.1:8000", "ftp://x", 3):
        with pytest.raises(ParameterError, match="url"):
            Client(url, "t")  # type: ignore[arg-type]
    for token in ("", "a\nb", "é"):
        with pytest.raises(ParameterError, match="token"):
            Client("http://127.0.0.1:9", token)


@pytest.mark.parametrize(
    "reply",
    [
        httpx.Response(200, text="<html>"),
        httpx.Response(200, json=[]),
        httpx.Response(200, json={"person": 3, "role": "x"}),
        httpx.Response(200, json={"person": "x"}),
        httpx.Response(500, text="oops"),
        httpx.Response(302, headers={"location": "http://elsewhere"}),
        httpx.Response(418, json={"detail": 3}),
    ],
)
def test_what_is_no_service_is_refused(reply: httpx.Response) -> None:
    carrier = httpx.MockTransport(lambda request: reply)
    with Client("http://x.test", "t", patience=0.1, transport=carrier) as client, pytest.raises(ServiceError):
        client.me()


def test_arrivals_are_pumped_through_the_service(server: Running, root: Client) -> None:
    stream = root.project("stream")
    stream.label(0, "left")
    stream.label(1, "right")
    names = [f"new {k}" for k in range(6)]  # the nodes that are there arrive by the recipe's own stream
    items = [{"node": name, "fields": {"text": "A new one"}, "neighbours": [3]} for name in names]
    done = pump(from_iterable(items), stream)
    assert done.items == 6
    assert pump(from_iterable(items), stream).items == 6  # redelivered, and not doubled
    arrived = [each.payload["node"] for each in stream.history(limit=1000) if each.kind == "arrived"]
    assert [node for node in arrived if node in names] == names
    assert stream.card("new 0").text == "A new one"


def test_without_httpx_the_error_is_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(MissingExtra, match=r"pip install 'ohmline\[client\]'"):
        Client("http://127.0.0.1:9", "t")


def test_every_route_of_the_service_has_a_call(server: Running, root: Client) -> None:
    """A route that nobody can reach from Python is a hole: the paths in the client are those of the document."""
    sources = "".join(inspect.getsource(kind) for kind in (Client, ProjectClient, Admin))
    pages = {"/api/login", "/api/logout", "/healthz"}  # for browsers, and for those who watch processes
    for path in root.openapi()["paths"]:
        end = path.replace("/api/projects/{p}", "").replace("/{name}", "")
        if path not in pages and end:
            assert end.lstrip("/") in sources, path
