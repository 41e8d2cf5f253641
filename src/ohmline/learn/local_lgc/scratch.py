"""The room in which a solve works: what it has found so far, and whether somebody asks it to stop."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ohmline.arrays import AnyArray, Bools, Floats, Ints
from ohmline.compiled import internal, interrupted
from ohmline.errors import LearnerError
from ohmline.learn.local_lgc.adjacency import Adjacency

FOUND = np.dtype(
    [
        ("node", np.int64),  # at which the last solve was; -1 for none
        ("touched", np.int64),  # nodes reached
        ("edges", np.int64),  # edges walked
        ("code", np.int64),  # the prediction
        ("margin", np.float64),  # the gap of the two best classes
        ("residual", np.float64),  # ||r||_1
        ("negative", np.float64),  # the part of it where r < 0, which only a global solve leaves
        ("worths", np.int64),  # what is known of `worth`
        ("watched", np.bool_),  # a game is on whose query reads variances
        ("unheard", np.int64),  # edges walked since somebody last looked for Ctrl-C
        ("busy", np.bool_),  # in use while a signal is handled
    ]
)
"""What a solve found, by name."""

UNKNOWN, FRESH, UNFINISHED, KNOWN = 0, 1, 2, 3
"""What is known of `worth`: nothing; what follows from graph and labels alone; and, kept up from label to label by a
game that reads it, something or enough."""
BREATH = 1 << 22
"""Edges between two looks for Ctrl-C: some hundredths of a second."""


class LocalSolve(NamedTuple):
    """The last solve: no knowledge, only work that need not be done twice."""

    x: Floats
    r: Floats
    queue: Ints
    queued: Bools
    touched: Ints
    """The nodes where x or r is not zero, in the order in which they were reached."""
    seen: Bools
    base: Floats
    """b'x: the part of each class's score that is certain."""
    score: Floats
    """b'x + F'r."""
    found: AnyArray
    """One record of type `FOUND`."""
    worth: Floats
    """An estimate of g = Q^-1 u, where u is 1 at the unlabelled nodes; see `worth.py`."""
    due: Floats
    """u - Q worth, exactly."""
    owed: Floats
    """At the root of each tree of connected nodes: the sum of what is due in it."""

    @classmethod
    def empty(cls, nodes: int, classes: int) -> LocalSolve:
        found = np.zeros(1, FOUND)
        found["node"] = found["code"] = -1
        return cls(
            np.zeros(nodes),
            np.zeros(nodes),
            np.zeros(nodes, np.int64),
            np.zeros(nodes, np.bool_),
            np.zeros(nodes, np.int64),
            np.zeros(nodes, np.bool_),
            np.zeros(classes),
            np.zeros(classes),
            found,
            np.zeros(nodes),
            np.zeros(nodes),
            np.zeros(nodes),
        )

    def with_classes(self, classes: int) -> LocalSolve:
        """The same room for another number of classes."""
        found = self.found.copy()
        found["node"] = -1
        return self._replace(base=np.zeros(classes), score=np.zeros(classes), found=found)

    def forget(self) -> None:
        """What was solved no longer holds."""
        self.found["node"] = -1
        self.found["worths"] = UNKNOWN


@internal
def listen(solve: LocalSolve) -> bool:
    """Whether to stop, asked at most once in so many edges. A handler may run Python, which must not come back here."""
    found = solve.found
    if found[0].unheard < BREATH:
        return False
    found[0].unheard = 0
    found[0].busy = True
    stop = interrupted()
    found[0].busy = False
    return stop


@internal
def begin(adjacency: Adjacency, precision: Floats, solve: LocalSolve, t: int) -> None:
    """Wipe the last solve, and push the unit at t."""
    if solve.found[0].busy:
        raise LearnerError(
            "this learner is in the middle of a solve, which a signal interrupted; ask again after it"
        )
    for a in range(solve.found[0].touched):
        j = solve.touched[a]
        solve.x[j] = 0.0
        solve.r[j] = 0.0
        solve.seen[j] = False
    solve.found[0].node = -1
    solve.found[0].edges = adjacency.size[t]
    solve.touched[0] = t
    solve.seen[t] = True
    solve.x[t] = 1 / precision[t]
    count = 1
    for p in range(adjacency.start[t], adjacency.start[t] + adjacency.size[t]):
        k = adjacency.neighbour[p]
        solve.r[k] = adjacency.weight[p] / precision[t]
        solve.seen[k] = True
        solve.touched[count] = k
        count += 1
    solve.found[0].touched = count


@internal
def leave(queue: Ints, queued: Bools, head: int, waiting: int) -> None:
    """Nobody waits in the queue any more."""
    for k in range(waiting):
        queued[queue[(head + k) % queue.shape[0]]] = False
