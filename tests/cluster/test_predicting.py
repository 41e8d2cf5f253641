"""Predictions on real worker processes: the exact solution that LocalLGC's certificates speak of."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ohmline as ohm
from graph_parts import ring_of_rings, table_of, write_parts
from ohmline.cluster import Cluster, predict
from ohmline.cluster.errors import LostWorker
from ohmline.cluster.spread import ATTEMPTS, SpreadRows
from ohmline.errors import ClusterError, LabelError, UnknownNode

LABELS = {0: "red", 7: "blue", 40: "green", 41: "red", 65: "blue"}


def exact(graph: ohm.Graph, ridge: float = 0.1, mu: float = 0.6) -> np.ndarray:
    """Q F = b, solved densely."""
    unit = graph.weights.mean()
    classes = list(dict.fromkeys(LABELS.values()))
    q = graph.laplacian().toarray() / unit + ridge * np.eye(graph.n)
    b = np.zeros((graph.n, 3))
    for node, label in LABELS.items():
        q[node, node] += 1 / mu
        b[node, classes.index(label)] = 1 / mu
    return np.linalg.solve(q, b)


def test_the_scores_are_those_of_the_exact_solution(cluster: Cluster, tmp_path: Path) -> None:
    graph = ring_of_rings()
    edges = write_parts(graph, tmp_path / "edges")
    manifest = predict(edges, LABELS, tmp_path / "out", cluster, nodes=graph.n + 1, blocks=4, steps=None)
    about = manifest.about
    assert (about["nodes"], about["labelled"], about["unreached"]) == (graph.n + 1, 5, 1)
    assert about["error"] <= 1e-6
    table = table_of(tmp_path / "out", manifest).to_pydict()
    scores, classes = exact(graph), ["red", "blue", "green"]
    assert table["node"] == [*range(graph.n + 1)]
    assert table["prediction"] == [*(classes[c] for c in scores.argmax(axis=1)), None]
    assert [*about["counts"].values()] == np.bincount(scores.argmax(axis=1), minlength=3).tolist()
    assert table["label"] == [LABELS.get(k) for k in range(graph.n + 1)]
    two = np.sort(scores, axis=1)
    np.testing.assert_allclose(table["margin"][:-1], two[:, -1] - two[:, -2], atol=2e-6)
    assert table["certain"][:-1] == (two[:, -1] - two[:, -2] > 2 * about["error"]).tolist()
    assert (table["known"][-1], table["certain"][-1], table["probability"][-1]) == (False, False, None)
    chances = np.array([table[f"p({name})"] for name in classes]).T[:-1].astype(float)
    shares = scores / scores.sum(axis=1, keepdims=True) + 0.02
    np.testing.assert_allclose(chances, shares / shares.sum(axis=1, keepdims=True), atol=1e-4)


def test_a_single_machine_agrees_where_it_is_certain(cluster: Cluster, tmp_path: Path) -> None:
    graph, classes = ring_of_rings(), ["red", "blue", "green"]
    edges = write_parts(graph, tmp_path / "edges")
    predict(edges, LABELS, tmp_path / "out", cluster, blocks=4, steps=None)
    said = np.array(table_of(tmp_path / "out")["prediction"].to_pylist())
    learner = ohm.LocalLGC(graph, classes)
    learner.learn_many(LABELS)
    local = learner.predict_many()
    agreed = np.array(local.predictions) == said
    assert local.certain.sum() > graph.n // 2
    assert agreed[local.certain].all()


def test_labels_of_unknown_nodes_are_refused_or_left_out(cluster: Cluster, tmp_path: Path) -> None:
    edges = write_parts(ring_of_rings(), tmp_path / "edges", text=True)
    labels = {"n000": 1, "n040": 2, "zoe": 1}
    with pytest.raises(UnknownNode, match="no node 'zoe'"):
        predict(edges, labels, tmp_path / "out", cluster, blocks=3)
    with pytest.raises(LabelError, match="no labels"):
        predict(edges, {}, tmp_path / "out", cluster)
    with pytest.raises(LabelError, match="label 2 is not one of the classes 1"):
        predict(edges, labels, tmp_path / "out", cluster, classes=[1])
    assert not (tmp_path / "out").exists()
    found = predict(edges, labels, tmp_path / "out", cluster, blocks=3, skip_unknown=True)
    assert found.about["labelled"] == 2
    assert set(table_of(tmp_path / "out")["prediction"].to_pylist()) == {1, 2}


def test_the_names_of_the_columns_are_no_label(
    cluster: Cluster, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    edges = write_parts(ring_of_rings(), tmp_path / "edges", text=True)
    labels = tmp_path / "labels.csv"
    labels.write_text("who,colour\nn000,red\nn040,blue\n")
    for number, skip in enumerate((False, True)):
        found = predict(edges, labels, tmp_path / f"out{number}", cluster, blocks=3, skip_unknown=skip)
        assert found.about["classes"] == ["red", "blue"]
        assert "who, colour, is taken for the names of the columns" in caplog.text
    found = predict(
        edges, labels, tmp_path / "named", cluster, blocks=3, classes=["blue", "red"], node="who", label=1
    )
    assert found.about["classes"] == ["blue", "red"]
    with pytest.raises(UnknownNode, match="no node 'who'"):
        predict(edges, labels, tmp_path / "bad", cluster, blocks=3, header=False)
    labels.write_text("n007,colour\nn000,red\nn040,blue\n")  # the graph has this node
    found = predict(edges, labels, tmp_path / "all", cluster, blocks=3)
    assert found.about["classes"] == ["colour", "red", "blue"]


def test_rounds_of_averaging_hear_the_surroundings(cluster: Cluster, tmp_path: Path) -> None:
    """With few labels the exact solution is one class nearly everywhere; a few rounds are what neighbours say."""
    rng = np.random.default_rng(0)
    kind = rng.integers(4, size=600)
    by = [np.flatnonzero(kind == c) for c in range(4)]
    pairs = set()
    for a in rng.integers(600, size=9000).tolist():
        b = int(rng.choice(by[kind[a]]) if rng.random() < 0.6 else rng.integers(600))
        if a != b:
            pairs.add((min(a, b), max(a, b)))
    graph = ohm.Graph.from_edges(sorted(pairs), nodes=range(600))
    labels = {int(k): f"c{kind[k]}" for k in rng.permutation(600)[:24]}
    manifest = predict(write_parts(graph, tmp_path / "edges"), labels, tmp_path / "out", cluster, steps=6)
    table = table_of(tmp_path / "out", manifest).to_pydict()
    classes = list(dict.fromkeys(labels.values()))
    mu = ohm.LocalLGC(graph).mu
    assert mu < 0.6 / 20
    weight, b = np.full(600, 0.1), np.zeros((600, 4))
    for node, label in labels.items():
        weight[node] += 1 / mu
        b[node, classes.index(label)] = 1 / mu
    f = np.zeros((600, 4))
    for _ in range(6):
        f = (b + graph.adjacency @ f) / (graph.degree + weight)[:, None]
    f = f * np.sqrt(f.sum(axis=0).min() / f.sum(axis=0))
    assert table["prediction"] == [classes[c] for c in f.argmax(axis=1)]
    right = np.mean([said == f"c{c}" for said, c in zip(table["prediction"], kind, strict=True)])
    assert right > 0.6
    assert not any(table["certain"])
    assert manifest.about["error"] is None


def pid(task: int) -> int:
    return os.getpid()


def test_a_worker_killed_in_the_middle_changes_no_prediction(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edges = write_parts(ring_of_rings(), tmp_path / "edges")
    options: dict[str, Any] = {"blocks": 4, "steps": None}
    undisturbed = predict(edges, LABELS, tmp_path / "one", cluster, **options)
    assert undisturbed.about["lost_workers"] == 0
    call, made = SpreadRows._call, []

    def killing(self: SpreadRows, *arguments: Any) -> Any:
        made.append(arguments)
        if len(made) == 12:
            victim = cluster.map(pid, [0])[0]
            assert victim != os.getpid()
            os.kill(victim, signal.SIGKILL)
        return call(self, *arguments)

    monkeypatch.setattr(SpreadRows, "_call", killing)
    disturbed = predict(edges, LABELS, tmp_path / "two", cluster, **options, checkpoint=0.05)
    assert len(made) > 24  # it was in the middle
    assert disturbed.about["lost_workers"] >= 1
    assert disturbed.parts == undisturbed.parts
    assert table_of(tmp_path / "two", disturbed).equals(table_of(tmp_path / "one", undisturbed))
    assert sorted(os.listdir(tmp_path)) == ["edges", "one", "two"]


def test_work_goes_on_without_the_checkpoints_that_cannot_be_written(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    edges = write_parts(ring_of_rings(), tmp_path / "edges")
    options: dict[str, Any] = {"blocks": 4, "steps": 3}
    undisturbed = predict(edges, LABELS, tmp_path / "one", cluster, **options)
    call, blocked = SpreadRows._call, []

    def blocking(self: SpreadRows, *arguments: Any) -> Any:
        if not blocked:
            blocked.append(self._journal.place(1))
            blocked[0].write_text("in the way")
        return call(self, *arguments)

    monkeypatch.setattr(SpreadRows, "_call", blocking)
    with caplog.at_level("WARNING"):
        found = predict(edges, LABELS, tmp_path / "two", cluster, **options, checkpoint=0.0)
    assert "no checkpoint was written" in caplog.text
    assert found.about["lost_workers"] == 0
    assert found.parts == undisturbed.parts
    assert sorted(os.listdir(tmp_path)) == ["edges", "one", "two"]


def test_workers_lost_again_and_again_are_an_error_that_leaves_nothing(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edges = write_parts(ring_of_rings(), tmp_path / "edges")
    call, tried = SpreadRows._call, []

    def losing(self: SpreadRows, step: Any, *arguments: Any) -> Any:
        if len(tried) or len(self._journal.steps) >= 3:  # each time that the work is taken up again
            tried.append(step)
            raise LostWorker(["tcp://127.0.0.1:1"])
        return call(self, step, *arguments)

    monkeypatch.setattr(SpreadRows, "_call", losing)
    words = f"workers were lost {ATTEMPTS} times in the same step.*give workers more, add workers"
    with pytest.raises(ClusterError, match=words):
        predict(edges, LABELS, tmp_path / "out", cluster, blocks=4, steps=None)
    assert len(tried) == ATTEMPTS
    assert os.listdir(tmp_path) == ["edges"]
