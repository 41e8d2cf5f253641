"""The scikit-learn classifier: every check of scikit-learn itself, and the meaning of no label."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_classifiers_classes, parametrize_with_checks

import ohmline as ohm
from ohmline.adapt.scores import probabilities
from ohmline.adapt.sklearn import LocalManifoldClassifier, OnlineManifoldClassifier
from ohmline.errors import LabelError
from ohmline.learn.manifold import Buffer, Loss

MINUS_ONE = {
    "check_classifiers_classes": "it takes -1 for a class, which marks a missing label here; scikit-learn excepts its "
    "own semi-supervised classifiers from that by their names"
}


@parametrize_with_checks(
    [OnlineManifoldClassifier(), LocalManifoldClassifier()],
    expected_failed_checks=lambda estimator: MINUS_ONE,
)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def test_scikit_learn_accepts_its_classes_when_minus_one_is_one():
    for kind in (OnlineManifoldClassifier, LocalManifoldClassifier):
        check_classifiers_classes(kind.__name__, kind(unlabelled=None))


def test_the_local_classifier_is_its_learner_in_pieces_too():
    x, truth, shown = moons(300)
    names = np.array(["low", "high"])[truth]
    model = LocalManifoldClassifier(size=60, unlabelled=None).fit(x, np.where(shown, names, None))
    learner = ohm.LocalManifold(60)
    learner.learn_many(
        x, [name if known else None for name, known in zip(names.tolist(), shown, strict=True)]
    )
    assert model.predict(x).tolist() == learner.predict_many(x).predictions
    assert model.score(x, names) > 0.95
    pieces = LocalManifoldClassifier(size=60)
    for rows in np.array_split(np.arange(300), 4):
        pieces.partial_fit(x[rows], np.where(shown, names, None)[rows], classes=["low", "high"])
    assert np.array_equal(pieces.predict_proba(x), model.predict_proba(x))
    with pytest.raises(LabelError, match="no label"):
        LocalManifoldClassifier().fit(x, np.full(300, -1))


def moons(n=600):
    x, truth = make_moons(n, noise=0.08, random_state=0)
    return x, truth, np.arange(n) % 50 < 3


@pytest.mark.parametrize("missing", [-1, None, float("nan")])
def test_every_marker_of_a_missing_label_means_the_same(missing):
    x, truth, shown = moons()
    plain = OnlineManifoldClassifier().fit(x, np.where(shown, truth, -1))
    marked = [int(t) if s else missing for t, s in zip(truth, shown, strict=True)]
    model = OnlineManifoldClassifier().fit(x, marked if missing is None else np.array(marked))
    np.testing.assert_array_equal(model.decision_function(x), plain.decision_function(x))
    assert model.classes_.tolist() == [0, 1]


def test_it_is_the_online_learner():
    x, truth, shown = moons(300)
    model = OnlineManifoldClassifier(kernel_width=0.2, graph_width=0.1).fit(x, np.where(shown, truth, -1))
    learner = ohm.OnlineManifold(ohm.RBF(0.2), smoothness=ohm.learn.manifold.Manifold(0.1), classes=[0, 1])
    for row, y, s in zip(x, truth, shown, strict=True):
        learner.learn_one(row, int(y) if s else None)
    np.testing.assert_allclose(model.decision_function(x[:50]), [learner.margin_one(r) for r in x[:50]])


def test_minus_one_is_never_guessed_to_be_a_class():
    """y in {-1, +1} may be a binary problem or one class and points without a label: the user has to say."""
    x, truth, _ = moons()
    with pytest.raises(LabelError, match=r"one class only, \[1\], beside -1, .*unlabelled=None"):
        OnlineManifoldClassifier().fit(x, 2 * truth - 1)
    model = OnlineManifoldClassifier(unlabelled=None).fit(x, 2 * truth - 1)
    assert model.classes_.tolist() == [-1, 1]
    assert model.score(x, 2 * truth - 1) > 0.9
    by_pieces = OnlineManifoldClassifier().partial_fit(x, 2 * truth - 1, classes=[-1, 1])
    assert by_pieces.classes_.tolist() == [-1, 1]


def test_minus_one_is_a_class_when_the_user_says_so():
    x, truth, _ = moons()
    y = np.where(x[:, 1] > 0.9, -1, truth)
    assert OnlineManifoldClassifier().fit(x, y).classes_.tolist() == [0, 1]
    assert OnlineManifoldClassifier(unlabelled=None).fit(x, y).classes_.tolist() == [-1, 0, 1]
    assert OnlineManifoldClassifier().partial_fit(x, y, classes=[-1, 0, 1]).classes_.tolist() == [-1, 0, 1]


def test_partial_fit_continues_and_ends_where_fit_does():
    x, truth, shown = moons()
    y = np.where(shown, truth, -1)
    whole = OnlineManifoldClassifier().fit(x, y)
    parts = OnlineManifoldClassifier()
    for start in range(0, len(x), 70):
        parts.partial_fit(x[start : start + 70], y[start : start + 70], classes=[0, 1])
    np.testing.assert_array_equal(parts.predict(x), whole.predict(x))


def test_string_labels_and_probabilities():
    x, truth, shown = moons()
    names = np.array(["down", "up"])[truth].astype(object)
    names[~shown] = None
    model = OnlineManifoldClassifier(loss="logistic").fit(x, names)
    assert model.classes_.tolist() == ["down", "up"]
    chance = model.predict_proba(x)
    np.testing.assert_allclose(chance.sum(1), 1)
    assert (model.classes_[chance.argmax(1)] == model.predict(x)).all()
    np.testing.assert_allclose(chance[:, 1], 1 / (1 + np.exp(-model.decision_function(x))))


def test_unlabelled_points_pay():
    x, truth, _ = moons(1500)
    shown = np.zeros(1500, dtype=bool)
    shown[[np.flatnonzero(truth == c)[k] for c in (0, 1) for k in (0, 3)]] = True
    y = np.where(shown, truth, -1)
    with_graph = OnlineManifoldClassifier(lambda_2=1.0, passes=2).fit(x, y).score(x, truth)
    without = OnlineManifoldClassifier(lambda_2=0.0, passes=2).fit(x, y).score(x, truth)
    assert with_graph > without


def test_it_fits_into_pipelines_and_grids():
    x, truth, _ = moons(400)
    model = make_pipeline(StandardScaler(), OnlineManifoldClassifier())
    grid = {"onlinemanifoldclassifier__basis": [Buffer(50), Buffer(100)]}
    search = GridSearchCV(model, grid, cv=2).fit(x, truth)
    assert search.best_score_ > 0.8


def test_scores_become_probabilities():
    chance = probabilities(np.array([[800.0, 0.0], [0.0, 0.0]]), Loss.HINGE)
    np.testing.assert_allclose(chance, [[1, 0], [0.5, 0.5]], atol=1e-12)


def test_bad_labels_say_what_and_how():
    x, truth, _ = moons(60)
    with pytest.raises(LabelError, match="no label"):
        OnlineManifoldClassifier().fit(x, np.full(60, -1))
    with pytest.raises(LabelError, match="one class only"):
        OnlineManifoldClassifier().fit(x, np.ones(60))
    with pytest.raises(LabelError, match="must name all classes"):
        OnlineManifoldClassifier().partial_fit(x, truth)
    model = OnlineManifoldClassifier().partial_fit(x, truth, classes=[0, 1])
    before = model.decision_function(x)
    with pytest.raises(LabelError, match="7 is not one of the classes"):
        model.partial_fit(x, np.full(60, 7))
    with pytest.raises(LabelError, match="not those of the first call"):
        model.partial_fit(x, truth, classes=[0, 1, 2])
    with pytest.raises(LabelError, match="at least two classes"):
        OnlineManifoldClassifier().partial_fit(x, truth, classes=[0])
    np.testing.assert_array_equal(model.decision_function(x), before)
