"""Local solves: one column of Q^-1, as far as a tolerance asks for it, and no further.

Q = L + ridge I + (1/mu on the labelled nodes) is diagonally dominant, so a residual can be pushed
from node to node until little is left of it anywhere. Labelled nodes screen what lies behind
them: the more is known, the less a solve touches.

| recipe | here | meaning |
|---|---|---|
| Q_jj | `nodes[j].q` | weighted degree + ridge, + 1/mu once j is labelled |
| x | `nodes[j].x` | the column of Q^-1 so far, from below |
| r | `nodes[j].r` | what is still to be pushed: e_t = Q x + r, exactly |
| tol | `tolerance` | no r_j is left above tolerance Q_jj, with heavy edges counted as in `width_of` |

Everything stays non-negative, and x only ever grows; on a signed graph x and r have both signs (`signs.py`).

Pushing costs about 1 / (ridge tolerance) at worst. Once it has cost as much as a global solve would, conjugate
gradients take over from where it stands; then e_t = Q x + r still holds, but r has both signs. Every loop that
can run long lets Ctrl-C through.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline.compiled import Stopped, all_bits_if_above, internal, prefetch
from ohmline.learn.local_lgc.adjacency import Adjacency, width_of
from ohmline.learn.local_lgc.global_solve import solve_globally
from ohmline.learn.local_lgc.nodes import LINE, NODE, QUEUED, SEEN, lift_mark, put_mark
from ohmline.learn.local_lgc.scratch import BREATH, LocalSolve, leave, listen

COARSEST = 1e-2
"""The tolerance of a solve's first round."""
FINEST = 1e-15
"""Below this share of Q_jj what is left is rounding."""
FINER = 1 / 3
"""Each further round divides the tolerance by three."""
WORK = 64
"""A local solve may walk every edge this many times before a global one takes over: about what that costs."""


MOST_EDGES = 3000
"""A solve that predicts walks so many edges at most, beside those of the node itself."""
MOST_LEARNED = 400_000
"""A solve that learns may walk more of them: so many divided by the labels there are. What the first labels leave out,
later predictions do not hear of."""
NODE_BYTES = NODE.itemsize
CLOSE = 1 << 20
"""Records of all nodes that take no more bytes than this are near the processor anyway."""
SOON = 16
"""The records of so many neighbours of a node are sent for one turn before its own, the others when it has come."""
UNLIMITED = 1 << 62
"""More edges than any solve walks."""
SETTLED, GLOBAL, CUT_SHORT = 0, 1, 2
"""How a round ends: the tolerance is met; a global solve took over, which leaves less; no more edges may be walked."""


@internal
def push(adjacency: Adjacency, nodes: Any, solve: LocalSolve, tolerance: float, most: int, limit: Any) -> int:
    """Push, first in first out, until no r_j exceeds tolerance `width_of` j.

    `SETTLED` then; `GLOBAL` after more than `most` edges; `CUT_SHORT` where a node with so many edges was left out that
    the solve would have walked more than `limit` of them in all.
    """
    start, stop, neighbour, weight = adjacency.start, adjacency.stop, adjacency.neighbour, adjacency.weight
    queue, touched, every = solve.queue, solve.touched, np.uint64(adjacency.every)
    capacity = queue.shape[0]
    count, edges, left = solve.found[0].touched, 0, limit - solve.found[0].edges
    head, waiting, cut = 0, 0, False
    records, starts, lists = nodes.ctypes.data, start.ctypes.data, neighbour.ctypes.data
    far = NODE_BYTES * nodes.shape[0] > CLOSE
    for a in range(count):
        j: Any = np.uint64(touched[a])
        if abs(nodes[j].r) > tolerance * width_of(adjacency, nodes, j):
            queue[waiting] = touched[a]
            put_mark(nodes, j, QUEUED)
            waiting += 1
    tail = waiting if waiting < capacity else 0
    while waiting > 0 and edges < most:
        j = np.uint64(queue[head])
        head = head + 1 if head + 1 < capacity else 0
        waiting -= 1
        lift_mark(nodes, j, QUEUED)
        first, last = start[j], stop[j]
        if far:
            # What the next three nodes need is on its way from memory while this one is pushed.
            if waiting > 2:
                prefetch(starts + 8 * queue[head + 2 if head + 2 < capacity else head + 2 - capacity], 8)
            if waiting > 1:
                prefetch(
                    lists + neighbour.itemsize * start[queue[head + 1 if head + 1 < capacity else 0]], LINE
                )
            if waiting > 0:
                near = start[queue[head]]
                for p in range(near, min(stop[queue[head]], near + SOON)):
                    prefetch(records + NODE_BYTES * neighbour[p], 8)
            for p in range(first + SOON, last):
                prefetch(records + NODE_BYTES * neighbour[p], 8)
        if edges + last - first > left:
            cut = True
            continue
        moved = nodes[j].r / nodes[j].q
        nodes[j].r = 0.0
        nodes[j].x += moved
        edges += last - first
        # Places in an array are unsigned here: Numba would ask of each other whether it counts from the end.
        for p in range(np.uint64(first), np.uint64(last)):
            far_end = neighbour[p]
            k: Any = np.uint64(far_end)
            r = nodes[k].r + moved * weight[p & every]
            nodes[k].r = r
            # No branch, because nobody can foretell it: k is written to both lists, which have a place to spare.
            mark = nodes[k].mark
            fresh = (mark & SEEN) ^ SEEN
            large = all_bits_if_above(abs(r), tolerance * width_of(adjacency, nodes, k))
            enters = ((mark & QUEUED) ^ QUEUED) & large
            nodes[k].mark = mark | SEEN | enters
            touched[np.uint64(count)] = far_end
            count += fresh
            queue[np.uint64(tail)] = far_end
            tail += enters >> 1
            waiting += enters >> 1
            if tail == capacity:
                tail = 0
    leave(queue, nodes, head, waiting)
    solve.found[0].touched = count
    solve.found[0].edges += edges
    solve.found[0].unheard += edges
    if waiting > 0:
        return GLOBAL
    return CUT_SHORT if cut else SETTLED


@internal
def lower(adjacency: Adjacency, nodes: Any, solve: LocalSolve, t: int, tolerance: float, limit: Any) -> int:
    """Bring every r_j to tolerance `width_of` j or less, if that takes at most `limit` edges; how it ended.

    Callers hand in an int64, `np.int64(UNLIMITED)` where there is no limit: a default or a literal is a type of its own
    to the compiler, which would make all of this a second time.
    """
    work = WORK * (adjacency.extent[0] + adjacency.extent[1])
    while True:
        most = min(work - solve.found[0].edges, BREATH)
        end = push(adjacency, nodes, solve, tolerance, max(most, 0), limit)
        if listen(solve):
            raise Stopped
        if end != GLOBAL:
            return end
        if solve.found[0].edges >= work:
            solve_globally(adjacency, nodes, solve, t, tolerance)
            return GLOBAL
