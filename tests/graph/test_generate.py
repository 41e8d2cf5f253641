"""Every family has the counts, cuts and diameters that its documentation and its paper give."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from ohmline.errors import LabelError, OhmlineError, ParameterError, ShapeError, UnknownNode
from ohmline.graph import Graph, generate, measure
from ohmline.kernel import LaplacianKernel

small = st.integers(2, 7)


def degrees(graph):
    return np.diff(graph.indptr)


@given(st.integers(2, 12))
def test_line_and_ring(n):
    line = generate.line(n)
    assert measure.diameter(line.graph) == n - 1
    assert measure.cut(line.graph, line.labels) == 1
    ring = generate.ring(n + 1)
    assert measure.diameter(ring.graph) == (n + 1) // 2
    assert measure.cut(ring.graph, ring.labels) == 2
    assert set(degrees(ring.graph)) == {2}


@given(st.integers(1, 6))
def test_hypercube(d):
    cube = generate.hypercube(d)
    assert cube.graph.n_edges == d * 2 ** (d - 1)
    assert measure.diameter(cube.graph) == d
    assert measure.cut(cube.graph, cube.labels) == 2 ** (d - 1)
    assert np.isclose(measure.algebraic_connectivity(cube.graph), 2)


@given(small)
def test_clique_and_star(n):
    assert generate.clique(n).n_edges == n * (n - 1) // 2
    assert np.isclose(measure.resistance(generate.clique(n), 0, 1), 2 / n)
    assert measure.eccentricity(generate.star(n), 0) == 1
    assert measure.diameter(generate.star(n)) == 2


@given(st.integers(1, 30), st.integers(0, 1000))
def test_tree(n, seed):
    tree = generate.tree(n, seed=seed)
    assert tree.is_connected
    assert tree.n_edges == n - 1


@given(small, small)
def test_barbells(m, edges):
    barbell = generate.barbell(m)
    assert measure.cut(barbell.graph, barbell.labels) == 1
    assert measure.diameter(barbell.graph) == 3
    assert measure.balance(barbell.labels) == 1
    edges = min(edges, m)
    thick = generate.thick_barbell(m, edges)
    assert measure.cut(thick.graph, thick.labels) == edges
    assert thick.graph.n_edges == m * (m - 1) + edges
    assert measure.resistance_diameter(thick.graph) <= 5 / edges + 1e-12
    k = m // 2
    noisy = generate.noisy_barbell(m, k)
    assert np.count_nonzero(noisy.labels != noisy.clean) == k
    assert measure.cut(noisy.graph, noisy.clean) == 1
    assert measure.cut(noisy.graph, noisy.labels) == k * (m - k) + 1


@given(st.integers(1, 5), st.integers(1, 4))
def test_octopus(m, p):
    octopus = generate.octopus(m, p)
    head = m * p + 1
    assert octopus.graph.n == head + m * p + 1
    assert measure.imbalance(octopus.labels) == 0
    assert measure.cut(octopus.graph, octopus.labels) == 1
    tip_to_tip = 2 * p if m > 1 else 0
    assert measure.diameter(octopus.graph) == max(p + 2, tip_to_tip)
    assert all(octopus.labels[node] == label for node, label in octopus.sequence)
    tips = [node for node, label in octopus.sequence if label < 0]
    assert len(tips) == m
    root = measure.geodesics_from(octopus.graph, head)
    assert all(root[tip] == p for tip in tips)
    assert generate.octopus(m, p, head=m + 9).graph.n == m + 9 + m * p + 1


def test_flower_meets_the_diameter_bound_with_a_gap_of_one():
    p, m = 8, 3000
    flower = generate.flower(p, m)
    assert measure.diameter(flower.graph) == p
    sqnorm = LaplacianKernel(flower.graph).diagonal()[0]
    assert (p - 1) - (p - 1) ** 2 * p**2 / (4 * m) <= sqnorm <= p
    assert round(sqnorm, 3) == 6.982


@given(st.integers(1, 6), st.integers(1, 30))
def test_flower_sqnorm_lies_in_its_interval(p, m):
    flower = generate.flower(p, m)
    assert measure.cut(flower.graph, flower.labels) == m
    sqnorm = LaplacianKernel(flower.graph).diagonal()[0]
    assert (p - 1) - (p - 1) ** 2 * p**2 / (4 * m) <= sqnorm + 1e-9
    assert sqnorm <= p + 1e-9


@pytest.mark.parametrize(("m", "bound"), [(10, 41), (40, 99), (160, 338)])
def test_three_clusters_give_the_perceptron_a_growing_bound(m, bound):
    three = generate.three_clusters(m)
    cut = measure.cut(three.graph, three.labels)
    assert cut == m // 2 + 1
    resistances = measure.resistance_matrix(three.graph)
    assert abs(8 * cut * resistances.max() - bound) <= 1.5  # random edges move it a little
    cover = measure.cover(resistances, 2 / (m - 1))
    assert (cover.number, cover.exact) == (3, True)
    assert cover.number + 4 * cut * 2 / (m - 1) + 1 <= 20


@given(st.integers(2, 9), st.integers(0, 99), st.data())
def test_k_out_and_hierarchical(q, seed, data):
    k = data.draw(st.integers(1, q - 1))
    graph = generate.k_out(q, k, seed=seed)
    assert graph.n_edges <= k * q
    assert degrees(graph).min() >= k
    both = generate.hierarchical(q, k, seed=seed)
    assert both.graph.n == q * q
    sources, targets, _ = both.graph.edges()
    across = both.groups[sources] != both.groups[targets]
    assert np.count_nonzero(across) <= k * q
    for c in range(q):
        assert degrees(both.graph.subgraph(range(c * q, (c + 1) * q))).min() >= k


def test_hierarchical_of_the_paper():
    clean = generate.hierarchical(26, 2, seed=4)
    assert clean.graph.n == 676
    noisy = generate.hierarchical(26, 2, noise=0.1, seed=4)
    assert noisy.graph == clean.graph
    assert set(np.unique(noisy.labels)) == {-1, 1}
    assert measure.cut(noisy.graph, noisy.labels) > measure.cut(clean.graph, clean.labels)


@given(st.integers(2, 20), st.integers(0, 999))
def test_diffusion_without_noise_explains_every_label(n, seed):
    """Each node that was not labelled has a neighbour of its own label."""
    graph = generate.tree(n, seed=seed)
    given_labels = {0: 1, n - 1: -1}
    labels = generate.diffuse(graph, given_labels, seed=seed)
    assert labels[0] == 1
    assert labels[n - 1] == -1
    for i in range(1, n - 1):
        assert labels[i] in [labels[j] for j in graph.neighbours(i)]


def test_diffusion_reaches_every_component_and_flips_at_its_rate():
    two = Graph.from_edges([(0, 1), (2, 3)], nodes=range(5))
    assert set(generate.diffuse(two, {0: 1})) <= {-1, 1}
    star = generate.star(4000)
    labels = generate.diffuse(star, {0: 1}, noise=0.1)
    assert 0.08 < np.mean(labels == -1) < 0.12
    assert np.array_equal(labels, generate.diffuse(star, {0: 1}, noise=0.1))
    assert (generate.diffuse(star, {0: 1}, noise=1.0)[1:] == -1).all()


def test_stochastic_block_model_has_the_expected_edges():
    table = np.array([[0.3, 0.05], [0.05, 0.2]])
    model = generate.stochastic_block_model([300, 200], table, seed=2)
    sources, targets, _ = model.graph.edges()
    for a, b, pairs in ((0, 0, 300 * 299 / 2), (0, 1, 300 * 200), (1, 1, 200 * 199 / 2)):
        found = np.count_nonzero((model.groups[sources] == a) & (model.groups[targets] == b))
        expected = pairs * table[a, b]
        assert abs(found - expected) < 5 * np.sqrt(expected)
    assert model.labels[model.groups == 0].tolist() == [1] * 300
    full = generate.stochastic_block_model([4, 3], np.ones((2, 2)))
    assert full.graph == generate.clique(7)
    assert generate.stochastic_block_model([4], [[0.0]]).graph.n_edges == 0


@given(st.integers(1, 25), st.floats(0.05, 1.0), st.integers(1, 3), st.integers(0, 99))
def test_random_geometric_joins_exactly_the_near_pairs(n, radius, dimension, seed):
    cloud = generate.random_geometric(n, radius, dimension=dimension, seed=seed)
    near = cdist(cloud.points, cloud.points) <= radius
    np.fill_diagonal(near, False)
    assert np.array_equal(cloud.graph.adjacency.toarray() > 0, near)


@given(st.integers(1, 15), st.integers(0, 99))
def test_strips_form_two_path_connected_sets(n, seed):
    strips = generate.strips(n, seed=seed)
    assert strips.points.shape == (6 * n - 2, 2)
    assert strips.asked.tolist() == list(range(n))
    distances = cdist(strips.points, strips.points)
    across = distances[np.ix_(strips.labels > 0, strips.labels < 0)]
    assert across.min() >= 1
    for label in (-1, 1):
        of = strips.labels == label
        assert measure.component_cover(distances[np.ix_(of, of)], 0.5).number == 1
    assert measure.component_separating_cover(distances, strips.labels).number == 2


def test_two_moons():
    moons = generate.two_moons(201, noise=0.0)
    assert moons.points.shape == (201, 2)
    assert np.count_nonzero(moons.labels > 0) == 101
    upper, lower = moons.points[moons.labels > 0], moons.points[moons.labels < 0]
    assert np.allclose(np.hypot(*upper.T), 1)
    assert np.allclose(np.hypot(lower[:, 0] - 1, lower[:, 1] - 0.5), 1)
    again = generate.two_moons(201, noise=0.1, seed=3).points
    assert np.array_equal(again, generate.two_moons(201, noise=0.1, seed=3).points)
    assert 0.08 < np.std(again - moons.points) < 0.12


def test_a_seed_gives_the_same_graph_and_another_another():
    for family in (
        lambda seed: generate.three_clusters(9, seed).graph,
        lambda seed: generate.k_out(9, 2, seed=seed),
        lambda seed: generate.hierarchical(5, 2, seed=seed).graph,
        lambda seed: generate.tree(30, seed=seed),
        lambda seed: generate.random_geometric(30, 0.3, seed=seed).graph,
        lambda seed: generate.stochastic_block_model([9, 9], np.full((2, 2), 0.4), seed=seed).graph,
    ):
        assert family(1) == family(1)
        assert family(1) != family(2)


def test_every_family_fills_in_what_it_has_not():
    line = generate.line(3)
    assert line.sequence == ((0, 1), (1, 1), (2, -1))
    assert np.array_equal(line.clean, line.labels)
    assert line.groups.tolist() == [0, 0, 0]
    assert line.points is None


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: generate.line(0), ParameterError, "n must be a whole number of at least 1"),
        (lambda: generate.ring(2), ParameterError, "at least 3"),
        (lambda: generate.barbell(1), ParameterError, "m must be"),
        (lambda: generate.thick_barbell(3, 4), ParameterError, "edges is 4.*at most 3"),
        (lambda: generate.noisy_barbell(3, 3), ParameterError, "k is 3"),
        (lambda: generate.three_clusters(3, edges=4), ParameterError, "edges is 4"),
        (lambda: generate.octopus(4, 2, head=3), ParameterError, "head"),
        (lambda: generate.k_out(3, 3), ParameterError, "k is 3.*q - 1 = 2"),
        (lambda: generate.hierarchical(4, 2, noise=1.5), ParameterError, "noise must lie"),
        (lambda: generate.diffuse(generate.star(2), {}), LabelError, "labels is empty"),
        (lambda: generate.diffuse(generate.star(2), {0: 2}), LabelError, "node 0 is 2"),
        (lambda: generate.diffuse(generate.star(2), {9: 1}), UnknownNode, "unknown node 9"),
        (lambda: generate.stochastic_block_model([2], [[1, 1]]), ShapeError, "1 x 1"),
        (lambda: generate.stochastic_block_model([2], [[2.0]]), ParameterError, "between 0 and 1"),
        (lambda: generate.stochastic_block_model([0], [[1.0]]), ParameterError, "block size"),
        (lambda: generate.random_geometric(3, -1), ParameterError, "radius"),
        (lambda: generate.two_moons(9, noise=-1), ParameterError, "noise"),
    ],
)
def test_bad_sizes_are_named(make, error, words):
    with pytest.raises(error, match=words) as caught:
        make()
    assert isinstance(caught.value, OhmlineError)
