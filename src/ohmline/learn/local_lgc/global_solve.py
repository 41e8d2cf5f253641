"""Global solves, where a local one would cost more: conjugate gradients over all that is connected.

Then e_t = Q x + r still holds, but r has both signs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import Stopped, internal
from ohmline.learn.local_lgc.adjacency import Adjacency, times, width_of
from ohmline.learn.local_lgc.nodes import SEEN, marked, put_mark
from ohmline.learn.local_lgc.scratch import LocalSolve, listen

SMALL = 1e-3
"""What a global solve leaves of ||r||_1, times the ridge where that is below 1."""


@internal
def reach_all(adjacency: Adjacency, nodes: Any, solve: LocalSolve) -> None:
    """Everything that is connected with the nodes touched so far is touched too."""
    count, a = solve.found[0].touched, 0
    while a < count:
        j = solve.touched[a]
        for p in range(adjacency.start[j], adjacency.stop[j]):
            k = adjacency.neighbour[p]
            if not marked(nodes, k, SEEN):
                put_mark(nodes, k, SEEN)
                solve.touched[count] = k
                count += 1
        a += 1
    solve.found[0].touched = count


@internal
def solve_globally(adjacency: Adjacency, nodes: Any, solve: LocalSolve, t: int, tolerance: float) -> None:
    """Go on with conjugate gradients, over all that is connected with t."""
    reach_all(adjacency, nodes, solve)
    where, found = solve.touched[: solve.found[0].touched], solve.found
    x, r = np.zeros(nodes.shape[0]), np.zeros(nodes.shape[0])
    for j in where:
        x[j], r[j] = nodes[j].x, nodes[j].r
    enough = SMALL * min(1.0, adjacency.ridge)
    before = np.inf
    while True:
        if conjugate_gradients(adjacency, nodes, solve, where, x, r, tolerance, enough):
            raise Stopped
        left, worst = 0.0, 0.0
        for j in where:
            x[j] = max(x[j], adjacency.least * abs(x[j]))  # nothing below 0 without signs
        for j in where:  # what is left in truth, not what rounding made of it
            r[j] = (1.0 if j == t else 0.0) - times(adjacency, nodes, x, j)
            left += abs(r[j])
            worst = max(worst, abs(r[j]) / width_of(adjacency, nodes, j))
        found[0].edges += adjacency.extent[1]
        if (worst <= tolerance and left <= enough) or left > before / 2:
            break
        before = left
    for j in where:
        nodes[j].x, nodes[j].r = x[j], r[j]


@internal
def all_places(adjacency: Adjacency) -> Any:
    """Every node, as the list of touched nodes has them."""
    return np.arange(adjacency.extent[0]).astype(np.int32)


@internal
def conjugate_gradients(
    adjacency: Adjacency,
    nodes: Any,
    solve: LocalSolve,
    where: Ints,
    x: Floats,
    r: Floats,
    tolerance: float,
    enough: float,
) -> bool:
    """Solve for x on the nodes `where`, down to |r_j| <= tolerance `width_of` j and ||r||_1 <= enough; True for Ctrl-C.

    The preconditioner is the diagonal.
    """
    found = solve.found
    along, image = np.zeros(x.shape[0]), np.zeros(x.shape[0])
    power = 0.0
    for j in where:
        along[j] = r[j] / nodes[j].q
        power += r[j] * along[j]
    for _ in range(2 * where.shape[0] + 50):
        bend, volume = 0.0, where.shape[0]
        for j in where:
            image[j] = times(adjacency, nodes, along, j)
            bend += along[j] * image[j]
            volume += adjacency.stop[j] - adjacency.start[j]
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
            share = r[j] / nodes[j].q
            worst = max(worst, abs(r[j]) / width_of(adjacency, nodes, j))
            next_power += r[j] * share
        if (worst <= tolerance and left <= enough) or not next_power > 0:
            break
        for j in where:
            along[j] = r[j] / nodes[j].q + next_power / power * along[j]
        power = next_power
    return False
