"""The operations of compiled code on a space. Each space has its own body of every one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline.arrays import Floats
from ohmline.compiled import compiled, generic


@generic("space")
def evaluate(space: Any, w: Any, i: Any) -> float:
    """The value of hypothesis `w` at node `i`: <w, v_i>."""
    raise TypeError("compiled code only")


@generic("space")
def shift(space: Any, w: Any, c: Any, i: Any) -> None:
    """w += c v_i, in place."""
    raise TypeError("compiled code only")


@generic("space")
def entry(space: Any, i: Any, j: Any) -> float:
    """K_ij."""
    raise TypeError("compiled code only")


@generic("space")
def sqlength(space: Any, i: Any) -> float:
    """K_ii."""
    raise TypeError("compiled code only")


def _sqlength(space: Any, i: Any) -> float:
    return sqlength(space, i)


@generic("space", default=_sqlength)
def sqscale(space: Any, i: Any) -> float:
    """K_ii, or a guess at it where reading it would cost a column: what a tie is measured against."""
    raise TypeError("compiled code only")


def _sqdistance(space: Any, i: Any, j: Any) -> float:
    return sqlength(space, i) + sqlength(space, j) - 2 * entry(space, i, j)


@generic("space", default=_sqdistance)
def sqdistance(space: Any, i: Any, j: Any) -> float:
    """||v_i - v_j||^2; where it is below the rounding of K_ii and K_jj it may come out as 0 or less."""
    raise TypeError("compiled code only")


def _apart(space: Any, w: Any, c: Any, i: Any, j: Any) -> None:
    shift(space, w, c, i)
    shift(space, w, -c, j)


@generic("space", default=_apart)
def shift_apart(space: Any, w: Any, c: Any, i: Any, j: Any) -> None:
    """w += c (v_i - v_j), in place; as one step, so that what the two points share cancels before it is added."""
    raise TypeError("compiled code only")


def _all_there(space: Any, i: Any, j: Any) -> None:
    return None


@generic("space", default=_all_there)
def bring(space: Any, i: Any, j: Any) -> None:
    """Say that the columns of both nodes will be read, so that missing ones are fetched together.

    A step need not say so: a column that is missing is fetched when it is read. Two at once are cheaper.
    """
    raise TypeError("compiled code only")


@compiled
def values(space: Any, w: Floats, n: int) -> Floats:
    """The hypothesis at every node."""
    out = np.empty(n)
    for i in range(n):
        out[i] = evaluate(space, w, i)
    return out


@compiled
def sqdistance_at(space: Any, i: int, j: int) -> float:
    """||v_i - v_j||^2, callable from Python."""
    return sqdistance(space, i, j)


@compiled
def entry_at(space: Any, i: int, j: int) -> float:
    """K_ij, callable from Python."""
    return entry(space, i, j)
