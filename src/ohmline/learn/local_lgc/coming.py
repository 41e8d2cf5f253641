"""Which part of what a label would say is about nodes that are still to come."""

from __future__ import annotations

from ohmline.arrays import Bools
from ohmline.compiled import internal
from ohmline.learn.local_lgc.adjacency import Adjacency
from ohmline.learn.local_lgc.state import LocalState


@internal
def part_to_come(adjacency: Adjacency, state: LocalState, t: int, shown: Bools, again: float) -> float:
    """The part that nodes to come have in the sum of |x_j| + |r_j| / Q_jj over the other unlabelled nodes; 0 of none.

    A label at t moves the value of j in proportion to x_j. The solve at t went far enough to predict, and one push
    more tells how it would have gone on.
    """
    nodes, solve = state.nodes, state.solve
    every, coming = 0.0, 0.0
    for a in range(solve.found[0].touched):
        j = solve.touched[a]
        if j != t and nodes[j].label < 0:
            moved = abs(nodes[j].x) + abs(nodes[j].r) / nodes[j].q
            every += moved
            coming += again * moved if shown[j] else moved
    return coming / every if every > 0.0 else 0.0
