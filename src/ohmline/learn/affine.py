"""Projections on the affine set of many examples at once, by a growing Cholesky factor.

| paper 000 | here |
|---|---|
| af(U_t) | ``order[:size]``: the nodes at which the hypothesis must equal ``label`` |
| c = K_U^-1 (y - w_U) | ``solve``: two triangular systems with the factor of K_U |
| w_t | coefficients of columns over a dense kernel, the weights themselves over features |

The factor depends on the kernel and the order of the nodes alone, so it is a cache beside the
kernel rather than part of what the learner knows: a restored learner grows it again, bit by bit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import compiled, dot, implements
from ohmline.errors import LearnerError
from ohmline.kernel.space import Dense, Features, Space, evaluate, inner, shift, sqlength
from ohmline.learn.contract import TIE
from ohmline.learn.corrective import (
    AGGRESSIVE,
    CUSTOM,
    NEW,
    RELABEL,
    STRATEGY,
    Strategy,
    dismiss,
    enlist,
    forget,
    record,
)
from ohmline.learn.stepping import learn, view

ALL, MISTAKES = int(Strategy.ALL), int(Strategy.MISTAKES)

DEPENDENT = 1e-10
"""A point whose squared distance from the span of the others is below this share of its length
depends on them: its value is theirs, and its label must agree or contradicts them."""
AGREES = 1e-6


class Gram(NamedTuple):
    """A kernel, and the Cholesky factor of its block on ``nodes[:rows]``, row after row."""

    kernel: Space
    factor: Floats
    nodes: Ints
    rows: Ints


class AffineState(NamedTuple):
    """The hypothesis, the examples it has to meet, and its values at them."""

    w: Floats
    start: Floats
    support: Ints
    used: Ints
    sqnorm: Floats
    label: Ints
    value: Floats
    order: Ints
    size: Ints
    history: Ints
    seen: Ints
    options: Ints


def read(kernel: Any, state: Any, i: Any) -> float:
    """The hypothesis at node i."""
    raise TypeError("compiled code only")


def write(kernel: Any, state: Any, c: Any, i: Any) -> None:
    """Add c v_i to the hypothesis."""
    raise TypeError("compiled code only")


@implements(read, Dense, "kernel")
def _(kernel: Dense, state: AffineState, i: int) -> float:
    total, row = state.start[i], kernel.matrix[i]
    for k in range(state.used[0]):
        j = state.support[k]
        total += state.w[j] * row[j]
    return total  # type: ignore[no-any-return]


@implements(write, Dense, "kernel")
def _(kernel: Dense, state: AffineState, c: float, i: int) -> None:
    if state.w[i] == 0.0:  # coefficients are O(t) to keep, where the n values would be O(n t)
        for k in range(state.used[0]):
            if state.support[k] == i:
                break
        else:
            state.support[state.used[0]] = i
            state.used[0] += 1
    state.w[i] += c


@implements(read, Features, "kernel")
def _(kernel: Features, state: AffineState, i: int) -> float:
    return evaluate(kernel, state.w, i)


@implements(write, Features, "kernel")
def _(kernel: Features, state: AffineState, c: float, i: int) -> None:
    shift(kernel, state.w, c, i)


@compiled
def values_of(space: Gram, state: AffineState) -> Floats:
    """The hypothesis at every node."""
    out = np.empty(len(state.label))
    for i in range(len(out)):
        out[i] = read(space.kernel, state, i)
    return out


@implements(view, AffineState, "state")
def _(space: Gram, state: AffineState, i: int) -> tuple[int, float, float]:
    margin = read(space.kernel, state, i)
    if abs(margin) <= TIE * np.sqrt(max(state.sqnorm[0], 0.0) * sqlength(space.kernel, i)):
        margin = 0.0
    return (1 if margin >= 0 else -1), margin, np.nan


@implements(learn, AffineState, "state")
def _(space: Gram, state: AffineState, i: int, y: int, margin: float, variance: float) -> tuple[bool, float]:
    strategy, relabel = state.options[STRATEGY], state.options[RELABEL] > 0
    wrong = margin * y <= 0
    moves = wrong or state.options[AGGRESSIVE] > 0
    listed = 0
    if strategy == ALL or (strategy == MISTAKES and moves):
        listed = enlist(state.label, state.order, state.size, i, y, relabel)
        if listed == NEW:
            state.value[i] = margin
    progress = 0.0
    if moves:
        progress = interpolate(space, state, i, relabel)
        if progress < 0:
            if strategy == CUSTOM:
                state.value[:] = 0.0
                forget(state.label, state.order, state.size)
            elif listed == NEW:
                state.value[i] = 0.0
                dismiss(state.label, state.order, state.size, i)
            raise LearnerError(
                "no hypothesis has the labels of all the examples seen so far: this kernel cannot fit them "
                "(L+ fits a component only if its labels have mean 0); add a Constant to the kernel, or pass "
                "contradiction=Contradiction.RELABEL to satisfy the newest example alone"
            )
    if strategy == MISTAKES and listed == NEW and not wrong:
        state.value[i] = 0.0
        dismiss(state.label, state.order, state.size, i)
    if strategy == CUSTOM:
        state.value[:] = 0.0
        record(state.label, state.order, state.size, state.history, state.seen, wrong)
    return progress > 0, progress


@compiled
def interpolate(space: Gram, state: AffineState, i: int, relabel: bool) -> float:
    """P(af(U_t); w) in place; the squared length of the move, or -1 where the set is empty."""
    m = state.size[0]
    grow(space, state.order, m)
    # z = L^-1 (y - w_U): the move in an orthonormal basis of the span, so |z|^2 is its squared length.
    z, lost = np.zeros(m), False
    for k in range(m):
        j, row = state.order[k], space.factor[k * (k + 1) // 2 :]
        gap = state.label[j] - state.value[j]
        rest = (gap if abs(gap) > TIE else 0.0) - dot(row, z, k)
        if row[k] > 0:
            z[k] = rest / row[k]
        elif abs(rest) > AGREES:
            if not relabel:
                return -1.0
            lost = lost or j == i
    if lost:
        return newest_alone(space, state, i)
    c, cross = z.copy(), 0.0
    for k in range(m - 1, -1, -1):
        row = space.factor[k * (k + 1) // 2 :]
        if row[k] > 0:
            c[k] /= row[k]
            for l in range(k):
                c[l] -= c[k] * row[l]
            cross += c[k] * state.value[state.order[k]]
    for k in range(m):
        row = space.factor[k * (k + 1) // 2 :]
        if row[k] > 0:
            write(space.kernel, state, c[k], state.order[k])
            state.value[state.order[k]] = state.label[state.order[k]]
        else:
            state.value[state.order[k]] += dot(row, z, k)
    progress: float = dot(z, z, m)
    state.sqnorm[0] += 2 * cross + progress
    return progress


@compiled
def newest_alone(space: Gram, state: AffineState, i: int) -> float:
    """P(af({t}); w), where t contradicts the examples before it."""
    length = sqlength(space.kernel, i)
    if length <= 0:
        return 0.0
    step: float = (state.label[i] - state.value[i]) / length
    state.sqnorm[0] += 2 * step * state.value[i] + step * step * length
    write(space.kernel, state, step, i)
    for k in range(state.size[0]):
        j = state.order[k]
        state.value[j] += step * inner(space.kernel, i, j)
    return step * step * length


@compiled
def grow(space: Gram, order: Ints, m: int) -> None:
    """Extend the factor to the nodes ``order[:m]``; the rows of a common beginning stay."""
    kept = 0
    while kept < min(m, space.rows[0]) and space.nodes[kept] == order[kept]:
        kept += 1
    for k in range(kept, m):
        i = order[k]
        row = space.factor[k * (k + 1) // 2 :]
        for l in range(k):
            other = space.factor[l * (l + 1) // 2 :]
            rest = inner(space.kernel, i, order[l]) - dot(row, other, l)
            row[l] = rest / other[l] if other[l] > 0 else 0.0
        length = sqlength(space.kernel, i)
        left = length - dot(row, row, k)
        row[k] = np.sqrt(left) if left > DEPENDENT * length else 0.0
        space.nodes[k] = i
    space.rows[0] = m
