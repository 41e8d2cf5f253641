"""Minimum cuts and paths side by side, against literal searches; what paper 001 says of barbells and flowers."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

import ohmline as ohm
from ohmline.bound import labelling_bits
from ohmline.bound.halving import _contracted_bits
from ohmline.errors import GraphError, ParameterError
from ohmline.graph import generate, measure
from thin_graphs import KINDS, cuts, every_labelling, thin_graph


@pytest.mark.parametrize("seed", range(40))
def test_the_minimum_cut_is_that_of_a_list_of_all_labellings(seed: int) -> None:
    graph = thin_graph(KINDS[seed % 6], np.random.default_rng(seed))
    both = every_labelling(graph)[1:-1]
    assert measure.minimum_cut(graph) == cuts(graph, both).min()
    a, b, _ = graph.edges()
    assert measure.minimum_cut(graph, weighted=False) == (both[:, a] != both[:, b]).sum(axis=1).min()


def test_a_minimum_cut_needs_two_nodes_and_no_negative_weight() -> None:
    with pytest.raises(GraphError, match="at least two nodes"):
        measure.minimum_cut(ohm.Graph.from_edges([], nodes=[0]))
    with pytest.raises(GraphError, match="negative"):
        measure.minimum_cut(ohm.Graph.from_edges([(0, 1, -1.0)], signed=True))
    assert measure.minimum_cut(generate.hypercube(5).graph) == 5
    with pytest.raises(ParameterError, match="weighted must be True or False"):
        measure.minimum_cut(generate.ring(3).graph, weighted=None)


def contraction_bits(seed: int) -> bool:
    """The bound of contractions holds; whether it is below that of all sets of edges."""
    kinds = ["ring", "clique with tails", "any", "signed"]
    graph = thin_graph(kinds[seed % 4], np.random.default_rng(seed), most=8)
    a, b, w = graph.edges()
    every = every_labelling(graph)
    counts = (every[:, a] * every[:, b] * np.sign(w) < 0).sum(axis=1)
    budget = int(np.random.default_rng(seed).integers(0, graph.n_edges + 1))
    found = labelling_bits(graph, budget, connectivity=True)
    assert (counts <= budget).sum() <= 2 ** (found + 1e-12)  # there may be none on a signed graph
    plain = labelling_bits(graph, budget)
    assert found <= plain
    return found < plain


@pytest.mark.parametrize("number", [200, pytest.param(5000, marks=pytest.mark.slow)])
def test_contractions_bound_the_number_of_labellings(number: int) -> None:
    assert sum(contraction_bits(seed) for seed in range(number)) > number // 20


def test_contractions_count_nearly_exactly_on_a_ring() -> None:
    """A ring has the most minimum cuts that a graph can have: n (n - 1) / 2, each of two labellings."""
    ring = generate.ring(12).graph
    assert labelling_bits(ring, 2, connectivity=True) == pytest.approx(np.log2(2 + 12 * 11))
    assert labelling_bits(ring, 1, connectivity=True) == 1
    apart = ohm.Graph.from_edges([(0, 1), (2, 3)])
    assert labelling_bits(apart, 1, connectivity=True) == labelling_bits(apart, 1)
    with pytest.raises(ParameterError, match="connectivity must be True or False"):
        labelling_bits(ring, 1, connectivity=1)


def signed_cliques(n: int) -> list[ohm.Graph]:
    """All cliques whose first node has positive edges only; every other one has as many labellings as one of these."""
    pairs = list(itertools.combinations(range(n), 2))
    signs = itertools.product((-1.0, 1.0), repeat=len(pairs) - n + 1)
    weights = ([1.0] * (n - 1) + list(rest) for rest in signs)
    return [
        ohm.Graph.from_edges([(a, b, w) for (a, b), w in zip(pairs, found, strict=True)], signed=True)
        for found in weights
    ]


def test_contractions_bound_signed_labellings_by_twice_the_budget() -> None:
    """A signed graph can have more labellings than cuts of as many edges, as a negative triangle has."""
    triangle = ohm.Graph.from_edges([(0, 1, -1.0), (1, 2, -1.0), (0, 2, -1.0)], signed=True)
    assert measure.minimum_cut(triangle, weighted=False) == 2
    assert (cuts(triangle, every_labelling(triangle)) <= 1).sum() == 6 > 2 ** _contracted_bits(3, 1, 2)
    smaller = 0
    for graph in [triangle, *signed_cliques(4), *signed_cliques(5)]:
        counts = cuts(graph, every_labelling(graph))
        for k in range(int(counts.min()), graph.n_edges + 1):
            found = labelling_bits(graph, k, connectivity=True)
            assert np.log2((counts <= k).sum()) <= found + 1e-12
            smaller += found < labelling_bits(graph, k)
    assert smaller > 0


def test_contractions_need_the_minimum_cut_to_be_right() -> None:
    """With a larger minimum cut than there is the count would be too small."""
    ring = generate.ring(12).graph
    every = every_labelling(ring)
    assert _contracted_bits(12, 2, 3) < np.log2((cuts(ring, every) <= 2).sum())


def side_by_side(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = thin_graph(KINDS[seed % 6], rng)
    table = measure.resistance_matrix(graph)
    i, j = rng.integers(graph.n, size=2).tolist()
    found = measure.parallel_resistance(graph, i, j)
    assert table[i, j] <= found * (1 + 1e-9)
    assert found <= measure.geodesic(graph, i, j) * (1 + 1e-12)


@pytest.mark.parametrize("number", [300, pytest.param(5000, marks=pytest.mark.slow)])
def test_paths_side_by_side_bound_the_resistance(number: int) -> None:
    for seed in range(number):
        side_by_side(seed)


def test_paths_must_be_paths_that_share_no_edge() -> None:
    ring = generate.ring(6).graph
    both = [[0, 1, 2], [0, 5, 4, 3, 2]]
    assert measure.parallel_resistance(ring, 0, 2, both) == pytest.approx(measure.resistance(ring, 0, 2))
    # Sharing an edge would halve a resistance that is not there to be halved.
    assert measure.resistance(ring, 0, 2) > 1 / (1 / 2 + 1 / 2)
    with pytest.raises(GraphError, match=r"edge \(0, 1\) is used twice"):
        measure.parallel_resistance(ring, 0, 2, [[0, 1, 2], [0, 1, 2]])
    with pytest.raises(GraphError, match=r"no edge \(0, 2\)"):
        measure.parallel_resistance(ring, 0, 2, [[0, 2]])
    with pytest.raises(GraphError, match="must lead from"):
        measure.parallel_resistance(ring, 0, 2, [[0, 1]])
    assert measure.parallel_resistance(ring, 0, 2, []) == np.inf
    assert measure.parallel_resistance(ring, 3, 3) == 0


Slack = Callable[[ohm.Graph], float]


def spare_bits(graph: ohm.Graph) -> float:
    """How far the bound of contractions is above the truth, at the budget where it is least far."""
    a, b, _ = graph.edges()
    every = every_labelling(graph)
    counts = (every[:, a] != every[:, b]).sum(axis=1)
    return min(
        labelling_bits(graph, k, connectivity=True) - float(np.log2((counts <= k).sum()))
        for k in range(graph.n_edges + 1)
    )


def spare_resistance(graph: ohm.Graph) -> float:
    """How far paths side by side are above the resistance, for the first and the last node."""
    last = graph.n - 1
    return measure.parallel_resistance(graph, 0, last) - measure.resistance(graph, 0, last)


def hunt(seed: int, slack: Slack) -> None:
    """Put in or take out the edge that brings a bound nearest to the truth, three times."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 6))
    pairs = list(itertools.combinations(range(n), 2))
    edges = {pair for pair in pairs if rng.random() < 0.7} | {(k, k + 1) for k in range(n - 1)}
    for _ in range(3):
        tried = [edges ^ {pair} for pair in pairs]
        graphs = [ohm.Graph.from_edges(sorted(found), nodes=range(n)) for found in tried]
        slacks = [slack(graph) if graph.is_connected else np.inf for graph in graphs]
        assert min(slacks) >= -1e-9
        edges = tried[int(np.argmin(slacks))]


@pytest.mark.parametrize("slack", [spare_bits, spare_resistance])
@pytest.mark.parametrize("number", [15, pytest.param(500, marks=pytest.mark.slow)])
def test_a_greedy_search_finds_no_graph_that_beats_a_bound(slack: Slack, number: int) -> None:
    for seed in range(number):
        hunt(seed, slack)


def thick(m: int, bridges: list[tuple[int, int]]) -> ohm.Graph:
    inside = list(itertools.combinations(range(m), 2))
    return ohm.Graph.from_edges(
        [*inside, *((m + a, m + b) for a, b in inside), *((a, m + b) for a, b in bridges)]
    )


@pytest.mark.parametrize("m", [2, 3, 4, 6, 8])
def test_thick_barbells_have_a_resistance_diameter_of_at_most_five_over_the_bridges(m: int) -> None:
    """Section 4, wherever the bridges are: at random, in a star, in a corner, side by side."""
    rng = np.random.default_rng(m)
    everywhere = list(itertools.product(range(m), repeat=2))
    for number in range(1, m):
        corner = [pair for pair in everywhere if max(pair) < np.ceil(np.sqrt(number))][:number]
        places = [[(0, b) for b in range(number)], [(a, a) for a in range(number)], corner]
        places += [[everywhere[i] for i in rng.permutation(m * m)[:number]] for _ in range(10)]
        for bridges in places:
            graph = thick(m, bridges)
            assert measure.resistance_diameter(graph) <= 5 / number
            labels = np.repeat([1, -1], m)
            # b = 1/4n and beta = 0: at most 4 l (5/l + b) = 20 + l/n mistakes, and the paper says 20.
            assert 4 * measure.cut(graph, labels) * measure.resistance_diameter(graph) <= 20


@pytest.mark.parametrize(("p", "m"), [(2, 3), (3, 50), (5, 400), (8, 3000)])
def test_the_flower_is_nearly_tight(p: int, m: int) -> None:
    """Section 3: (p - 1) - (p - 1)^2 p^2 / 4m <= ||v_1||^2 <= p."""
    graph = generate.flower(p, m).graph
    sqlength = ohm.LaplacianKernel(graph).entry(0, 0)
    assert (p - 1) - (p - 1) ** 2 * p**2 / (4 * m) <= sqlength <= p == measure.eccentricity(graph, 0)
    assert 1 / sqlength <= 1 / (p - 1) + p**2 / (4 * m)


def test_one_odd_vertex_has_the_balance_of_a_quarter_square() -> None:
    for n in (4, 10, 100):
        assert measure.balance([1] * (n - 1) + [-1]) == pytest.approx(n**2 / 4)  # the paper prints n^2
