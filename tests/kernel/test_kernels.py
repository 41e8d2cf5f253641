"""Kernels against their definitions, and the errors at their border."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import ohmline as ohm
from graphs import graphs
from ohmline.errors import KernelError, ParameterError, ShapeError, UnknownNode
from ohmline.kernel import default_bias
from ohmline.kernel.eigen import smallest_eigenpairs


def matrix_of(kernel: ohm.Kernel) -> np.ndarray:
    return np.array([kernel.column(node) for node in kernel.nodes])


def same_component(graph: ohm.Graph) -> np.ndarray:
    return graph.component_of[:, None] == graph.component_of


@given(graphs())
def test_laplacian_kernel_is_the_pseudoinverse(graph: ohm.Graph) -> None:
    wanted = np.linalg.pinv(graph.laplacian().toarray(), hermitian=True, rcond=1e-10)
    np.testing.assert_allclose(matrix_of(ohm.LaplacianKernel(graph)), wanted, atol=1e-9)


@given(graphs(connected=True, min_nodes=3), st.data())
def test_signed_laplacian_kernel_is_the_pseudoinverse(graph: ohm.Graph, data: st.DataObject) -> None:
    u, v, w = graph.edges()
    flips = data.draw(st.lists(st.booleans(), min_size=len(u), max_size=len(u)))
    edges = [
        (int(a), int(b), -float(c) if f else float(c)) for a, b, c, f in zip(u, v, w, flips, strict=True)
    ]
    signed = ohm.Graph.from_edges(edges, nodes=range(graph.n), signed=True)
    laplacian = signed.laplacian().toarray()
    spectrum = np.linalg.eigvalsh(laplacian)
    assume(spectrum[0] < 1e-12 or spectrum[0] > 1e-6)
    wanted = np.linalg.pinv(laplacian, hermitian=True, rcond=1e-10)
    np.testing.assert_allclose(
        matrix_of(ohm.LaplacianKernel(signed)), wanted, atol=1e-6 * np.abs(wanted).max()
    )


@given(graphs(), st.floats(0.01, 10), st.floats(0.01, 10))
def test_bias_and_ridge_are_paper_001_eq_10_per_component(graph: ohm.Graph, b: float, c: float) -> None:
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(b) + ohm.Ridge(c)
    wanted = matrix_of(ohm.LaplacianKernel(graph)) + b * same_component(graph) + c * np.eye(graph.n)
    np.testing.assert_allclose(matrix_of(kernel), wanted, atol=1e-12)


@given(graphs(), st.floats(0.05, 5), st.sampled_from([0.0, 0.2]), st.data())
def test_sqnorm_is_that_of_the_inverse(graph: ohm.Graph, b: float, c: float, data: st.DataObject) -> None:
    u = np.array(data.draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=graph.n, max_size=graph.n)))
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(b)
    if c:
        kernel = kernel + ohm.Ridge(c)
    wanted = u @ np.linalg.solve(matrix_of(kernel), u)
    assert kernel.sqnorm(u) == pytest.approx(wanted, rel=1e-6)


def test_sqnorm_outside_the_space_is_infinite() -> None:
    path = ohm.Graph.from_edges([(0, 1), (1, 2)])
    assert ohm.LaplacianKernel(path).sqnorm(np.ones(3)) == np.inf
    assert ohm.LaplacianKernel(path).sqnorm(np.array([1.0, 0.0, -1.0])) == pytest.approx(2.0)
    assert ohm.SpectralKernel(path, rank=1).sqnorm(np.array([1.0, -1.0, 1.0])) == np.inf


@given(graphs(max_nodes=9), st.booleans())
def test_full_rank_spectral_kernel_inverts_the_shifted_laplacian(graph: ohm.Graph, normalised: bool) -> None:
    kernel = ohm.SpectralKernel(graph, rank=graph.n, shift=0.01, normalised=normalised)
    laplacian = graph.laplacian(normalised=normalised).toarray()
    wanted = np.linalg.inv(laplacian + 0.01 * np.eye(graph.n))
    np.testing.assert_allclose(matrix_of(kernel), wanted, rtol=1e-6, atol=1e-6)


def test_literal_eq_28_drops_the_constant() -> None:
    ring = ohm.Graph.from_edges([(k, (k + 1) % 7) for k in range(7)])
    kernel = ohm.SpectralKernel(ring, rank=6, constant=False, shift=0.0)
    np.testing.assert_allclose(matrix_of(kernel), matrix_of(ohm.LaplacianKernel(ring)), atol=1e-10)
    assert kernel.features(3) @ kernel.features(5) == pytest.approx(kernel.entry(3, 5))


def test_large_spectral_kernel_finds_every_copy_of_a_repeated_eigenvalue() -> None:
    """Twelve equal components: each eigenvalue comes twelve times, and the filter must see them all."""
    rng = np.random.default_rng(3)
    n, edges = 150, []
    tree = [(int(rng.integers(k)), k) for k in range(1, n)]
    for block in range(12):
        edges += [(a + block * n, b + block * n) for a, b in tree]
    graph = ohm.Graph.from_edges(edges, nodes=range(12 * n))
    values, vectors = ohm.SpectralKernel(graph, rank=30).eigenpairs
    wanted = np.linalg.eigvalsh(graph.laplacian().toarray())[:30]
    np.testing.assert_allclose(values, wanted, atol=1e-9)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(30), atol=1e-9)
    np.testing.assert_allclose(graph.laplacian() @ vectors, vectors * values, atol=1e-8)


def test_filtered_lanczos_agrees_with_lapack_on_an_expander() -> None:
    rng = np.random.default_rng(0)
    graph = ohm.Graph.from_edges(rng.integers(0, 2000, (8000, 2)), nodes=range(2000))
    for normalised in (False, True):
        laplacian = graph.laplacian(normalised=normalised)
        found = smallest_eigenpairs(laplacian, 20)
        values, vectors = found.values, found.vectors
        np.testing.assert_allclose(values, np.linalg.eigvalsh(laplacian.toarray())[:20], atol=1e-9)
        np.testing.assert_allclose(laplacian @ vectors, vectors * values, atol=1e-7)


def test_vector_kernels() -> None:
    points = np.random.default_rng(0).standard_normal((5, 3))
    kernel = ohm.RBF(2.0).over(points, nodes="abcde")
    for a, x in zip("abcde", points, strict=True):
        for b, y in zip("abcde", points, strict=True):
            assert kernel.entry(a, b) == pytest.approx(np.exp(-np.sum((x - y) ** 2) / 8))
    linear = ohm.Linear().over(points)
    np.testing.assert_allclose(matrix_of(linear), points @ points.T)
    assert linear.sqnorm(points @ np.array([1.0, 2.0, 3.0])) == pytest.approx(14.0)


def test_default_bias_is_a_tenth_of_the_median_diagonal() -> None:
    star = ohm.Graph.from_edges([(0, k) for k in range(1, 6)], nodes=range(7))
    kernel = ohm.LaplacianKernel(star)
    diagonal = kernel.diagonal()
    assert default_bias(kernel) == pytest.approx(np.median(diagonal[:6]) / 10)
    assert kernel.with_default_bias().entry(0, 0) == pytest.approx(diagonal[0] + default_bias(kernel))
    assert default_bias(ohm.LaplacianKernel(ohm.Graph.from_edges([], nodes=[1, 2]))) == 1.0


def test_isolated_nodes_and_one_node() -> None:
    lonely = ohm.Graph.from_edges([], nodes=["only"])
    assert matrix_of(ohm.LaplacianKernel(lonely)) == [[0.0]]
    assert (ohm.LaplacianKernel(lonely) + ohm.Constant(2.0)).entry("only", "only") == 2.0
    assert ohm.SpectralKernel(lonely, rank=1, shift=1.0).entry("only", "only") == pytest.approx(1.0)


PATH = ohm.Graph.from_edges([(0, 1), (1, 2)])


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: ohm.SpectralKernel(PATH, rank=4), ParameterError, "rank 4 is above the number of nodes, 3"),
        (lambda: ohm.SpectralKernel(PATH, rank=0), ParameterError, "at least 1, got 0"),
        (lambda: ohm.SpectralKernel(PATH, rank=2, shift=0), ParameterError, "shift above 0"),
        (lambda: ohm.SpectralKernel(PATH, rank=3, constant=False), ParameterError, "lower it"),
        (lambda: ohm.Constant(0), ParameterError, "above 0, got 0"),
        (lambda: ohm.Constant(float("nan")), ParameterError, "above 0, got nan"),
        (lambda: ohm.Ridge(-1), ParameterError, "above 0, got -1"),
        (lambda: ohm.RBF(0), ParameterError, "width of RBF must be a finite number above 0"),
        (lambda: ohm.RBF(1).over([[1.0, float("nan")]]), ParameterError, r"points\[0, 1\] is nan"),
        (lambda: ohm.RBF(1).over([1.0, 2.0]), ShapeError, "two dimensions"),
        (lambda: ohm.RBF(1).over([[1.0]], nodes=["a", "b"]), ShapeError, "1 points, got 2 ids"),
        (lambda: ohm.LaplacianKernel(PATH).column(7), UnknownNode, "unknown node 7"),
        (lambda: ohm.LaplacianKernel(PATH).sqnorm(np.ones(2)), ShapeError, "3 entries, got 2"),
        (
            lambda: ohm.LaplacianKernel(PATH) + ohm.RBF(1).over([[0.0]]),
            KernelError,
            "different nodes cannot be added",
        ),
    ],
)
def test_bad_input(make, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


def test_a_dense_kernel_that_does_not_fit_is_refused_before_it_is_tried() -> None:
    large = ohm.Graph.from_edges([(k, k + 1) for k in range(59_999)])
    with pytest.raises(ParameterError, match=r"60,000 nodes would take 26\.8 GiB.*SolverKernel"):
        _ = ohm.LaplacianKernel(large).space
