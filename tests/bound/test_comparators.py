"""Comparators of any margin (papers 000, Thm 3.2, and 002, Thm 2) and the count of updates (000, section 4.1).

Never beaten on random games and against a greedy adversary; each assumption that is dropped has a counterexample.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ohmline as ohm
from ohmline.bound import PounceBound, ProjectionBound, UpdateBound, unit_separating
from ohmline.errors import LearnerError, OhmlineError, ParameterError, ShapeError
from ohmline.game.adversary import play_adversary
from ohmline.graph import generate, measure
from ohmline.learn.projection import Contradiction, Strategy

HALF_SPACES = [(strategy, True) for strategy in Strategy] + [(Strategy.LATEST, False)]


def a_graph(rng: np.random.Generator) -> ohm.Graph:
    n = int(rng.integers(2, 9))
    edges = {(int(rng.integers(k)), k): float(rng.choice([0.1, 1.0, 3.0])) for k in range(1, n)}
    for i, j in rng.integers(0, n, (int(rng.integers(0, 2 * n)), 2)).tolist():
        if i < j:
            edges[i, j] = float(rng.choice([0.1, 1.0, 3.0]))
    return ohm.Graph.from_edges([(i, j, w) for (i, j), w in edges.items()], nodes=range(n))


def comparators(rng: np.random.Generator, kernel: ohm.Kernel, u: np.ndarray) -> Iterator[Any]:
    """Functions with the signs of u: larger margins, smaller ones, and those that the kernel likes best."""
    yield u
    yield None
    yield u * (0.05 + rng.exponential(size=len(u)))
    yield dict(enumerate((u * rng.choice([0.5, 1.0, 4.0])).tolist()))
    smooth = kernel.space.matrix @ (u * rng.exponential(size=len(u)))
    if np.all(smooth * u > 0):
        yield smooth


def held(certificate: ohm.bound.Certificate, proven: bool = True) -> None:
    assert certificate.charged <= certificate.value or not certificate.valid, str(certificate)
    assert not certificate.beaten, str(certificate)
    assert certificate.proven or not proven, str(certificate)


def play_it(rng: np.random.Generator, learner: Any, u: np.ndarray, adversary: bool) -> ohm.Trace:
    if adversary:
        return play_adversary(learner, u.astype(int), limit=60)
    nodes = rng.integers(len(u), size=int(rng.integers(1, 3 * len(u))))
    return ohm.play(learner, ohm.Stream(nodes, u[nodes].astype(int)))


def attack_projection(seed: int, adversary: bool) -> None:
    rng = np.random.default_rng(seed)
    graph = a_graph(rng)
    u = rng.choice([-1.0, 1.0], size=graph.n)
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(float(10 ** rng.uniform(-2, 1)))
    if rng.random() < 0.3:
        kernel = kernel + ohm.Ridge(float(10 ** rng.uniform(-2, 1)))
    strategy, cyclic = HALF_SPACES[seed % len(HALF_SPACES)]
    start = rng.normal(size=graph.n) if rng.random() < 0.3 else None
    learner = ohm.Projection(kernel, strategy, cyclic=cyclic, start=start)
    trace = play_it(rng, learner, u, adversary)
    for comparator in comparators(rng, kernel, u):
        held(ProjectionBound().certify(trace, comparator))
        held(UpdateBound().certify(trace, comparator))
    assert UpdateBound().certify(trace).charged == learner.updates


def attack_partition(seed: int, adversary: bool) -> None:
    """The plain Laplacian kernel: Theorem 4.1's classifier in sections 3 and 4.1, and its sandwich."""
    rng = np.random.default_rng(seed)
    graph = a_graph(rng)
    u = rng.choice([-1.0, 1.0], size=graph.n)
    u[0], u[-1] = 1.0, -1.0
    strategy, cyclic = HALF_SPACES[seed % len(HALF_SPACES)]
    learner = ohm.Projection(ohm.LaplacianKernel(graph), strategy, cyclic=cyclic)
    trace = play_it(rng, learner, u, adversary)
    held(ProjectionBound().certify(trace, unit_separating(u)))
    held(UpdateBound().certify(trace, u))
    certificate = ohm.bound.PartitionBound().certify(trace, u)
    held(certificate)
    limits = ohm.bound.partition_norm(graph, u)
    assert limits.least <= limits.sqnorm * (1 + 1e-12)
    assert limits.sqnorm <= limits.most
    assert [certificate.terms[name] for name in limits._fields] == list(limits)


def signed_graph(rng: np.random.Generator) -> ohm.Graph:
    """Connected, with an odd cycle of negative edges, so that its Laplacian is definite."""
    n = int(rng.integers(3, 8))
    edges = {(0, 1): -1.0, (1, 2): -1.0, (0, 2): -1.0}
    for k in range(3, n):
        edges[int(rng.integers(k)), k] = float(rng.choice([-1.0, 1.0, 2.0]))
    return ohm.Graph.from_edges([(a, b, w) for (a, b), w in edges.items()], signed=True, nodes=range(n))


def attack_pounce(seed: int, adversary: bool) -> None:
    rng = np.random.default_rng(seed)
    graph = signed_graph(rng) if seed % 4 == 0 else a_graph(rng)
    u = rng.choice([-1.0, 1.0], size=graph.n)
    kernel = ohm.LaplacianKernel(graph)
    if seed % 4 == 1:
        kernel = kernel + ohm.Constant(0.7)
    trace = play_it(rng, ohm.Pounce(kernel), u, adversary)
    for comparator in comparators(rng, kernel, u):
        held(PounceBound().certify(trace, comparator))


ATTACKS = [attack_projection, attack_partition, attack_pounce]


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_certificate_is_beaten(attack: Any) -> None:
    for seed in range(120):
        attack(seed, adversary=False)
    for seed in range(25):
        attack(seed, adversary=True)


@pytest.mark.slow
@pytest.mark.parametrize("attack", ATTACKS)
def test_no_certificate_is_beaten_in_five_thousand_games_and_five_hundred_attacks(attack: Any) -> None:
    for seed in range(5000):
        attack(100_000 + seed, adversary=False)
    for seed in range(500):
        attack(100_000 + seed, adversary=True)


# -- comparators: Theorem 3.2 over half-spaces ----------------------------------------------------------------------


def test_a_comparator_is_stretched_to_a_margin_of_one() -> None:
    graph = generate.line(6).graph
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(1.0)
    u = np.array([3.0, 2.0, 0.5, -0.5, -2.0, -3.0])
    trace = ohm.play(ohm.Projection.c_proj(kernel), ohm.Stream(range(6), np.sign(u).astype(int)))
    for factor in (1.0, 0.01, 50.0):
        found = ProjectionBound().certify(trace, u * factor)
        assert found.proven
        assert found.terms["sqnorm"] == pytest.approx(kernel.sqnorm(2 * u))
    with pytest.raises(ShapeError, match="comparator must have 6 entries"):
        ProjectionBound().certify(trace, u[:5])
    with pytest.raises(ParameterError, match="finite"):
        ProjectionBound().certify(trace, u * np.inf)
    with pytest.raises(ShapeError, match="no label for node 5"):
        ProjectionBound().certify(trace, dict.fromkeys(range(5), 1.0))


def test_a_function_that_equals_the_labels_serves_every_form() -> None:
    """In af, what it does elsewhere is free: an interpolant is smoother than the labelling."""
    line = generate.line(9)
    kernel = ohm.LaplacianKernel(line.graph) + ohm.Constant(1.0)
    smooth = np.linspace(1.0, -1.0, 9)
    stream = ohm.Stream([0, 8, 0], [1, -1, 1])
    for make in (ohm.Projection.min_norm, ohm.Projection.c_proj, ohm.Projection.one_proj):
        trace = ohm.play(make(kernel, aggressive=True), stream)
        found, labelled = (
            ProjectionBound().certify(trace, smooth),
            ProjectionBound().certify(trace, line.labels),
        )
        assert found.proven
        assert found.value < labelled.value
        assert found.value == pytest.approx(ProjectionBound().certify(trace).value, rel=1e-6)


def test_a_comparator_with_a_wrong_sign_beats_the_formula_and_voids_the_certificate() -> None:
    graph = generate.line(8).graph
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(1.0)
    labels = np.array([1, -1] * 4)
    trace = ohm.play(ohm.Projection.c_proj(kernel), ohm.Stream(range(8), labels))
    for bound, count in ((ProjectionBound(), "mistakes"), (UpdateBound(), "updates")):
        certificate = bound.certify(trace, np.full(8, 0.5))
        assert certificate.counts == count
        assert certificate.charged > certificate.value
        assert not certificate.valid


def test_minimum_norm_interpolation_voids_a_comparator_of_larger_margins() -> None:
    trace = ohm.play(
        ohm.Projection.min_norm(ohm.LaplacianKernel(generate.line(4).graph) + ohm.Constant(1.0)),
        ohm.Stream(range(4), [1, 1, -1, -1]),
    )
    certificate = ProjectionBound().certify(trace, [2.0, 1.0, -1.0, -2.0])
    assert not certificate.valid
    assert "half-spaces" in str(certificate)


# -- updates --------------------------------------------------------------------------------------------------------


def literal_updates(kernel: np.ndarray, trials: list[tuple[int, int]]) -> int:
    """Lines 1 and 2 of Algorithm 2 for C-proj, each execution counted."""
    w, count, examples = np.zeros(len(kernel)), 0, {}
    for i, y in trials:
        examples[i] = y
        if w[i] * y <= 1e-9:
            w, count = w + y * (1 - y * w[i]) / kernel[i, i] * kernel[i], count + 1
        while any(w[j] * label <= 1e-9 for j, label in examples.items()):
            for j, label in examples.items():
                if w[j] * label <= 1e-9:
                    w, count = w + label * (1 - label * w[j]) / kernel[j, j] * kernel[j], count + 1
    return count


def test_updates_are_the_executions_of_lines_1_and_2() -> None:
    many = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        graph = a_graph(rng)
        kernel = ohm.LaplacianKernel(graph) + ohm.Constant(0.3)
        u = rng.choice([-1, 1], size=graph.n)
        nodes = rng.integers(graph.n, size=2 * graph.n)
        trials = [(int(i), int(u[i])) for i in nodes]
        learner = ohm.Projection.c_proj(kernel)
        trace = ohm.play(learner, trials)
        expected = literal_updates(kernel.space.matrix, trials)
        assert learner.updates == expected == UpdateBound().certify(trace).charged
        many += expected > int(trace.charged.sum())
        again = ohm.Projection.restore(learner.snapshot(), kernel)
        assert again.updates == learner.updates
        simple = ohm.Projection.one_proj(kernel)
        assert int(ohm.play(simple, trials).charged.sum()) == simple.updates
    assert many >= 10  # a trial of C-proj has more than one update, so this is more than a count of mistakes


def test_updates_are_polynomial_in_the_size_of_a_graph_without_weights() -> None:
    """Section 4.1: O(n^3 D_G), and O(n^2 D_G) where the labels are balanced."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = 2 * int(rng.integers(2, 7))
        graph = generate.tree(n, seed=seed)
        balanced = rng.permutation(np.repeat([-1, 1], n // 2))
        for u, power in ((np.where(np.arange(n) == 0, 1, -1), 3), (balanced, 2)):
            nodes = rng.permutation(n)[: n - 1]
            trace = ohm.play(ohm.Projection.c_proj(ohm.LaplacianKernel(graph)), ohm.Stream(nodes, u[nodes]))
            certificate = UpdateBound().certify(trace, u)
            assert certificate.proven
            assert certificate.charged <= certificate.value <= n**power * measure.diameter(graph)


def test_aggressive_updates_are_as_short_as_one_likes_and_beat_the_formula() -> None:
    kernel = ohm.LaplacianKernel(generate.line(2).graph) + ohm.Constant(10.0)
    learner = ohm.Projection.one_proj(kernel, aggressive=True, cyclic=True)
    trace = ohm.play(learner, ohm.Stream([0, 1] * 60, [1, -1] * 60))
    certificate = UpdateBound().certify(trace, [1, -1])
    assert not certificate.valid
    assert "not aggressive" in str(certificate)
    assert learner.updates > kernel.sqnorm(np.array([1.0, -1.0])) * kernel.diagonal().max()


def test_contradictory_labels_and_a_past_void_the_count_of_updates() -> None:
    kernel = ohm.LaplacianKernel(generate.line(4).graph) + ohm.Constant(1.0)
    learner = ohm.Projection.c_proj(kernel, contradiction=Contradiction.RELABEL)
    trace = ohm.play(learner, ohm.Stream([0] * 40, [1, -1] * 20))
    certificate = UpdateBound().certify(trace, [1] * 4)
    assert certificate.charged > certificate.value
    assert not certificate.valid
    old = ohm.Projection.one_proj(kernel)
    for node in range(4):
        old.learn_one(node, -1 if node % 2 else 1)
    assert not UpdateBound().certify(ohm.play(old, ohm.Stream([1, 3], [1, 1])), [1] * 4).valid


def test_a_comparator_outside_of_the_space_voids_the_count() -> None:
    """L+ alone holds functions of mean 0; with minimum norm there is no classifier of Theorem 4.1 to take instead."""
    graph = ohm.Graph.from_edges([(0, 1), (1, 2), (3, 4)])
    trace = ohm.play(ohm.Projection.one_proj(ohm.LaplacianKernel(graph)), ohm.Stream([0, 1], [1, 1]))
    certificate = UpdateBound().certify(trace, [1] * 5)
    assert certificate.value == np.inf
    assert not certificate.valid


def test_the_theorem_of_updates_is_about_projections() -> None:
    trace = ohm.play(ohm.NearestNeighbour(generate.line(3).graph), ohm.Stream([0], [1]))
    with pytest.raises(LearnerError, match="speaks about Projection"):
        UpdateBound().certify(trace)


# -- Theorem 2 with Theorem 5 ---------------------------------------------------------------------------------------


def test_theorem_2_takes_any_function_that_separates_the_mistakes() -> None:
    line = generate.line(12)
    trace = ohm.play(ohm.Pounce(ohm.LaplacianKernel(line.graph)), ohm.Stream([0, 11], [1, -1]))
    smooth = PounceBound().certify(trace, np.linspace(1.0, -1.0, 12))
    stretched = PounceBound().certify(trace, np.linspace(5.0, -5.0, 12))
    assert smooth.proven
    assert stretched.proven
    assert smooth.terms["sqnorm"] == pytest.approx(4 / 11) == stretched.terms["sqnorm"]
    assert smooth.terms["sqnorm"] < PounceBound().certify(trace, line.labels).terms["sqnorm"]
    wrong = PounceBound().certify(trace, np.linspace(-1.0, 1.0, 12) * 3)
    assert not wrong.valid


def test_a_kernel_that_is_no_signed_laplacians_voids_a_comparator_of_larger_margins() -> None:
    graph = generate.line(4).graph
    ridged = ohm.LaplacianKernel(graph) + ohm.Constant(1.0) + ohm.Ridge(0.5)
    trace = ohm.play(ohm.Pounce(ridged), ohm.Stream(range(4), [1, 1, -1, -1]))
    certificate = PounceBound().certify(trace, [1.5, 1.0, -1.0, -1.5])
    assert not certificate.valid
    assert "signed Laplacian" in str(certificate)
    assert PounceBound().certify(trace, [1, 1, -1, -1]).proven
    with pytest.raises(OhmlineError):
        PounceBound().certify(trace, ["a"] * 4)


def test_a_game_without_updates_needs_no_finite_norm() -> None:
    """L+ alone holds no function whose values do not sum to 0: its norm is infinite, and times 0 it is no number."""
    trace = ohm.play(ohm.Projection.one_proj(ohm.LaplacianKernel(generate.line(4).graph)), ohm.Stream([], []))
    certificate = UpdateBound().certify(trace, [1.0, 2.0, 3.0, 4.0])
    assert (certificate.value, certificate.charged) == (0.0, 0)
    assert certificate.terms == {"sqnorm": np.inf, "longest": 0.0}
