"""The certificate of LocalLGC against dense algebra, and against whoever tries to beat it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from ohmline.bound.local_lgc import LocalLGCBound, _live_loss, _play_again
from ohmline.errors import LearnerError


def random_graph(n: int, rng: np.random.Generator, *, pieces: int = 1) -> ohm.Graph:
    edges = []
    for k in range(1, n):
        if k % (n // pieces) or pieces == 1:
            edges.append(
                (int(rng.integers(k // (n // pieces) * (n // pieces), k)), k, float(rng.uniform(0.2, 3)))
            )
    for _ in range(n):
        a, b = rng.integers(0, n, 2).tolist()
        if a != b and pieces == 1:
            edges.append((a, b, float(rng.uniform(0.2, 3))))
    merged = {(min(a, b), max(a, b)): w for a, b, w in edges}
    return ohm.Graph.from_edges([(a, b, w) for (a, b), w in merged.items()], nodes=range(n))


def test_the_identity() -> None:
    """The sum over trials of exact losses is the least loss in hindsight, and the proven variances are above v_t."""
    rng = np.random.default_rng(0)
    graph = random_graph(30, rng)
    truth = rng.integers(0, 3, 30)
    stream = ohm.Stream(range(30), truth.tolist()).shuffled(seed=1)
    trace = ohm.play(ohm.LocalLGC(graph), stream)
    learner = trace.learner
    precision = graph.laplacian().toarray() / learner.unit + learner.ridge * np.eye(30)
    covariance, f, total, v = np.linalg.inv(precision), np.zeros((30, 3)), 0.0, []
    for node in trace.nodes:
        t = int(node)
        v.append(covariance[t, t])
        gap = np.eye(3)[truth[t]] - f[t]
        total += gap @ gap * learner.mu / (learner.mu + v[-1])
        column = covariance[:, t].copy()
        f += np.outer(column / (learner.mu + v[-1]), gap)
        covariance -= np.outer(column, column / (learner.mu + v[-1]))
    positions = learner.nodes.positions(trace.nodes)
    labels = list(trace.labels)
    assert _live_loss(learner, positions, labels) == pytest.approx(total, rel=1e-6)
    again = _play_again(trace, learner, np.arange(30), positions, labels)
    assert (again.variance >= np.array(v) - 1e-12).all()
    assert again.settled.mean() > 0.5


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    ridge=st.sampled_from([1e-3, 0.1, 1.0]),
    mu=st.sampled_from([0.01, 0.6, 5.0]),
    pieces=st.sampled_from([1, 3]),
    share=st.sampled_from([0.3, 1.0]),
)
def test_never_beaten(seed: int, ridge: float, mu: float, pieces: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    graph = random_graph(24, rng, pieces=pieces)
    truth = rng.integers(0, 3, 24) if seed % 2 else np.repeat([0, 1], 12)
    order = rng.permutation(24)
    stream = ohm.Stream(order.tolist(), truth[order].tolist())
    trace = ohm.play(ohm.LocalLGC(graph, ridge=ridge, mu=mu), stream, query=ohm.RandomRate(share))
    for comparator in (None, truth.tolist()):
        certificate = LocalLGCBound().certify(trace, comparator)
        assert certificate.proven
        assert certificate.charged <= certificate.value
        assert certificate.hidden == 24 - trace.asked


def test_against_an_adversary() -> None:
    """Whoever answers with a class that is not predicted pays for it in the loss."""
    rng = np.random.default_rng(4)
    graph = random_graph(25, rng)
    probe = ohm.LocalLGC(graph, ["a", "b"])
    labels = {}
    for node in rng.permutation(25).tolist():
        labels[node] = "a" if probe.predict_one(node) != "a" else "b"
        probe.learn_one(node, labels[node])
    trace = ohm.play(ohm.LocalLGC(graph, ["a", "b"]), ohm.Stream(list(labels), list(labels.values())))
    assert trace.mistakes == 25
    assert LocalLGCBound().certify(trace).value >= 25


def test_it_says_something_where_classes_are_clear() -> None:
    rng = np.random.default_rng(0)
    edges = {
        (int(a), int(b)) for half in (0, 100) for a, b in np.sort(rng.integers(half, half + 100, (700, 2)))
    }
    graph = ohm.Graph.from_edges([e for e in edges if e[0] != e[1]] + [(0, 199)])
    truth = {k: "left" if k < 100 else "right" for k in graph.nodes}
    stream = ohm.Stream(list(truth), list(truth.values())).shuffled(seed=0)
    trace = ohm.play(ohm.LocalLGC(graph, ridge=0.001, mu=0.1), stream)
    live = LocalLGCBound().certify(trace)
    known = LocalLGCBound().certify(trace, truth)
    assert live.proven
    assert trace.mistakes <= live.value <= known.value < 40
    assert ohm.bound.best_bound(trace).value <= live.value


def test_what_it_is_not_about() -> None:
    graph = random_graph(12, np.random.default_rng(1))
    stream = ohm.Stream([0, 1, 0], ["a", "b", "b"])
    certificate = LocalLGCBound().certify(ohm.play(ohm.LocalLGC(graph), stream))
    assert not certificate.valid
    same = LocalLGCBound().certify(ohm.play(ohm.LocalLGC(graph), ohm.Stream([0, 1, 0], ["a", "b", "a"])))
    assert same.valid
    assert same.terms["open trials"] >= 1
    with pytest.raises(LearnerError, match="SharedLGC"):
        LocalLGCBound().certify(ohm.play(ohm.SharedLGC(ohm.SpectralKernel(graph, 3)), stream))
    none = LocalLGCBound().certify(ohm.play(ohm.LocalLGC(graph), ohm.Stream([], [])))
    assert none.value == 0
