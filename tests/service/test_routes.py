"""Every route's good path, over a socket."""

from __future__ import annotations

import gzip
import json
import time
from pathlib import Path
from typing import Any

import httpx

from ohmline.service.table import ROUTES
from service.running import CLASSES, Running, expect_problem, make_project, running

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000 1f15c4890000000d49444154789c6360000002000001e221bc33"
    "0000000049454e44ae426082"
)


def good(reply: httpx.Response, status: int = 200) -> Any:
    assert reply.status_code == status, reply.text
    return reply.json()


def test_who_asks(served: Running) -> None:
    assert good(served.admin.get("/api/me")) == {"person": "root", "role": "admin"}
    assert good(served.ann.get("/api/me")) == {"person": "ann", "role": "annotator"}


def test_a_session_lasts_until_it_is_ended(served: Running) -> None:
    with httpx.Client(base_url=served.started.address, timeout=60) as browser:
        own = {"X-Ohmline": "1", "Origin": served.started.address}
        reply = browser.post("/api/login", json={"token": served.started.token}, headers=own)
        assert good(reply) == {"person": "root", "role": "admin"}
        cookie = reply.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert served.started.token not in cookie
        assert good(browser.get("/api/me"))["person"] == "root"
        assert browser.post(served.url("/next"), json={}, headers=own).status_code == 200
        good(browser.post("/api/logout", headers=own))
        assert browser.get("/api/me").status_code == 401


def test_projects_are_listed_and_described(served: Running) -> None:
    listed = good(served.ann.get("/api/projects"))["projects"]
    club = next(each for each in listed if each["id"] == "club")
    assert club["name"] == "A club"
    assert club["nodes"] >= 30
    assert club["classes"][:3] == CLASSES
    found = good(served.ann.get(served.url()))
    assert (found["mode"], found["role"], found["person"]) == ("pool", "annotator", "ann")
    assert found["settings"]["goal"] == 0.2
    assert found["progress"]["goal"] == 0.2


def test_a_question_is_answered_skipped_undone_and_given_back(served: Running) -> None:
    reply = good(served.ann.post(served.url("/next"), json={"count": 3}))
    first, second, third = reply["questions"]
    assert len({each["node"] for each in reply["questions"]}) == 3
    assert {"node", "title", "neighbours", "votes", "degree"} <= set(first["card"])
    body = {"node": first["node"], "label": "left", "lease": first["lease"], "key": "one", "seconds": 1.5}
    written = good(served.ann.post(served.url("/labels"), json=body))
    assert (written["node"], written["label"], written["resolved"]) == (first["node"], "left", "left")
    assert len(written["hash"]) == 64
    assert good(served.ann.post(served.url("/labels"), json=body)) == written  # the same key: done once
    skipped = good(
        served.ann.post(served.url("/skips"), json={"node": second["node"], "lease": second["lease"]})
    )
    assert skipped["seq"] == written["seq"] + 1
    undone = good(served.ann.post(served.url("/undo"), json={}))
    assert undone["undone"] == skipped["seq"]
    undone = good(served.ann.post(served.url("/undo"), json={"seq": written["seq"]}))
    assert undone["nodes"] == [first["node"]]
    good(served.ann.post(served.url("/release"), json={"lease": third["lease"]}))


def test_many_nodes_get_one_label_as_one_event(served: Running) -> None:
    before = served.project().seq
    written = good(
        served.ann.post(served.url("/labels/many"), json={"nodes": [20, 21, 22], "label": "right"})
    )
    assert (written["seq"], written["count"]) == (before + 1, 3)
    card = good(served.ann.get(served.url("/node"), params={"id": "21"}))
    assert card["label"] == "right"
    assert [vote["person"] for vote in card["votes"]] == ["ann"]
    assert good(served.admin.get(served.url("/node"), params={"id": "21"}))["votes"] == card["votes"]
    assert good(served.ann.post(served.url("/undo"), json={}))["nodes"] == [20, 21, 22]


def test_predictions_name_their_reasons(served: Running) -> None:
    good(served.admin.post(served.url("/labels"), json={"node": 3, "label": "left"}))
    good(served.admin.post(served.url("/labels"), json={"node": 18, "label": "right"}))
    one = good(served.ann.post(served.url("/predict"), json={"node": 4, "why": 2}))
    [said] = one["predictions"]
    assert said["node"] == 4
    assert said["prediction"] == "left"
    assert said["reached"]
    assert said["probabilities"][0][0] == "left"
    assert {each["node"] for each in said["because"]} <= {3, 18}
    assert good(served.ann.get(served.url("/predict"), params={"node": "4", "why": 2})) == one
    many = good(served.ann.post(served.url("/predict"), json={"nodes": list(range(30)) * 4}))
    assert [each["node"] for each in many["predictions"]] == list(range(30)) * 4


def test_what_there_is_to_see(served: Running) -> None:
    card = good(served.ann.get(served.url("/node"), params={"id": "4"}))
    assert card["title"] == "item 4"
    assert card["fields"] == {"colour": "blue"}
    assert good(served.ann.get(served.url("/search"), params={"q": "ITEM 12"}))["nodes"][0]["node"] == 12
    assert good(served.ann.get(served.url("/progress")))["nodes"] == len(served.project().nodes)
    assert set(good(served.ann.get(served.url("/curves")))) == {"labels", "mistakes", "audit", "sentences"}
    people = good(served.admin.get(served.url("/people")))
    assert {each["person"] for each in people["people"]} >= {"root"}
    assert set(people["agreement"]) == {"alpha", "nodes", "pairs"}
    assert {each["person"] for each in good(served.ann.get(served.url("/people")))["people"]} <= {"ann"}


def test_history_pages_and_filters(served: Running) -> None:
    page = good(served.admin.get(served.url("/history"), params={"limit": 2}))
    assert [each["seq"] for each in page["events"]] == [0, 1]
    assert page["last"] == served.project().seq
    rest = good(served.admin.get(served.url("/history"), params={"after": 1, "limit": 1000}))["events"]
    assert [each["seq"] for each in rest] == list(range(2, served.project().seq + 1))
    anns = good(served.admin.get(served.url("/history"), params={"person": "ann", "limit": 1000}))["events"]
    assert anns
    assert all(each["actor"] == "ann" for each in anns)
    about = good(served.admin.get(served.url("/history"), params={"node": "21"}))["events"]
    assert [each["kind"] for each in about] == ["many-labelled", "undone"]


def test_the_map_is_drawn_by_the_server(served: Running) -> None:
    for _ in range(100):
        reply = served.ann.get(served.url("/map"))
        if reply.status_code == 200:
            break
        assert good(reply, 202) == {"state": "drawing"}
        time.sleep(0.2)
    found = good(reply)
    assert len(found["ids"]) == len(found["x"]) == len(found["y"]) == found["shown"] >= 30
    assert set(found["label"]) <= {-1, *range(len(found["classes"]))}
    around = good(served.ann.get(served.url("/neighbourhood"), params={"node": "4", "hops": 1}))
    assert around["ids"][0] == 4
    assert set(around["ids"][1:]) == set(served.project().model.neighbours(4))


def test_admins_settle_set_gold_configure_and_grow(served: Running) -> None:
    good(served.admin.post(served.url("/settings"), json={"overlap": 2}))
    good(served.ann.post(served.url("/labels"), json={"node": 9, "label": "left"}))
    good(served.admin.post(served.url("/labels"), json={"node": 9, "label": "right"}))
    [at] = good(served.admin.get(served.url("/disagreements")))["nodes"]
    assert (at["node"], {vote["label"] for vote in at["votes"]}) == (9, {"left", "right"})
    good(served.admin.post(served.url("/adjudications"), json={"node": 9, "label": "middle"}))
    assert good(served.admin.get(served.url("/disagreements")))["nodes"] == []
    good(served.admin.post(served.url("/gold"), json={"node": 11, "label": "left"}))
    assert [each["node"] for each in good(served.admin.get(served.url("/gold")))["gold"]] == [11]
    good(served.admin.post(served.url("/gold"), json={"node": 11, "label": None}))
    assert good(served.admin.get(served.url("/gold")))["gold"] == []
    good(served.admin.post(served.url("/settings"), json={"overlap": 1, "goal": 0.1}))
    assert good(served.ann.get(served.url()))["settings"]["goal"] == 0.1
    good(served.admin.post(served.url("/classes"), json={"add": ["odd"]}))
    assert good(served.ann.get(served.url()))["classes"] == [*CLASSES, "odd"]
    good(served.admin.post(served.url("/classes"), json={"remove": "odd"}))
    assert good(served.ann.get(served.url()))["classes"] == CLASSES
    new = {"nodes": [{"id": "new", "text": "a new one", "fields": {"colour": "green"}}]}
    good(served.admin.post(served.url("/nodes"), json=new))
    good(served.admin.post(served.url("/edges"), json={"edges": [["new", 3, 2.0], ["new", 4]]}))
    card = good(served.ann.get(served.url("/node"), params={"id": '"new"'}))
    assert (card["title"], card["fields"]) == ("a new one", {"colour": "green"})
    assert {each["node"] for each in card["neighbours"]} == {3, 4}


def test_a_random_check_begins_and_ends(served: Running) -> None:
    before = good(served.ann.get(served.url("/audit")))
    assert not before["running"]
    begun = good(served.admin.post(served.url("/audit"), json={"action": "begin"}))
    assert begun["running"]
    assert begun["number"] == before["number"] + 1
    questions = good(served.ann.post(served.url("/next"), json={"count": 5}))["questions"]
    checks = [each for each in questions if each["asked"] == "audit"]
    assert checks
    assert all(each["card"]["prediction"] is None for each in checks)
    assert not good(served.admin.post(served.url("/audit"), json={"action": "end"}))["running"]


def test_pictures_get_server_made_names(served: Running) -> None:
    reply = served.admin.post(served.url("/images"), content=PIXEL, headers={"Content-Type": "image/png"})
    name = good(reply, 201)["name"]
    assert len(name) == 44
    found = served.ann.get(served.url(f"/images/{name}"))
    assert (found.content, found.headers["content-type"]) == (PIXEL, "image/png")
    assert found.headers["x-content-type-options"] == "nosniff"
    good(served.admin.post(served.url("/nodes"), json={"nodes": [{"id": "pic", "image": name}]}))
    card = good(served.ann.get(served.url("/node"), params={"id": '"pic"'}))
    assert card["image"] == served.url(f"/images/{name}")


def test_a_project_is_made_and_opened(served: Running) -> None:
    graph = {"nodes": ["a", "b", "c", ["d", 1]], "edges": [["a", "b"], ["b", "c", 2.5], ["c", ["d", 1]]]}
    new = {
        "name": "Second, with texts!",
        "classes": ["x", "y"],
        "graph": graph,
        "nodes": [{"id": "a", "text": "first of all"}],
        "labels": [["a", "x"]],
        "settings": {"goal": 0.1, "overlap": 2},
    }
    made = good(served.admin.post("/api/projects", json=new), 201)
    assert made == {
        "id": "second-with-texts",
        "name": new["name"],
        "nodes": 4,
        "labels": 1,
        "classes": ["x", "y"],
    }
    again = good(served.admin.post("/api/projects", json=new), 201)
    assert again["id"] == "second-with-texts-2"
    here = served.url(id="second-with-texts")
    assert good(served.ann.get(here))["settings"]["overlap"] == 2
    assert good(served.ann.post(f"{here}/predict", json={"node": ["d", 1]}))["predictions"][0]["node"] == [
        "d",
        1,
    ]


def test_operations(served: Running) -> None:
    assert good(served.nobody.get("/healthz")) == {"status": "ok"}
    assert good(served.nobody.get("/readyz")) == {"status": "ok"}
    text = served.admin.get("/metrics").text
    assert 'ohmline_requests_total{method="GET",route="/healthz",status="200"} 1' in text
    assert f'ohmline_events_total{{project="club"}} {served.project().seq + 1}' in text
    assert 'ohmline_storage_writable{project="club"} 1' in text
    assert 'ohmline_request_seconds_bucket{route="/api/projects/{p}/labels",le="+Inf"}' in text
    page = served.nobody.get("/")
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    again = served.nobody.get("/", headers={"If-None-Match": page.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_the_pages_files_are_small_on_the_line(served: Running) -> None:
    with served.nobody.stream("GET", "/static/app.js", headers={"Accept-Encoding": "gzip"}) as reply:
        packed = b"".join(reply.iter_raw())
    assert reply.headers["content-encoding"] == "gzip"
    plain = served.nobody.get("/static/app.js", headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert gzip.decompress(packed) == plain.content
    assert served.nobody.head("/static/app.js").status_code == 200
    assert served.nobody.get("/static/..%2f__init__.py").status_code == 404
    assert served.nobody.post("/").status_code == 405


def test_the_document_has_every_route(served: Running) -> None:
    document = good(served.nobody.get("/openapi.json"))
    paths = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    assert paths == {(route.method, route.path) for route in ROUTES}
    text = json.dumps(document)
    named = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert named <= set(document["components"]["schemas"])
    assert all(route.about.endswith(".") for route in ROUTES)


def test_a_project_that_is_not_ready_says_why(tmp_path: Path) -> None:
    make_project(tmp_path / "club")
    with running(tmp_path) as found:
        found.project().broken = "the log is gone"  # as an event does that does not fit the memory
        document = expect_problem(found.nobody.get("/readyz"), 503, "club: the log is gone")
        assert "make room" not in document["remedy"]
