"""The perceptron against the box of paper 001, Figure 1, and in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from graphs import games, graphs
from ohmline.errors import LabelError, SnapshotError, UnknownNode


def oracle(matrix: np.ndarray, trials: list[tuple[int, int]]) -> tuple[list[float], list[bool]]:
    """Figure 1, literally: w = 0; on a mistake (or a tie) w += y v."""
    w = np.zeros(len(matrix))
    margins, updates = [], []
    for i, y in trials:
        margin = w[i]
        if abs(margin) <= 1e-9 * np.abs(matrix).max() * max(len(updates), 1):
            margin = 0.0
        wrong = margin * y <= 0
        if wrong:
            w = w + y * matrix[:, i]
        margins.append(margin)
        updates.append(wrong)
    return margins, updates


@given(games(), st.floats(0.05, 5), st.sampled_from([0.0, 0.5]))
def test_agrees_with_the_box_trial_by_trial(game, b: float, c: float) -> None:
    graph, stream, _ = game
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(b)
    if c:
        kernel = kernel + ohm.Ridge(c)
    matrix = np.array([kernel.column(k) for k in range(graph.n)])
    margins, updates = oracle(matrix, list(stream))
    trace = ohm.play(ohm.Perceptron(kernel), stream)
    np.testing.assert_allclose(trace.margin, margins, atol=1e-8)
    assert trace.updated.tolist() == updates
    assert trace.charged.tolist() == updates
    np.testing.assert_allclose(
        trace.progress, [matrix[i, i] if u else 0 for i, u in zip(stream.nodes, updates, strict=True)]
    )


@given(games(max_nodes=9), st.data())
def test_low_rank_agrees_with_its_dense_form(game, data: st.DataObject) -> None:
    graph, stream, _ = game
    kernel = ohm.SpectralKernel(graph, rank=data.draw(st.integers(1, graph.n)), shift=0.05)
    with_ridge = data.draw(st.booleans())
    summed = kernel + ohm.Constant(0.3) + ohm.Ridge(0.2) if with_ridge else kernel + ohm.Constant(0.3)
    matrix = np.array([summed.column(k) for k in range(graph.n)])
    margins, updates = oracle(matrix, list(stream))
    trace = ohm.play(ohm.Perceptron(summed), stream)
    np.testing.assert_allclose(trace.margin, margins, atol=1e-7 * max(1.0, np.abs(margins).max()))
    assert trace.updated.tolist() == updates


def rational_kernel(graph: ohm.Graph, b: Fraction) -> list[list[Fraction]]:
    """(L + J)^-1 - J + b blocks, with J = 11'/m per component, by Gauss-Jordan over the rationals."""
    n = graph.n
    sizes = np.bincount(graph.component_of)
    same = graph.component_of[:, None] == graph.component_of
    mean = [
        [Fraction(1, int(sizes[graph.component_of[i]])) if same[i, j] else Fraction(0) for j in range(n)]
        for i in range(n)
    ]
    laplacian = graph.laplacian().toarray()
    rows = [
        [Fraction(laplacian[i, j]) + mean[i][j] for j in range(n)] + [Fraction(int(i == j)) for j in range(n)]
        for i in range(n)
    ]
    for k in range(n):
        pivot = next(r for r in range(k, n) if rows[r][k] != 0)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [v / rows[k][k] for v in rows[k]]
        for r in range(n):
            if r != k and rows[r][k] != 0:
                rows[r] = [a - rows[r][k] * c for a, c in zip(rows[r], rows[k], strict=True)]
    return [[rows[i][n + j] - mean[i][j] + (b if same[i, j] else 0) for j in range(n)] for i in range(n)]


@settings(max_examples=200)
@given(games(max_nodes=7, weighted=False))
def test_mistakes_equal_those_in_exact_rationals(game) -> None:
    graph, stream, _ = game
    exact = rational_kernel(graph, Fraction(1, 2))
    w = [Fraction(0)] * graph.n
    wanted = []
    for i, y in stream:
        wrong = w[i] * y <= 0
        wanted.append(wrong)
        if wrong:
            w = [a + y * k for a, k in zip(w, exact[i], strict=True)]
    trace = ohm.play(ohm.Perceptron(ohm.LaplacianKernel(graph) + ohm.Constant(0.5)), stream)
    assert trace.updated.tolist() == wanted


def test_disconnected_triangles_need_a_bias_per_component() -> None:
    """Two triangles of one label each: one mistake in each, however long the game."""
    triangles = ohm.Graph.from_edges([(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)])
    stream = ohm.Stream(range(6), [1, 1, 1, -1, -1, -1]).repeated(100)
    trace = ohm.play(ohm.Perceptron(ohm.LaplacianKernel(triangles) + ohm.Constant(1.0)), stream.shuffled(0))
    assert trace.charged.sum() == 2


@given(graphs())
def test_a_tie_says_plus_one_and_is_charged(graph: ohm.Graph) -> None:
    learner = ohm.Perceptron(ohm.LaplacianKernel(graph) + ohm.Constant(1.0))
    assert learner.margin_one(0) == 0.0
    assert learner.predict_one(0) == 1
    update = learner.learn_one(0, 1)
    assert update.mistake is False
    assert update.updated
    assert update.progress == pytest.approx(learner.kernel.entry(0, 0))


def test_bad_labels_nodes_and_snapshots_change_nothing() -> None:
    graph = ohm.Graph.from_edges([("a", "b"), ("b", "c")])
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(1.0)
    learner = ohm.Perceptron(kernel)
    learner.learn_one("a", -1)
    before = learner.snapshot()
    for bad in (0, 2, "spam", True, 1.5, float("nan")):
        with pytest.raises(LabelError, match="not -1 or \\+1"):
            learner.learn_one("a", bad)
    with pytest.raises(UnknownNode, match="unknown node 'z'"):
        learner.learn_one("z", 1)
    with pytest.raises(UnknownNode):
        learner.predict_one("z")
    with pytest.raises(UnknownNode):
        ohm.play(learner, ohm.Stream(["b", "z"], [1, 1]))
    with pytest.raises(LabelError):
        ohm.play(learner, ohm.Stream(["b", "c"], [1, "ham"]))
    after = learner.snapshot()
    assert all(np.array_equal(before[key], after[key]) for key in before)
    small = ohm.LaplacianKernel(ohm.Graph.from_edges([(0, 1)])) + ohm.Constant(1.0)
    with pytest.raises(SnapshotError, match="snapshot is of 3 nodes, the kernel has 2"):
        ohm.Perceptron.restore(before, small)
    with pytest.raises(SnapshotError, match="NearestNeighbour"):
        ohm.Perceptron.restore(ohm.NearestNeighbour(graph).snapshot(), kernel)
    with pytest.raises(SnapshotError, match="has no 'kind'"):
        ohm.Perceptron.restore({}, kernel)


def test_an_unlabelled_trial_teaches_nothing() -> None:
    learner = ohm.Perceptron(ohm.LaplacianKernel(ohm.Graph.from_edges([(0, 1)])) + ohm.Constant(1.0))
    assert learner.learn_one(0, None) == ohm.Update(None, False, 0.0)
