"""Halving against a list of all labellings, its bound, and what it refuses."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from ohmline.errors import (
    ConflictingLabels,
    GraphError,
    LabelError,
    ParameterError,
    SnapshotError,
    UnknownNode,
)
from ohmline.graph.generate import barbell, clique, line, ring, star, tree
from ohmline.learn.halving.elimination import eliminated
from thin_graphs import KINDS, cuts, every_labelling, thin_graph


@st.composite
def forests(draw: st.DrawFn) -> ohm.Graph:
    n = draw(st.integers(1, 8))
    edges = [
        (draw(st.integers(0, k - 1)), k, draw(st.sampled_from([1, 1, 1, 2])))
        for k in range(1, n)
        if draw(st.booleans()) or draw(st.booleans())
    ]
    return ohm.Graph.from_edges(edges, nodes=range(n))


def all_labellings(graph: ohm.Graph, budget: int) -> list[tuple[int, ...]]:
    u, v, w = graph.edges()
    return [
        labelling
        for labelling in itertools.product((-1, 1), repeat=graph.n)
        if sum(c for a, b, c in zip(u, v, w, strict=True) if labelling[a] != labelling[b]) <= budget
    ]


@settings(max_examples=120)
@given(forests(), st.integers(0, 5), st.randoms(use_true_random=False))
def test_counts_and_predictions_equal_those_of_a_list_of_all_labellings(
    graph: ohm.Graph, budget: int, random: object
) -> None:
    version_space = all_labellings(graph, budget)
    truth = random.choice(version_space)
    learner = ohm.Halving(graph, budget)
    for _ in range(graph.n + 3):
        assert learner.labellings == len(version_space)
        for i in range(graph.n):
            plus = sum(u[i] > 0 for u in version_space)
            assert learner.margin_one(i) == (2 * plus - len(version_space)) / len(version_space)
            assert learner.predict_one(i) == (1 if 2 * plus >= len(version_space) else -1)
        i = random.randrange(graph.n)
        said = learner.predict_one(i)
        left = [u for u in version_space if u[i] == truth[i]]
        update = learner.learn_one(i, truth[i])
        assert update.mistake == (said != truth[i])
        assert update.updated == (len(left) < len(version_space))
        assert update.progress == pytest.approx(math.log2(len(version_space) / len(left)), abs=1e-12)
        version_space = left


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", [25, pytest.param(300, marks=pytest.mark.slow)])
def test_thin_graphs_are_counted_as_a_list_of_all_labellings_is(kind: str, number: int) -> None:
    for seed in range(number):
        rng = np.random.default_rng(seed)
        graph = thin_graph(kind, rng, most=8)
        every = every_labelling(graph)
        costs = cuts(graph, every)
        exactly = bool(rng.integers(2))
        budget = int(rng.choice(costs))
        left = every[costs == budget if exactly else costs <= budget]
        truth = left[rng.integers(len(left))]
        learner = ohm.Halving(graph, budget, exactly=exactly)
        for i in rng.integers(graph.n, size=graph.n + 2).tolist():
            assert learner.labellings == len(left)
            for j in range(graph.n):
                plus = int((left[:, j] > 0).sum())
                assert learner.margin_one(j) == (2 * plus - len(left)) / len(left)
            update = learner.learn_one(i, int(truth[i]))
            fewer = left[left[:, i] == truth[i]]
            assert update.progress == pytest.approx(math.log2(len(left) / len(fewer)), abs=1e-12)
            left = fewer


def grid(rows: int, columns: int) -> ohm.Graph:
    across = [(columns * i + j, columns * i + j + 1) for i in range(rows) for j in range(columns - 1)]
    down = [(columns * i + j, columns * (i + 1) + j) for i in range(rows - 1) for j in range(columns)]
    return ohm.Graph.from_edges(across + down)


def series_parallel(n: int, seed: int) -> ohm.Graph:
    return thin_graph("series-parallel", np.random.default_rng(seed), most=n)


@pytest.mark.parametrize(
    ("graph", "width"),
    [
        (ohm.Graph.from_edges([], nodes=range(3)), 0),
        (line(30).graph, 1),
        (tree(40), 1),
        (star(30), 1),
        (ring(40).graph, 2),
        *((series_parallel(30, seed), 2) for seed in range(5)),
        (grid(2, 20), 2),
        (grid(3, 20), 3),
        (grid(4, 12), 4),
        (clique(7), 6),
        (barbell(6).graph, 5),
    ],
)
def test_the_width_of_graphs_whose_width_is_known(graph: ohm.Graph, width: int) -> None:
    assert ohm.Halving(graph, 2).width == width


@pytest.mark.parametrize("seed", range(30))
def test_the_elimination_is_one(seed: int) -> None:
    """Every node once; those later are what literal elimination leaves, and each turn follows one of the rules."""
    graph = thin_graph("any", np.random.default_rng(seed), most=9)
    found = eliminated(graph, graph.n)
    near = {i: set(graph.indices[graph.indptr[i] : graph.indptr[i + 1]].tolist()) for i in range(graph.n)}

    def fill(i: int) -> int:
        return sum(b not in near[a] for a, b in itertools.combinations(near[i], 2))

    by_fill, by_degree = True, True
    for k, v in enumerate(found.order):
        by_fill &= fill(v) == min(fill(i) for i in near)
        by_degree &= len(near[v]) == min(len(others) for others in near.values())
        assert set(found.later[v]) == near[v]
        assert list(found.later[v]) == [w for w in found.order[k:] if w in near[v]]
        for a, b in itertools.permutations(near[v], 2):
            near[a].add(b)
        for a in near.pop(v):
            near[a].discard(v)
    assert not near
    assert by_fill or by_degree
    assert found.width == max(len(later) for later in found.later.values())


def test_a_graph_too_wide_is_refused_with_its_width_and_the_remedy() -> None:
    with pytest.raises(GraphError, match=r"width of 11 or more, above width_limit=8; raise width_limit"):
        ohm.Halving(clique(12), 3)
    assert ohm.Halving(clique(12), 11, width_limit=11).labellings == 2 + 24
    wide = ohm.Halving(grid(7, 7), 4, width_limit=9)
    again = ohm.Halving.restore(wide.snapshot(), wide.graph)
    assert (again.width_limit, again.labellings) == (9, wide.labellings)


def test_the_cuts_of_a_ring_are_pairs_of_its_edges() -> None:
    learner = ohm.Halving(ring(200).graph, 4)
    assert learner.labellings == 2 * (1 + math.comb(200, 2) + math.comb(200, 4))
    assert ohm.Halving(clique(9), 8).labellings == 2 + 2 * 9  # one node against the others


@settings(max_examples=40)
@given(forests(), st.integers(0, 4), st.randoms(use_true_random=False))
def test_mistakes_are_at_most_the_logarithm_of_the_labellings(
    graph: ohm.Graph, budget: int, random: object
) -> None:
    truth = random.choice(all_labellings(graph, budget))
    learner = ohm.Halving(graph, budget)
    limit = math.log2(learner.labellings)
    order = list(range(graph.n))
    random.shuffle(order)
    trace = ohm.play(learner, [(i, truth[i]) for i in order])
    assert trace.mistakes <= limit
    assert trace.progress.sum() <= limit + 1e-9


def adversary(learner: ohm.Halving, graph: ohm.Graph, budget: int) -> int:
    """Always says the opposite of the prediction while some labelling within the budget allows it."""
    mistakes = 0
    while True:
        turns = [i for i in range(graph.n) if abs(learner.margin_one(i)) < 1]
        if not turns:
            return mistakes
        i = min(turns, key=lambda k: abs(learner.margin_one(k)))
        learner.learn_one(i, -learner.predict_one(i))
        mistakes += 1


@pytest.mark.parametrize(("n", "most"), [(8, 4), (16, 5), (64, 7)])
def test_a_line_costs_a_logarithm_against_an_adversary(n: int, most: int) -> None:
    graph = line(n).graph
    learner = ohm.Halving(graph, 1)
    assert learner.labellings == 2 * n
    assert adversary(learner, graph, 1) <= most


def test_a_long_line_and_a_wide_star_are_counted_quickly() -> None:
    long = ohm.Halving(line(3000).graph, 2)
    assert long.labellings == 2 * (1 + 2999 + math.comb(2999, 2))
    wide = ohm.Halving(star(400), 3)
    assert wide.labellings == 2 * sum(math.comb(wide.graph.n - 1, c) for c in range(4))
    free = ohm.Halving(tree(300), 10**6)
    assert free.labellings == 2**free.graph.n
    free.learn_one(0, -1)
    assert free.margin_one(1) == 0.0
    assert free.predict_one(1) == 1


def test_a_budget_of_nothing_leaves_one_label_per_component() -> None:
    graph = ohm.Graph.from_edges([(0, 1), (2, 3)], nodes=range(5))
    learner = ohm.Halving(graph, 0)
    assert learner.labellings == 8
    learner.learn_one(0, -1)
    assert [learner.margin_one(k) for k in range(5)] == [-1, -1, 0, 0, 0]
    assert learner.learn_one(1, None) == ohm.Update(None, False, 0.0)


def test_a_majority_too_slim_for_a_float_is_no_tie() -> None:
    # Only the alternating labellings are beyond the budget, 2 of 2^1200.
    learner = ohm.Halving(line(1200).graph, 1198)
    learner.learn_one(0, -1)
    assert 0 > learner.margin_one(1) > -1e-300
    assert learner.predict_one(1) == -1
    assert ohm.Halving(line(40).graph, 39).margin_one(1) == 0


def test_a_snapshot_brings_it_back() -> None:
    graph = tree(15)
    learner = ohm.Halving(graph, 3)
    for i, y in [(0, 1), (5, -1), (9, 1)]:
        learner.learn_one(i, y)
    again = ohm.Halving.restore(learner.snapshot(), graph)
    assert again.labellings == learner.labellings
    assert [again.margin_one(k) for k in range(graph.n)] == [learner.margin_one(k) for k in range(graph.n)]
    with pytest.raises(SnapshotError, match="15 nodes, the kernel has 3"):
        ohm.Halving.restore(learner.snapshot(), line(3).graph)


def test_names_of_ones_own() -> None:
    graph = ohm.Graph.from_edges([("a", "b"), ("b", "c")])
    learner = ohm.Halving(graph, 1)
    learner.learn_one("a", -1)
    assert learner.predict_one("b") == -1
    with pytest.raises(UnknownNode, match="'z'"):
        learner.predict_one("z")


def test_a_label_that_contradicts_every_labelling_changes_nothing() -> None:
    learner = ohm.Halving(line(4).graph, 1)
    learner.learn_one(0, 1)
    learner.learn_one(2, -1)
    before = learner.labellings
    with pytest.raises(ConflictingLabels, match=r"label \+1 of node 3 .* raise cut_budget"):
        learner.learn_one(3, 1)
    with pytest.raises(ConflictingLabels, match="node 0"):
        learner.learn_one(0, -1)
    assert learner.labellings == before


def test_bad_input_is_refused() -> None:
    with pytest.raises(ParameterError, match="cut_budget must be a whole number of at least 0, got -1"):
        ohm.Halving(line(4).graph, -1)
    with pytest.raises(ParameterError, match="cut_budget"):
        ohm.Halving(line(4).graph, 1.5)
    with pytest.raises(GraphError, match=r"an edge weighs 0\.5; give every edge a whole weight"):
        ohm.Halving(ohm.Graph.from_edges([(0, 1, 0.5)]), 1)
    with pytest.raises(ParameterError, match="width_limit must be a whole number of at least 1, got 0"):
        ohm.Halving(line(4).graph, 1, width_limit=0)
    with pytest.raises(
        ParameterError, match=r"cut of exactly cut_budget=1000000000000 .* together weigh 3\)"
    ):
        ohm.Halving(line(4).graph, 10**12, exactly=True)
    unbalanced = ohm.Graph.from_edges([(0, 1, -1.0), (1, 2, -1.0), (0, 2, -1.0)], signed=True)
    with pytest.raises(ParameterError, match=r"cut of at most cut_budget=0 .*raise it"):
        ohm.Halving(unbalanced, 0)
    assert ohm.Halving(unbalanced, 1).labellings == 6
    with pytest.raises(LabelError, match="2"):
        ohm.Halving(line(4).graph, 1).learn_one(0, 2)


def test_ties_predict_plus_one() -> None:
    learner = ohm.Halving(line(4).graph, 1)
    assert [learner.predict_one(k) for k in range(4)] == [1, 1, 1, 1]
    assert np.all([learner.margin_one(k) == 0 for k in range(4)])
