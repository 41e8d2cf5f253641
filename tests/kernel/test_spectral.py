"""Eigensolvers against LAPACK, their residuals, the cache on disk, and features of nodes that come later."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ohmline as ohm
from ohmline.arrays import Floats
from ohmline.errors import NotConverged, ParameterError, UnknownNode
from ohmline.graph.generate import random_geometric
from ohmline.kernel.eigen import Eigensolver, smallest_eigenpairs
from ohmline.kernel.eigen.filtering import chebyshev
from ohmline.kernel.eigen.lanczos import block_lanczos

GRAPH = random_geometric(400, 0.09, seed=2).graph


def expander(n: int, edges: int) -> ohm.Graph:
    return ohm.Graph.from_edges(np.random.default_rng(0).integers(0, n, (edges, 2)), nodes=range(n))


@pytest.mark.parametrize("method", ["inverse", "filter"])
@pytest.mark.parametrize("normalised", [False, True])
@pytest.mark.parametrize("graph", [GRAPH, expander(500, 2000)], ids=["geometric", "expander"])
def test_every_eigensolver_finds_the_pairs_of_lapack(graph: ohm.Graph, normalised: bool, method: str) -> None:
    kernel = ohm.SpectralKernel(graph, 20, normalised=normalised, method=method)
    values, vectors = kernel.eigenpairs
    laplacian = graph.laplacian(normalised=normalised)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(laplacian.toarray())[:20], atol=1e-10)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(20), atol=1e-10)
    off = np.linalg.norm(laplacian @ vectors - vectors * values, axis=0)
    np.testing.assert_allclose(kernel.residuals, off, atol=1e-15)
    assert kernel.residuals.max() < 1e-11


@pytest.mark.parametrize("method", ["inverse", "filter"])
def test_an_eigenvalue_is_found_as_often_as_it_is_there(method: str) -> None:
    """Twenty equal components, more than a block is wide: each eigenvalue comes twenty times."""
    rng = np.random.default_rng(3)
    tree = [(int(rng.integers(k)), k) for k in range(1, 40)]
    graph = ohm.Graph.from_edges(
        [(a + 40 * t, b + 40 * t) for t in range(20) for a, b in tree], nodes=range(800)
    )
    values, _ = ohm.SpectralKernel(graph, 60, method=method).eigenpairs
    np.testing.assert_allclose(values, np.linalg.eigvalsh(graph.laplacian().toarray())[:60], atol=1e-9)


def test_the_filter_is_the_chebyshev_polynomial_of_the_matrix() -> None:
    laplacian = GRAPH.laplacian()
    start = np.random.default_rng(0).standard_normal((GRAPH.n, 3))
    scaled = (laplacian.toarray() - 7.0 * np.eye(GRAPH.n)) / 5.0
    for degree in (1, 2, 5):
        a, b = start.copy(), np.empty_like(start)
        rows = laplacian.indptr.astype(np.int64), laplacian.indices.astype(np.uint32), laplacian.data
        chebyshev(*rows, 7.0, 5.0, degree, a, b)
        terms = [start, scaled @ start]
        for _ in range(degree - 1):
            terms.append(2 * scaled @ terms[-1] - terms[-2])
        np.testing.assert_allclose(b, terms[degree], rtol=1e-9)


@pytest.mark.parametrize("method", ["dense", "inverse", "filter"])
@pytest.mark.parametrize("scale", [1e-300, 1e-8, 1e300])
def test_weights_of_any_size_give_the_same_pairs(scale: float, method: str) -> None:
    source, target = random_geometric(400, 0.12, seed=2).graph.edges()[:2]
    weight = np.random.default_rng(0).uniform(0.5, 2, len(source))
    ends = list(zip(source.tolist(), target.tolist(), strict=True))
    plain, scaled = (
        ohm.SpectralKernel(
            ohm.Graph.from_edges([(*end, float(w)) for end, w in zip(ends, weight * times, strict=True)]),
            rank=8,
            method=method,
        )
        for times in (1.0, scale)
    )
    np.testing.assert_allclose(scaled.eigenpairs[0] / scale, plain.eigenpairs[0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(np.abs(scaled.eigenpairs[1]), np.abs(plain.eigenpairs[1]), atol=1e-6)
    assert np.isfinite(scaled.residuals).all()
    assert (scaled.residuals / scale).max() <= 1e-12 * 2 * plain.graph.degree.max()
    if scale < 1e-200 and method != "dense":
        assert scaled.residuals[1:].min() > 0  # they are measured, not lost below the smallest number


def test_weights_that_span_all_numbers_give_pairs_or_say_that_they_do_not() -> None:
    weight = 10 ** np.random.default_rng(0).uniform(-300, 300, 399)
    path = ohm.Graph.from_edges([(k, k + 1, float(w)) for k, w in enumerate(weight)])
    for method in ("dense", "inverse", "filter"):
        kernel = ohm.SpectralKernel(path, rank=5, method=method)
        try:
            values, residuals = kernel.eigenpairs[0], kernel.residuals
        except NotConverged:
            assert kernel.partial is not None
            values, residuals = kernel.partial.values, kernel.partial.residuals
        assert np.isfinite(values).all()
        assert np.isfinite(residuals).all()


def test_what_did_not_converge_is_kept_with_its_residuals() -> None:
    kernel = ohm.SpectralKernel(GRAPH, 10, method="filter", tolerance=1e-30)
    with pytest.raises(
        NotConverged, match=r"of 10 eigenpairs did not converge: residuals up to .*the error's `pairs`"
    ):
        kernel.features(0)
    assert kernel.partial is not None
    assert kernel.partial.vectors.shape == (400, 10)
    assert kernel.partial.residuals.max() < 1e-9
    np.testing.assert_allclose(kernel.partial.values, ohm.SpectralKernel(GRAPH, 10).eigenpairs[0], atol=1e-9)


def test_a_search_reports_its_progress_and_its_method() -> None:
    steps: list[int] = []
    ohm.SpectralKernel(GRAPH, 10, method="filter", progress=steps.append).features(0)
    assert sum(steps) >= 10
    assert smallest_eigenpairs(GRAPH.laplacian(), 5).method is Eigensolver.DENSE
    with pytest.raises(ParameterError, match=r"method must be one of 'auto', 'dense'.*got 'magic'"):
        ohm.SpectralKernel(GRAPH, 5, method="magic")


def test_a_search_that_does_not_fit_is_refused_before_it_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OHMLINE_MEMORY", "0.0001")
    with pytest.raises(ParameterError, match="eigenvectors of 400 nodes would take"):
        ohm.SpectralKernel(GRAPH, 100).features(0)


def test_pairs_are_kept_on_disk_and_a_damaged_file_is_named_and_replaced(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first = ohm.SpectralKernel(GRAPH, 6, cache=tmp_path / "pairs")
    values, vectors = first.eigenpairs
    (path,) = (tmp_path / "pairs").iterdir()
    with caplog.at_level(logging.INFO, logger="ohmline"):
        again = ohm.SpectralKernel(GRAPH, 6, cache=str(tmp_path / "pairs")).eigenpairs
    assert f"from {path}" in caplog.text
    np.testing.assert_array_equal(again[0], values)
    np.testing.assert_array_equal(again[1], vectors)
    ohm.SpectralKernel(GRAPH, 7, cache=tmp_path / "pairs").features(0)
    assert (
        len(list((tmp_path / "pairs").iterdir())) == 2
    )  # another rank is another file, and nothing else is left
    whole = path.read_bytes()
    for spoiled in (
        whole[: len(whole) // 2],
        whole.replace(vectors[:2].tobytes()[:64], b"\0" * 64),
        b"nonsense",
    ):
        assert spoiled != whole
        path.write_bytes(spoiled)
        caplog.clear()
        with caplog.at_level(logging.WARNING, logger="ohmline"):
            found = ohm.SpectralKernel(GRAPH, 6, cache=tmp_path / "pairs").eigenpairs
        assert f"{path} are not used" in caplog.text
        np.testing.assert_array_equal(found[1], vectors)
        assert path.read_bytes() != spoiled
    (tmp_path / "file").write_text("")
    with pytest.raises(ParameterError, match="cannot be made a folder"):
        ohm.SpectralKernel(GRAPH, 6, cache=tmp_path / "file")


def test_the_way_to_the_pairs_makes_no_other_kernel(tmp_path: Path) -> None:
    plain = ohm.SpectralKernel(GRAPH, 6)
    other = ohm.SpectralKernel(GRAPH, 6, method="filter", cache=tmp_path, tolerance=1e-10)
    assert plain.fingerprint == other.fingerprint
    assert plain.fingerprint != ohm.SpectralKernel(GRAPH, 7).fingerprint


@pytest.mark.parametrize("normalised", [False, True])
def test_a_node_of_the_graph_gets_its_own_features_from_its_edges(normalised: bool) -> None:
    kernel = ohm.SpectralKernel(GRAPH, 8, normalised=normalised)
    steepest = kernel.eigenpairs[0].max()
    for node in range(0, 400, 7):
        edges = GRAPH.neighbours(node)
        if (0.5 if normalised else sum(edges.values()) / 2) > steepest:
            found = kernel.features_of_new(list(edges), list(edges.values()))
            np.testing.assert_allclose(found, kernel.features(node), atol=1e-6)
    lone = kernel.features_of_new([3])
    assert np.isfinite(lone).all()
    with pytest.raises(ParameterError, match="different nodes"):
        kernel.features_of_new([3, 3])
    with pytest.raises(ParameterError, match="at least one"):
        kernel.features_of_new([])
    with pytest.raises(ParameterError, match="weights must be above 0"):
        kernel.features_of_new([3, 4], [1.0, 0.0])
    with pytest.raises(UnknownNode):
        kernel.features_of_new([-1])


def test_a_cache_that_is_no_archive_is_replaced(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    ring = ohm.Graph.from_edges([(k, (k + 1) % 40) for k in range(40)] + [(0, 20)])
    wanted = ohm.SpectralKernel(ring, 5, cache=tmp_path).eigenpairs
    file = next(tmp_path.glob("*.npz"))
    whole = file.read_bytes()
    with file.open("wb") as stream:
        np.save(stream, np.zeros(3))
    np.testing.assert_array_equal(ohm.SpectralKernel(ring, 5, cache=tmp_path).eigenpairs[0], wanted[0])
    assert file.read_bytes() == whole
    for place in range(len(whole) - 400, len(whole), 7):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 129]) + whole[place + 1 :])
        np.testing.assert_array_equal(ohm.SpectralKernel(ring, 5, cache=tmp_path).eigenpairs[0], wanted[0])
    file.unlink()
    file.mkdir()
    np.testing.assert_array_equal(ohm.SpectralKernel(ring, 5, cache=tmp_path).eigenpairs[0], wanted[0])
    assert "could not be kept" in caplog.text


def test_new_nodes_with_weights_beyond_numbers_are_refused() -> None:
    ring = ohm.Graph.from_edges([(k, (k + 1) % 6) for k in range(6)])
    with pytest.raises(ParameterError, match="scale them"):
        ohm.SpectralKernel(ring, 3).features_of_new([0, 1], [1e308, 1e308])


def test_pairs_reach_rounding_where_that_is_asked_for() -> None:
    graph = ohm.graph.generate.ring(1600).graph
    kernel = ohm.SpectralKernel(graph, 12, normalised=True, tolerance=2e-15)
    assert kernel.residuals.max() <= 4e-15
    vectors = kernel.eigenpairs[1]
    assert np.abs(vectors.T @ vectors - np.eye(12)).max() < 1e-13
    exact = np.sort(1 - np.cos(2 * np.pi * np.arange(1600) / 1600))[:12]
    assert np.abs(kernel.eigenpairs[0] - exact).max() < 1e-14


def test_the_basis_stays_orthonormal_where_blocks_join_it_late() -> None:
    rng = np.random.default_rng(0)
    values = np.concatenate([np.full(40, 1e6), np.linspace(1e5, 1.0, 30), rng.uniform(0, 1, 330)])
    turn = np.linalg.qr(rng.standard_normal((400, 400)))[0]
    known = turn[:, -1:]

    def operator(block: Floats) -> Floats:
        return turn @ (values[:, None] * (turn.T @ block))

    start = rng.standard_normal((400, 16))
    options: dict[str, Any] = {"most": 300, "accuracy": 1e-14, "rng": rng, "advance": lambda steps: None}
    found = block_lanczos(operator, start, 60, known, **options)
    assert found.converged
    # One block finds an eigenvalue 16 times: the others came of blocks that joined later.
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(60), atol=1e-12)
    assert np.abs(known.T @ found.vectors).max() < 1e-12
    square = found.vectors.T @ operator(found.vectors)
    np.testing.assert_allclose(np.sort(np.linalg.eigvalsh(square))[::-1], values[:60], rtol=1e-9, atol=1e-8)
