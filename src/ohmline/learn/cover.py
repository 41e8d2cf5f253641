"""The two motions of POUNCE, one body for each way in which a space knows its resistances.

| paper 002 | here | meaning |
|---|---|---|
| M | ``label[j] != 0`` | the nodes that cost a mistake: the cover |
| eta_t | ``nearest[i]`` | the position of the mistake nearest to i, -1 for none in its component |
| r(i, j) | ``closeness[i]`` | r(i, nearest[i]) - K_ii: K_ii is the same for every j, so it cancels |

Over a kernel the step is written with columns. Over an exponential embedding it is the same step
written with unit voltages: (v_i - v_j) / r(i, j) and phi differ by a constant, which cancels too;
``closeness`` holds log r there, and nothing over a tree.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import compiled, implements
from ohmline.graph.embedding import Mesh
from ohmline.graph.spanning import SpanningForest, below, largest_edge
from ohmline.graph.starmesh import log_resistances, unit_voltages
from ohmline.kernel.space import Columns, Dense, Features, evaluate, inner, shift, sqlength
from ohmline.learn.contract import TIE


class PounceState(NamedTuple):
    """The hypothesis, the mistakes, and for every node the nearest of them."""

    w: Floats
    label: Ints
    nearest: Ints
    closeness: Floats
    component: Ints


def project(space: Any, state: Any, move: Any, i: Any, j: Any) -> float:
    """Move w so that w(i) - w(j) grows by ``move``; the squared length, or -1 where i and j coincide."""
    raise TypeError("compiled code only")


def recruit(space: Any, state: Any, i: Any) -> None:
    """Add i to the cover: it becomes the nearest mistake of every node that is nearer to none."""
    raise TypeError("compiled code only")


def _project(space: Any, state: PounceState, move: float, i: int, j: int) -> float:
    own, other = sqlength(space, i), sqlength(space, j)
    resistance = own + other - 2 * inner(space, i, j)
    if resistance <= TIE * (own + other):
        return -1.0
    # The projection on {u : u(i) - u(j) = y_i - y_j} of section 4.1: eq. (13) with x = v_i - v_j.
    shift(space, state.w, move / resistance, i)
    shift(space, state.w, -move / resistance, j)
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


@implements(evaluate, Mesh, "space")
def _(space: Mesh, w: Floats, i: int) -> float:
    return w[i]  # type: ignore[no-any-return]


@implements(evaluate, SpanningForest, "space")
def _(space: SpanningForest, w: Floats, i: int) -> float:
    return w[i]  # type: ignore[no-any-return]


@implements(project, Mesh, "space")
def _(space: Mesh, state: PounceState, move: float, i: int, j: int) -> float:
    members = companions(state, i)
    phi = np.empty(len(state.w))
    log_conductance = unit_voltages(space.log_conductance, members, i, j, phi)
    for k in members:
        state.w[k] += move * phi[k]
    return move * move * np.exp(log_conductance)  # type: ignore[no-any-return]


@implements(recruit, Mesh, "space")
def _(space: Mesh, state: PounceState, i: int) -> None:
    members = companions(state, i)
    resistance = np.empty(len(state.w))
    log_resistances(space.log_conductance, members, i, resistance)
    for k in members:
        # Beyond rounding, which in a logarithm is absolute: among equally near the earliest wins.
        if k == i or resistance[k] < state.closeness[k] - TIE - 1e-14 * abs(resistance[k]):
            state.closeness[k] = resistance[k]
            state.nearest[k] = i


@compiled
def companions(state: PounceState, i: int) -> Ints:
    """The nodes of i's component."""
    return np.flatnonzero(state.component == state.component[i])


@implements(project, SpanningForest, "space")
def _(space: SpanningForest, state: PounceState, move: float, i: int, j: int) -> float:
    # As a grows, the whole voltage comes to drop at the largest edge between i and j.
    edge = largest_edge(space, i, j)
    for k in companions(state, i):
        if below(space, edge, k) == below(space, edge, i):
            state.w[k] += move
    return 0.0  # move^2 times the conductance of that edge, which vanishes in the limit


@implements(recruit, SpanningForest, "space")
def _(space: SpanningForest, state: PounceState, i: int) -> None:
    # The paths from k to i and to j differ by the path from i to j, so the lexicographic order of their
    # edges is decided by its largest one: k is nearer to the one on its own side.
    largest = np.full(len(state.nearest), -1, np.int64)
    for k in companions(state, i):
        j = state.nearest[k]
        if j >= 0:
            if largest[j] < 0:
                largest[j] = largest_edge(space, i, j)
            if below(space, largest[j], k) != below(space, largest[j], i):
                continue
        state.nearest[k] = i
