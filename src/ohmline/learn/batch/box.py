"""The dual of the hinge loss: a quadratic over a box, by Mehrotra's interior-point method.

| symbol | meaning |
|---|---|
| p | the quadratic, positive semidefinite; of any rank, so that one point may carry two labels |
| v | the vector in the box, 0 <= v <= 1 |
| low, high | the multipliers of the two sides of the box, both above 0 |

Its dual is sum_i max(1 - f_i, 0) + 1/2 v'pv with f = p v. What lies between the two values is a sum of
max(1 - f_i, 0) - v_i (1 - f_i), none of which is below 0, so it is known to the last digit.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from ohmline.arrays import Floats

Move = tuple[Floats, Floats, Floats]

STEPS, TINY = 200, 1e-100
ENOUGH = 1e-15
"""A gap of this share of the value is rounding."""


def fill_box(p: Floats) -> Floats:
    """The v in [0, 1]^n that makes 1'v - 1/2 v'pv largest."""
    v = np.full(len(p), 0.5)
    slope = p @ v - 1
    start = 1 + float(np.abs(slope).max(initial=0.0))
    low, high = np.maximum(slope, 0.0) + start, np.maximum(-slope, 0.0) + start
    best, least, stuck = v, np.inf, 0
    for _ in range(STEPS):
        slope = p @ v - 1
        gap = box_gap(v, slope)
        best, stuck = (v, 0) if gap < least else (best, stuck + 1)
        least = min(least, gap)
        value = float(np.maximum(-slope, 0.0).sum() + v @ (slope + 1) / 2)
        if gap <= ENOUGH * value or stuck == 10:
            break
        try:
            move = _move(p, v, low, high, slope)
        except (linalg.LinAlgError, ValueError):  # as near as rounding lets it come
            break
        t = 0.995 * _farthest(v, low, high, move)
        v, low, high = v + t * move[0], low + t * move[1], high + t * move[2]
        v = np.clip(v, TINY, 1 - np.finfo(float).epsneg)
        low, high = np.maximum(low, TINY), np.maximum(high, TINY)
    return best


def box_gap(v: Floats, slope: Floats) -> float:
    """How far v may be from the largest value, with slope = p v - 1."""
    return float(np.sum(np.where(slope < 0, (v - 1) * slope, v * slope)))


def _move(p: Floats, v: Floats, low: Floats, high: Floats, slope: Floats) -> Move:
    """Mehrotra's step: Newton's towards the solution, bent to the middle by as much as that one falls short."""
    room = 1 - v
    system = p + np.diag(low / v + high / room)
    system[np.diag_indices(len(p))] += 1e-16 * float(np.diagonal(p).max(initial=0.0))
    factor = linalg.cho_factor(system, overwrite_a=True)
    residual = slope - low + high

    def towards(at_low: Floats, at_high: Floats) -> Move:
        dv = linalg.cho_solve(factor, at_low / v - at_high / room - residual)
        return dv, (at_low - low * dv) / v, (at_high + high * dv) / room

    dv, dlow, dhigh = first = towards(-v * low, -room * high)
    t = _farthest(v, low, high, first)
    now = float(v @ low + room @ high)
    then = float((v + t * dv) @ (low + t * dlow) + (room - t * dv) @ (high + t * dhigh))
    middle = (max(then, 0.0) / now) ** 3 * now / (2 * len(v))
    return towards(middle - v * low - dv * dlow, middle - room * high + dv * dhigh)


def _farthest(v: Floats, low: Floats, high: Floats, move: Move) -> float:
    """The longest part of a move that keeps everything above 0, at most all of it."""
    sides = ((v, move[0]), (1 - v, -move[0]), (low, move[1]), (high, move[2]))
    return 1 / max(float(np.max(-d / at, initial=1.0)) for at, d in sides)
