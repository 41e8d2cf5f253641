"""The compiled form of a kernel: how a hypothesis is stored, read and moved.

| paper | here | meaning |
|---|---|---|
| v_i, K_i | ``i`` | the point of node i in the kernel's space |
| w, g | ``w`` | the hypothesis |
| K_ij | ``inner(space, i, j)`` | inner product of two points |
| K_ii | ``sqlength(space, i)`` | squared length of a point, in O(1) |

``Dense`` keeps the hypothesis as its n values, so reading it costs O(1) and moving it O(n).
``Features`` keeps it as d weights (plus n of its own when there is a ridge): O(d) for both.
``Columns`` keeps values too, but holds only those columns that were fetched so far.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from ohmline.arrays import Floats, Ints
from ohmline.compiled import compiled, dot, fetch_row, implements


class Dense(NamedTuple):
    """Every entry of the kernel."""

    matrix: Floats


class Features(NamedTuple):
    """K = rows rows' + ridge I; ``diagonal`` is kept so that a length costs O(1)."""

    rows: Floats
    ridge: float
    diagonal: Floats

    @classmethod
    def of(cls, rows: Floats, ridge: float = 0.0) -> Features:
        rows = np.ascontiguousarray(rows)
        return cls(rows, ridge, np.einsum("id,id->i", rows, rows) + ridge)


class Columns(NamedTuple):
    """Columns on demand: ``buffer[slot[i]]`` is column i once it was fetched, else slot is -1.

    ``diagonal`` is NaN where it is not known yet.
    """

    buffer: Floats
    slot: Ints
    diagonal: Floats


Space = Dense | Features | Columns


def width(space: Space) -> int:
    """Length of the array that holds a hypothesis."""
    if isinstance(space, Features):
        d = int(space.rows.shape[1])
        return d + len(space.rows) if space.ridge > 0 else d
    return len(space.slot) if isinstance(space, Columns) else len(space.matrix)


def evaluate(space: Any, w: Any, i: Any) -> float:
    """The value of hypothesis ``w`` at node ``i``: <w, v_i>."""
    raise TypeError("compiled code only")


def shift(space: Any, w: Any, c: Any, i: Any) -> None:
    """w += c v_i, in place."""
    raise TypeError("compiled code only")


def inner(space: Any, i: Any, j: Any) -> float:
    """K_ij."""
    raise TypeError("compiled code only")


def sqlength(space: Any, i: Any) -> float:
    """K_ii."""
    raise TypeError("compiled code only")


def ahead(space: Any, i: Any) -> None:
    """Say that node i comes up soon: what it will read may be fetched meanwhile."""
    raise TypeError("compiled code only")


@overload(ahead, strict=False)  # type: ignore[untyped-decorator]
def _(space: Any, i: Any) -> Any:
    # Only the rows of many features are worth it; every other space has nothing to fetch.
    if getattr(space, "instance_class", None) is Features:
        return lambda space, i: fetch_row(space.rows, i)
    return lambda space, i: None


@implements(sqlength, Dense, "space")
def _(space: Dense, i: int) -> float:
    return space.matrix[i, i]  # type: ignore[no-any-return]


@implements(sqlength, Features, "space")
def _(space: Features, i: int) -> float:
    return space.diagonal[i]  # type: ignore[no-any-return]


@implements(sqlength, Columns, "space")
def _(space: Columns, i: int) -> float:
    return space.diagonal[i]  # type: ignore[no-any-return]


@implements(evaluate, Dense, "space")
def _(space: Dense, w: Floats, i: int) -> float:
    return w[i]  # type: ignore[no-any-return]


@implements(shift, Dense, "space")
def _(space: Dense, w: Floats, c: float, i: int) -> None:
    row = space.matrix[i]
    for k in range(w.shape[0]):
        w[k] += c * row[k]


@implements(inner, Dense, "space")
def _(space: Dense, i: int, j: int) -> float:
    return space.matrix[i, j]  # type: ignore[no-any-return]


@implements(evaluate, Features, "space")
def _(space: Features, w: Floats, i: int) -> float:
    d = space.rows.shape[1]
    value: float = dot(space.rows[i], w, d)
    if space.ridge > 0:
        value += w[d + i]
    return value


@implements(shift, Features, "space")
def _(space: Features, w: Floats, c: float, i: int) -> None:
    row = space.rows[i]
    d = row.shape[0]
    for k in range(d):
        w[k] += c * row[k]
    if space.ridge > 0:
        w[d + i] += c * space.ridge


@implements(inner, Features, "space")
def _(space: Features, i: int, j: int) -> float:
    if i == j:
        return space.diagonal[i]  # type: ignore[no-any-return]
    return dot(space.rows[i], space.rows[j], space.rows.shape[1])  # type: ignore[no-any-return]


@implements(evaluate, Columns, "space")
def _(space: Columns, w: Floats, i: int) -> float:
    return w[i]  # type: ignore[no-any-return]


@implements(shift, Columns, "space")
def _(space: Columns, w: Floats, c: float, i: int) -> None:
    row = space.buffer[space.slot[i]]
    for k in range(w.shape[0]):
        w[k] += c * row[k]


@implements(inner, Columns, "space")
def _(space: Columns, i: int, j: int) -> float:
    if i == j:
        return space.diagonal[i]  # type: ignore[no-any-return]
    if space.slot[i] >= 0:
        return space.buffer[space.slot[i], j]  # type: ignore[no-any-return]
    return space.buffer[space.slot[j], i]  # type: ignore[no-any-return]


@compiled
def values(space: Any, w: Floats, n: int) -> Floats:
    """The hypothesis at every node."""
    out = np.empty(n)
    for i in range(n):
        out[i] = evaluate(space, w, i)
    return out


@compiled
def inner_of(space: Any, i: int, j: int) -> float:
    """K_ij, callable from Python."""
    return inner(space, i, j)
