"""Labels and nodes that are written in another way are said to be, whichever way the labels come in."""

from __future__ import annotations

import logging
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import ohmline as ohm
from ohmline.cli.app import app
from ohmline.errors import ShapeError, UnknownNode
from ohmline.graph import Graph, labels_of
from ohmline.graph.spelling import typos

IDS = [f"AC-{k:05d}" for k in range(60)]
RING = Graph.from_edges([(a, b) for a, b in zip(IDS, IDS[1:] + IDS[:1], strict=True)])
ROWS = [
    *((node, "legit") for node in IDS[:30]),
    *((node, "fraud") for node in IDS[30:34]),
    (IDS[40], "legti"),
    (IDS[41], " Legit"),
    ("AC-99999", "fraud"),
    ("ac-00050", "legit"),
]


def written(folder: Path) -> Path:
    path = folder / "labels.csv"
    path.write_text("acct,verdict\n" + "".join(f"{node},{label}\n" for node, label in ROWS))
    return path


@pytest.mark.parametrize("kind", ["file", "pandas", "polars"])
def test_a_file_and_a_frame_with_slips_mean_the_same(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    labels: Any = written(tmp_path)
    if kind != "file":
        labels = pytest.importorskip(kind).read_csv(labels)
    with caplog.at_level(logging.WARNING, "ohmline"):
        found = labels_of(labels, graph=RING, node="acct", label="verdict", skip_unknown=True)
    assert Counter(found.values()) == {"legit": 30, "fraud": 4, "legti": 1, "Legit": 1}
    said = [record.getMessage() for record in caplog.records]
    assert any("2 of 38 labels are left out" in words and "'AC-99999'" in words for words in said), said
    assert any("'legit' (30) and 'Legit' (1) differ in case or blanks only" in words for words in said)
    assert any("the class 'legti' (1) is almost 'legit' (30)" in words for words in said)
    with pytest.raises(UnknownNode, match="unknown node 'AC-99999', and 1 more"):
        labels_of(labels, graph=RING, node="acct", label="verdict")


def test_a_node_in_another_case_is_named() -> None:
    with pytest.raises(UnknownNode, match=r"unknown node 'ac-00050'; did you mean 'AC-00050'\?"):
        labels_of([("ac-00050", "legit")], graph=RING)
    learner = ohm.fit(RING, {"AC-00001": "legit", "AC-00030": "fraud"})
    with pytest.raises(UnknownNode, match=r"did you mean 'AC-00050'\?"):
        learner.predict_many([" ac-00050"])
    with pytest.raises(UnknownNode) as caught:
        learner.predict_many(["nobody"])
    assert "did you mean" not in str(caught.value)
    assert "ac-00050" not in RING.nodes


@pytest.mark.parametrize(
    "counts",
    [
        {"legit": 90, "fraud": 1},
        {"male": 50, "female": 1},
        {"class1": 50, "class2": 1},
        {"cat": 50, "cow": 1},
        {"theory": 50, "theorem": 2},
        {f"kind{k}": 1 for k in range(300)},
        {"+1": 50, "-1": 1},
    ],
)
def test_classes_of_their_own_are_no_slips(counts: dict[str, int]) -> None:
    assert typos(Counter(counts)) == []


def test_the_command_line_says_what_it_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path)
    RING.write(tmp_path / "g.csv")
    columns = ["--node", "acct", "--label", "verdict", "--out", "p.csv"]
    done = CliRunner().invoke(app, ["predict", "g.csv", "labels.csv", *columns, "--skip-unknown", "--json"])
    assert done.exit_code == 0, done.output
    assert done.stderr.count("2 of 38 labels are left out") == 1
    assert "legti" in done.stderr
    assert "left out" not in done.stdout


def test_a_file_of_labels_that_is_a_header_alone_says_so(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("doi,field\n")
    with pytest.raises(UnknownNode, match="no labels below the header"):
        labels_of(tmp_path / "labels.csv", graph=RING)
    (tmp_path / "labels.csv").write_text("doi,field\nAC-00001,legit\n")
    assert labels_of(tmp_path / "labels.csv", graph=RING) == {"AC-00001": "legit"}


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_column_of_texts_among_numbers_is_named(kind: str) -> None:
    frames = pytest.importorskip(kind)
    frame = frames.DataFrame({"f0": [0.0, 1.0, 3.0], "kind": ["a", None, "b"], "f1": [1.0, 2.0, 3.0]})
    for call in (lambda: ohm.graph.knn(frame, 1), lambda: ohm.graph.epsilon_ball(frame, 1.0)):
        with pytest.raises(
            ShapeError, match="its column 'kind' holds texts, such as 'a'; leave such columns out"
        ):
            call()
    numbers = frame.drop(columns="kind") if kind == "pandas" else frame.drop("kind")
    assert ohm.graph.knn(numbers, 1).n == 3
