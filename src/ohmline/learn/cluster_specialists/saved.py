"""The knowledge of specialists in a snapshot, checked."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np

from ohmline.arrays import AnyArray
from ohmline.errors import SnapshotError
from ohmline.learn.cluster_specialists.state import SpecialistState, Spines, hall_of
from ohmline.learn.ranges import CLASS_COUNT, CLASSES_OR_NONE, Range, expect_order

MISTAKES = Range(0, 2**52)
"""So many are counted without rounding."""


def _all_weight(learner: Any, arrays: Any) -> float:
    """The specialists of one tree together have as much weight as there are of them; and rounding."""
    return 2.0 * len(learner.nodes) * max(len(learner.classes), 1) * (1 + 1e-6)


RANGES = MappingProxyType(
    {
        "weight": Range(0.0, _all_weight),
        "since": MISTAKES,
        "mistakes": MISTAKES,
        "label": CLASSES_OR_NONE,
        "order": CLASSES_OR_NONE,
        "seen": CLASS_COUNT,
    }
)


def kept(state: SpecialistState, classes: int) -> list[tuple[str, AnyArray]]:
    """What a snapshot holds."""
    return [
        ("weight", state.weight[:, :, :classes]),
        ("since", state.since),
        ("mistakes", state.mistakes),
        ("label", state.label),
        ("order", state.order[:classes]),
        ("seen", state.seen),
    ]


def restored(spines: Spines, arrays: dict[str, AnyArray]) -> SpecialistState:
    """The state of arrays whose types, shapes and ranges were checked."""
    trees, _, classes = arrays["weight"].shape
    expect_order(arrays, arrays["label"])
    listed = arrays["order"][: int(arrays["seen"][0])]
    component = np.repeat(np.arange(len(spines.first) - 1), 2 * np.diff(spines.first))
    made = arrays["mistakes"][:, component]
    new = np.setdiff1d(np.arange(classes), listed)
    if (
        np.any(arrays["since"] > np.maximum(made - 1, 0))
        or np.any((made == 0)[:, :, None] & (arrays["weight"] != 1))
        or np.any(arrays["weight"][:, :, new] != 1)
        or (len(listed) == 0 and arrays["mistakes"].any())
    ):
        raise SnapshotError(
            "the snapshot's weights must be 1 where nothing was learned, and written before the last mistake of their "
            "tree; the snapshot is damaged"
        )
    return SpecialistState(**arrays, hall=hall_of(trees, classes))
