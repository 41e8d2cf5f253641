"""The arithmetic of paper 004: ridge regression one label at a time.

| paper 004 | here | meaning |
|---|---|---|
| m_t | ``m`` | the features of the node that came up |
| A_t = mu I + sum m m' | ``inverse`` holds A_t^-1 | over the labels learned so far |
| w_t = A_t^-1 b_t | ``weights`` | the hypothesis |
| A_{t-1}^-1 m_t | ``g``, the gain | direction of the step |
| m_t' A_{t-1}^-1 m_t | ``q`` | variance before the label |
| r_t = m_t' A_t^-1 m_t | q / (1 + q) | variance after it, whatever it will be |

By Sherman and Morrison a label costs two passes over A^-1: one for the gain, one for
A_t^-1 = A_{t-1}^-1 - g g' / (1 + q), w_t = w_{t-1} + g (y - margin) / (1 + q).
"""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from ohmline.arrays import AnyArray, Bools
from ohmline.compiled import compiled, dot, implements
from ohmline.learn.contract import TIE
from ohmline.learn.stepping import learn, view


class Variance(Enum):
    """Which r_t a query is given: the paper's text allows both readings."""

    AFTER = "after"
    """m' A_t^-1 m = q / (1 + q), with m_t already in A_t: the reading that fits Table 2."""
    BEFORE = "before"
    """m' A_{t-1}^-1 m = q."""


class LGCState(NamedTuple):
    """The hypothesis, A^-1 and the two switches of a binary learner."""

    weights: AnyArray
    inverse: AnyArray
    sqnorm: AnyArray
    """||w||^2, for telling a tie."""
    every: Bools
    """Whether a label is learned although it was predicted."""
    before: Bools
    """Whether the variance is q rather than q / (1 + q)."""


class WatchedLGC(NamedTuple):
    """The same arrays; ``view`` also works out the variance, at O(d^2)."""

    weights: AnyArray
    inverse: AnyArray
    sqnorm: AnyArray
    every: Bools
    before: Bools


@compiled
def gain(inverse: AnyArray, m: AnyArray, g: AnyArray) -> None:
    """g = A^-1 m."""
    for k in range(m.shape[0]):
        g[k] = dot(inverse[k], m, m.shape[0])


@compiled
def quadratic(inverse: AnyArray, m: AnyArray) -> float:
    """m' A^-1 m from the lower triangle: half of what the gain reads."""
    q = m.dtype.type(0)
    for k in range(m.shape[0]):
        row = inverse[k]
        q += m[k] * (2 * dot(row, m, k) + row[k] * m[k])
    return max(q, m.dtype.type(0))  # type: ignore[no-any-return]


@compiled
def absorb(inverse: AnyArray, g: AnyArray, q: float) -> None:
    """A^-1 -= g g' / (1 + q), leaving it symmetric to the last bit; g becomes g / sqrt(1 + q)."""
    scale = 1 / np.sqrt(1 + q)
    for k in range(g.shape[0]):
        g[k] *= scale
    for j in range(g.shape[0]):
        row, c = inverse[j], g[j]
        for k in range(g.shape[0]):
            row[k] -= c * g[k]


@compiled
def sqtie(dtype_eps: float) -> float:
    """A margin whose square is below this share of ||w||^2 ||m||^2 is a tie.

    Single precision cannot tell as much as double.
    """
    return max(TIE, 8 * dtype_eps) ** 2


@compiled
def margin_of(weights: AnyArray, m: AnyArray, sqnorm: float, sqlength: float) -> float:
    """<w, m>, or 0 for a tie."""
    margin = dot(m, weights, weights.shape[0])
    if margin * margin <= sqtie(np.finfo(weights.dtype).eps) * (sqnorm * sqlength):
        return 0.0
    return margin  # type: ignore[no-any-return]


@compiled
def spread(q: float, before: bool) -> float:
    """The variance that a query is told."""
    return q if before else q / (1 + q)


@implements(view, LGCState, "state")
def _(space: Any, state: LGCState, i: int) -> tuple[int, float, float]:
    margin = margin_of(state.weights, space.rows[i], state.sqnorm[0], space.diagonal[i])
    return (1 if margin >= 0 else -1), margin, np.nan


@implements(view, WatchedLGC, "state")
def _(space: Any, state: WatchedLGC, i: int) -> tuple[int, float, float]:
    margin = margin_of(state.weights, space.rows[i], state.sqnorm[0], space.diagonal[i])
    q = float(quadratic(state.inverse, space.rows[i]))
    return (1 if margin >= 0 else -1), margin, spread(q, state.before[0])


@compiled
def step(space: Any, state: Any, i: int, y: int, margin: float) -> tuple[bool, float]:
    """Algorithm 1's update, on a mistake or a tie (or on every label)."""
    if margin * y > 0 and not state.every[0]:
        return False, 0.0
    m, w = space.rows[i], state.weights
    g = np.empty_like(w)
    gain(state.inverse, m, g)
    q = max(float(dot(m, g, len(g))), 0.0)
    c = (y - margin) / (1 + q)
    progress = c * c * float(dot(g, g, len(g)))
    for k in range(len(g)):
        w[k] += c * g[k]
    absorb(state.inverse, g, q)
    state.sqnorm[0] = dot(w, w, len(w))
    return True, progress


@implements(learn, LGCState, "state")
def _(space: Any, state: LGCState, i: int, y: int, margin: float, variance: float) -> tuple[bool, float]:
    return step(space, state, i, y, margin)


@implements(learn, WatchedLGC, "state")
def _(space: Any, state: WatchedLGC, i: int, y: int, margin: float, variance: float) -> tuple[bool, float]:
    return step(space, state, i, y, margin)
