"""Every entry of a kernel, in memory."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import implements
from ohmline.kernel.space.contract import Complete
from ohmline.kernel.space.features import Features
from ohmline.kernel.space.operations import entry, evaluate, shift, shift_apart, sqlength


class _Matrix(NamedTuple):
    matrix: Floats


class Dense(_Matrix, Complete):
    """The whole matrix; a hypothesis is its n values."""

    __slots__ = ()

    @property
    def n(self) -> int:  # type: ignore[override]
        return len(self.matrix)

    @property
    def width(self) -> int:
        return len(self.matrix)

    def column(self, i: int) -> Floats:
        return np.array(self.matrix[i])

    def lengths(self) -> Floats:
        return np.diagonal(self.matrix).copy()

    def block(self, positions: Ints) -> Floats:
        return np.array(self.matrix[np.ix_(positions, positions)])

    def dense(self) -> Floats:
        return self.matrix

    def explicit(self) -> Features | None:
        return None

    def coefficients(self, u: Floats) -> Floats:
        return u.copy()

    def plus(self, component_of: Ints, b: float, c: float) -> Dense:
        full = self.matrix + b * (component_of[:, None] == component_of)
        full[np.diag_indices(len(full))] += c
        return Dense(full)

    def scaled(self, factor: float) -> Dense:
        return Dense(factor * self.matrix)


@implements(sqlength, Dense)
def sqlength_dense(space: Dense, i: int) -> float:
    return space.matrix[i, i]


@implements(evaluate, Dense)
def evaluate_dense(space: Dense, w: Floats, i: int) -> float:
    return w[i]


@implements(shift, Dense)
def shift_dense(space: Dense, w: Floats, c: float, i: int) -> None:
    row = space.matrix[i]
    for k in range(w.shape[0]):
        w[k] += c * row[k]


@implements(shift_apart, Dense)
def shift_apart_dense(space: Dense, w: Floats, c: float, i: int, j: int) -> None:
    here, there = space.matrix[i], space.matrix[j]
    for k in range(w.shape[0]):
        w[k] += c * (here[k] - there[k])


@implements(entry, Dense)
def entry_dense(space: Dense, i: int, j: int) -> float:
    return space.matrix[i, j]
