"""Streams in which few points come again and again: what was said of each is not drowned by the others."""

from __future__ import annotations

import numpy as np
import pytest

from ohmline.game import Stream, play
from ohmline.kernel import RBF
from ohmline.learn.manifold import Bandwidth, Buffer, Manifold, Nystroem, OnlineManifold, RPTree

POINTS = np.random.default_rng(0).normal(size=(7, 2))
SIGNS = np.array([-1, 1, -1, 1, 1, -1, 1])
WIDTHS = {
    "kernel": RBF(Bandwidth.NEIGHBOURS.kernel_width(POINTS)),
    "smoothness": Manifold(Bandwidth.NEIGHBOURS.graph_width(POINTS)),
}


def late_error(points, labels, **options):
    """The share of mistakes in the second half of a stream with every label."""
    model = OnlineManifold(**options)
    trace = play(model, Stream(points, labels.tolist()))
    return float(np.mean(trace.mistake[len(points) // 2 :]))


def repeated(trials, jitter=0.0):
    rng = np.random.default_rng(1)
    order = rng.integers(0, len(POINTS), trials)
    return POINTS[order] + jitter * rng.normal(size=(trials, 2)), SIGNS[order]


@pytest.mark.parametrize("trials", [1400, 20_000])
@pytest.mark.parametrize("standardise", [False, True])
def test_seven_points_keep_their_labels(trials, standardise):
    assert late_error(*repeated(trials), standardise=standardise) == 0.0


@pytest.mark.parametrize("basis", [Buffer(), Buffer(keep="newest"), RPTree(), Nystroem()], ids=repr)
@pytest.mark.parametrize("jitter", [0.0, 1e-3])
def test_near_repeats_do_no_harm_over_any_basis(basis, jitter):
    assert late_error(*repeated(2000, jitter), basis=basis, **WIDTHS) <= 0.01


def test_a_feature_that_never_changes_does_no_harm():
    points, labels = repeated(1400)
    assert late_error(np.column_stack([points, np.full(1400, 5.0)]), labels) == 0.0


@pytest.mark.parametrize("steps", [2, 4, 8])
def test_points_of_a_grid_keep_random_labels(steps):
    rng = np.random.default_rng(steps)
    cells = rng.integers(0, steps, size=(3000, 2))
    signs = np.where(rng.permutation(steps * steps).reshape(steps, steps) % 2 == 0, 1, -1)
    assert late_error(cells.astype(float), signs[cells[:, 0], cells[:, 1]]) <= 0.01


def test_each_of_many_classes_keeps_its_point():
    order = np.random.default_rng(2).integers(0, 7, 2000)
    assert late_error(POINTS[order], order, classes=range(7)) <= 0.05


def test_the_neighbours_of_a_point_weigh_half_a_label_at_most():
    """f(x) = 1 at 1, ..., n: however many there are, they pull a new point by no more than the limit allows."""
    lengths = []
    for copies in (5, 50, 500):
        model = OnlineManifold(RBF(1.0), smoothness=Manifold(1.0), label_rate=0.25, lambda_2=0.01)
        play(model, Stream(np.zeros((copies, 1)), [1] * copies))
        lengths.append(model.learn_one([1.0], None).progress * (copies + 1))  # eta^2 is 1 / t
    assert lengths[1] == pytest.approx(lengths[2], rel=0.05)
    assert lengths[0] <= 1.05 * lengths[1]
