"""LocalLGC on signed graphs against dense algebra: scores, proofs, changes, journeys, the bound."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from graphs import games
from ohmline.bound import LocalLGCBound
from ohmline.check import Subject
from ohmline.errors import ParameterError

EXACT: dict[str, Any] = {"tolerance": 1e-13, "caution": float("inf")}
MU = 0.6


def wild(seed: int, n: int = 14, spread: float = 1.0) -> ohm.Graph:
    """A random signed graph whose weights span powers of ten, with an isolated node."""
    rng = np.random.default_rng(seed)
    u, v = np.triu_indices(n, 1)
    keep = rng.random(len(u)) < 3.2 / n
    sizes = 10.0 ** rng.uniform(-spread, spread, keep.sum())
    weights = np.where(rng.random(keep.sum()) < 0.5, -sizes, sizes)
    return ohm.Graph.from_columns(u[keep], v[keep], weights, nodes=range(n + 1), signed=True)


def dense(learner: ohm.LocalLGC, graph: ohm.Graph | None = None) -> tuple[Any, Any]:
    """Q^-1 and f = Q^-1 b, written as they are read."""
    graph = learner.graph if graph is None else graph
    q = graph.laplacian().toarray() / learner.unit + learner.ridge * np.eye(graph.n)
    b = np.zeros((graph.n, len(learner.classes)))
    for i, node in enumerate(graph.nodes):
        label = learner.label_one(node)
        if label is not None:
            q[i, i] += 1 / learner.mu
            b[i, learner.classes.index(label)] = 1 / learner.mu
    inverse = np.linalg.inv(q)
    return inverse, inverse @ b


def taught(graph: ohm.Graph, seed: int, labels: int = 5, **options: Any) -> ohm.LocalLGC:
    rng = np.random.default_rng(seed)
    learner = ohm.LocalLGC(graph, ["a", "b", "c"], mu=MU, **options)
    for i in rng.permutation(graph.n - 1)[:labels].tolist():
        learner.learn_one(i, "abc"[int(rng.integers(3))])
    return learner


@pytest.mark.parametrize("spread", [0.0, 1.0, 5.0])
def test_scores_and_variances_are_those_of_dense_solves(spread: float) -> None:
    for seed in range(8):
        graph = wild(seed, spread=spread)
        learner, own = taught(graph, seed, **EXACT), taught(graph, seed, reach=False, **EXACT)
        inverse, f = dense(learner)
        told = np.array([list(learner.scores_one(node).values()) for node in graph.nodes])
        np.testing.assert_allclose(told, f, atol=1e-9)
        assert (np.abs(f) <= 1 + 1e-12).all()
        met = np.flatnonzero(learner.state.counts)
        for t in range(graph.n):
            order = np.sort(f[t, met])[::-1]
            if order[0] - order[1] > 1e-8:
                assert learner.predict_one(t) == learner.classes[met[f[t, met].argmax()]]
            x = inverse[:, t]
            apart = sum(abs(x[j]) for j in range(graph.n) if j != t and learner.label_one(j) is None)
            if learner.label_one(t) is None:
                assert learner.variance_one(t) == pytest.approx(apart**2 / (MU + x[t]), rel=1e-6, abs=1e-9)
            assert own.variance_one(t) == pytest.approx(x[t] / (MU + x[t]), rel=1e-9)


def test_what_is_proven_is_true_at_every_tolerance() -> None:
    proven = 0
    for seed in range(12):
        graph = wild(seed, n=30, spread=0.5)
        learner = taught(graph, seed, labels=12)
        inverse, f = dense(learner)
        for t in range(graph.n):
            for tolerance in (0.3, 1e-2, 1e-6):
                found = learner.certain_one(t, tolerance=tolerance)
                assert found.variance <= inverse[t, t] * (1 + 1e-9)
                assert found.variance_at_most >= inverse[t, t] * (1 - 1e-9)
                if found.certain:
                    ranked = np.sort(f[t])[::-1]
                    assert found.prediction == learner.classes[int(f[t].argmax())]
                    assert 0 < found.lead <= ranked[0] - ranked[1] + 1e-9
                    proven += 1
    assert proven > 300


def test_two_classes_are_plus_and_minus_one() -> None:
    graph = wild(3, n=40)
    rng = np.random.default_rng(0)
    signs = {i: int(rng.choice([-1, 1])) for i in rng.permutation(40)[:12].tolist()}
    learner = ohm.LocalLGC(graph, [-1, 1], **EXACT)
    for node, sign in signs.items():
        learner.learn_one(node, sign)
    q = graph.laplacian().toarray() / learner.unit + learner.ridge * np.eye(graph.n)
    b = np.zeros(graph.n)
    for node, sign in signs.items():
        q[node, node] += 1 / learner.mu
        b[node] = sign / learner.mu
    lead = np.linalg.solve(q, b)
    for t in range(graph.n):
        scores = learner.scores_one(t)
        assert scores[1] - scores[-1] == pytest.approx(lead[t], abs=1e-9)
        if abs(lead[t]) > 1e-8:
            assert learner.predict_one(t) == np.sign(lead[t])


def test_foes_and_ties_in_words() -> None:
    graph = ohm.Graph.from_edges(
        [("a", "b", -1.0), ("c", "d", 1.0), ("c", "e", -1.0), ("f", "e", 1.0), ("f", "d", 1.0)],
        nodes="abcdefz",
        signed=True,
    )
    learner = ohm.LocalLGC(graph)
    learner.learn_one("a", "red")
    assert learner.scores_one("b")["red"] < 0
    assert learner.predict_one("b") is None  # not red, and nothing else is known
    assert learner.predict_proba_one("b") == {}
    learner.learn_one("c", "blue")
    assert learner.predict_one("b") == "blue"
    assert learner.predict_one("d") == "blue"
    assert learner.predict_one("e") == "red"
    assert learner.predict_one("z") is None
    # f hears blue from d and as much of the contrary from e
    assert abs(learner.scores_one("f")["blue"]) < 1e-3
    told = learner.predict_proba_one("e")
    assert told["red"] > told["blue"]
    assert sum(told.values()) == pytest.approx(1)
    table = learner.predict_many()
    assert table.to_dict()["e"] == "red"
    assert "z" not in table.to_dict()


def test_the_whole_table_agrees_with_dense_algebra_and_proves_only_what_is_true() -> None:
    rng = np.random.default_rng(7)
    n = 900
    ends = rng.integers(n, size=(3 * n, 2))
    ends = ends[ends[:, 0] != ends[:, 1]]
    graph = ohm.Graph.from_columns(
        ends[:, 0],
        ends[:, 1],
        rng.choice([-1.0, 1.0, 2.0], len(ends)),
        nodes=range(n),
        signed=True,
        parallel="sum",
    )
    learner = ohm.LocalLGC(graph, [0, 1, 2])
    for i in range(250):
        learner.learn_one(i, int(rng.integers(3)))
    _, f = dense(learner)
    learner.refine(1e-10)
    np.testing.assert_allclose(learner.state.estimate, f, atol=1e-9)
    table = learner.predict_many()
    for row, t in zip(table.certain.tolist(), range(n), strict=True):
        if row:
            assert table.predictions[t] == int(f[t].argmax())
    assert table.certain.mean() > 0.5
    chances = np.array(table.probabilities)
    np.testing.assert_allclose(chances[table.known].sum(axis=1), 1)
    np.testing.assert_array_equal(np.isnan(chances).any(axis=1), ~table.known)
    lonely = graph.degree == 0
    np.testing.assert_array_equal(table.known[~lonely], True)
    said = [max(learner.predict_proba_one(t).items(), key=lambda kv: kv[1])[0] for t in range(20)]
    assert said == [learner.predict_one(t) for t in range(20)]


def test_labels_and_edges_may_come_and_go() -> None:
    graph = wild(5, n=20, spread=0.3)
    learner = taught(graph, 5, labels=8, tolerance=1e-9)
    known = [i for i in range(20) if learner.label_one(i) is not None]
    learner.learn_one(known[0], "c" if learner.label_one(known[0]) != "c" else "a")
    learner.forget_one(known[1])
    learner.add_node("new")
    edges = {(0, "new"): -2.0, ("new", 20): 1.0, (20, 3): -0.5}
    for (u, v), weight in edges.items():
        learner.add_edge(u, v, weight)
    s, t, w = _edges(graph)
    grown = ohm.Graph.from_edges(
        [*zip(s, t, w, strict=True), *((u, v, x) for (u, v), x in edges.items())],
        nodes=[*range(21), "new"],
        signed=True,
    )
    _, f = dense(learner, grown)
    told = np.array([list(learner.scores_one(node).values()) for node in grown.nodes])
    np.testing.assert_allclose(told, f, atol=1e-8)
    back = ohm.LocalLGC.restore(learner.snapshot(), graph)
    assert [back.predict_one(i) for i in grown.nodes] == [learner.predict_one(i) for i in grown.nodes]
    assert (back.state.estimate[:22] < 0).any()
    for bad in (0.0, float("nan"), 1e300):
        with pytest.raises(ParameterError):
            learner.add_edge(0, 20, bad)


def _edges(graph: ohm.Graph) -> tuple[list[int], list[int], list[float]]:
    rows = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    once = rows < graph.indices
    return rows[once].tolist(), graph.indices[once].tolist(), graph.weights[once].tolist()


def test_the_bound_holds_and_its_loss_is_the_telescoped_one() -> None:
    for seed in range(4):
        graph = wild(seed, n=24, spread=0.3)
        rng = np.random.default_rng(seed)
        stream = ohm.Stream(rng.permutation(graph.n).tolist(), rng.choice(list("abc"), graph.n).tolist())
        learner = ohm.LocalLGC(graph, mu=MU, **EXACT)
        fresh = ohm.LocalLGC(graph, ["a", "b", "c"], mu=MU, **EXACT)
        loss = 0.0
        for node, label in stream:
            inverse, f = dense(fresh)
            wish = np.array([float(label == c) for c in fresh.classes])
            loss += ((wish - f[node]) ** 2).sum() * MU / (MU + inverse[node, node])
            fresh.learn_one(node, label)
        trace = ohm.play(learner, stream)
        live = LocalLGCBound().certify(trace)
        assert live.terms["loss"] == pytest.approx(loss, rel=1e-6)
        assert live.proven
        assert not live.beaten
        truth = dict(zip(stream.nodes, stream.labels, strict=True))
        given = LocalLGCBound().certify(trace, truth)
        assert given.terms["loss"] >= loss * (1 - 1e-9)
        one_hot = np.array([[float(truth[i] == c) for c in "abc"] for i in range(graph.n)])
        penalty = graph.laplacian().toarray() / learner.unit + learner.ridge * np.eye(graph.n)
        assert given.terms["loss"] == pytest.approx(MU * np.trace(one_hot.T @ penalty @ one_hot))


@settings(max_examples=15)
@given(game=games(classes=3, named=True), seed=st.integers(0, 1000), exact=st.booleans())
def test_the_laws_hold_with_signs(game: Any, seed: int, exact: bool) -> None:
    graph, stream, _ = game
    s, t, w = _edges(graph)
    flips = np.random.default_rng(seed).choice([-1.0, 1.0], len(w))
    names = list(graph.nodes)
    edges = [(names[a], names[b], x * f) for a, b, x, f in zip(s, t, w, flips, strict=True)]
    signed = ohm.Graph.from_edges(edges, nodes=names, signed=True)
    options: Any = {"tolerance": 1e-12, "caution": 1e12} if exact else {}
    subject = Subject(
        make=lambda g: ohm.LocalLGC(g, **options),
        restore=lambda state, g: ohm.LocalLGC.restore(state, g),
        bound=LocalLGCBound if exact else None,
        equivariant=exact,
    )
    ohm.check.learner(subject, signed, stream.label_rate(0.9), query=ohm.GapBelow(0.5))


def test_signs_help_where_they_are_known() -> None:
    """Two camps, most edges between them negative: with signs hardly any mistake, without them half are."""
    rng = np.random.default_rng(11)
    camp = rng.integers(2, size=200)
    ends = rng.integers(200, size=(900, 2))
    ends = ends[ends[:, 0] != ends[:, 1]]
    signs = np.where(camp[ends[:, 0]] == camp[ends[:, 1]], 1.0, -1.0)
    graph = ohm.Graph.from_columns(*ends.T, signs, nodes=range(200), signed=True, parallel="sum")
    blind = ohm.Graph.from_columns(*ends.T, nodes=range(200), parallel="sum")
    stream = ohm.Stream(range(200), camp.tolist()).shuffled(seed=0)
    with_signs = ohm.play(ohm.LocalLGC(graph), stream).mistakes
    assert with_signs <= 6
    assert ohm.play(ohm.LocalLGC(blind), stream).mistakes > 60
    trace = ohm.play(ohm.LocalLGC(graph), stream, ohm.GapBelow())
    assert trace.asked < 200
    assert ohm.fit(graph, {0: "x", 1: "y"}).predict_one(0) == "x"


def test_a_class_whose_labels_are_all_gone_is_never_said() -> None:
    """Its score is 0, which is more than the scores below 0 of those that have labels."""
    edges = [(0, 1, -1.0), (2, 3, 1.0), (1, 4, 1.0), (5, 6, 1.0), (6, 1, -0.5)]
    graph = ohm.Graph.from_edges(edges, signed=True)
    learner, never = ohm.LocalLGC(graph), ohm.LocalLGC(graph)
    learner.learn_one(0, "a")
    learner.learn_one(2, "gone")
    assert learner.predict_one(1) == "gone"
    table = learner.predict_many()
    learner.learn_one(2, "a")
    for node, label in [(0, "a"), (2, "a")]:
        never.learn_one(node, label)
    assert "gone" in table.predictions
    assert len(table.certain) == graph.n  # proven for the labels of that moment
    for label in (None, "b"):
        if label is not None:
            for twin in (learner, never):
                twin.learn_one(3, label)
        said = [learner.predict_one(node) for node in graph.nodes]
        assert said == [never.predict_one(node) for node in graph.nodes]
        assert said == learner.predict_many().predictions
        for levelled in (False, True):
            exact = learner.exact_many().predictions(levelled=levelled)
            assert exact == never.exact_many().predictions(levelled=levelled)
            assert "gone" not in exact
        for node, y in zip(graph.nodes, said, strict=True):
            chances = learner.predict_proba_one(node)
            assert not chances if y is None else chances[y] == max(chances.values())
    assert None in [never.predict_one(node) for node in [5, 6]] or "b" in said
