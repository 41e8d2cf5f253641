"""The labeller: messages of the page become requests, in this process or to a service elsewhere."""

from __future__ import annotations

import base64
import contextlib
import gc
import json
import queue
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ohmline.client import Client
from ohmline.errors import MissingExtra, ParameterError, ProjectInUse, ServiceError
from ohmline.graph.graph import Graph
from ohmline.project import Project
from ohmline.widget import Labeller
from ohmline.widget.in_process import InProcess
from service.running import make_project, ring, running

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


class Page:
    """What the page in the browser does: send requests, and wait for their answers."""

    def __init__(self, labeller: Labeller) -> None:
        self._labeller, self._number = labeller, 0
        self._heard: queue.Queue[dict[str, Any]] = queue.Queue()
        self.events: list[dict[str, Any]] = []
        labeller.send = self._heard.put

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        self._number += 1
        name = f"r{self._number}"
        self._labeller._handle_custom_msg({"id": name, "method": method, "path": path, "body": body}, [])
        while True:
            message = self._heard.get(timeout=120)
            if "event" in message:
                self.events.append(message["event"])
            elif message["id"] == name:
                return message["status"], message["json"]

    def wait_for_event(self, kind: str) -> dict[str, Any]:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            for event in self.events:
                if event["kind"] == kind:
                    return event
            message = self._heard.get(timeout=60)
            assert "event" in message
            self.events.append(message["event"])
        raise AssertionError(f"no event of the kind {kind}")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "one.png").write_bytes(PNG)
    nodes = {k: {"text": f"item {k}", "image": "one.png"} for k in range(30)}
    return Project.create(
        tmp_path / "club", graph=ring(), classes=["left", "right"], nodes=nodes, images=tmp_path / "pictures"
    )


@pytest.fixture
def labeller(folder: Path) -> Iterator[Labeller]:
    found = Labeller(folder, person="eve")
    yield found
    found.close()


def test_a_person_labels_in_a_cell_without_a_port(labeller: Labeller, folder: Path) -> None:
    page = Page(labeller)
    assert page.ask("GET", "/api/me") == (200, {"person": "eve", "role": "admin"})
    status, found = page.ask("POST", "/api/projects/club/next", {"count": 2})
    assert status == 200
    for question in found["questions"]:
        body = {
            "node": question["node"],
            "label": "left",
            "lease": question["lease"],
            "key": f"k{question['lease']}",
        }
        assert page.ask("POST", "/api/projects/club/labels", body)[0] == 200
    assert page.wait_for_event("labelled")["actor"] == "eve"
    assert labeller.project == "club"
    assert labeller.client.progress().labels == 2
    labeller.close()
    labeller.close()
    with Project.open(folder) as project:
        assert project.progress()["labels"] == 2


def test_pictures_come_as_data(labeller: Labeller) -> None:
    page = Page(labeller)
    _, found = page.ask("POST", "/api/projects/club/next", {})
    image = found["questions"][0]["card"]["image"]
    assert image.startswith("data:image/png;base64,")
    assert base64.b64decode(image.partition(",")[2]) == PNG
    _, card = page.ask("GET", "/api/projects/club/node?id=3")
    assert card["image"].startswith("data:image/png")


def test_refusals_reach_the_page_as_they_are(labeller: Labeller) -> None:
    page = Page(labeller)
    status, problem = page.ask("POST", "/api/projects/club/labels", {"node": 99, "label": "left"})
    assert (status, problem["status"]) == (404, 404)
    assert "unknown node 99" in problem["detail"]
    assert page.ask("POST", "/api/projects/club/labels", "{")[0] == 415
    assert page.ask("GET", "/api/projects/none")[0] == 404
    assert page.ask("GET", "/api/projects/club/export")[0] == 406


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("DELETE", "/api/me"),
        ("GET", "/metrics"),
        ("GET", "http://elsewhere.test/api/me"),
        ("GET", "//elsewhere.test/api/"),
        ("GET", None),
        (None, "/api/me"),
        ("GET", "/api/projects/club/events?after=3"),
    ],
)
def test_only_requests_of_the_page_are_passed_on(labeller: Labeller, method: Any, path: Any) -> None:
    assert Page(labeller).ask(method, path)[0] == 400


@pytest.mark.parametrize("message", [None, 3, "x", [], {}, {"id": 3, "method": "GET", "path": "/api/me"}])
def test_what_is_no_request_is_passed_over(labeller: Labeller, message: Any) -> None:
    page = Page(labeller)
    labeller._handle_custom_msg(message, [])
    assert page.ask("GET", "/api/me")[0] == 200


def test_an_open_project_is_taken_over(folder: Path) -> None:
    project = Project.open(folder)
    with pytest.raises(ProjectInUse):
        Labeller(folder)
    labeller = Labeller(project)
    try:
        assert labeller.client.state().id == "club"
    finally:
        labeller.close()
    Project.open(folder).close()


def test_with_a_client_answers_go_to_its_service(tmp_path: Path) -> None:
    make_project(tmp_path / "club")
    with running(tmp_path) as server, Client(server.started.address, server.started.token) as client:
        labeller = Labeller(client)
        page = Page(labeller)
        assert page.ask("GET", "/api/me")[1]["person"] == "root"
        assert page.ask("POST", "/api/projects/club/labels", {"node": 3, "label": "left"})[0] == 200
        assert client.project("club").card(3).label == "left"
        labeller.close()
        assert client.me().role == "admin"  # the client is not the labeller's to close


def test_events_end_with_the_labeller(folder: Path) -> None:
    labeller = Labeller(folder, person="eve")
    page, events = Page(labeller), labeller._events
    assert events is not None
    status, found = page.ask("POST", "/api/projects/club/next", {"count": 1})
    assert status == 200
    node = found["questions"][0]["node"]
    assert (
        page.ask("POST", "/api/projects/club/labels", {"key": "k1", "node": node, "label": "left"})[0] == 200
    )
    page.wait_for_event("labelled")
    labeller.close()
    assert not events.is_alive()  # and with it the line that it read
    gc.collect()  # a line that was left open would complain here, of a loop that is closed


def test_a_closed_service_takes_no_requests_and_leaves_none_waiting(folder: Path) -> None:
    service = InProcess(folder, None, "eve")
    client = Client("http://localhost", service.token, transport=service.transport())
    project = client.project()
    stopped = threading.Event()

    def ask_on() -> None:
        with contextlib.suppress(ServiceError):
            while True:
                project.progress()
        stopped.set()

    asking = threading.Thread(target=ask_on, daemon=True)
    asking.start()
    service.close()
    assert stopped.wait(30)  # refused, not left without an answer
    with pytest.raises(ServiceError, match="closed here"):
        project.progress()
    client.close()


def test_bad_arguments_are_refused(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(ParameterError, match="project must be a folder"):
        Labeller(3)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="theme must be"):
        Labeller(folder, theme="pink")
    from ohmline.errors import OhmlineError

    with pytest.raises(OhmlineError, match="no folder"):
        Labeller(tmp_path / "none")
    Project.open(folder).close()


def test_without_anywidget_the_error_is_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "ohmline.widget.labeller")
    monkeypatch.delattr("ohmline.widget.Labeller", raising=False)
    import ohmline.widget

    with pytest.raises(MissingExtra, match=r"pip install 'ohmline\[widget\]'"):
        ohmline.widget.Labeller  # noqa: B018


def test_the_bundle_is_that_of_the_page() -> None:
    from importlib.resources import files

    page = files("ohmline.service") / "static"
    assert Labeller._esm == (page / "app.js").read_text(encoding="utf-8") or "app.js" in str(Labeller._esm)
    assert "export" in (page / "app.js").read_text(encoding="utf-8")


def test_ids_that_javascript_would_round_go_as_text(tmp_path: Path) -> None:
    far = 2**53 + 1
    graph = Graph.from_edges([(far - 1, far), (far, far + 1)])
    folder = Project.create(tmp_path / "far", graph=graph, classes=["left", "right"])
    labeller, heard = Labeller(folder, person="eve"), queue.Queue[dict[str, Any]]()
    labeller.send = heard.put
    try:
        text = json.dumps({"node": far, "label": "left"})
        message = {"id": "r1", "method": "POST", "path": "/api/projects/far/labels", "text": text}
        labeller._handle_custom_msg(message, [])
        while "event" in (reply := heard.get(timeout=120)):
            pass
        assert (reply["status"], json.loads(reply["text"])["node"], "json" in reply) == (200, far, False)
    finally:
        labeller.close()
    with Project.open(folder) as project:
        assert dict(project.ledger.labels) == {far: "left"}
