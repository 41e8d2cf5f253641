"""What OnlineManifold refuses: each error names the value, and leaves the learner as it was."""

from __future__ import annotations

import contextlib
import json

import numpy as np
import pytest

import ohmline as ohm
from ohmline.errors import LabelError, LearnerError, OhmlineError, ParameterError, ShapeError, SnapshotError
from ohmline.game import Stream, play
from ohmline.kernel import RBF
from ohmline.kernel.vector import VectorKernel
from ohmline.learn.manifold import Scene, Slopes

RNG = np.random.default_rng(0)


@pytest.fixture
def model():
    learner = ohm.OnlineManifold(RBF(0.5), ohm.Buffer(10), smoothness=ohm.Manifold(0.3))
    for x in RNG.normal(size=(15, 2)):
        learner.learn_one(x, 1 if x[0] > 0 else -1)
    return learner


def unchanged(learner, before):
    after = learner.snapshot()
    return all(np.array_equal(before[key], after[key]) for key in before)


@pytest.mark.parametrize(
    ("x", "y", "error", "says"),
    [
        ([np.nan, 0.0], 1, ParameterError, r"x\[0\] is nan"),
        ([0.0, -np.inf], None, ParameterError, r"x\[1\] is -inf"),
        ([0.0, 1.0, 2.0], 1, ShapeError, "3 features, but the points before it had 2"),
        ([[0.0, 1.0]], 1, ShapeError, "one dimension"),
        ([], 1, ShapeError, "one feature or more"),
        ([1e200, 0.0], 1, ParameterError, r"x\[0\] is 1e\+200; features above 1e\+150"),
        ([0.0, -1e151], None, ParameterError, r"x\[1\] is -1e\+151"),
        ([10**400, 0], 1, ParameterError, "x"),
        ([0.0, [1.0]], 1, ShapeError, "equally long"),
        ("ab", 1, ShapeError, "must be numbers"),
        ([0.0, 1.0], 2, LabelError, r"label 2 is not among .*late_classes=True"),
        ([0.0, 1.0], [1], LabelError, "not hashable"),
    ],
)
def test_bad_events(model, x, y, error, says):
    before = model.snapshot()
    with pytest.raises(error, match=says):
        model.learn_one(x, y)
    if error is not LabelError:
        with pytest.raises(error, match=says):
            model.predict_one(x)
    assert unchanged(model, before)
    model.learn_one([0.1, 0.2], -1)


def test_bad_rows_of_a_play_are_named_and_nothing_is_learned(model):
    before = model.snapshot()
    rows = RNG.normal(size=(6, 2))
    rows[4, 1] = np.nan
    with pytest.raises(ParameterError, match=r"x\[4, 1\] is nan"):
        play(model, Stream(rows, [1] * 6))
    with pytest.raises(ShapeError, match=r"x\[2\] must have 2 entries, got 3"):
        play(model, Stream([[0.0, 1.0], [1.0, 1.0], [1.0, 2.0, 3.0]], [1, 1, 1]))
    rows[4, 1] = 1e300
    with pytest.raises(ParameterError, match=r"x\[4, 1\] is 1e\+300"):
        play(model, Stream(rows, [1] * 6))
    with pytest.raises(ParameterError, match=r"x\[1\]\[0\] is -1e\+300"):
        play(model, Stream([[0.0, 1.0], [-1e300, 1.0]], [1, 1]))
    with pytest.raises(ShapeError, match="3 features"):
        play(model, Stream(np.zeros((4, 3)), [1] * 4))
    with pytest.raises(LabelError, match="'cat'"):
        play(model, Stream(RNG.normal(size=(3, 2)), [1, "cat", None]))
    with pytest.raises(LearnerError, match="variance"):
        play(model, Stream(RNG.normal(size=(3, 2)), [1, 1, -1]), query=ohm.GapBelow())
    assert unchanged(model, before)
    assert len(play(model, Stream(RNG.normal(size=(3, 2)), [1, None, -1]))) == 3


@pytest.mark.parametrize("bad", [0, -1, 0.0, -0.5, np.nan, np.inf, "wide"])
def test_bad_widths(bad):
    with pytest.raises(ParameterError, match="width"):
        RBF(bad)
    with pytest.raises(ParameterError, match="width"):
        ohm.Manifold(bad)


class Odd(VectorKernel):
    def __call__(self, a, b):
        return np.zeros((len(a), len(b)))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: ohm.Buffer(0), "size of Buffer must be a whole number of at least 1, got 0"),
        (lambda: ohm.Buffer(2.5), "size of Buffer"),
        (lambda: ohm.Buffer(keep="oldest"), "'labelled', 'strongest', got 'oldest'"),
        (lambda: ohm.RPTree(0), "leaves of RPTree"),
        (lambda: ohm.RPTree(points=1), "points of RPTree"),
        (lambda: ohm.RPTree(rank=0), "rank of RPTree"),
        (lambda: ohm.Nystroem(0), "size of Nystroem"),
        (lambda: ohm.Nystroem(slack=0), "slack"),
        (lambda: ohm.Pursuit(reduction=2.0), "reduction"),
        (lambda: ohm.Pursuit(atoms=-1), "atoms"),
        (lambda: ohm.Printed(0), "gamma"),
        (lambda: ohm.Proximal(-1), "gamma"),
        (lambda: ohm.Proximal(replays=-1), "replays"),
        (lambda: ohm.Proximal(replays=10**9), "replays of Proximal must be a whole number of at most 10000"),
        (lambda: ohm.Proximal(decaying="no"), "decaying of Proximal must be True or False, got 'no'"),
        (lambda: ohm.Proximal(10**400), "gamma"),
        (lambda: ohm.Printed(1e200), "gamma"),
        (lambda: ohm.Pursuit(atoms=10**400), "atoms"),
        (lambda: ohm.Buffer(10**400), "size of Buffer"),
        (lambda: ohm.Buffer(10**9), "size of Buffer must be a whole number of at most 65536"),
        (lambda: ohm.Buffer(keep=["newest"]), "keep must be one of"),
        (lambda: ohm.Buffer(pursuit="all"), "pursuit must be a Pursuit"),
        (lambda: ohm.RPTree(10**9), "leaves of RPTree must be a whole number of at most 65536"),
        (lambda: ohm.RPTree(covariance="no"), "covariance of RPTree must be True or False, got 'no'"),
        (lambda: ohm.RPTree(shrinkage=1), "shrinkage of RPTree must be True or False"),
        (
            lambda: ohm.RPTree(split="middle"),
            "split of RPTree must be one of 'widest', 'printed', got 'middle'",
        ),
        (lambda: ohm.Nystroem(slack="1"), "slack"),
        (lambda: ohm.Manifold(10**400), "width"),
        (lambda: ohm.Multiview([0], 5), "Multiview"),
        (lambda: ohm.Multiview([0], [10**400]), "column"),
        (lambda: ohm.OnlineManifold(smoothness=ohm.Manifold(1e-200)), "width of the graph must lie from"),
        (lambda: ohm.OnlineManifold(RBF(1e-200)), "width of the kernel must lie from"),
        (lambda: ohm.OnlineManifold(RBF(1e200)), "width of the kernel must lie from"),
        (lambda: ohm.OnlineManifold(basis="buffer"), "basis must be Buffer"),
        (lambda: ohm.OnlineManifold(smoothness="graph"), "smoothness must be Manifold"),
        (lambda: ohm.OnlineManifold(loss=["hinge"]), "loss must be one of"),
        (lambda: ohm.OnlineManifold(averaged="no"), "averaged must be True or False, got 'no'"),
        (lambda: ohm.OnlineManifold(drift=1), "drift must be True or False, got 1"),
        (lambda: ohm.OnlineManifold(late_classes="no"), "late_classes must be True or False"),
        (lambda: ohm.OnlineManifold(standardise=0.0), "standardise must be True or False"),
        (lambda: ohm.OnlineManifold(lambda_1="0.1"), "lambda_1 must be a number, got '0.1'"),
        (lambda: ohm.OnlineManifold(lambda_2=1e200), "lambda_2"),
        (lambda: ohm.OnlineManifold(lambda_2=10**400), "lambda_2"),
        (lambda: ohm.OnlineManifold(label_rate=1e-300), "label_rate must be above 0"),
        (lambda: ohm.OnlineManifold(seed=10**400), "seed"),
        (lambda: ohm.OnlineManifold(seed=True), "seed"),
        (lambda: ohm.Manifold(0.1, weight=lambda b, x: b), "not both"),
        (lambda: ohm.Manifold(0.1, cutoff=1.0), "cutoff"),
        (lambda: ohm.Multiview([0]), "two or more"),
        (lambda: ohm.Multiview([0], []), "two or more"),
        (lambda: ohm.Multiview([0], [-1]), "column"),
        (lambda: ohm.OnlineManifold(Odd()), r"RBF\(width\) or Linear"),
        (lambda: ohm.OnlineManifold(loss="zero-one"), "loss must be one of 'hinge'"),
        (lambda: ohm.OnlineManifold(bandwidth="magic"), "bandwidth must be one of"),
        (lambda: ohm.OnlineManifold(step="big"), "step must be"),
        (lambda: ohm.OnlineManifold(classes=["one"]), "two or more"),
        (lambda: ohm.OnlineManifold(classes=3), "classes must be a list"),
        (lambda: ohm.OnlineManifold(classes=["a", "a"]), "declared twice"),
        (lambda: ohm.OnlineManifold(label_rate=0.0), "label_rate must be above 0"),
        (lambda: ohm.OnlineManifold(label_rate=1.5), "label_rate"),
        (lambda: ohm.OnlineManifold(lambda_1=-1.0), "lambda_1"),
        (lambda: ohm.OnlineManifold(lambda_2=np.nan), "lambda_2"),
        (lambda: ohm.OnlineManifold(seed=-1), "seed"),
        (lambda: ohm.OnlineManifold(basis=ohm.Buffer(keep="labelled"), drift=True), "keep='newest'"),
        (lambda: ohm.OnlineManifold(basis=ohm.Buffer(), drift=True), "keep='newest'"),
        (
            lambda: ohm.OnlineManifold(basis=ohm.RPTree(), step=ohm.Proximal(replays=2)),
            "cannot be replayed|none can be",
        ),
        (lambda: ohm.OnlineManifold(basis=ohm.RPTree(), smoothness=ohm.Multiview([0], [1])), "one view"),
        (lambda: ohm.OnlineManifold(basis=ohm.Nystroem(), smoothness=ohm.Multiview([0], [1])), "one view"),
        (
            lambda: ohm.OnlineManifold(
                basis=ohm.RPTree(covariance=True), smoothness=ohm.Manifold(weight=lambda b, x: b)
            ),
            "covariance=False",
        ),
        (
            lambda: ohm.OnlineManifold(
                smoothness=ohm.Manifold(weight=lambda b, x: b), step=ohm.Proximal(replays=1)
            ),
            "written in Python",
        ),
    ],
)
def test_bad_options(make, says):
    with pytest.raises((ParameterError, LabelError), match=says):
        make()


def test_drift_over_a_tree_goes_without_replays():
    learner = ohm.OnlineManifold(basis=ohm.RPTree(), drift=True)
    assert learner.options.step == ohm.Proximal(0.3, decaying=False)
    assert ohm.OnlineManifold(drift=True).options.step == ohm.Proximal(0.3, decaying=False, replays=5)
    assert ohm.OnlineManifold(drift=True).options.basis.keep == "newest"


def test_no_function_before_the_first_point():
    learner = ohm.OnlineManifold()
    with pytest.raises(LearnerError, match="no point yet"):
        _ = learner.function
    assert learner.predict_one([1.0]) == 1
    assert learner.sqnorm == 0.0


def test_columns_that_the_points_do_not_have():
    learner = ohm.OnlineManifold(RBF(1.0), smoothness=ohm.Multiview([0], [5]))
    with pytest.raises(ParameterError, match="names column 5, but the points have 2 features"):
        learner.learn_one([0.0, 1.0], 1)
    assert learner.trials == 0
    learner.learn_one(np.arange(6.0), 1)
    assert learner.trials == 1


def test_bad_weights_leave_the_learner_as_it_was():
    answer = {"value": 1.0}
    learner = ohm.OnlineManifold(
        RBF(0.5), smoothness=ohm.Manifold(weight=lambda basis, x: np.full(len(basis), answer["value"]))
    )
    learner.learn_one([0.0, 1.0], 1)
    before = learner.snapshot()
    for bad, says in ((-1.0, "weights must be at least 0"), (np.nan, "finite")):
        answer["value"] = bad
        with pytest.raises(ParameterError, match=says):
            learner.learn_one([0.0, 2.0], -1)
        assert unchanged(learner, before)
    answer["value"] = 1.0
    learner.learn_one([0.0, 2.0], -1)


def test_slopes_of_the_wrong_shape_are_refused():
    class Wrong(ohm.Smoothness):
        def energy(self, scene: Scene) -> float:
            return 0.0

        def slopes(self, scene: Scene) -> Slopes:
            return Slopes(np.zeros(3), np.zeros((1, 1, 99)), 1.0)

    learner = ohm.OnlineManifold(RBF(0.5), smoothness=Wrong())
    with pytest.raises(ShapeError, match=r"slopes.*\(1, 1\)"):
        learner.learn_one([0.0, 1.0], 1)
    assert learner.trials == 0


HOSTILE = {
    "buffer": ohm.Buffer(10),
    "tree": ohm.RPTree(10, points=3),
    "ppk": ohm.RPTree(10, points=3, covariance=True),
    "nystroem": ohm.Nystroem(10),
    "full": ohm.Full(),
}


@pytest.mark.parametrize("name", list(HOSTILE))
@pytest.mark.parametrize("late", [False, True])
def test_hostile_snapshots_are_refused(name, late):
    """Offsets in index arrays, other types and shapes, NaN, missing arrays: none reaches compiled code."""
    options = {"late_classes": True} if late else {"classes": ["a", "b", "c"]}
    learner = ohm.OnlineManifold(RBF(0.5), HOSTILE[name], smoothness=ohm.Manifold(0.3), **options)
    points = np.random.default_rng(0).normal(size=(25, 2))
    for k, x in enumerate(points):
        learner.learn_one(x, "abc"[k % 3])
    good = learner.snapshot()
    margin = learner.view_one(points[0])
    for key, array in good.items():
        if key in ("kind", "settings"):
            continue
        bad = [array.astype(np.complex128), array[None], np.array("text"), np.array(None, dtype=object)]
        if array.dtype.kind in "iu" and array.size and key != "expansion.random":
            bad += [array + 10**7, array - 10**7, array.astype(np.float64)]
        if array.dtype.kind == "f" and array.size:
            spoiled = np.array(array)
            spoiled.flat[0] = np.nan
            bad += [spoiled] if key.startswith("model") else [spoiled, array.astype(np.float32)]
        for hostile in bad:
            counter = key in ("expansion.time", "expansion.labels", "expansion.born", "basis.stored")
            if counter and hostile.dtype == array.dtype and np.all(np.asarray(hostile) >= 0):
                continue  # a large count is a count
            with pytest.raises(OhmlineError):
                ohm.OnlineManifold.restore({**good, key: hostile})
        with pytest.raises(OhmlineError):
            ohm.OnlineManifold.restore({k: v for k, v in good.items() if k != key})
    again = ohm.OnlineManifold.restore({k: v.copy() for k, v in good.items()})
    assert again.view_one(points[0]) == margin


def test_a_restored_learner_shares_no_memory_with_its_snapshot(model):
    saved = model.snapshot()
    other = ohm.OnlineManifold.restore(saved)
    for array in saved.values():
        if array.dtype.kind in "if":
            array[...] = 0
    assert unchanged(other, model.snapshot())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        '{"basis": 3}',
        "[" * 100_000,
        '{"basis": ["Buffer", {"size": -1}, {}], "step": ["Printed", {}], "smoothness": ["Manifold", {}]}',
        '{"basis": ["Buffer", {}, {}], "step": ["Exec", {}], "smoothness": ["Manifold", {}], "kernel": null}',
    ],
)
def test_hostile_settings_are_refused(model, text):
    with pytest.raises(OhmlineError):
        ohm.OnlineManifold.restore({**model.snapshot(), "settings": np.array(text)})
    plain = json.loads(str(model.snapshot()["settings"]))
    for key in (*plain, "surprise"):
        for value in ({"a": 1}, "no", -1, 1e300, [[]]):
            hostile = np.array(json.dumps({**plain, key: value}))
            with contextlib.suppress(OhmlineError):  # refused by name, or harmless
                ohm.OnlineManifold.restore({**model.snapshot(), "settings": hostile}).predict_one([0.0, 1.0])


def test_a_class_said_twice_is_refused():
    learner = ohm.OnlineManifold(RBF(0.5), smoothness=ohm.Manifold(0.3), late_classes=True)
    for k, x in enumerate(RNG.normal(size=(6, 2))):
        learner.learn_one(x, k % 2)
    saved = learner.snapshot()
    saved["model.order"][:] = 0
    saved["model.seen"][:] = len(saved["model.order"])
    with pytest.raises(SnapshotError, match="each must be there once"):
        ohm.OnlineManifold.restore(saved)


@pytest.mark.parametrize("kernel", [RBF(0.5), None])
@pytest.mark.parametrize("late", [False, True])
def test_a_regulariser_that_refuses_leaves_no_trace(kernel, late):
    """Neither the point nor its new class nor its number of features is kept, in the warm-up or after it."""
    answer = {"value": 1.0}
    learner = ohm.OnlineManifold(
        kernel,
        smoothness=ohm.Manifold(weight=lambda basis, x: np.full(len(basis), answer["value"])),
        late_classes=late,
    )
    label = "first" if late else 1
    learner.learn_one([0.0, 1.0], label)
    learner.learn_one([1.0, 1.0], label)
    learner.predict_one([0.0, 0.0])
    before = learner.snapshot()
    answer["value"] = -1.0
    with pytest.raises(ParameterError, match="at least 0"):
        learner.learn_one([0.0, 2.0], "second" if late else -1)
    assert unchanged(learner, before)
    assert learner.snapshot().keys() == before.keys()
    answer["value"] = 1.0
    learner.learn_one([0.0, 2.0], "third" if late else -1)
    assert learner.trials == 3
    assert learner.classes == (("first", "third") if late else (-1, 1))


def test_a_first_point_that_is_refused_fixes_nothing():
    class Moody(ohm.Smoothness):
        def energy(self, scene: Scene) -> float:
            return 0.0

        def slopes(self, scene: Scene) -> Slopes:
            if scene.point[0] < 0:
                raise ParameterError("not today")
            return Slopes(np.zeros_like(scene.here), np.zeros_like(scene.there), 0.0)

    learner = ohm.OnlineManifold(RBF(0.5), smoothness=Moody())
    before = learner.snapshot()
    with pytest.raises(ParameterError, match="not today"):
        learner.learn_one([-1.0, 0.0], 1)
    assert unchanged(learner, before)
    learner.learn_one([1.0, 2.0, 3.0], 1)
    assert learner.trials == 1
