"""LapSVM against the definition of J(f), its optimality conditions and generic solvers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

import ohmline as ohm
from manifold_oracle import literal_loss
from ohmline.errors import LabelError, LearnerError, ParameterError, ShapeError
from ohmline.learn.batch import LabelledOnly, LapSVM
from ohmline.learn.manifold import Loss


def literal_risk(alpha, gram, weights, labels, lambda_1, lambda_2, loss):
    """Equation (1), term by term: f = sum alpha_i K(x_i, .)."""
    f = gram @ alpha
    known = [t for t, y in enumerate(labels) if y is not None]
    fit = 0.0
    for t in known:
        fit += literal_loss(loss, f[t], labels[t])
    rough = 0.0
    for s in range(len(f)):
        for t in range(len(f)):
            rough += (f[s] - f[t]) ** 2 * weights[s, t]
    return fit / len(known) + lambda_1 / 2 * alpha @ gram @ alpha + lambda_2 / (2 * len(f)) * rough


def instance(seed, points=14):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(points, 2))
    y = [int(rng.choice([-1, 1])) if rng.random() < 0.4 else None for _ in range(points)]
    y[0], y[1] = 1, -1
    return x, y


settings = st.tuples(
    st.integers(0, 10_000),
    st.sampled_from([1e-3, 0.1, 1.0]),
    st.sampled_from([0.0, 0.1, 1.0]),
    st.sampled_from(list(Loss)),
)


@given(settings)
def test_risk_is_equation_1_at_the_solution(setting):
    seed, lambda_1, lambda_2, loss = setting
    x, y = instance(seed)
    kernel, weights = ohm.RBF(0.8), ohm.RBF(0.6)
    model = LapSVM(kernel, weights, lambda_1=lambda_1, lambda_2=lambda_2, loss=loss).fit(x, y)
    literal = literal_risk(model.coefficients[:, 0], kernel(x, x), weights(x, x), y, lambda_1, lambda_2, loss)
    assert model.risk == pytest.approx(literal, rel=1e-7, abs=1e-9)
    assert abs(model.gap) < 1e-8 * max(1.0, model.risk)


@given(settings, st.integers(0, 1000))
def test_nothing_near_or_far_has_a_smaller_risk(setting, direction_seed):
    seed, lambda_1, lambda_2, loss = setting
    x, y = instance(seed)
    kernel, weights = ohm.RBF(0.8), ohm.RBF(0.6)
    model = LapSVM(kernel, weights, lambda_1=lambda_1, lambda_2=lambda_2, loss=loss).fit(x, y)
    gram, w = kernel(x, x), weights(x, x)
    rng = np.random.default_rng(direction_seed)
    for size in (1e-3, 1e-1, 10.0):
        other = model.coefficients[:, 0] + size * rng.normal(size=len(x))
        assert literal_risk(other, gram, w, y, lambda_1, lambda_2, loss) >= model.risk - 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_hinge_meets_the_optimality_conditions(seed):
    x, y = instance(seed, 40)
    kernel, weights, lambda_1, lambda_2 = ohm.RBF(0.8), ohm.RBF(0.6), 0.01, 0.3
    model = LapSVM(kernel, weights, lambda_1=lambda_1, lambda_2=lambda_2).fit(x, y)
    w = weights(x, x)
    laplacian = np.diag(w.sum(1)) - w
    f = model.values[:, 0]
    # 0 is a subgradient: lambda_1 alpha + 2 lambda_2/T L f = y a on labelled points, 0 elsewhere.
    pull = lambda_1 * model.coefficients[:, 0] + 2 * lambda_2 / len(x) * laplacian @ f
    known = np.array([label is not None for label in y])
    signs = np.array([label or 0 for label in y])
    assert np.abs(pull[~known]).max() < 1e-9
    a, margin = (signs * pull)[known], (signs * f)[known]
    box = 1 / known.sum()
    assert a.min() > -1e-9
    assert a.max() < box + 1e-9
    assert np.all(a[margin > 1 + 1e-6] < 1e-7)
    assert np.all(a[margin < 1 - 1e-6] > box - 1e-7)


@pytest.mark.parametrize("loss", list(Loss))
def test_a_generic_convex_solver_ends_at_the_same_risk(loss):
    x, y = instance(5, 20)
    kernel, weights, lambda_1, lambda_2 = ohm.RBF(0.8), ohm.RBF(0.6), 0.1, 0.5
    model = LapSVM(kernel, weights, lambda_1=lambda_1, lambda_2=lambda_2, loss=loss).fit(x, y)
    gram, w = kernel(x, x), weights(x, x)
    laplacian = np.diag(w.sum(1)) - w
    known = np.array([t for t, label in enumerate(y) if label is not None])
    signs = np.array([y[t] for t in known], dtype=float)

    def smooth_risk(alpha, softness):
        """The hinge loss with its corner rounded over a width `softness`."""
        f = gram @ alpha
        z = signs * f[known]
        if loss is Loss.SQUARED:
            value, slope = (signs - f[known]) ** 2, 2 * (f[known] - signs)
        elif loss is Loss.SQUARED_HINGE:
            value, slope = np.maximum(1 - z, 0) ** 2, -2 * signs * np.maximum(1 - z, 0)
        elif loss is Loss.LOGISTIC:
            value, slope = np.logaddexp(0, -z), -signs / (1 + np.exp(z))
        else:
            z = (1 - z) / softness
            value, slope = softness * np.logaddexp(0, z), -signs / (1 + np.exp(-z))
        push = np.zeros(len(f))
        push[known] = slope / len(known)
        risk = value.mean() + lambda_1 / 2 * alpha @ f + lambda_2 / len(f) * f @ laplacian @ f
        return risk, gram @ (push + lambda_1 * alpha + 2 * lambda_2 / len(f) * laplacian @ f)

    alpha = np.zeros(len(x))
    for softness in (0.3, 0.03, 0.003):
        alpha = optimize.minimize(
            smooth_risk, alpha, (softness,), jac=True, method="L-BFGS-B", options={"maxiter": 5000}
        ).x
    generic = literal_risk(alpha, gram, w, y, lambda_1, lambda_2, loss)
    assert model.risk <= generic + 1e-10
    assert generic == pytest.approx(model.risk, rel=2e-2 if loss is Loss.HINGE else 1e-5)


def test_without_a_graph_unlabelled_points_play_no_part():
    x, y = instance(1, 30)
    whole = LapSVM(ohm.RBF(0.8), lambda_1=0.01, lambda_2=0.0).fit(x, y)
    alone = LabelledOnly(ohm.RBF(0.8), lambda_1=0.01).fit(x, y)
    fresh = np.random.default_rng(0).normal(size=(50, 2))
    np.testing.assert_allclose(whole.margins(fresh), alone.margins(fresh), atol=1e-6)
    assert alone.risk == pytest.approx(whole.risk)


def test_labelled_only_is_the_svm_of_scikit_learn_up_to_its_bias():
    svm = pytest.importorskip("sklearn.svm")
    x, y = instance(2, 60)
    known = [t for t, label in enumerate(y) if label is not None]
    kernel = ohm.RBF(0.8)
    gram = kernel(x[known], x[known])
    # LinearSVC has no bias here; its features are a square root of the kernel.
    values, vectors = np.linalg.eigh(gram)
    root = vectors * np.sqrt(np.maximum(values, 0))
    lambda_1 = 0.05
    machine = svm.LinearSVC(
        C=1 / (lambda_1 * len(known)), loss="hinge", fit_intercept=False, tol=1e-10, max_iter=1_000_000
    ).fit(root, [y[t] for t in known])
    ours = LabelledOnly(kernel, lambda_1=lambda_1).fit(x, y)
    np.testing.assert_allclose(ours.margins(x[known]), machine.decision_function(root), atol=1e-4)


def test_a_graph_and_a_weight_function_agree():
    x, y = instance(3, 25)
    w = ohm.RBF(0.6)(x, x)
    graph = ohm.Graph.from_scipy((w + w.T) / 2)
    by_graph = LapSVM(ohm.RBF(0.8), graph, lambda_2=0.5).fit(x, y)
    by_function = LapSVM(ohm.RBF(0.8), ohm.RBF(0.6), lambda_2=0.5).fit(x, y)
    np.testing.assert_allclose(by_graph.margins(x), by_function.margins(x), atol=1e-6)


@pytest.mark.parametrize("loss", list(Loss))
def test_three_classes_with_the_users_labels(loss):
    rng = np.random.default_rng(0)
    centres = np.array([[0, 0], [3, 0], [0, 3]])
    truth = rng.integers(3, size=90)
    x = centres[truth] + 0.3 * rng.normal(size=(90, 2))
    names = np.array(["red", "green", "blue"])
    y = [str(names[c]) if t < 9 else None for t, c in enumerate(truth)]
    model = LapSVM(loss=loss).fit(x, y)
    assert model.classes == ("blue", "green", "red")
    assert sum(p != names[c] for p, c in zip(model.predict(x), truth, strict=True)) <= 2
    assert model.margins(x).shape == (90, 3)


def test_defaults_learn_two_moons_where_labels_alone_fail():
    datasets = pytest.importorskip("sklearn.datasets")
    x, truth = datasets.make_moons(300, noise=0.06, random_state=0)
    y = [None] * 300
    for c in (0, 1):
        y[int(np.flatnonzero(truth == c)[0])] = c
    wrong = [
        np.mean(np.array(model.fit(x, y).predict(x)) != truth)
        for model in (LapSVM(ohm.RBF(0.3), ohm.RBF(0.08)), LabelledOnly(ohm.RBF(0.3)))
    ]
    assert wrong[0] < 0.02 < wrong[1]


def test_bad_input_says_what_and_how():
    x, y = instance(0)
    with pytest.raises(ParameterError, match="lambda_1 must be a finite number above 0"):
        LapSVM(lambda_1=0)
    with pytest.raises(ParameterError, match="lambda_2"):
        LapSVM(lambda_2=-1)
    with pytest.raises(ParameterError, match=r"loss must be one of .hinge"):
        LapSVM(loss="hinges")
    with pytest.raises(LearnerError, match="call fit first"):
        LapSVM().predict(x)
    with pytest.raises(ShapeError, match="13 labels for 14 points"):
        LapSVM().fit(x, y[1:])
    with pytest.raises(LabelError, match="no point has a label"):
        LapSVM().fit(x, [None] * len(x))
    with pytest.raises(LabelError, match="at least two classes"):
        LapSVM().fit(x, ["a"] * len(x))
    with pytest.raises(LabelError, match="hashable"):
        LapSVM().fit(x, [[1]] * len(x))
    with pytest.raises(ShapeError, match="graph of weights has 3 nodes"):
        LapSVM(weights=ohm.Graph.from_edges([(0, 1), (1, 2)])).fit(x, y)
    with pytest.raises(ParameterError, match="one weight of at least 0"):
        LapSVM(weights=lambda a, b: -np.ones((len(a), len(b)))).fit(x, y)
    broken = x.copy()
    broken[3, 1] = np.nan
    with pytest.raises(ParameterError, match=r"points\[3, 1\] is nan"):
        LapSVM().fit(broken, y)
    model = LapSVM().fit(x, y)
    with pytest.raises(ShapeError, match="3 columns"):
        model.predict(np.zeros((1, 3)))
    before = model.margins(x)
    with pytest.raises(ParameterError):
        model.fit(broken, y)
    np.testing.assert_array_equal(model.margins(x), before)
    assert "LapSVM(" in repr(model)
    assert "LabelledOnly(" in repr(LabelledOnly())
