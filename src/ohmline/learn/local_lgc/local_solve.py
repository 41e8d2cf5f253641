"""Local solves: one column of Q^-1, as far as a tolerance asks for it, and no further.

Q = L + ridge I + (1/mu on the labelled nodes) is diagonally dominant, so a residual can be pushed
from node to node until little is left of it anywhere. Labelled nodes screen what lies behind
them: the more is known, the less a solve touches.

| recipe | here | meaning |
|---|---|---|
| Q_jj | `precision[j]` | weighted degree + ridge, + 1/mu once j is labelled |
| x | `LocalSolve.x` | the column of Q^-1 so far, from below |
| r | `LocalSolve.r` | what is still to be pushed: e_t = Q x + r, exactly |
| tol | `tolerance` | no r_j is left above tolerance Q_jj, with heavy edges counted as in `size_of` |

Everything stays non-negative, and x only ever grows.

Pushing costs about 1 / (ridge tolerance) at worst. Once it has cost as much as a global solve would, conjugate
gradients take over from where it stands; then e_t = Q x + r still holds, but r has both signs. Every loop that
can run long lets Ctrl-C through.
"""

from __future__ import annotations

from ohmline.arrays import Floats
from ohmline.compiled import Stopped, internal
from ohmline.learn.local_lgc.adjacency import Adjacency, size_of
from ohmline.learn.local_lgc.global_solve import solve_globally
from ohmline.learn.local_lgc.scratch import BREATH, LocalSolve, leave, listen

COARSEST = 1e-2
"""The tolerance of a solve's first round."""
FINEST = 1e-15
"""Below this share of Q_jj what is left is rounding."""
FINER = 1 / 3
"""Each further round divides the tolerance by three."""
WORK = 64
"""A local solve may walk every edge this many times before a global one takes over: about what that costs."""


@internal
def push(adjacency: Adjacency, precision: Floats, solve: LocalSolve, tolerance: float, most: int) -> bool:
    """Push, first in first out, until no r_j exceeds tolerance `size_of` j; False after more than `most` edges."""
    start, size, neighbour, weight = adjacency.start, adjacency.size, adjacency.neighbour, adjacency.weight
    x, r, queue, queued = solve.x, solve.r, solve.queue, solve.queued
    touched, seen = solve.touched, solve.seen
    capacity = queue.shape[0]
    count, edges = solve.found[0].touched, 0
    head, waiting = 0, 0
    for a in range(count):
        j = touched[a]
        if r[j] > tolerance * size_of(adjacency, precision, j):
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
            if not queued[k] and r[k] > tolerance * size_of(adjacency, precision, k):
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
def lower(adjacency: Adjacency, precision: Floats, solve: LocalSolve, t: int, tolerance: float) -> bool:
    """Bring every r_j to tolerance `size_of` j or less; True where that took a global solve, which leaves less."""
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
