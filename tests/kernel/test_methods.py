"""Every method of SolverKernel gives the dense kernel; approximate factor, choice, estimated diagonal."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from graphs import graphs
from ohmline.errors import KernelError, ParameterError
from ohmline.kernel.solve import System
from ohmline.kernel.solve.elimination import Sampled, sample
from ohmline.kernel.solve.iterative import Iterative, double_cover

METHODS = ("cholesky", "cholmod", "approximate", "jacobi")


def wired(n: int, extra: int, seed: int, *, signed: bool = False) -> ohm.Graph:
    """A random tree with more edges, of weights that all differ."""
    rng = np.random.default_rng(seed)
    pairs = {(int(rng.integers(k)), k) for k in range(1, n)}
    pairs |= {(min(a, b), max(a, b)) for a, b in rng.integers(n, size=(extra, 2)).tolist() if a != b}
    weights = rng.random(len(pairs)) + 0.1
    if signed:
        weights *= rng.choice([-1.0, 1.0], size=len(pairs))
    edges = [(a, b, float(w)) for (a, b), w in zip(sorted(pairs), weights, strict=True)]
    return ohm.Graph.from_edges(edges, nodes=range(n), signed=signed)


def product(factor: Sampled) -> np.ndarray:
    """U D U' with rows and columns as in the graph."""
    n = len(factor.order)
    upper = np.eye(n)
    for j in range(n):
        span = slice(factor.indptr[j], factor.indptr[j + 1])
        upper[factor.indices[span], j] = -factor.values[span]
    out = np.empty((n, n))
    out[np.ix_(factor.order, factor.order)] = upper @ np.diag(factor.pivots) @ upper.T
    return out


@settings(max_examples=25)
@given(graphs(max_nodes=9), st.sampled_from(METHODS))
def test_every_method_keeps_the_laws_and_gives_the_dense_kernel(graph: ohm.Graph, method: str) -> None:
    lazy = ohm.SolverKernel(graph, b=0.3, c=0.1, method=method, tolerance=1e-12)
    dense = ohm.LaplacianKernel(graph) + ohm.Constant(0.3) + ohm.Ridge(0.1)
    for node in graph.nodes:
        np.testing.assert_allclose(lazy.column(node), dense.column(node), atol=1e-8)
    np.testing.assert_allclose(lazy.diagonal(), dense.diagonal(), atol=1e-8)
    if graph.n < 6:
        ohm.check.kernel(ohm.SolverKernel(graph, method=method), tolerance=1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_signed_graphs_components_and_isolated_nodes(method: str) -> None:
    balanced = [(0, 1, 1.0), (1, 2, -1.0), (2, 0, -1.0)]
    frustrated = [(3, 4, 1.0), (4, 5, 1.0), (5, 3, -1.0)]
    small = ohm.Graph.from_edges([*balanced, *frustrated], nodes=range(7), signed=True)
    for graph in (small, wired(30, 40, 1, signed=True)):
        lazy, dense = ohm.SolverKernel(graph, method=method), ohm.LaplacianKernel(graph)
        for node in graph.nodes:
            np.testing.assert_allclose(lazy.column(node), dense.column(node), atol=1e-8)
        assert lazy.exact == (method in ("cholesky", "cholmod"))


@pytest.mark.parametrize("copies", [1, 2])
def test_the_approximate_factor_is_right_on_average_and_stays_connected(copies: int) -> None:
    graph = wired(7, 9, 3)
    laplacian = graph.laplacian().toarray()
    mean = np.zeros((7, 7))
    for seed in range(3000):
        found = product(sample(graph.indptr, graph.indices, graph.weights, copies=copies, seed=seed))
        mean += found / 3000
        if seed < 50:
            values = np.linalg.eigvalsh(found)
            np.testing.assert_allclose(found.sum(axis=1), 0, atol=1e-12)
            assert values[1] > 1e-3  # one null vector: connected
    assert np.abs(mean - laplacian).max() < 0.03 * np.abs(laplacian).max()
    assert np.abs(found - laplacian).max() > 0.03 * np.abs(laplacian).max()  # each single one differs by far


def test_trees_are_eliminated_exactly() -> None:
    graph = wired(40, 0, 5)
    factor = sample(graph.indptr, graph.indices, graph.weights)
    np.testing.assert_allclose(product(factor), graph.laplacian().toarray(), atol=1e-12)


def uniforms(seed: int):
    """splitmix64, number by number."""
    state, mask = seed + 1, 2**64 - 1
    while True:
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        yield ((z ^ (z >> 31)) >> 11) / 2**53


@settings(max_examples=30)
@given(st.integers(2, 25), st.integers(0, 60), st.integers(0, 10**6))
def test_the_approximate_factor_is_that_of_the_literal_elimination(n: int, extra: int, seed: int) -> None:
    graph = wired(n, extra, seed)
    factor = sample(graph.indptr, graph.indices, graph.weights, seed=seed)
    lists: list[list[tuple[int, float]]] = [[] for _ in range(n)]
    for a, b, w in zip(*(part.tolist() for part in graph.edges()), strict=True):
        lists[a].append((b, w))
        lists[b].append((a, w))
    draws = uniforms(seed)
    for step, v in enumerate(factor.order.tolist()):
        left = factor.order[step:].tolist()
        assert len(lists[v]) == min(len(lists[u]) for u in left)
        near: dict[int, float] = {}
        for u, w in lists[v]:
            near[u] = near.get(u, 0.0) + w
            lists[u] = [edge for edge in lists[u] if edge[0] != v]
        total = sum(near.values())
        span = slice(factor.indptr[step], factor.indptr[step + 1])
        found = dict(zip(factor.order[factor.indices[span]].tolist(), factor.values[span], strict=True))
        assert found == pytest.approx({u: w / total for u, w in near.items()})
        assert factor.pivots[step] == pytest.approx(total)
        ranked = sorted(near.items(), key=lambda pair: pair[1])
        for k, (u, w) in enumerate(ranked[:-1]):
            later = ranked[k + 1 :]
            rest = sum(weight for _, weight in later)
            height, chosen = next(draws) * rest, later[-1][0]
            for other, weight in reversed(later):  # the heaviest lie at the bottom of the pile
                chosen = other
                if height < weight:
                    break
                height -= weight
            lists[u].append((chosen, w * rest / total))
            lists[chosen].append((u, w * rest / total))


def test_two_copies_of_each_edge_make_a_better_factor() -> None:
    graph = wired(300, 900, 2)
    system = System(graph)
    column = ohm.LaplacianKernel(graph).column(7)
    for copies in (1, 2):
        solver = Iterative(system, tolerance=1e-12, sampled=True, copies=copies)
        np.testing.assert_allclose(solver.column(7), column, atol=1e-10)
    exact = np.linalg.eigvalsh(graph.laplacian().toarray())[1:]
    spread = []
    for copies in (1, 2):
        near = product(sample(graph.indptr, graph.indices, graph.weights, copies=copies))
        spread.append(np.linalg.norm(near - graph.laplacian().toarray()))
    assert len(exact) == 299
    assert spread[1] < spread[0]


def test_the_double_cover_joins_foes_crosswise() -> None:
    graph = ohm.Graph.from_edges([(0, 1, 2.0), (1, 2, -3.0)], signed=True)
    cover = double_cover(graph.adjacency).toarray()
    assert cover[0, 1] == cover[3, 4] == 2.0
    assert cover[1, 5] == cover[4, 2] == 3.0
    assert cover.sum() == 2 * np.abs(graph.adjacency.toarray()).sum()


def test_the_choice_is_told_with_its_reason_and_its_memory() -> None:
    ring = ohm.graph.generate.ring(50).graph
    kernel = ohm.SolverKernel(ring) + ohm.Constant(0.5)
    assert repr(kernel) == f"SolverKernel({ring!r}) + Constant(0.5)"
    assert kernel.choice.method == "cholesky"
    assert kernel.choice.fill == kernel.fill == 97
    assert repr(kernel) == f"SolverKernel({ring!r}) + Constant(0.5)  # {kernel.explain()}"
    assert "bytes: a factor of 97 entries" in kernel.explain()
    wild = ohm.SolverKernel(wired(300, 3000, 0), fill_limit=500)
    assert wild.choice.method == "jacobi"
    assert "no sparse factor within fill_limit=500" in wild.explain()
    assert "steps a column" in wild.explain()
    line = ohm.SolverKernel(ohm.graph.generate.line(3000).graph, fill_limit=0)
    assert line.choice.method == "approximate"
    assert not line.exact
    assert line.sqdist(0, 2999) == pytest.approx(2999, rel=1e-6)


def test_a_method_that_was_asked_for_is_taken_or_refused() -> None:
    graph = wired(60, 200, 4)
    for method in METHODS:
        kernel = ohm.SolverKernel(graph, method=method)
        assert kernel.choice.method == method
        assert "as asked" in kernel.explain()
        assert f"method='{method}'" in repr(kernel)
        again = pickle.loads(pickle.dumps(kernel))
        np.testing.assert_allclose(again.column(3), kernel.column(3), atol=1e-8)
    with pytest.raises(
        KernelError, match=r"more than fill_limit=9 entries.*method='approximate' or 'jacobi'"
    ):
        ohm.SolverKernel(graph, method="cholesky", fill_limit=9).column(0)
    with pytest.raises(ParameterError, match=r"method must be one of 'auto', 'cholesky'.*got 'magic'"):
        ohm.SolverKernel(graph, method="magic")


def test_a_solver_that_does_not_fit_is_refused_before_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = wired(4000, 9000, 4)
    monkeypatch.setenv("OHMLINE_MEMORY", "0.0012")
    with pytest.raises(ParameterError, match="method='approximate' on 4,000 nodes would take"):
        ohm.SolverKernel(graph, method="approximate", columns=2).column(0)


def test_a_solve_that_stalls_says_so_with_its_true_residual() -> None:
    graph = ohm.graph.generate.line(400).graph
    for method in ("approximate", "jacobi"):
        with pytest.raises(
            KernelError, match=r"did not reach 1e-30: after \d+ steps the residual, computed afresh"
        ):
            ohm.SolverKernel(graph, method=method, tolerance=1e-30).column(0)


def test_columns_are_held_within_a_limit_of_bytes() -> None:
    graph = ohm.graph.generate.line(100).graph
    kernel = ohm.SolverKernel(graph, column_bytes=2500)
    assert kernel.space.capacity == 3
    for node in range(10):
        kernel.column(node)
    assert np.flatnonzero(kernel.space.slot >= 0).tolist() == [7, 8, 9]
    with pytest.raises(ParameterError, match=r"column_bytes=1599 is too little for two columns.*1600"):
        ohm.SolverKernel(graph, column_bytes=1599)


def test_columns_are_held_within_a_gibibyte_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    line = ohm.graph.generate.line(100).graph
    assert ohm.SolverKernel(line).space.capacity == 32
    monkeypatch.setattr(ohm.kernel.solver, "COLUMN_BYTES", 2500)
    assert ohm.SolverKernel(line).space.capacity == 3
    assert ohm.SolverKernel(line, column_bytes=8000).space.capacity == 10
    monkeypatch.setattr(ohm.kernel.solver, "COLUMN_BYTES", 100)
    kernel = ohm.SolverKernel(line)
    assert kernel.space.capacity == 2  # as many as a distance takes
    assert kernel.sqdist(0, 99) == pytest.approx(99)


def test_cholmod_knows_its_diagonal_when_it_is_asked_for() -> None:
    graph = wired(60, 200, 4)
    kernel = ohm.SolverKernel(graph, b=0.5, method="cholmod")
    assert np.isnan(kernel.space.diagonal).all()
    np.testing.assert_allclose(kernel.diagonal(), ohm.SolverKernel(graph, b=0.5).diagonal(), atol=1e-10)


def test_weights_too_far_apart_for_cholmod_are_refused() -> None:
    tiny = ohm.Graph.from_edges([(0, 1, 1.0), (1, 2, 1e-20), (2, 3, 1.0)])
    for method in ("cholesky", "cholmod"):
        with pytest.raises(KernelError, match=r"to working precision.*12 orders.*or take LaplacianKernel"):
            ohm.SolverKernel(tiny, method=method).column(0)
    advised = ohm.LaplacianKernel(tiny)  # 1e20 ohm between the two pairs
    assert advised.sqdist(0, 3) == pytest.approx(1e20, rel=1e-9)
    assert advised.sqdist(0, 1) == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("signed", [False, True])
def test_an_estimated_diagonal_is_as_far_off_as_it_says(signed: bool) -> None:
    graph = wired(200, 500, 6, signed=signed)
    kernel = 2 * ohm.SolverKernel(graph, b=0.5, method="approximate") + ohm.Ridge(0.1)
    exact = (2 * (ohm.LaplacianKernel(graph) + ohm.Constant(0.5)) + ohm.Ridge(0.1)).diagonal()
    with pytest.raises(KernelError, match=r"does not know its diagonal.*estimated_diagonal"):
        kernel.diagonal()
    found = kernel.estimated_diagonal(256, seed=1)
    off = np.abs(found.values - exact)
    assert np.mean(off <= 2 * found.standard_error) > 0.85
    assert np.median(off / exact) < 0.08
    assert kernel.estimated_diagonal(16, seed=1).relative_error > 2 * found.relative_error
    assert "256 solves" in repr(found)
    with pytest.raises(ParameterError, match="solves"):
        kernel.estimated_diagonal(1)
    with pytest.raises(ParameterError, match="solves must be a whole number"):
        kernel.estimated_diagonal(10**12)


@pytest.mark.parametrize("method", ["approximate", "jacobi", "cholesky"])
def test_the_error_of_an_entry_is_not_understated_where_weights_are_far_apart(method: str) -> None:
    """Against the kernel of a path, which is a sum of resistances."""
    weights = 10.0 ** np.random.default_rng(0).uniform(-3, 3, 99)
    path = ohm.Graph.from_edges([(k, k + 1, float(w)) for k, w in enumerate(weights)])
    kernel = ohm.SolverKernel(path, method=method, tolerance=1e-6, columns=2)
    place = np.concatenate([[0.0], np.cumsum(1 / weights.astype(np.longdouble))])
    apart = np.abs(place - place[40])
    mean = np.abs(place[:, None] - place[None, :]).mean(axis=1)
    exact = (mean + mean[40] - apart - mean.mean()) / 2
    assert np.abs(kernel.column(40) - exact).max() <= kernel.entry_error
