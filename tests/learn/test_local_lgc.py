"""LocalLGC against exact dense solves: the game, the solves, the certificate."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from graphs import games, usual_mu
from ohmline import check
from ohmline.check import Subject
from ohmline.errors import LabelError, LearnerError, ParameterError, UnknownNode
from ohmline.learn.local_lgc.local_solve import WORK

RIDGE = 0.1
EXACT: dict[str, Any] = {"tolerance": 1e-13, "caution": float("inf")}


class Exact:
    """The recipe with dense solves: f = Q^-1 b, written as it is read."""

    def __init__(self, graph: ohm.Graph, labels: dict[int, int], classes: int) -> None:
        unit = graph.weights.mean() if len(graph.weights) else 1.0
        self.q = graph.laplacian().toarray() / unit + RIDGE * np.eye(graph.n)
        self.b = np.zeros((graph.n, classes))
        self.mu = usual_mu(graph)
        for i, y in labels.items():
            self.q[i, i] += 1 / self.mu
            self.b[i, y] = 1 / self.mu
        self.inverse = np.linalg.inv(self.q)
        self.f = self.inverse @ self.b
        self.labels = labels

    def worth(self, t: int) -> float:
        """The variance that t's label removes from the sum of the other unlabelled values."""
        x = self.inverse[:, t]
        others = sum(x[j] for j in range(len(x)) if j != t and j not in self.labels)
        return float(others**2 / (self.mu + x[t]))


def learned(learner: ohm.LocalLGC) -> dict[int, int]:
    return {int(i): int(learner.state.label[i]) for i in np.flatnonzero(learner.state.label >= 0)}


def exact_of(learner: ohm.LocalLGC) -> Exact:
    return Exact(learner.graph, learned(learner), len(learner.classes))


def cautious_game(graph: ohm.Graph, stream: ohm.Stream, **options: Any) -> ohm.LocalLGC:
    """Half of the stream learned with the settings under test."""
    learner = ohm.LocalLGC(graph, **options)
    for x, y in list(stream)[: len(stream) // 2]:
        learner.learn_one(x, y)
    return learner


@settings(max_examples=30)
@given(games(classes=3, repeats=False))
def test_every_trial_agrees_with_dense_solves(game: tuple[ohm.Graph, ohm.Stream, Any]) -> None:
    graph, stream, _ = game
    learner = ohm.LocalLGC(graph, classes=stream.classes, **EXACT)
    plain = ohm.LocalLGC(graph, classes=stream.classes, reach=False, **EXACT)
    labels: dict[int, int] = {}
    for x, y in stream:
        t, exact = graph.nodes.position(x), Exact(graph, labels, len(stream.classes))
        view, scores = learner.view_one(x), learner.scores_one(x)
        np.testing.assert_allclose(list(scores.values()), exact.f[t], atol=1e-10)
        ranked = np.sort(exact.f[t])[::-1]
        gap = ranked[0] - (ranked[1] if len(ranked) > 1 else 0.0)
        assert view.margin == pytest.approx(gap, abs=1e-8)
        if ranked[0] <= 1e-9:
            assert view.prediction is None
        elif gap > 1e-8:
            assert view.prediction == stream.classes[int(np.argmax(exact.f[t]))]
        assert learner.variance_one(x) == pytest.approx(exact.worth(t), rel=1e-8, abs=1e-10)
        own = exact.inverse[t, t]
        assert plain.variance_one(x) == pytest.approx(own / (exact.mu + own), rel=1e-10)
        plain.learn_one(x, y)
        update = learner.learn_one(x, y)
        assert update.mistake == (view.prediction != y)
        labels[t] = stream.classes.index(y)
        moved = Exact(graph, labels, len(stream.classes)).f
        np.testing.assert_allclose(learner.state.estimate, moved, atol=1e-9)


@settings(max_examples=20)
@given(games(classes=3, repeats=False), st.floats(1e-3, 3.0))
def test_the_query_asks_as_the_literal_rule(game: tuple[ohm.Graph, ohm.Stream, Any], c: float) -> None:
    graph, stream, _ = game
    trace = ohm.play(ohm.LocalLGC(graph, **EXACT, reach=False), stream, query=ohm.GapBelow(c, repeats=0))
    labels: dict[int, int] = {}
    for t, (x, y) in enumerate(stream):
        i, exact = graph.nodes.position(x), Exact(graph, labels, len(stream.classes))
        ranked = np.append(np.sort(exact.f[i])[::-1], 0.0)
        own = exact.inverse[i, i] / (exact.mu + exact.inverse[i, i])
        distance = (ranked[0] - ranked[1]) ** 2 - c * own * np.log(t + 2)
        if abs(distance) > 1e-7:
            assert trace.asked_at[t] == (distance < 0)
        if trace.asked_at[t]:
            labels[i] = stream.classes.index(y)


@settings(max_examples=60)
@given(games(classes=3), st.floats(1e-5, 0.5), st.sampled_from([0.0, 0.1, 1.0, float("inf")]))
def test_a_solve_is_exact_about_what_it_left_out(
    game: tuple[ohm.Graph, ohm.Stream, Any], tolerance: float, caution: float
) -> None:
    graph, stream, _ = game
    learner = cautious_game(graph, stream, tolerance=tolerance, caution=caution)
    exact = exact_of(learner)
    assert exact.f.min(initial=0.0) >= -1e-12  # the maximum principle
    assert exact.f.sum(axis=1).max() <= 1 + 1e-12
    assert learner.state.estimate.min(initial=0.0) >= 0
    assert learner.state.estimate.max(initial=0.0) <= 1
    for t, x in enumerate(graph.nodes):
        scores = np.array(list(learner.scores_one(x).values()))
        solve, base = learner.state.solve, learner.state.solve.base[: len(scores)]
        column, left_over = learner.state.nodes["x"], learner.state.nodes["r"]
        unit = np.zeros(graph.n)
        unit[t] = 1.0
        np.testing.assert_allclose(exact.q @ column + left_over, unit, atol=1e-12)
        assert column.min() >= 0
        assert solve.found[0]["negative"] == pytest.approx(np.maximum(-left_over, 0).sum())
        if solve.found[0]["edges"] < WORK * (graph.n + len(graph.indices)):  # no global solve took over
            assert left_over.min() >= 0
            assert (exact.f[t] >= base - 1e-12).all()
        left = solve.found[0]["residual"]
        assert left == pytest.approx(np.abs(left_over).sum())
        if caution == float("inf"):
            others = np.arange(graph.n) != t
            assert (left_over[others] <= tolerance * exact.q.diagonal()[others] + 1e-15).all()
        assert np.abs(scores - exact.f[t]).max() <= left + 1e-12
        assert (exact.f[t] >= base - left - 1e-12).all()
        assert (exact.f[t] <= base + left + 1e-12).all()


@settings(max_examples=60)
@given(games(classes=3), st.floats(1e-6, 0.5))
def test_a_certain_class_is_the_exact_one(game: tuple[ohm.Graph, ohm.Stream, Any], tolerance: float) -> None:
    graph, stream, _ = game
    learner = cautious_game(graph, stream)
    exact = exact_of(learner)
    for t, x in enumerate(graph.nodes):
        before = learner.view_one(x)
        said = learner.certain_one(x, tolerance=tolerance)
        assert said.variance <= exact.inverse[t, t] + 1e-12
        assert said.variance_at_most >= exact.inverse[t, t] - 1e-12
        if said.certain:
            best = learner.classes.index(said.prediction)
            rest = np.delete(exact.f[t], best)
            assert exact.f[t, best] - rest.max(initial=0.0) >= said.lead - 1e-12
            assert said.lead > 0
        assert learner.view_one(x) == before


def test_a_clear_class_is_certain_and_a_tie_never_is() -> None:
    graph = ohm.Graph.from_edges([("a", "m"), ("m", "b"), ("a", "left"), ("b", "right")])
    learner = ohm.LocalLGC(graph)
    learner.learn_one("a", "A")
    learner.learn_one("b", "B")
    assert learner.certain_one("left") == learner.certain_one("left", tolerance=3e-4)
    assert learner.certain_one("left").certain
    assert not learner.certain_one("m", tolerance=1e-12).certain
    cheap, dear = learner.certain_one("m", tolerance=1e-2), learner.certain_one("m", tolerance=1e-9)
    assert cheap.edges < dear.edges


@settings(max_examples=20)
@given(games(classes=4))
def test_a_late_class_is_as_if_declared(game: tuple[ohm.Graph, ohm.Stream, Any]) -> None:
    graph, stream, _ = game
    declared = ohm.LocalLGC(graph, classes=stream.classes)
    late = ohm.LocalLGC(graph)
    for x, y in stream:
        assert late.view_one(x) == declared.view_one(x)
        assert late.learn_one(x, y) == declared.learn_one(x, y)
    np.testing.assert_array_equal(late.state.sharpness, declared.state.sharpness)
    for x in graph.nodes:
        assert late.predict_proba_one(x) == declared.predict_proba_one(x)


def over(graph_options: dict[str, Any], *, equivariant: bool) -> Subject:
    return Subject(
        make=lambda graph: ohm.LocalLGC(graph, **graph_options),
        restore=lambda state, graph: ohm.LocalLGC.restore(state, graph),
        equivariant=equivariant,
    )


@settings(max_examples=15)
@given(games(classes=3), st.sampled_from([None, ohm.GapBelow(0.3), ohm.RandomRate(0.5)]))
def test_it_keeps_the_laws(game: tuple[ohm.Graph, ohm.Stream, Any], query: Any) -> None:
    graph, stream, _ = game
    # A truncated solve depends on the order of the neighbours; an exact one does not.
    check.learner(over({}, equivariant=False), graph, stream, query=query)
    check.learner(over({"guess": True, **EXACT}, equivariant=True), graph, stream, query=query)


def test_learning_after_looking_solves_once() -> None:
    learner = ohm.LocalLGC(ohm.Graph.from_edges([(k, k + 1) for k in range(20)]), ["a", "b"])
    learner.learn_one(3, "a")
    learner.view_one(7)
    found = learner.state.solve.found[0]
    assert found["node"] == 7
    found["edges"] = 123456  # a solve would count afresh
    learner.learn_one(7, "b")
    assert found["edges"] == 123456
    assert found["node"] == -1
    learner.view_one(7)
    assert found["edges"] < 123456


def test_labels_screen_what_lies_behind_them() -> None:
    graph = ohm.Graph.from_edges([(k, k + 1) for k in range(200)])
    learner = ohm.LocalLGC(graph, tolerance=1e-6, caution=float("inf"))
    learner.view_one(100)
    open_path = int(learner.state.solve.found[0]["touched"])
    for x in (99, 101):
        learner.learn_one(x, "a")
    learner.view_one(100)
    assert learner.state.solve.found[0]["touched"] < open_path


def test_unreached_and_isolated_nodes_are_not_known() -> None:
    graph = ohm.Graph.from_edges([("a", "b"), ("c", "d")], nodes=["a", "b", "c", "d", "alone"])
    for guess in (False, True):
        learner = ohm.LocalLGC(graph, classes=["x", "y", "z"], guess=guess)
        assert learner.predict_one("a") is None  # nothing is known yet, not even a prior
        learner.learn_one("a", "y")
        expected = "y" if guess else None
        assert learner.predict_one("c") == expected
        assert learner.predict_one("alone") == expected
        assert learner.view_one("c").margin == 0
        assert not learner.certain_one("c").certain
        assert learner.learn_one("alone", "z").mistake
    assert ohm.LocalLGC(graph).predict_proba_one("a") == {}


def test_guessing_plays_the_class_of_its_day() -> None:
    graph = ohm.Graph.from_edges([("a", "b")], nodes=["a", "b", "c", "d", "e", "f"])
    stream = ohm.Stream("acdefb", ["x", "y", "y", "z", "z", "z"])
    trace = ohm.play(ohm.LocalLGC(graph, guess=True), stream)
    assert trace.predictions == [None, "x", "x", "y", "y", "x"]


@settings(max_examples=25)
@given(games(classes=3))
def test_probabilities_are_probabilities(game: tuple[ohm.Graph, ohm.Stream, Any]) -> None:
    graph, stream, _ = game
    learner = cautious_game(graph, stream)
    for x in graph.nodes:
        chance = learner.predict_proba_one(x)
        if learner.predict_one(x) is None:
            assert chance == {}
            continue
        assert list(chance) == list(learner.classes)
        assert sum(chance.values()) == pytest.approx(1.0)
        assert min(chance.values()) >= 0
        if learner.view_one(x).margin > 0 and learner.state.sharpness[:2].any():
            assert max(chance, key=chance.__getitem__) == learner.predict_one(x)


def test_powers_follow_newton_steps_on_the_log_loss() -> None:
    """Checked against numerical slopes and curvatures of -log p(y), written down anew."""
    edges = [(k, k + 1) for k in range(7)] + [(1, 5), (2, 6)]
    learner = ohm.LocalLGC(ohm.Graph.from_edges(edges))
    for x, y in ((0, "a"), (7, "b"), (5, "c")):
        learner.learn_one(x, y)
    degree = {k: sum(k in edge for edge in edges) for k in range(8)}
    for x, y in ((2, "b"), (4, "c"), (3, "a"), (6, "a")):
        scores = np.array([learner.scores_one(x)[c] for c in "abc"])
        votes = min((degree[x] + 0.1) * scores.sum(), 30.0)
        share = (votes * scores / scores.sum() + 0.1 / 3) / (votes + 0.1)

        def loss(
            powers: np.ndarray, share: np.ndarray = share, votes: float = votes, k: int = "abc".index(y)
        ) -> float:
            logits = powers[0] * np.log(share + 0.02) + powers[1] * votes * share
            return float(np.log(np.exp(logits).sum()) - logits[k])

        before, step = learner.state.sharpness.copy(), 1e-4 * np.eye(2)
        at = before[:2]
        slope = [(loss(at + h) - loss(at - h)) / 2e-4 for h in step]
        curvature = [
            [(loss(at + h + k) - loss(at + h - k) - loss(at - h + k) + loss(at - h - k)) / 4e-8 for k in step]
            for h in step
        ]
        kept = 0.998 * before[[2, 3, 3, 4]].reshape(2, 2) + curvature
        wanted = np.clip(at - np.linalg.solve(kept + np.diag([2.0, 0.3]), slope), 0, 20)
        learner.learn_one(x, y)
        np.testing.assert_allclose(learner.state.sharpness[:2], wanted, rtol=1e-4)
        np.testing.assert_allclose(
            learner.state.sharpness[2:5], kept.ravel()[[0, 1, 3]], rtol=1e-4, atol=1e-5
        )


def test_the_scale_of_the_weights_does_not_matter() -> None:
    rng = np.random.default_rng(0)
    pairs = [(int(a), int(b)) for a, b in rng.integers(0, 40, size=(80, 2)) if a < b]
    pairs = sorted(set(pairs))
    weights = rng.random(len(pairs)) + 0.1
    small = ohm.Graph.from_edges([(a, b, w) for (a, b), w in zip(pairs, weights, strict=True)])
    large = ohm.Graph.from_edges([(a, b, 1024 * w) for (a, b), w in zip(pairs, weights, strict=True)])
    nodes = rng.permutation(np.array(small.nodes))
    stream = ohm.Stream(nodes, rng.integers(0, 3, size=small.n))
    one, other = (ohm.play(ohm.LocalLGC(g), stream) for g in (small, large))
    np.testing.assert_allclose(one.margin, other.margin, atol=1e-12)


@pytest.mark.parametrize("name", ["ridge", "mu", "tolerance", "unit"])
@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf"), "much"])
def test_numbers_must_be_positive(name: str, value: Any) -> None:
    with pytest.raises(ParameterError, match=name):
        ohm.LocalLGC(ohm.Graph.from_edges([(0, 1)]), **{name: value})


def test_bad_settings() -> None:
    graph = ohm.Graph.from_edges([(0, 1)])
    with pytest.raises(ParameterError, match="caution"):
        ohm.LocalLGC(graph, caution=-1)
    with pytest.raises(LabelError, match="empty"):
        ohm.LocalLGC(graph, classes=[])
    with pytest.raises(LabelError, match="twice"):
        ohm.LocalLGC(graph, classes=["a", "a"])
    with pytest.raises(LabelError, match="hashable"):
        ohm.LocalLGC(graph, classes=[["a"]])


def test_bad_calls_change_nothing() -> None:
    graph = ohm.Graph.from_edges([("a", "b"), ("b", "c")])
    fixed, free = ohm.LocalLGC(graph, classes=["x", "y"]), ohm.LocalLGC(graph)
    for learner in (fixed, free):
        learner.learn_one("a", "x")
        before = learner.snapshot()
        with pytest.raises(UnknownNode, match="'z'"):
            learner.learn_one("z", "new")
        with pytest.raises(UnknownNode):
            learner.forget_one("z")
        with pytest.raises(UnknownNode):
            learner.certain_one("z")
        with pytest.raises(LearnerError, match="no label"):
            learner.forget_one("b")
        with pytest.raises(ParameterError, match="tolerance"):
            learner.certain_one("a", tolerance=0)
        with pytest.raises(ParameterError, match="tolerance"):
            learner.refine(0)
        with pytest.raises(LabelError, match="hashable"):
            learner.learn_one("b", ["x"])
        with pytest.raises(UnknownNode):
            ohm.play(learner, ohm.Stream(["b", "z"], ["x", "y"]))
        after = learner.snapshot()
        assert before.keys() == after.keys()
        assert all(np.array_equal(before[key], after[key]) for key in before)
    with pytest.raises(LabelError, match="declared classes"):
        fixed.learn_one("b", "w")
    with pytest.raises(LabelError, match="declared classes"):
        ohm.play(fixed, ohm.Stream(["b", "c"], ["x", "w"]))
    assert fixed.label_one("b") is None


@pytest.mark.parametrize("neighbours", [2, 4, 6, 12])
def test_mu_follows_the_number_of_neighbours_unless_it_is_given(neighbours: int) -> None:
    ring = ohm.Graph.from_edges(
        [(k, (k + d) % 40, 3.0) for k in range(40) for d in range(1, neighbours // 2 + 1)]
    )
    learner = ohm.LocalLGC(ring)
    assert learner.mu == pytest.approx(0.6 * min(1.0, (5 / neighbours) ** 3), rel=1e-12)
    assert learner.mu == pytest.approx(usual_mu(ring), rel=1e-12)
    assert ohm.LocalLGC(ring, unit=7.0).mu == learner.mu
    assert "mu" not in repr(learner)
    given = ohm.LocalLGC(ring, mu=0.25)
    assert given.mu == 0.25
    assert "mu=0.25" in repr(given)
    before = learner.mu
    for k in range(10):
        learner.add_edge(k, k + 20, 3.0)
    assert learner.mu == before
    assert ohm.LocalLGC.restore(learner.snapshot(), ring).mu == before
    assert ohm.LocalLGC.restore(given.snapshot(), ring).mu == 0.25


def test_mu_is_bounded_on_graphs_of_any_density() -> None:
    bare, full = ohm.Graph.from_edges([], nodes=range(3)), nx.complete_graph(500)
    assert ohm.LocalLGC(bare).mu == 0.6
    assert ohm.LocalLGC(ohm.Graph.from_scipy(nx.to_scipy_sparse_array(full, dtype=float))).mu == 1e-6
