"""What a truncated solve proves: a class that cannot change any more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ohmline.compiled import compiled, internal
from ohmline.learn.contract import TIE
from ohmline.learn.local_lgc.adjacency import Adjacency
from ohmline.learn.local_lgc.local_solve import COARSEST, FINER, GLOBAL, UNLIMITED, lower
from ohmline.learn.local_lgc.scratch import begin
from ohmline.learn.local_lgc.state import LocalState, leading, weigh

EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True)
class Certainty:
    """What a truncated solve proves about the exact solution at one node.

    Attributes
    ----------
    prediction
        The class with the best score; None for "don't know".
    certain
        Whether no further solving can change the prediction.
    lead
        Where `certain`, the exact score of the prediction exceeds that of every other class by at least this,
        which is then above 0; otherwise it is 0 or less, up to rounding, and proves nothing.
    variance
        A lower bound on (Q^-1)_tt, the variance of the node's value: x_t, or x_t / (1 + ||r-||_1) where a global
        solve left a negative part r- of the residual, or x_t / (1 + ||r||_1) on a signed graph.
    variance_at_most
        An upper bound on the same: x_t / (1 - ||r+||_1), or x_t / (1 - ||r||_1) on a signed graph; infinite when the
        residual is 1 or more.
    edges
        What the solve cost: the edges touched.
    """

    prediction: Any
    certain: bool
    lead: float
    variance: float
    variance_at_most: float
    edges: int


@internal
def foresee(adjacency: Adjacency, state: LocalState) -> float:
    """Count the push that every r_j is still due into `base`, without making it; what then is left.

    A push takes the shares of the ridge and of j's own label out of r_j; the rest goes to neighbours.
    """
    nodes, solve, left = state.nodes, state.solve, 0.0
    for a in range(solve.found[0].touched):
        j = solve.touched[a]
        share = nodes[j].r / nodes[j].q
        left += abs(nodes[j].r) - abs(share) * adjacency.ridge
        if nodes[j].label >= 0:
            solve.base[nodes[j].label] += share / adjacency.mu
            left -= abs(share) / adjacency.mu
    return left


@internal
def rounding(adjacency: Adjacency, state: LocalState, fresh: bool) -> float:
    """How far e_t = Q x + r may be off, in sum, because numbers are rounded.

    Q_jj is rounded once for each edge of j, and so is r where it was computed afresh from x, as a global solve does.
    Otherwise x_j was added to at most once for each edge that was walked.
    """
    nodes, solve, total = state.nodes, state.solve, 0.0
    steps = 2 if fresh else 2 + solve.found[0].edges
    for a in range(solve.found[0].touched):
        j = solve.touched[a]
        size = adjacency.stop[j] - adjacency.start[j]
        total += EPSILON * (steps + 2 * size) * nodes[j].q * abs(nodes[j].x)
    return total


@internal
def settle_class(adjacency: Adjacency, state: LocalState, t: int, tolerance: float) -> tuple[bool, float]:
    """Solve at t until its class is certain, or down to `tolerance`; whether it is certain, and the rounding.

    f lies in [0, 1] (maximum principle), so the exact score of each class lies between b'x and
    b'x + ||r||_1: a lead in b'x above ||r||_1 cannot be made up. So it is with signs, where a difference of two
    scores lies in [-1, 1] (`signs.py`). Rounding counts as residual.
    """
    solve = state.solve
    begin(adjacency, state.nodes, solve, t)
    step = max(tolerance, COARSEST)
    while True:
        final = lower(adjacency, state.nodes, solve, t, step, np.int64(UNLIMITED)) == GLOBAL
        weigh(adjacency, state, t)
        off = rounding(adjacency, state, final)
        left = foresee(adjacency, state) + off
        best, top, second = leading(adjacency, solve.base, state.order, state.counts)
        solve.found[0].margin = top - second - left
        if solve.found[0].margin > TIE:
            solve.found[0].code = best
            return True, off
        if final or step <= tolerance:
            return False, off
        step = max(step * FINER, tolerance)


class Settled(NamedTuple):
    """What a solve proves about one node."""

    certain: bool
    code: int
    margin: float
    x: float
    positive: float
    """The sum of the residual where it is above 0, and of what may be rounding."""
    negative: float
    """The same where it is below 0."""
    edges: int


@compiled
def certain_at(
    adjacency: Adjacency, state: LocalState, t: int, tolerance: float
) -> tuple[bool, int, float, float, float, float, int]:
    """`settle_class`, with all that it found: the members of `Settled`."""
    certain, off = settle_class(adjacency, state, t, tolerance)
    found = state.solve.found[0]
    x = state.nodes[t].x
    above, below = found.residual - found.negative + off, found.negative + off
    if adjacency.least < 0:
        above = below = found.residual + off
    return certain, found.code, found.margin, x, above, below, found.edges
