"""People at the page, with a real browser over the real server and store."""

from __future__ import annotations

import os
import random
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ohmline.graph.graph import Graph
from ohmline.project import Project, Settings

CLASSES = ["theory", "learning", "genetic", "networks"]
ARGUMENTS = ["--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
NASTY = (
    "Paper about theory <img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
)
NASTY_NODE = "p0"
PATIENCE = 60_000
"""Milliseconds; machines that run tests are busy."""


def chromium() -> str | None:
    """Where Chromium is; None where there is none."""
    named = os.environ.get("OHMLINE_CHROMIUM")
    return named or next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )


def make_papers(folder: Path, n: int = 240, **settings: Any) -> Path:
    """A project whose texts say the right label."""
    rng = random.Random(5)
    true = [k % len(CLASSES) for k in range(n)]
    edges = set()
    for k in range(n):
        for _ in range(3):
            other = rng.randrange(n)
            while other == k or (rng.random() < 0.9 and true[other] != true[k]):
                other = rng.randrange(n)
            edges.add((f"p{min(k, other)}", f"p{max(k, other)}"))
    graph = Graph.from_edges(sorted(edges))
    nodes: dict[Any, dict[str, Any]] = {
        f"p{k}": {"text": f"Paper {k} about {CLASSES[true[k]]}\nIts abstract.", "year": str(1990 + k % 30)}
        for k in range(n)
        if f"p{k}" in graph.nodes
    }
    nodes[NASTY_NODE]["text"] = NASTY
    return Project.create(
        folder, graph=graph, classes=CLASSES, name="Papers", nodes=nodes, settings=Settings(**settings)
    )


def press(page: Any, key: str) -> str:
    """Press a key and wait until the desk asks about another node; which node it was about.

    The page drops a key that comes within an eighth of a second of a question, because the person still meant the one
    before. So this waits until one question has stood still for longer than that.
    """
    node = page.inner_text(".question .node-name")
    while True:
        page.wait_for_timeout(200)
        stood, node = node, page.inner_text(".question .node-name")
        if node == stood:
            break
    page.keyboard.press(key)
    page.wait_for_function(
        "node => (document.querySelector('.question .node-name') ?? { textContent: node }).textContent !== node",
        arg=node,
    )
    return str(node)


@dataclass
class Visit:
    """One person at the page.

    Attributes
    ----------
    page
        Playwright's page.
    address, id
        The server and the project.
    errors
        What the browser complained about.
    asked
        Every address that the page asked for.
    """

    page: Any
    address: str
    id: str
    errors: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def enter(self, token: str, view: str = "label") -> None:
        """Log in by the address that `ohmline serve` opens, and go to a view."""
        page = self.page
        page.on(
            "console",
            lambda said: self.errors.append(said.text) if said.type in ("error", "warning") else None,
        )
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))
        page.goto(f"{self.address}/#token={token}")
        page.wait_for_selector("main:not(.alone), .choose")
        self.go(view)

    def go(self, view: str) -> None:
        """Open a view."""
        self.page.goto(f"{self.address}/#/p/{self.id}/{view}")
        if view == "label":
            self.page.wait_for_selector(".answer")
        else:
            self.page.wait_for_selector(f"main.view-{view}")

    def node(self) -> str:
        """The node that is asked for."""
        return str(self.page.inner_text(".question .node-name"))

    def title(self) -> str:
        """The title of the node that is asked for."""
        return str(self.page.inner_text("#question-title"))

    def key_of_truth(self) -> str:
        """The key of the label that the text says."""
        return str(1 + next(k for k, label in enumerate(CLASSES) if f"about {label}" in self.title()))

    def press(self, key: str) -> str:
        """Press a key and wait for the next question; which node it was about."""
        return press(self.page, key)

    def answer(self) -> tuple[str, str]:
        """Label as the text says; the node and the label."""
        key = self.key_of_truth()
        return self.press(key), CLASSES[int(key) - 1]

    def until_saved(self) -> int:
        """Wait until everything is saved; the number of the last event that this page saved."""
        self.page.wait_for_selector(".saved.safe")
        text = self.page.inner_text(".saved")
        return int(text.rpartition("#")[2]) if "#" in text else -1
