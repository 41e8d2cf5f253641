"""LocalLGC while things change: labels corrected and withdrawn, nodes and edges added, snapshots."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from graphs import games, graphs, usual_mu
from ohmline.errors import GraphError, ParameterError, SnapshotError, UnknownNode
from ohmline.graph.nodes import NodeIndex

RIDGE = 0.1
CLASSES = ["a", "b", "c"]


class Ledger:
    """Graph and labels as they are now, by the user's ids, with the exact solution of their Q f = b."""

    def __init__(self, graph: ohm.Graph) -> None:
        self.nodes = list(graph.nodes)
        self.edges = {
            frozenset((graph.nodes[int(a)], graph.nodes[int(b)])): float(w)
            for a, b, w in zip(*graph.edges(), strict=True)
        }
        self.labels: dict[Any, str] = {}
        self.unit = float(graph.weights.mean()) if len(graph.weights) else 1.0
        self.mu = usual_mu(graph)

    def graph(self) -> ohm.Graph:
        return ohm.Graph.from_edges(
            [(*sorted(e, key=str), w) for e, w in self.edges.items()], nodes=self.nodes
        )

    def exact(self) -> np.ndarray:
        q = self.graph().laplacian().toarray() / self.unit + RIDGE * np.eye(len(self.nodes))
        b = np.zeros((len(self.nodes), len(CLASSES)))
        for x, y in self.labels.items():
            i = self.nodes.index(x)
            q[i, i] += 1 / self.mu
            b[i, CLASSES.index(y)] = 1 / self.mu
        return np.linalg.solve(q, b)


def live(learner: ohm.LocalLGC, ledger: Ledger, rng: np.random.Generator, steps: int) -> None:
    """A random life: labels learned, corrected and withdrawn, nodes and edges added."""
    for _ in range(steps):
        act = rng.integers(5)
        x = ledger.nodes[int(rng.integers(len(ledger.nodes)))]
        if act <= 1:
            y = CLASSES[int(rng.integers(len(CLASSES)))]
            updated = learner.learn_one(x, y).updated
            assert updated == (ledger.labels.get(x) != y)
            ledger.labels[x] = y
        elif act == 2 and ledger.labels:
            x = sorted(ledger.labels, key=str)[int(rng.integers(len(ledger.labels)))]
            learner.forget_one(x)
            del ledger.labels[x]
        elif act == 3:
            name = f"new {len(ledger.nodes)}"
            learner.add_node(name)
            ledger.nodes.append(name)
        elif act == 4:
            z = ledger.nodes[int(rng.integers(len(ledger.nodes)))]
            if x != z and frozenset((x, z)) not in ledger.edges:
                weight = float(rng.random() * 2 + 0.1)
                learner.add_edge(x, z, weight)
                ledger.edges[frozenset((x, z))] = weight


@settings(max_examples=40)
@given(graphs(max_nodes=8), st.integers(0, 2**32 - 1), st.integers(1, 40))
def test_a_life_ends_where_a_fresh_start_does(graph: ohm.Graph, seed: int, steps: int) -> None:
    """With exact solves, history leaves no trace in the estimate, in scores or in precisions."""
    learner = ohm.LocalLGC(graph, CLASSES, tolerance=1e-13, caution=float("inf"))
    ledger = Ledger(graph)
    live(learner, ledger, np.random.default_rng(seed), steps)
    exact, n = ledger.exact(), len(ledger.nodes)
    np.testing.assert_allclose(learner.state.estimate[:n], exact, atol=1e-8)
    fresh = ohm.LocalLGC(
        ledger.graph(), CLASSES, mu=ledger.mu, unit=ledger.unit, tolerance=1e-13, caution=float("inf")
    )
    for x, y in ledger.labels.items():
        fresh.learn_one(x, y)
    for x in ledger.nodes:
        assert learner.label_one(x) == fresh.label_one(x) == ledger.labels.get(x)
        np.testing.assert_allclose(
            list(learner.scores_one(x).values()), list(fresh.scores_one(x).values()), atol=1e-8
        )


@settings(max_examples=40)
@given(graphs(max_nodes=8), st.integers(0, 2**32 - 1), st.integers(1, 40))
def test_history_costs_no_more_than_the_residual(graph: ohm.Graph, seed: int, steps: int) -> None:
    """With truncated solves every score is within ||r||_1 of the exact one, and refine closes the rest."""
    learner, ledger = ohm.LocalLGC(graph, CLASSES, tolerance=0.02), Ledger(graph)
    live(learner, ledger, np.random.default_rng(seed), steps)
    exact, n = ledger.exact(), len(ledger.nodes)
    for t, x in enumerate(ledger.nodes):
        scores = np.array(list(learner.scores_one(x).values()))
        assert np.abs(scores - exact[t]).max() <= learner.state.solve.found[0]["residual"] + 1e-12
    reached = learner.refine(1e-9)
    assert reached <= 1e-9
    assert np.abs(learner.state.estimate[:n] - exact).max() <= reached + 1e-12
    for t, x in enumerate(ledger.nodes):
        np.testing.assert_allclose(list(learner.scores_one(x).values()), exact[t], atol=2e-9)


@settings(max_examples=25)
@given(graphs(max_nodes=8), st.integers(0, 2**32 - 1), st.integers(1, 40))
def test_a_snapshot_in_mid_life_is_invisible(graph: ohm.Graph, seed: int, steps: int) -> None:
    rng, ledger = np.random.default_rng(seed), Ledger(graph)
    learner = ohm.LocalLGC(graph, guess=True)
    live(learner, ledger, rng, steps)
    saved = learner.snapshot()
    assert all(array.dtype.kind in "fiubU" for array in saved.values())
    twin = ohm.LocalLGC.restore(saved, graph)
    assert twin.classes == learner.classes
    assert list(twin.nodes) == list(learner.nodes) == ledger.nodes
    again = rng.bit_generator.state
    live(learner, ledger, rng, 10)
    other = Ledger(graph)
    other.nodes, other.edges = list(twin.nodes), dict(ledger.edges)
    for x in ledger.nodes[: len(twin.nodes)]:
        if twin.label_one(x) is not None:
            other.labels[x] = twin.label_one(x)
    other.edges = {
        e: w for e, w in ledger.edges.items() if all(x in twin.nodes for x in e) and _joined(twin, tuple(e))
    }
    rng.bit_generator.state = again
    live(twin, other, rng, 10)
    for x in ledger.nodes:
        assert twin.view_one(x) == learner.view_one(x)
        assert twin.predict_proba_one(x) == learner.predict_proba_one(x)


def _joined(learner: ohm.LocalLGC, ends: tuple[Any, ...]) -> bool:
    i, j = (learner.nodes.position(x) for x in ends)
    start = int(learner.space.start[i])
    return bool((learner.space.neighbour[start : start + int(learner.space.size[i])] == j).any())


@settings(max_examples=20)
@given(games(classes=3, named=True))
def test_withdrawing_everything_leaves_nothing(game: tuple[ohm.Graph, ohm.Stream, Any]) -> None:
    graph, stream, _ = game
    learner = ohm.LocalLGC(graph, tolerance=1e-13, caution=float("inf"))
    for x, y in stream:
        learner.learn_one(x, y)
    for x in graph.nodes:
        if learner.label_one(x) is not None:
            learner.forget_one(x)
    assert np.abs(learner.state.estimate).max(initial=0.0) < 1e-9
    assert not learner.state.counts.any()
    assert all(learner.view_one(x).margin == 0 for x in graph.nodes)


def test_the_same_label_again_is_no_news() -> None:
    learner = ohm.LocalLGC(ohm.Graph.from_edges([(0, 1)]))
    assert learner.learn_one(0, "a").updated
    before = learner.snapshot()
    assert learner.learn_one(0, "a") == ohm.Update(mistake=False, updated=False, progress=0.0)
    assert all(np.array_equal(before[key], value) for key, value in learner.snapshot().items())


def test_a_correction_turns_the_neighbours() -> None:
    learner = ohm.LocalLGC(ohm.Graph.from_edges([(0, 1), (1, 2)]))
    learner.learn_one(1, "a")
    assert learner.predict_one(0) == "a"
    learner.learn_one(1, "b")
    assert learner.predict_one(0) == learner.label_one(1) == "b"


def test_many_nodes_and_edges_can_come() -> None:
    """Lists move and arrays grow many times over; the graph is that of a fresh start."""
    start = ohm.Graph.from_edges([(0, 1)])
    learner = ohm.LocalLGC(start, CLASSES, tolerance=1e-12, caution=float("inf"))
    rng = np.random.default_rng(0)
    edges = [(0, 1)]
    for k in range(2, 120):
        learner.add_node(k)
        for j in sorted({int(v) for v in rng.integers(0, k, size=3)}):
            learner.add_edge(k, j)
            edges.append((j, k))
    assert learner.nodes.is_range
    options: dict[str, Any] = {"mu": learner.mu, "tolerance": 1e-12, "caution": float("inf")}
    fresh = ohm.LocalLGC(ohm.Graph.from_edges(edges), CLASSES, **options)
    for x in rng.permutation(120)[:40].tolist():
        for one in (learner, fresh):
            one.learn_one(x, CLASSES[x % 3])
    for x in range(120):
        np.testing.assert_allclose(
            list(learner.scores_one(x).values()), list(fresh.scores_one(x).values()), atol=1e-9
        )


def test_bad_changes_change_nothing() -> None:
    learner = ohm.LocalLGC(ohm.Graph.from_edges([("a", "b")], nodes=["a", "b", "c"]))
    learner.learn_one("a", 1)
    learner.add_edge("b", "c", 2.0)
    before = learner.snapshot()
    with pytest.raises(GraphError, match="in the graph already"):
        learner.add_node("a")
    with pytest.raises(GraphError, match="hashable"):
        learner.add_node(["d"])
    with pytest.raises(UnknownNode, match="'d'"):
        learner.add_edge("a", "d")
    with pytest.raises(GraphError, match="self loop"):
        learner.add_edge("a", "a")
    for u, v in (("a", "b"), ("c", "b")):
        with pytest.raises(GraphError, match="in the graph already"):
            learner.add_edge(u, v)
    for weight in (0.0, -1.0, float("nan")):
        with pytest.raises(ParameterError, match="weight of edge"):
            learner.add_edge("a", "c", weight)
    assert all(np.array_equal(before[key], value) for key, value in learner.snapshot().items())


def test_snapshots_that_do_not_fit() -> None:
    graph = ohm.Graph.from_edges([("a", "b")])
    learner = ohm.LocalLGC(graph)
    learner.learn_one("a", "x")
    learner.add_node("c")
    learner.add_edge("c", "a")
    saved = learner.snapshot()
    with pytest.raises(SnapshotError, match="not one of LocalLGC"):
        ohm.LocalLGC.restore({}, graph)
    with pytest.raises(SnapshotError, match="Perceptron"):
        ohm.LocalLGC.restore({"kind": np.array("Perceptron")}, graph)
    for other in (
        ohm.Graph.from_edges([(k, k + 1) for k in range(5)]),
        ohm.Graph.from_edges([], nodes=["a"]),
    ):
        with pytest.raises(SnapshotError, match="another graph"):
            ohm.LocalLGC.restore(saved, other)
    del saved["fingerprint"]
    with pytest.raises(SnapshotError, match="no fingerprint of its graph"):
        ohm.LocalLGC.restore(saved, graph)


def test_an_index_grows_without_changing_those_before_it() -> None:
    first = NodeIndex(["a", "b"])
    second, other = first.with_node("c"), first.with_node("d")
    assert [list(first), list(second), list(other)] == [["a", "b"], ["a", "b", "c"], ["a", "b", "d"]]
    assert "c" not in first
    assert first[-1] == "b"
    assert first[:] == ("a", "b")
    assert first == NodeIndex(["a", "b"])
    assert hash(first) == hash(NodeIndex(["a", "b"]))
    assert second == NodeIndex(["a", "b", "c"]) != other
    assert NodeIndex(2).with_node(2).is_range
    assert list(NodeIndex(2).with_node("x")) == [0, 1, "x"]
    for bad, words in (("a", "already"), (["x"], "hashable"), (float("nan"), "nan")):
        with pytest.raises(GraphError, match=words):
            first.with_node(bad)
    for equal in (1, 1.0, True):
        with pytest.raises(GraphError, match="already"):
            NodeIndex(2).with_node(equal)
    assert list(first) == ["a", "b"]


def test_a_withdrawn_label_leaves_no_ghost() -> None:
    learner = ohm.LocalLGC(ohm.Graph.from_edges([(0, 1), (1, 2), (2, 3)]))
    learner.learn_one(0, "spam")
    assert learner.predict_proba_one(1) == {"spam": 1.0}
    learner.forget_one(0)
    for x in range(4):
        assert learner.predict_one(x) is None
        assert learner.predict_proba_one(x) == {}
        assert learner.scores_one(x) == {"spam": 0.0}
    assert ohm.LocalLGC(learner.graph, guess=True).predict_proba_one(1) == {}


def test_what_is_not_known_has_no_probabilities() -> None:
    graph = ohm.Graph.from_edges([("a", "b"), ("c", "d")])
    for guess in (False, True):
        learner = ohm.LocalLGC(graph, guess=guess)
        learner.learn_one("a", "x")
        assert learner.predict_proba_one("b") == {"x": 1.0}
        assert learner.predict_one("c") == ("x" if guess else None)
        assert learner.predict_proba_one("c") == ({"x": 1.0} if guess else {})


@settings(max_examples=60)
@given(graphs(max_nodes=8), st.integers(0, 2**32 - 1), st.integers(1, 40))
def test_edits_leave_every_score_within_the_tolerance(graph: ohm.Graph, seed: int, steps: int) -> None:
    """At default settings: whatever came before, after a correction, a withdrawal or an edge all scores are exact."""
    learner, ledger, rng = ohm.LocalLGC(graph, CLASSES), Ledger(graph), np.random.default_rng(seed)
    for _ in range(steps):
        before = (dict(ledger.labels), len(ledger.edges))
        live(learner, ledger, rng, 1)
        exact = ledger.exact()
        lost = any(ledger.labels.get(x) != y for x, y in before[0].items())
        edited = lost or len(ledger.edges) > before[1]
        components = ledger.graph().component_of
        for t, x in enumerate(ledger.nodes):
            scores = np.array(list(learner.scores_one(x).values()))
            if edited:
                assert np.abs(scores - exact[t]).max() <= 3e-4
            reached = {
                y for z, y in ledger.labels.items() if components[ledger.nodes.index(z)] == components[t]
            }
            assert {y for y, score in zip(CLASSES, scores, strict=True) if score > 0} <= reached
            if not reached:
                assert learner.predict_one(x) is None
                assert learner.predict_proba_one(x) == {}


@pytest.mark.parametrize("nodes", [60, 400])
def test_edits_of_a_larger_graph_are_exact_too(nodes: int) -> None:
    rng = np.random.default_rng(nodes)
    pairs = {
        (int(min(a, b)), int(max(a, b))) for a, b in rng.integers(0, nodes, size=(2 * nodes, 2)) if a != b
    }
    graph = ohm.Graph.from_edges(sorted(pairs), nodes=range(nodes))
    learner, ledger = ohm.LocalLGC(graph, CLASSES), Ledger(graph)
    for _ in range(5):
        live(learner, ledger, rng, nodes // 4)
        x = sorted(ledger.labels, key=str)[0]
        learner.forget_one(x)
        del ledger.labels[x]
        exact = ledger.exact()
        for t, x in enumerate(ledger.nodes):
            assert np.abs(np.array(list(learner.scores_one(x).values())) - exact[t]).max() <= 3e-4
