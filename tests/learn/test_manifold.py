"""OnlineManifold against the literal algorithms, and the laws every learner keeps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ohmline as ohm
from manifold_oracle import Oracle
from ohmline.errors import LabelError, SnapshotError
from ohmline.game import Spirals, Stream, play
from ohmline.kernel import RBF, Linear
from ohmline.learn.manifold import (
    Buffer,
    Full,
    Loss,
    Manifold,
    Multiview,
    Nystroem,
    OnlineManifold,
    Printed,
    Proximal,
    Pursuit,
    RPTree,
    Scene,
    Slopes,
    Smoothness,
)

KERNEL, GRAPH = RBF(0.3), Manifold(0.2, cutoff=0.0)
BASES = {
    "full": Full(),
    "buffer": Buffer(20, keep="newest"),
    "buffer-u": Buffer(20, keep="labelled"),
    "buffer-strong": Buffer(20),
    "tree": RPTree(12, points=6),
    "ppk": RPTree(12, points=6, covariance=True),
    "nystroem": Nystroem(15),
}


def cloud(trials, seed=0, d=2, rate=0.3):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(trials, d))
    y = np.where(x[:, 0] > 0, 1, -1)
    return x, [int(label) if rng.random() < rate else None for label in y]


@pytest.mark.parametrize(
    ("size", "keep"), [(None, "newest"), (20, "newest"), (20, "labelled"), (20, "strongest")]
)
@pytest.mark.parametrize("proximal", [False, True])
@pytest.mark.parametrize("declared", [True, False])
def test_agrees_with_the_literal_algorithm_trial_by_trial(size, keep, proximal, declared):
    basis = Full() if size is None else Buffer(size, keep=keep)
    step = Proximal(0.7) if proximal else Printed(0.1)
    learner = OnlineManifold(
        KERNEL,
        basis,
        smoothness=GRAPH,
        step=step,
        label_rate=0.25 if declared else None,
        lambda_1=0.01,
        lambda_2=0.3,
    )
    oracle = Oracle(
        0.3,
        0.2,
        0.01,
        0.3,
        4.0,
        lambda t: (0.7 if proximal else 0.1) / np.sqrt(t),
        size=size,
        keep_labelled=keep != "newest",
        keep_strongest=keep == "strongest",
        counted=not declared,
        proximal=proximal,
    )
    x, y = cloud(120, seed=1)
    probes = np.random.default_rng(5).normal(size=(8, 2))
    for point, label in zip(x, y, strict=True):
        here, sqlength = oracle.learn(point, label)
        assert learner.margin_one(point) == pytest.approx(here, abs=1e-10)
        assert learner.learn_one(point, label).progress == pytest.approx(sqlength, abs=1e-10)
    for probe in probes:
        assert learner.margin_one(probe) == pytest.approx(oracle.f(probe), abs=1e-10)
    literal = Oracle(0.3, 0.2, 0, 0, 1, None, points=oracle.points, alpha=oracle.mean)
    assert learner.average(probes) == pytest.approx([literal.f(p) for p in probes], abs=1e-10)
    assert learner.sqnorm == pytest.approx(learner.function.sqnorm, abs=1e-10)


def test_a_buffer_keeps_the_points_it_promises():
    x, y = cloud(200, seed=3, rate=0.02)
    newest, labelled = OnlineManifold(KERNEL, Buffer(30, keep="newest"), smoothness=GRAPH), None
    labelled = OnlineManifold(KERNEL, Buffer(30, keep="labelled"), smoothness=GRAPH)
    for point, label in zip(x, y, strict=True):
        newest.learn_one(point, label)
        labelled.learn_one(point, label)
    assert sorted(map(tuple, newest.function.points)) == sorted(map(tuple, x[-30:]))
    known = {tuple(p) for p, label in zip(x, y, strict=True) if label is not None}
    kept = set(map(tuple, labelled.function.points))
    assert known <= kept
    assert kept - known == set(
        list(map(tuple, [p for p, label in zip(x, y, strict=True) if label is None]))[-(30 - len(known)) :]
    )


def test_a_buffer_full_of_labels_lets_the_oldest_go():
    x, _ = cloud(12, seed=4)
    learner = OnlineManifold(KERNEL, Buffer(5, keep="labelled"), smoothness=GRAPH)
    for point in x[:10]:
        learner.learn_one(point, 1)
    assert set(map(tuple, learner.function.points)) == set(map(tuple, x[5:10]))
    learner.learn_one(x[10], None)
    learner.learn_one(x[11], None)  # the lone unlabelled point goes before any labelled one
    assert set(map(tuple, learner.function.points)) == set(map(tuple, [*x[6:10], x[11]]))


@pytest.mark.parametrize(
    ("name", "loss"), [*((name, Loss.HINGE) for name in BASES), *(("buffer-u", loss) for loss in Loss)]
)
def test_compiled_play_equals_events(name, loss):
    x, y = cloud(150, seed=2)
    make = lambda: OnlineManifold(KERNEL, BASES[name], loss=loss, smoothness=Manifold(0.2))  # noqa: E731
    looped, stepped = make(), make()
    first = play(looped, Stream(x, y))
    second = play(stepped, Stream(x, y), compiled=False)
    assert first.predictions == second.predictions
    for column in ("margin", "progress", "updated", "asked"):
        assert np.array_equal(getattr(first.log, column), getattr(second.log, column)), column
    probes = np.random.default_rng(0).normal(size=(5, 2))
    assert np.array_equal(looped.function(probes), stepped.function(probes))


@pytest.mark.parametrize("name", list(BASES))
def test_prediction_is_pure_and_values_are_those_of_the_function(name):
    x, y = cloud(150, seed=6)
    learner = OnlineManifold(KERNEL, BASES[name], smoothness=Manifold(0.2), classes=["no", "yes"])
    for point, label in zip(x, y, strict=True):
        learner.learn_one(point, None if label is None else ["no", "yes"][label > 0])
    before = learner.snapshot()
    margins = [learner.margin_one(p) for p in x[:20]]
    assert margins == pytest.approx(learner.function(x[:20]), abs=1e-9)
    assert [learner.predict_one(p) for p in x[:20]] == [["no", "yes"][m >= 0] for m in margins]
    after = learner.snapshot()
    assert all(np.array_equal(before[k], after[k]) for k in before)
    model = learner._model
    n = model.size
    values = np.einsum("vij,vcj->vci", model.expansion.gram[:, :n, :n], model.expansion.alpha[:, :, :n])
    assert model.expansion.value[:, :, :n] == pytest.approx(values, abs=1e-9)


@pytest.mark.parametrize("name", list(BASES))
def test_a_snapshot_is_invisible(name):
    x, y = cloud(160, seed=7)
    learner = OnlineManifold(KERNEL, BASES[name], smoothness=Manifold(0.2), lambda_2=0.5)
    play(learner, Stream(x[:80], y[:80]))
    other = OnlineManifold.restore({k: v.copy() for k, v in learner.snapshot().items()})
    first, second = play(learner, Stream(x[80:], y[80:])), play(other, Stream(x[80:], y[80:]))
    assert np.array_equal(first.margin, second.margin)
    final, restored = learner.snapshot(), other.snapshot()
    assert all(np.array_equal(final[k], restored[k]) for k in final)


def test_a_snapshot_during_the_warm_up_and_with_replays():
    x, y = cloud(300, seed=8)
    for options in ({}, {"drift": True}, {"kernel": Linear(), "loss": "logistic", "averaged": True}):
        learner = OnlineManifold(**options)
        play(learner, Stream(x[:40], y[:40]))
        other = OnlineManifold.restore(learner.snapshot())
        first, second = play(learner, Stream(x[40:], y[40:])), play(other, Stream(x[40:], y[40:]))
        assert np.array_equal(first.margin, second.margin)


def test_snapshots_that_cannot_be_used_say_why():
    learner = OnlineManifold(KERNEL, smoothness=Manifold(weight=lambda basis, x: np.ones(len(basis))))
    learner.learn_one([0.0, 1.0], 1)
    with pytest.raises(SnapshotError, match="smoothness"):
        OnlineManifold.restore(learner.snapshot())
    with pytest.raises(SnapshotError, match="has no 'kind'"):
        OnlineManifold.restore({})
    with pytest.raises(LabelError, match="use strings or numbers"):
        OnlineManifold(classes=[(1, 2), frozenset()])


def test_the_warm_up_loses_no_point_and_predicts_already():
    source = Spirals(label_rate=0.1)
    stream = source.stream(260, seed=1)
    learner = OnlineManifold()
    trace = play(learner, stream)
    assert learner.trials == 260
    again = OnlineManifold(learner.kernel, smoothness=Manifold(learner.graph_width))
    play(again, stream)
    probes = source.at(0, 50)[0]
    assert np.array_equal(learner.function(probes), again.function(probes))
    early = trace.mistake[40:100].mean()
    assert early < 0.45
    assert np.count_nonzero(trace.margin[40:100]) == 60
    short = OnlineManifold()
    play(short, stream.take(30))
    assert short.kernel is None
    short.fix_widths()
    assert short.kernel is not None
    assert short.trials == 30


def test_many_classes_share_one_basis():
    rng = np.random.default_rng(0)
    centres = 4 * np.eye(3)
    codes = rng.integers(3, size=600)
    x = centres[codes] + rng.normal(size=(600, 3))
    names = np.array(["a", "b", "c"])[codes]
    learner = OnlineManifold(classes=["a", "b", "c"])
    trace = play(learner, Stream(x, names).label_rate(0.2, seed=3))
    assert trace.mistake[300:].mean() < 0.08
    scores = learner.scores_one(x[0])
    assert learner.predict_one(x[0]) == ["a", "b", "c"][int(np.argmax(scores))]
    first, second = np.sort(scores)[::-1][:2]
    assert learner.view_one(x[0]).margin == pytest.approx(first - second)
    assert learner.function.alpha.shape[1] == 3
    with pytest.raises(ohm.OhmlineError, match="two classes"):
        learner.margin_one(x[0])


def test_two_named_classes_are_the_binary_learner():
    x, y = cloud(80, seed=9)
    signs, names = (
        OnlineManifold(KERNEL, smoothness=GRAPH),
        OnlineManifold(KERNEL, smoothness=GRAPH, classes=["n", "p"]),
    )
    for point, label in zip(x, y, strict=True):
        signs.learn_one(point, label)
        names.learn_one(point, None if label is None else "np"[label > 0])
    assert signs.margin_one(x[0]) == names.margin_one(x[0])
    assert names.predict_one(x[0]) == ("p" if signs.predict_one(x[0]) > 0 else "n")
    assert names.scores_one(x[0]) == pytest.approx([-names.margin_one(x[0]), names.margin_one(x[0])])


def test_one_class_of_many_is_its_binary_problem():
    """One against the rest over a shared basis: each function is that of its own binary learner."""
    x, y = cloud(120, seed=10)
    many = OnlineManifold(KERNEL, Buffer(25, keep="labelled"), smoothness=GRAPH, classes=[0, 1, 2])
    one = OnlineManifold(KERNEL, Buffer(25, keep="labelled"), smoothness=GRAPH)
    for t, (point, label) in enumerate(zip(x, y, strict=True)):
        code = None if label is None else t % 3
        many.learn_one(point, code)
        one.learn_one(point, None if code is None else 1 if code == 1 else -1)
    assert many.scores_one(x[0])[1] == pytest.approx(one.margin_one(x[0]), abs=1e-9)


def test_averaged_prediction_uses_the_average():
    x, y = cloud(100, seed=11)
    learner = OnlineManifold(KERNEL, Buffer(20), smoothness=GRAPH, averaged=True)
    play(learner, Stream(x, y))
    assert learner.margin_one(x[3]) == pytest.approx(float(learner.average(x[3:4])[0]), abs=1e-10)
    assert learner.margin_one(x[3]) != pytest.approx(float(learner.function(x[3:4])[0]), abs=1e-3)


class TotalVariation(Smoothness):
    """Omega_t = sum_i mass_i w_i |f(x_i) - f(x_t)|: convex, not quadratic, twenty lines."""

    def __init__(self, width):
        self.graph = Manifold(width)

    def energy(self, scene: Scene) -> float:
        w = scene.mass * self.graph.weights(scene.basis, scene.point)
        return float(np.sum(w * np.abs(scene.there - scene.here[:, :, None])))

    def slopes(self, scene: Scene) -> Slopes:
        w = scene.mass * self.graph.weights(scene.basis, scene.point)
        there = w * np.sign(scene.there - scene.here[:, :, None])
        return Slopes(-there.sum(axis=2), there, float(np.sum(w * scene.apart.max(axis=0))))


def test_any_convex_regulariser_is_a_small_class():
    source = Spirals()
    make = lambda smooth, weight: OnlineManifold(  # noqa: E731
        RBF(0.08), smoothness=smooth, lambda_1=1e-4, lambda_2=weight, label_rate=0.02
    )
    points, labels = source.at(0, 500)
    errors = []
    for learner in (make(TotalVariation(0.05), 1.0), make(Manifold(0.05), 0.0)):
        learner.learn_one(points[0], None)
        assert (learner.ready(5) > 0) is (learner.options.lambda_2 == 0)
        play(learner, source.stream(1200, seed=2))
        errors.append(np.mean(np.sign(learner.function(points)) != labels))
    assert errors[0] < errors[1] - 0.01, errors


def test_a_weight_function_gives_what_the_compiled_weights_give():
    x, y = cloud(80, seed=12)
    weight = lambda basis, point: np.exp(-np.sum((basis - point) ** 2, axis=1) / (2 * 0.2**2))  # noqa: E731
    for name in ("buffer-u", "full"):
        ours = OnlineManifold(KERNEL, BASES[name], smoothness=GRAPH, lambda_2=0.4)
        theirs = OnlineManifold(KERNEL, BASES[name], smoothness=Manifold(weight=weight), lambda_2=0.4)
        first, second = play(ours, Stream(x, y)), play(theirs, Stream(x, y))
        assert first.margin == pytest.approx(second.margin, abs=1e-9)
        assert first.progress == pytest.approx(second.progress, abs=1e-9)


def test_multiview_agreement_teaches_the_view_without_labels():
    """Two views of one class: the views must agree, and their agreement is what lambda_2 buys."""
    rng = np.random.default_rng(3)
    y = np.where(rng.random(400) < 0.5, 1, -1)
    x = np.column_stack([y, y, y, y]) + 0.7 * rng.normal(size=(400, 4))
    gaps = []
    for weight in (0.0, 2.0):
        learner = OnlineManifold(
            RBF(1.0), smoothness=Multiview([0, 1], [2, 3]), lambda_2=weight, label_rate=0.05
        )
        play(learner, Stream(x, y).label_rate(0.05, seed=1))
        scene_values = learner.function.alpha
        assert scene_values.shape[0] == 2
        f = learner.function
        views = [
            k(x[:, c], f.points[:, c]) @ a[0] for k, c, a in zip(f.kernels, f.columns, f.alpha, strict=True)
        ]
        gaps.append(float(np.mean((views[0] - views[1]) ** 2)))
        assert learner.margin_one(x[0]) == pytest.approx((views[0][0] + views[1][0]) / 2, abs=1e-9)
        assert np.mean(np.sign(f(x)) != y) < 0.15
    assert gaps[1] < 0.5 * gaps[0], gaps


@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(1, 4))
def test_scores_stay_finite_and_memory_flat(seed, size, d):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(60, d)) * 10.0 ** rng.integers(-6, 6)
    learner = OnlineManifold(
        RBF(float(10.0 ** rng.integers(-3, 3))), Buffer(size), smoothness=Manifold(0.5), lambda_2=10.0
    )
    trace = play(learner, Stream(x, rng.choice([-1, 1], size=60)))
    assert np.isfinite(trace.margin).all()
    assert np.isfinite(trace.progress).all()
    assert len(learner.function.points) <= size


@pytest.mark.parametrize("name", ["buffer", "buffer-u", "buffer-strong", "tree", "ppk", "nystroem"])
def test_the_state_does_not_grow_on_an_endless_stream(name):
    learner = OnlineManifold(RBF(0.1), BASES[name], smoothness=Manifold(0.05))
    sizes = set()
    for _ in ohm.game.follow(learner, Spirals().endless(), limit=3000, chunk=1000):
        state = learner.snapshot()
        sizes.add(sum(array.nbytes for array in state.values()))
    assert len(sizes) == 1
    assert learner.trials == 3000


def test_pursuit_keeps_what_it_can():
    """With every atom allowed, spreading is the projection; with none, the point is simply dropped."""
    x, y = cloud(40, seed=14)
    x = x * 1.5  # far enough apart for the pursuit to converge
    dropped = OnlineManifold(KERNEL, Buffer(39, keep="newest", pursuit=Pursuit(atoms=0)), smoothness=GRAPH)
    thorough = OnlineManifold(
        KERNEL, Buffer(39, keep="newest", pursuit=Pursuit(reduction=0.0, atoms=4000)), smoothness=GRAPH
    )
    whole = OnlineManifold(KERNEL, Full(), smoothness=GRAPH)
    for learner in (dropped, thorough, whole):
        play(learner, Stream(x, y))
    f, g = whole.function, thorough.function
    kernel, alpha = KERNEL, f.alpha[0, 0]
    projection = np.linalg.solve(kernel(x[1:], x[1:]), kernel(x[1:], x[:1])[:, 0])
    expected = alpha[1:] + alpha[0] * projection
    probes = x + 0.1
    assert abs(projection).max() > 0.3
    assert g(probes) == pytest.approx(kernel(probes, x[1:]) @ expected, abs=1e-6)
    assert dropped.function(probes) == pytest.approx(kernel(probes, x[1:]) @ alpha[1:], abs=1e-9)
