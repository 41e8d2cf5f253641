"""The labeller in a real browser: the bundle, its messages and the project, with only the notebook left out."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from ohmline.project import Project
from ohmline.recipes import demo
from ohmline.widget import Labeller
from service.browser.visiting import ARGUMENTS, PATIENCE, chromium, press

NOTEBOOK = """<!doctype html><html lang="en"><title>A notebook</title><style>STYLE</style><div id="cell"></div>
<script type="module">
import widget from "./app.js";
const listeners = new Set();
window.fromKernel = (message) => listeners.forEach((listen) => listen(message));
const state = { project: "PROJECT", theme: "light" };
const model = {
  get: (name) => state[name],
  on: (name, listen) => name === "msg:custom" && listeners.add(listen),
  off: (name, listen) => listeners.delete(listen),
  send: (message) => window.toKernel(message).then(window.fromKernel),
};
window.leave = widget.render({ model, el: document.getElementById("cell") });
</script>"""


@pytest.fixture
def page() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    where = chromium()
    if where is None:
        pytest.skip("no Chromium found: install Debian's package chromium, or set OHMLINE_CHROMIUM to one")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=where, args=ARGUMENTS)
        opened = browser.new_page()
        opened.set_default_timeout(PATIENCE)
        yield opened
        browser.close()


class Kernel:
    """What stands between page and labeller in a notebook: a message in, its answer out."""

    def __init__(self, labeller: Labeller) -> None:
        self._labeller, self._answers, self._came = labeller, {}, threading.Condition()
        labeller.send = self._hear

    def _hear(self, message: dict[str, Any]) -> None:
        with self._came:
            self._answers[message.get("id")] = message
            self._came.notify_all()

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        self._labeller._handle_custom_msg(message, [])
        with self._came:
            assert self._came.wait_for(lambda: message["id"] in self._answers, 60)
            return self._answers.pop(message["id"])  # type: ignore[no-any-return]


def test_three_papers_are_labelled_by_keyboard_in_a_cell(page: Any, tmp_path: Path) -> None:
    folder = demo(tmp_path / "papers", size=60)
    labeller = Labeller(folder, person="ann", theme="light")
    try:
        kernel, static = Kernel(labeller), files("ohmline.service") / "static"
        style = (static / "app.css").read_text(encoding="utf-8")
        outside: list[str] = []
        page.on("request", lambda request: outside.append(request.url))
        page.expose_function("toKernel", kernel.ask)
        book = NOTEBOOK.replace("STYLE", style).replace("PROJECT", labeller.project)
        page.route("http://notebook.test/", lambda route: route.fulfill(body=book, content_type="text/html"))
        page.route(
            "http://notebook.test/app.js",
            lambda route: route.fulfill(
                body=(static / "app.js").read_bytes(), content_type="text/javascript"
            ),
        )
        page.goto("http://notebook.test/")
        for key, count in (("1", 1), ("2", 2), ("6", 3)):
            page.wait_for_selector(".question .node-name")
            page.locator(".desk").focus()
            press(page, key)
            for _ in range(200):
                if labeller.client.progress().labels >= count:
                    break
                page.wait_for_timeout(50)
            assert labeller.client.progress().labels == count
        assert set(outside) <= {"http://notebook.test/", "http://notebook.test/app.js"}
        page.evaluate("window.leave()")
        assert page.locator(".ohm").count() == 0
    finally:
        labeller.close()
    with Project.open(folder) as project:
        assert set(project.ledger.labels.values()) <= {"astronomy", "botany", "robotics"}
        assert len(project.ledger.labels) == 3
