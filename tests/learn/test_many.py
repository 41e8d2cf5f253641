"""Many nodes at once: the same as one after the other, and where it is not, nearer to the exact solution."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from ohmline.errors import LabelError, ParameterError, ShapeError, UnknownNode
from ohmline.learn.local_lgc.everywhere import swept
from ohmline.learn.local_lgc.exact import solved
from ohmline.learn.many import softmax


def network(seed: int, n: int = 40) -> ohm.Graph:
    rng = np.random.default_rng(seed)
    edges = {(k, k + 1): float(rng.uniform(0.2, 3)) for k in range(n - 1) if k % 13}
    for _ in range(2 * n):
        u, v = sorted(rng.choice(n, 2, replace=False).tolist())
        edges[u, v] = float(rng.uniform(0.2, 3))
    return ohm.Graph.from_edges(
        [(f"v{u}", f"v{v}", w) for (u, v), w in edges.items()], nodes=[f"v{k}" for k in range(n)]
    )


def biased(graph: ohm.Graph) -> ohm.Kernel:
    return ohm.LaplacianKernel(graph) + ohm.Constant(1.0)


BINARY: dict[str, Callable[[ohm.Graph], Any]] = {
    "Perceptron": lambda g: ohm.Perceptron(biased(g)),
    "Perceptron over columns": lambda g: ohm.Perceptron(ohm.SolverKernel(g, b=1.0)),
    "PassiveAggressive": lambda g: ohm.PassiveAggressive(biased(g)),
    "one-proj": lambda g: ohm.Projection.one_proj(biased(g)),
    "c-proj": lambda g: ohm.Projection.c_proj(biased(g), contradiction=ohm.Contradiction.RELABEL),
    "c-proj over columns": lambda g: ohm.Projection.c_proj(
        ohm.SolverKernel(g, b=1.0), contradiction=ohm.Contradiction.RELABEL
    ),
    "min-norm": lambda g: ohm.Projection.min_norm(biased(g), contradiction=ohm.Contradiction.RELABEL),
    "Pounce": lambda g: ohm.Pounce(biased(g)),
    "OnlineLGC": lambda g: ohm.OnlineLGC(ohm.SpectralKernel(g, rank=8)),
    "NearestNeighbour": lambda g: ohm.NearestNeighbour(g, k=3),
}
MANY: dict[str, Callable[[ohm.Graph], Any]] = {
    "SharedLGC": lambda g: ohm.SharedLGC(ohm.SpectralKernel(g, rank=8)),
    "OneVsRest": lambda g: ohm.OneVsRest(lambda: ohm.Perceptron(biased(g))),
    "LocalLGC": lambda g: ohm.LocalLGC(g),
    "LocalLGC with guesses": lambda g: ohm.LocalLGC(g, ["a", "b", "c", "d"], guess=True),
}


def same(one: ohm.OnlineLearner[Any, Any], other: ohm.OnlineLearner[Any, Any]) -> bool:
    mine, yours = one.snapshot(), other.snapshot()
    return mine.keys() == yours.keys() and all(
        np.array_equal(value, yours[key], equal_nan=value.dtype.kind == "f") for key, value in mine.items()
    )


def labelled(seed: int, graph: ohm.Graph, classes: list[Any], count: int) -> tuple[list[Any], list[Any]]:
    rng = np.random.default_rng(seed)
    nodes = [graph.nodes[k] for k in rng.permutation(graph.n)[:count].tolist()]
    return nodes, [classes[k] for k in rng.integers(len(classes), size=count).tolist()]


@pytest.mark.parametrize("name", [*BINARY, *MANY])
@pytest.mark.parametrize("seed", range(2))
def test_learning_many_is_learning_one_after_the_other(name: str, seed: int) -> None:
    graph = network(seed)
    make = {**BINARY, **MANY}[name]
    nodes, labels = labelled(seed, graph, [-1, 1] if name in BINARY else ["a", "b", "c"], 15)
    one, many = make(graph), make(graph)
    updates = [one.learn_one(x, y) for x, y in zip(nodes, labels, strict=True)]
    found = many.learn_many(nodes, labels)
    assert found.labels == 15
    assert found.mistakes == sum(u.mistake for u in updates)
    assert found.updates == sum(u.updated for u in updates)
    assert found.progress == pytest.approx(sum(u.progress for u in updates))
    assert same(one, many)


@pytest.mark.parametrize("name", [*BINARY, *MANY])
@pytest.mark.parametrize("seed", range(2))
def test_predicting_many_is_predicting_one_after_the_other_and_changes_nothing(name: str, seed: int) -> None:
    graph = network(seed)
    learner = {**BINARY, **MANY}[name](graph)
    nodes, labels = labelled(seed, graph, [-1, 1] if name in BINARY else ["a", "b", "c"], 12)
    empty = learner.predict_many()
    assert [row.prediction for row in empty] == [learner.predict_one(x) for x in graph.nodes]
    learner.learn_many(dict(zip(nodes, labels, strict=True)))
    before = learner.snapshot()
    for wanted in (None, nodes[:2], ["v3"], []):
        table = learner.predict_many(wanted)
        asked = list(graph.nodes) if wanted is None else wanted
        views = [learner.view_one(x) for x in asked]
        assert list(table.nodes) == asked
        assert table.predictions == [view.prediction for view in views]
        assert np.allclose(table.margins, [view.margin for view in views], atol=1e-12)
        assert table.probabilities.shape == (len(asked), len(table.classes))
        known = table.probabilities[table.known]
        assert np.allclose(known.sum(axis=1), 1)
        assert np.isnan(table.probabilities[~table.known]).all()
        clear = table.known & (np.abs(table.margins) > 1e-6)
        assert np.array_equal(table.probabilities[clear].argmax(axis=1), table.codes[clear])
        assert np.array_equal(learner.predict_proba_many(wanted), table.probabilities, equal_nan=True)
    after = learner.snapshot()
    assert all(np.array_equal(before[k], after[k], equal_nan=before[k].dtype.kind == "f") for k in before)


def test_points_are_predicted_and_learned_many_at_a_time() -> None:
    rng = np.random.default_rng(0)
    points = np.vstack([rng.normal(0, 0.3, (20, 2)), rng.normal(3, 0.3, (20, 2))])
    labels = ["a"] * 20 + [None] * 3 + ["b"] * 17
    one, many = (ohm.OnlineManifold(ohm.RBF(1.0), classes=["a", "b"]) for _ in range(2))
    for x, y in zip(points, labels, strict=True):
        one.learn_one(x, y)
    assert many.learn_many(points, labels).labels == 37
    assert same(one, many)
    table = many.predict_many(points)
    assert table.predictions == [one.predict_one(x) for x in points]
    assert list(table.nodes) == list(range(40))
    with pytest.raises(ParameterError, match="give predict_many the points"):
        many.predict_many()


def test_halving_gives_the_share_of_labellings() -> None:
    line = ohm.Graph.from_edges([(k, k + 1) for k in range(7)])
    learner = ohm.Halving(line, 1)
    learner.learn_many([0], [-1])
    table = learner.predict_many()
    assert table.predictions == [learner.predict_one(k) for k in range(8)]
    assert table.of(0).probability == 1.0
    assert np.allclose(table.probabilities[:, 1], [k / 8 for k in range(8)])


@pytest.mark.parametrize("name", ["Perceptron", "LocalLGC", "OneVsRest", "SharedLGC"])
def test_a_refused_label_leaves_no_trace(name: str) -> None:
    graph = network(0)
    make = {**BINARY, **MANY}[name]
    learner, untouched = make(graph), make(graph)
    first = -1 if name in BINARY else "a"
    for one in (learner, untouched):
        one.learn_many(["v1"], [first])
    with pytest.raises(UnknownNode):
        learner.learn_many(["v2", "nobody"], [first, first])
    with pytest.raises(UnknownNode):
        learner.learn_many(["v2", "nobody"], [first, None])
    with pytest.raises(LabelError):
        learner.learn_many(["v2", "v3"], [first, ["no", "label"]])
    with pytest.raises(ShapeError, match="2 nodes and 1 labels"):
        learner.learn_many(["v2", "v3"], [first])
    with pytest.raises(LabelError, match="labels are missing"):
        learner.learn_many(["v2", "v3"])
    if name in BINARY:
        with pytest.raises(LabelError):
            learner.learn_many(["v2", "v3"], [1, 7])
    assert same(learner, untouched)


def test_a_blank_label_is_not_learned() -> None:
    learner = ohm.LocalLGC(network(0))
    assert learner.learn_many({"v1": "a", "v2": None, "v3": float("nan")}).labels == 1
    assert learner.label_one("v2") is None


def drawn(seed: int, classes: int, ridge: float, spread: float) -> ohm.LocalLGC:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 30))
    edges = {tuple(sorted(rng.choice(n, 2, replace=False).tolist())) for _ in range(2 * n)}
    graph = ohm.Graph.from_edges(
        [(u, v, float(10 ** rng.uniform(-spread, spread))) for u, v in sorted(edges)], nodes=range(n)
    )
    learner = ohm.LocalLGC(graph, list(range(classes)), ridge=ridge)
    for node in rng.permutation(n)[: 1 + n // 3].tolist():
        learner.learn_one(node, int(rng.integers(classes)))
    return learner


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(1, 9),
    st.sampled_from([0.1, 1e-3, 10.0]),
    st.sampled_from([0.0, 3.0, 6.0]),
)
def test_sweeps_come_nearer_and_the_proof_of_the_exact_class_holds(
    seed: int, classes: int, ridge: float, spread: float
) -> None:
    learner = drawn(seed, classes, ridge, spread)
    n, exact = learner.graph.n, _dense(learner, classes)
    scores = swept(learner.space, learner.state, classes)
    before = np.abs(learner.state.estimate[:n, :classes] - exact).max()
    assert np.abs(scores - exact).max() <= before + 1e-12
    found, error = solved(learner.space, learner.state, scores)
    assert (np.abs(found - exact).max(axis=1) <= error + 1e-9).all()
    if spread == 0 and ridge == 0.1:
        assert error.max() < 0.05
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ohmline.learn.local_lgc.learner.one_by_one", lambda adjacency, wanted: False)
        table = learner.predict_many()
    assert (table.codes[table.certain] == exact.argmax(axis=1)[table.certain]).all()
    reached = table.known
    assert (table.codes[reached] == scores[reached].argmax(axis=1)).mean() > 0.99
    near = learner.predict_many()  # by local solves
    assert (near.codes[near.certain] == exact.argmax(axis=1)[near.certain]).all()


def test_many_nodes_are_right_as_often_as_one_by_one() -> None:
    graph = ohm.graph.generate.stochastic_block_model(
        [400, 300, 200], np.full((3, 3), 0.002) + 0.01 * np.eye(3), seed=1
    ).graph
    truth = np.repeat([0, 1, 2], [400, 300, 200])
    learner = ohm.LocalLGC(graph)
    shown = np.random.default_rng(0).permutation(900)[:90].tolist()
    learner.learn_many({graph.nodes[k]: int(truth[k]) for k in shown})
    table = learner.predict_many()
    one = [learner.predict_one(x) for x in graph.nodes]
    right = np.mean([a == b for a, b in zip(table.predictions, truth.tolist(), strict=True)])
    assert right > np.mean([a == b for a, b in zip(one, truth.tolist(), strict=True)]) - 0.03
    assert np.mean([a == b for a, b in zip(table.predictions, one, strict=True)]) > 0.9
    assert table.certain.mean() > 0.3


def test_a_proof_is_about_the_learner_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ohmline.learn.local_lgc.learner.one_by_one", lambda adjacency, wanted: False)
    learner = drawn(5, 2, 0.1, 0.0)
    asked, later = learner.predict_many(), learner.predict_many()
    at_once = asked.certain
    assert at_once.any()
    learner.add_node("new")
    for node in range(learner.graph.n):
        if node not in learner.graph.neighbours(0) and node:
            learner.add_edge(0, node, 5.0)
    learner.add_edge("new", 0, 9.0)
    learner.learn_many({"new": 1, 1: 0})
    assert np.array_equal(later.certain, at_once)
    moved = pickle.loads(pickle.dumps(later))
    assert np.array_equal(moved.certain, at_once)
    assert moved.predictions == later.predictions


def _dense(learner: ohm.LocalLGC, classes: int) -> Any:
    n, unit = learner.graph.n, learner.unit
    q = learner.ridge * np.eye(n)
    for u, v, w in zip(*learner.graph.edges(), strict=True):
        q[[u, v], [u, v]] += w / unit
        q[[u, v], [v, u]] -= w / unit
    b = np.zeros((n, classes))
    for node in range(n):
        label = learner.label_one(node)
        if label is not None:
            q[node, node] += 1 / learner.mu
            b[node, label] = 1 / learner.mu
    return np.linalg.solve(q, b)


def test_it_also_solves_for_a_graph_that_grew() -> None:
    learner = ohm.LocalLGC(network(3), ["a", "b"])
    learner.learn_many({"v1": "a", "v20": "b"})
    learner.add_node("new")
    assert learner.predict_many().of("new").prediction is None
    learner.add_edge("new", "v1", 2.0)
    table = learner.predict_many()
    assert len(table) == 41
    assert table.predictions == [learner.predict_one(x) for x in learner.nodes]
    assert table.of("new").prediction == "a"


def test_softmax_takes_infinite_scores() -> None:
    found = softmax(np.array([[0.0, -np.inf], [1e308, -1e308], [2.0, 2.0]]))
    assert np.allclose(found, [[1, 0], [1, 0], [0.5, 0.5]])


@pytest.mark.parametrize("n", [150, 180])
def test_far_from_every_label_a_certain_class_is_still_the_exact_one(n: int) -> None:
    """Scores of 1e-10 and less, where an absolute rule for ties once said the wrong class for certain."""
    learner = ohm.fit(ohm.Graph.from_edges([(k, k + 1) for k in range(n - 1)]), {0: "a", n - 1: "b"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ohmline.learn.local_lgc.learner.one_by_one", lambda adjacency, wanted: False)
        tables = [learner.predict_many()]
    tables.append(learner.predict_many())
    for table in tables:
        for k in np.flatnonzero(table.certain).tolist():
            assert table.predictions[k] == ("a" if k < n / 2 else "b")
        best = [
            None if code < 0 else table.classes[row.argmax()]
            for code, row in zip(table.codes, table.probabilities, strict=True)
        ]
        assert table.predictions == best
