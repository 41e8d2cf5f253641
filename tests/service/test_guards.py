"""Who may do what, from where: the matrix over all routes."""

from __future__ import annotations

import http.client
import json
from urllib.parse import urlsplit

import httpx
import pytest

from ohmline.service.guards import host_name
from ohmline.service.people import Role
from ohmline.service.route import Route
from ohmline.service.table import ROUTES
from service.running import Running, expect_problem

BY_NAME = {f"{route.method} {route.path}": route for route in ROUTES}
UNSAFE = [name for name, route in BY_NAME.items() if route.method == "POST"]


def path_of(route: Route) -> str:
    return route.path.replace("{p}", "club").replace("{name}", "a.png")


def ask(client: httpx.Client, route: Route, **options: object) -> httpx.Response:
    content = b"{}" if route.method == "POST" else None
    headers = {"Content-Type": "application/json", **options.pop("headers", {})}  # type: ignore[dict-item]
    with client.stream(route.method, path_of(route), content=content, headers=headers) as reply:
        if not reply.headers["content-type"].startswith("text/event-stream"):
            reply.read()
        return reply


@pytest.mark.parametrize("name", BY_NAME)
def test_without_a_token_there_is_nothing(served: Running, name: str) -> None:
    route = BY_NAME[name]
    if route.role is None:
        assert ask(served.nobody, route).status_code != 401
        return
    before = served.state()
    reply = ask(served.nobody, route)
    expect_problem(reply, 401, "token")
    assert reply.headers["www-authenticate"].startswith("Bearer")
    for wrong in ("Bearer ohm-00000000-" + "x" * 43, "Bearer", "Basic YTpi", "Bearer \xff"):
        expect_problem(
            ask(served.nobody, route, headers={"Authorization": wrong.encode("latin-1")}), 401, "nobody's"
        )
    assert served.state() == before


@pytest.mark.parametrize("name", [name for name, route in BY_NAME.items() if route.role is Role.ADMIN])
def test_what_is_for_admins_is_refused_to_annotators(served: Running, name: str) -> None:
    before = served.state()
    expect_problem(ask(served.ann, BY_NAME[name]), 403, "ann is an annotator")
    assert served.state() == before


@pytest.mark.parametrize("name", [name for name in UNSAFE if BY_NAME[name].role is not None])
def test_a_cookie_alone_changes_nothing(served: Running, name: str) -> None:
    own = {"X-Ohmline": "1", "Origin": served.started.address}
    before = served.state()
    with httpx.Client(base_url=served.started.address, timeout=60) as browser:
        assert (
            browser.post("/api/login", json={"token": served.started.token}, headers=own).status_code == 200
        )
        route = BY_NAME[name]
        expect_problem(ask(browser, route), 403, "Origin")
        expect_problem(ask(browser, route, headers={"Origin": served.started.address}), 403, "X-Ohmline")
        elsewhere = {"X-Ohmline": "1", "Origin": "https://evil.example"}
        expect_problem(ask(browser, route, headers=elsewhere), 403, "evil.example")
        expect_problem(ask(browser, route, headers={"X-Ohmline": "1", "Origin": "null"}), 403, "null")
    assert served.state() == before


@pytest.mark.parametrize("name", UNSAFE)
def test_another_page_is_refused_with_a_token_too(served: Running, name: str) -> None:
    before = served.state()
    reply = ask(served.admin, BY_NAME[name], headers={"Origin": "https://evil.example"})
    expect_problem(reply, 403, "evil.example")
    assert served.state() == before


@pytest.mark.parametrize("name", BY_NAME)
def test_another_name_is_refused(served: Running, name: str) -> None:
    reply = ask(served.admin, BY_NAME[name], headers={"Host": "evil.example:80"})
    expect_problem(reply, 421, "evil.example")


def test_names_that_are_ours() -> None:
    assert host_name(b"127.0.0.1:8765") == "127.0.0.1"
    assert host_name(b"[::1]") == "::1"
    assert host_name(b"[::1") is None
    assert host_name(b"a:b") is None
    assert host_name(b"") is None


@pytest.mark.parametrize("host", ["localhost:1", "127.0.0.1", "[::1]:5", "192.168.1.7:80"])
def test_addresses_and_localhost_are_ours(served: Running, host: str) -> None:
    assert served.nobody.get("/healthz", headers={"Host": host}).status_code == 200


def test_no_host_or_two_are_refused(served: Running) -> None:
    address = urlsplit(served.started.address)
    for hosts in ([], ["localhost", "localhost"]):
        connection = http.client.HTTPConnection(str(address.hostname), address.port, timeout=60)
        connection.putrequest("GET", "/healthz", skip_host=True)
        for host in hosts:
            connection.putheader("Host", host)
        connection.endheaders()
        reply = connection.getresponse()
        assert reply.status == 400
        body = reply.read()
        if reply.getheader("content-type") == "application/problem+json":
            assert "Host" in json.loads(body)["detail"]
        connection.close()


def test_logging_in_needs_our_page_and_a_token(served: Running) -> None:
    token = {"token": served.started.token}
    expect_problem(served.nobody.post("/api/login", json=token), 403, "X-Ohmline")
    evil = {"X-Ohmline": "1", "Origin": "http://evil.example"}
    expect_problem(served.nobody.post("/api/login", json=token, headers=evil), 403, "evil.example")
    wrong = served.nobody.post("/api/login", json={"token": "x"}, headers={"X-Ohmline": "1"})
    expect_problem(wrong, 401, "nobody's")
    assert "set-cookie" not in wrong.headers


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE"])
def test_other_methods_are_refused(served: Running, method: str) -> None:
    reply = served.admin.request(method, served.url("/labels"))
    assert reply.status_code == 405
    assert reply.headers["allow"] == "POST"
    assert "access-control-allow-origin" not in reply.headers


def test_every_answer_says_that_it_is_not_to_be_guessed_or_kept(served: Running) -> None:
    for reply in (served.admin.get("/api/me"), served.nobody.get("/api/me"), served.admin.get("/nowhere")):
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["cache-control"] == "no-store"
        assert reply.headers["cross-origin-resource-policy"] == "same-origin"
        assert "frame-ancestors 'none'" in reply.headers["content-security-policy"]
