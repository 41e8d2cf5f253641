"""A margin that is 0 but for rounding is charged; the limits allow for it, and hold."""

from __future__ import annotations

import numpy as np
import pytest

import ohmline as ohm
from ohmline.bound import (
    GraphPerceptronBound,
    PartitionBound,
    PerceptronBound,
    ProjectionBound,
    UpdateBound,
    live_curve,
)
from ohmline.bound.ties import shortfall, stretched

PAIR = ohm.Graph.from_edges([(0, 1)])
PROJECTIONS = [ohm.Projection.one_proj, ohm.Projection.min_norm, ohm.Projection.c_proj]


def near_orthogonal() -> list[tuple[ohm.Kernel, list[int]]]:
    """Two nodes whose inner product is almost 0, and the labels that it almost predicts."""
    found = []
    for share in (1e-8, 1e-9, 1e-10, 1e-11):
        for sign in (-1, 1):
            found.append((ohm.LaplacianKernel(PAIR) + ohm.Constant(0.25 * (1 + sign * share)), [sign, 1]))
    for weight, ridge in [(1e9, 237.5), (1e6, 1e3), (1e3, 1e6), (1.0, 1e8), (1.0, 1e9), (1.0, 1e10)]:
        graph = ohm.Graph.from_edges([(0, 1, weight)])
        found.append((ohm.LaplacianKernel(graph) + ohm.Ridge(ridge), [-1, 1]))
    return found


@pytest.mark.parametrize(("kernel", "labels"), near_orthogonal())
def test_a_charged_near_tie_leaves_the_limits_valid(kernel: ohm.Kernel, labels: list[int]) -> None:
    stream = ohm.Stream([1, 0], [labels[1], labels[0]])
    perceptron = ohm.play(ohm.Perceptron(kernel), stream)
    games = [(ohm.play(make(kernel), stream), ProjectionBound()) for make in PROJECTIONS]
    for trace, bound in [*games, (perceptron, PerceptronBound())]:
        for comparator in (labels, None):
            certificate = bound.certify(trace, comparator)
            assert certificate.proven, str(certificate)
            assert certificate.charged <= certificate.value < 2 + 1e-7
    for trace, _ in games:
        assert not UpdateBound().certify(trace, labels).beaten
    if kernel.b > 0:
        assert not GraphPerceptronBound().certify(perceptron, labels).beaten
    curve = live_curve(perceptron, [0, 1, 2])
    assert curve[2] == PerceptronBound().certify(perceptron).value


def test_the_near_tie_is_really_charged() -> None:
    """The second margin has the right sign, and is negligible: without the allowance 2 mistakes beat 2 - 1e-9."""
    kernel = ohm.LaplacianKernel(PAIR) + ohm.Constant(0.25 * (1 - 1e-9))
    assert kernel.entry(0, 1) < 0  # so that -1 is right after +1
    trace = ohm.play(ohm.Projection.one_proj(kernel), ohm.Stream([1, 0], [1, -1]))
    certificate = ProjectionBound().certify(trace, [-1, 1])
    assert certificate.charged == 2
    assert certificate.terms["sqnorm"] * certificate.terms["harmonic"] < 2 <= certificate.value


def test_the_progress_of_an_active_tie_is_not_counted_in_full() -> None:
    kernel = ohm.LaplacianKernel(PAIR) + ohm.Constant(0.25 * (1 - 1e-9))
    trace = ohm.play(ohm.Projection.one_proj(kernel), ohm.Stream([1, 0], [1, -1]))
    for active in (np.array([True, False]), np.array([False, True]), 2):
        certificate = ProjectionBound(active).certify(trace, [-1, 1])
        assert certificate.proven
        assert certificate.charged <= certificate.value


def test_random_near_ties_of_three_nodes() -> None:
    tied = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        weights = 10.0 ** rng.uniform(-1, 1, size=2)
        graph = ohm.Graph.from_edges([(0, 1, weights[0]), (1, 2, weights[1])])
        plain = ohm.LaplacianKernel(graph)
        i, j = rng.permutation(3)[:2].tolist()
        bias = -plain.entry(i, j)
        if bias <= 0:
            continue
        kernel = plain + ohm.Constant(bias * (1 + float(rng.choice([-1, 1]) * 10.0 ** rng.uniform(-12, -8))))
        labels = rng.choice([-1, 1], size=3)
        nodes = [i, j, *rng.integers(3, size=4).tolist()]
        stream = ohm.Stream(nodes, labels[nodes].tolist())
        for make in PROJECTIONS:
            trace = ohm.play(make(kernel), stream)
            tied += bool(trace.margin[1] == 0)
            assert not ProjectionBound().certify(trace, labels).beaten
            assert not ProjectionBound().certify(trace).beaten
        trace = ohm.play(ohm.Perceptron(kernel), stream)
        assert not PerceptronBound().certify(trace, labels).beaten
        assert not PerceptronBound().certify(trace).beaten
    assert tied > 50


def test_the_partition_bound_allows_for_ties_too() -> None:
    # Of two resistors in a row the second is nearly twice the first: then the first two points are orthogonal.
    graph = ohm.Graph.from_edges([(0, 1, 1.0), (1, 2, 0.5 * (1 - 1e-10))])
    labels = np.array([1, 1, -1])
    trace = ohm.play(
        ohm.Projection.one_proj(ohm.LaplacianKernel(graph)), ohm.Stream([0, 1, 2], labels.tolist())
    )
    assert trace.margin[1] == 0
    certificate = PartitionBound().certify(trace, labels)
    assert certificate.proven
    terms = certificate.terms
    assert certificate.value > 4 * terms["cut"] * terms["balance"] * terms["harmonic"] * (1 + 1e-9)


def test_a_shortfall_is_small_or_assumed_away() -> None:
    assert shortfall(2.0, 1.0, 4.0) == pytest.approx(4e-9)
    assert stretched(0.0) == 1.0
    assert stretched(0.001) == pytest.approx(1 / 0.998)
    assert stretched(0.5) == 1.0  # `sharp` says aloud that it is assumed
