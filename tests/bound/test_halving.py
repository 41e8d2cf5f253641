"""Halving's logarithmic bound, and the choice of the best bound."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from graphs import games
from ohmline.bound import HalvingBound, best_bound, labelling_bits
from ohmline.errors import LearnerError, ParameterError
from ohmline.graph import generate, measure
from ohmline.learn.projection import Contradiction
from thin_graphs import KINDS, cuts, every_labelling, thin_graph


def forest(seed: int, n: int) -> ohm.Graph:
    rng = np.random.default_rng(seed)
    edges = [(int(rng.integers(k)), k) for k in range(1, n) if rng.random() < 0.8]
    return ohm.Graph.from_edges(edges, nodes=range(n))


@given(st.integers(0, 10**6), st.integers(2, 8), st.integers(0, 4))
@settings(max_examples=100)
def test_the_bound_is_never_beaten(seed: int, n: int, slack: int) -> None:
    graph = forest(seed, n)
    rng = np.random.default_rng(seed)
    u = rng.choice([-1, 1], size=n)
    budget = int(measure.cut(graph, u)) + slack
    order = rng.integers(n, size=2 * n)
    trace = ohm.play(ohm.Halving(graph, budget), ohm.Stream(order, u[order]))
    hindsight, live = HalvingBound().certify(trace, u), HalvingBound().certify(trace)
    for certificate in (hindsight, live):
        assert certificate.proven
        assert certificate.charged == int(trace.charged.sum()) <= certificate.value + 1e-9
    assert live.value <= hindsight.value
    every = [np.array(v) for v in itertools.product((-1, 1), repeat=n)]
    within = [v for v in every if measure.cut(graph, v) <= budget]
    fitting = [v for v in within if np.all(v[order] == u[order])]
    assert hindsight.terms["labellings"] == len(within)
    assert hindsight.terms["left"] == len(fitting)
    assert labelling_bits(graph, budget) == pytest.approx(np.log2(len(within)))


@given(st.integers(0, 10**6), st.integers(0, 5))
def test_the_binomial_bound_holds_on_any_graph(seed: int, budget: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 8))
    pairs = [pair for pair in itertools.combinations(range(n), 2) if rng.random() < 0.5]
    graph = ohm.Graph.from_edges(pairs, nodes=range(n))
    within = sum(measure.cut(graph, v) <= budget for v in itertools.product((-1, 1), repeat=n))
    assert np.log2(within) <= labelling_bits(graph, budget) + 1e-9


def survives(trace: ohm.Trace, comparators: Iterable[np.ndarray | None]) -> int:
    """How many certificates of a game of halving there are, none of them beaten."""
    number = 0
    for comparator in comparators:
        certificate = HalvingBound().certify(trace, comparator)
        assert certificate.proven
        assert certificate.charged == int(trace.charged.sum()) <= certificate.value
        number += 1
    return number


def test_a_class_larger_than_any_float_is_shown() -> None:
    trace = ohm.play(ohm.Halving(generate.line(1100).graph, 1100), ohm.Stream([0], [1]))
    certificate = HalvingBound().certify(trace)
    assert certificate.terms["labellings"] == 2**1100
    assert "labellings = 1.358e+331, left = 6.791e+330, cut_budget = 1100" in str(certificate)
    assert certificate.value == 1


def random_game(seed: int) -> int:
    rng = np.random.default_rng(seed)
    graph = thin_graph(KINDS[seed % len(KINDS)], rng, most=7)
    every = every_labelling(graph)
    u = every[rng.integers(len(every))]
    exactly = bool(rng.integers(2))
    budget = int(measure.cut(graph, u)) + (0 if exactly else int(rng.integers(3)))
    order = rng.integers(graph.n, size=2 * graph.n)
    trace = ohm.play(ohm.Halving(graph, budget, exactly=exactly), ohm.Stream(order, u[order]))
    return survives(trace, (u, None))


def adversarial_game(seed: int) -> int:
    """The adversary may answer from any labelling of the learner's own class."""
    rng = np.random.default_rng(seed)
    graph = thin_graph(KINDS[seed % len(KINDS)], rng, most=7)
    every = every_labelling(graph)
    costs = cuts(graph, every)
    exactly, budget = bool(rng.integers(2)), int(rng.choice(costs))
    concepts = every[costs == budget if exactly else costs <= budget]
    trace = ohm.play_adversary(ohm.Halving(graph, budget, exactly=exactly), concepts)
    nodes, labels = np.array(trace.nodes, dtype=int), np.array(trace.labels, dtype=int)
    left = concepts[(concepts[:, nodes] == labels).all(axis=1)]
    assert trace.charged.all()
    assert len(trace) == 0 or HalvingBound().certify(trace, left[0]).value >= 1
    return survives(trace, (left[0], None))


def test_no_game_on_thin_graphs_beats_it() -> None:
    assert sum(random_game(seed) for seed in range(210)) == 420
    assert sum(adversarial_game(seed) for seed in range(70)) == 140


@pytest.mark.slow
def test_five_thousand_games_and_five_hundred_adversaries_on_thin_graphs_do_not_beat_it() -> None:
    assert sum(random_game(10_000 + seed) for seed in range(5000)) == 10_000
    assert sum(adversarial_game(20_000 + seed) for seed in range(500)) == 1000


def test_each_assumption_of_the_bound_is_needed() -> None:
    """A labelling outside the class, a comparator that errs, and a learner with a past: each one breaks the formula."""
    ring = generate.ring(12).graph
    learner = ohm.Halving(ring, 2)
    trace = ohm.play_adversary(learner, every_labelling(ring)[cuts(ring, every_labelling(ring)) <= 2])
    assert len(trace) > 1
    small = np.log2(ohm.Halving(ring, 0).labellings)
    assert len(trace) > small  # with log2 of a class without the truth the bound would be beaten
    constant = np.ones(12)
    assert not HalvingBound().certify(trace, constant).valid  # in the class, and wrong on some trial
    jagged = np.tile([1, -1], 6)
    jagged[np.array(trace.nodes)] = trace.labels
    found = HalvingBound().certify(trace, jagged)
    assert not found.valid  # right on every trial, and beyond the budget
    assert [a.holds for a in found.assumptions] == [True, False, True]
    taught = ohm.Halving(ring, 2)
    taught.learn_one(0, 1)
    later = ohm.play(taught, ohm.Stream([6, 3, 9], [-1, -1, -1]))
    assert not HalvingBound().certify(later).valid


def test_the_cardinality_of_the_paper_holds_from_one_cut_edge_on() -> None:
    """At most C(n (n - 1), k) labellings cut k edges of a connected graph; for k = 0 that says 1, and there are 2."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        graph = thin_graph(["ring", "series-parallel", "clique with tails"][seed % 3], rng, most=7)
        graph = ohm.Graph.from_edges([(int(a), int(b)) for a, b in zip(*graph.edges()[:2], strict=True)])
        for k in range(1, graph.n_edges + 1):
            try:
                size = ohm.Halving(graph, k, exactly=True).labellings
            except ParameterError:
                size = 0
            assert size <= math.comb(graph.n * (graph.n - 1), k)
        assert ohm.Halving(graph, 0, exactly=True).labellings == 2 > math.comb(graph.n * (graph.n - 1), 0)


def test_the_logarithm_on_a_line_is_the_papers_ceiling() -> None:
    """2 (n - 1) labellings cut one edge, so at most floor(log2 2(n - 1)) = ceil(log2 n) whole mistakes."""
    for n in range(2, 40):
        bits = math.log2(ohm.Halving(generate.line(n).graph, 1, exactly=True).labellings)
        assert math.floor(bits + 1e-12) == math.ceil(math.log2(n))


def test_a_comparator_beyond_the_budget_voids_the_certificate() -> None:
    line = generate.line(8)
    trace = ohm.play(ohm.Halving(line.graph, 1), ohm.Stream([0, 7], [1, -1]))
    assert not HalvingBound().certify(trace, [1, -1, 1, -1, 1, -1, 1, -1]).valid
    assert not HalvingBound().certify(trace, [-1] * 4 + [1] * 4).valid  # wrong on both trials
    assert HalvingBound().certify(trace, line.labels).proven


def test_a_learner_with_a_past_voids_the_certificate() -> None:
    line = generate.line(16)
    learner = ohm.Halving(line.graph, 1)
    learner.learn_one(0, 1)
    trace = ohm.play(learner, ohm.Stream([15, 12, 9], [-1, -1, -1]))
    assert not HalvingBound().certify(trace, line.labels).valid


@given(st.integers(0, 10**6), st.integers(2, 8))
def test_a_cut_that_is_known_exactly_makes_a_smaller_class(seed: int, n: int) -> None:
    graph = forest(seed, n)
    rng = np.random.default_rng(seed)
    u = rng.choice([-1, 1], size=n)
    budget = int(measure.cut(graph, u))
    order = rng.permutation(n)
    learner = ohm.Halving(graph, budget, exactly=True)
    class_ = [np.array(v) for v in itertools.product((-1, 1), repeat=n) if measure.cut(graph, v) == budget]
    for i in order:
        assert learner.labellings == len(class_)
        plus = sum(int(v[i] > 0) for v in class_)
        assert learner.margin_one(int(i)) == (2 * plus - len(class_)) / len(class_)
        learner.learn_one(int(i), int(u[i]))
        class_ = [v for v in class_ if v[i] == u[i]]
    trace = ohm.play(ohm.Halving(graph, budget, exactly=True), ohm.Stream(order, u[order]))
    for comparator in (u, None):
        certificate = HalvingBound().certify(trace, comparator)
        assert certificate.proven
        assert certificate.charged <= certificate.value + 1e-9
    again = ohm.Halving.restore(learner.snapshot(), graph)
    assert again.exactly
    assert again.labellings == learner.labellings


def test_a_cut_that_no_labelling_has_is_refused() -> None:
    with pytest.raises(ParameterError, match="exactly cut_budget=9"):
        ohm.Halving(generate.line(4).graph, 9, exactly=True)
    line = generate.line(8)
    trace = ohm.play(ohm.Halving(line.graph, 2, exactly=True), ohm.Stream([0], [1]))
    assert not HalvingBound().certify(trace, line.labels).valid  # its cut is 1


def test_bits_refuse_a_negative_budget() -> None:
    with pytest.raises(ParameterError, match="cut_budget"):
        labelling_bits(generate.line(3).graph, -1)


LEARNERS = {
    "perceptron": lambda g: ohm.Perceptron(ohm.LaplacianKernel(g) + ohm.Constant(1.0)),
    "one_proj": lambda g: ohm.Projection.one_proj(ohm.LaplacianKernel(g) + ohm.Constant(1.0)),
    "c_proj on L+": lambda g: ohm.Projection.c_proj(ohm.LaplacianKernel(g)),
    "min_norm": lambda g: ohm.Projection.min_norm(ohm.LaplacianKernel(g) + ohm.Constant(1.0)),
    "pounce": lambda g: ohm.Pounce(ohm.LaplacianKernel(g)),
    "online LGC": lambda g: ohm.OnlineLGC(ohm.SpectralKernel(g, rank=g.n, shift=0.1)),
}


@pytest.mark.parametrize("name", LEARNERS)
@given(games(min_nodes=4, max_nodes=8, connected=True))
@settings(max_examples=25)
def test_the_best_bound_is_valid_and_never_beaten(name: str, game: tuple) -> None:
    graph, stream, u = game
    if np.all(u == u[0]):
        return  # L+ alone cannot separate a single label
    trace = ohm.play(LEARNERS[name](graph), stream)
    for comparator in (u, None):
        best = best_bound(trace, comparator)
        assert best.valid
        assert best.charged <= best.value + 1e-6
        assert best.theorem.startswith(("paper", "trivial"))


def test_the_best_bound_names_the_smaller_of_two() -> None:
    barbell = generate.barbell(5)
    stream = ohm.Stream(range(10), barbell.labels).shuffled(seed=3)
    trace = ohm.play(ohm.Projection.c_proj(ohm.LaplacianKernel(barbell.graph)), stream)
    best = best_bound(trace, barbell.labels)
    values = {
        bound: bound().certify(trace, barbell.labels).value
        for bound in (ohm.bound.ProjectionBound, ohm.bound.PartitionBound)
    }
    assert best.value <= min(values.values())
    unbalanced = np.array([1] * 9 + [-1])
    stream = ohm.Stream([*range(10)] * 400, np.tile(unbalanced, 400)).shuffled(seed=3)
    trace = ohm.play(ohm.Projection.c_proj(ohm.LaplacianKernel(barbell.graph)), stream)
    assert "4.1" in best_bound(trace, unbalanced).theorem  # the labelling itself is outside the space


def test_where_every_theorem_is_void_the_bound_is_the_number_of_labels() -> None:
    graph = generate.line(4).graph
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(1.0)
    learner = ohm.Projection.one_proj(kernel, contradiction=Contradiction.RELABEL)
    trace = ohm.play(learner, ohm.Stream([0] * 6, [1, -1] * 3))
    best = best_bound(trace)
    assert best.theorem.startswith("trivial")
    assert best.value == 6 == best.charged
    assert best.valid


def test_a_learner_without_a_theorem_is_named() -> None:
    trace = ohm.play(ohm.NearestNeighbour(generate.line(3).graph), ohm.Stream([0], [1]))
    with pytest.raises(LearnerError, match="no theorem here is about NearestNeighbour"):
        best_bound(trace)
