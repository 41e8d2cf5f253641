"""A hypothesis w in a kernel's space with its squared length: how it is read and moved, and what a tie is."""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline.arrays import Floats
from ohmline.compiled import inlined
from ohmline.kernel.space import evaluate, shift, sqlength, sqscale
from ohmline.learn.contract import TIE


@inlined
def margin_at(space: Any, w: Floats, sqnorm: Floats, i: int) -> float:
    """<w, v_i>; 0 where it is below `TIE` times the largest size that it could have, ||w|| ||v_i||."""
    margin = evaluate(space, w, i)
    if abs(margin) <= TIE * np.sqrt(max(sqnorm[0], 0.0) * sqscale(space, i)):
        margin = 0.0
    return margin


@inlined
def signed(margin: float) -> tuple[int, float]:
    """What `view` says of a binary margin: zero predicts +1."""
    return (1 if margin >= 0 else -1), margin


@inlined
def move(space: Any, w: Floats, sqnorm: Floats, c: float, margin: float, i: int) -> float:
    """w += c v_i, where w had `margin` at i; the squared length of the move."""
    length = sqlength(space, i)
    shift(space, w, c, i)
    sqnorm[0] += 2 * c * margin + c * c * length
    return c * c * length
