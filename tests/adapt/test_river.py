"""The river classifier: every check of river itself, and classes that come late."""

from __future__ import annotations

import numpy as np
import pytest

river = pytest.importorskip("river", reason="river is not installed: pip install 'ohmline[river]'")

from river import checks, evaluate, metrics, stream  # noqa: E402
from sklearn.datasets import make_moons  # noqa: E402

import ohmline as ohm  # noqa: E402
from ohmline.adapt.river import LocalManifoldClassifier, OnlineManifoldClassifier  # noqa: E402
from ohmline.errors import ParameterError  # noqa: E402
from ohmline.learn.manifold import Buffer, Manifold  # noqa: E402

CHECKS = list(checks.yield_checks(OnlineManifoldClassifier()))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_river_accepts_it(check):
    check(OnlineManifoldClassifier())


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_river_accepts_the_local_one(check):
    check(LocalManifoldClassifier())


def test_the_local_one_learns_without_labels_and_late_classes():
    model, rows = LocalManifoldClassifier(size=80), points()
    assert model.predict_proba_one(rows[0][0]) == {}
    for k, (x, y) in enumerate(rows):
        model.learn_one(x, f"moon {y}" if k % 40 < 2 else None)
    assert sum(model.predict_one(x) != f"moon {y}" for x, y in rows) < 0.05 * len(rows)
    model.learn_one({"a": 9.0, "b": 9.0}, "star")
    assert model.predict_one({"a": 9.0, "b": 9.0}) == "star"


def points(n=400, seed=0):
    x, truth = make_moons(n, noise=0.08, random_state=seed)
    return [({"a": p, "b": q}, int(y)) for (p, q), y in zip(x, truth, strict=True)]


def test_unlabelled_points_are_learned_from():
    model = OnlineManifoldClassifier(kernel_width=0.3, graph_width=0.15)
    rows = points()
    for k, (x, y) in enumerate(rows):
        model.learn_one(x, y if k % 40 < 2 else None)
    wrong = sum(model.predict_one(x) != y for x, y in rows)
    assert wrong < 0.05 * len(rows)


def test_a_late_class_is_as_good_as_declared():
    """Three functions that know every class from the start make the same scores."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(150, 2)) + np.repeat([[0, 0], [3, 0], [0, 3]], 50, axis=0)
    labels = np.repeat([0, 1, 2], 50)
    shown = rng.random(150) < 0.3
    for widths in ((0.8, 0.5), (None, None)):
        model = OnlineManifoldClassifier(*widths, buffer_size=60)
        kernel = None if widths[0] is None else ohm.RBF(widths[0])
        known = ohm.OnlineManifold(kernel, Buffer(60), smoothness=Manifold(widths[1]), classes=range(4))
        for (a, b), y, s in zip(rows, labels, shown, strict=True):
            model.learn_one({"a": a, "b": b}, int(y) if s else None)
            known.learn_one([a, b], int(y) if s else None)
        for a, b in rows[::10]:
            chance = model.predict_proba_one({"a": a, "b": b})
            scores = known.scores_one([a, b])[:3]
            expected = np.exp(scores) / np.exp(scores).sum()
            np.testing.assert_allclose([chance[c] for c in (0, 1, 2)], expected, atol=1e-12)


def test_it_runs_in_river_pipelines():
    model = river.preprocessing.StandardScaler() | OnlineManifoldClassifier()
    score = evaluate.progressive_val_score(points(), model, metrics.Accuracy())
    assert score.get() > 0.85


def test_features_may_come_and_go():
    model = OnlineManifoldClassifier(kernel_width=1.0)
    model.learn_one({"a": 1.0, "b": 2.0}, "x")
    model.learn_one({"b": -2.0}, "y")
    model.learn_one({"a": 1.0, "b": 2.0, "new": 9.0}, None)
    assert model.predict_one({"a": 1.0, "b": 2.0, "other": 1.0}) == "x"
    assert model.predict_one({"b": -2.0}) == "y"


def test_nothing_is_predicted_before_the_first_label():
    model = OnlineManifoldClassifier()
    assert model.predict_one({"a": 1.0}) is None
    model.learn_one({"a": 1.0}, None)
    assert model.predict_one({"a": 1.0}) is None


def test_arrays_stream_in():
    x, y = make_moons(50, random_state=0)
    model = OnlineManifoldClassifier(drift=True)
    for features, label in stream.iter_array(x, y):
        model.learn_one(features, label)
    assert set(model.predict_proba_one({0: 0.0, 1: 0.0})) == {0, 1}


def test_a_bad_point_changes_nothing():
    model = OnlineManifoldClassifier(kernel_width=1.0)
    model.learn_one({"a": 1.0}, "x")
    model.learn_one({"a": 2.0}, "y")
    before = model.predict_proba_one({"a": 1.2})
    with pytest.raises(ParameterError, match="finite"):
        model.learn_one({"a": float("nan")}, "z")
    assert model.predict_proba_one({"a": 1.2}) == before


def test_a_feature_that_is_no_number_is_named():
    model = OnlineManifoldClassifier(kernel_width=1.0)
    with pytest.raises(ParameterError, match="feature 'a' must be a number, got 'tall'"):
        model.learn_one({"a": "tall"}, 1)
    model.learn_one({"b": 1.0}, 1)
