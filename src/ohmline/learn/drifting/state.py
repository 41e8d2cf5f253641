"""What the drifting learner reads, and what it knows.

An expert is a way to forget: how much the label of a node counts now, its precision. Each has an estimate F of its own.
A head is an opinion made from an expert, or from a committee of specialists: a score for each class.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.checks import room
from ohmline.learn.classes import places_of
from ohmline.learn.cluster_specialists.state import SpecialistState, Spines
from ohmline.learn.tracking import Followed

STATIC, FADING, DOUBT, STEADY = 0, 1, 2, 3
EXPERTS = 4
OWN = np.array([1.0, 8.0])
"""How many times the node's own last label counts at itself, for the heads of an expert."""
HEADS = EXPERTS * len(OWN) + 2
"""Two heads of each expert, and one of each committee."""


class DriftSpace(NamedTuple):
    """The graph, and the options."""

    start: AnyArray
    """Where the list of each node begins, and where the last one ends."""
    neighbour: AnyArray
    weight: Floats
    """In units of the mean weight; one number where all weigh one unit."""
    every: int
    """-1 where each entry has a weight of its own, 0 where all have the same: `p & every` is its place."""
    degree: Floats
    """The weighted degree of each node."""
    mean_degree: float
    ridge: float
    mu: float
    memory: float
    """How long it takes a label to fade to 1 / e of what it was."""
    slow: Spines
    fast: Spines


class Solves(NamedTuple):
    """The local solves at one node, one row for each expert: work space."""

    node: Ints
    """At which node; -1 for none."""
    x: Floats
    r: Floats
    precision: Floats
    """Of the label of each node that was touched."""
    touched: Ints
    found: Ints
    """How many nodes each solve touched."""
    queue: Ints
    mark: AnyArray
    """Bits of each node: seen by this solve, and waiting in its queue."""
    score: Floats
    """[head, class]."""
    chance: Floats
    """[head, class]: the score made a probability."""
    mean: Floats
    """The weighted mean of the heads' probabilities."""
    silent: Ints
    """1 where no head knows anything."""

    def forgotten(self) -> Solves:
        """The same room, with nothing solved."""
        return solves_of(self.x.shape[1], self.score.shape[1])


class DriftState(NamedTuple):
    """What the learner knows; the committees are snapshot apart, and `solves` not at all."""

    estimate: Floats
    """F: [expert, node, class]."""
    faded: Floats
    """The time as of which each row of the fading expert's F is written."""
    label: Ints
    """The last class at each node, -1 for none."""
    told: Floats
    """When it was learned."""
    confidence: Floats
    """How much of it has not been doubted."""
    held: Ints
    """The class that the steady expert holds each node to have, -1 for none."""
    strength: Ints
    """How firmly: 0 where it is contested."""
    counts: Ints
    """How many labels of each class were learned, repeated ones too."""
    order: Ints
    """The classes in the order in which they were first learned, then -1."""
    sharp: Floats
    """The power of each head."""
    slopes: Floats
    """The sum of its squared slopes."""
    clock: Floats
    """What time it is."""
    timed: Ints
    """1 once times were given: then a label does not move the clock."""
    unscored: Ints
    """How many labels were the first of their class, or came where no head knew anything."""
    wrong: Ints
    """How many labels were predicted wrongly."""
    mistaken: Ints
    """How many each head predicted wrongly."""
    followed: Followed
    slow: SpecialistState
    fast: SpecialistState
    solves: Solves

    @classmethod
    def fresh(cls, space: DriftSpace, classes: int) -> DriftState:
        """Before any label."""
        n = len(space.degree)
        room_for(n, classes)
        return cls(
            np.zeros((EXPERTS, n, classes)),
            np.zeros(n),
            np.full(n, -1),
            np.zeros(n),
            np.ones(n),
            np.full(n, -1),
            np.zeros(n, np.int64),
            np.zeros(classes, np.int64),
            np.full(classes, -1),
            np.ones(HEADS),
            np.ones(HEADS),
            np.zeros(1),
            np.zeros(1, np.int64),
            np.zeros(1, np.int64),
            np.zeros(1, np.int64),
            np.zeros(HEADS, np.int64),
            Followed.fresh(HEADS),
            SpecialistState.fresh(space.slow, classes),
            SpecialistState.fresh(space.fast, classes),
            solves_of(n, classes),
        )

    def resized(self, keep: Ints, fresh: int) -> DriftState:
        """With what it holds of the classes at `keep`, and room for `fresh` more: twice as many as now, at least."""
        experts, n, held = self.estimate.shape
        need = len(keep) + fresh
        if fresh and need <= held and np.array_equal(keep, np.arange(len(keep))):
            return self
        columns = max(need, 2 * held) if fresh else need
        room_for(n, columns)
        estimate = np.zeros((experts, n, columns))
        estimate[:, :, : len(keep)] = self.estimate[:, :, keep]
        counts, order = np.zeros(columns, np.int64), np.full(columns, -1)
        counts[: len(keep)] = self.counts[keep]
        order[: len(keep)] = self.order[: len(keep)]
        more = columns - len(keep)
        return self._replace(
            estimate=estimate,
            counts=counts,
            order=order,
            slow=self.slow.resized(keep, more),
            fast=self.fast.resized(keep, more),
            solves=solves_of(n, columns),
        )

    def renumbered(self, known: Ints) -> DriftState:
        """With the classes `known` alone, in that order."""
        place = places_of(known, len(self.order))
        slow, fast = self.slow.renumbered(known), self.fast.renumbered(known)
        smaller = self.resized(known, 0)
        return smaller._replace(
            label=place[self.label], held=place[self.held], order=np.arange(len(known)), slow=slow, fast=fast
        )


def solves_of(n: int, classes: int) -> Solves:
    """In which nothing was solved."""
    heads = (HEADS, max(classes, 1))
    return Solves(
        np.full(1, -1),
        np.zeros((EXPERTS, n)),
        np.zeros((EXPERTS, n)),
        np.zeros((EXPERTS, n)),
        np.zeros((EXPERTS, n), np.int64),
        np.zeros(EXPERTS, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n, np.uint8),
        np.zeros(heads),
        np.zeros(heads),
        np.zeros(heads[1]),
        np.zeros(1, np.int64),
    )


def room_for(nodes: int, classes: int) -> None:
    """Refuse a learner that would not fit."""
    room(
        float(nodes) * (200 + 8 * EXPERTS * classes),
        f"DriftingLGC over {nodes} nodes and {classes} classes",
    )
