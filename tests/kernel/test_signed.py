"""Signed Laplacians: positive definite ones need no ridge, balanced ones are refused by name."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
import rational
from ohmline.bound import Fit, PerceptronBound, ProjectionBound, best_bound
from ohmline.errors import KernelError
from ohmline.graph import measure
from small_games import assert_same_game
from thin_graphs import every_labelling

Trials = list[tuple[int, int]]


def definite(rng: np.random.Generator, *, most: int = 8) -> ohm.Graph:
    """One or two components, each with a ring whose product of signs is negative."""
    edges: list[tuple[int, int, float]] = []
    start = 0
    for _ in range(int(rng.integers(1, 3))):
        n = int(rng.integers(3, most // 2 + 2))
        signs = rng.choice([-1.0, 1.0], size=3)
        signs[2] = -signs[0] * signs[1]
        pairs = {(0, 1): signs[0], (1, 2): signs[1], (0, 2): signs[2]}
        for k in range(3, n):
            pairs[int(rng.integers(k)), k] = float(rng.choice([-1.0, 1.0]))
        for a, b in rng.integers(n, size=(n, 2)).tolist():
            if a < b:
                pairs.setdefault((a, b), float(rng.choice([-1.0, 1.0])))
        edges += [
            (start + a, start + b, w * float(rng.choice([0.5, 1.0, 2.0]))) for (a, b), w in pairs.items()
        ]
        start += n
    return ohm.Graph.from_edges(edges, nodes=range(start), signed=True)


def trials_on(graph: ohm.Graph, rng: np.random.Generator) -> tuple[Trials, np.ndarray]:
    u = rng.choice([-1, 1], size=graph.n)
    return [(int(i), int(u[i])) for i in rng.integers(graph.n, size=2 * graph.n)], u


@given(st.integers(0, 10**6))
def test_the_norm_is_that_of_the_inverse_and_four_times_the_cut(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = definite(rng)
    kernel = ohm.LaplacianKernel(graph)
    matrix = np.linalg.inv(graph.laplacian().toarray())
    np.testing.assert_allclose(kernel.space.matrix, matrix, rtol=1e-7, atol=1e-9 * np.abs(matrix).max())
    u = rng.normal(size=graph.n)
    assert kernel.sqnorm(u) == pytest.approx(float(u @ np.linalg.solve(matrix, u)), rel=1e-7)
    signs = np.where(u > 0, 1, -1)
    assert kernel.sqnorm(signs) == pytest.approx(4 * measure.cut(graph, signs), rel=1e-12)
    assert (2 * kernel).sqnorm(u) == pytest.approx(kernel.sqnorm(u) / 2)
    biased = kernel + ohm.Constant(0.5)
    assert biased.sqnorm(u) == pytest.approx(float(u @ np.linalg.solve(biased.space.matrix, u)), rel=1e-6)


def test_a_component_without_negative_edges_keeps_its_constant() -> None:
    foes = [(0, 1, -1.0), (1, 2, -1.0), (0, 2, -1.0)]
    graph = ohm.Graph.from_edges([*foes, (3, 4, 2.0)], nodes=range(6), signed=True)
    kernel = ohm.LaplacianKernel(graph)
    assert kernel.sqnorm(np.array([1.0, 1, 1, 1, -1, 0])) == 12 + 8
    assert kernel.sqnorm(np.array([1.0, 1, 1, 1, 1, 0])) == np.inf
    assert kernel.sqnorm(np.array([1.0, 1, 1, 0, 0, 1])) == np.inf  # an isolated node has no norm


def test_a_balanced_component_is_refused_by_name_and_with_the_remedy() -> None:
    foes = [("a", "b", -1.0), ("b", "c", -1.0), ("a", "c", -1.0)]
    graph = ohm.Graph.from_edges([*foes, ("x", "y", -1.0), ("y", "z", 1.0)], signed=True)
    kernel = ohm.LaplacianKernel(graph)
    with pytest.raises(KernelError, match=r"component of node 'x' \(3 nodes\) is balanced.*add a Ridge"):
        kernel.sqnorm(np.ones(6))
    trace = ohm.play(ohm.Perceptron(kernel), ohm.Stream(["x", "a"], [1, 1]))
    with pytest.raises(KernelError, match="component of node 'x'"):
        PerceptronBound().certify(trace, np.ones(6))
    assert np.isfinite((kernel + ohm.Ridge(0.1)).sqnorm(np.ones(6)))


def perceptron_box(gram: list[list[Fraction]], trials: Trials) -> rational.Played:
    """Figure 1 of paper 001 in exact arithmetic."""
    played = rational.Played()
    w = [Fraction(0)] * len(gram)
    for i, y in trials:
        played.margins.append(w[i])
        wrong = w[i] * y <= 0
        if wrong:
            w = [a + y * b for a, b in zip(w, gram[i], strict=True)]
        played.updated.append(wrong)
        played.progress.append(gram[i][i] if wrong else Fraction(0))
    return played


def one_projection(gram: list[list[Fraction]], trials: Trials) -> rational.Played:
    return rational.projection(gram, trials, lambda mistakes, t: [t], cyclic=False, aggressive=False)


def everything(gram: list[list[Fraction]], trials: Trials) -> rational.Played:
    return rational.projection(gram, trials, lambda mistakes, t: range(t + 1), cyclic=False, aggressive=True)


BOXES = {
    "perceptron": (ohm.Perceptron, perceptron_box),
    "1-proj": (ohm.Projection.one_proj, one_projection),
    "minimum norm": (ohm.Projection.min_norm, everything),
}


@pytest.mark.parametrize("name", BOXES)
def test_learners_play_the_box_over_the_exact_inverse(name: str) -> None:
    make, box = BOXES[name]
    for seed in range(25):
        rng = np.random.default_rng(seed)
        graph = definite(rng, most=6)
        trials, _ = trials_on(graph, rng)
        oracle = box(rational.inverse(rational.laplacian(graph)), trials)
        assert_same_game(ohm.play(make(ohm.LaplacianKernel(graph)), trials), oracle)


def survives(trace: ohm.Trace, u: np.ndarray) -> None:
    projection = isinstance(trace.learner, ohm.Projection)
    bounds = [ProjectionBound()] if projection else [PerceptronBound(), PerceptronBound(Fit.MISTAKEN)]
    for bound in bounds:
        for comparator in (u, None):
            certificate = bound.certify(trace, comparator)
            assert certificate.proven, str(certificate)
            assert certificate.charged == int(trace.charged.sum()) <= certificate.value
    assert best_bound(trace, u).valid


def random_game(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = definite(rng)
    trials, u = trials_on(graph, rng)
    make = [ohm.Perceptron, ohm.Projection.one_proj][seed % 2]
    survives(ohm.play(make(ohm.LaplacianKernel(graph)), trials), u)


def adversarial_game(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = definite(rng, most=6)
    make = [ohm.Perceptron, ohm.Projection.one_proj][seed % 2]
    every = every_labelling(graph)
    concepts = every[rng.permutation(len(every))[: int(rng.integers(1, 40))]]
    trace = ohm.play_adversary(make(ohm.LaplacianKernel(graph)), concepts)
    nodes, labels = np.array(trace.nodes, dtype=int), np.array(trace.labels, dtype=int)
    assert len(trace) > 0
    survives(trace, concepts[(concepts[:, nodes] == labels).all(axis=1)][0])


def test_no_certificate_over_a_definite_signed_kernel_is_beaten() -> None:
    for seed in range(150):
        random_game(seed)
    for seed in range(50):
        adversarial_game(seed)


@pytest.mark.slow
def test_five_thousand_games_and_five_hundred_adversaries_over_definite_signed_kernels() -> None:
    for seed in range(5000):
        random_game(10_000 + seed)
    for seed in range(500):
        adversarial_game(20_000 + seed)


@settings(max_examples=20)
@given(st.integers(3, 8), st.integers(0, 1000))
def test_without_definiteness_the_formula_is_beaten(n: int, seed: int) -> None:
    """The labelling by sides of a balanced graph cuts nothing, so the formula says 0; the first trial is a mistake."""
    rng = np.random.default_rng(seed)
    side = rng.choice([-1, 1], size=n)
    side[:2] = 1, -1
    edges = [(int(j), k, float(side[int(j)] * side[k])) for k in range(1, n) for j in [rng.integers(k)]]
    graph = ohm.Graph.from_edges(edges, nodes=range(n), signed=True)
    kernel = ohm.LaplacianKernel(graph)
    trace = ohm.play(ohm.Perceptron(kernel), ohm.Stream(range(n), side))
    naive = 4 * measure.cut(graph, side) * float(kernel.diagonal().max())
    assert naive == 0 < trace.charged.sum()
    with pytest.raises(KernelError, match="balanced"):
        PerceptronBound().certify(trace, side)
