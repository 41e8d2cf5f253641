"""Which part of what a label would say is about nodes that are still to come, and still undecided."""

from __future__ import annotations

from typing import Any

from ohmline.arrays import Bools
from ohmline.compiled import generic, internal
from ohmline.learn.local_lgc.adjacency import Adjacency
from ohmline.learn.local_lgc.state import LocalState

LITTLE = 0.03
"""What every class is worth before any label, on the scale from 0 to 1: what is hardly heard of yet is undecided."""


@internal
def part_to_come(adjacency: Adjacency, state: LocalState, t: int, shown: Bools, again: float) -> float:
    """The part that undecided nodes to come have in the sum of |x_j| + |r_j| / Q_jj over the other unlabelled nodes.

    A label at t moves the value of j in proportion to x_j. The solve at t went far enough to predict, and one push
    more tells how it would have gone on. Where there are no other unlabelled nodes it is 0.
    """
    nodes, solve = state.nodes, state.solve
    every, coming = 0.0, 0.0
    for a in range(solve.found[0].touched):
        j = solve.touched[a]
        if j != t and nodes[j].label < 0:
            moved = abs(nodes[j].x) + abs(nodes[j].r) / nodes[j].q
            every += moved
            coming += moved * undecided(state, j) * (again if shown[j] else 1.0)
    return coming / every if every > 0.0 else 0.0


@internal
def undecided(state: LocalState, j: int) -> float:
    """Second best over best of the estimate at j, with `LITTLE` added to both: 1 where nothing is known."""
    first, second = two_best(state.estimate, j)
    return (second + LITTLE) / (first + LITTLE)


def _two_best(estimate: Any, j: Any) -> Any:
    first, second = 0.0, 0.0
    for c in range(estimate.shape[1]):
        value = estimate[j, c]
        if value > first:
            first, second = value, first
        elif value > second:
            second = value
    return first, second


@generic("estimate", default=_two_best)
def two_best(estimate: Any, j: Any) -> tuple[float, float]:
    """The two largest values of the estimate at j, neither below 0."""
    raise TypeError("compiled code only")
