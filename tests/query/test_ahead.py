"""GapAhead: literal oracles of what it is told, and streams where nodes come again."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from graphs import games
from ohmline.errors import ParameterError, ShapeError
from ohmline.game.coming import Came, Coming, note_shown_at, weight_again_of
from ohmline.learn import View


def exact(graph: ohm.Graph, **options: Any) -> ohm.LocalLGC:
    """A learner whose solves go on until nothing is left."""
    return ohm.LocalLGC(graph, tolerance=1e-13, caution=float("inf"), mu=0.6, **options)


def columns(graph: ohm.Graph, labelled: list[int]) -> np.ndarray:
    """Q^-1, densely."""
    w = graph.adjacency.toarray() / (1.0 if graph.is_unweighted else np.mean(graph.weights))
    q = np.diag(w.sum(axis=1)) - w + 0.1 * np.eye(graph.n)
    q[labelled, labelled] += 1 / 0.6
    return np.linalg.inv(q)


def part(graph: ohm.Graph, t: int, labels: dict[int, Any], shown: np.ndarray, again: float) -> float:
    """The part of a column of Q^-1 at nodes to come, each as far as it is undecided, one node after the other."""
    labelled = sorted(labels)
    inverse, coming, every = columns(graph, labelled), 0.0, 0.0
    x = inverse[t]
    for j in range(graph.n):
        if j != t and j not in labelled:
            every += x[j]
            scores = [
                sum(inverse[j, i] / 0.6 for i, y in labels.items() if y == c) for c in set(labels.values())
            ]
            first, second = sorted([*scores, 0.0, 0.0])[:-3:-1]
            coming += x[j] * (second + 0.03) / (first + 0.03) * (again if shown[j] else 1.0)
    return coming / every if every > 1e-15 else 0.0


@settings(max_examples=25)
@given(data=st.data(), again=st.floats(0, 1), seed=st.integers(0, 1000))
def test_the_part_to_come_is_that_of_a_column_of_the_inverse(
    data: st.DataObject, again: float, seed: int
) -> None:
    graph, stream, _ = data.draw(games(classes=3))
    rng = np.random.default_rng(seed)
    learner, labels = exact(graph), {}
    for x, y in list(zip(stream.nodes, stream.labels, strict=True))[:4]:
        learner.learn_one(x, y)
        labels[graph.nodes.position(x)] = y
    shown = rng.random(graph.n) < 0.5
    for t in range(graph.n):
        found = learner.part_ahead(t, shown, again)
        assert found == pytest.approx(part(graph, t, labels, shown, again), abs=1e-8)


def literal(graph: ohm.Graph, stream: ohm.Stream, query: ohm.GapAhead) -> list[bool]:
    """The whole query over dense algebra: which labels it asks for."""
    learner, labels, asked_at, given_ = exact(graph), {}, [], set()
    shown, came, repeats = np.zeros(graph.n, bool), [], 0
    for x, y in zip(stream.nodes, stream.labels, strict=True):
        t = graph.nodes.position(x)
        old = sum(k in came[:a] for a, k in enumerate(came))
        share = [len(set(came[:a])) / graph.n for a in range(len(came))]
        again = 0.0
        if old and sum(share):
            fresh = sum(1 - s for s in share)
            again = min(1.0, (old / sum(share)) / ((len(came) - old) / fresh))
        v = learner.variance_one(x) * part(graph, t, labels, shown, again) ** 2
        gap = learner.view_one(x).margin
        asked = repeats < query.repeats or gap < query.c * v
        asked_at.append(asked)
        if asked:
            learner.learn_one(x, y)
            labels[t] = y
            repeats = repeats + 1 if y in given_ else 0
            given_.add(y)
        shown[t] = True
        came.append(t)
    return asked_at


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_a_game_asks_as_the_literal_query_does(seed: int, times: int) -> None:
    moons = ohm.graph.generate.two_moons(40, noise=0.2, seed=seed)
    graph = ohm.graph.knn(moons.points, 4)
    stream = ohm.Stream(graph.nodes, moons.labels).shuffled(seed=seed).repeated(times)
    query = ohm.GapAhead(1.0, repeats=2)
    wanted = literal(graph, stream, query)
    assert 3 < sum(wanted) < len(wanted)
    for compiled in (True, False):
        assert ohm.play(exact(graph), stream, query, compiled=compiled).asked_at.tolist() == wanted


@pytest.mark.parametrize("query", [ohm.GapAhead(0.02), ohm.Budget(ohm.GapAhead(0.5), labels=30)], ids=repr)
def test_all_drivers_agree_to_the_last_bit(query: Any) -> None:
    moons = ohm.graph.generate.two_moons(150, noise=0.2, seed=3)
    graph = ohm.graph.knn(moons.points, 6)
    stream = ohm.Stream(graph.nodes, moons.labels).shuffled(seed=1).repeated(2)
    truth = dict(zip(graph.nodes, moons.labels, strict=True))
    traces = [ohm.play(ohm.LocalLGC(graph), stream, query, compiled=compiled) for compiled in (True, False)]
    traces.append(ohm.play(ohm.LocalLGC(graph), list(stream.nodes), query, oracle=truth.get))
    for other in traces[1:]:
        np.testing.assert_array_equal(traces[0].asked_at, other.asked_at)
        np.testing.assert_array_equal(traces[0].variance, other.variance)
    assert 9 < traces[0].asked < len(stream)


def test_it_asks_less_often_the_less_is_to_come() -> None:
    moons = ohm.graph.generate.two_moons(200, noise=0.3, seed=0)
    graph = ohm.graph.knn(moons.points, 6)
    stream = ohm.Stream(graph.nodes, moons.labels).shuffled(seed=0)
    asked = ohm.play(ohm.LocalLGC(graph), stream, ohm.GapAhead(0.1)).asked_at
    assert asked[:100].sum() > 2 * asked[100:].sum()
    last = ohm.play(ohm.LocalLGC(graph), stream, ohm.GapAhead(1e9, repeats=0))
    assert last.asked_at[0]
    assert not last.asked_at[-1]  # what it would say is said too late, however large c is


def test_a_node_that_came_counts_as_often_as_such_nodes_come_again() -> None:
    n, rng = 400, np.random.default_rng(0)
    once, drawn, first_half = Came.none(n), Came.none(n), Came.none(n)
    for x in rng.permutation(n):
        note_shown_at(once, x)
        assert weight_again_of(once) == 0.0
    for x in rng.integers(n, size=3 * n):
        note_shown_at(drawn, x)
    assert 0.85 < weight_again_of(drawn) <= 1.0
    for x in rng.integers(n // 2, size=n):  # half of the nodes never come
        note_shown_at(first_half, x)
    assert weight_again_of(first_half) == 1.0
    for x in range(n):  # all of them once more
        note_shown_at(once, x)
    assert 0.2 < weight_again_of(once) < 1.0


def test_where_nodes_come_for_ever_it_goes_on_asking() -> None:
    moons = ohm.graph.generate.two_moons(60, noise=0.3, seed=2)
    graph = ohm.graph.knn(moons.points, 4)
    truth = dict(zip(graph.nodes, moons.labels, strict=True))
    where = iter(np.random.default_rng(1).integers(60, size=600).tolist())
    trace = ohm.play(
        ohm.LocalLGC(graph), map(graph.nodes.__getitem__, where), ohm.GapAhead(0.5), oracle=truth.get
    )
    assert trace.asked_at[120:].sum() > 0
    assert trace.mistakes < 100


def test_nodes_may_arrive_during_a_game() -> None:
    line = ohm.Graph.from_edges([(k, k + 1) for k in range(20)])
    learner = ohm.LocalLGC(line)

    def arriving() -> Any:
        yield from range(21)
        for k in itertools.count(21):
            learner.add_node(k)
            learner.add_edge(k, k - 1)
            yield k

    trace = ohm.play(learner, arriving(), ohm.GapAhead(), oracle=lambda k: k < 30, until=ohm.Until(trials=60))
    assert len(trace) == 60
    assert len(learner.nodes) == 60


def test_learners_that_cannot_tell_are_told_their_whole_variance() -> None:
    line = ohm.Graph.from_edges([(k, k + 1) for k in range(29)])
    kernel = ohm.SpectralKernel(line, rank=8)
    stream = ohm.Stream(range(30), [1] * 12 + [-1] * 18).shuffled(seed=0)
    for compiled in (True, False):
        trace = ohm.play(ohm.SharedLGC(kernel), stream, ohm.GapAhead(0.5), compiled=compiled)
        other = ohm.play(ohm.SharedLGC(kernel), stream, ohm.GapBelow(0.5), compiled=compiled)
        assert trace.variance[0] == other.variance[0] > 0
    coming = Coming(ohm.OneVsRest(lambda: ohm.Perceptron(ohm.LaplacianKernel(line))))
    assert coming.part(3) == 1.0
    coming.note(3)


@given(c=st.floats(0, 10), margin=st.floats(-3, 3), variance=st.floats(0, 2), trial=st.integers(1, 10**6))
def test_gap_ahead(c: float, margin: float, variance: float, trial: int) -> None:
    asked = ohm.GapAhead(c).wants(View(1, margin, variance), trial=trial)
    assert asked == (abs(margin) < c * variance)


def test_what_came_up_is_checked_before_it_reaches_compiled_code() -> None:
    learner = ohm.LocalLGC(ohm.Graph.from_edges([(0, 1), (1, 2)]))
    assert learner.part_ahead(0, [False, False, False], 0.0) == pytest.approx(1.0)
    assert ohm.Pounce(ohm.LaplacianKernel(learner.graph)).part_ahead(0, [True] * 3, 0.0) == 1.0
    with pytest.raises(ShapeError, match="came"):
        learner.part_ahead(0, [False, False], 0.0)
    with pytest.raises(ParameterError, match="again"):
        learner.part_ahead(0, [False] * 3, 2.0)
    with pytest.raises(ParameterError, match="place"):
        learner.part_ahead(3, [False] * 3, 0.0)


def test_a_budget_looks_ahead_as_its_query_does() -> None:
    assert ohm.Budget(ohm.GapAhead(), labels=3).looks_ahead
    assert not ohm.Budget(ohm.GapBelow(), labels=3).looks_ahead
