"""Measures against their definitions, brute force and the papers' inequalities."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from graphs import graphs
from ohmline.errors import GraphError, OhmlineError, ParameterError, ShapeError, UnknownNode
from ohmline.graph import Graph, generate, measure
from ohmline.graph.measure import resistances
from ohmline.kernel import LaplacianKernel

nx = pytest.importorskip("networkx")


def labelling(n, seed):
    return np.random.default_rng(seed).choice([-1, 1], size=n)


# Cut and balance


@given(graphs(), st.integers(0, 999), st.booleans())
def test_four_cuts_are_the_energy(graph, seed, signed):
    rng = np.random.default_rng(seed)
    if signed:
        s, t, w = graph.edges()
        graph = Graph.from_columns(
            s, t, w * rng.choice([-1, 1], size=len(w)), nodes=range(graph.n), signed=True
        )
    u = labelling(graph.n, seed)
    assert np.isclose(4 * measure.cut(graph, u), u @ (graph.laplacian() @ u))
    assert np.isclose(measure.cut(graph, u), measure.cut(graph, -u))


@given(st.integers(1, 30), st.integers(0, 999))
def test_balance(n, seed):
    u = labelling(n, seed)
    balance, imbalance = measure.balance(u), measure.imbalance(u)
    assert 0 <= imbalance <= 1
    assert balance >= 1
    if imbalance < 1:
        assert np.isclose(balance, (1 - np.sqrt(imbalance)) ** -2)
    else:
        assert balance == math.inf
    if n > 1:
        odd = np.ones(n)
        odd[0] = -1
        assert np.isclose(measure.balance(odd), n**2 / 4)


# Geodesic distances


@given(graphs(max_nodes=14))
def test_geodesics_agree_with_networkx(graph):
    other = graph.to_networkx()
    for _, _, data in other.edges(data=True):
        data["length"] = 1 / data["weight"]
    expected = np.full((graph.n, graph.n), math.inf)
    for p, found in nx.all_pairs_dijkstra_path_length(other, weight="length"):
        for q, length in found.items():
            expected[p, q] = length
    matrix = measure.geodesic_matrix(graph)
    assert np.allclose(matrix, expected)
    assert np.array_equal(measure.geodesics_from(graph, 0), matrix[0])
    assert measure.geodesic(graph, 0, graph.n - 1) == matrix[0, -1]
    assert np.array_equal(measure.eccentricities(graph), matrix.max(axis=1))
    assert measure.eccentricity(graph, 1) == matrix[1].max()
    assert measure.diameter(graph) == matrix.max()
    inside = matrix[np.isfinite(matrix)].max()
    assert np.isclose(measure.diameter(graph, per_component=True), inside)


@given(st.integers(0, 99), st.integers(20, 120), st.floats(0.1, 0.5))
@settings(max_examples=25)
def test_diameter_by_bounds_is_that_of_all_sweeps(seed, n, radius):
    graph = generate.random_geometric(n, radius, seed=seed).graph
    matrix = measure.geodesic_matrix(graph)
    assert measure.diameter(graph) == matrix.max()
    assert measure.diameter(graph, per_component=True) == matrix[np.isfinite(matrix)].max()


# Effective resistance


@given(graphs(max_nodes=10))
def test_resistance_is_a_metric_and_below_the_geodesic(graph):
    r = measure.resistance_matrix(graph)
    d = measure.geodesic_matrix(graph)
    assert np.array_equal(r, r.T)
    assert not r.diagonal().any()
    off = ~np.eye(graph.n, dtype=bool)
    assert (r[off] > 0).all()
    assert (r <= d + 1e-9).all()
    assert np.array_equal(np.isinf(r), np.isinf(d))
    for k in range(graph.n):
        assert (r <= (r[:, [k]] + r[[k]]) + 1e-9).all()


@given(graphs(max_nodes=10))
def test_resistance_is_the_distance_of_the_kernel(graph):
    r = measure.resistance_matrix(graph)
    kernel = LaplacianKernel(graph)
    for p in range(graph.n):
        for q in range(graph.n):
            single = measure.resistance(graph, p, q)
            assert np.isclose(single, r[p, q])
            if np.isfinite(single):
                assert np.isclose(single, kernel.sqdist(p, q))
    assert np.allclose(measure.resistances_from(graph, 0), r[0])
    assert np.isclose(measure.resistance_diameter(graph), r.max())
    inside = measure.resistance_diameter(graph, per_component=True)
    assert np.isclose(inside, r[np.isfinite(r)].max())


@given(graphs(connected=True, min_nodes=3), st.data())
def test_more_conductance_never_raises_a_resistance(graph, data):
    """Rayleigh's law, Corollary 3.1 of paper 001."""
    u, v = data.draw(st.tuples(st.integers(0, graph.n - 1), st.integers(0, graph.n - 1)))
    added = sparse.lil_array((graph.n, graph.n))
    if u != v:
        added[u, v] = added[v, u] = data.draw(st.floats(0.01, 10))
    more = Graph.from_scipy(graph.adjacency + added.tocsr())
    assert (measure.resistance_matrix(more) <= measure.resistance_matrix(graph) + 1e-9).all()
    assert (LaplacianKernel(more).diagonal() <= LaplacianKernel(graph).diagonal() + 1e-9).all()


@given(st.integers(1, 25), st.integers(0, 999))
def test_on_a_tree_resistance_is_the_geodesic(n, seed):
    """Lemma 3.2 of paper 001."""
    s, t, _ = generate.tree(n, seed=seed).edges()
    weights = np.random.default_rng(seed).random(len(s)) + 0.1
    tree = Graph.from_columns(s, t, weights, nodes=range(n))
    assert np.allclose(measure.resistance_matrix(tree), measure.geodesic_matrix(tree))
    assert np.isclose(measure.resistance_diameter(tree), measure.diameter(tree))


@given(graphs(connected=True))
def test_sums_over_edges_and_theorem_3_2(graph):
    """Foster: weights times resistances sum to n - 1. And eq. (8) and (9) of paper 001."""
    r = measure.resistance_matrix(graph)
    s, t, w = graph.edges()
    assert np.isclose((w * r[s, t]).sum(), graph.n - 1)
    diagonal = LaplacianKernel(graph).diagonal()
    assert (diagonal <= r.mean(axis=1) + 1e-9).all()
    assert (r.mean(axis=1) <= measure.eccentricities(graph) + 1e-9).all()
    assert diagonal.max() <= measure.resistance_diameter(graph) + 1e-9


@pytest.mark.parametrize("family", ["long", "dense"])
def test_large_components_are_solved_without_dense_matrices(family, monkeypatch):
    if family == "long":  # conjugate gradients stall and a sparse factor takes over
        n = 30_000
        edges = np.column_stack([np.arange(n - 1), np.arange(1, n)])
        graph = Graph.from_edges(np.vstack([edges, [[0, n - 1]]]))
        assert np.isclose(measure.resistance(graph, 0, 10_000), 10_000 * 20_000 / 30_000)
        assert np.isclose(measure.algebraic_connectivity(graph), 2 - 2 * np.cos(2 * np.pi / n), rtol=1e-4)
    else:
        graph = generate.stochastic_block_model([900, 900], [[0.02, 0.005], [0.005, 0.02]]).graph
        part = graph.largest_component()
        a, b = part.nodes[0], part.nodes[-1]
        sparse_value = measure.resistance(part, a, b)
        sparse_connectivity = measure.algebraic_connectivity(part)
        monkeypatch.setattr(resistances, "DENSE_PAIR", 5000)
        assert np.isclose(sparse_value, measure.resistance(part, a, b), rtol=1e-9)
        assert np.isclose(sparse_connectivity, measure.algebraic_connectivity(part), rtol=1e-7)


def test_a_matrix_that_does_not_fit_is_refused(monkeypatch):
    monkeypatch.setattr(resistances, "DENSE_MATRIX", 3)
    ring = generate.ring(5).graph
    with pytest.raises(GraphError, match=r"component of 5 nodes.*single pairs"):
        measure.resistance_matrix(ring)
    assert measure.resistance_diameter(generate.line(9).graph) == 8  # a tree needs no matrix


@given(graphs())
def test_algebraic_connectivity(graph):
    eigenvalues = np.linalg.eigvalsh(graph.laplacian().toarray())
    found = measure.algebraic_connectivity(graph)
    assert np.isclose(found, eigenvalues[1], atol=1e-9)
    assert (found > 1e-9) == graph.is_connected
    if graph.is_connected:  # Theorem 4.2 of paper 000
        diagonal = LaplacianKernel(graph).diagonal()
        assert (diagonal <= np.minimum(1 / found, measure.eccentricities(graph)) + 1e-9).all()


# Covers


def random_distances(n, seed, *, steps=6):
    rng = np.random.default_rng(seed)
    table = np.triu(rng.integers(1, steps, size=(n, n)), 1).astype(float)
    table[table == steps - 1] = math.inf
    return table + table.T


def brute_force_cover(near):
    """Fewest cliques, by dynamic programming over all subsets."""
    n = len(near)
    rows = [sum(1 << j for j in range(n) if near[i, j]) for i in range(n)]
    clique = [True] * (1 << n)
    best = [0] + [n] * ((1 << n) - 1)
    for subset in range(1, 1 << n):
        low = (subset & -subset).bit_length() - 1
        rest = subset & (subset - 1)
        clique[subset] = clique[rest] and rest & ~rows[low] == 0
        part = subset
        while part:
            if part >> low & 1 and clique[part]:
                best[subset] = min(best[subset], best[subset ^ part] + 1)
            part = (part - 1) & subset
    return best[-1]


def assert_covers(cover, near):
    assert sorted(np.concatenate(cover.sets).tolist()) == list(range(len(near)))
    assert all(near[np.ix_(members, members)].all() for members in cover.sets)
    assert len(cover.sets) == cover.number
    assert cover.lower <= cover.number
    assert cover.exact == (cover.lower == cover.number)


@given(st.integers(1, 8), st.integers(0, 9999), st.integers(0, 5))
@settings(max_examples=150)
def test_cover_number_against_brute_force(n, seed, rho):
    distances = random_distances(n, seed)
    cover = measure.cover(distances, rho)
    assert cover.exact
    assert_covers(cover, distances <= rho)
    assert cover.number == brute_force_cover(distances <= rho)
    component = measure.component_cover(distances, rho)
    assert component.number <= cover.number
    assert component.number == nx.number_connected_components(nx.from_numpy_array(distances <= rho))
    wider = measure.cover(distances, rho + 1)
    assert wider.number <= cover.number


@given(st.integers(1, 8), st.integers(0, 9999))
@settings(max_examples=100)
def test_separating_covers_by_their_definition(n, seed):
    """Definition 7: the least cover number over all rho below the distance of the two labels."""
    distances = random_distances(n, seed)
    labels = labelling(n, seed)
    across = distances[np.ix_(labels > 0, labels < 0)]
    delta = across.min() if across.size else math.inf
    radii = [r for r in (0.5, *np.unique(distances[np.isfinite(distances)])) if 0 < r < delta]
    sets = measure.separating_cover(distances, labels)
    components = measure.component_separating_cover(distances, labels)
    assert sets.number == min(measure.cover(distances, r).number for r in radii)
    assert components.number == min(measure.component_cover(distances, r).number for r in radii)
    assert components.number <= sets.number
    for members in (*sets.sets, *components.sets):
        assert len(set(labels[members])) == 1


def test_no_cover_separates_equal_points():
    distances = np.zeros((2, 2))
    for cover in (
        measure.separating_cover(distances, [1, -1]),
        measure.component_separating_cover(distances, [1, -1]),
    ):
        assert cover.number == math.inf
        assert cover.exact
        assert cover.sets == ()
    assert measure.separating_cover(distances, [1, 1]).number == 1


def test_a_search_cut_short_says_so_and_still_covers():
    distances = random_distances(60, 1)
    short = measure.cover(distances, 2, effort=10)
    assert not short.exact
    assert_covers(short, distances <= 2)
    assert short.lower < short.number
    longer = measure.cover(distances, 2, effort=200_000)
    assert_covers(longer, distances <= 2)
    assert short.lower <= longer.number <= short.number


def test_covers_of_curves_are_exact_at_any_size():
    moons = generate.two_moons(600)
    distances = np.hypot(*(moons.points[:, None] - moons.points).transpose(2, 0, 1))
    cover = measure.cover(distances, 0.3)
    assert cover.exact
    assert_covers(cover, distances <= 0.3)
    line = measure.geodesic_matrix(generate.line(300).graph)
    assert measure.cover(line, 9).number == 30


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda g: measure.cut(g, [1, -1]), ShapeError, "labels must have 3 entries"),
        (lambda g: measure.cut(g, [1, 0, 1]), GraphError, r"labels\[1\] is 0"),
        (lambda g: measure.balance([]), GraphError, "empty"),
        (lambda g: measure.imbalance([2.0]), GraphError, r"labels\[0\] is 2"),
        (lambda g: measure.geodesic(g, 0, "x"), UnknownNode, "'x'"),
        (lambda g: measure.resistance(g, 9, 0), UnknownNode, "9"),
        (lambda g: measure.algebraic_connectivity(generate.clique(1)), GraphError, "two nodes"),
        (lambda g: measure.cover([[0, 1]], 1), ShapeError, "square"),
        (lambda g: measure.cover([[0, "x"], [1, 0]], 1), ShapeError, "numbers"),
        (lambda g: measure.cover([[0, 1], [2, 0]], 1), ParameterError, "symmetric"),
        (lambda g: measure.cover([[0, math.nan], [math.nan, 0]], 1), ParameterError, r"\[0, 1\] is nan"),
        (lambda g: measure.cover([[0, -1], [-1, 0]], 1), ParameterError, "-1"),
        (lambda g: measure.cover([[1.0]], 1), ParameterError, "distance 0 from itself"),
        (lambda g: measure.cover([[0.0]], math.nan), ParameterError, "rho"),
        (lambda g: measure.component_cover([[0.0]], -1), ParameterError, "rho"),
        (lambda g: measure.cover([[0.0]], 1, effort=-1), ParameterError, "effort"),
    ],
)
def test_bad_input_is_named(make, error, words):
    with pytest.raises(error, match=words) as caught:
        make(generate.line(3).graph)
    assert isinstance(caught.value, OhmlineError)


@pytest.mark.parametrize(
    "function",
    [
        measure.diameter,
        measure.eccentricities,
        measure.geodesic_matrix,
        measure.resistance_matrix,
        measure.resistance_diameter,
        measure.algebraic_connectivity,
        lambda graph: measure.resistance(graph, 0, 0),
    ],
)
def test_negative_edges_have_no_length(function):
    signed = Graph.from_edges([(0, 1, -1.0), (1, 2, 1.0), (0, 2, 1.0)], signed=True)
    with pytest.raises(GraphError, match="positive weights"):
        function(signed)
