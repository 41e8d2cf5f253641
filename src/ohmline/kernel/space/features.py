"""A kernel as the inner products of explicit vectors, with a ridge on top."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import dot, implements
from ohmline.kernel.space.contract import Complete
from ohmline.kernel.space.operations import entry, evaluate, shift, shift_apart, sqdistance, sqlength


class _Rows(NamedTuple):
    rows: Floats
    ridge: float
    diagonal: Floats


class Features(_Rows, Complete):
    """K = rows rows' + ridge I; `diagonal` is kept so that a length costs O(1)."""

    __slots__ = ()

    @property
    def table(self) -> Floats:
        """The rows that are read one by one, so that a loop can send for them ahead of time."""
        return self.rows

    @classmethod
    def of(cls, rows: Floats, ridge: float = 0.0) -> Features:
        rows = np.ascontiguousarray(rows)
        return cls(rows, ridge, np.einsum("id,id->i", rows, rows) + ridge)

    @property
    def n(self) -> int:  # type: ignore[override]
        return len(self.rows)

    @property
    def width(self) -> int:
        d = int(self.rows.shape[1])
        return d + len(self.rows) if self.ridge > 0 else d

    def column(self, i: int) -> Floats:
        column = np.asarray(self.rows @ self.rows[i], dtype=np.float64)
        column[i] += self.ridge
        return column

    def lengths(self) -> Floats:
        return self.diagonal.copy()

    def block(self, positions: Ints) -> Floats:
        rows = self.rows[positions]
        same = positions[:, None] == positions
        return np.asarray(rows @ rows.T + self.ridge * same, dtype=np.float64)

    def dense(self) -> Floats:
        return np.asarray(self.rows @ self.rows.T + self.ridge * np.eye(len(self.rows)), dtype=np.float64)

    def explicit(self) -> Features | None:
        return self

    def coefficients(self, u: Floats) -> Floats:
        columns = np.linalg.lstsq(self.dense(), u, rcond=None)[0]
        weights = self.rows.T @ columns
        return np.append(weights, self.ridge * columns) if self.ridge > 0 else np.asarray(weights)

    def plus(self, component_of: Ints, b: float, c: float) -> Features:
        rows = self.rows
        if b > 0:
            indicator = np.sqrt(b) * (component_of[:, None] == np.arange(component_of.max() + 1))
            rows = np.hstack([rows, indicator])
        return Features.of(rows, self.ridge + c)

    def scaled(self, factor: float) -> Features:
        return Features.of(np.sqrt(factor) * self.rows, factor * self.ridge)


@implements(sqlength, Features)
def sqlength_features(space: Features, i: int) -> float:
    return space.diagonal[i]


@implements(evaluate, Features)
def evaluate_features(space: Features, w: Floats, i: int) -> float:
    d = space.rows.shape[1]
    value: float = dot(space.rows[i], w, d)
    if space.ridge > 0:
        value += w[d + i]
    return value


@implements(shift, Features)
def shift_features(space: Features, w: Floats, c: float, i: int) -> None:
    row = space.rows[i]
    d = row.shape[0]
    for k in range(d):
        w[k] += c * row[k]
    if space.ridge > 0:
        w[d + i] += c * space.ridge


@implements(entry, Features)
def entry_features(space: Features, i: int, j: int) -> float:
    if i == j:
        return space.diagonal[i]
    return dot(space.rows[i], space.rows[j], space.rows.shape[1])


@implements(shift_apart, Features)
def shift_apart_features(space: Features, w: Floats, c: float, i: int, j: int) -> None:
    here, there = space.rows[i], space.rows[j]
    d = here.shape[0]
    for k in range(d):
        w[k] += c * (here[k] - there[k])
    if space.ridge > 0:
        w[d + i] += c * space.ridge
        w[d + j] -= c * space.ridge


@implements(sqdistance, Features)
def sqdistance_features(space: Features, i: int, j: int) -> float:
    here, there = space.rows[i], space.rows[j]
    total = 2 * space.ridge if i != j else 0.0
    for k in range(here.shape[0]):
        total += (here[k] - there[k]) ** 2
    return total
