"""LocalManifold on input that nobody wants: refused by name, or learned without harm."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ohmline as ohm
from ohmline.errors import LabelError, OhmlineError, ParameterError, ShapeError, SnapshotError


def taught(**options: Any) -> ohm.LocalManifold:
    learner = ohm.LocalManifold(6, **options)
    rng = np.random.default_rng(0)
    for k, x in enumerate(rng.standard_normal((30, 2))):
        learner.learn_one(x, ("in" if x @ x < 1 else "out") if k % 3 == 0 else None)
    return learner


def same(a: ohm.LocalManifold, b: ohm.LocalManifold) -> bool:
    mine, theirs = a.snapshot(), b.snapshot()
    return mine.keys() == theirs.keys() and all(np.array_equal(mine[k], theirs[k]) for k in mine)


@pytest.mark.parametrize(
    ("x", "error"),
    [
        ([np.nan, 0.0], ParameterError),
        ([np.inf, 0.0], ParameterError),
        ([1e121, 0.0], ParameterError),
        ([0.0], ShapeError),
        ([0.0, 0.0, 0.0], ShapeError),
        ([], ShapeError),
        ("point", ShapeError),
        ([[0.0, 0.0]], ShapeError),
        (None, OhmlineError),
    ],
)
def test_a_bad_point_is_refused_and_nothing_changes(x: Any, error: type[OhmlineError]) -> None:
    learner, other = taught(), taught()
    for refused in (
        lambda: learner.learn_one(x, "new class"),
        lambda: learner.learn_many([[0.0, 0.0], x], ["in", "new class"]),
        lambda: learner.predict_one(x),
        lambda: learner.predict_proba_one(x),
        lambda: learner.predict_many([x]),
    ):
        with pytest.raises(error):
            refused()
    assert same(learner, other)


@pytest.mark.parametrize(
    "options",
    [
        {"size": 1},
        {"size": 2.5},
        {"size": 10**9},
        {"size": "300"},
        {"memory": 0.5},
        {"memory": float("nan")},
        {"memory": True},
        {"drift": "yes"},
        {"drift": True, "memory": 100.0},
        {"label_weight": 0.0},
        {"label_weight": float("inf")},
        {"classes": []},
        {"classes": ["a", "a"]},
    ],
)
def test_bad_options_are_refused(options: Any) -> None:
    with pytest.raises(OhmlineError):
        ohm.LocalManifold(**options)


def test_what_would_not_fit_into_memory_is_refused_before_it_is_tried(monkeypatch: Any) -> None:
    learner = ohm.LocalManifold(3000)
    monkeypatch.setenv("OHMLINE_MEMORY", "0.1")
    with pytest.raises(ParameterError, match="a summary of 3000 nodes with 20000 features"):
        learner.learn_one(np.zeros(20_000), "a")
    assert learner.trials == 0
    assert learner.classes == ()
    learner.learn_one([0.0, 1.0], "a")
    assert learner.classes == ("a",)


def test_a_label_that_was_not_declared_is_refused() -> None:
    learner = taught(classes=["out", "in"])
    before = learner.snapshot()
    with pytest.raises(LabelError, match="'new'"):
        learner.learn_one([0.0, 0.0], "new")
    assert all(np.array_equal(before[k], v) for k, v in learner.snapshot().items())


def test_without_any_label_it_says_nothing_and_with_one_class_that_one() -> None:
    learner = ohm.LocalManifold(4)
    assert learner.predict_one([0.0, 0.0]) is None
    assert learner.predict_proba_one([0.0, 0.0]) == learner.scores_one([0.0, 0.0]) == {}
    rng = np.random.default_rng(0)
    for x in rng.standard_normal((20, 2)):
        assert learner.learn_one(x, None).mistake is None
    assert learner.view_one([0.0, 0.0]) == ohm.View(None, 0.0) or learner.predict_one([0.0, 0.0]) is None
    assert not learner.predict_many(rng.standard_normal((3, 2))).known.any()
    learner.learn_one([0.0, 0.0], "only")
    assert learner.predict_one([50.0, 0.0]) == "only"
    assert learner.predict_proba_one([50.0, 0.0]) == {"only": 1.0}


@pytest.mark.parametrize("scale", [0.0, 1e-160, 1e-300, 1e110, 1e120])
def test_any_scale_of_the_features_keeps_everything_finite(scale: float) -> None:
    learner = ohm.LocalManifold(5)
    rng = np.random.default_rng(1)
    for k, x in enumerate(rng.uniform(-1, 1, (60, 3))):
        learner.learn_one(scale * x, k % 3 if k % 4 else None)
    scores = learner.scores_one(scale * np.ones(3))
    assert all(np.isfinite(value) for value in scores.values())
    assert all(np.all(np.isfinite(v)) for v in learner.snapshot().values() if v.dtype.kind == "f")


def test_two_worlds_of_far_apart_scales_stay_two() -> None:
    learner = ohm.LocalManifold(8)
    rng = np.random.default_rng(2)
    for k in range(80):
        far = k % 2
        x = rng.standard_normal(2) + 1e60 * far
        learner.learn_one(x, ["here", "there"][far] if k % 5 == 0 or k < 4 else None)
    assert learner.predict_one([0.5, 0.5]) == "here"
    assert learner.predict_one([1e60, 1e60]) == "there"


def test_one_point_again_and_again_with_two_labels_goes_to_the_majority_and_takes_no_room() -> None:
    learner = ohm.LocalManifold(10)
    for k in range(50):
        learner.learn_one([1.0, 2.0], "b" if k % 5 == 0 else "a")
    for k in range(200):
        learner.learn_one([1.0, 2.0], "a" if k % 5 else "b")
    centres, masses, labels = learner.summary
    assert masses.sum() == pytest.approx(250)
    assert set(map(tuple, centres.tolist())) == {(1.0, 2.0)}
    assert set(labels) == {"a", "b"}


def test_more_classes_than_nodes() -> None:
    learner = ohm.LocalManifold(3)
    rng = np.random.default_rng(3)
    for k in range(40):
        learner.learn_one(rng.standard_normal(2), f"class {k % 7}")
    assert len(learner.classes) == 7
    assert learner.predict_one([0.0, 0.0]) in learner.classes


def test_a_long_memory_of_a_short_stream_forgets_nothing_and_a_short_one_does() -> None:
    plain, long, short = (taught(memory=m) for m in (None, 1e12, 2.0))
    points = np.random.default_rng(4).standard_normal((20, 2))
    np.testing.assert_allclose(
        [list(plain.scores_one(x).values()) for x in points],
        [list(long.scores_one(x).values()) for x in points],
        atol=0.02,  # two masses that were equal may not be, and the other node keeps its slot
    )
    assert sum(short.summary[1]) < 3 < sum(plain.summary[1])
    assert short.summary[2].count(None) > plain.summary[2].count(None)


def test_weights_that_grew_for_very_long_are_made_small_again() -> None:
    learner = ohm.LocalManifold(4, memory=1.0)
    for k in range(800):  # e^800 would overflow
        learner.learn_one([float(k % 7), float(k % 3)], k % 2)
    assert 0 < sum(learner.summary[1]) < 3
    assert all(np.isfinite(list(learner.scores_one([1.0, 1.0]).values())))


@pytest.mark.parametrize(
    "options", [{}, {"memory": 9.0}, {"drift": True}, {"classes": ["out", "never", "in"]}]
)
def test_a_copy_a_snapshot_and_a_file_go_on_bit_for_bit(options: Any, tmp_path: Path) -> None:
    learner = taught(**options)
    again = [
        copy.deepcopy(learner),
        ohm.LocalManifold.restore(learner.snapshot()),
        ohm.load(ohm.save(learner, tmp_path / "model.ohm")),
    ]
    for x in np.random.default_rng(5).standard_normal((40, 2)):
        said = [model.learn_one(x, "in" if x[0] > 0.3 else None) for model in (learner, *again)]
        assert all(found == said[0] for found in said)
    assert all(same(learner, model) for model in again)


@pytest.mark.parametrize(
    ("key", "spoil"),
    [
        ("label", lambda a: a + 5),
        ("label", lambda a: a.astype(np.float64)),
        ("order", np.zeros_like),
        ("tally.size", lambda a: a + 1),
        ("tally.seen", lambda a: a - 1),
        ("tally.labels", np.zeros_like),
        ("mass", np.zeros_like),
        ("soft", lambda a: a * np.nan),
        ("sqdist", lambda a: a[:2]),
        ("centre", lambda a: a[:, :0]),
        ("centre", lambda a: np.repeat(a, 3, axis=0)),
        ("size", lambda a: np.array(3)),
        ("memory", lambda a: np.array(-1.0)),
        ("kind", lambda a: np.array("OnlineManifold")),
    ],
)
def test_a_damaged_snapshot_is_refused(key: str, spoil: Any) -> None:
    state = taught().snapshot()
    state[key] = spoil(state[key])
    with pytest.raises((SnapshotError, ParameterError)):
        ohm.LocalManifold.restore(state)


@pytest.mark.parametrize(
    ("key", "spoil"),
    [
        ("drift", lambda a: np.array("yes")),
        ("wrong", lambda a: a - 100),
        ("wrong", lambda a: a * np.nan),
        ("behind", lambda a: a + 1e9),
        ("behind", lambda a: a[:0]),
        ("short.mass", np.zeros_like),
        ("long.label", lambda a: a + 5),
        ("long.order", lambda a: a[::-1]),
        ("short.centre", lambda a: a[:, :1]),
    ],
)
def test_a_damaged_snapshot_of_two_summaries_is_refused(key: str, spoil: Any) -> None:
    state = taught(drift=True).snapshot()
    state[key] = spoil(state[key])
    with pytest.raises((SnapshotError, ParameterError)):
        ohm.LocalManifold.restore(state)
    del state[key]
    if key != "drift":
        with pytest.raises((SnapshotError, ParameterError)):
            ohm.LocalManifold.restore(state)


def test_a_snapshot_from_before_there_was_drift_is_read() -> None:
    learner = taught()
    state = learner.snapshot()
    del state["drift"]
    assert same(learner, ohm.LocalManifold.restore(state))
