"""Widths and scales that are read off the data, and what is said where they cannot be trusted."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_wine, make_moons

import ohmline as ohm
from ohmline.game import Spirals, Stream, play
from ohmline.kernel import RBF, Linear
from ohmline.learn.manifold import Bandwidth, Manifold, OnlineManifold


def moons_error(seed, **options):
    x, y = make_moons(3000, noise=0.1, random_state=seed)
    rng = np.random.default_rng(seed)
    model = OnlineManifold(classes=[0, 1], **options)
    play(model, Stream(x[:2000], y[:2000].tolist(), revealed=rng.random(2000) < 0.05))
    return float(np.mean((model.function(x[2000:]) >= 0) != y[2000:]))


def test_the_median_width_leaves_the_graph_local():
    seeds = range(3)
    median = np.mean([moons_error(s, bandwidth="median") for s in seeds])
    alone = np.mean([moons_error(s, bandwidth="median", lambda_2=0.0) for s in seeds])
    assert median <= 0.02
    assert median <= alone + 0.002


def spirals_after(first):
    """Test error on spirals whose stream begins with other rows, without labels."""
    source, model = Spirals(), OnlineManifold()
    stream = source.stream(4000)
    labels = [y if shown else None for y, shown in zip(stream.labels, stream.revealed, strict=True)]
    play(model, Stream(np.vstack([first, stream.nodes]), [None] * len(first) + labels))
    points, truth = source.at(0, 2000)
    return float(np.mean(np.where(model.function(points) >= 0, 1, -1) != truth))


@pytest.mark.parametrize("first", [np.zeros((100, 2)), np.tile([[0.0, -0.0], [0.3, 0.1]], (200, 1))])
def test_widths_wait_for_different_points(first):
    assert spirals_after(first) <= 0.01


def test_points_that_never_differ_end_with_a_warning():
    model = OnlineManifold()
    with pytest.warns(UserWarning, match="first 1000 points are all the same"):
        play(model, Stream(np.ones((1500, 3)), [1, -1] * 750))
    assert model.kernel.width == 0.7
    assert model.trials == 1500


def test_few_different_points_are_evidence_too():
    rows = np.random.default_rng(0).normal(size=(7, 2))
    model = OnlineManifold()
    play(model, Stream(rows[np.arange(1200) % 7], [1 if k % 7 < 3 else -1 for k in range(1200)]))
    assert model.kernel.width == Bandwidth.NEIGHBOURS.kernel_width(rows)
    assert model.graph_width == Bandwidth.NEIGHBOURS.graph_width(rows)


def test_repeated_points_do_not_count_for_the_widths():
    x = np.random.default_rng(0).normal(size=(100, 3))
    once, often = OnlineManifold(), OnlineManifold()
    play(once, Stream(x, [None] * 100))
    play(often, Stream(np.repeat(x, 4, axis=0), [None] * 400))
    assert once.kernel.width == often.kernel.width
    assert once.graph_width == often.graph_width


def wine(seed=0):
    x, y = load_wine(return_X_y=True)
    order = np.random.default_rng(seed).permutation(len(x))
    return x[order], y[order]


def wine_error(x, y, **options):
    model = OnlineManifold(classes=[0, 1, 2], **options)
    play(model, Stream(x[:120], y[:120].tolist()))
    model.fix_widths()
    return float(np.mean(model.function(x[120:]).argmax(1) != y[120:]))


def test_a_feature_that_decides_alone_is_named():
    x, y = wine()
    with pytest.warns(
        UserWarning, match="feature 12 spreads .* times as far as the others.*standardise=True"
    ):
        raw = wine_error(x, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scaled = wine_error(x, y, standardise=True)
        wine_error(x / x.std(0), y)
    assert scaled <= 0.1 < raw


def test_a_thousandfold_feature_is_harmless_when_standardised():
    x, y = make_moons(2000, noise=0.1, random_state=0)
    rng = np.random.default_rng(0)
    wide = np.column_stack([x, 1000 * rng.normal(size=2000)])
    shown = rng.random(2000) < 0.1
    errors = []
    for standardise in (False, True):
        model = OnlineManifold(classes=[0, 1], standardise=standardise)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            trace = play(model, Stream(wide, y.tolist(), revealed=shown))
        assert len(caught) == (0 if standardise else 1)
        errors.append(trace.mistake[1000:].mean())
    assert errors[0] > 0.3
    assert errors[1] < 0.12


@pytest.mark.parametrize("kernel", [None, RBF(0.8), Linear()])
def test_standardising_is_learning_from_scaled_points(kernel):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(300, 4)) * [1.0, 30.0, 0.01, 0.0] + [0, 0, 0, 5.0]
    y = np.where(x[:, 0] > 0, 1, -1)
    labels = [int(s) if rng.random() < 0.3 else None for s in y]
    by_hand = x[:100].std(axis=0)
    by_hand[3] = 1.0
    scaled, plain = OnlineManifold(kernel, standardise=True), OnlineManifold(kernel)
    play(scaled, Stream(x, labels))
    play(plain, Stream(x / by_hand, labels))
    probes = x[:20] + 0.1 * by_hand
    assert scaled.function(probes) == pytest.approx(plain.function(probes / by_hand), abs=1e-9)
    assert scaled.margin_one(probes[0]) == pytest.approx(plain.margin_one(probes[0] / by_hand), abs=1e-9)
    assert scaled.sqnorm == pytest.approx(scaled.function.sqnorm, rel=1e-9)
    assert scaled.function.points[:5] == pytest.approx(plain.function.points[:5] * by_hand)
    other = OnlineManifold.restore(scaled.snapshot())
    assert other.margin_one(probes[1]) == scaled.margin_one(probes[1])


def test_standardising_with_widths_of_ones_own_waits_for_the_scale():
    x = np.random.default_rng(2).normal(size=(150, 2)) * [1.0, 1000.0]
    learner = OnlineManifold(RBF(0.5), smoothness=Manifold(0.3), standardise=True)
    for k, row in enumerate(x):
        learner.learn_one(row, 1 if row[0] > 0 else -1)
        assert (learner.graph_width is None) == (k < 99)
    again = ohm.OnlineManifold.restore(learner.snapshot())
    assert again.margin_one(x[0]) == learner.margin_one(x[0])
