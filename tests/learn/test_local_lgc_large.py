"""LocalLGC as it is on large graphs: swept, in single precision, over the graph's own arrays."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from numba import njit

import ohmline as ohm
from graphs import games
from ohmline.errors import ParameterError
from ohmline.learn.local_lgc.local_solve import MOST_EDGES
from ohmline.learn.local_lgc.sweeps import MANY, is_time, sweep_all

RIDGE = 0.1


@njit
def time_and_sweep(space: Any, state: Any, sweep: bool) -> bool:
    due = is_time(space, state)
    if sweep:
        sweep_all(space, state)
    return due


def system(learner: ohm.LocalLGC, graph: ohm.Graph) -> tuple[Any, Any]:
    """Q and b, dense."""
    q = graph.laplacian().toarray() / (graph.weights.mean() if len(graph.weights) else 1.0) + RIDGE * np.eye(
        graph.n
    )
    b = np.zeros((graph.n, len(learner.classes)))
    for i in np.flatnonzero(learner.state.label[: graph.n] >= 0):
        q[i, i] += 1 / learner.mu
        b[i, learner.state.label[i]] = 1 / learner.mu
    return q, b


def block_graph(n: int, seed: int) -> tuple[ohm.Graph, Any]:
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=n)
    ends = rng.integers(n, size=(8 * n, 2))
    kept = (labels[ends[:, 0]] == labels[ends[:, 1]]) | (rng.random(8 * n) < 0.1)
    kept &= ends[:, 0] < ends[:, 1]
    return ohm.Graph.from_edges(np.unique(ends[kept], axis=0), nodes=range(n)), labels


@settings(max_examples=15)
@given(games(classes=3, repeats=False))
def test_sweeps_are_gauss_seidel_forth_and_back(game: tuple[ohm.Graph, ohm.Stream, Any]) -> None:
    graph, stream, _ = game
    learner = ohm.LocalLGC(graph, classes=stream.classes, sweeps=2)
    for done, (x, y) in enumerate(stream):
        assert time_and_sweep(learner.space, learner.state, False) == (done in (1, 2, 4, 8, 16, 32, 64))
        learner.learn_one(x, y)
    q, b = system(learner, graph)
    literal = learner.state.estimate.copy()
    for j in [*range(graph.n), *reversed(range(graph.n))]:
        literal[j] = (b[j] - q[j] @ literal + q[j, j] * literal[j]) / q[j, j]
    time_and_sweep(learner.space, learner.state, True)
    np.testing.assert_allclose(learner.state.estimate, literal, atol=1e-12)
    assert learner.state.stale.all()


@pytest.mark.slow
@pytest.mark.parametrize("sweeps", [0, 2])
def test_two_classes_are_summed_as_many_are(sweeps: int) -> None:
    """A third class that nobody has changes no bit: sums of two classes are taken in another way, and are the same."""
    graph, labels = block_graph(400, 3)
    stream = ohm.Stream(range(400), (labels > 0).astype(int)).shuffled(seed=0)
    two = ohm.LocalLGC(graph, [0, 1], sweeps=sweeps)
    three = ohm.LocalLGC(graph, [0, 1, 2], sweeps=sweeps)
    ours, theirs = ohm.play(two, stream), ohm.play(three, stream)
    assert ours.predictions == theirs.predictions
    assert 0 < ours.mistakes < 200
    np.testing.assert_array_equal(ours.margin, theirs.margin)
    np.testing.assert_array_equal(two.state.estimate, three.state.estimate[:, :2])


def test_single_precision_proves_nothing_that_is_wrong() -> None:
    """A graph so large that F is in single precision, most of whose nodes are isolated: the others are checked."""
    part, labels = block_graph(300, seed=0)
    graph = ohm.Graph.from_edges(np.column_stack(part.edges()[:2]), nodes=range(MANY + 1))
    learner, loop = (ohm.LocalLGC(graph, [0, 1, 2], sweeps=2) for _ in range(2))
    assert learner.state.estimate.dtype == np.float32
    places = [*range(40), *range(300, 300 + MANY // 160)]  # enough of them that it is swept on the way
    said = [int(labels[x]) if x < 300 else 0 for x in places]
    learner.learn_many(places, said)
    for x, y in zip(places, said, strict=True):
        loop.learn_one(x, y)
    assert same(learner, loop)
    learner.learn_many(range(40, 60), labels[40:60].tolist())
    twin = ohm.LocalLGC.restore(learner.snapshot(), graph)
    assert same(learner, twin)
    q, b = system(learner, part)
    inverse = np.linalg.inv(q)
    exact = inverse @ b
    double = ohm.LocalLGC(part, [0, 1, 2], mu=learner.mu, tolerance=learner.tolerance)
    double.learn_many(range(60), labels[:60].tolist())
    certain = 0
    for t in range(300):
        one = learner.certain_one(t)
        other = double.certain_one(t)
        if not other.certain:  # then the prediction is only the best score, which does rest on the estimate
            other = replace(other, prediction=one.prediction)
        assert one == other  # no proof does, so that its precision changes none
        assert one.variance - 1e-12 <= inverse[t, t] <= one.variance_at_most + 1e-12
        assert np.abs(list(learner.scores_one(t).values()) - exact[t]).max() <= 0.2
        if one.certain:
            certain += 1
            rest = np.delete(exact[t], one.prediction)
            assert exact[t, one.prediction] - rest.max() >= one.lead - 1e-12
    assert 0 < certain < 300
    table = learner.predict_many()
    proven = np.asarray(table.certain)[:300]
    assert proven.mean() > 0.5
    assert (exact.argmax(axis=1) == np.asarray(table.codes)[:300])[proven].all()
    learner.forget_one(0)
    q, b = system(learner, part)
    off = np.abs(learner.state.estimate[:300] - np.linalg.solve(q, b)).max()
    assert off <= 1e-3 + 1e-6 * q.diagonal().max() / RIDGE
    reached = learner.refine(1e-5)
    assert np.abs(learner.state.estimate[:300] - np.linalg.solve(q, b)).max() <= reached
    learner.add_node("new")
    learner.add_edge("new", 5)
    assert learner.label_one("new") is None


def same(one: ohm.LocalLGC, other: ohm.LocalLGC) -> bool:
    mine, others = one.snapshot(), other.snapshot()
    return mine.keys() == others.keys() and all(mine[key].tobytes() == others[key].tobytes() for key in mine)


def test_many_labels_are_the_loop_and_a_snapshot_is_invisible() -> None:
    graph, labels = block_graph(500, seed=1)
    loop, many = (ohm.LocalLGC(graph, [0, 1, 2], sweeps=2) for _ in range(2))
    for x in range(100):
        loop.learn_one(x, int(labels[x]))
    many.learn_many(range(60), labels[:60].tolist())
    twin = ohm.LocalLGC.restore(many.snapshot(), graph)
    many.learn_many(range(60, 100), labels[60:100].tolist())
    for x in range(60, 100):
        twin.learn_one(x, int(labels[x]))
    assert same(loop, many)
    assert same(loop, twin)
    without = ohm.LocalLGC(graph, [0, 1, 2], tolerance=1e-3)
    without.learn_many(range(100), labels[:100].tolist())
    assert not np.array_equal(without.state.estimate, loop.state.estimate)


def test_the_arrays_of_the_graph_are_not_copied_until_it_grows() -> None:
    graph, labels = block_graph(300, seed=2)
    learner = ohm.LocalLGC(graph)
    learner.learn_many(range(30), labels[:30].tolist())
    for mine, its in ((learner.space.neighbour, graph.indices), (learner.space.start, graph.indptr)):
        assert np.shares_memory(mine, its)
    assert len(learner.space.weight) == 1  # all weigh the same
    weighted = ohm.Graph.from_edges([(0, 1, 2.0), (1, 2, 3.0)])
    assert np.shares_memory(ohm.LocalLGC(weighted, unit=1.0).space.weight, weighted.weights)
    before = graph.indices.copy()
    learner.add_node("new")
    learner.add_edge("new", 0, 2.0)
    assert not np.shares_memory(learner.space.neighbour, graph.indices)
    assert not learner.space.neighbour.flags.writeable
    np.testing.assert_array_equal(graph.indices, before)


@pytest.mark.parametrize("grow", [0, 1, 2])
def test_copies_read_the_graph_as_the_learner_does(grow: int) -> None:
    """Arrays that can be written to would be another type to compiled code, which would be compiled once more."""
    graph = ohm.Graph.from_edges([(k, (k + 1) % 20, 1.0 + k % 3) for k in range(20)])
    learner = ohm.LocalLGC(graph)
    learner.learn_many(range(0, 20, 4), list("ababa"))
    if grow > 0:
        learner.add_node("new")
    if grow > 1:
        learner.add_edge("new", 3, 2.0)
    for twin in (copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))):
        for name in ("start", "stop", "neighbour", "weight"):
            mine, its = getattr(learner.space, name), getattr(twin.space, name)
            np.testing.assert_array_equal(its, mine)
            assert (its.dtype, its.flags.writeable) == (mine.dtype, False)
        assert [twin.view_one(x) for x in twin.nodes] == [learner.view_one(x) for x in learner.nodes]
        twin.add_node("other")
        twin.add_edge("other", 5)
        twin.learn_one("other", "b")
    assert "other" not in learner.nodes


def test_a_prediction_walks_so_many_edges_at_most() -> None:
    graph, labels = block_graph(3000, seed=3)
    learner = ohm.LocalLGC(graph)
    learner.learn_many(range(6), labels[:6].tolist())
    walked = []
    for x in range(100, 160):
        learner.view_one(x)
        walked.append(int(learner.state.solve.found[0]["edges"]) - int(learner.space.size[x]))
    assert MOST_EDGES - int(learner.space.size.max()) < max(walked) <= MOST_EDGES
    exact = ohm.LocalLGC(graph, caution=float("inf"))
    exact.learn_many(range(6), labels[:6].tolist())
    exact.view_one(100)
    assert exact.state.solve.found[0]["edges"] > MOST_EDGES


def test_defaults_follow_the_size_of_the_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    small = ohm.LocalLGC(ohm.Graph.from_edges([(0, 1)]))
    assert (small.sweeps, small.tolerance, small.state.estimate.dtype) == (0, 3e-4, np.float64)
    large = ohm.LocalLGC(ohm.Graph.from_edges([(0, 1)], nodes=range(MANY + 1)))
    assert (large.sweeps, large.tolerance, large.state.estimate.dtype) == (2, 1e-3, np.float32)
    monkeypatch.setenv("OHMLINE_MEMORY", "0.01")
    with pytest.raises(ParameterError, match="OHMLINE_MEMORY"):
        ohm.LocalLGC(large.graph)
    for bad in (-1, True, 1.5, "2"):
        with pytest.raises(ParameterError, match="sweeps"):
            ohm.LocalLGC(small.graph, sweeps=bad)  # type: ignore[arg-type]


def test_a_snapshot_from_before_sweeps_is_one_without_them() -> None:
    graph, labels = block_graph(60, seed=4)
    learner = ohm.LocalLGC(graph)
    learner.learn_many(range(10), labels[:10].tolist())
    saved = learner.snapshot()
    del saved["sweeps"]
    twin = ohm.LocalLGC.restore(saved, graph)
    assert twin.sweeps == 0
    assert [twin.view_one(x) for x in range(60)] == [learner.view_one(x) for x in range(60)]
