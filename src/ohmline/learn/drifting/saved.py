"""What the drifting learner knows, in a snapshot, checked."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np

from ohmline.arrays import AnyArray
from ohmline.errors import SnapshotError
from ohmline.learn.cluster_specialists.saved import MISTAKES
from ohmline.learn.cluster_specialists.saved import RANGES as COMMITTEE
from ohmline.learn.cluster_specialists.saved import kept as kept_committee
from ohmline.learn.cluster_specialists.saved import restored as restored_committee
from ohmline.learn.drifting.doubt import LEAST
from ohmline.learn.drifting.heads import SHARPEST
from ohmline.learn.drifting.state import DriftSpace, DriftState, solves_of
from ohmline.learn.drifting.steady import FIRMEST
from ohmline.learn.ranges import CLASSES_OR_NONE, FLAGS, Range, expect_order
from ohmline.learn.tracking import Followed

OWN_ARRAYS = (
    "faded",
    "label",
    "told",
    "confidence",
    "held",
    "strength",
    "sharp",
    "slopes",
    "clock",
    "timed",
    "unscored",
    "wrong",
    "mistaken",
)
COMMITTEES = ("slow", "fast")
RANGES = MappingProxyType(
    {
        "estimate": Range(0.0, 1.0),
        "label": CLASSES_OR_NONE,
        "confidence": Range(LEAST, 1.0),
        "held": CLASSES_OR_NONE,
        "strength": Range(0, FIRMEST),
        "counts": MISTAKES,
        "order": CLASSES_OR_NONE,
        "sharp": Range(0.0, SHARPEST),
        "slopes": Range(1.0, 1e300),
        "timed": FLAGS,
        "unscored": MISTAKES,
        "wrong": MISTAKES,
        "mistaken": MISTAKES,
        "weights": Range(0.0, 1.0),
        "losses": Range(0.0, 1e300),
        "priced": Range(0.0, 1e300),
        "sequence": Range(0.0, 1e300),
        "switches": MISTAKES,
        "own_loss": Range(0.0, 1e300),
        "scored": MISTAKES,
        **{f"{name}.{array}": limits for name in COMMITTEES for array, limits in COMMITTEE.items()},
    }
)


def kept(state: DriftState, classes: int) -> list[tuple[str, AnyArray]]:
    """What a snapshot holds."""
    return [
        ("estimate", state.estimate[:, :, :classes]),
        ("counts", state.counts[:classes]),
        ("order", state.order[:classes]),
        *((name, getattr(state, name)) for name in OWN_ARRAYS),
        *state.followed._asdict().items(),
        *(
            (f"{name}.{array}", values)
            for name in COMMITTEES
            for array, values in kept_committee(getattr(state, name), classes)
        ),
    ]


def restored(space: DriftSpace, arrays: dict[str, AnyArray]) -> DriftState:
    """The state of arrays whose types, shapes and ranges were checked."""
    followed = Followed(**{name: arrays[name] for name in Followed._fields})
    committees: dict[str, Any] = {}
    for name in COMMITTEES:
        own = {a.removeprefix(f"{name}."): values for a, values in arrays.items() if a.startswith(f"{name}.")}
        committees[name] = restored_committee(getattr(space, name), own)
        _expect(np.array_equal(own["label"], arrays["label"]), f"{name}.label", "be the label of the learner")
        _expect(np.array_equal(own["order"], arrays["order"]), f"{name}.order", "be the order of the learner")
    seen = np.flatnonzero(arrays["counts"] > 0)
    listed = arrays["order"][arrays["order"] >= 0]
    _expect(np.array_equal(np.sort(listed), seen), "order", "name the classes whose counts are above 0")
    expect_order({**arrays, "seen": np.array([len(listed)])}, arrays["label"])
    _expect(
        np.array_equal(arrays["held"] < 0, arrays["label"] < 0)
        and bool(np.isin(arrays["held"], [-1, *listed]).all()),
        "held",
        "be a class that was seen where label is one",
    )
    _expect(followed.sound(), "weights", "be shares above 0 that sum to 1, and priced at least sequence")
    late = max(float(arrays["told"].max(initial=0.0)), float(arrays["faded"].max(initial=0.0)))
    _expect(late <= float(arrays["clock"][0]), "told and faded", "be no later than the clock")
    scored, labels = int(arrays["scored"][0]), int(arrays["counts"].sum())
    _expect(scored + int(arrays["unscored"][0]) == labels, "scored", "be the labels that are not unscored")
    own_arrays: dict[str, Any] = {name: arrays[name] for name in OWN_ARRAYS}
    n, classes = arrays["estimate"].shape[1:]
    return DriftState(
        estimate=arrays["estimate"],
        counts=arrays["counts"],
        order=arrays["order"],
        followed=followed,
        solves=solves_of(n, classes),
        **committees,
        **own_arrays,
    )


def _expect(good: bool, name: str, words: str) -> None:
    if not good:
        raise SnapshotError(f"the snapshot's {name} must {words}; the snapshot is damaged")
