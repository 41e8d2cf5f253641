"""MultiviewSVM against the printed risk written out, and generic solvers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

import ohmline as ohm
from manifold_oracle import literal_loss
from ohmline.errors import LabelError, LearnerError, ParameterError, ShapeError
from ohmline.learn import LapSVM, ManifoldRisk, MultiviewSVM
from ohmline.learn.manifold import Loss, Multiview

VIEWS = ([0], [1, 2], [0, 2])


def literal_risk(alpha, grams, labels, lambda_1, lambda_2, loss):
    """Section 2.1, ii, term by term, with 1/T before the agreement: alpha has one row per view."""
    values = [gram @ a for gram, a in zip(grams, alpha, strict=True)]
    known = [t for t, y in enumerate(labels) if y is not None]
    fit = agreement = norm = 0.0
    for f, a in zip(values, alpha, strict=True):
        norm += a @ f
        for t in known:
            fit += literal_loss(loss, f[t], labels[t])
    for i in range(len(values)):
        for j in range(len(values)):
            for t in range(len(labels)):
                agreement += (values[i][t] - values[j][t]) ** 2
    return fit / len(known) + lambda_1 / 2 * norm + lambda_2 / len(labels) * agreement


def instance(seed, points=10):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(points, 3))
    y = [int(rng.choice([-1, 1])) if rng.random() < 0.4 else None for _ in range(points)]
    y[0], y[1] = 1, -1
    return x, y


@given(
    st.integers(0, 10_000),
    st.sampled_from([1e-2, 0.1, 1.0]),
    st.sampled_from([0.0, 0.1, 1.0]),
    st.sampled_from(list(Loss)),
    st.sampled_from([2, 3]),
)
def test_nothing_has_a_smaller_risk_than_the_solution(seed, lambda_1, lambda_2, loss, count):
    x, y = instance(seed)
    kernel, views = ohm.RBF(0.8), VIEWS[:count]
    model = MultiviewSVM(*views, kernel=kernel, lambda_1=lambda_1, lambda_2=lambda_2, loss=loss).fit(x, y)
    grams = [kernel(x[:, view], x[:, view]) for view in views]
    alpha = model.function.alpha[:, 0]
    assert model.risk == pytest.approx(
        literal_risk(alpha, grams, y, lambda_1, lambda_2, loss), rel=1e-7, abs=1e-9
    )
    assert abs(model.gap) < 1e-8 * max(1.0, model.risk)
    assert model.sqnorm == pytest.approx(model.function.sqnorm, rel=1e-9)
    measure = ManifoldRisk(Multiview(*views), lambda_1, lambda_2, loss)
    assert measure.batch(model.function, x, y) == pytest.approx(model.risk, rel=1e-7, abs=1e-9)
    rng = np.random.default_rng(seed + 1)
    for size in (1e-3, 1e-1, 10.0):
        other = alpha + size * rng.normal(size=alpha.shape)
        assert literal_risk(other, grams, y, lambda_1, lambda_2, loss) >= model.risk - 1e-9


@pytest.mark.parametrize("loss", [Loss.SQUARED, Loss.LOGISTIC, Loss.SQUARED_HINGE])
def test_a_generic_solver_ends_at_the_same_risk(loss):
    x, y = instance(3, 8)
    kernel, views = ohm.RBF(0.8), VIEWS[:2]
    model = MultiviewSVM(*views, kernel=kernel, lambda_1=0.1, lambda_2=0.5, loss=loss).fit(x, y)
    grams = [kernel(x[:, view], x[:, view]) for view in views]
    found = optimize.minimize(
        lambda a: literal_risk(a.reshape(2, -1), grams, y, 0.1, 0.5, loss), np.zeros(16), tol=1e-12
    )
    assert found.fun == pytest.approx(model.risk, abs=1e-6)


def test_agreement_teaches_the_view_without_labels():
    """The first view has labels that its kernel can carry far, the second is taught by agreeing with it."""
    rng = np.random.default_rng(0)
    y = rng.choice([-1, 1], size=60)
    x = np.column_stack([y + 0.1 * rng.normal(size=60), 3 * y * rng.choice([1, 2], size=60)])
    labels = [None] * 60
    labels[:2], y[:2] = [1, -1], [1, -1]
    x[:2] = [[1.0, 3.0], [-1.0, -3.0]]
    model = MultiviewSVM([0], [1], kernel=ohm.RBF(0.5), lambda_1=1e-3, lambda_2=1.0).fit(x, labels)
    alone = MultiviewSVM([0], [1], kernel=ohm.RBF(0.5), lambda_1=1e-3, lambda_2=0.0).fit(x, labels)
    far = np.array([[0.0, 6.0], [0.0, -6.0]])  # labels came at 3 only
    taught, untaught = (f.function.by_view(far)[1, 0] for f in (model, alone))
    assert taught[0] - taught[1] > 1.0 > abs(untaught[0] - untaught[1]) + 0.5
    assert model.predict(x) == y.tolist()


def test_many_classes():
    rng = np.random.default_rng(1)
    codes = np.arange(30) % 3
    x = np.column_stack([codes + 0.05 * rng.normal(size=30), -2.0 * codes])
    labels = ["abc"[c] if k < 9 else None for k, c in enumerate(codes)]
    model = MultiviewSVM([0], [1], kernel=ohm.RBF(0.4)).fit(x, labels)
    assert model.predict(x) == ["abc"[c] for c in codes]
    assert model.margins(x).shape == (30, 3)
    risk = ManifoldRisk(Multiview([0], [1]), 1e-4, 1.0, classes="abc")
    assert risk.batch(model.function, x, labels) == pytest.approx(model.risk, rel=1e-6)


def fails(a, b):
    return 1 / 0


BAD = {
    "kernel cannot take 4 and 4 points: ZeroDivisionError": fails,
    r"kernel\[0, 0\] is nan": lambda a, b: np.full((len(a), len(b)), np.nan),
    r"got the shape \(2, 2\)": lambda a, b: np.eye(2),
    "kernel must be numbers": lambda a, b: [["x"]],
    "kernel must have two dimensions": lambda a, b: 1.0,
}


@pytest.mark.parametrize("says", BAD)
@pytest.mark.parametrize("loss", list(Loss))
def test_a_kernel_of_ones_own_that_gives_no_matrix_is_named(says, loss):
    x, y = np.arange(4.0)[:, None] * [1, 2], [1, -1, None, 1]
    for model in (
        MultiviewSVM([0], [1], kernel=BAD[says], loss=loss),
        LapSVM(BAD[says], loss=loss),
        LapSVM(weights=BAD[says], loss=loss),
    ):
        with pytest.raises(ParameterError, match=says if model.kernel else says.replace("kernel", "weights")):
            model.fit(x, y)


@pytest.mark.parametrize("loss", list(Loss))
@pytest.mark.parametrize("make", [lambda **o: MultiviewSVM([0], [1], **o), LapSVM], ids=["views", "graph"])
def test_numbers_at_the_ends_of_the_scale(loss, make):
    x, y = np.arange(4.0)[:, None] * [1, 2], [1, -1, None, 1]
    for kernel in (None, ohm.Linear()):
        with pytest.raises(ParameterError, match=r"points\[1, 0\] is 1e\+200; features above 1e\+150"):
            make(loss=loss, kernel=kernel).fit(x * 1e200, y)
    with pytest.raises(ParameterError, match=r"lambda_1 = 1e-300 in 16 digits.*raise lambda_1"):
        MultiviewSVM([0], [1], loss=loss, lambda_1=1e-300).fit(x, y)


def test_bad_arguments():
    with pytest.raises(ParameterError, match="two or more lists"):
        MultiviewSVM([0])
    with pytest.raises(ParameterError, match="lambda_1"):
        MultiviewSVM([0], [1], lambda_1=0.0)
    model = MultiviewSVM([0], [2])
    with pytest.raises(LearnerError, match="call fit first"):
        model.predict([[0.0, 1.0]])
    with pytest.raises(ParameterError, match="column 2, but the points have 2"):
        model.fit(np.zeros((2, 2)), [1, -1])
    with pytest.raises(LabelError, match="no point has a label"):
        model.fit(np.zeros((2, 3)), [None, None])
    model.fit(np.eye(3), [1, -1, None])
    with pytest.raises(ShapeError, match="3 columns"):
        model.margins(np.zeros((1, 2)))
    assert repr(model) == "MultiviewSVM((0,), (2,), kernel=None, lambda_1=0.0001, lambda_2=1, loss='hinge')"
