"""The labels in a file: every id and every class comes back as it was, and only our own files are written over."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import ohmline as ohm
from ohmline.errors import FileFormatError, LabelError
from ohmline.graph import read_labels
from ohmline.labelling import Session
from ohmline.labelling.export import is_written_from, labels_in, write_labels

HOSTILE = [
    "#1", "%2", "#", "a,b", "a;b", 'say "x"', '"', "A\u00a0b", "A\u3000b", "node", "label", "nan", "None",
    "# ohmline-nodes: []",
    "a\u200bb", "a\u2028b", "\u202eab", "<?xml", "x y", "-", "1", "007", "+1", "=1+1", "\u00e9", "e\u0301",
    "\U0001f600",
]  # fmt: skip


def test_hostile_ids_come_back(tmp_path: Path) -> None:
    graph = ohm.Graph.from_edges(list(pairwise(HOSTILE)), nodes=HOSTILE)
    classes = ["#red", "None", "a,b", 'q"', "null", "0"]
    labels: dict[Any, Any] = {node: classes[k % len(classes)] for k, node in enumerate(HOSTILE)}
    write_labels(labels, tmp_path / "l.csv")
    assert read_labels(tmp_path / "l.csv", graph=graph) == labels
    assert list(read_labels(tmp_path / "l.csv")) == HOSTILE
    ohm.graph.write(graph, tmp_path / "g.csv")
    assert ohm.graph.read(tmp_path / "g.csv") == graph
    learner = ohm.fit(graph, labels)
    learner.predict_many().to_csv(tmp_path / "p.csv")
    assert (
        read_labels(tmp_path / "p.csv", graph=graph, node="node", label="prediction").keys() == labels.keys()
    )


@pytest.mark.parametrize("node", ["A\u00a0b", "A\u3000b"])
def test_a_list_separated_by_blanks_has_no_odd_blanks_in_its_ids(tmp_path: Path, node: str) -> None:
    with pytest.raises(FileFormatError, match="separated by blanks"):
        ohm.graph.write(ohm.Graph.from_edges([(node, "b")]), tmp_path / "g.txt")


@pytest.mark.parametrize("node", ["a\nb", " a", "a\u00a0", "", "a\x1b[2Jb", "\ud800", "\ufeffa"])
def test_an_id_that_would_not_come_back_is_refused(tmp_path: Path, node: str) -> None:
    with pytest.raises(FileFormatError, match="another name"):
        write_labels({node: "a"}, tmp_path / "l.csv")
    with pytest.raises(FileFormatError, match="could not be read back"):
        write_labels({"a": "nan"}, tmp_path / "l.csv")
    assert not list(tmp_path.iterdir())


GRAPH = ohm.Graph.from_edges([(0, 1), (1, 2), (2, 3)])


@pytest.mark.parametrize("name", ["nan", "NaN", "", " a", "a\n", "\x1b[2J"])
def test_a_class_that_would_not_come_back_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(LabelError, match="could not be read back"):
        Session(GRAPH, ["a", name], journal=tmp_path / "j.jsonl")
    assert not list(tmp_path.iterdir())


def test_a_class_is_known_by_how_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    with Session(GRAPH, [1, -1], journal=path, labels={0: "+1"}) as session:
        assert session.labels == {0: 1}
    with Session(GRAPH, ["+1", "-1", "a"], journal=path, labels={1: "-1", 2: "a"}) as session:
        assert session.classes == (1, -1, "a")
        assert session.labels == {0: 1, 1: -1, 2: "a"}
    with pytest.raises(LabelError, match="would be the same in a file"):
        Session(GRAPH, [1, "1"], journal=tmp_path / "k.jsonl")


def test_only_a_file_of_labels_that_the_journal_has_had_is_ours(tmp_path: Path) -> None:
    journal, table = tmp_path / "j.jsonl", tmp_path / "l.csv.gz"
    with Session(GRAPH, ["a", "b"], journal=journal, labels={0: "a"}) as session:
        session.answer("b")
        write_labels(session.labels, table)
        session.undo()
    assert is_written_from(table, journal)
    assert labels_in(journal) == {0: "a"}
    assert not is_written_from(table, tmp_path / "other.jsonl")
    for more in ("3,b\n", "0,b\n", "# mine\n", "0,a,sure\n", '"'):
        mine = tmp_path / "mine.csv"
        mine.write_text(f"node,label\n0,a\n{more}")
        assert not is_written_from(mine, journal)
