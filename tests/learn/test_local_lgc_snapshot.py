"""LocalLGC's snapshots: checked whole before compiled code sees them, and refused without a trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ohmline as ohm
from ohmline.errors import GraphError, LabelError, SnapshotError

RING = ohm.Graph.from_edges([(k, (k + 1) % 50) for k in range(50)])
STAR = ohm.Graph.from_edges([(0, k) for k in range(1, 50)])


def grown() -> ohm.LocalLGC:
    learner = ohm.LocalLGC(RING, guess=True)
    for x in range(0, 50, 7):
        learner.learn_one(x, ["a", "b", "c"][x % 3])
    learner.add_node("new")
    learner.add_edge("new", 3, 2.0)
    learner.forget_one(7)
    return learner


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one.keys() == other.keys() and all(
        one[key].dtype == other[key].dtype and one[key].tobytes() == other[key].tobytes() for key in one
    )


def test_a_snapshot_comes_back_to_the_last_bit() -> None:
    saved = grown().snapshot()
    assert same(saved, ohm.LocalLGC.restore(saved, RING).snapshot())
    twin = grown()
    twin.learn_one(30, "b")
    twin.load(saved)
    assert same(saved, twin.snapshot())


@pytest.mark.parametrize(
    "other",
    [
        STAR,
        ohm.Graph.from_edges([(k, (k + 1) % 50, 2.0) for k in range(50)]),
        ohm.Graph.from_edges([(str(k), str((k + 1) % 50)) for k in range(50)]),
    ],
    ids=["star", "weights", "ids"],
)
def test_another_graph_of_equal_size_is_refused(other: ohm.Graph) -> None:
    with pytest.raises(SnapshotError, match="another graph"):
        ohm.LocalLGC.restore(grown().snapshot(), other)
    learner = ohm.LocalLGC(other)
    before = learner.snapshot()
    with pytest.raises(SnapshotError, match="another graph"):
        learner.load(grown().snapshot())
    assert same(before, learner.snapshot())


def test_a_snapshot_of_an_older_version_is_refused_by_name() -> None:
    saved = grown().snapshot()
    del saved["fingerprint"]
    with pytest.raises(SnapshotError, match="older version"):
        ohm.LocalLGC.restore(saved, RING)


def changed(key: str, change: Callable[[Any], Any]) -> Any:
    return pytest.param(key, change, id=f"{key}: {change.__doc__ or change.__name__}")


def far(a: Any) -> Any:
    return a + np.array(10**7, a.dtype)


def negative(a: Any) -> Any:
    return a - np.array(2, a.dtype)


def one_more(a: Any) -> Any:
    return np.concatenate([a, a[:1]])


def nan(a: Any) -> Any:
    return np.full_like(a, np.nan)


def infinite(a: Any) -> Any:
    return np.full_like(a, np.inf)


def text(a: Any) -> Any:
    return np.full(a.shape, "x")


def objects(a: Any) -> Any:
    return a.astype(object)


def nothing(a: Any) -> Any:
    return None


def nested(a: Any) -> Any:
    return np.array("[" * 100_000)


def rolled(a: Any) -> Any:
    return np.roll(a, 1, axis=0)


def number(a: Any) -> Any:
    return np.array(3)


def loops(a: Any) -> Any:
    return np.array([[3, 3]])


STATE = ["estimate", "label", "counts", "order", "sharpness", "precision", "stale"]
DAMAGED = [
    *(changed(f"state.{name}", change) for name in STATE for change in (one_more, text, objects, nothing)),
    *(
        changed(f"state.{name}", change)
        for name in ("label", "order", "counts")
        for change in (far, negative)
    ),
    *(changed(f"state.{name}", change) for name in ("label", "precision") for change in (rolled,)),
    *(
        changed(f"state.{name}", change)
        for name in ("estimate", "sharpness", "precision")
        for change in (nan, infinite)
    ),
    *(changed("state.estimate", change) for change in (far, negative)),
    *(
        changed(name, change)
        for name in ("ridge", "mu", "unit", "tolerance")
        for change in (nan, negative, text, nothing)
    ),
    *(
        changed(name, change)
        for name in ("classes", "added_nodes")
        for change in (nested, text, number, nothing)
    ),
    *(changed("added_edges", change) for change in (far, negative, one_more, loops, text, nothing)),
    *(changed("added_weights", change) for change in (nan, infinite, negative, one_more, nothing)),
    *(changed(name, change) for name in ("guess", "reach", "fixed") for change in (text, number, nothing)),
    *(changed("n", change) for change in (far, text, nothing)),
    *(changed("fingerprint", change) for change in (text, number, nothing)),
]


@pytest.mark.parametrize(("key", "change"), DAMAGED)
def test_a_damaged_snapshot_is_refused_and_changes_nothing(key: str, change: Callable[[Any], Any]) -> None:
    learner = grown()
    before = learner.snapshot()
    damaged = {**learner.snapshot(), key: change(before[key])}
    with pytest.raises(SnapshotError):
        ohm.LocalLGC.restore(damaged, RING)
    with pytest.raises(SnapshotError):
        learner.load(damaged)
    assert same(before, learner.snapshot())
    del damaged[key]
    with pytest.raises(SnapshotError):
        ohm.LocalLGC.restore(damaged, RING)


def test_parameters_and_classes_of_another_learner_are_refused() -> None:
    saved = grown().snapshot()
    for options in ({"ridge": 0.2}, {"mu": 0.5}, {"guess": False}, {"classes": ["b", "a", "c"]}):
        learner = ohm.LocalLGC(RING, **{"guess": True, **options})
        learner.add_node("new")
        learner.add_edge("new", 3, 2.0)
        before = learner.snapshot()
        with pytest.raises(SnapshotError, match="not that of this learner"):
            learner.load(saved)
        assert same(before, learner.snapshot())
    with pytest.raises(SnapshotError, match="restored over its Graph"):
        ohm.LocalLGC.restore(saved, "ring")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "label", [("a", 1), b"a", 1j, frozenset("a"), 10**9999, object()], ids=lambda y: type(y).__name__
)
def test_labels_and_ids_that_no_snapshot_can_hold_are_refused_at_the_door(label: Any) -> None:
    learner = ohm.LocalLGC(RING)
    learner.learn_one(0, "a")
    before = learner.snapshot()
    with pytest.raises(LabelError, match="snapshot"):
        learner.learn_one(1, label)
    with pytest.raises(LabelError, match="snapshot"):
        ohm.LocalLGC(RING, classes=["a", label])
    with pytest.raises(GraphError, match="snapshot"):
        learner.add_node(label)
    assert same(before, learner.snapshot())


@pytest.mark.parametrize(
    "label", [float("nan"), np.float32("nan"), np.float64("nan"), complex("nan")], ids=repr
)
def test_nan_is_no_class(label: Any) -> None:
    learner = ohm.LocalLGC(RING)
    learner.learn_one(0, "a")
    before = learner.snapshot()
    for _ in range(2):
        with pytest.raises(LabelError, match="NaN"):
            learner.learn_one(1, label)
    assert learner.classes == ("a",)
    assert same(before, learner.snapshot())
