"""Paper 003's mathematics: Proposition 1, the gradients of (2), (7) and (10), eq. (11), losses, pursuit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from ohmline.errors import LabelError, ParameterError, ShapeError
from ohmline.game import Spirals
from ohmline.kernel import RBF
from ohmline.learn import ManifoldRisk
from ohmline.learn.batch import LapSVM
from ohmline.learn.manifold import (
    Buffer,
    Full,
    KernelFunction,
    Loss,
    Manifold,
    Multiview,
    OnlineManifold,
    Printed,
    RPTree,
    Scene,
)
from ohmline.learn.manifold.bases.leaf_shape import Shapes, add_point, overlap
from ohmline.learn.manifold.expansion import exponentials
from ohmline.learn.manifold.loss import proximal

GRAPH = Manifold(0.6, cutoff=0.0)


def stream(rng, trials, d=2):
    x = rng.normal(size=(trials, d))
    y = [
        int(s) if shown else None
        for s, shown in zip(rng.choice([-1, 1], trials), rng.random(trials) < 0.4, strict=True)
    ]
    return x, y


@given(st.integers(0, 10**6), st.integers(2, 25), st.sampled_from(list(Loss)))
def test_proposition_1(seed, trials, loss):
    """J(f) is the mean of the J_t(f), for every f."""
    rng = np.random.default_rng(seed)
    x, y = stream(rng, trials)
    y[0] = 1
    f = KernelFunction.single(RBF(0.7), rng.normal(size=(6, 2)), rng.normal(size=6))
    risk = ManifoldRisk(GRAPH, lambda_1=rng.random(), lambda_2=rng.random(), loss=loss)
    parts = [risk.instantaneous(f, x, y, t) for t in range(1, trials + 1)]
    assert np.mean(parts) == pytest.approx(risk.batch(f, x, y), abs=1e-8, rel=1e-8)


@given(st.integers(0, 10**6), st.sampled_from(["full", "buffer", "tree", "ppk"]), st.booleans())
def test_a_printed_step_is_minus_eta_times_the_gradient(seed, name, labelled):
    """The step is -eta grad J_t, with J_t of eq. (2), (7) or (10): its length is that of the gradient."""
    rng = np.random.default_rng(seed)
    basis = {
        "full": Full(),
        "buffer": Buffer(8, keep="newest"),
        "tree": RPTree(6, points=4),
        "ppk": RPTree(6, points=4, covariance=True),
    }[name]
    learner = OnlineManifold(
        RBF(0.8),
        basis,
        loss=Loss.SQUARED,
        smoothness=GRAPH,
        step=Printed(0.05),
        lambda_1=0.3,
        lambda_2=0.2,
        label_rate=0.5,
    )
    x, y = stream(rng, 14)
    y[0] = 1
    for point, label in zip(x, y, strict=True):
        learner.learn_one(point, label)
    new, sign = rng.normal(size=2), (1 if rng.random() < 0.5 else -1) if labelled else None
    model, f = learner._model, learner.function
    learner.view_one(new)
    scene = model.scene(new, model.trials + 1, labelled=labelled)
    if name == "ppk":
        weights = np.array(
            [
                overlap(model.state.basis.shapes, i, mu, new, np.sum((new - mu) ** 2), np.inf)
                for i, mu in enumerate(f.points)
            ]
        )
    else:
        weights = GRAPH.weights(f.points, new)
    where, kernel = np.vstack([f.points, new]), RBF(0.8)

    def risk(coefficients):
        """J_t of sum_i coefficients_i K(where_i, .)."""
        values = kernel(where, where) @ coefficients
        loss = 2.0 * (values[-1] - sign) ** 2 if labelled else 0.0
        norm = coefficients @ values
        return loss + 0.15 * norm + 0.2 * np.sum(scene.mass * weights * (values[:-1] - values[-1]) ** 2)

    start = np.append(f.alpha[0, 0], 0.0)
    update = learner.learn_one(new, sign)
    eta = 0.05 / np.sqrt(learner.trials)
    # Central differences of a quadratic are exact up to rounding: slope_i = <grad J_t, K(where_i, .)>.
    gram = kernel(where, where)
    slope = np.array([(risk(start + h) - risk(start - h)) / 2e-4 for h in 1e-4 * np.eye(len(start))])
    gradient = np.linalg.solve(gram + 1e-13 * np.eye(len(gram)), slope)
    assert update.progress == pytest.approx(eta**2 * gradient @ slope, abs=1e-8)


@pytest.mark.parametrize("smooth", [GRAPH, Multiview([0], [1])], ids=["manifold", "multiview"])
def test_slopes_are_the_derivatives_of_the_energy_and_curvature_bounds_it(smooth):
    rng = np.random.default_rng(0)
    views, classes, n = (1 if smooth is GRAPH else 2), 3, 7
    points, new, kernel = rng.normal(size=(n, 2)), rng.normal(size=2), RBF(0.9)
    scene = Scene(
        new,
        points,
        1 + rng.random(n),
        rng.normal(size=(views, classes)),
        rng.normal(size=(views, classes, n)),
        np.tile(2 - 2 * kernel(points, new[None])[:, 0], (views, 1)),
        np.ones(views),
    )
    slopes = smooth.slopes(scene)
    for v in range(views):
        for c in range(classes):
            bump = np.zeros((views, classes))
            bump[v, c] = 1e-5
            rise = smooth.energy(scene._replace(here=scene.here + bump)) - smooth.energy(
                scene._replace(here=scene.here - bump)
            )
            assert slopes.here[v, c] == pytest.approx(rise / 2e-5, abs=1e-8)
            for i in range(n):
                bump = np.zeros((views, classes, n))
                bump[v, c, i] = 1e-5
                rise = smooth.energy(scene._replace(there=scene.there + bump)) - smooth.energy(
                    scene._replace(there=scene.there - bump)
                )
                assert slopes.there[v, c, i] == pytest.approx(rise / 2e-5, abs=1e-8)
    # Along a random unit function of the space the second derivative stays below the curvature.
    where = np.vstack([points, new])
    gram = kernel(where, where)
    for _ in range(50):
        direction = rng.normal(size=(views, classes, n + 1))
        direction /= np.sqrt(np.einsum("vci,ij,vcj->", direction, gram, direction))
        values = direction @ gram
        flat = scene._replace(here=np.zeros_like(scene.here), there=np.zeros_like(scene.there))
        along = flat._replace(here=values[:, :, -1], there=values[:, :, :-1])
        assert 2 * smooth.energy(along) <= slopes.curvature * (1 + 1e-9)


@pytest.mark.parametrize(("d", "points", "width"), [(2, 40, 0.5), (3, 3, 0.8), (10, 6, 1.5), (256, 8, 6.0)])
def test_ppk_weights_are_the_expected_weights(d, points, width):
    """Eq. (11), corrected: within four standard errors of a Monte Carlo mean, in 256 dimensions too."""
    rng = np.random.default_rng(d)
    x = rng.normal(size=(points, d)) * np.linspace(1.5, 0.1, d)
    shapes, rank = Shapes.empty(1, d, 4, width), min(4, d)
    mean = np.zeros(d)
    for m, row in enumerate(x):
        add_point(shapes, 0, mean, row, float(m))
        mean += (row - mean) / (m + 1)
    # What the leaf believes: exact scatter where the rank suffices, the right trace anyway, shrunk.
    scatter = (x - mean).T @ (x - mean)
    assert shapes.scatter[0].sum() + shapes.rest[0] == pytest.approx(np.trace(scatter))
    axes = shapes.axes[0]
    if points <= rank + 1 or d <= rank:
        assert (axes.T * shapes.scatter[0]) @ axes == pytest.approx(scatter, abs=1e-9)
    trust = points / (points + rank + 1)
    low = (axes.T * shapes.scatter[0]) @ axes
    rest = (np.eye(d) - axes.T @ axes) * (shapes.rest[0] / (d - rank) if d > rank else 0.0)
    covariance = trust * (low + rest) / points + (1 - trust) * np.trace(scatter) / (points * d) * np.eye(d)
    root = np.linalg.cholesky(covariance)
    for _ in range(4):
        probe = mean + 0.7 * (root @ rng.normal(size=d))
        exact = overlap(shapes, 0, mean, probe, float(np.sum((probe - mean) ** 2)), np.inf)
        drawn = np.exp(
            -np.sum((mean + rng.normal(size=(40_000, d)) @ root.T - probe) ** 2, axis=1) / (2 * width**2)
        )
        error = drawn.std() / np.sqrt(len(drawn))
        assert abs(exact - drawn.mean()) <= 4 * error


def test_a_leaf_of_one_point_is_that_point():
    shapes, x = Shapes.empty(1, 3, 2, 0.5), np.array([1.0, 2.0, 3.0])
    add_point(shapes, 0, np.zeros(3), x, 0.0)
    probe = np.array([1.2, 2.1, 2.9])
    sq = float(np.sum((probe - x) ** 2))
    assert overlap(shapes, 0, x, probe, sq, np.inf) == pytest.approx(np.exp(-sq / 0.5))
    assert overlap(shapes, 0, x, probe, sq, 0.01) == 0.0


def test_a_thin_leaf_in_high_dimension_has_a_finite_weight():
    """Where Sigma is singular the printed formula divides by zero; this one does not."""
    shapes, rng = Shapes.empty(1, 256, 4, 0.7), np.random.default_rng(0)
    mean = np.zeros(256)
    line = rng.normal(size=256) / 16
    for m in range(10):
        x = m * line
        add_point(shapes, 0, mean, x, float(m))
        mean += (x - mean) / (m + 1)
    w = overlap(shapes, 0, mean, mean, 0.0, np.inf)
    assert 0 < w < 1


@given(
    st.sampled_from(list(Loss)),
    st.floats(-3, 3),
    st.sampled_from([-1.0, 1.0]),
    st.floats(1e-3, 50),
    st.floats(0.1, 4),
)
def test_proximal_steps_minimise_what_they_should(loss, f, y, step, kxx):
    found = proximal(loss.code, f, y, step, kxx)
    cost = lambda a: step * loss.value_at(f + a * kxx, int(y)) + a * a * kxx / 2  # noqa: E731
    best = minimize_scalar(cost, bounds=(-60, 60), method="bounded", options={"xatol": 1e-10})
    assert cost(found) <= best.fun + 1e-9 * max(1.0, best.fun)
    assert y * found >= 0 or loss is Loss.SQUARED


@given(st.sampled_from(list(Loss)), st.floats(-4, 4), st.sampled_from([-1, 1]))
def test_slopes_of_losses(loss, f, y):
    h = 1e-6
    if loss is Loss.HINGE and abs(1 - y * f) < 2 * h:
        assert loss.slope_at(1.0 * y, y) == -y  # the printed choice at the corner
        return
    rise = loss.value_at(f + h, y) - loss.value_at(f - h, y)
    assert loss.slope_at(f, y) == pytest.approx(rise / (2 * h), abs=1e-6)


def test_exponentials_are_exact():
    x = np.concatenate([np.linspace(0, 700, 4001), [1e5, 0.0, 1e-300]])
    out = np.empty_like(x)
    exponentials(x, 1.0, len(x), out)
    assert out[:-3] == pytest.approx(np.exp(-x[:-3]), rel=1e-15)
    assert out[-3] <= np.exp(-699.0)
    assert out[-2] == out[-1] == 1.0


def test_what_a_learner_pays():
    """J_t(f_t) along a stream, against the definition with every f_t written out."""
    rng = np.random.default_rng(4)
    x, y = stream(rng, 25)
    risk = ManifoldRisk(GRAPH, lambda_1=0.1, lambda_2=0.1)
    make = lambda: OnlineManifold(  # noqa: E731
        RBF(0.5), Buffer(10), smoothness=GRAPH, lambda_1=0.1, lambda_2=0.1
    )
    paid = risk.paid(make(), x, y)
    learner, expected = make(), []
    nothing = KernelFunction.single(RBF(0.5), np.zeros((0, 2)), np.zeros(0))
    for t, (point, label) in enumerate(zip(x, y, strict=True), start=1):
        f = learner.function if t > 1 else nothing
        expected.append(risk.instantaneous(f, x, y, t))
        learner.learn_one(point, label)
    assert paid == pytest.approx(expected, abs=1e-9)
    best = learner.function
    assert risk.regret(paid, best, x, y) == pytest.approx(paid.mean() - risk.batch(best, x, y))


@pytest.mark.parametrize("smooth", [GRAPH, Multiview([0], [1])], ids=["manifold", "multiview"])
@pytest.mark.parametrize("classes", [(-1, 1), ("a", "b", "c")], ids=["two", "three"])
def test_risks_of_many_classes_and_views(smooth, classes):
    """J, J_t and what is paid, against sums written out over views, classes and pairs of points."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(12, 2))
    y = [classes[int(k)] if rng.random() < 0.6 else None for k in rng.integers(0, len(classes), 12)]
    y[0] = classes[0]
    views = ((0, 1),) if smooth is GRAPH else ((0,), (1,))
    lambda_1, lambda_2, kernel = 0.2, 0.3, RBF(0.7)
    risk = ManifoldRisk(smooth, lambda_1, lambda_2, Loss.LOGISTIC, classes)
    signs = {None: []} | {
        label: (
            [1 if label == classes[1] else -1]
            if len(classes) == 2
            else [1 if c == label else -1 for c in classes]
        )
        for label in classes
    }
    functions = 1 if len(classes) == 2 else len(classes)
    ratio = 12 / sum(label is not None for label in y)

    def literal(values, norm, t):
        """J_t of values[v][c][s]."""
        total = lambda_1 / 2 * norm
        for v in range(len(views)):
            for c, sign in enumerate(signs[y[t]]):
                total += ratio * np.log1p(np.exp(-sign * values[v][c][t]))
        for c in range(functions):
            if smooth is GRAPH:
                for s in range(t):
                    w = np.exp(-np.sum((x[s] - x[t]) ** 2) / (2 * GRAPH.width**2))
                    total += lambda_2 * w * (values[0][c][s] - values[0][c][t]) ** 2
            else:
                for i in range(2):
                    for j in range(2):
                        total += lambda_2 * (values[i][c][t] - values[j][c][t]) ** 2
        return total

    def written_out(f):
        values = np.zeros((len(views), functions, 12))
        norm = 0.0
        for v, view in enumerate(views):
            gram = kernel(f.points[:, view], f.points[:, view])
            for c in range(functions):
                values[v, c] = kernel(x[:, view], f.points[:, view]) @ f.alpha[v, c]
                norm += f.alpha[v, c] @ gram @ f.alpha[v, c]
        return [literal(values, norm, t) for t in range(12)]

    make = lambda: OnlineManifold(  # noqa: E731
        kernel,
        Full(),
        Loss.LOGISTIC,
        smooth,
        Printed(0.1),
        classes=classes,
        lambda_1=lambda_1,
        lambda_2=lambda_2,
    )
    paid, learner, expected = risk.paid(make(), x, y), make(), []
    for t in range(12):
        at_zero = literal(np.zeros((2, functions, 12)), 0.0, 0)
        expected.append(written_out(learner.function)[t] if t else at_zero)
        learner.learn_one(x[t], y[t])
    assert paid == pytest.approx(expected, rel=1e-9)
    f = learner.function
    each = [risk.instantaneous(f, x, y, t) for t in range(1, 13)]
    assert each == pytest.approx(written_out(f), rel=1e-9)
    assert risk.batch(f, x, y) == pytest.approx(np.mean(each), rel=1e-9)  # Proposition 1
    with pytest.raises(ShapeError, match="give the same classes and views"):
        ManifoldRisk(smooth, classes=range(5)).batch(f, x, [None] * 12)


def test_regret_falls():
    """At lambda_1 = lambda_2 = .1 the average risk paid comes down to that of the batch solution f*."""
    source, kernel, graph = Spirals(label_rate=0.1), RBF(0.08), Manifold(0.05, cutoff=0.0)
    risk = ManifoldRisk(graph, lambda_1=0.1, lambda_2=0.1)
    regrets = []
    for trials in (150, 600):
        stream = source.stream(trials)
        y = [label if shown else None for label, shown in zip(stream.labels, stream.revealed, strict=True)]
        learner = OnlineManifold(
            kernel, Full(), smoothness=graph, step=Printed(0.1), label_rate=0.1, lambda_1=0.1, lambda_2=0.1
        )
        batch = LapSVM(kernel, RBF(0.05), lambda_1=0.1, lambda_2=0.1).fit(stream.nodes, y)
        best = KernelFunction.single(kernel, np.asarray(stream.nodes), batch.coefficients[:, 0])
        assert risk.batch(best, stream.nodes, y) == pytest.approx(batch.risk, abs=1e-6)
        regrets.append(risk.regret(risk.paid(learner, stream.nodes, y), best, stream.nodes, y))
    assert 0 < regrets[1] < 0.6 * regrets[0], regrets


def test_bad_arguments_of_a_risk():
    risk = ManifoldRisk(GRAPH)
    f = KernelFunction.single(RBF(1.0), np.zeros((1, 2)), np.ones(1))
    with pytest.raises(ShapeError, match="3 points and 2 labels"):
        risk.batch(f, np.zeros((3, 2)), [1, None])
    with pytest.raises(ParameterError, match="between 1 and the 3"):
        risk.instantaneous(f, np.zeros((3, 2)), [1, None, None], 4)
    for t in (1.5, "1", True, float("nan"), 0, None):
        with pytest.raises(ParameterError, match="t must be a whole number of at least 1"):
            risk.instantaneous(f, np.zeros((3, 2)), [1, None, None], t)
    for other in (None, "f", np.ones(3)):
        with pytest.raises(ParameterError, match="f must be a KernelFunction"):
            risk.batch(other, np.zeros((3, 2)), [1, None, None])
        with pytest.raises(ParameterError, match="f must be a KernelFunction"):
            risk.instantaneous(other, np.zeros((3, 2)), [1, None, None], 1)
        with pytest.raises(ParameterError, match="learner must be an OnlineManifold"):
            risk.paid(other, np.zeros((3, 2)), [1, None, None])
    with pytest.raises(ShapeError, match="paid must have 3 entries, got 0"):
        risk.regret([], f, np.zeros((3, 2)), [1, None, None])
    with pytest.raises(ParameterError, match="loss must be one of"):
        ManifoldRisk(GRAPH, loss="hinges")
    assert ManifoldRisk(GRAPH, loss="hinge") == risk
    with pytest.raises(ParameterError, match="lambda_1"):
        ManifoldRisk(GRAPH, lambda_1=-1.0)
    with pytest.raises(ShapeError, match="2 columns"):
        f(np.zeros((2, 3)))
    with pytest.raises(ParameterError, match="smoothness"):
        ManifoldRisk("graph")
    with pytest.raises(LabelError, match="two or more"):
        ManifoldRisk(GRAPH, classes=["a"])
    with pytest.raises(LabelError, match="'d'"):
        ManifoldRisk(GRAPH, classes="abc").batch(f, np.zeros((1, 2)), ["d"])
