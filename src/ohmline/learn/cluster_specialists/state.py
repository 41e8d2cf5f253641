"""What the specialists read, and what they know.

A line of m places is halved again and again, the left half the longer one, down to single places: its dyadic basis, 2m
- 1 intervals, of which a place is in at most log2(m) + 2. They are numbered as a walk comes upon them: an interval,
all that is in its left half, all that is in its right half. So the whole interval of a component that starts at place
p has number 2p, its left half the next one, and its right half follows the 2h - 1 intervals of a left half of h
places.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.checks import room
from ohmline.learn.classes import places_of
from ohmline.learn.trees.lines import TreeLines

MISTAKE = 1 << 20
"""A mistake moves a tree's clock by so many ticks, and a label that was said rightly by one."""
NEVER = -1
"""When an interval was last written in which no label has come."""


class Spines(NamedTuple):
    """The lines of random spanning trees, and the rate of switching."""

    place: AnyArray
    """Row i, tree t: where node i stands on line t."""
    component: AnyArray
    """The component of each node: on every line its own stretch, and a game of its own."""
    first: Ints
    """The first place of each component, the same on every line; and the end of the last one."""
    keep: float
    """log(1 - share) / `MISTAKE`."""
    every: bool
    """Whether weights change at every label, or at mistakes alone."""

    @property
    def table(self) -> AnyArray:
        """The rows that are read one by one, so that a loop can send for them ahead of time."""
        return self.place

    @classmethod
    def over(cls, lines: TreeLines, share: float, *, every: bool) -> Spines:
        """Of these lines."""
        return cls(lines.place, lines.component, lines.first, float(np.log1p(-share)) / MISTAKE, every)


class Hall(NamedTuple):
    """What the specialists of one node said when they were last heard: work space."""

    node: Ints
    """Which node; -1 for none."""
    vote: Ints
    """The class that each tree says; -1 for none."""
    said: Floats
    """Row t: the weight of the specialists of tree t that are awake, by class."""
    others: Floats
    """For each tree the weight of those awake for a class that has not been seen."""
    score: Floats
    """What all trees say together, by class."""


class SpecialistState(NamedTuple):
    """The weights of the specialists, and the classes."""

    weight: Floats
    """[t, i, c]: the weight of the specialist of tree t for interval i and class c when it was last written; 1 is the
    mean of all."""
    since: Ints
    """[t, i]: the time by the clock of its tree and component then; `NEVER` where no label came into the interval."""
    clock: Ints
    """[t, k]: `MISTAKE` for each mistake of tree t in component k, and 1 for each other label that it learned."""
    label: Ints
    """The last class that was learned at each node, -1 for none."""
    order: Ints
    """The codes of the classes in the order in which they were first learned, then -1."""
    seen: Ints
    """How many were."""
    hall: Hall

    @classmethod
    def fresh(cls, spines: Spines, classes: int) -> SpecialistState:
        """Before any label."""
        n, trees = spines.place.shape
        room_for(trees, n, classes)
        return cls(
            np.ones((trees, 2 * n, classes)),
            np.full((trees, 2 * n), NEVER),
            np.zeros((trees, len(spines.first) - 1), np.int64),
            np.full(n, -1),
            np.full(classes, -1),
            np.zeros(1, np.int64),
            hall_of(trees, classes),
        )

    def resized(self, keep: Ints, fresh: int) -> SpecialistState:
        """With what it holds of the classes at `keep`, and room for `fresh` more: twice as many as now, at least.

        Columns to spare are what makes a thousand late classes cost little more than one.
        """
        trees, intervals, held = self.weight.shape
        need = len(keep) + fresh
        if fresh and need <= held and np.array_equal(keep, np.arange(len(keep))):
            return self
        columns = max(need, 2 * held) if fresh else need
        room_for(trees, intervals // 2, columns)
        weight = np.ones((trees, intervals, columns))
        weight[:, :, : len(keep)] = self.weight[:, :, keep]
        order = np.full(columns, -1)
        order[: len(keep)] = self.order[: len(keep)]
        return self._replace(weight=weight, order=order, hall=hall_of(trees, columns))

    def renumbered(self, known: Ints) -> SpecialistState:
        """With the classes `known` alone, in that order."""
        place = places_of(known, len(self.order))
        smaller = self.resized(known, 0)
        return smaller._replace(label=place[self.label], order=np.arange(len(known)))


def room_for(trees: int, nodes: int, classes: int) -> None:
    """Refuse specialists that would not fit."""
    room(
        16.0 * trees * nodes * (classes + 1),
        f"the specialists of {trees} trees over {nodes} nodes and {classes} classes",
    )


def hall_of(trees: int, classes: int) -> Hall:
    """In which nobody has spoken."""
    return Hall(
        np.full(1, -1),
        np.full(trees, -1),
        np.zeros((trees, max(classes, 1))),
        np.zeros(trees),
        np.zeros(max(classes, 1)),
    )
