"""The scikit-learn classifier over graphs: scikit-learn's own checks, and what is special to graphs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits, make_moons
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_classifiers_classes, parametrize_with_checks

import ohmline as ohm
from ohmline.adapt.sklearn import GraphClassifier
from ohmline.errors import GraphError, LabelError, ParameterError, ShapeError

EXPECTED = {
    "check_classifiers_classes": "it takes -1 for a class, which marks a missing label here; scikit-learn excepts its "
    "own semi-supervised classifiers from that by their names"
}


@parametrize_with_checks([GraphClassifier()], expected_failed_checks=lambda estimator: EXPECTED)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([GraphClassifier(drift=True)], expected_failed_checks=lambda estimator: EXPECTED)
def test_scikit_learn_accepts_it_under_drift(estimator, check):
    check(estimator)


def test_scikit_learn_accepts_its_classes_when_minus_one_is_one():
    check_classifiers_classes("GraphClassifier", GraphClassifier(unlabelled=None))


def moons(n=300, every=25):
    x, truth = make_moons(n, noise=0.08, random_state=0)
    return x, truth, np.where(np.arange(n) % every < 2, truth, -1)


def test_a_matrix_of_affinities_is_the_graph_itself():
    x, truth, y = moons()
    graph = ohm.graph.knn(x, 8)
    matrix = sparse.csr_array((graph.weights, graph.indices, graph.indptr), shape=(graph.n, graph.n))
    table = ohm.fit(graph, {k: int(label) for k, label in enumerate(y) if label >= 0}).predict_many()
    for given in (matrix, matrix.toarray()):
        model = GraphClassifier(graph="precomputed").fit(given, y)
        rest = y < 0
        assert model.transduction_[rest].tolist() == [table.predictions[k] for k in np.flatnonzero(rest)]
        column = [table.classes.index(c) for c in model.classes_]
        np.testing.assert_allclose(model.label_distributions_, table.probabilities[:, column], atol=1e-6)
        np.testing.assert_array_equal(model.predict_proba(given), model.label_distributions_)
        new = model.predict(given[:7])  # as new points with these affinities
        assert np.mean(new == truth[:7]) == 1
    made = GraphClassifier(graph=lambda rows: ohm.graph.knn(rows, 8)).fit(x, y)
    np.testing.assert_array_equal(made.transduction_, model.transduction_)
    with pytest.raises(ShapeError, match="points of fit again"):
        made.predict(x[:3])


def test_new_points_are_predicted_by_their_neighbours_without_changing_anything():
    x, truth = make_moons(600, noise=0.08, random_state=1)
    y = np.where(np.arange(300) % 25 < 2, truth[:300], -1)
    model = GraphClassifier().fit(x[:300], y)
    before = model.learner_.snapshot()
    assert model.score(x[300:], truth[300:]) > 0.95
    np.testing.assert_array_equal(model.predict_proba(x[:300]), model.label_distributions_)
    assert all(np.array_equal(before[key], value) for key, value in model.learner_.snapshot().items())


def test_points_and_labels_come_bit_by_bit():
    x, truth, y = moons()
    model = GraphClassifier()
    for first in range(0, 300, 60):
        part = slice(first, first + 60)
        model.partial_fit(x[part], y[part], classes=[0, 1])
    assert model.learner_.nodes[299] == 299
    assert np.mean(model.transduction_ == truth) > 0.95
    wrong = int(np.flatnonzero(y >= 0)[0])
    model.partial_fit(x[[wrong]], [1 - y[wrong]])  # the same node again: its label is corrected
    assert len(model.transduction_) == 300
    assert model.transduction_[wrong] == 1 - y[wrong]


def test_partial_fit_on_a_fixed_graph_takes_new_labels():
    x, _, y = moons()
    graph = ohm.graph.knn(x, 8)
    matrix = sparse.csr_array((graph.weights, graph.indices, graph.indptr), shape=(graph.n, graph.n))
    at_once = GraphClassifier(graph="precomputed").fit(matrix, y)
    steps = GraphClassifier(graph="precomputed")
    half = np.arange(300) < 150
    steps.partial_fit(matrix, np.where(half, y, -1), classes=[0, 1]).partial_fit(
        matrix, np.where(half, -1, y)
    )
    np.testing.assert_array_equal(steps.transduction_, at_once.transduction_)
    with pytest.raises(GraphError, match="the same X again"):
        steps.partial_fit(sparse.csr_array((300, 300)), y)


def test_clone_pipeline_and_grid_search():
    x, truth = load_digits(return_X_y=True)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), GraphClassifier()), {"graphclassifier__k": [3, 10]}, cv=2
    )
    assert search.fit(x[:400], truth[:400]).best_score_ > 0.85
    assert clone(search.best_estimator_[-1]).get_params()["k"] in (3, 10)


def test_what_no_label_reaches_gets_the_frequencies_of_the_classes():
    matrix = np.zeros((5, 5))
    matrix[0, 1] = matrix[1, 0] = matrix[2, 3] = matrix[3, 2] = 1.0
    model = GraphClassifier(graph="precomputed").fit(matrix, [0, -1, 1, 1, -1])
    np.testing.assert_allclose(model.label_distributions_[4], [2 / 5, 3 / 5])
    assert model.transduction_.tolist() == [0, 0, 1, 1, 1]


def test_bad_input_is_refused_by_name():
    x, _, y = moons(60, 6)
    with pytest.raises(ParameterError, match="'knn', 'precomputed' or a function"):
        GraphClassifier(graph="cosine").fit(x, y)
    with pytest.raises(ShapeError, match="as many rows as columns"):
        GraphClassifier(graph="precomputed").fit(x, y)
    with pytest.raises(GraphError, match="60 nodes"):
        GraphClassifier(graph=lambda rows: ohm.graph.knn(rows[:9], 2)).fit(x, y)
    with pytest.raises(LabelError, match="one class only"):
        GraphClassifier().fit(x, np.where(y == 0, 0, -1))
    with pytest.raises(LabelError, match="must name all classes"):
        GraphClassifier().partial_fit(x, y)
    with pytest.raises(ParameterError, match="k must"):
        GraphClassifier(k=0).fit(x, y)


def test_points_may_come_one_by_one_and_twice():
    x, truth, _ = moons(80)
    model = GraphClassifier(k=5)
    for row, label in zip(x, truth, strict=True):
        model.partial_fit(row[None], [label], classes=[0, 1])
    assert model.score(x, truth) > 0.95
    twice = np.vstack([x[:20], x[:20]])
    again = GraphClassifier(k=2).partial_fit(twice, np.tile(truth[:20], 2), classes=[0, 1])
    again.partial_fit([[5.0, 5.0], [-0.0, 5.0]], [1, -1]).partial_fit([[0.0, 5.0]], [0])
    assert len(again.transduction_) == 42


def test_the_marker_marks_among_strings_too():
    x, truth, y = moons(60, 6)
    names = np.array(["cat", "dog"])[truth]
    model = GraphClassifier(k=5).fit(
        x, [name if label >= 0 else -1 for name, label in zip(names, y, strict=True)]
    )
    assert model.classes_.tolist() == ["cat", "dog"]
    with pytest.raises(LabelError, match="y has no label"):
        GraphClassifier().fit(x, [-1] * 60)


def test_drift_follows_labels_that_change():
    x, truth, y = moons()
    shown = np.flatnonzero(y >= 0)
    still, model = GraphClassifier().fit(x, y), GraphClassifier(drift=True).fit(x, y)
    assert isinstance(model.learner_, ohm.DriftingLGC)
    assert np.mean(model.transduction_ == truth) > 0.95
    new = make_moons(200, noise=0.08, random_state=5)
    assert model.score(*new) > 0.95
    before = model.learner_.snapshot()
    np.testing.assert_array_equal(model.predict_proba(x), model.label_distributions_)
    np.testing.assert_allclose(model.predict_proba(new[0]).sum(axis=1), 1)
    assert all(np.array_equal(before[key], value) for key, value in model.learner_.snapshot().items())
    few = shown[::3]  # the moons change places, and every third label says so
    for one in (still, model):
        one.partial_fit(x[few], 1 - y[few])
    assert np.mean(model.transduction_ == 1 - truth) > 0.95
    assert np.mean(still.transduction_ == 1 - truth) < 0.8


def test_drift_learns_the_rows_in_their_order_as_the_learner_does():
    x, _, y = moons(120, 10)
    graph = ohm.graph.knn(x, 6)
    model = GraphClassifier(graph=lambda rows: ohm.graph.knn(rows, 6), drift=True).fit(x, y)
    model.partial_fit(x, np.where(y == 0, 1, -1))
    learner = ohm.DriftingLGC(graph, [0, 1])
    for labels in (y, np.where(y == 0, 1, -1)):
        for k in np.flatnonzero(labels >= 0).tolist():
            learner.learn_one(k, int(labels[k]))
    np.testing.assert_allclose(model.label_distributions_, learner.predict_many().probabilities, atol=1e-12)


def test_drift_says_what_it_cannot_do():
    x, _, y = moons()
    with pytest.raises(ParameterError, match="drift must be True or False, got 'yes'"):
        GraphClassifier(drift="yes").fit(x, y)
    model = GraphClassifier(drift=True).fit(x[:200], y[:200])
    before = model.learner_.snapshot()
    with pytest.raises(GraphError, match="100 of these 150 points are not in it; give all points to fit"):
        model.partial_fit(x[150:], y[150:])
    assert all(np.array_equal(before[key], value) for key, value in model.learner_.snapshot().items())
    distrust = ohm.Graph.from_edges([(0, 1, 1.0), (1, 2, -1.0)], signed=True)
    with pytest.raises(GraphError, match="DriftingLGC"):
        GraphClassifier(graph=lambda rows: distrust, drift=True).fit(x[:3], [0, -1, 1])


def test_with_drift_what_no_label_reaches_gets_the_frequencies_of_the_classes():
    affinities = np.zeros((5, 5))
    affinities[0, 1] = affinities[1, 0] = affinities[2, 3] = affinities[3, 2] = 1.0
    model = GraphClassifier(graph="precomputed", drift=True).fit(affinities, [0, -1, 1, 1, -1])
    np.testing.assert_allclose(model.label_distributions_[4], [2 / 5, 3 / 5])
    np.testing.assert_allclose(model.predict_proba(np.zeros((1, 5)))[0], [2 / 5, 3 / 5])
    near = model.predict_proba(np.array([[0.0, 3.0, 0.0, 1.0, 0.0]]))[0]
    np.testing.assert_allclose(
        near, 0.75 * model.label_distributions_[1] + 0.25 * model.label_distributions_[3]
    )
