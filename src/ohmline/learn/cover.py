"""The two motions of POUNCE, one body for each way in which a space knows its resistances.

| paper 002 | here | meaning |
|---|---|---|
| M | ``label[j] != 0`` | the nodes that cost a mistake: the cover |
| eta_t | ``nearest[i]`` | the position of the mistake nearest to i, -1 for none in its component |
| r(i, j) | ``closeness[i]`` | r(i, nearest[i]) - K_ii: K_ii is the same for every j, so it cancels |
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ohmline.arrays import Floats, Ints
from ohmline.compiled import implements
from ohmline.kernel.space import Columns, Dense, Features, inner, shift, sqlength
from ohmline.learn.contract import TIE


class PounceState(NamedTuple):
    """The hypothesis, the mistakes, and for every node the nearest of them."""

    w: Floats
    label: Ints
    nearest: Ints
    closeness: Floats
    component: Ints


def project(space: Any, w: Any, move: Any, i: Any, j: Any) -> float:
    """Move w so that w(i) - w(j) grows by ``move``; the squared length, or -1 where i and j coincide."""
    raise TypeError("compiled code only")


def recruit(space: Any, state: Any, i: Any) -> None:
    """Add i to the cover: it becomes the nearest mistake of every node that is nearer to none."""
    raise TypeError("compiled code only")


def _project(space: Any, w: Floats, move: float, i: int, j: int) -> float:
    own, other = sqlength(space, i), sqlength(space, j)
    resistance = own + other - 2 * inner(space, i, j)
    if resistance <= TIE * (own + other):
        return -1.0
    # The projection on {u : u(i) - u(j) = y_i - y_j} of section 4.1: eq. (13) with x = v_i - v_j.
    shift(space, w, move / resistance, i)
    shift(space, w, -move / resistance, j)
    return move * move / resistance


def _recruit(space: Any, state: PounceState, i: int) -> None:
    own = sqlength(space, i)
    for k in range(state.nearest.shape[0]):
        if state.component[k] == state.component[i]:
            cross = inner(space, i, k)
            # Strictly nearer, beyond rounding: among equally near mistakes the earliest wins.
            if own - 2 * cross < state.closeness[k] - TIE * (own + 2 * abs(cross)):
                state.closeness[k] = own - 2 * cross
                state.nearest[k] = i
    state.nearest[i] = i


for _kind in (Dense, Features, Columns):
    implements(project, _kind, "space")(_project)
    implements(recruit, _kind, "space")(_recruit)
