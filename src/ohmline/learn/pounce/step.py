"""The step of POUNCE, with one body of its two motions for each way in which a space knows its resistances.

| paper 002 | here | meaning |
|---|---|---|
| M | `label[j] != 0` | the nodes that cost a mistake: the cover |
| eta_t | `nearest[i]` | the position of the mistake nearest to i, -1 for none in its component |
| r(i, j) | `closeness[i]` | r(i, nearest[i]) - K_ii: K_ii is the same for every j, so it cancels |

Over a kernel the step is written with columns. Over an exponential embedding it is the same step
written with unit voltages: (v_i - v_j) / r(i, j) and phi differ by a constant, which cancels too;
`closeness` holds log r there, and nothing over a tree.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import generic, implements, internal
from ohmline.graph.embedding import Mesh
from ohmline.graph.spanning import SpanningForest, below, largest_edge
from ohmline.graph.starmesh import log_resistances, unit_voltages
from ohmline.kernel.space import (
    Columns,
    Dense,
    Features,
    bring,
    entry,
    evaluate,
    shift_apart,
    sqdistance,
    sqlength,
    sqscale,
)
from ohmline.learn.contract import TIE
from ohmline.learn.hypothesis import signed
from ohmline.learn.step import learn, view

ROUNDING = 1e-15
"""A few roundings: two sums of kernel entries that differ by less than this share of them may be equal."""


class PounceState(NamedTuple):
    """The hypothesis, the mistakes, and for every node the nearest of them."""

    w: Floats
    label: Ints
    nearest: Ints
    closeness: Floats
    component: Ints


@implements(view, PounceState)
def view_pounce(space: Any, state: PounceState, x: int) -> tuple[int, float]:
    j = state.nearest[x]
    if j < 0:
        return 1, 0.0
    margin = float(state.label[j])
    if j != x:
        here, there = evaluate(space, state.w, x), evaluate(space, state.w, j)
        margin += here - there
        if abs(margin) <= TIE * (1.0 + abs(here) + abs(there)):
            margin = 0.0
    return signed(margin)


@implements(learn, PounceState)
def learn_pounce(space: Any, state: PounceState, x: int, y: int, margin: float) -> tuple[bool, float]:
    if margin * y > 0:
        return False, 0.0
    j = state.nearest[x]
    progress = 0.0
    bring(space, x, j if j >= 0 else x)
    if j >= 0:
        # A node that coincides with its nearest mistake: Differs from Figure 3, which would divide by 0.
        progress = -1.0 if x == j else project(space, state, y - margin, x, j)
        if progress < 0:
            state.label[j] = y
            return True, 0.0
    state.label[x] = y
    recruit(space, state, x)
    return True, progress


@generic("space")
def project(space: Any, state: Any, change: Any, i: Any, j: Any) -> float:
    """Move w so that w(i) - w(j) grows by `change`; the squared length, or -1 where i and j coincide."""
    raise TypeError("compiled code only")


@generic("space")
def recruit(space: Any, state: Any, i: Any) -> None:
    """Add i to the cover: it becomes the nearest mistake of every node that is nearer to none."""
    raise TypeError("compiled code only")


@implements(project, Dense, Features, Columns)
def project_in_kernel(space: Any, state: PounceState, change: float, i: int, j: int) -> float:
    resistance = sqdistance(space, i, j)
    if resistance <= 0:
        return -1.0
    # The projection on {u : u(i) - u(j) = y_i - y_j} of section 4.1: eq. (13) with x = v_i - v_j.
    shift_apart(space, state.w, change / resistance, i, j)
    return change * (change / resistance)


@implements(recruit, Dense, Features, Columns)
def recruit_in_kernel(space: Any, state: PounceState, i: int) -> None:
    own = sqlength(space, i)
    for k in range(state.nearest.shape[0]):
        if state.component[k] == state.component[i]:
            cross = entry(space, i, k)
            # Strictly nearer, beyond rounding: among equally near mistakes the earliest wins. What counts is the
            # resistance, which may be far smaller than the entries that it is the difference of.
            gain = state.closeness[k] - (own - 2 * cross)
            far = state.closeness[k] + sqscale(space, k)
            if gain > TIE * abs(far) + ROUNDING * (own + 2 * abs(cross)) or far == np.inf:
                state.closeness[k] = own - 2 * cross
                state.nearest[k] = i
    state.nearest[i] = i


@implements(evaluate, Mesh)
def evaluate_mesh(space: Mesh, w: Floats, i: int) -> float:
    return w[i]


@implements(evaluate, SpanningForest)
def evaluate_forest(space: SpanningForest, w: Floats, i: int) -> float:
    return w[i]


@implements(project, Mesh)
def project_mesh(space: Mesh, state: PounceState, change: float, i: int, j: int) -> float:
    members = companions(state, i)
    phi = np.empty(len(state.w))
    log_conductance = unit_voltages(space.log_conductance, members, i, j, phi)
    for k in members:
        state.w[k] += change * phi[k]
    return change * change * np.exp(log_conductance)


@implements(recruit, Mesh)
def recruit_mesh(space: Mesh, state: PounceState, i: int) -> None:
    members = companions(state, i)
    resistance = np.empty(len(state.w))
    log_resistances(space.log_conductance, members, i, resistance)
    for k in members:
        # Beyond rounding, which in a logarithm is absolute: among equally near the earliest wins.
        if k == i or resistance[k] < state.closeness[k] - TIE - 1e-14 * abs(resistance[k]):
            state.closeness[k] = resistance[k]
            state.nearest[k] = i


@internal
def companions(state: PounceState, i: int) -> Ints:
    """The nodes of i's component."""
    return np.flatnonzero(state.component == state.component[i])


@implements(project, SpanningForest)
def project_forest(space: SpanningForest, state: PounceState, change: float, i: int, j: int) -> float:
    # As a grows, the whole voltage comes to drop at the largest edge between i and j.
    edge = largest_edge(space, i, j)
    for k in companions(state, i):
        if below(space, edge, k) == below(space, edge, i):
            state.w[k] += change
    return 0.0  # change^2 times the conductance of that edge, which vanishes in the limit


@implements(recruit, SpanningForest)
def recruit_forest(space: SpanningForest, state: PounceState, i: int) -> None:
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
