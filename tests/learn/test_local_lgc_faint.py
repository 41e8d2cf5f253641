"""Nodes that labels reach too faintly for a local solve get a class in a table, and only those that a path joins."""

from __future__ import annotations

import numpy as np
import pytest

import ohmline as ohm
from ohmline.learn.local_lgc.faint import carry_on


def path(n: int) -> ohm.Graph:
    return ohm.Graph.from_edges([(k, k + 1) for k in range(n - 1)])


@pytest.mark.parametrize("n", [451, 4000])
def test_every_node_of_a_long_path_has_the_class_of_the_nearer_end(n: int) -> None:
    learner = ohm.fit(path(n), {0: "a", n - 1: "b"})
    assert learner.predict_one(n // 3) is None  # a local solve ends before it hears of either
    table = learner.predict_many()
    sure = n * 9 // 20  # the middle may go to either
    assert table.predictions[:sure] == ["a"] * sure
    assert table.predictions[-sure:] == ["b"] * sure
    assert None not in table.predictions
    assert np.isfinite(table.probabilities).all()
    assert (table.probabilities[np.arange(n), table.codes] >= 0.5).all()


def test_a_guess_is_for_what_no_path_joins() -> None:
    ends = [(k, k + 1) for k in range(450)] + [("far", "away")]
    graph = ohm.Graph.from_edges(ends)
    labels = {0: "a", 1: "a", 450: "b"}
    table = ohm.fit(graph, labels, lambda g: ohm.LocalLGC(g, guess=True)).predict_many()
    said = dict(zip(table.nodes, table.predictions, strict=True))
    assert [said[k] for k in range(451)].count("b") > 200
    assert said["far"] == said["away"] == "a"
    plain = ohm.fit(graph, labels).predict_many()
    assert [node for node, y in zip(plain.nodes, plain.predictions, strict=True) if y is None] == [
        "far",
        "away",
    ]


def test_some_nodes_alone_say_what_the_whole_table_says_of_them() -> None:
    learner = ohm.fit(path(2000), {0: "a", 1999: "b"})
    whole = learner.predict_many()
    assert learner.predict_many([700, 1300]).predictions == [whole.predictions[700], whole.predictions[1300]]


def test_one_class_reaches_as_far_as_its_paths() -> None:
    graph = ohm.Graph.from_edges([*((k, k + 1) for k in range(900)), (-1, -2)])
    table = ohm.fit(graph, {0: "only"}).predict_many()
    assert table.predictions.count("only") == 901
    assert table.predictions.count(None) == 2


def test_a_withdrawn_label_reaches_nobody() -> None:
    learner = ohm.fit(path(800), {0: "a", 799: "b"})
    learner.forget_one(0)
    learner.forget_one(799)
    assert set(learner.predict_many().predictions) == {None}


def carried(graph: ohm.Graph, scores: np.ndarray) -> np.ndarray:
    """`carry_on` as its formula says it, layer by layer."""
    found, near = scores.copy(), set(np.flatnonzero(scores.sum(axis=1) > 0).tolist())
    weights = graph.adjacency.toarray()
    while True:
        layer = [j for j in range(graph.n) if j not in near and any(weights[j, k] for k in near)]
        if not layer:
            return found
        for j in layer:
            known = [k for k in near if weights[j, k]]
            found[j] = sum(weights[j, k] * found[k] for k in known) / sum(weights[j, k] for k in known)
        near |= set(layer)


@pytest.mark.parametrize("seed", range(8))
def test_it_is_the_mean_of_the_neighbours_that_are_nearer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 60))
    ends = rng.integers(n, size=(int(1.2 * n), 2))
    ends = ends[ends[:, 0] != ends[:, 1]]
    weights = 10.0 ** rng.uniform(-3, 3, len(ends)) if seed % 2 else np.ones(len(ends))
    weighed = [(int(u), int(v), float(w)) for (u, v), w in zip(ends, weights, strict=True)]
    graph = ohm.Graph.from_edges(weighed, nodes=range(n), parallel="sum")
    scores = rng.random((n, 3)) * (rng.random((n, 1)) < 0.15)
    space = ohm.LocalLGC(graph, ["a", "b", "c"]).space
    found = scores.copy()
    carry_on(space, found)
    np.testing.assert_allclose(found, carried(graph, scores), rtol=1e-12)
