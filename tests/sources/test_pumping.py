"""From a source into a real project: nothing lost, nothing doubled, and what is refused set aside."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ohmline as ohm
from ohmline.errors import JournalError, ParameterError, UnknownNode
from ohmline.project import Project
from ohmline.recipes import find
from ohmline.sources import Item, Pumped, follow_file, from_iterable, pump


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    ring = ohm.Graph.from_edges([(k, (k + 1) % 12) for k in range(12)])
    labels = {0: "same", 6: "different"}
    return Project.create(
        tmp_path / "it", graph=ring, classes=["same", "different"], labels=labels, recipe="matches"
    )


def opened(folder: Path) -> Project:
    return Project.open(folder, recipe=find("matches"))


def written(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in records))
    return path


def arrived(project: Project) -> list[Any]:
    return [e.payload["node"] for e in project.log.read() if e.kind == "arrived"]


def test_items_that_come_again_are_not_doubled(folder: Path) -> None:
    with opened(folder) as project:
        new = {"node": "x", "neighbours": [1, 2], "fields": {"text": "A pair"}}
        assert pump(from_iterable([3, 4, new]), project).items == 3
        seq = project.seq
        assert pump(from_iterable([3, 4, new]), project).items == 3
        assert project.seq == seq
        assert arrived(project) == [3, 4, "x"]
        assert project.card("x", "ann")["text"] == "A pair"


def test_what_the_project_refuses_is_set_aside_and_the_rest_goes_on(folder: Path, tmp_path: Path) -> None:
    log = written(
        tmp_path / "log.jsonl",
        [{"node": 3}, {"node": "y", "neighbours": ["nobody"]}, {"node": 3}, {"node": 5}],
    )
    with opened(folder) as project:
        assert pump(follow_file(log, poll=None), project) == Pumped(2, pump_wanted(project), 2)
        assert arrived(project) == [3, 5]
    reasons = [
        json.loads(row)["reason"] for row in (tmp_path / "log.jsonl.aside.jsonl").read_text().splitlines()
    ]
    assert "nobody" in reasons[0]
    assert "arrived already" in reasons[1]


def pump_wanted(project: Project) -> int:
    return sum(bool(event.payload["wanted"]) for event in project.log.read() if event.kind == "arrived")


def test_a_source_without_a_place_for_refusals_raises(folder: Path) -> None:
    with opened(folder) as project, pytest.raises(UnknownNode, match="nobody"):
        pump(from_iterable([{"node": "y", "neighbours": ["nobody"]}]), project)


def test_many_refusals_in_a_row_end_it(folder: Path, tmp_path: Path) -> None:
    log = written(tmp_path / "log.jsonl", [{"node": k, "neighbours": ["nobody"]} for k in range(100, 130)])
    with opened(folder) as project, pytest.raises(UnknownNode, match="nobody"):
        pump(follow_file(log, poll=None), project)
    assert len((tmp_path / "log.jsonl.aside.jsonl").read_text().splitlines()) == 9


def test_a_pool_project_refuses_arrivals(tmp_path: Path) -> None:
    ring = ohm.Graph.from_edges([(k, (k + 1) % 12) for k in range(12)])
    with (
        Project.open(Project.create(tmp_path / "it", graph=ring, classes=["a", "b"])) as project,
        pytest.raises(ParameterError, match="query on a stream"),
    ):
        pump(from_iterable([1]), project)


def test_a_disk_that_fails_ends_it_with_the_item_not_acknowledged(folder: Path, tmp_path: Path) -> None:
    log = written(tmp_path / "log.jsonl", [{"node": 3}, {"node": 4}])
    with opened(folder) as project:
        append, project.log.append = project.log.append, _full  # type: ignore[method-assign]
        with pytest.raises(JournalError, match="no room"):
            pump(follow_file(log, poll=None), project)
        project.log.append = append  # type: ignore[method-assign]
        assert pump(follow_file(log, poll=None), project).items == 2
        assert arrived(project) == [3, 4]


def _full(drafts: Any) -> Any:
    raise JournalError("no room on the disk")


def test_it_stops_where_it_is_told(folder: Path) -> None:
    with opened(folder) as project:
        seen: list[Any] = []
        done = pump(
            from_iterable(range(1, 9)),
            project,
            most=3,
            on_arrival=lambda item, reply: seen.append(reply.node),
        )
        assert done.items == 3
        assert seen == [1, 2, 3]
        assert pump(from_iterable([4]), project, most=0) == Pumped()
        for bad in ({"most": -1}, {"most": "3"}, {"actor": 3}, {"on_arrival": 3}):
            with pytest.raises(ParameterError):
                pump(from_iterable([4]), project, **bad)  # type: ignore[arg-type]
        for bad_source in (3, [3], ["x"]):
            with pytest.raises(ParameterError, match="source"):
                pump(bad_source, project)  # type: ignore[arg-type]
        with pytest.raises(ParameterError, match="into must be a Project"):
            pump(from_iterable([4]), "project")  # type: ignore[arg-type]


def test_an_item_is_acknowledged_only_when_its_event_is_on_the_disk(folder: Path) -> None:
    with opened(folder) as project:
        heads: list[int] = []

        def items() -> Any:
            for item in from_iterable([1, 2]):
                yield replace(item, on_ack=lambda: heads.append(project.log.head[0]))

        before = project.seq
        pump(items(), project)
        assert heads == [before + 1, before + 2]


DIES = """
import os, sys
from dataclasses import replace
from ohmline.project import Project
from ohmline.recipes import find
from ohmline.sources import follow_file, pump

folder, log, die_at, when = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
def end():
    os.kill(os.getpid(), 9)
def items():
    for k, item in enumerate(follow_file(log, poll=None)):
        if k == die_at and when == "before the acknowledgement":
            item = replace(item, on_ack=end)
        yield item
        if k == die_at:
            end()
with Project.open(folder, recipe=find("matches")) as project:
    pump(items(), project)
"""


def test_a_process_that_is_killed_loses_and_doubles_nothing(folder: Path, tmp_path: Path) -> None:
    records = [{"node": f"n{k}", "neighbours": [k % 12]} for k in range(12)]
    log = written(tmp_path / "log.jsonl", records)
    codes = []
    for when in ("before the acknowledgement", "after it", "before the acknowledgement", "never"):
        die_at = "1000" if when == "never" else "2"
        done = subprocess.run(
            [sys.executable, "-c", DIES, str(folder), str(log), die_at, when], timeout=300, check=False
        )
        codes.append(done.returncode)
    assert codes == [-9, -9, -9, 0]
    with opened(folder) as project:
        assert arrived(project) == [each["node"] for each in records]
    assert not (tmp_path / "log.jsonl.aside.jsonl").exists()


def test_anything_that_gives_items_is_a_source(folder: Path) -> None:
    acknowledged: list[str] = []
    with opened(folder) as project:
        pump([Item(3, key="k", on_ack=lambda: acknowledged.append("k"))], project)
    assert acknowledged == ["k"]
