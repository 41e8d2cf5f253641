"""A hypothesis w in a kernel's space: how it is read and moved, and what a tie is.

`sqnorm` is its squared length, `gross` the sum of the lengths of all its moves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline.arrays import Floats
from ohmline.compiled import inlined
from ohmline.kernel.space import evaluate, shift, sqlength, sqscale
from ohmline.learn.contract import TIE

ROUNDING = 16 * float(np.finfo(np.float64).eps)
"""A share of all that was added to w that its value may be off by."""


@inlined
def negligible(sqnorm: float, gross: float, sqlength: float) -> float:
    """How large a value <w, v> may be and still be 0 but for rounding.

    That is `TIE` of its largest possible size, ||w|| ||v||; and where w has come back to nearly nothing, a few
    roundings of all that was added to it on the way.
    """
    return max(TIE * np.sqrt(max(sqnorm, 0.0)), ROUNDING * gross) * np.sqrt(sqlength)


@inlined
def margin_at(space: Any, w: Floats, sqnorm: Floats, gross: Floats, i: int) -> float:
    """<w, v_i>; 0 where it is negligible."""
    margin, length = evaluate(space, w, i), sqscale(space, i)
    # Roots take as long as the rest of a trial. Squares tell apart nearly all that is not negligible, and where
    # they leave the range of numbers, nothing.
    clear = margin * margin > 2 * (TIE * TIE * sqnorm[0] + ROUNDING * ROUNDING * gross[0] * gross[0]) * length
    if not clear and abs(margin) <= negligible(sqnorm[0], gross[0], length):
        margin = 0.0
    return margin


@inlined
def signed(margin: float) -> tuple[int, float]:
    """What `view` says of a binary margin: zero predicts +1."""
    return (1 if margin >= 0 else -1), margin


@inlined
def move(space: Any, w: Floats, sqnorm: Floats, gross: Floats, c: float, margin: float, i: int) -> float:
    """w += c v_i, where w had `margin` at i; the squared length of the move."""
    length = sqlength(space, i)
    shift(space, w, c, i)
    sqnorm[0] += c * (2 * margin + c * length)
    gross[0] += abs(c) * np.sqrt(length)
    return c * (c * length)  # in this order, for c may be as small as 1 / length
