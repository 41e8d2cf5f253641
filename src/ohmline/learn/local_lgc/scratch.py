"""The room in which a solve works: what it has found so far, and whether somebody asks it to stop."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ohmline.arrays import AnyArray, Floats
from ohmline.compiled import internal, interrupted
from ohmline.errors import LearnerError
from ohmline.learn.local_lgc.adjacency import Adjacency
from ohmline.learn.local_lgc.nodes import QUEUED, SEEN, lift_mark, put_mark

FOUND = np.dtype(
    [
        ("node", np.int64),  # at which the last solve was; -1 for none
        ("touched", np.int64),  # nodes reached
        ("edges", np.int64),  # edges walked
        ("cut", np.float64),  # the tolerance at which it was cut short; 0 where it was not
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
    """The last solve: no knowledge, only work that need not be done twice. Its x and r are in the nodes' records."""

    queue: AnyArray
    """Nodes that wait, in a ring; like `touched` it has a place to spare, which may be written to at any time."""
    touched: AnyArray
    """The nodes where x or r is not zero, in the order in which they were reached."""
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
        place = np.int32 if nodes < 2**31 else np.int64
        return cls(
            np.zeros(nodes + 1, place),
            np.zeros(nodes + 1, place),
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
def begin(adjacency: Adjacency, nodes: Any, solve: LocalSolve, t: int) -> None:
    """Wipe the last solve, and push the unit at t."""
    if solve.found[0].busy:
        raise LearnerError(
            "this learner is in the middle of a solve, which a signal interrupted; ask again after it"
        )
    for a in range(solve.found[0].touched):
        j: Any = np.uint64(solve.touched[a])
        nodes[j].x = 0.0
        nodes[j].r = 0.0
        lift_mark(nodes, j, SEEN)
    first, last, q = adjacency.start[t], adjacency.stop[t], nodes[t].q
    solve.found[0].node = -1
    solve.found[0].edges = last - first
    solve.touched[0] = t
    put_mark(nodes, t, SEEN)
    nodes[t].x = 1 / q
    count = 1
    for p in range(first, last):
        k: Any = np.uint64(adjacency.neighbour[p])
        nodes[k].r = adjacency.weight[p & adjacency.every] / q
        put_mark(nodes, k, SEEN)
        solve.touched[count] = adjacency.neighbour[p]
        count += 1
    solve.found[0].touched = count


@internal
def leave(queue: AnyArray, nodes: Any, head: int, waiting: int) -> None:
    """Nobody waits in the queue any more."""
    for k in range(waiting):
        lift_mark(nodes, queue[(head + k) % queue.shape[0]], QUEUED)
