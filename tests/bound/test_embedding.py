"""Theorem 8 of paper 002: never beaten, equal to C° + 1 in the limit, and a must be large enough."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from ohmline.bound import EmbeddingBound, PounceBound
from ohmline.errors import GraphError, KernelError, ParameterError
from ohmline.game.adversary import play_adversary
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


def beyond_the_scale(seed: int, adversary: bool) -> bool:
    """Just above a', C° + 1 holds in the game, and the certificate allows no whole mistake more."""
    points, u, order = clusters(seed)
    distances = ohm.ExponentialEmbedding(points, a=INF).distances
    scale = measure.sufficient_scale(distances, u)
    assert scale.a <= scale.printed
    assert scale.cover == measure.component_separating_cover(distances, u).number
    a = scale.a * 1.001 + 1e-3
    if a > 20_000:  # two labels that nearly touch
        return False
    learner = ohm.Pounce(ohm.ExponentialEmbedding(points, a=a))
    trace = play_adversary(learner, u) if adversary else ohm.play(learner, ohm.Stream(order, u[order]))
    certificate = EmbeddingBound().certify(trace, u)
    assert certificate.proven, seed
    assert certificate.charged <= min(certificate.value, scale.cover + 1), seed
    assert certificate.value < scale.cover + 2, seed
    return bool(np.any(u != u[0]))


def test_theorem_8_holds_beyond_its_scale() -> None:
    assert sum(beyond_the_scale(seed, adversary=False) for seed in range(150)) > 100
    assert sum(beyond_the_scale(seed, adversary=True) for seed in range(30)) > 20


@pytest.mark.slow
def test_theorem_8_holds_beyond_its_scale_in_thousands_of_games() -> None:
    assert sum(beyond_the_scale(10_000 + seed, adversary=False) for seed in range(5000)) > 3000
    assert sum(beyond_the_scale(10_000 + seed, adversary=True) for seed in range(500)) > 300


def test_the_scale_is_that_of_the_proof_in_exact_logarithms() -> None:
    """4 n+ n- (m - 1) e^{-a' (delta - rho)} = 1, and the paper's 3 ln(4 |X|) / epsilon is never smaller."""
    for seed in range(100):
        points, u, _ = clusters(seed)
        distances = ohm.ExponentialEmbedding(points, a=INF).distances
        scale = measure.sufficient_scale(distances, u)
        cover = measure.component_separating_cover(distances, u)
        links, pairs = max(map(len, cover.sets)) - 1, int((u > 0).sum() * (u < 0).sum())
        if not links or not pairs:
            assert scale.a == 0
            continue
        assert 4 * pairs * links * np.exp(-scale.a * (scale.delta - scale.rho)) == pytest.approx(1)
        assert scale.printed == pytest.approx(3 * np.log(4 * len(u)) / (scale.delta - scale.rho))
        # rho is the least step at which the same sets are path-connected
        assert measure.component_cover(distances, scale.rho).number == cover.number
        assert measure.component_cover(distances, scale.rho * (1 - 1e-9)).number > cover.number
        every = ohm.play(ohm.Pounce(ohm.ExponentialEmbedding(points, a=INF)), ohm.Stream(range(len(u)), u))
        assert EmbeddingBound().certify(every, u).terms["enough"] == pytest.approx(scale.a)


def test_scales_of_special_cases() -> None:
    """Labels that touch have none, one label needs none, and points out of reach are refused."""
    assert measure.sufficient_scale([[0, 0], [0, 0]], [1, -1]).a == INF
    assert measure.sufficient_scale([[0, 1], [1, 0]], [1, 1])[:2] == (0.0, 0.0)
    assert measure.sufficient_scale([[0, 1], [1, 0]], [1, -1]).a == 0.0  # every point is a set of its own
    assert measure.sufficient_scale([[0.0]], [1]).cover == 1
    with pytest.raises(GraphError, match="connected points"):
        measure.sufficient_scale([[0, INF], [INF, 0]], [1, -1])
    with pytest.raises(ParameterError, match="symmetric"):
        measure.sufficient_scale([[0, 1], [2, 0]], [1, -1])


def test_points_of_two_labels_that_touch_beat_every_cover() -> None:
    """Dropping "more than rho apart": a point that lies on one of the other label is no separate set."""
    points = np.array([[0.0], [1e-9], [2e-9], [1.0]])
    u = np.array([1, -1, 1, -1])
    assert measure.component_separating_cover(np.abs(points - points.T), u).number == 4
    embedding = ohm.ExponentialEmbedding(points, a=10.0)
    trace = ohm.play(ohm.Pounce(embedding), ohm.Stream([0, 1, 2, 3] * 3, np.tile(u, 3)))
    certificate = EmbeddingBound().certify(trace, u)
    assert embedding.a < measure.sufficient_scale(embedding.distances, u).printed
    assert certificate.charged > 2 + 1  # what C would be if labels did not matter at this distance
    assert certificate.charged <= certificate.value


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


def test_nearest_neighbours_err_at_most_once_in_every_set() -> None:
    """Section 5: N° bounds 1-NN; C° bounds geodesic 1-NN once edges are e^{a d} long and a is large enough."""
    for seed in range(80):
        points, u, order = clusters(seed)
        distances = ohm.ExponentialEmbedding(points, a=INF).distances
        apart = distances + np.eye(len(u))
        stream = ohm.Stream(order, u[order])
        plain = ohm.Graph.from_scipy((1 / apart) * (distances > 0), nodes=range(len(u)))
        wrong = int(ohm.play(ohm.NearestNeighbour(plain), stream).charged.sum())
        assert wrong <= measure.separating_cover(distances, u).number
        scale = measure.sufficient_scale(distances, u)
        steep = np.log(len(u)) / (
            scale.delta - scale.rho
        )  # a path of fewer than n steps is shorter than delta
        if not np.isfinite(scale.delta) or steep * (distances.max() - distances[distances > 0].min()) > 500:
            continue
        lengths = np.exp(steep * (apart - apart[distances > 0].min()))
        sharp = ohm.Graph.from_scipy((1 / lengths) * (distances > 0), nodes=range(len(u)))
        assert int(ohm.play(ohm.NearestNeighbour(sharp), stream).charged.sum()) <= scale.cover
