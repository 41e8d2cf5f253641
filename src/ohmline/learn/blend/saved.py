"""The way of joining in a snapshot, checked."""

from __future__ import annotations

import numpy as np

from ohmline.errors import ParameterError, SnapshotError
from ohmline.learn.blend.fixed_share import FixedShare
from ohmline.learn.blend.majority import Majority
from ohmline.learn.blend.mixture import Mixture
from ohmline.learn.blend.product import Product
from ohmline.learn.blend.ways import Tally, Way
from ohmline.learn.snapshots import State, saved_number, saved_text, take


def saved_way(state: State, kind: str) -> Way:
    """The way that a snapshot was made with."""
    name = saved_text(state, kind, "way")
    try:
        if name == "Majority":
            return Majority(saved_number(state, kind, "way.beta"))
        if name == "Product":
            return Product(saved_number(state, kind, "way.most"))
    except ParameterError as error:
        raise SnapshotError(f"the snapshot is damaged: {error}") from error
    if name == "FixedShare":
        return FixedShare()
    if name == "Mixture":
        return Mixture()
    raise SnapshotError(f"the snapshot joins its members by {name!r}, which this version does not know")


def put_tally(state: State, kind: str, wanted: Tally, way: Way) -> Tally:
    """The tally of a snapshot, in the shapes of a fresh one."""
    found: Tally = {}
    for name, mine in wanted.items():
        saved = take(state, kind, f"tally.{name}")
        good = saved.dtype == mine.dtype and saved.shape == mine.shape
        if not good or not bool(np.isfinite(saved).all()) or bool((saved < 0).any()):
            raise SnapshotError(
                f"the snapshot's tally.{name} must be {mine.size} numbers of at least 0; the snapshot is damaged"
            )
        found[name] = np.array(saved)
    if not way.agrees(found):
        raise SnapshotError(
            f"the arrays of the snapshot's tally contradict one another as {way!r}; it is damaged"
        )
    return found
