"""What goes out as a file and comes in as one."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ohmline.graph.graph import Graph
from ohmline.project import Project
from ohmline.service.cells import celled, line_of, node_cell, node_of_cell, uncelled
from ohmline.service.exports import WRITERS, Csv
from ohmline.service.routes.files import labels_in_csv
from service.running import Running, running

NODES = ["=1+1", "@x", "plain", "7", 7, "'-3", 2.5]
HARD = [
    "a\r=1+1",
    "a\n=1+1",
    "a\r\n@x",
    '"',
    'say "so"',
    "a,b",
    "a;=1",
    "a\t=1",
    "\r",
    "'\r",
    "=\r",
    '"\r"',
    "\x85=",
    "7\r",
]


@pytest.fixture(scope="module")
def risky(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A project whose nodes a spreadsheet would take for formulas."""
    folder = tmp_path_factory.mktemp("risky")
    graph = Graph.from_edges(list(pairwise(NODES)), nodes=NODES)
    texts = {"=1+1": {"text": "=HYPERLINK(1)"}}
    Project.create(folder / "club", graph=graph, classes=["a", "b"], nodes=texts, labels={"plain": "b"})
    with running(folder) as found:
        assert (
            found.ann.post(
                found.url("/labels"), json={"node": "=1+1", "label": "a", "seconds": 2}
            ).status_code
            == 200
        )
        assert found.admin.post(found.url("/labels"), json={"node": "7", "label": "b"}).status_code == 200
        assert (
            found.admin.post(found.url("/adjudications"), json={"node": 7, "label": "a"}).status_code == 200
        )
        yield found


def get(found: Running, what: str, form: str) -> Any:
    reply = found.admin.get(found.url("/export"), params={"what": what, "format": form})
    assert reply.status_code == 200, reply.text
    assert reply.headers["content-disposition"].startswith(f'attachment; filename="club-{what}.')
    return reply


def test_labels_say_who_and_when(risky: Running) -> None:
    rows = list(csv.DictReader(io.StringIO(get(risky, "labels", "csv").text)))
    found = {(row["node"], row["label"], row["source"], row["person"]) for row in rows}
    assert found == {
        ("plain", "b", "imported", ""),
        ("'=1+1", "a", "people", "ann"),
        ('"7"', "b", "people", "root"),
        ("7", "a", "settled", "root"),
    }
    assert {row["time"] != "" for row in rows if row["source"] != "imported"} == {True}
    assert next(row["text"] for row in rows if row["node"] == "'=1+1") == "'=HYPERLINK(1)"


def test_every_format_has_the_same_rows(risky: Running) -> None:
    for what in ("labels", "votes", "predictions", "events"):
        rows = get(risky, what, "json").json()
        table = pl.read_parquet(get(risky, what, "parquet").content)
        lines = list(csv.DictReader(io.StringIO(get(risky, what, "csv").text)))
        assert len(rows) == len(table) == len(lines) > 0
        assert list(rows[0]) == table.columns == list(lines[0])
        if what != "events":
            nodes = [row["node"] for row in rows]
            assert [json.loads(node) for node in table["node"]] == nodes
            assert [node_of_cell(line["node"]) for line in lines] == nodes


def test_votes_and_events_are_those_of_the_log(risky: Running) -> None:
    votes = get(risky, "votes", "json").json()
    assert [(row["node"], row["label"], row["person"], row["seconds"]) for row in votes] == [
        ("=1+1", "a", "ann", 2.0),
        ("7", "b", "root", None),
    ]
    events = get(risky, "events", "json").json()
    assert [row["seq"] for row in events] == list(range(risky.project().seq + 1))
    assert events[-1]["hash"] == risky.project().hash


def test_predictions_are_of_every_node(risky: Running) -> None:
    rows = get(risky, "predictions", "json").json()
    assert [row["node"] for row in rows] == NODES
    assert {row["source"] for row in rows} == {"label", "prediction"}
    for row in rows:
        assert (row["probability"] is None) == (row["source"] == "label")


def test_label_studio_gets_annotations_and_predictions(risky: Running) -> None:
    tasks = get(risky, "votes", "label-studio").json()
    assert [task["data"]["node"] for task in tasks] == ["=1+1", "7"]
    assert tasks[0]["annotations"][0]["result"][0]["value"]["choices"] == ["a"]
    predictions = get(risky, "predictions", "label-studio").json()
    assert sum(bool(task["predictions"]) for task in predictions) == len(NODES) - 4


@pytest.mark.parametrize("form", ["csv", "label-studio"])
def test_what_was_exported_is_imported(
    risky: Running, tmp_path_factory: pytest.TempPathFactory, form: str
) -> None:
    exported = get(risky, "labels", form)
    folder = tmp_path_factory.mktemp("fresh")
    Project.create(folder / "club", graph=risky.project().graph, classes=["a", "b"])
    with running(folder) as fresh:
        kind = "text/csv" if form == "csv" else "application/json"
        url = fresh.url(f"/import?format={form}&key=once")
        reply = fresh.admin.post(url, content=exported.content, headers={"Content-Type": kind})
        assert reply.status_code == 200, reply.text
        assert reply.json()["labels"] == 4
        assert fresh.project().ledger.labels == risky.project().ledger.labels
        again = fresh.admin.post(url, content=exported.content, headers={"Content-Type": kind})
        assert again.json() == reply.json()


@pytest.mark.parametrize("form", WRITERS)
def test_nothing_is_a_file_too(form: str) -> None:
    writer = WRITERS[form]()
    data = writer.rest()
    if form == "parquet":
        assert pl.read_parquet(data).height == 0
    elif form == "csv":
        assert data == b"node,label\n"
    else:
        assert json.loads(data) == []


@given(st.text())
def test_no_cell_begins_like_a_formula_and_each_is_read_back(text: str) -> None:
    cell = celled(text)
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    assert uncelled(cell) == text


@given(
    st.one_of(
        st.text(min_size=1), st.integers(-(2**60), 2**60), st.lists(st.integers(0, 9), min_size=1, max_size=3)
    )
)
def test_nodes_are_read_back_from_cells(node: Any) -> None:
    cell = node_cell(node)
    assert node_of_cell(cell) == (tuple(node) if isinstance(node, list) else node)
    if isinstance(node, str):
        assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))


def as_read(text: str) -> list[list[str]]:
    """The rows to a reader to whom every kind of line end is one."""
    return list(csv.reader(io.StringIO(text, newline=None), strict=True))


def test_hard_ids_are_exported_and_imported() -> None:
    rows = [{"node": node, "label": "ab"[k % 2], "person": "x\r=1+1"} for k, node in enumerate(HARD)]
    written = Csv().rows(rows)
    assert labels_in_csv(written) == {row["node"]: row["label"] for row in rows}
    for row in as_read(written.decode()):
        assert len(row) == 3
        assert not row[0].startswith(("=", "+", "-", "@", "\t", "\r", "\n"))


@given(
    st.lists(st.tuples(st.text("a=,;\"'\t\r\n7", min_size=1), st.text('b-\r\n",', min_size=1)), min_size=1)
)
def test_any_ids_are_exported_and_imported(pairs: list[tuple[str, str]]) -> None:
    labels = dict(pairs)
    written = Csv().rows([{"node": node, "label": label} for node, label in labels.items()])
    assert labels_in_csv(written) == labels
    assert {len(row) for row in as_read(written.decode())} == {2}


@given(st.lists(st.text(), min_size=2))
def test_a_line_is_read_back(cells: list[str]) -> None:
    cells = [cell.replace("\0", "") for cell in cells]
    assert list(csv.reader(io.StringIO(line_of(cells), newline=""), strict=True)) == [cells]
