"""Projections on the affine set of many examples at once, by a growing Cholesky factor.

| paper 000 | here |
|---|---|
| af(U_t) | `order[:size]`: the nodes at which the hypothesis must equal `label` |
| c = K_U^-1 (y - w_U) | `solve`: two triangular systems with the factor of K_U |
| w_t | coefficients of columns over a dense kernel, the weights themselves over features |

The factor depends on the kernel and the order of the nodes alone, so it is a cache beside the
kernel rather than part of what the learner knows: a restored learner grows it again, bit by bit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import compiled, dot, generic, implements, internal
from ohmline.errors import LearnerError
from ohmline.kernel.space import (
    Columns,
    Dense,
    Features,
    Space,
    bring,
    entry,
    evaluate,
    shift,
    sqlength,
    sqscale,
)
from ohmline.learn.contract import TIE
from ohmline.learn.hypothesis import negligible, signed
from ohmline.learn.projection import strategy as rules
from ohmline.learn.projection.strategy import CUSTOM, DEPENDENT, NEW, Demands, Strategy
from ohmline.learn.step import learn, view

ALL, MISTAKES = int(Strategy.ALL), int(Strategy.MISTAKES)

AGREES = 1e-6


class Gram(NamedTuple):
    """A kernel, and the Cholesky factor of its block on `nodes[:rows]`, row after row."""

    kernel: Space
    demands: Demands
    factor: Floats
    nodes: Ints
    rows: Ints
    probe: Floats
    """The column of the node that was read last, where columns are fetched: others may have displaced it since."""
    probed: Ints
    """That node, -1 for none."""

    @classmethod
    def empty(cls, kernel: Space, demands: Demands) -> Gram:
        return cls(
            kernel,
            demands,
            factor=np.zeros(0),
            nodes=np.zeros(0, np.int64),
            rows=np.zeros(1, np.int64),
            probe=np.zeros(kernel.n if kernel.partial else 0),
            probed=np.full(1, -1, np.int64),
        )

    def with_room(self, rows: int) -> Gram:
        """The same factor with room for so many rows."""
        factor, nodes = np.zeros(rows * (rows + 1) // 2), np.zeros(rows, np.int64)
        factor[: len(self.factor)] = self.factor
        nodes[: len(self.nodes)] = self.nodes
        return self._replace(factor=factor, nodes=nodes)


class AffineState(NamedTuple):
    """The hypothesis, the examples it has to meet, and its values at them."""

    w: Floats
    """Coefficients of columns; over explicit features the weights themselves."""
    start: Floats
    """The values of w_1; empty over explicit features."""
    support: Ints
    """The nodes whose coefficient is not 0, the first `used` of them."""
    used: Ints
    sqnorm: Floats
    gross: Floats
    label: Ints
    value: Floats
    order: Ints
    size: Ints
    history: Ints
    seen: Ints
    updates: Floats
    """How often an affine set was projected on."""


@generic("kernel")
def read(kernel: Any, space: Any, state: Any, i: Any) -> float:
    """The hypothesis at node i."""
    raise TypeError("compiled code only")


@generic("kernel")
def between(kernel: Any, space: Any, i: Any, j: Any) -> float:
    """The kernel's entry of nodes i and j."""
    raise TypeError("compiled code only")


@generic("kernel")
def write(kernel: Any, state: Any, c: Any, i: Any) -> None:
    """Add c v_i to the hypothesis."""
    raise TypeError("compiled code only")


@implements(between, Dense, Features)
def between_all(kernel: Any, space: Gram, i: int, j: int) -> float:
    return entry(kernel, i, j)


@implements(between, Columns)
def between_columns(kernel: Columns, space: Gram, i: int, j: int) -> float:
    if space.probed[0] == i:
        return space.probe[j]
    return space.probe[i] if space.probed[0] == j else entry(kernel, i, j)


@implements(read, Columns)
def read_columns(kernel: Columns, space: Gram, state: AffineState, i: int) -> float:
    if state.used[0] > 0 and space.probed[0] != i:
        bring(kernel, i, i)
        space.probe[:] = kernel.buffer[kernel.slot[i]]
        space.probed[0] = i
    total = state.start[i]
    for k in range(state.used[0]):
        j = state.support[k]
        total += state.w[j] * space.probe[j]
    return total


@implements(read, Dense)
def read_dense(kernel: Dense, space: Gram, state: AffineState, i: int) -> float:
    total = state.start[i]
    for k in range(state.used[0]):
        j = state.support[k]
        total += state.w[j] * entry(kernel, i, j)
    return total


@implements(write, Dense, Columns)
def write_columns(kernel: Any, state: AffineState, c: float, i: int) -> None:
    if state.w[i] == 0.0:  # coefficients are O(t) to keep, where the n values would be O(n t)
        for k in range(state.used[0]):
            if state.support[k] == i:
                break
        else:
            state.support[state.used[0]] = i
            state.used[0] += 1
    state.w[i] += c


@implements(read, Features)
def read_features(kernel: Features, space: Gram, state: AffineState, i: int) -> float:
    return evaluate(kernel, state.w, i)


@implements(write, Features)
def write_features(kernel: Features, state: AffineState, c: float, i: int) -> None:
    shift(kernel, state.w, c, i)


@compiled
def values_of(space: Gram, state: AffineState) -> Floats:
    """The hypothesis at every node."""
    out = np.empty(len(state.label))
    for i in range(len(out)):
        out[i] = read(space.kernel, space, state, i)
    return out


@implements(view, AffineState)
def view_affine(space: Gram, state: AffineState, x: int) -> tuple[int, float]:
    margin = read(space.kernel, space, state, x)
    if abs(margin) <= negligible(state.sqnorm[0], state.gross[0], sqscale(space.kernel, x)):
        margin = 0.0
    return signed(margin)


@implements(learn, AffineState)
def learn_affine(space: Gram, state: AffineState, x: int, y: int, margin: float) -> tuple[bool, float]:
    strategy, relabel = space.demands.strategy, space.demands.relabel
    wrong = margin * y <= 0
    moves = wrong or space.demands.aggressive
    listed = 0
    if strategy == ALL or (strategy == MISTAKES and moves):
        listed = rules.enlist(state.label, state.order, state.size, x, y, relabel)
        if listed == NEW:
            state.value[x] = margin
    progress = 0.0
    if moves:
        progress = interpolate(space, state, x, relabel)
        if progress < 0:
            if strategy == CUSTOM:
                state.value[:] = 0.0
                rules.forget(state.label, state.order, state.size)
            elif listed == NEW:
                state.value[x] = 0.0
                rules.dismiss(state.label, state.order, state.size, x)
            raise LearnerError(
                "no hypothesis has the labels of all the examples seen so far: this kernel cannot fit them "
                "(L+ fits a component only if its labels have mean 0); add a Constant to the kernel, or pass "
                "contradiction=Contradiction.RELABEL to satisfy the newest example alone"
            )
    if progress > 0:
        state.updates[0] += 1
    if strategy == MISTAKES and listed == NEW and not wrong:
        state.value[x] = 0.0
        rules.dismiss(state.label, state.order, state.size, x)
    if strategy == CUSTOM:
        state.value[:] = 0.0
        rules.record(state.label, state.order, state.size, state.history, state.seen, wrong)
    return progress > 0, progress


@internal
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
    state.gross[0] += np.sqrt(progress)
    return progress


@internal
def newest_alone(space: Gram, state: AffineState, i: int) -> float:
    """P(af({t}); w), where t contradicts the examples before it."""
    length = sqlength(space.kernel, i)
    if length <= 0:
        return 0.0
    step: float = (state.label[i] - state.value[i]) / length
    state.sqnorm[0] += step * (2 * state.value[i] + step * length)
    state.gross[0] += abs(step) * np.sqrt(length)
    write(space.kernel, state, step, i)
    for k in range(state.size[0]):
        j = state.order[k]
        state.value[j] += step * between(space.kernel, space, i, j)
    return step * (step * length)


@internal
def grow(space: Gram, order: Ints, m: int) -> None:
    """Extend the factor to the nodes `order[:m]`; the rows of a common beginning stay."""
    kept = 0
    while kept < min(m, space.rows[0]) and space.nodes[kept] == order[kept]:
        kept += 1
    space.rows[0] = kept  # a step may be interrupted between two rows
    for k in range(kept, m):
        i = order[k]
        row = space.factor[k * (k + 1) // 2 :]
        for l in range(k):
            other = space.factor[l * (l + 1) // 2 :]
            rest = between(space.kernel, space, i, order[l]) - dot(row, other, l)
            row[l] = rest / other[l] if other[l] > 0 else 0.0
        length = sqlength(space.kernel, i)
        left = length - dot(row, row, k)
        row[k] = np.sqrt(left) if left > DEPENDENT * length else 0.0
        space.nodes[k] = i
        space.rows[0] = k + 1
