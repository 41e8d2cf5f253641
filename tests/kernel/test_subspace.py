"""Filtered subspace iteration against LAPACK, over rows that live in an array."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from ohmline.arrays import Floats
from ohmline.graph import Graph
from ohmline.kernel.rows import Rows
from ohmline.kernel.subspace import filtered_subspace


class Plain(Rows[Floats]):
    """The contract word for word."""

    def __init__(self, matrix: sparse.csr_array) -> None:
        self.matrix, self.n, self.products = matrix, matrix.shape[0], 0

    def random(self, columns: int, seed: int) -> Floats:
        return np.random.default_rng(seed).standard_normal((self.n, columns))

    def product(self, x: Floats) -> Floats:
        self.products += 1
        return self.matrix @ x

    def blend(self, *terms: tuple[float, Floats]) -> Floats:
        return sum(factor * block for factor, block in terms)

    def gram(self, x: Floats, y: Floats) -> Floats:
        return x.T @ y

    def turn(self, x: Floats, small: Floats) -> Floats:
        return x @ small


def grid(a: int, b: int) -> Graph:
    edges = [((i, j), (i, j + 1)) for i in range(a) for j in range(b - 1)]
    return Graph.from_edges(edges + [((i, j), (i + 1, j)) for i in range(a - 1) for j in range(b)])


def graphs() -> list[Graph]:
    two = [(k, (k + 1) % 20) for k in range(20)] + [(20 + k, 20 + (k + 1) % 30) for k in range(30)]
    return [
        Graph.from_edges(two),  # repeated eigenvalues, two components
        grid(15, 10),
        Graph.from_edges([(0, k) for k in range(1, 60)]),  # one eigenvalue 58 times
    ]


@pytest.mark.parametrize("graph", graphs())
@pytest.mark.parametrize("normalised", [False, True])
def test_the_smallest_pairs(graph: Graph, normalised: bool) -> None:
    laplacian = graph.laplacian(normalised=normalised)
    rows = Plain(laplacian)
    top = 2.0 if normalised else 2 * float(graph.degree.max())
    found = filtered_subspace(rows, 9, top, tolerance=1e-10)
    exact = np.linalg.eigvalsh(laplacian.toarray())[:9]
    assert found.converged
    assert found.products == rows.products
    np.testing.assert_allclose(found.values, exact, atol=1e-9 * top)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(9), atol=1e-10)
    away = np.linalg.norm(laplacian @ found.vectors - found.vectors * found.values, axis=0)
    np.testing.assert_allclose(found.residuals, away, atol=1e-12 * top)


def test_known_vectors_are_left_out() -> None:
    graph = grid(12, 9)
    laplacian = graph.laplacian()
    known = np.full((graph.n, 1), graph.n**-0.5)
    found = filtered_subspace(Plain(laplacian), 5, 8.0, known=known, tolerance=1e-10)
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(laplacian.toarray())[1:6], atol=1e-8)
    assert np.abs(known.T @ found.vectors).max() < 1e-9


def test_too_few_rounds_are_said_and_what_was_found_is_kept() -> None:
    graph = grid(40, 40)
    heard: list[tuple[int, float]] = []
    found = filtered_subspace(
        Plain(graph.laplacian()), 10, 8.0, rounds=2, heard=lambda *said: heard.append(said)
    )
    assert not found.converged
    assert len(heard) == 3
    assert heard[-1] == (found.products, found.residuals.max())
    exact = np.linalg.eigvalsh(graph.laplacian().toarray())
    for value, residual in zip(found.values, found.residuals, strict=True):
        assert np.abs(exact - value).min() <= residual + 1e-12


def test_all_of_a_small_matrix() -> None:
    graph = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    found = filtered_subspace(Plain(graph.laplacian()), 4, 4.0)
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(graph.laplacian().toarray()), atol=1e-9)
