"""`LocalManifold` where the world may change: two summaries side by side, one that remembers and one that forgets.

Both learn every point. The one that was wrong less often on the labels of late predicts. Where the one that remembers
falls behind, what it remembers is of a world that is gone: it goes on from a copy of the other one, and so it remembers
everything since the change.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.compiled import implements, internal
from ohmline.learn.local_manifold.kriging import read, verdict
from ohmline.learn.local_manifold.state import Settings, Summary
from ohmline.learn.local_manifold.step import take_in
from ohmline.learn.snapshots import State
from ohmline.learn.step import UNLABELLED, learn, view

RECENT = 0.5
"""The memory of the summary that forgets, as a share of the nodes."""
KEPT = 0.9
"""What is left of a mistake in the record after another label."""
PATIENCE = 3.0
"""By how many mistakes the one that remembers may fall behind before it starts again from the other one."""


class Heads(NamedTuple):
    """Two summaries of one stream, and how they compare."""

    long: Summary
    """Remembers everything since it last started again."""
    short: Summary
    """Forgets."""
    wrong: Floats
    """Mistakes of either, those of late above all."""
    behind: Floats
    """By how many mistakes `long` has fallen behind `short`: at least 0."""

    @classmethod
    def empty(cls, size: int, dimension: int, classes: int) -> Heads:
        """Room for `size` nodes in either."""
        long, short = (Summary.empty(size, dimension, classes) for _ in range(2))
        return cls(long, short, np.zeros(2), np.zeros(1))

    @property
    def leader(self) -> Summary:
        """The one that predicts."""
        return self.short if self.wrong[1] < self.wrong[0] else self.long

    def with_classes(self, order: Ints) -> Heads:
        """The same summaries with these codes at their columns; columns beyond the present ones are empty."""
        return self._replace(long=self.long.with_classes(order), short=self.short.with_classes(order))

    def arrays(self) -> State:
        """What cannot be computed from the rest, for a snapshot."""
        return {
            **{f"long.{name}": array for name, array in self.long.arrays().items()},
            **{f"short.{name}": array for name, array in self.short.arrays().items()},
            "wrong": self.wrong.copy(),
            "behind": self.behind.copy(),
        }


@implements(view, Heads)
def view_heads(space: Settings, state: Heads, x: Floats) -> tuple[int, float]:
    read(state.long, x)
    read(state.short, x)
    return verdict(state.short) if state.wrong[1] < state.wrong[0] else verdict(state.long)


@implements(learn, Heads)
def learn_heads(space: Settings, state: Heads, x: Floats, y: int, margin: float) -> tuple[bool, float]:
    """The rest of a trial, whose `view` has just read the point into both work spaces."""
    if y != UNLABELLED:
        judge(state, y)
    leads = state.wrong[1] < state.wrong[0]
    length = take_in(space, state.long, x, y)
    fading = Settings(space.recent_growth, space.label_weight, space.recent_growth)
    short_length = take_in(fading, state.short, x, y)
    if state.behind[0] >= PATIENCE:
        start_again(state)
    return True, short_length if leads else length


@internal
def judge(state: Heads, y: int) -> None:
    """Note which of the two are wrong about a label that comes."""
    long = 1.0 if verdict(state.long)[0] != y else 0.0
    short = 1.0 if verdict(state.short)[0] != y else 0.0
    state.wrong[0] = KEPT * state.wrong[0] + long
    state.wrong[1] = KEPT * state.wrong[1] + short
    state.behind[0] = max(state.behind[0] + long - short, 0.0)


@internal
def start_again(state: Heads) -> None:
    """What remembers goes on from a copy of what forgets."""
    copy_summary(state.short, state.long)
    state.wrong[0] = state.wrong[1]
    state.behind[0] = 0.0


@internal
def copy_summary(source: Summary, out: Summary) -> None:
    """Everything but the work space, which nobody reads after a trial."""
    copy_rows(source.centre, out.centre)
    copy_rows(source.sqdist, out.sqdist)
    copy_rows(source.soft, out.soft)
    copy_rows(source.near, out.near)
    copy_rows(source.near_sq, out.near_sq)
    copy_rows(source.partner, out.partner)
    copy_rows(source.cost, out.cost)
    copy_row(source.mass, out.mass)
    copy_row(source.label, out.label)
    copy_row(source.held, out.held)
    copy_row(source.order, out.order)
    copy_row(source.counts, out.counts)
    copy_row(source.cls, out.cls)
    copy_row(source.whole, out.whole)
    copy_row(source.balance, out.balance)
    copy_row(source.tally.size, out.tally.size)
    copy_row(source.tally.seen, out.tally.seen)
    copy_row(source.tally.trials, out.tally.trials)
    copy_row(source.tally.labelled, out.tally.labelled)
    copy_row(source.tally.points, out.tally.points)
    copy_row(source.tally.labels, out.tally.labels)
    copy_row(source.tally.error, out.tally.error)
    copy_row(source.tally.unit, out.tally.unit)
    copy_row(source.tally.sharpness, out.tally.sharpness)


@internal
def copy_row(source: AnyArray, out: AnyArray) -> None:
    """One array into another, entry by entry: a slice would take a minute to compile."""
    for i in range(out.shape[0]):
        out[i] = source[i]


@internal
def copy_rows(source: AnyArray, out: AnyArray) -> None:
    """The same for arrays of rows."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = source[i, j]
