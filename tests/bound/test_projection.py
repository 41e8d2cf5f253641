"""Theorems 3.2, 4.1, 4.2 and 5.1 of paper 000: never beaten where checked, tight, each assumption needed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from graphs import games, graphs
from ohmline.bound import PartitionBound, ProjectionBound, partition_norm
from ohmline.bound.graph_partition import length_bounds, spectral_range, unit_separating
from ohmline.bound.projection import harmonic_mean
from ohmline.errors import GraphError, KernelError, LabelError, LearnerError, ParameterError, ShapeError
from ohmline.graph import generate, measure
from ohmline.learn.projection import Contradiction, Strategy

FORMS = [
    (strategy, cyclic, aggressive)
    for strategy in (Strategy.LATEST, Strategy.ALL, Strategy.MISTAKES)
    for cyclic in (False, True)
    for aggressive in (False, True)
]


def projection(graph: ohm.Graph, form: tuple, b: float, start: bool) -> ohm.Projection:
    strategy, cyclic, aggressive = form
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(b)
    values = np.random.default_rng(graph.n).normal(size=graph.n) if start else None
    return ohm.Projection(kernel, strategy, cyclic=cyclic, aggressive=aggressive, start=values)


def never_beaten(game: tuple, form: tuple, b: float, start: bool) -> float:
    graph, stream, u = game
    trace = ohm.play(projection(graph, form, b, start), stream)
    free = trace.updated & ~trace.charged
    ratio = 0.0
    for active in (0, min(2, len(trace)), free):
        for comparator in (u, None):
            certificate = ProjectionBound(active).certify(trace, comparator)
            assert certificate.proven
            assert certificate.charged <= certificate.value * (1 + 1e-6) + 1e-6
            if comparator is None and certificate.value > 0:
                ratio = max(ratio, certificate.charged / certificate.value)
    counted = int(trace.charged.sum())
    assert ProjectionBound().certify(trace, u).charged == counted
    skipped = min(2, len(trace))
    assert ProjectionBound(skipped).certify(trace, u).charged == int(trace.charged[skipped:].sum())
    return ratio


@given(games(max_nodes=9), st.sampled_from(FORMS), st.sampled_from([0.2, 1.0]), st.booleans())
@settings(max_examples=120)
def test_theorems_3_2_and_5_1_are_never_beaten(game: tuple, form: tuple, b: float, start: bool) -> None:
    never_beaten(game, form, b, start)


@pytest.mark.slow
@given(games(max_nodes=9), st.sampled_from(FORMS), st.sampled_from([0.2, 1.0]), st.booleans())
@settings(max_examples=3000)
def test_theorems_3_2_and_5_1_are_never_beaten_in_thousands_of_games(
    game: tuple, form: tuple, b: float, start: bool
) -> None:
    never_beaten(game, form, b, start)


@pytest.mark.parametrize("form", FORMS)
def test_the_smallest_comparator_attains_theorem_3_2_and_5_1(form: tuple) -> None:
    """Orthogonal points (isolated nodes) make every trial a mistake and every inequality an equality."""
    graph = ohm.Graph.from_edges([], nodes=range(7))
    trace = ohm.play(
        projection(graph, form, 0.3, start=False), ohm.Stream(range(7), [1, -1, 1, 1, -1, -1, 1])
    )
    for active in (0, 3):
        certificate = ProjectionBound(active).certify(trace)
        assert certificate.charged == 7 - active
        # Every trial is a tie, and the limit allows for ties that are 0 but for rounding.
        assert certificate.charged / certificate.value == pytest.approx(1.0, abs=3e-8)


def test_the_smallest_comparator_attains_the_bounds_among_random_games() -> None:
    ratios = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        graph = generate.tree(int(rng.integers(2, 6)), seed=seed)
        u = rng.choice([-1, 1], size=graph.n)
        order = rng.permutation(graph.n)[: int(rng.integers(1, graph.n + 1))]
        ratios.append(
            never_beaten((graph, ohm.Stream(order, u[order]), u), FORMS[seed % len(FORMS)], 1.0, False)
        )
    assert max(ratios) == pytest.approx(1.0, abs=1e-9)


def test_progress_of_the_active_trials_lowers_the_bound() -> None:
    graph = generate.line(12).graph
    u = generate.line(12).labels
    trace = ohm.play(
        projection(graph, (Strategy.LATEST, False, True), 1.0, False),
        ohm.Stream([0, 11, 5, 6, 3], u[[0, 11, 5, 6, 3]]),
    )
    plain = ProjectionBound().certify(trace, u)
    active = ProjectionBound(active=2).certify(trace, u)
    assert active.terms["progress"] == pytest.approx(float(trace.progress[:2].sum()))
    assert active.terms["sqnorm"] - active.terms["progress"] < plain.terms["sqnorm"]
    assert "5.1" in active.theorem
    assert "3.2" in plain.theorem


HALF_SPACES = [form for form in FORMS if form[1]] + [(Strategy.LATEST, False, False)]


@given(games(min_nodes=3, max_nodes=9), st.sampled_from(FORMS), st.booleans(), st.integers(0, 3))
@settings(max_examples=60)
def test_theorem_5_1_counts_what_a_pool_query_chose_as_active(
    game: tuple, form: tuple, after: bool, selections: int
) -> None:
    graph, _, u = game
    labels = {node: int(u[i]) for i, node in enumerate(graph.nodes)}
    trace = ohm.play_active(
        projection(graph, form, 0.5, start=False),
        graph.nodes,
        labels,
        ohm.MaxProgress(),
        selections=selections,
        aggressive_suffix=after,
    )
    certificate = ProjectionBound().certify(trace, u)
    assert certificate.proven
    assert certificate.terms["active"] == selections
    assert (
        certificate.charged == int(trace.charged[selections:].sum()) <= certificate.value * (1 + 1e-6) + 1e-6
    )


@given(games(min_nodes=3, max_nodes=9, connected=True), st.sampled_from(HALF_SPACES))
@settings(max_examples=100)
def test_the_partition_bound_is_never_beaten(game: tuple, form: tuple) -> None:
    graph, stream, u = game
    if np.all(u == u[0]):
        u = u.copy()
        u[0] = -u[0]
        stream = ohm.Stream(stream.nodes, u[np.array(stream.nodes)])
    strategy, cyclic, aggressive = form
    learner = ohm.Projection(ohm.LaplacianKernel(graph), strategy, cyclic=cyclic, aggressive=aggressive)
    trace = ohm.play(learner, stream)
    certificate = PartitionBound().certify(trace, u)
    assert certificate.proven
    assert certificate.charged == int(trace.charged.sum()) <= certificate.value + 1e-9


@given(graphs(min_nodes=2, max_nodes=10, connected=True), st.integers(0, 10**6))
def test_theorem_4_1_the_classifier_separates_with_the_stated_norm(graph: ohm.Graph, seed: int) -> None:
    g = np.random.default_rng(seed).choice([-1.0, 1.0], size=graph.n)
    g[0], g[-1] = 1.0, -1.0
    u = unit_separating(g)
    smaller = min(int((g > 0).sum()), int((g < 0).sum()))
    norm = float(u @ (graph.laplacian() @ u))
    assert (u * g).min() >= 1 - 1e-12
    assert abs(u.sum()) < 1e-9
    assert norm == pytest.approx(measure.cut(graph, g) * (graph.n / smaller) ** 2)
    assert norm == pytest.approx(4 * measure.cut(graph, g) * measure.balance(g))
    spectrum = np.linalg.eigvalsh(graph.laplacian().toarray())
    share = graph.n * (graph.n - smaller) / smaller
    assert spectrum[1] * share * (1 - 1e-9) <= norm <= spectrum[-1] * share * (1 + 1e-9)


@given(graphs(min_nodes=2, max_nodes=10, connected=True))
def test_theorem_4_2_the_diagonal_is_bounded(graph: ohm.Graph) -> None:
    diagonal = ohm.LaplacianKernel(graph).diagonal()
    assert np.all(diagonal <= length_bounds(graph) * (1 + 1e-9))


def test_the_harmonic_mean_is_the_least_of_the_power_means() -> None:
    """Eq. (11): mu(-1) <= mu(1) <= mu(infinity), the refinement of Theorem 3.2 over the perceptron's bound."""
    assert harmonic_mean(np.array([1.0, 2.0, 4.0])) == pytest.approx(12 / 7)
    assert harmonic_mean(np.array([])) == harmonic_mean(np.array([0.0, 1.0])) == 0.0
    for seed in range(50):
        values = np.random.default_rng(seed).exponential(size=5) + 1e-3
        assert harmonic_mean(values) <= values.mean() <= values.max()


def test_rings_favour_the_diameter_and_hypercubes_lambda_2() -> None:
    """The remark after Theorem 4.2, with the diameter of a ring and 1 / lambda_2 of a hypercube put right."""
    for m in (30, 41, 60):
        ring = generate.ring(m).graph
        assert measure.diameter(ring) == m // 2 < 1 / measure.algebraic_connectivity(ring)
        np.testing.assert_allclose(length_bounds(ring), m // 2)
    for m in (2, 4, 6):
        cube = generate.hypercube(m).graph
        assert measure.diameter(cube) == m > 1 / measure.algebraic_connectivity(cube) == pytest.approx(0.5)
        np.testing.assert_allclose(length_bounds(cube), 0.5, rtol=1e-5)


def test_a_bridge_of_almost_nothing_leaves_the_eccentricity() -> None:
    """lambda_2 is lost in the rounding of lambda_n: it may not shorten a bound, nor turn it negative."""
    graph = ohm.Graph.from_edges([(0, 1, 1e6), (1, 2, 1e-12), (2, 3, 1e6)])
    assert spectral_range(graph)[0] == 0.0
    np.testing.assert_array_equal(length_bounds(graph), measure.eccentricities(graph))


def test_partition_norms_are_sandwiched_and_refused_where_the_theorem_says_nothing() -> None:
    for m in (3, 6):
        limits = partition_norm(generate.clique(m), np.where(np.arange(m) == 0, 1, -1))
        assert limits.least == pytest.approx(limits.sqnorm, rel=1e-5)  # every eigenvalue of a clique is m
        assert limits.most == pytest.approx(limits.sqnorm, rel=1e-5)
    with pytest.raises(GraphError, match="connected graphs"):
        partition_norm(ohm.Graph.from_edges([(0, 1)], nodes=range(3)), [1, 1, -1])
    with pytest.raises(LabelError, match="all labels are equal"):
        partition_norm(generate.line(3).graph, [1, 1, 1])


def test_moves_onto_hyperplanes_with_a_comparator_of_larger_margin_beat_the_formula() -> None:
    """The comparator of Theorem 4.1 is outside af, so aggressive noncyclic moves may lead away from it."""
    beaten = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(3, 9))
        graph = generate.tree(n, seed=seed)
        g = np.ones(n, dtype=int)
        g[rng.permutation(n)[: max(1, n // 4)]] = -1
        order = rng.integers(n, size=60)
        kernel = ohm.LaplacianKernel(graph)
        trace = ohm.play(ohm.Projection.one_proj(kernel, aggressive=True), ohm.Stream(order, g[order]))
        u = unit_separating(g)
        diagonal = kernel.diagonal()[order[trace.charged]]
        formula = float(u @ (graph.laplacian() @ u)) * len(diagonal) / np.sum(1 / diagonal)
        if trace.charged.sum() > formula + 1e-9:
            beaten += 1
            assert not PartitionBound().certify(trace, g).valid
            assert not ProjectionBound().certify(trace, g).valid
            assert "half-spaces" in str(ProjectionBound().certify(trace, u))
    assert beaten >= 5


def test_contradictory_labels_beat_the_formula_and_void_the_certificate() -> None:
    graph = generate.line(4).graph
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(1.0)
    learner = ohm.Projection.one_proj(kernel, contradiction=Contradiction.RELABEL)
    trace = ohm.play(learner, ohm.Stream([0] * 40, [1, -1] * 20))
    for comparator in ([1] * 4, None):
        certificate = ProjectionBound().certify(trace, comparator)
        assert certificate.charged == 40 > certificate.value
        assert not certificate.valid


def test_a_learner_with_a_past_voids_the_certificate() -> None:
    graph = generate.line(6).graph
    learner = ohm.Projection.one_proj(ohm.LaplacianKernel(graph) + ohm.Constant(1.0))
    for node in range(6):
        learner.learn_one(node, -1 if node % 2 else 1)
    trace = ohm.play(learner, ohm.Stream([1, 3, 5, 1, 3, 5], [1] * 6))
    certificate = ProjectionBound().certify(trace, [1] * 6)
    assert certificate.charged > certificate.value
    assert not certificate.valid


def test_labels_that_the_kernel_cannot_fit_void_the_certificate() -> None:
    """L+ fits a whole component only if its labels have mean 0."""
    graph = generate.line(4).graph
    learner = ohm.Projection.one_proj(ohm.LaplacianKernel(graph))
    trace = ohm.play(learner, ohm.Stream(range(4), [1, 1, 1, -1]))
    for comparator in ([1, 1, 1, -1], None):
        certificate = ProjectionBound().certify(trace, comparator)
        assert certificate.value == np.inf
        assert not certificate.valid
    balanced = ohm.play(
        ohm.Projection.one_proj(ohm.LaplacianKernel(graph)), ohm.Stream(range(4), [1, 1, -1, -1])
    )
    assert ProjectionBound().certify(balanced).proven


def test_bad_input_is_refused() -> None:
    graph = generate.line(4).graph
    trace = ohm.play(ohm.Projection.one_proj(ohm.LaplacianKernel(graph)), ohm.Stream([0, 1], [1, -1]))
    with pytest.raises(ParameterError, match="2 trials"):
        ProjectionBound(active=3).certify(trace)
    with pytest.raises(ShapeError, match="2 booleans"):
        ProjectionBound(active=[True]).certify(trace)
    with pytest.raises(KernelError, match="give a comparator"):
        PartitionBound().certify(trace)
    biased = ohm.play(
        ohm.Projection.one_proj(ohm.LaplacianKernel(graph) + ohm.Constant(1.0)), ohm.Stream([0], [1])
    )
    with pytest.raises(KernelError, match="use ProjectionBound"):
        PartitionBound().certify(biased, [1, 1, -1, -1])
    nearest = ohm.play(ohm.NearestNeighbour(graph), ohm.Stream([0], [1]))
    with pytest.raises(LearnerError, match="speaks about Projection"):
        ProjectionBound().certify(nearest)
