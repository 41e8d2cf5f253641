"""Elimination without subtractions, against exact rational arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import ohmline as ohm
from ohmline.errors import KernelError
from ohmline.graph import measure
from ohmline.graph.elimination import grounded_inverse, resistances
from rational import solve


def wild_network(seed: int, span: float = 10.0) -> np.ndarray:
    """A connected network of up to 13 nodes whose weights span 2 * span orders of magnitude."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 14))
    upper = np.triu(10.0 ** rng.uniform(-span, span, (n, n)) * (rng.random((n, n)) < 0.5), 1)
    path = np.arange(n - 1)
    upper[path, path + 1] = 10.0 ** rng.uniform(-span, span, n - 1)
    turn = rng.permutation(n)
    return (upper + upper.T)[np.ix_(turn, turn)]


def exact_inverse(adjacency: np.ndarray, ground: int) -> list[list[Fraction]]:
    """The inverse of the grounded Laplacian, by Gauss with fractions."""
    n = len(adjacency)
    kept = [i for i in range(n) if i != ground]
    weight = [[Fraction(float(w)) for w in row] for row in adjacency]
    grounded = [[sum(weight[i]) if i == j else -weight[i][j] for j in kept] for i in kept]
    full = [[Fraction(0)] * n for _ in range(n)]
    for j, column in enumerate(kept):
        found = solve(grounded, [Fraction(int(i == j)) for i in range(n - 1)])
        assert found is not None
        for i, row in enumerate(kept):
            full[row][column] = found[i]
    return full


def exact_resistances(adjacency: np.ndarray) -> np.ndarray:
    green = exact_inverse(adjacency, 0)
    size = range(len(adjacency))
    return np.array([[float(green[i][i] + green[j][j] - 2 * green[i][j]) for j in size] for i in size])


@pytest.mark.parametrize("seed", range(12))
def test_inverse_and_resistances_have_full_relative_precision_over_twenty_orders(seed: int) -> None:
    adjacency = wild_network(seed)
    inverse = np.array([[float(entry) for entry in row] for row in exact_inverse(adjacency, 1)])
    np.testing.assert_allclose(grounded_inverse(adjacency, 1), inverse, rtol=1e-13, atol=0)
    wanted = exact_resistances(adjacency)
    np.testing.assert_allclose(resistances(adjacency), wanted, rtol=1e-13, atol=0)
    graph = ohm.Graph.from_scipy(adjacency)
    np.testing.assert_allclose(measure.resistance_matrix(graph), wanted, rtol=1e-13, atol=0)
    pairs = [(i, j) for i in range(graph.n) for j in range(graph.n)]
    np.testing.assert_allclose(
        [measure.resistance(graph, *pair) for pair in pairs], wanted.ravel(), rtol=1e-13
    )
    np.testing.assert_allclose(
        [ohm.LaplacianKernel(graph).sqdist(*pair) for pair in pairs], wanted.ravel(), rtol=1e-8
    )


@pytest.mark.parametrize("seed", range(12))
def test_a_kernel_states_the_error_of_its_entries(seed: int) -> None:
    adjacency = wild_network(seed, span=6.0)
    n = len(adjacency)
    green = exact_inverse(adjacency, 0)
    means = [sum(row) / n for row in green]
    middle = sum(means) / n
    wanted = np.array(
        [[float(green[i][j] - means[i] - means[j] + middle) for j in range(n)] for i in range(n)]
    )
    graph = ohm.Graph.from_scipy(adjacency)
    plain = ohm.LaplacianKernel(graph)
    cases = [(plain, 1.0), (ohm.SolverKernel(graph), 1.0), (3.0 * plain + ohm.Constant(2.0), 3.0)]
    for kernel, factor in cases:
        found = np.array([kernel.column(i) for i in range(n)]) - kernel.b
        assert np.abs(found - factor * wanted).max() <= 2 * kernel.entry_error
    assert plain.entry_error <= max(1e-14 * np.abs(wanted).max(), 1e-9 / graph.degree.max())


def test_blocks_of_a_large_network_are_eliminated_like_its_single_nodes() -> None:
    rng = np.random.default_rng(3)
    graph = ohm.Graph.from_edges(
        [(k, int(rng.integers(k)), 10.0 ** rng.uniform(-9, 9)) for k in range(1, 1300)]
    )
    found = resistances(graph.adjacency.toarray())
    for i, j in rng.integers(0, graph.n, (20, 2)):
        assert found[i, j] == pytest.approx(measure.geodesic(graph, int(i), int(j)), rel=1e-11)  # a tree


def test_the_ends_of_the_range_of_numbers() -> None:
    graph = ohm.Graph.from_edges([(0, 1, 1e-200), (1, 2, 1e200), (2, 3, 1.0)])
    assert measure.resistance(graph, 0, 1) == 1e200
    assert measure.resistance(graph, 1, 2) == 1e-200
    assert ohm.LaplacianKernel(graph).sqdist(1, 2) == pytest.approx(1e-200)
    tiny = ohm.Graph.from_edges([(k, k + 1, 1e-308) for k in range(20)])
    for ask in (lambda: measure.resistance(tiny, 0, 19), lambda: measure.resistance_matrix(tiny)):
        with pytest.raises(ohm.OhmlineError, match="scale the weights"):
            ask()
    with pytest.raises(KernelError, match="scale"):
        ohm.LaplacianKernel(tiny).diagonal()


def test_a_ratio_of_1e15_is_no_obstacle() -> None:
    graph = ohm.Graph.from_edges(
        [(0, 1, 1e15), (1, 2, 1.0), (2, 3, 1.0), (3, 4, 1.0), (4, 5, 1.0), (5, 6, 1.0)]
    )
    assert measure.resistance(graph, 0, 6) == pytest.approx(5.0, rel=1e-14)
    assert measure.resistance(graph, 1, 6) == pytest.approx(5.0, rel=1e-14)


@pytest.mark.parametrize("bridge", [1e-4, 1e-8, 1e-12])
def test_a_bridge_that_the_diagonal_swallows_is_in_the_stated_error(bridge: float) -> None:
    """1 + bridge is rounded in the diagonal, so a solver's own residual cannot see what was lost."""
    graph = ohm.Graph.from_edges([(0, 1, 1.0), (1, 2, bridge), (2, 3, 1.0)])
    for kernel in (ohm.SolverKernel(graph), ohm.LaplacianKernel(graph)):
        assert abs(kernel.sqdist(1, 2) - 1 / bridge) <= 4 * kernel.entry_error
