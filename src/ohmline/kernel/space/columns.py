"""A kernel whose columns are computed when somebody reads them.

Compiled code cannot compute a column. It notes which one is missing and raises `MissingColumn`; whoever
called it (a learner's `learn_one`, the loop of a game, a kernel's own methods) fetches the column and calls
again. So a step is written as if every column were there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import compiled, implements
from ohmline.errors import KernelError
from ohmline.kernel.space.features import Features
from ohmline.kernel.space.operations import bring, entry, evaluate, shift, shift_apart, sqlength, sqscale


class MissingColumn(KernelError):
    """A column was read that has not been fetched."""


class Columns(NamedTuple):
    """`buffer[slot[i]]` is column i once it was fetched, else `slot[i]` is -1."""

    buffer: Floats
    slot: Ints
    diagonal: Floats
    """K_ii; NaN where it is not known yet."""
    longest: Floats
    """The largest K_ii known so far: what rounding is measured against where K_ii is not known."""
    missing: Ints
    """The one or two columns that the last interrupted step asked for; -1 for none."""

    @classmethod
    def empty(cls, columns: int, diagonal: Floats) -> Columns:
        n = len(diagonal)
        known = diagonal[~np.isnan(diagonal)]
        return cls(
            np.zeros((columns, n)),
            np.full(n, -1, dtype=np.int64),
            diagonal,
            np.array([known.max(initial=0.0)]),
            np.full(2, -1, dtype=np.int64),
        )

    def hold(self, i: int, slot: int, column: Floats, *, former: int) -> None:
        """Put column i into a slot, whose former column (-1: none) is no longer there."""
        if former >= 0:
            self.slot[former] = -1
        self.buffer[slot], self.slot[i] = column, slot
        if np.isnan(self.diagonal[i]):
            self.diagonal[i] = column[i]
            self.longest[0] = max(self.longest[0], column[i])

    def know(self, diagonal: Floats) -> None:
        """Fill in the K_ii that were not known."""
        unknown = np.isnan(self.diagonal)
        self.diagonal[unknown] = diagonal[unknown]
        self.longest[0] = max(self.longest[0], float(diagonal.max(initial=0.0)))

    @property
    def n(self) -> int:
        return len(self.slot)

    @property
    def width(self) -> int:
        return len(self.slot)

    @property
    def partial(self) -> bool:
        return True

    @property
    def capacity(self) -> int:
        return len(self.buffer)

    def wanted(self) -> tuple[list[int], list[int]]:
        wanted = [int(i) for i in self.missing if i >= 0]
        return wanted, [i for i in wanted if self.slot[i] < 0]

    def column(self, i: int) -> Floats:
        if self.slot[i] < 0:
            self.missing[:] = i, -1
            raise MissingColumn(f"column {i} was not fetched; call fetch({i}) on the kernel first")
        return np.array(self.buffer[self.slot[i]])

    def lengths(self) -> Floats:
        return self.diagonal.copy()

    def block(self, positions: Ints) -> Floats:
        return np.array([self.column(i)[positions] for i in positions.tolist()])

    def dense(self) -> Floats:
        raise KernelError("a kernel of columns on demand is never made dense; use LaplacianKernel instead")

    def explicit(self) -> Features | None:
        return None

    def coefficients(self, u: Floats) -> Floats:
        return u.copy()

    def plus(self, component_of: Ints, b: float, c: float) -> Columns:
        raise KernelError("a kernel of columns adds its bias and its ridge itself; call its own plus(b=, c=)")

    def scaled(self, factor: float) -> Columns:
        raise KernelError("a kernel of columns scales itself; call its own scaled(factor)")


@compiled
def slot_of(space: Columns, i: int) -> int:
    """Where column i is held, or `MissingColumn`."""
    if space.slot[i] < 0:
        space.missing[0] = i
        space.missing[1] = -1
        raise MissingColumn("a column was read that has not been fetched; fetch it, then call again")
    return space.slot[i]


@implements(bring, Columns)
def bring_columns(space: Columns, i: int, j: int) -> None:
    if space.slot[i] < 0 or space.slot[j] < 0:
        space.missing[0] = i
        space.missing[1] = j
        raise MissingColumn("columns will be read that have not been fetched; fetch them, then call again")


@implements(sqlength, Columns)
def sqlength_columns(space: Columns, i: int) -> float:
    if np.isnan(space.diagonal[i]):  # known once the column was fetched
        slot_of(space, i)
    return space.diagonal[i]


@implements(sqscale, Columns)
def sqscale_columns(space: Columns, i: int) -> float:
    return space.longest[0] if np.isnan(space.diagonal[i]) else space.diagonal[i]


@implements(evaluate, Columns)
def evaluate_columns(space: Columns, w: Floats, i: int) -> float:
    return w[i]


@implements(shift, Columns)
def shift_columns(space: Columns, w: Floats, c: float, i: int) -> None:
    row = space.buffer[slot_of(space, i)]
    for k in range(w.shape[0]):
        w[k] += c * row[k]


@implements(shift_apart, Columns)
def shift_apart_columns(space: Columns, w: Floats, c: float, i: int, j: int) -> None:
    here, there = space.buffer[slot_of(space, i)], space.buffer[slot_of(space, j)]
    for k in range(w.shape[0]):
        w[k] += c * (here[k] - there[k])


@implements(entry, Columns)
def entry_columns(space: Columns, i: int, j: int) -> float:
    if i == j:
        return sqlength(space, i)
    if space.slot[i] < 0 and space.slot[j] >= 0:
        return space.buffer[space.slot[j], i]
    return space.buffer[slot_of(space, i), j]
