"""One browser and one server for the tests of a file. None outlives it: the browser's driver keeps an event loop
running in the thread of the tests, where nobody else could then start one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from service.browser.visiting import ARGUMENTS, PATIENCE, Visit, chromium, make_papers
from service.running import Running, running

PROJECT, SHARED = "papers", "shared"
BY_THEMSELVES = {"leased", "released", "audit-begun", "audit-ended"}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A real Chromium."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    where = chromium()
    if where is None:
        pytest.skip("no Chromium found: install Debian's package chromium, or set OHMLINE_CHROMIUM to one")
    with api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=where, args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def place(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server with a project for one person, and one where two are asked for each node."""
    folder = tmp_path_factory.mktemp("browser")
    make_papers(folder / PROJECT, goal=0.1)
    make_papers(folder / SHARED, n=60, overlap=2)
    with running(folder) as found:
        yield found


@pytest.fixture
def visit(browser: Any, place: Running) -> Iterator[Callable[..., Visit]]:
    """Send a person to the page: `visit()`, with the options of a browser context."""
    contexts = []

    def send(id: str = PROJECT, **options: Any) -> Visit:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        return Visit(context.new_page(), place.started.address, id)

    yield send
    for context in contexts:
        context.close()


@pytest.fixture
def admin(place: Running) -> str:
    """The token of the person who started the server."""
    return place.started.token


@pytest.fixture
def annotator(place: Running) -> str:
    """The token of somebody else."""
    return str(place.ann.headers["Authorization"]).removeprefix("Bearer ")


@pytest.fixture
def events(place: Running) -> Callable[..., list[dict[str, Any]]]:
    """What people did after an event, as an admin sees it: neither leases nor the checks that begin by themselves."""

    def read(after: int, id: str = PROJECT) -> list[dict[str, Any]]:
        reply = place.admin.get(place.url("/history", id), params={"after": after, "limit": 1000})
        return [each for each in reply.json()["events"] if each["kind"] not in BY_THEMSELVES]

    return read


@pytest.fixture
def last(place: Running) -> Callable[..., int]:
    """The number of the last event."""

    def read(id: str = PROJECT) -> int:
        return int(place.admin.get(place.url("", id)).json()["seq"])

    return read
