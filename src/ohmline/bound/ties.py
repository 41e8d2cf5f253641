"""What a limit must allow for ties: a value that is 0 but for rounding is charged, whichever its sign.

The theorems charge a trial whose margin is on the wrong side or exactly 0. A learner charges one that is `negligible`
too, and moves as if it were 0; the move then gains a little less than the theorem says.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from ohmline.arrays import Floats
from ohmline.bound.asked_trials import Evidence
from ohmline.bound.sharpness import SHARP
from ohmline.learn.contract import TIE
from ohmline.learn.hypothesis import ROUNDING
from ohmline.learn.projection import Projection


def shortfall(length: float, gross: float, longest: float) -> float:
    """How large a charged margin on the right side may be, of a hypothesis no longer than `length`.

    `gross` is the length of all its moves together, and `longest` the largest K_ii; see `learn.hypothesis.negligible`.
    """
    return float(max(TIE * length, ROUNDING * gross)) * sqrt(longest)


def stretched(short: float) -> float:
    """By what to multiply the limit where a move may gain a share 2 `short` less than 1 / K_ii.

    From w to w + y v / K_ii, with y <w, v> = m, the gain is (1 - 2 m) / K_ii. A shortfall that is not small is assumed
    away by `sharp`.
    """
    return 1 / (1 - 2 * short) if short <= SHARP else 1.0


def shortfall_of_ties(seen: Evidence, learner: Projection, sqnorm: float, lengths: Floats) -> float:
    """The `shortfall` of a game of `Projection`; 0 where no tie was charged but at a hypothesis of zero.

    `sqnorm` is ||u - w_1||^2, and `lengths` has K_ii of every node, or more.
    """
    start = max(learner.kernel.sqnorm(learner.values_at_start), 0.0)
    moved_before = np.cumsum(seen.moved) - seen.moved > 0
    ties = seen.mistaken & (seen.margin == 0) & (moved_before | (start > 0))
    if not ties.any():
        return 0.0
    gross = max(float(learner.state.gross[0]), sqrt(start) + float(np.sqrt(seen.progress).sum()))
    return shortfall(
        sqrt(start) + 2 * sqrt(max(sqnorm, 0.0)), gross, float(lengths[seen.positions[ties]].max())
    )


def radius_of_ties(seen: Evidence, trials: int) -> float:
    """By what to multiply X^2 for the ties that `Perceptron` was charged in the first `trials` trials.

    ||w||^2 <= |M| X^2 and two negligible margins for each tie; the first mistake, made at zero, is an exact one.
    """
    mistaken = seen.mistaken[:trials]
    mistakes = int(mistaken.sum())
    if np.count_nonzero(mistaken & (seen.margin[:trials] == 0)) <= 1:
        return 1.0
    return 1 + 2.1 * shortfall(sqrt(mistakes), float(mistakes), 1.0)
