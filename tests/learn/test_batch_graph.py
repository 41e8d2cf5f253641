"""LLGC and Harmonic against their closed forms, the random walk and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ohmline as ohm
from ohmline.errors import GraphError, LabelError, LearnerError, ParameterError, UnknownNode
from ohmline.learn.batch import LLGC, Harmonic


def random_graph(seed, n=12, chance=0.25):
    rng = np.random.default_rng(seed)
    w = np.triu(rng.random((n, n)) * (rng.random((n, n)) < chance), 1)
    labels = [None if rng.random() < 0.6 else "abc"[rng.integers(3)] for _ in range(n)]
    labels[0] = "a"
    return ohm.Graph.from_scipy(w + w.T), labels


def reach(graph, labels):
    known = {graph.component_of[i] for i, y in enumerate(labels) if y is not None}
    return np.array([c in known for c in graph.component_of])


@given(st.integers(0, 10_000), st.sampled_from([0.3, 0.9, 0.99]))
def test_llgc_is_its_closed_form(seed, alpha):
    graph, labels = random_graph(seed)
    model = LLGC(alpha).fit(graph, labels)
    degree = graph.degree
    scale = np.where(degree > 0, 1 / np.sqrt(np.where(degree > 0, degree, 1)), 0)
    s = scale[:, None] * graph.adjacency.toarray() * scale
    y = np.array([[label == c for c in model.classes] for label in labels], dtype=float)
    np.testing.assert_allclose(
        model.scores, (1 - alpha) * np.linalg.solve(np.eye(graph.n) - alpha * s, y), atol=1e-9
    )


@given(st.integers(0, 10_000))
def test_harmonic_is_the_mean_of_the_neighbours_and_keeps_the_labels(seed):
    graph, labels = random_graph(seed)
    model = Harmonic().fit(graph, labels)
    w = graph.adjacency.toarray()
    reached = reach(graph, labels)
    for i, label in enumerate(labels):
        if label is not None:
            assert model.scores[i].tolist() == [float(label == c) for c in model.classes]
        elif reached[i]:
            np.testing.assert_allclose(model.scores[i], w[i] @ model.scores / w[i].sum(), atol=1e-9)
            assert model.scores[i].sum() == pytest.approx(1.0)


@given(st.integers(0, 10_000))
def test_only_nodes_that_a_label_reaches_are_predicted(seed):
    graph, labels = random_graph(seed, chance=0.1)
    reached = reach(graph, labels)
    for model in (LLGC(), Harmonic()):
        predictions = model.fit(graph, labels).predict()
        assert [p is not None for p in predictions] == reached.tolist()


def test_harmonic_is_absorption_of_a_random_walk():
    graph, labels = random_graph(7, n=8, chance=0.6)
    model = Harmonic().fit(graph, labels)
    w = graph.adjacency.toarray()
    step = w / w.sum(1)[:, None]
    known = np.array([y is not None for y in labels])
    step[known] = np.eye(8)[known]
    absorbed = np.linalg.matrix_power(step, 4096)
    indicator = np.array([[y == c for c in model.classes] for y in labels], dtype=float)
    np.testing.assert_allclose(model.scores, absorbed @ indicator, atol=1e-9)


def test_llgc_predicts_as_label_spreading_does():
    semi = pytest.importorskip("sklearn.semi_supervised")
    graph, labels = random_graph(11, n=40, chance=0.15)
    graph = graph.largest_component()
    labels = [labels[i] if i < len(labels) else None for i in range(graph.n)]
    code = {c: k for k, c in enumerate(sorted({y for y in labels if y is not None}))}
    theirs = semi.LabelSpreading(
        kernel=lambda a, b: graph.adjacency.toarray(), alpha=0.9, max_iter=10_000, tol=1e-14
    ).fit(np.zeros((graph.n, 1)), [code.get(y, -1) for y in labels])
    ours = LLGC(0.9).fit(graph, labels)
    shares = ours.scores / ours.scores.sum(1, keepdims=True)
    np.testing.assert_allclose(shares, theirs.label_distributions_, atol=1e-6)


def test_a_mapping_names_the_labelled_nodes_only():
    graph = ohm.Graph.from_edges([("a", "b"), ("b", "c"), ("c", "d")])
    for model in (LLGC(), Harmonic()):
        mapped = model.fit(graph, {"a": 0, "d": 1}).predict(["b", "c"])
        assert mapped == [0, 1]
        assert model.fit(graph, [0, None, None, 1]).predict() == [0, 0, 1, 1]


def test_every_node_labelled_leaves_nothing_to_solve():
    graph = ohm.Graph.from_edges([(0, 1)])
    assert Harmonic().fit(graph, [0, 1]).predict() == [0, 1]


def test_long_paths_are_solved_too():
    n = 3000
    graph = ohm.Graph.from_edges([(k, k + 1) for k in range(n - 1)])
    model = Harmonic().fit(graph, {0: -1, n - 1: 1})
    np.testing.assert_allclose(model.scores[:, 1], np.arange(n) / (n - 1), atol=1e-6)


def test_bad_input_says_what_and_how():
    graph = ohm.Graph.from_edges([(0, 1)])
    for alpha in (0, 1, -0.5, 2):
        with pytest.raises(ParameterError, match="strictly between 0 and 1"):
            LLGC(alpha)
    with pytest.raises(LearnerError, match="call fit first"):
        Harmonic().predict()
    with pytest.raises(UnknownNode, match="unknown node 9"):
        Harmonic().fit(graph, {9: 1})
    with pytest.raises(LabelError, match="no point has a label"):
        LLGC().fit(graph, {})
    with pytest.raises(GraphError, match="weights above 0"):
        LLGC().fit(ohm.Graph.from_edges([(0, 1, -1.0)], signed=True), {0: 1})
    assert repr(LLGC(0.5)) == "LLGC(0.5)"
    assert repr(Harmonic()) == "Harmonic()"
