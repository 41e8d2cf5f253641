"""Nobody is led by what others said: not before they have answered themselves, and not by telling gold items apart."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ohmline.project import Settings
from service.running import CLASSES, Running, make_project, running


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Every node is asked of two people; root has answered one, and it waits for somebody else."""
    folder: Path = tmp_path_factory.mktemp("shared")
    make_project(folder / "club", settings=Settings(overlap=2, gold_every=0))
    with running(folder) as found:
        said = found.admin.post(found.url("/labels"), json={"node": 4, "label": "middle"})
        assert said.json()["resolved"] == "middle"  # admins see all
        yield found


def rows(reply: Any) -> list[dict[str, Any]]:
    assert reply.status_code == 200, reply.text
    found: list[dict[str, Any]] = reply.json()
    return found


def seen(found: Running, client: Any) -> dict[str, Any]:
    """What every way of looking says of node 4, and what its neighbour says of it."""
    card = client.get(found.url("/node"), params={"id": "4"}).json()
    beside = client.get(found.url("/node"), params={"id": "5"}).json()
    ways: dict[str, Any] = {
        "card": [card[name] for name in ("label", "prediction", "probabilities", "because")],
        "votes": [each["person"] for each in card["votes"]],
        "beside": [(each["label"], each["prediction"]) for each in beside["neighbours"] if each["node"] == 4],
        "carries": [each for each in beside["because"] if each["node"] == 4],
        "search": [
            each["label"] for each in client.get(found.url("/search"), params={"q": "4"}).json()["nodes"]
        ][:1],
    }
    for name, reply in {
        "get": client.get(found.url("/predict"), params={"node": "4", "why": 3}),
        "post": client.post(found.url("/predict"), json={"node": 4, "why": 3}),
        "many": client.post(found.url("/predict"), json={"nodes": [4], "why": 3}),
    }.items():
        [said] = reply.json()["predictions"]
        ways[name] = [said["prediction"], said["probabilities"], said["because"]]
    for name in ("map", "neighbourhood?node=4"):
        while (reply := client.get(found.url(f"/{name}"))).status_code == 202:
            pass
        drawn = reply.json()
        at = drawn["ids"].index(4)
        ways[name] = [drawn["label"][at], drawn["prediction"][at]]
    labels = rows(client.get(found.url("/export?what=labels&format=json")))
    ways["labels"] = [(row["label"], row["person"]) for row in labels if row["node"] == 4]
    predictions = rows(client.get(found.url("/export?what=predictions&format=json")))
    ways["predictions"] = [row["label"] for row in predictions if row["node"] == 4]
    return ways


def test_what_others_said_is_not_seen_before_an_own_answer(shared: Running) -> None:
    assert seen(shared, shared.ann) == {
        "card": [None, None, [], []],
        "votes": [],
        "beside": [(None, None)],
        "carries": [],
        "search": [None],
        "get": [None, [], []],
        "post": [None, [], []],
        "many": [None, [], []],
        "map": [-1, -1],
        "neighbourhood?node=4": [-1, -1],
        "labels": [],
        "predictions": [None],
    }
    everything = seen(shared, shared.admin)
    code = CLASSES.index("middle")
    assert (everything["card"][0], everything["map"][0], everything["search"]) == ("middle", code, ["middle"])
    assert everything["labels"] == [("middle", "root")]
    assert everything["post"][0] == "middle"

    [question] = shared.ann.post(shared.url("/next"), json={}).json()["questions"]
    assert (question["node"], question["asked"]) == (4, "again")
    card = question["card"]
    assert [card[name] for name in ("label", "prediction", "probabilities", "because", "votes")] == [
        None,
        None,
        [],
        [],
        [],
    ]
    assert {each["prediction"] for each in card["neighbours"]} == {None}  # which follow from what was said
    said = shared.ann.post(
        shared.url("/labels"), json={"node": 4, "label": "middle", "lease": question["lease"]}
    )
    assert said.json()["resolved"] is None
    assert seen(shared, shared.ann)["card"][0] == "middle"  # both have answered


def test_ones_own_answer_stays_visible_while_others_are_asked(tmp_path: Path) -> None:
    make_project(tmp_path / "club", settings=Settings(overlap=3, gold_every=0))
    with running(tmp_path) as found:
        found.ann.post(found.url("/labels"), json={"node": 4, "label": "left"})
        found.admin.post(found.url("/labels"), json={"node": 4, "label": "right"})
        ways = seen(found, found.ann)
        assert (ways["card"][0], ways["votes"], ways["map"][0]) == ("left", ["ann"], CLASSES.index("left"))
        assert ways["post"] == [None, [], []]
        found.admin.post(found.url("/adjudications"), json={"node": 4, "label": "right"})
        assert seen(found, found.ann)["card"][0] == "right"  # it is settled


def test_a_gold_item_that_others_have_answered_looks_like_a_node_without_a_label(tmp_path: Path) -> None:
    make_project(tmp_path / "club", settings=Settings(gold_every=1))
    with running(tmp_path) as found:
        for node, label in ((0, "left"), (1, "left"), (20, "right")):
            found.ann.post(found.url("/labels"), json={"node": node, "label": label})
        found.admin.post(found.url("/labels"), json={"node": 4, "label": "middle"})
        found.admin.post(found.url("/gold"), json={"node": 4, "label": "middle"})
        [question] = found.ann.post(found.url("/next"), json={}).json()["questions"]
        assert (question["node"], question["asked"]) == (4, "query")
        assert question["why"] == "its label is expected to settle most mistakes"
        card = question["card"]
        assert (card["label"], card["prediction"], len(card["probabilities"])) == (None, "left", 3)
        assert card["because"]
        assert 4 not in [each["node"] for each in card["because"]]
        ways = seen(found, found.ann)
        assert ways["card"] == [card[name] for name in ("label", "prediction", "probabilities", "because")]
        assert ways["post"][0] == ways["get"][0] == ways["many"][0] == "left"
        assert ways["map"] == ways["neighbourhood?node=4"] == [-1, CLASSES.index("left")]
        assert (ways["search"], ways["labels"], ways["predictions"], ways["carries"]) == (
            [None],
            [],
            ["left"],
            [],
        )
        said = found.ann.post(
            found.url("/labels"), json={"node": 4, "label": "left", "lease": question["lease"]}
        ).json()
        assert (said["resolved"], said["was"]["prediction"]) == ("left", "left")
        [mine] = found.ann.get(found.url("/people")).json()["people"]
        assert mine["gold"] is None
        counts = {
            each["person"]: each["gold"] for each in found.admin.get(found.url("/people")).json()["people"]
        }
        assert counts["ann"] == {"right": 0, "seen": 1}
        assert "gold" not in json.dumps(
            [each["payload"] for each in _history(found) if each["kind"] != "opened"]
        )


def _history(found: Running) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = found.ann.get(found.url("/history?limit=1000")).json()["events"]
    return events
