"""What `LocalManifold` keeps: a summary of the stream, and room for the work of one trial."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ohmline.arrays import AnyArray, Bools, Floats, Ints
from ohmline.checks import room
from ohmline.learn.snapshots import State

LISTED = 7
"""Neighbours listed for each node: the distance to the last of them is the node's scale."""
EDGES = 4
"""The first of them, which are joined to the node in the graph."""
NEAREST = 50
"""Nodes that a prediction reads."""
LANES = 4
"""Classes that are summed at a time."""


class Settings(NamedTuple):
    """The options of a learner, as compiled code reads them."""

    growth: float
    """How much more each point weighs than the one before it: 1 where nothing is forgotten."""
    label_weight: float
    """c, what a label weighs against the neighbours of its node; 0 takes points / labels of the stream so far."""
    recent_growth: float
    """`growth` of the summary that forgets, where there are two."""


class Tally(NamedTuple):
    """What is counted, one number each."""

    size: Ints
    """Nodes in use."""
    seen: Ints
    """Classes that had a label."""
    trials: Ints
    """Points seen."""
    labelled: Ints
    """Labels seen."""
    points: Floats
    """T: the points, each with the weight that it came with."""
    labels: Floats
    """l: the labels, likewise."""
    error: Floats
    """eps: how often predictions were wrong of late."""
    unit: Floats
    """What a newcomer weighs."""
    sharpness: Floats
    """The power that turns shares into probabilities, and the sum of the squared slopes of its fit."""


class Work(NamedTuple):
    """What one trial computes on the way: nothing in it outlives the trial."""

    sqdist: Floats
    """From x to the nodes."""
    near: Ints
    near_sq: Floats
    """The nodes that predict, and their squared distances to x."""
    far: Floats
    """Squared distances, of which exponentials are taken: in place they would take seven times as long."""
    gram: Floats
    """K + ridge I among them, the rows of its upper half one after the other."""
    weight: Floats
    """(K + ridge I)^-1 k_x."""
    score: Floats
    """f(x), a number for each class that was seen."""
    balanced: Floats
    """f(x) times the balance of the classes: what predicts."""
    sums: Floats
    """A number for each class."""
    edge: Floats
    """S_ij m_j, `EDGES` for each node i."""
    start: Ints
    source: Ints
    incoming: Floats
    """The edges that end at each node and have none in the other direction: where those of a node begin, where each
    comes from, S_ij m_j."""
    touched: Ints
    is_touched: Bools
    """Nodes whose distances, mass, label or class changed in this trial."""


class Summary(NamedTuple):
    """The nodes that stand for the stream, in `size` slots, and what follows from them.

    Columns belong to classes in the order in which they were first learned.
    """

    centre: Floats
    """z, (slots, features)."""
    sqdist: Floats
    """Squared distances between the nodes."""
    mass: Floats
    """m: the points that a node stands for."""
    label: Ints
    """The column of a node's class, -1 where it has no label. All labels that met in a node are of one class."""
    held: Floats
    """How much of a label there is: the labels that met in the node, each with the weight that it came with."""
    soft: Floats
    """F, (slots, classes), with columns of zeros up to a multiple of `LANES`."""
    order: Ints
    """The code of the class of each column; -1 where there is none yet."""
    counts: Floats
    """The labels of each class, with their weights."""
    tally: Tally
    near: Ints
    near_sq: Floats
    """The `LISTED` nearest of each node, nearest first, and their squared distances."""
    partner: Ints
    cost: Floats
    """The cheapest node to merge with, of the same class and of another one, and Ward's costs."""
    cls: Ints
    """The column of a node's class: of its label, else of its largest F; -1 where no label reaches."""
    whole: Floats
    """sum F of each node: 0 where no label reaches."""
    balance: Floats
    """What f is multiplied by, class by class, before the largest wins."""
    work: Work

    @property
    def leader(self) -> Summary:
        """The one that predicts, where there may be two."""
        return self

    @classmethod
    def empty(cls, size: int, dimension: int, classes: int) -> Summary:
        """Room for `size` nodes."""
        expect_room(size, dimension, classes)
        read, columns = min(NEAREST, size), padded(classes)
        work = Work(
            np.zeros(size),
            np.zeros(read, np.int64),
            np.zeros(read),
            np.zeros(max(read * (read + 1) // 2, size * EDGES)),
            np.zeros(read * (read + 1) // 2),
            np.zeros(read),
            np.zeros(columns),
            np.zeros(columns),
            np.zeros(columns),
            np.zeros(size * EDGES),
            np.zeros(size + 1, np.int64),
            np.zeros(size * EDGES, np.int64),
            np.zeros(size * EDGES),
            np.zeros(size, np.int64),
            np.zeros(size, np.bool_),
        )
        tally = Tally(
            np.zeros(1, np.int64),
            np.zeros(1, np.int64),
            np.zeros(1, np.int64),
            np.zeros(1, np.int64),
            np.zeros(1),
            np.zeros(1),
            np.full(1, 0.5),
            np.ones(1),
            np.array([1.0, 0.0]),
        )
        return cls(
            np.zeros((size, dimension)),
            np.zeros((size, size)),
            np.zeros(size),
            np.full(size, -1),
            np.zeros(size),
            np.zeros((size, columns)),
            np.full(classes, -1),
            np.zeros(classes),
            tally,
            np.full((size, LISTED), -1),
            np.full((size, LISTED), np.inf),
            np.full((size, 2), -1),
            np.full((size, 2), np.inf),
            np.full(size, -1),
            np.zeros(size),
            np.ones(classes),
            work,
        )

    def with_classes(self, order: Ints) -> Summary:
        """The same summary with these codes at its columns; columns beyond the present ones are empty."""
        slots, dimension = self.centre.shape
        expect_room(slots, dimension, len(order))
        known = min(len(self.order), len(order))
        columns = padded(len(order))
        soft, score, balanced, sums = np.zeros((slots, columns)), *np.zeros((3, columns))
        soft[:, :known] = self.soft[:, :known]
        counts, balance = np.zeros(len(order)), np.ones(len(order))
        counts[:known], balance[:known] = self.counts[:known], self.balance[:known]
        return self._replace(
            soft=soft,
            order=order,
            counts=counts,
            balance=balance,
            work=self.work._replace(score=score, balanced=balanced, sums=sums),
        )

    def arrays(self) -> State:
        """What cannot be computed from the rest, for a snapshot."""
        n = int(self.tally.size[0])
        found: dict[str, AnyArray] = {
            "centre": self.centre[:n],
            "sqdist": self.sqdist[:n, :n],
            "mass": self.mass[:n],
            "label": self.label[:n],
            "held": self.held[:n],
            "soft": self.soft[:n, : len(self.order)],
            "order": self.order,
            "counts": self.counts,
            **{f"tally.{name}": value for name, value in self.tally._asdict().items()},
        }
        return {name: array.copy() for name, array in found.items()}


def padded(classes: int) -> int:
    """The columns for so many classes."""
    return -(-classes // LANES) * LANES


def expect_room(size: int, dimension: int, classes: int) -> None:
    """Refuse a summary that would take more memory than the machine should give."""
    bytes_needed = 8.0 * size * (size + dimension + classes + 2 * LISTED + 4 * EDGES + 12)
    room(bytes_needed, f"a summary of {size} nodes with {dimension} features and {classes} classes")
