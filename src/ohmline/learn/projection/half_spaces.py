"""Projections on one half-space or hyperplane after another: the cyclic form of Algorithm 2.

| paper 000 | here |
|---|---|
| w_t | `w`, with `sqnorm` its squared length and `gross` the lengths of its moves together |
| U_t | `order[:size]`, the nodes whose `label` must be met |
| P(hs({i}); w), P(af({i}); w) | `toward` |
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import Stopped, dot, implements, internal, interrupted
from ohmline.errors import LearnerError
from ohmline.kernel.space import Space, sqlength
from ohmline.learn.contract import TIE
from ohmline.learn.hypothesis import margin_at, move, negligible, signed
from ohmline.learn.projection import strategy as rules
from ohmline.learn.projection.columns import Block, begin, between, enrol, finish, move_at, value_at
from ohmline.learn.projection.strategy import CUSTOM, DEPENDENT, NEW, TURNED, Demands, Strategy
from ohmline.learn.step import learn, view

LATEST, MISTAKES = int(Strategy.LATEST), int(Strategy.MISTAKES)

UPDATES = 1_000_000
"""Most updates of one trial where the labels cannot be interpolated.

If some hypothesis separates the examples with a margin of 1e-3 (relative to its length and theirs),
no more than this many updates are needed (Thm 3.2), so beyond it there is none.
"""
MOST_UPDATES = 5_000_000
"""Most updates of one trial at all: across a very weak bridge even labels that can be separated would take for ever."""
PATIENCE = 256
"""Updates between two looks whether somebody wants to stop."""
INTERRUPTED = -2.0
EASY = 1_000
"""Updates after which a trial first asks whether it can end at all."""


class HalfSpaces(NamedTuple):
    """A kernel, and what is asked of the hypothesis."""

    kernel: Space
    demands: Demands
    block: Block

    def with_room(self, rows: int) -> HalfSpaces:
        """The same with room for the entries between so many nodes."""
        return self._replace(block=self.block.with_room(rows))


class HalfSpaceState(NamedTuple):
    """The hypothesis and the examples it has to meet."""

    w: Floats
    sqnorm: Floats
    gross: Floats
    label: Ints
    order: Ints
    size: Ints
    stuck: Ints
    """1 once the examples are known to contradict one another, until one is relabelled."""
    history: Ints
    """Rows node, label and mistake, one column per trial: kept for custom strategies only."""
    seen: Ints
    """How many columns of `history` count."""
    updates: Floats
    """How often a half-space or a hyperplane was projected on: a count, and no index into anything."""
    enrolled: Ints
    """The node of each row of the block, -1 for none: an entry is read from the later one's column, to the last bit."""


@implements(view, HalfSpaceState)
def view_half_spaces(space: HalfSpaces, state: HalfSpaceState, x: int) -> tuple[int, float]:
    return signed(margin_at(space.kernel, state.w, state.sqnorm, state.gross, x))


@implements(learn, HalfSpaceState)
def learn_half_spaces(
    space: HalfSpaces, state: HalfSpaceState, x: int, y: int, margin: float
) -> tuple[bool, float]:
    kernel, demands = space.kernel, space.demands
    strategy, relabel = demands.strategy, demands.relabel
    wrong = margin * y <= 0
    moves = wrong or demands.aggressive
    if moves and sqlength(kernel, x) <= 0:
        if not relabel:
            if strategy == CUSTOM:
                rules.forget(state.label, state.order, state.size)
            raise LearnerError(
                "the node of this trial is the zero vector of its kernel, so no hypothesis can label it; "
                "add a Constant to the kernel, or pass contradiction=Contradiction.RELABEL to pass it over"
            )
        moves = False
    listed = 0
    # A custom strategy lists its examples itself; the mistakes strategy lists t for this trial only
    # when t is no mistake.
    if strategy != LATEST and strategy != CUSTOM and (moves or strategy != MISTAKES):
        listed = rules.enlist(state.label, state.order, state.size, x, y, relabel)
        if listed == TURNED:
            state.stuck[0] = 0
        elif listed == NEW:
            enrol(kernel, space.block, state.enrolled, x)
    if not moves and strategy != CUSTOM:
        return False, 0.0  # w did not move and meets t, so nothing in U_t is violated
    if strategy == LATEST or state.stuck[0] != 0:
        progress = toward(kernel, state, x, y, margin, not demands.cyclic) if moves else 0.0
    else:
        before, length, gross, updates = (
            state.w.copy(),
            state.sqnorm[0],
            state.gross[0],
            state.updates[0],
        )
        progress = meet_all(kernel, space.block, state, x if moves else -1, margin)
        if progress < 0:
            state.w[:] = before
            state.sqnorm[0], state.gross[0], state.updates[0] = length, gross, updates
            if progress == INTERRUPTED or not relabel:
                if strategy == CUSTOM:
                    rules.forget(state.label, state.order, state.size)
                elif listed == NEW:
                    rules.dismiss(state.label, state.order, state.size, x)
                if progress == INTERRUPTED:
                    raise Stopped("a cyclic projection was interrupted; the learner is as before this trial")
                raise LearnerError(
                    "no hypothesis separates the examples seen so far, or a cyclic projection would take millions of "
                    "steps to find it; add a Constant to the kernel, use Projection.min_norm, or pass "
                    "contradiction=Contradiction.RELABEL"
                )
            state.stuck[0] = 0 if strategy == CUSTOM else 1
            progress = toward(kernel, state, x, y, margin, False) if moves else 0.0
    if strategy == MISTAKES and listed == NEW and not wrong:
        rules.dismiss(state.label, state.order, state.size, x)
    if strategy == CUSTOM:
        rules.record(state.label, state.order, state.size, state.history, state.seen, wrong)
    return progress > 0, progress


@internal
def toward(kernel: Any, state: HalfSpaceState, i: int, y: int, margin: float, equal: bool) -> float:
    """Project on {<u, v_i> = y}, or on {y <u, v_i> >= 1}: Lemma 3.1; the squared length of the move."""
    gap = 1.0 - y * margin
    if abs(gap) <= TIE or (gap < 0 and not equal):
        return 0.0
    state.updates[0] += 1
    return move(kernel, state.w, state.sqnorm, state.gross, y * gap / sqlength(kernel, i), margin, i)


@internal
def meet_all(kernel: Any, block: Block, state: HalfSpaceState, newest: int, margin: float) -> float:
    """Project on the newest half-space, then on every violated one of U_t, in order of arrival, until none is violated.

    `newest` is the node of this trial, whose value is `margin`; -1 where the hypothesis need not move there. The sum of
    the squared moves (the inner sum of Z in Thm 5.1); -1 where U_t is contradictory, -2 after Ctrl-C.
    """
    total, updates, limit = 0.0, 0, float(EASY)
    begin(kernel, block, state)
    for k in range(state.size[0]):
        if state.order[k] == newest:
            total += toward_listed(kernel, block, state, k, margin)
    clean = False
    while not clean:
        clean = True
        for k in range(state.size[0]):
            i = state.order[k]
            y, value, length = state.label[i], value_at(kernel, block, state, k), sqlength(kernel, i)
            # Differs from the printed `< 0`: at exactly 0 the example is not separated yet.
            if y * value > negligible(state.sqnorm[0], state.gross[0], length):
                continue
            if length <= 0:
                return -1.0
            if updates >= limit:
                if limit > EASY:
                    return -1.0
                limit = updates + min(updates_left(kernel, block, state), MOST_UPDATES)
            clean = False
            updates += 1
            if updates % PATIENCE == 0 and interrupted():
                return INTERRUPTED
            total += toward_listed(kernel, block, state, k, value)
    finish(kernel, block, state)
    return total


@internal
def toward_listed(kernel: Any, block: Block, state: HalfSpaceState, k: int, value: float) -> float:
    """Project on the half-space of the k-th node of U_t; the squared length of the move."""
    i = state.order[k]
    gap = 1.0 - state.label[i] * value
    if gap <= TIE:
        return 0.0
    state.updates[0] += 1
    return move_at(kernel, block, state, k, state.label[i] * gap / sqlength(kernel, i), value)


@internal
def updates_left(kernel: Any, block: Block, state: HalfSpaceState) -> float:
    """More updates than these contradict Thm 3.2: ||u - w||^2 max K_ii for u that interpolates U_t."""
    m, largest = state.size[0], 0.0
    factor, gap = np.zeros((m, m)), np.zeros(m)
    for k in range(m):
        row, length = factor[k], between(kernel, block, state, k, k)
        largest = max(largest, length)
        for l in range(k):
            pivot = factor[l, l]
            row[l] = (
                (between(kernel, block, state, k, l) - dot(row, factor[l], l)) / pivot if pivot > 0 else 0.0
            )
        left = length - dot(row, row, k)
        rest = state.label[state.order[k]] - value_at(kernel, block, state, k) - dot(row, gap, k)
        if left > DEPENDENT * length:
            row[k] = np.sqrt(left)
            gap[k] = rest / row[k]
        elif abs(rest) > 1e-6:
            return float(UPDATES)
    return float(dot(gap, gap, m) * largest + EASY)
