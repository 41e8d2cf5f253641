"""Theorem 8 of paper 002: never beaten, equal to C° + 1 in the limit, and a must be large enough."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from ohmline.bound import EmbeddingBound, PounceBound
from ohmline.errors import KernelError
from ohmline.graph import generate, measure

INF = float("inf")


def clusters(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points in a few tight groups of one label each, and an order of play."""
    rng = np.random.default_rng(seed)
    centres = rng.random((int(rng.integers(2, 6)), 2)) * 4
    home = rng.integers(len(centres), size=int(rng.integers(3, 14)))
    points = centres[home] + 0.1 * rng.normal(size=(len(home), 2))
    u = rng.choice([-1, 1], size=len(centres))[home]
    return points, u, rng.integers(len(home), size=2 * len(home))


@given(st.integers(0, 10**6), st.sampled_from([INF, 1.0, 10.0, 100.0, 2000.0]))
@settings(max_examples=120)
def test_theorem_8_is_never_beaten(seed: int, a: float) -> None:
    points, u, order = clusters(seed)
    embedding = ohm.ExponentialEmbedding(points, a=a)
    trace = ohm.play(ohm.Pounce(embedding), ohm.Stream(order, u[order]))
    hindsight, live = EmbeddingBound().certify(trace, u), EmbeddingBound().certify(trace)
    for certificate in (hindsight, live):
        assert certificate.proven
        assert certificate.charged == int(trace.charged.sum()) <= certificate.value + 1e-9
    if a == INF:
        every = ohm.play(ohm.Pounce(embedding), ohm.Stream(range(len(u)), u))
        cover = measure.component_separating_cover(embedding.distances, u)
        assert EmbeddingBound().certify(every, u).value == cover.number + 1
        assert live.value <= hindsight.value


@given(st.integers(0, 10**6))
def test_the_excess_vanishes_beyond_the_papers_a(seed: int) -> None:
    """The proof's a = 3 ln(4 |X|) / epsilon leaves less than one mistake, for epsilon up to delta - rho."""
    points, u, order = clusters(seed)
    if np.all(u == u[0]):
        return
    limit = ohm.ExponentialEmbedding(points, a=INF)
    distances = limit.distances
    delta = float(distances[np.ix_(u > 0, u < 0)].min())
    near = distances[(distances < delta) & (distances > 0)]
    gap = delta - (float(near.max()) if len(near) else 0.0)
    a = 3 * np.log(4 * len(u)) / gap
    if a > 5000:
        return
    trace = ohm.play(ohm.Pounce(ohm.ExponentialEmbedding(points, a=a)), ohm.Stream(order, u[order]))
    certificate = EmbeddingBound().certify(trace, u)
    cover = measure.component_separating_cover(distances, u)
    assert certificate.charged <= cover.number + 1
    assert certificate.value < cover.number + 2


def test_a_small_scale_beats_the_limit_and_the_certificate_says_so() -> None:
    """C° + 1 is a promise for large a only: with a near 0 every point is as near as any other."""
    beaten = 0
    for seed in range(300):
        points, u, order = clusters(seed)
        embedding = ohm.ExponentialEmbedding(points, a=0.01)
        trace = ohm.play(ohm.Pounce(embedding), ohm.Stream(order, u[order]))
        cover = measure.component_separating_cover(embedding.distances, u)
        if int(trace.charged.sum()) > cover.number + 1:
            beaten += 1
            certificate = EmbeddingBound().certify(trace, u)
            assert certificate.charged <= certificate.value
    assert beaten >= 5


def test_points_out_of_reach_are_certified_apart() -> None:
    distances = np.full((6, 6), INF)
    distances[:3, :3] = distances[3:, 3:] = 1.0
    np.fill_diagonal(distances, 0.0)
    embedding = ohm.ExponentialEmbedding.from_distances(distances, a=INF)
    u = np.array([1, 1, 1, -1, -1, -1])
    trace = ohm.play(ohm.Pounce(embedding), ohm.Stream(range(6), u))
    certificate = EmbeddingBound().certify(trace, u)
    assert certificate.charged == 2
    assert certificate.value == 4  # one set and one free mistake in each
    assert EmbeddingBound().certify(trace.first(3), u).value == 2


def test_two_labels_for_one_point_void_the_certificate() -> None:
    embedding = ohm.ExponentialEmbedding([[0.0], [1.0], [3.0]], a=INF)
    trace = ohm.play(ohm.Pounce(embedding), ohm.Stream([0] * 10, [1, -1] * 5))
    certificate = EmbeddingBound().certify(trace, [1, 1, -1])
    assert certificate.charged > certificate.value
    assert not certificate.valid


def test_theorems_name_each_other_for_the_other_kind_of_space() -> None:
    embedding = ohm.ExponentialEmbedding([[0.0], [1.0]], a=INF)
    trace = ohm.play(ohm.Pounce(embedding), ohm.Stream([0, 1], [1, -1]))
    with pytest.raises(KernelError, match="use EmbeddingBound"):
        PounceBound().certify(trace)
    kernel = ohm.LaplacianKernel(generate.line(3).graph)
    trace = ohm.play(ohm.Pounce(kernel), ohm.Stream([0, 1], [1, -1]))
    with pytest.raises(KernelError, match="use PounceBound"):
        EmbeddingBound().certify(trace)
