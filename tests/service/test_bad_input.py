"""Bad input: a problem document that says what is wrong, and nothing changed."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from ohmline.errors import FileFormatError, ProjectInUse
from ohmline.project import Settings
from service.running import Running, expect_problem, make_project, running

JSON = {"Content-Type": "application/json"}


@pytest.fixture(autouse=True)
def _unchanged(served: Running) -> Iterator[None]:
    before = served.state()
    yield
    assert served.state() == before


def send(served: Running, path: str, body: bytes, **headers: str) -> httpx.Response:
    return served.admin.post(served.url(path), content=body, headers={**JSON, **headers})


@pytest.mark.parametrize(
    ("body", "word"),
    [
        (b"", "no body"),
        (b"{", "truncated"),
        (b"{'node': 1}", "malformed"),
        (b'{"node": 1, "label": NaN}', "malformed"),
        (b"\xff\xfe", "malformed"),
        (b'{"node": "\xed\xa0\x80", "label": "left"}', "UTF-8"),
        (b'{"node": "\\ud800", "label": "left"}', "malformed"),
        (b'{"node": 1, "label": "left"} x', "trailing"),
        (b'{"node": ' + b"[" * 30_000 + b"]" * 30_000 + b', "label": "left"}', "deeply"),
    ],
)
def test_malformed_json(served: Running, body: bytes, word: str) -> None:
    expect_problem(send(served, "/labels", body), 400, word)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ([], ("expected object", "array")),
        ({"label": "left"}, ("node",)),
        ({"node": 1, "label": "left", "lable": 2}, ("lable",)),
        ({"node": True, "label": "left"}, ("node", "True")),
        ({"node": None, "label": "left"}, ("node", "None")),
        ({"node": {}, "label": "left"}, ("node", "{}")),
        ({"node": [1, [True]], "label": "left"}, ("True", "no node id")),
        ({"node": [], "label": "left"}, ("no node id",)),
        ({"node": [[[[[1]]]]], "label": "left"}, ("no node id",)),
        ({"node": "x" * 2000, "label": "left"}, ("no node id",)),
        ({"node": "", "label": "left"}, ("no node id",)),
        ({"node": 2**70, "label": "left"}, ("no node id",)),
        ({"node": 1, "label": None}, ("label", "None")),
        ({"node": 1, "label": ["left"]}, ("label", "left")),
        ({"node": 1, "label": True}, ("label", "True")),
        ({"node": 1, "label": "left", "seconds": -1}, ("seconds", "-1")),
        ({"node": 1, "label": "left", "seconds": "1"}, ("seconds", "'1'")),
        ({"node": 1, "label": "left", "key": "k" * 300}, ("key", "200")),
        ({"node": 1, "label": "left", "key": "\x00"}, ("key",)),
        ({"node": 1, "label": "nowhere"}, ("nowhere", "left")),
    ],
)
def test_values_of_another_shape(served: Running, body: Any, words: tuple[str, ...]) -> None:
    expect_problem(served.ann.post(served.url("/labels"), json=body), 422, *words)


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/next", {"count": 0}, 422),
        ("/next", {"count": 6}, 422),
        ("/next", {"count": 1.5}, 422),
        ("/labels", {"node": "nobody", "label": "left"}, 404),
        ("/labels/many", {"nodes": [1, "nobody"], "label": "left"}, 404),
        ("/labels/many", {"nodes": [], "label": "left"}, 422),
        ("/skips", {"node": [1, 2]}, 404),
        ("/skips", {"node": 1, "reason": "r" * 2000}, 422),
        ("/undo", {"seq": 0}, 422),
        ("/undo", {"seq": 10**9}, 422),
        ("/release", {"lease": "no such"}, 409),
        ("/predict", {}, 422),
        ("/predict", {"node": 1, "nodes": [1]}, 422),
        ("/predict", {"node": "nobody"}, 404),
        ("/predict", {"nodes": list(range(2000))}, 422),
        ("/predict", {"node": 1, "why": 1000}, 422),
        ("/settings", {}, 422),
        ("/settings", {"goal": 2}, 422),
        ("/settings", {"seed": 2}, 422),
        ("/settings", {"overlap": 0}, 422),
        ("/settings", {"confidence": None}, 422),
        ("/classes", {}, 422),
        ("/classes", {"add": ["left"]}, 422),
        ("/classes", {"add": [""]}, 422),
        ("/classes", {"add": ["new"], "remove": "left"}, 422),
        ("/classes", {"remove": "nothing"}, 422),
        ("/nodes", {"nodes": []}, 422),
        ("/nodes", {"nodes": [{"id": 1}]}, 422),
        ("/nodes", {"nodes": [{"id": ["a", 1]}]}, 422),
        ("/nodes", {"nodes": [{"id": 1.0}]}, 422),
        ("/nodes", {"nodes": [{"id": "n"}, {"id": "n"}]}, 422),
        ("/nodes", {"nodes": [{"id": "n", "fields": {"a": 1}}]}, 422),
        ("/edges", {"edges": [["a"]]}, 422),
        ("/edges", {"edges": [[1, 2, "heavy"]]}, 422),
        ("/edges", {"edges": [[1, 1]]}, 422),
        ("/edges", {"edges": [[1, 3, -2]]}, 422),
        ("/edges", {"edges": [[1, "nobody"]]}, 422),
        ("/adjudications", {"node": 1, "label": "nothing"}, 422),
        ("/gold", {"node": "nobody", "label": "left"}, 404),
        ("/gold", {"node": 1, "label": "nothing"}, 422),
        ("/audit", {"action": "spin"}, 422),
        ("/audit", {"action": "end"}, 422),
        ("/arrivals", {"node": 1}, 422),
    ],
)
def test_what_does_not_fit_the_project(served: Running, path: str, body: Any, status: int) -> None:
    reply = served.admin.post(served.url(path), json=body)
    expect_problem(reply, status)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/node?id=", 400),
        ("/node?id=abc", 400),
        ("/node?id=true", 422),
        ("/node?id=999", 404),
        ("/node", 422),
        ("/node?id=1&id=2", 400),
        ("/node?id=1&spam=2", 422),
        ("/node?id=%ff", 400),
        ("/predict?node=1&why=many", 422),
        ("/history?limit=0", 422),
        ("/history?limit=100000", 422),
        ("/history?after=-5", 422),
        ("/history?after=99999999999999999999999999", 422),
        ("/history?node=abc", 400),
        ("/search?q=", 422),
        ("/neighbourhood?node=1&hops=9", 422),
        ("/export?what=everything", 422),
        ("/export?format=pickle", 422),
        ("/export?what=events&format=label-studio", 422),
        ("/events?after=x", 422),
        ("/progress?spam=1", 422),
        ("/images/none.png", 404),
        ("/images/..%2fproject.toml", 404),
        ("/images/%2e%2e", 404),
        ("/nothing", 404),
        ("/", 404),
    ],
)
def test_queries_and_paths_that_do_not_fit(served: Running, path: str, status: int) -> None:
    expect_problem(served.admin.get(served.url(path)), status)


def test_projects_that_are_not_there(served: Running) -> None:
    for id in ("nothing", "..", "%2e%2e", "Club", "club%00", "a" * 500):
        expect_problem(served.admin.get(f"/api/projects/{id}/progress"), 404)


@pytest.mark.parametrize(
    "media_type", ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]
)
def test_a_form_is_not_json(served: Running, media_type: str) -> None:
    body = b'{"node": 1, "label": "left"}'
    expect_problem(send(served, "/labels", body, **{"Content-Type": media_type}), 415, "application/json")


def test_huge_bodies_are_refused_early(served: Running) -> None:
    reply = send(served, "/labels", b'{"node": "' + b"x" * 100_000 + b'"}')
    expect_problem(reply, 413, "65,536")
    expect_problem(send(served, "/nodes", b" " * (17 * 2**20)), 413, "16,777,216")


def test_a_body_without_an_end_is_cut_off_while_it_comes(served: Running) -> None:
    address = urlsplit(served.started.address)
    sent = 0
    with socket.create_connection((str(address.hostname), address.port), timeout=60) as line:
        head = f"POST {served.url('/labels')} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
        head += f"Authorization: Bearer {served.started.token}\r\nContent-Type: application/json\r\n\r\n"
        line.sendall(head.encode())
        try:
            while sent < 50 * 2**20:
                line.sendall(b"10000\r\n" + b" " * 0x10000 + b"\r\n")
                sent += 0x10000
                line.setblocking(False)
                try:
                    if line.recv(1, socket.MSG_PEEK):
                        break
                except BlockingIOError:
                    pass
                line.settimeout(60)
        except OSError:
            pass
        line.settimeout(60)
        assert b" 413 " in line.recv(100)
    assert sent < 10 * 2**20


def test_pictures_that_are_none(served: Running) -> None:
    svg = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    png = {"Content-Type": "image/png"}
    expect_problem(served.admin.post(served.url("/images"), content=svg, headers=png), 422, "PNG")
    svg_type = {"Content-Type": "image/svg+xml"}
    expect_problem(served.admin.post(served.url("/images"), content=svg, headers=svg_type), 415)
    folder = served.folder / "club" / "images"
    folder.mkdir(exist_ok=True)
    (folder / "evil.png").write_bytes(svg)
    expect_problem(served.admin.get(served.url("/images/evil.png")), 404)
    (folder / "link.png").symlink_to(served.folder / "people.toml")
    expect_problem(served.admin.get(served.url("/images/link.png")), 404)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": "x", "classes": ["a", "b"], "graph": {"edges": []}},
        {"name": "x", "classes": ["a"], "graph": {"edges": [[1, 2]]}},
        {"name": "x", "classes": ["a", "a"], "graph": {"edges": [[1, 2]]}},
        {"name": "x", "classes": ["a", "b"], "graph": {"edges": [[1, 2], [1, 2, 5]]}},
        {"name": "x", "classes": ["a", "b"], "graph": {"edges": [[1, 2, -1]]}},
        {"name": "x", "classes": ["a", "b"], "graph": {"edges": [[1, 2]]}, "labels": [[1, "c"]]},
        {"name": "x", "classes": ["a", "b"], "graph": {"edges": [[1, 2]]}, "labels": [[1, "a"], [1, "b"]]},
        {"name": "x", "classes": ["a", "b"], "graph": {"edges": [[1, 2]]}, "id": "../x"},
        {"name": "x", "classes": ["a", "b"], "graph": {"edges": [[1, 2]]}, "id": "X"},
        {"name": "x", "classes": ["a", "b"], "graph": {"edges": [[1, 2]]}, "settings": {"goal": 7}},
        {"name": "x", "classes": ["a", "b"], "graph": {"edges": [[1, 2]]}, "recipe": "os.system"},
        {
            "name": "x",
            "classes": ["a", "b"],
            "graph": {"edges": [[1, 2]]},
            "recipe": "accounts",
            "wanted": "c",
        },
        {"name": "x", "classes": ["a", "b"], "graph": {"edges": [[1, 2]]}, "wanted": "a"},
        {"name": "x", "classes": ["a", "b"], "graph": {"edges": [[1, 2]]}, "store": "postgresql://evil"},
    ],
)
def test_projects_that_cannot_be_made_leave_nothing(served: Running, body: Any) -> None:
    before = sorted(served.folder.rglob("*"))
    expect_problem(served.admin.post("/api/projects", json=body), 422)
    assert sorted(served.folder.rglob("*")) == before


def test_a_name_that_is_taken(served: Running) -> None:
    body = {"name": "x", "classes": ["a", "b"], "graph": {"edges": [[1, 2]]}, "id": "club"}
    expect_problem(served.admin.post("/api/projects", json=body), 409, "club")


@pytest.mark.parametrize(
    ("form", "media_type", "body", "status"),
    [
        ("csv", "text/csv", b"", 422),
        ("csv", "text/csv", b"a,b\n1,left\n", 422),
        ("csv", "text/csv", b"node,label\n1\n", 422),
        ("csv", "text/csv", b"node,label\n1,left\n1,right\n", 422),
        ("csv", "text/csv", b"node,label\n1,nothing\n", 422),
        ("csv", "text/csv", b"node,label\nnobody,left\n", 404),
        ("csv", "text/csv", b"\xff\xff", 422),
        ("csv", "text/csv", b'node,label\n"1,left\n', 422),
        ("csv", "application/pickle", b"", 415),
        ("label-studio", "application/json", b"{}", 422),
        ("label-studio", "application/json", b"[1]", 422),
        ("label-studio", "application/json", b"[" * 100_000, 422),
        ("xlsx", "text/csv", b"", 422),
    ],
)
def test_imports_that_do_not_fit(
    served: Running, form: str, media_type: str, body: bytes, status: int
) -> None:
    reply = served.admin.post(
        served.url("/import"), params={"format": form}, content=body, headers={"Content-Type": media_type}
    )
    expect_problem(reply, status)


class TestOrder:
    """What was right once and no longer is."""

    @pytest.fixture(autouse=True)
    def _unchanged(self) -> None:
        """These change something first."""

    def test_a_key_with_another_body(self, served: Running) -> None:
        body = {"node": 5, "label": "left", "key": "twice"}
        first = served.ann.post(served.url("/labels"), json=body).json()
        before = served.state()
        expect_problem(served.ann.post(served.url("/labels"), json={**body, "label": "right"}), 422, "twice")
        expect_problem(served.ann.post(served.url("/skips"), json={"node": 5, "key": "twice"}), 422, "twice")
        assert served.ann.post(served.url("/labels"), json=body).json() == first
        assert served.state() == before

    def test_a_question_that_went_to_somebody_else(self, served: Running) -> None:
        [question] = served.ann.post(served.url("/next"), json={}).json()["questions"]
        answer = {"node": question["node"], "label": "left"}
        assert served.admin.post(served.url("/adjudications"), json=answer).status_code == 200
        before = served.state()
        reply = served.ann.post(served.url("/labels"), json={**answer, "lease": "123456"})
        expect_problem(reply, 409, "123456")
        assert served.state() == before

    def test_a_class_that_was_removed(self, served: Running) -> None:
        assert served.admin.post(served.url("/classes"), json={"add": ["gone"]}).status_code == 200
        assert served.admin.post(served.url("/classes"), json={"remove": "gone"}).status_code == 200
        before = served.state()
        expect_problem(served.ann.post(served.url("/labels"), json={"node": 6, "label": "gone"}), 422, "gone")
        assert served.state() == before

    def test_a_class_that_is_in_use_stays(self, served: Running) -> None:
        assert served.ann.post(served.url("/labels"), json={"node": 7, "label": "middle"}).status_code == 200
        before = served.state()
        expect_problem(served.admin.post(served.url("/classes"), json={"remove": "middle"}), 422, "middle")
        assert served.state() == before

    def test_what_others_did_is_not_undone_by_annotators(self, served: Running) -> None:
        seq = served.admin.post(served.url("/labels"), json={"node": 8, "label": "left"}).json()["seq"]
        before = served.state()
        expect_problem(served.ann.post(served.url("/undo"), json={"seq": seq}), 403, "root")
        assert served.state() == before


def test_two_servers_on_one_project(served: Running) -> None:
    with pytest.raises(ProjectInUse), running(served.folder / "club"):
        pass


def test_a_folder_of_a_newer_version(tmp_path: Path) -> None:
    make_project(tmp_path / "old", n=6, settings=Settings())
    about = make_project(tmp_path / "new", n=6, settings=Settings()) / "project.toml"
    about.write_text(about.read_text().replace("format = 1", "format = 99"))
    with running(tmp_path) as found:
        listed = {each["id"]: each for each in found.admin.get("/api/projects").json()["projects"]}
        assert "99" in listed["new"]["problem"]
        assert listed["old"].get("problem", "") == ""
        expect_problem(found.admin.get(found.url("/progress", "new")), 422, "99", "upgrade")
        assert found.admin.get(found.url("/progress", "old")).status_code == 200
    with pytest.raises(FileFormatError, match="99"), running(tmp_path / "new"):
        pass


def test_a_server_of_one_project_makes_no_other(tmp_path: Path) -> None:
    make_project(tmp_path / "only", n=6)
    with running(tmp_path / "only") as found:
        body = {"name": "x", "classes": ["a", "b"], "graph": {"edges": [[1, 2]]}}
        expect_problem(found.admin.post("/api/projects", json=body), 409, "only")
        assert found.admin.get(found.url(id="only")).status_code == 200
