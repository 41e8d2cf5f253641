"""The exact scores of many nodes, as somebody reads them: a table with a proven error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.checks import flag
from ohmline.device.seam import CPU, Device
from ohmline.learn.local_lgc.adjacency import Adjacency
from ohmline.learn.local_lgc.everywhere import decide_all
from ohmline.learn.local_lgc.exact import WIDE, residual_of, solved
from ohmline.learn.local_lgc.exact_device import solved_on
from ohmline.learn.local_lgc.few import every
from ohmline.learn.local_lgc.state import LocalState

LEAST = 1e-300
"""A class whose labels were all withdrawn has no mass."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class ExactScores:
    """The exact solution f = Q^-1 b at many nodes, with what is proven about its error.

    Attributes
    ----------
    nodes
        The nodes, in the order of the rows.
    classes
        The classes, in the order of the columns.
    scores
        One row for each node, one column for each class.
    error
        For each node how far each of its scores may be from the exact one at most, rounding included.
    residual
        The largest entry of b - Q f over the whole graph and all classes, computed anew from the scores.
    codes
        For each node the column of its largest score, -1 where no label reaches.
    mass
        For each class the sum of its scores, by size, over the whole graph.
    order
        The columns of the classes that have labels, in the order in which they were first learned.
    """

    nodes: Any
    classes: tuple[Any, ...]
    scores: Floats
    error: Floats
    residual: float
    codes: Ints
    mass: Floats
    order: Ints

    def predictions(self, *, levelled: bool = False) -> list[Any]:
        """The class of the largest score of each node; None where no label reaches.

        Parameters
        ----------
        levelled
            Whether the scores of each class are divided by the root of their sum (of sizes) over the whole graph. The
            exact scores hear every label of the graph, so that with few labels a large class drowns the others.
            Default False.
        """
        codes = self.codes
        if flag(levelled, "levelled") and len(self.order):
            among = self.scores[:, self.order] / np.sqrt(np.maximum(self.mass[self.order], LEAST))
            codes = np.where(codes < 0, -1, self.order[np.argmax(among, axis=1)])
        names = [*self.classes, None]
        return [names[code] for code in codes.tolist()]


def exact_at(
    adjacency: Adjacency,
    state: LocalState,
    nodes: Any,
    classes: tuple[Any, ...],
    places: Ints,
    device: Device = CPU,
) -> ExactScores:
    """Solve for all classes together, and keep the rows of some places."""
    n, wide = int(adjacency.extent[0]), len(classes)
    start = every(state.estimate, n, wide)
    scores, error = (
        solved_on(device, adjacency, state, start) if device.is_gpu else solved(adjacency, state, start)
    )
    codes = np.empty(len(places), np.int64)
    decide_all(adjacency._replace(guess=False), state, scores, places, codes, np.empty(len(places)))
    mass = np.abs(scores).sum(axis=0)
    left = residual_in(adjacency, state, scores)
    learned = state.order[state.order >= 0]
    order = learned[state.counts[learned] > 0]
    return ExactScores(nodes, classes, scores[places], error[places], left, codes, mass, order)


def residual_in(adjacency: Adjacency, state: LocalState, scores: Floats) -> float:
    """The largest entry of b - Q F, block by block."""
    n, wide = scores.shape
    block, residual, largest = np.empty((n, WIDE)), np.empty((n, WIDE)), 0.0
    for first in range(0, wide, WIDE):
        last = min(first + WIDE, wide)
        block[:, last - first :], block[:, : last - first] = 0.0, scores[:, first:last]
        residual_of(adjacency, state.nodes, first, last, block, residual)
        largest = max(largest, float(np.abs(residual).max(initial=0.0)))
    return largest
