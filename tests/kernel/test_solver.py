"""The sparse factor, its ordering and its selected inverse; columns on demand; learners on them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import ohmline as ohm
from graphs import games, graphs
from ohmline.errors import KernelError, ParameterError
from ohmline.graph.generate import random_geometric, three_clusters
from ohmline.kernel.factor import estimate, factorise, inverse_diagonal, solve


def positive_definite(n: int, share: float, seed: int) -> sparse.csr_array:
    rng = np.random.default_rng(seed)
    upper = sparse.random_array((n, n), density=share, rng=rng, data_sampler=rng.standard_normal)
    symmetric = sparse.csr_array(upper + upper.T)
    return sparse.csr_array(symmetric + sparse.diags_array(abs(symmetric).sum(axis=1) + 0.5))


@settings(max_examples=60)
@given(st.integers(1, 40), st.floats(0, 0.4), st.integers(0, 1000))
def test_the_factor_solves_and_its_size_was_known_before(n: int, share: float, seed: int) -> None:
    matrix = positive_definite(n, share, seed)
    plan = estimate(matrix, fill_limit=10**6, flop_limit=1e12)
    assert plan.fits
    assert sorted(plan.order.tolist()) == list(range(n))
    factor = factorise(matrix, plan)
    assert len(factor.values) == plan.fill
    assert plan.flops == pytest.approx(float(np.sum(np.diff(factor.indptr).astype(float) ** 2)))
    lower = np.zeros((n, n))
    for j in range(n):
        span = slice(factor.indptr[j], factor.indptr[j + 1])
        lower[factor.indices[span], j] = factor.values[span]
    turned = matrix.toarray()[np.ix_(factor.order, factor.order)]
    np.testing.assert_allclose(lower @ lower.T, turned, atol=1e-10)
    right = np.random.default_rng(seed).standard_normal(n)
    np.testing.assert_allclose(matrix @ solve(factor, right), right, atol=1e-9)
    np.testing.assert_allclose(
        inverse_diagonal(factor), np.diagonal(np.linalg.inv(matrix.toarray())), rtol=1e-8
    )


def test_the_order_keeps_a_grid_sparse() -> None:
    side = 40
    grid = ohm.Graph.from_edges(
        [(i, i + 1) for i in range(side * side) if (i + 1) % side]
        + [(i, i + side) for i in range(side * (side - 1))]
    )
    fill = ohm.SolverKernel(grid).fill
    assert fill < 20 * side * side  # in the given order the band alone would hold 40 a column


def test_a_factor_that_does_not_fit_is_given_up_early() -> None:
    rng = np.random.default_rng(0)
    expander = sparse.random_array((3000, 3000), density=0.004, rng=rng)
    matrix = sparse.csr_array(expander + expander.T + 20 * sparse.eye_array(3000))
    plan = estimate(matrix, fill_limit=100_000, flop_limit=1e12)
    assert not plan.fits
    assert plan.fill < 110_000
    assert not estimate(matrix, fill_limit=10**9, flop_limit=1e4).fits


@settings(max_examples=40)
@given(graphs(max_nodes=12), st.sampled_from([0.0, 0.7]), st.sampled_from([0.0, 0.3]), st.booleans())
def test_columns_diagonal_and_norms_equal_those_of_the_dense_kernel(
    graph: ohm.Graph, b: float, c: float, iterate: bool
) -> None:
    lazy = ohm.SolverKernel(graph, b=b, c=c, fill_limit=0 if iterate else 10**6, columns=2)
    dense: ohm.Kernel = ohm.LaplacianKernel(graph)
    if b:
        dense = dense + ohm.Constant(b)
    if c:
        dense = dense + ohm.Ridge(c)
    for node in graph.nodes:
        np.testing.assert_allclose(lazy.column(node), dense.column(node), atol=1e-7)
    everything = np.arange(graph.n)
    np.testing.assert_allclose(lazy.block(everything), dense.block(everything), atol=1e-7)
    np.testing.assert_allclose(lazy.diagonal(), dense.diagonal(), atol=1e-7)
    u = np.random.default_rng(0).standard_normal(graph.n)
    if b or c:
        assert lazy.sqnorm(u) == pytest.approx(dense.sqnorm(u), rel=1e-6)
    else:
        assert lazy.sqnorm(u) == dense.sqnorm(u) == np.inf or graph.n == 1


@settings(max_examples=15)
@given(graphs(max_nodes=9))
def test_it_keeps_the_laws_of_a_kernel(graph: ohm.Graph) -> None:
    ohm.check.kernel(ohm.SolverKernel(graph))
    ohm.check.kernel(ohm.SolverKernel(graph, fill_limit=0), tolerance=1e-7) if graph.n < 6 else None


def test_signed_graphs_balanced_or_not() -> None:
    balanced = [(0, 1, 1.0), (1, 2, -1.0), (2, 0, -1.0)]
    frustrated = [(3, 4, 1.0), (4, 5, 1.0), (5, 3, -1.0)]
    graph = ohm.Graph.from_edges([*balanced, *frustrated], nodes=range(7), signed=True)
    lazy, dense = ohm.SolverKernel(graph), ohm.LaplacianKernel(graph)
    for node in range(7):
        np.testing.assert_allclose(lazy.column(node), dense.column(node), atol=1e-10)
    np.testing.assert_allclose(lazy.diagonal(), dense.diagonal(), atol=1e-10)
    with pytest.raises(KernelError, match="singular"):
        ohm.Pounce(lazy)
    ohm.Pounce(lazy + ohm.Ridge(0.5))
    with pytest.raises(KernelError, match="signed"):
        lazy.sqnorm(np.ones(7))


@pytest.mark.parametrize("fill_limit", [10**6, 0])
@pytest.mark.parametrize("build", [ohm.Pounce, ohm.Perceptron, ohm.Projection.one_proj])
def test_learners_play_the_game_of_the_dense_kernel(build: object, fill_limit: int) -> None:
    for labelled in (three_clusters(12), random_geometric(80, 0.2, seed=1)):
        graph, labels = labelled.graph, labelled.labels
        dense = ohm.LaplacianKernel(graph) + ohm.Constant(0.5)
        lazy = ohm.SolverKernel(graph, b=0.5, fill_limit=fill_limit, columns=3, tolerance=1e-12)
        assert lazy.exact == (fill_limit > 0)
        stream = ohm.Stream(np.arange(graph.n), labels).shuffled(2).with_label_noise(0.1).repeated(2)
        one, two = (ohm.play(build(kernel), stream) for kernel in (dense, lazy))
        assert one.predictions == two.predictions
        np.testing.assert_array_equal(one.updated, two.updated)
        np.testing.assert_allclose(one.margin, two.margin, atol=1e-6)


@settings(max_examples=10)
@given(games(max_nodes=8))
def test_a_snapshot_of_a_learner_on_columns_is_invisible(game: tuple) -> None:
    graph, stream, _ = game
    subject = ohm.check.Subject(
        make=lambda g: ohm.Pounce(ohm.SolverKernel(g)),
        restore=lambda state, g: ohm.Pounce.restore(state, ohm.SolverKernel(g)),
    )
    ohm.check.learner(subject, graph, stream)


def test_the_least_recently_used_column_goes_first() -> None:
    kernel = ohm.SolverKernel(ohm.graph.generate.line(8).graph, columns=2)
    kernel.fetch(0)
    kernel.fetch(1)
    kernel.fetch(0)
    kernel.fetch(5)
    assert np.flatnonzero(kernel.space.slot >= 0).tolist() == [0, 5]
    kernel.fetch(5, 6)
    assert np.flatnonzero(kernel.space.slot >= 0).tolist() == [5, 6]


def test_active_learning_reads_the_diagonal_of_the_factor() -> None:
    labelled = random_geometric(60, 0.25, seed=3)
    dense = ohm.LaplacianKernel(labelled.graph) + ohm.Constant(0.3)
    lazy = ohm.SolverKernel(labelled.graph) + ohm.Constant(0.3)
    traces = [
        ohm.play_active(
            ohm.Projection.one_proj(kernel), range(60), labelled.labels, ohm.MaxProgress(), selections=10
        )
        for kernel in (dense, lazy)
    ]
    assert traces[0].nodes == traces[1].nodes
    without = ohm.SolverKernel(labelled.graph, fill_limit=0)
    with pytest.raises(KernelError, match=r"does not know its diagonal.*raise fill_limit"):
        ohm.play_active(
            ohm.Projection.one_proj(without), range(60), labelled.labels, ohm.MaxProgress(), selections=1
        )


def test_bad_input_is_refused() -> None:
    graph = ohm.graph.generate.line(8).graph
    with pytest.raises(ParameterError, match="columns"):
        ohm.SolverKernel(graph, columns=1)
    with pytest.raises(ParameterError, match="b must be"):
        ohm.SolverKernel(graph, b=-1.0)
    with pytest.raises(KernelError, match="columns=3"):
        ohm.SolverKernel(graph, columns=2).fetch(1, 2, 3)
    with pytest.raises(KernelError, match="did not reach"):
        ohm.SolverKernel(ohm.graph.generate.line(3000).graph, fill_limit=0, tolerance=1e-300).column(0)
    tiny = ohm.Graph.from_edges([(0, 1, 1.0), (1, 2, 1e-20), (2, 3, 1.0)])
    with pytest.raises(KernelError, match="not positive definite"):
        ohm.SolverKernel(tiny).column(0)


def test_columns_beyond_all_numbers_are_refused() -> None:
    tiny = ohm.Graph.from_edges([(0, 1, 5e-324), (1, 2, 5e-324)])
    kernel = ohm.SolverKernel(tiny)
    with pytest.raises(KernelError, match="leaves the range of numbers"), np.errstate(all="ignore"):
        kernel.sqdist(0, 1)
    large = ohm.Graph.from_edges([(0, 1, 1.7e308)])
    assert ohm.LaplacianKernel(large).sqdist(0, 1) == pytest.approx(1 / 1.7e308)
    with pytest.raises(KernelError, match="an eigenvalue is beyond the largest number"):
        ohm.SpectralKernel(large, rank=2).features(0)
    for weight in (1.7e308, 5e-324):  # nothing is lost of the normalised Laplacian, which has no size
        edge = ohm.Graph.from_edges([(0, 1, weight), (2, 3, 1.0)])
        found = ohm.SpectralKernel(edge, rank=4, normalised=True)
        np.testing.assert_allclose(found.eigenpairs[0], [0, 0, 2, 2], atol=1e-15)
