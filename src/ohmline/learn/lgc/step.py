"""The step of OLLGC: a binary label in ridge regression."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ohmline.arrays import AnyArray, Ints
from ohmline.compiled import dot, implements, internal
from ohmline.learn.hypothesis import signed
from ohmline.learn.lgc.lookahead import Lookahead, features_of, foreseen_gain, foreseen_q, prepare
from ohmline.learn.lgc.ridge_regression import Regressors, downdate, gain, quadratic, spread, tie
from ohmline.learn.step import expect, learn, variance, view


class LGCState(NamedTuple):
    """The hypothesis and A^-1."""

    weights: AnyArray
    inverse: AnyArray
    sqnorm: AnyArray
    """||w||^2, for telling a tie."""
    gross: AnyArray
    """The lengths of all moves of w together."""
    blur: AnyArray
    """The largest 1 + q so far: by so much the steps have magnified rounding."""
    lookahead: Lookahead

    @classmethod
    def empty(cls, space: Regressors, mu: float) -> LGCState:
        d, kind = space.rows.shape[1], space.rows.dtype
        inverse = np.asarray(np.eye(d) / mu, kind)
        return cls(
            np.zeros(d, kind), inverse, np.zeros(1, kind), np.zeros(1), np.ones(1), Lookahead.empty(d, kind)
        )


@implements(view, LGCState)
def view_lgc(space: Regressors, state: LGCState, x: int) -> tuple[int, float]:
    m = features_of(space, state.lookahead, x)
    margin = dot(m, state.weights, m.shape[0])
    if abs(margin) <= tie(
        np.finfo(m.dtype).eps, state.sqnorm[0], state.gross[0], state.blur[0], space.diagonal[x]
    ):
        return signed(0.0)
    return signed(float(margin))


@implements(variance, LGCState)
def variance_lgc(space: Regressors, state: LGCState, x: int) -> float:
    if state.lookahead.size[0] > 0:
        return spread(foreseen_q(space, state.inverse, state.lookahead, x), space.before)
    return spread(float(quadratic(state.inverse, space.rows[x])), space.before)


@implements(expect, LGCState)
def expect_lgc(space: Regressors, state: LGCState, upcoming: Ints) -> None:
    prepare(space, state.inverse, state.lookahead, upcoming)


@implements(learn, LGCState)
def learn_lgc(space: Regressors, state: LGCState, x: int, y: int, margin: float) -> tuple[bool, float]:
    """Algorithm 1's update, on a mistake or a tie (or on every label)."""
    if margin * y > 0 and not space.every:
        return False, 0.0
    if state.lookahead.size[0] > 0:
        return True, learn_foreseen(space, state, x, y, margin)
    return True, learn_now(space, state, x, y, margin)


@internal
def learn_now(space: Regressors, state: LGCState, i: int, y: int, margin: float) -> float:
    """One label, with A^-1 brought up to date at once; the squared length of the move."""
    m, w = space.rows[i], state.weights
    g = np.empty_like(w)
    gain(state.inverse, m, g)
    q = max(float(dot(m, g, len(g))), 0.0)
    c = (y - margin) / (1 + q)
    progress = c * c * float(dot(g, g, len(g)))
    for k in range(len(g)):
        w[k] += c * g[k]
    downdate(state.inverse, g, q)
    state.sqnorm[0] = dot(w, w, len(w))
    state.gross[0] += np.sqrt(progress)
    state.blur[0] = max(state.blur[0], 1 + q)
    return progress


@internal
def learn_foreseen(space: Regressors, state: LGCState, i: int, y: int, margin: float) -> float:
    """One label in a block, with A^-1 brought up to date at its end."""
    block, w = state.lookahead, state.weights
    if block.used[0] == block.learned.shape[0]:
        prepare(space, state.inverse, block, block.nodes[: block.size[0]].copy())
    # A query has most likely asked for the variance of this node just before.
    q = block.q[0] if block.held[0] == i else foreseen_q(space, state.inverse, block, i)
    g = block.learned[block.used[0]]
    foreseen_gain(space, state.inverse, block, i, g)
    c = (y - margin) / (1 + q)
    d = g.shape[0]
    progress = c * c * float(dot(g, g, d))
    scale = 1 / np.sqrt(1 + q)
    for e in range(d):
        w[e] += c * g[e]
        g[e] = scale * g[e]
    state.sqnorm[0] = dot(w, w, d)
    state.gross[0] += np.sqrt(progress)
    state.blur[0] = max(state.blur[0], 1 + q)
    block.used[0] += 1
    block.held[0] = -1
    return progress
