"""A real server on a real socket, in a thread, for tests."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from ohmline.graph.graph import Graph
from ohmline.project import Project, Settings
from ohmline.service.limits import Limits
from ohmline.service.listening import Options
from ohmline.service.people import Role, add_person
from ohmline.service.server import Started, serve

CLASSES = ["left", "right", "middle"]
PLENTY = Limits(rate=1e6, burst=10**6)


@dataclass
class Running:
    """A server, and people who can talk to it."""

    started: Started
    folder: Path
    admin: httpx.Client
    ann: httpx.Client
    nobody: httpx.Client

    def project(self, id: str = "club") -> Project:
        return self.started.workspace.host(id).project

    def url(self, rest: str = "", id: str = "club") -> str:
        return f"/api/projects/{id}{rest}"

    def state(self, id: str = "club") -> tuple[int, str, str]:
        here = self.project(id)
        return here.seq, here.hash, here.digest()


def ring(n: int = 30) -> Graph:
    """A ring of nodes with a few chords, so that every node is reached."""
    edges = [(k, (k + 1) % n) for k in range(n)] + [(k, (k + 7) % n) for k in range(0, n, 3)]
    return Graph.from_edges(edges)


def make_project(folder: Path, *, n: int = 30, **options: Any) -> Path:
    """A small project with texts."""
    nodes = {
        k: {"text": f"item {k}\nmore about it", "colour": "red" if k % 2 else "blue"} for k in range(0, n, 2)
    }
    settings = options.pop("settings", Settings(goal=0.2))
    options |= {"graph": ring(n), "classes": CLASSES, "name": "A club", "nodes": nodes, "settings": settings}
    return Project.create(folder, **options)


@contextmanager
def running(folder: Path, limits: Limits = PLENTY, **options: Any) -> Iterator[Running]:
    """In a `with`: a server on a folder."""
    _, token = add_person(folder, "ann", Role.ANNOTATOR)
    ready, found, failed = threading.Event(), [], []

    def note(started: Started) -> None:
        found.append(started)
        ready.set()

    def work() -> None:
        try:
            serve(Options(folder, port=0, limits=limits, who="root", **options), note)
        except BaseException as error:
            failed.append(error)
        finally:
            ready.set()

    thread = threading.Thread(target=work)
    thread.start()
    assert ready.wait(900)  # after an installation machine code is made first
    if failed:
        thread.join()
        raise failed[0]
    started: Started = found[0]
    at = {"base_url": started.address, "timeout": 120}
    try:
        with (
            httpx.Client(headers={"Authorization": f"Bearer {started.token}"}, **at) as admin,
            httpx.Client(headers={"Authorization": f"Bearer {token}"}, **at) as ann,
            httpx.Client(**at) as nobody,
        ):
            yield Running(started, folder, admin, ann, nobody)
    finally:
        started.stop()
        thread.join(60)
    assert not thread.is_alive()
    assert not failed, failed


def expect_problem(reply: httpx.Response, status: int, *words: str) -> dict[str, Any]:
    """A problem document, whole, without a traceback."""
    assert reply.status_code == status, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    document: dict[str, Any] = reply.json()
    assert {"type", "title", "status", "detail"} <= set(document)
    assert document["status"] == status
    text = document["detail"] + " " + document.get("remedy", "")
    assert "Traceback" not in text
    for word in words:
        assert word in text, (word, text)
    return document
