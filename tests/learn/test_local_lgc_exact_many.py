"""The block solve for all nodes and classes, beside dense algebra."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import ohmline as ohm
from graphs import games
from ohmline.errors import OhmlineError, ParameterError


def dense(learner: ohm.LocalLGC, graph: ohm.Graph) -> tuple[np.ndarray, np.ndarray]:
    """Q and b."""
    weights = np.abs(graph.adjacency.toarray()) / learner.unit
    links = graph.adjacency.toarray() / learner.unit
    q = np.diag(weights.sum(axis=1) + learner.ridge) - links
    b = np.zeros((graph.n, len(learner.classes)))
    for i in np.flatnonzero(learner.state.label >= 0):
        q[i, i] += 1 / learner.mu
        b[i, learner.state.label[i]] = 1 / learner.mu
    return q, b


@given(games(classes=3, repeats=False))
@settings(max_examples=40, deadline=None)
def test_scores_are_the_dense_ones_within_their_error(game) -> None:  # type: ignore[no-untyped-def]
    graph, stream, _ = game
    learner = ohm.LocalLGC(graph)
    ohm.play(learner, stream, query=ohm.RandomRate(0.5))
    before = learner.snapshot()
    found = learner.exact_many()
    q, b = dense(learner, graph)
    exact = np.linalg.solve(q, b)
    off = np.abs(found.scores - exact).max(axis=1, initial=0.0)
    assert np.all(off <= found.error + 1e-13)
    assert found.residual == pytest.approx(np.abs(b - q @ found.scores).max(initial=0.0), abs=1e-12)
    assert found.error.max(initial=0.0) < 0.01
    after = learner.snapshot()
    assert all(np.array_equal(before[key], after[key]) for key in before)


def test_the_class_of_the_largest_score_is_said_and_none_where_no_label_reaches() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(5, size=60)
    ends = rng.integers(60, size=(400, 2))
    ends = ends[
        (ends[:, 0] != ends[:, 1]) & ((truth[ends[:, 0]] == truth[ends[:, 1]]) | (rng.random(400) < 0.2))
    ]
    graph = ohm.Graph.from_edges(ends, nodes=range(64))
    learner = ohm.LocalLGC(graph, "abcdef", guess=True)
    for node in range(30):
        learner.learn_one(node, "abcde"[truth[node]])
    q, b = dense(learner, graph)
    exact = np.linalg.solve(q, b)
    found = learner.exact_many(range(40, 64))
    wanted = ["abcdef"[c] for c in exact[40:60].argmax(axis=1)]
    assert found.predictions()[:20] == wanted
    assert found.predictions()[20:] == [None] * 4
    level = exact[:, :5] / np.sqrt(exact[:, :5].sum(axis=0))
    assert found.predictions(levelled=True)[:20] == ["abcde"[c] for c in level[40:60].argmax(axis=1)]
    assert found.predictions(levelled=True)[20:] == [None] * 4
    assert found.nodes[0] == 40
    assert len(found.scores) == len(found.error) == 24


def test_a_signed_graph_and_one_that_has_grown() -> None:
    graph = ohm.Graph.from_edges([(0, 1, 1.0), (1, 2, -2.0), (2, 3, 1.5)], signed=True)
    learner = ohm.LocalLGC(graph)
    learner.learn_one(0, "a")
    learner.learn_one(3, "b")
    q, b = dense(learner, graph)
    found = learner.exact_many()
    assert np.all(np.abs(found.scores - np.linalg.solve(q, b)).max(axis=1) <= found.error + 1e-13)
    grown = ohm.LocalLGC(ohm.Graph.from_edges([(0, 1), (1, 2)]))
    grown.learn_one(0, "a")
    grown.learn_one(2, "b")
    grown.add_node(3)
    grown.add_edge(3, 2)
    whole = ohm.LocalLGC(ohm.Graph.from_edges([(0, 1), (1, 2), (2, 3)]), unit=1.0, mu=grown.mu)
    whole.learn_one(0, "a")
    whole.learn_one(2, "b")
    one, other = grown.exact_many(), whole.exact_many()
    assert np.all(np.abs(one.scores - other.scores).max(axis=1) <= one.error + other.error)
    assert one.predictions() == other.predictions() == ["a", "a", "b", "b"] or one.predictions()[3] == "b"


def test_nothing_learned_and_bad_arguments() -> None:
    alone = ohm.LocalLGC(ohm.Graph.from_edges([], nodes=["x"]))
    assert alone.exact_many().predictions(levelled=True) == [None]
    assert alone.exact_many([]).predictions() == []
    alone.learn_one("x", "red")
    assert alone.exact_many().predictions(levelled=True) == ["red"]
    alone.forget_one("x")
    assert alone.exact_many().predictions(levelled=True) == [None]
    with pytest.raises(ParameterError, match="levelled"):
        alone.exact_many().predictions(levelled="yes")  # type: ignore[arg-type]
    with pytest.raises(OhmlineError, match="spam"):
        alone.exact_many(["spam"])
