"""The knowledge of specialists in a snapshot, checked."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np

from ohmline.arrays import AnyArray
from ohmline.errors import SnapshotError
from ohmline.learn.cluster_specialists.state import MISTAKE, NEVER, SpecialistState, Spines, hall_of
from ohmline.learn.ranges import CLASS_COUNT, CLASSES_OR_NONE, Range, expect_order

MISTAKES = Range(0, 2**52)
"""So many are counted without rounding."""


def _all_weight(learner: Any, arrays: Any) -> float:
    """The specialists of one tree together have no more weight than there are of them; and rounding."""
    return 2.0 * len(learner.nodes) * (len(learner.classes) + 1) * (1 + 1e-6)


RANGES = MappingProxyType(
    {
        "weight": Range(0.0, _all_weight),
        "since": Range(NEVER, 2**52),
        "clock": MISTAKES,
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
        ("clock", state.clock),
        ("label", state.label),
        ("order", state.order[:classes]),
        ("seen", state.seen),
    ]


def restored(spines: Spines, arrays: dict[str, AnyArray]) -> SpecialistState:
    """The state of arrays whose types, shapes and ranges were checked."""
    trees, _, classes = arrays["weight"].shape
    expect_order(arrays, arrays["label"])
    listed = arrays["order"][: int(arrays["seen"][0])]
    clock, since, first = arrays["clock"], arrays["since"], spines.first
    component = np.repeat(np.arange(len(first) - 1), 2 * np.diff(first))
    new = np.setdiff1d(np.arange(classes), listed)
    untouched = since < 0
    whole = since[:, 2 * first[:-1]]  # the interval of a whole component is written whenever one in it is
    labelled = np.zeros(len(first) - 1, np.bool_)
    labelled[spines.component[arrays["label"] >= 0]] = True
    if (
        np.any(since > whole[:, component])
        or np.any(untouched[:, :, None] & (arrays["weight"] != 1))
        or np.any(arrays["weight"][:, :, new] != 1)
        or np.any((clock > 0) != labelled)
        or np.any(np.where(labelled, ~np.isin(clock - whole, (1, MISTAKE)), whole != NEVER))
        # A label moves each tree's clock by 1 or by MISTAKE, which are the same modulo MISTAKE - 1.
        or (spines.every and np.any(clock % (MISTAKE - 1) != clock[:1] % (MISTAKE - 1)))
        or (not spines.every and np.any(clock % MISTAKE))
    ):
        raise SnapshotError(
            "the snapshot's weights must be 1 where nothing was learned, and written by the last label of their tree "
            "at the latest, and all trees must have learned as many labels; the snapshot is damaged"
        )
    return SpecialistState(**arrays, hall=hall_of(trees, classes))
