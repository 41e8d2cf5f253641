"""Local solves: one column of Q^-1, as far as a tolerance asks for it, and no further.

Q = L + ridge I + (1/mu on the labelled nodes) is diagonally dominant, so a residual can be pushed
from node to node until little is left of it anywhere. Labelled nodes screen what lies behind
them: the more is known, the less a solve touches.

| recipe | here | meaning |
|---|---|---|
| Q_jj | `precision[j]` | weighted degree + ridge, + 1/mu once j is labelled |
| x | `LocalSolve.x` | the column of Q^-1 so far, from below |
| r | `LocalSolve.r` | what is still to be pushed: e_t = Q x + r, exactly |
| tol | `tolerance` | no r_j is left above tolerance Q_jj |

Everything stays non-negative, and x only ever grows.

Pushing costs about 1 / (ridge tolerance) at worst. Once it has cost as much as a global solve would, conjugate
gradients take over from where it stands; then e_t = Q x + r still holds, but r has both signs. Every loop that
can run long lets Ctrl-C through.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ohmline.arrays import AnyArray, Bools, Floats, Ints
from ohmline.compiled import Stopped, compiled, internal, interrupted
from ohmline.errors import LearnerError


class Adjacency(NamedTuple):
    """Growing adjacency lists with room to spare, and the numbers that a solve needs."""

    start: Ints
    """Where the list of node i begins in the pool."""
    size: Ints
    """How many neighbours it has."""
    room: Ints
    """How many fit before the list has to move."""
    neighbour: Ints
    weight: Floats
    """In units of the mean weight, so that ridge and mu suit every graph."""
    ridge: float
    mu: float
    tolerance: float
    """Where a solve ends at the latest."""
    caution: float
    """A solve ends once the gap exceeds this many times the residual; infinity: never before."""
    guess: bool
    """Whether the most frequent class is said where no label reaches."""
    reach: bool
    """Whether a query is told the variance that a label removes elsewhere, or the node's own."""
    parent: Ints
    """Trees of the nodes that are connected: a node nearer to the root, or minus the size of the tree at its root."""
    extent: Ints
    """How large the graph is: its nodes, and twice its edges."""


FOUND = np.dtype(
    [
        ("node", np.int64),  # at which the last solve was; -1 for none
        ("touched", np.int64),  # nodes reached
        ("edges", np.int64),  # edges walked
        ("code", np.int64),  # the prediction
        ("margin", np.float64),  # the gap of the two best classes
        ("variance", np.float64),  # what a query is told
        ("residual", np.float64),  # ||r||_1
        ("negative", np.float64),  # the part of it where r < 0, which only a global solve leaves
        ("unheard", np.int64),  # edges walked since somebody last looked for Ctrl-C
        ("busy", np.bool_),  # in use while a signal is handled
    ]
)
"""What a solve found, by name."""


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
        )

    def forget(self) -> None:
        """What was solved no longer holds."""
        self.found["node"] = -1


COARSEST = 1e-2
"""The tolerance of a solve's first round."""
FINEST = 1e-15
"""Below this share of Q_jj what is left is rounding."""
FINER = 1 / 3
"""Each further round divides the tolerance by three."""
WORK = 64
"""A local solve may walk every edge this many times before a global one takes over: about what that costs."""
BREATH = 1 << 22
"""Edges between two looks for Ctrl-C: some hundredths of a second."""
SMALL = 1e-3
"""What a global solve leaves of ||r||_1, times the ridge where that is below 1."""


@internal
def root(adjacency: Adjacency, j: int) -> int:
    """The node that stands for all that are connected with j."""
    while adjacency.parent[j] >= 0:
        j = adjacency.parent[j]
    return j


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
def diagonal(adjacency: Adjacency, i: int) -> float:
    """Weighted degree + ridge, summed in the order of the list: the same bits however it came about."""
    total = adjacency.ridge
    for p in range(adjacency.start[i], adjacency.start[i] + adjacency.size[i]):
        total += adjacency.weight[p]
    return total


@compiled
def diagonals(adjacency: Adjacency, label: Ints, precision: Floats, where: Ints) -> None:
    """These Q_jj afresh."""
    for j in where:
        precision[j] = diagonal(adjacency, j) + (1 / adjacency.mu if label[j] >= 0 else 0.0)


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
def push(adjacency: Adjacency, precision: Floats, solve: LocalSolve, tolerance: float, most: int) -> bool:
    """Push, first in first out, until no r_j exceeds tolerance Q_jj; False where that takes more than `most` edges."""
    start, size, neighbour, weight = adjacency.start, adjacency.size, adjacency.neighbour, adjacency.weight
    x, r, queue, queued = solve.x, solve.r, solve.queue, solve.queued
    touched, seen = solve.touched, solve.seen
    capacity = queue.shape[0]
    count, edges = solve.found[0].touched, 0
    head, waiting = 0, 0
    for a in range(count):
        j = touched[a]
        if r[j] > tolerance * precision[j]:
            queue[waiting] = j
            queued[j] = True
            waiting += 1
    tail = waiting if waiting < capacity else 0
    while waiting > 0 and edges < most:
        j = queue[head]
        head = head + 1 if head + 1 < capacity else 0
        waiting -= 1
        queued[j] = False
        moved = r[j] / precision[j]
        r[j] = 0.0
        x[j] += moved
        edges += size[j]
        for p in range(start[j], start[j] + size[j]):
            k = neighbour[p]
            r[k] += moved * weight[p]
            if not seen[k]:
                seen[k] = True
                touched[count] = k
                count += 1
            if not queued[k] and r[k] > tolerance * precision[k]:
                queued[k] = True
                queue[tail] = k
                tail = tail + 1 if tail + 1 < capacity else 0
                waiting += 1
    leave(queue, queued, head, waiting)
    solve.found[0].touched = count
    solve.found[0].edges += edges
    solve.found[0].unheard += edges
    return waiting == 0


@internal
def leave(queue: Ints, queued: Bools, head: int, waiting: int) -> None:
    """Nobody waits in the queue any more."""
    for k in range(waiting):
        queued[queue[(head + k) % queue.shape[0]]] = False


@internal
def lower(adjacency: Adjacency, precision: Floats, solve: LocalSolve, t: int, tolerance: float) -> bool:
    """Bring every r_j to tolerance Q_jj or below; True where that took a global solve, which leaves less still."""
    limit = WORK * (adjacency.extent[0] + adjacency.extent[1])
    while True:
        most = min(limit - solve.found[0].edges, BREATH)
        done = push(adjacency, precision, solve, tolerance, max(most, 0))
        if listen(solve):
            raise Stopped
        if done:
            return False
        if solve.found[0].edges >= limit:
            solve_globally(adjacency, precision, solve, t, tolerance)
            return True


@internal
def reach_all(adjacency: Adjacency, solve: LocalSolve) -> None:
    """Everything that is connected with the nodes touched so far is touched too."""
    count, a = solve.found[0].touched, 0
    while a < count:
        j = solve.touched[a]
        for p in range(adjacency.start[j], adjacency.start[j] + adjacency.size[j]):
            k = adjacency.neighbour[p]
            if not solve.seen[k]:
                solve.seen[k] = True
                solve.touched[count] = k
                count += 1
        a += 1
    solve.found[0].touched = count


@internal
def times(adjacency: Adjacency, precision: Floats, values: Floats, j: int) -> float:
    """(Q values)_j."""
    total = precision[j] * values[j]
    for p in range(adjacency.start[j], adjacency.start[j] + adjacency.size[j]):
        total -= adjacency.weight[p] * values[adjacency.neighbour[p]]
    return total


@internal
def solve_globally(
    adjacency: Adjacency, precision: Floats, solve: LocalSolve, t: int, tolerance: float
) -> None:
    """Go on with conjugate gradients, over all that is connected with t."""
    reach_all(adjacency, solve)
    where, found = solve.touched[: solve.found[0].touched], solve.found
    x, r = solve.x, solve.r
    enough = SMALL * min(1.0, adjacency.ridge)
    before = np.inf
    while True:
        if conjugate_gradients(adjacency, precision, solve, where, x, r, tolerance, enough):
            raise Stopped
        left, worst = 0.0, 0.0
        for j in where:
            x[j] = max(x[j], 0.0)
        for j in where:  # what is left in truth, not what rounding made of it
            r[j] = (1.0 if j == t else 0.0) - times(adjacency, precision, x, j)
            left += abs(r[j])
            worst = max(worst, abs(r[j]) / precision[j])
        found[0].edges += adjacency.extent[1]
        if (worst <= tolerance and left <= enough) or left > before / 2:
            break
        before = left


@internal
def conjugate_gradients(
    adjacency: Adjacency,
    precision: Floats,
    solve: LocalSolve,
    where: Ints,
    x: Floats,
    r: Floats,
    tolerance: float,
    enough: float,
) -> bool:
    """Solve for x on the nodes `where`, down to |r_j| <= tolerance Q_jj and ||r||_1 <= enough; True for Ctrl-C.

    The preconditioner is the diagonal.
    """
    found = solve.found
    along, image = np.zeros(x.shape[0]), np.zeros(x.shape[0])
    power = 0.0
    for j in where:
        along[j] = r[j] / precision[j]
        power += r[j] * along[j]
    for _ in range(2 * where.shape[0] + 50):
        bend, volume = 0.0, where.shape[0]
        for j in where:
            image[j] = times(adjacency, precision, along, j)
            bend += along[j] * image[j]
            volume += adjacency.size[j]
        found[0].edges += volume
        found[0].unheard += volume
        if listen(solve):
            return True
        if not bend > 0 or not power > 0:  # nothing is left, or so little that its square is 0
            break
        step = power / bend
        left, worst, next_power = 0.0, 0.0, 0.0
        for j in where:
            x[j] += step * along[j]
            r[j] -= step * image[j]
            left += abs(r[j])
            share = r[j] / precision[j]
            worst = max(worst, abs(share))
            next_power += r[j] * share
        if (worst <= tolerance and left <= enough) or not next_power > 0:
            break
        for j in where:
            along[j] = r[j] / precision[j] + next_power / power * along[j]
        power = next_power
    return False


@internal
def connect(adjacency: Adjacency, u: int, v: int, weight: float, used: int) -> int:
    """Append v to u's list, which moves to the end of the pool when it is full; the pool's new end.

    The caller has made sure that the pool has room for a list twice as long.
    """
    if adjacency.size[u] == adjacency.room[u]:
        length = adjacency.size[u]
        for k in range(length):
            adjacency.neighbour[used + k] = adjacency.neighbour[adjacency.start[u] + k]
            adjacency.weight[used + k] = adjacency.weight[adjacency.start[u] + k]
        adjacency.start[u] = used
        adjacency.room[u] = 2 * length + 2
        used += adjacency.room[u]
    p = adjacency.start[u] + adjacency.size[u]
    adjacency.neighbour[p] = v
    adjacency.weight[p] = weight
    adjacency.size[u] += 1
    return used


@internal
def join(adjacency: Adjacency, labelled: Ints, u: int, v: int) -> None:
    """u and v are connected from now on; the smaller tree hangs under the larger."""
    one, other = root(adjacency, u), root(adjacency, v)
    adjacency.extent[1] += 2
    if one != other:
        if adjacency.parent[one] > adjacency.parent[other]:
            one, other = other, one
        adjacency.parent[one] += adjacency.parent[other]
        adjacency.parent[other] = one
        labelled[one] += labelled[other]
        labelled[other] = 0


@compiled
def attach(adjacency: Adjacency, state: Any, i: int, j: int, weight: float, used: int) -> int:
    """Join i and j, whole or not at all for anybody who reads; the pool's new end."""
    used = connect(adjacency, i, j, weight, used)
    used = connect(adjacency, j, i, weight, used)
    join(adjacency, state.labelled, i, j)
    for k in (i, j):
        state.precision[k] = diagonal(adjacency, k) + (1 / adjacency.mu if state.label[k] >= 0 else 0.0)
        state.stale[k] = True
    state.solve.found[0].node = -1
    return used


@compiled
def count_labels(adjacency: Adjacency, label: Ints, labelled: Ints) -> None:
    """How many nodes of each tree have a label, at its root."""
    labelled[:] = 0
    for j in range(label.shape[0]):
        if label[j] >= 0:
            labelled[root(adjacency, j)] += 1


@internal
def demand(adjacency: Adjacency, label: Ints, estimate: Floats, j: int, row: Floats) -> None:
    """What Q_jj F_j should be, given the neighbours: b_j + sum w_jk F_k."""
    row[:] = 0.0
    if label[j] >= 0:
        row[label[j]] = 1 / adjacency.mu
    for p in range(adjacency.start[j], adjacency.start[j] + adjacency.size[j]):
        k = adjacency.neighbour[p]
        for c in range(row.shape[0]):
            row[c] += adjacency.weight[p] * estimate[k, c]
