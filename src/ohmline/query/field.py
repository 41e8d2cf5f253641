"""A Gaussian field over all nodes: what is believed now, and what would be believed after one more label.

| theory | here |
|---|---|
| C | `covariance` before the labels that were `given`; never written out |
| x = C e_i, given what came before | `column(i)` |
| u = x / sqrt(noise + x_i) | a row of `_moves`: C - sum u u' is the covariance now |
| diag C | `variance`, kept up |
| f | `mean`, kept up: one column per class, one-hot |

One more label costs one column: a solve, and a product with the moves so far. Columns that were read lately are held,
and brought up to date by the moves that came since.
"""

from __future__ import annotations

from typing import Self, final

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import compiled
from ohmline.query.covariance import Covariance

PROBES = 64
"""Random sums of all nodes from which the lengths of columns are estimated."""
HELD = 96
"""How many columns are held."""


@final
class Field:
    """A mean and a covariance, conditioned on one label after the other by exact updates of rank one."""

    def __init__(self, covariance: Covariance, noise: float, mean: Floats) -> None:
        self.covariance, self.noise, self.mean = covariance, noise, mean
        self._variance: Floats | None = None
        self._probes: tuple[Floats, Floats] | None = None
        self._moves: Floats = np.empty((0, len(mean)))
        self.given = 0
        """How many labels it was conditioned on since it was made."""
        self._held: Floats = np.empty((0, len(mean)))
        self._row_of: dict[int, int] = {}
        """The rows of `_held`, the least recently read first."""
        self._since: Ints = np.empty(0, np.int64)
        """How many labels each held column knows of."""

    @property
    def variance(self) -> Floats:
        """Of every node, given the labels so far; not to be changed."""
        if self._variance is None:
            self._variance = np.maximum(self.covariance.diagonal(), 0.0)
            for move in self._moves[: self.given]:
                self._variance = np.maximum(self._variance - move * move, 0.0)
        return self._variance

    def column(self, i: int) -> Floats:
        """The covariance of every node with node i, given the labels so far; the caller's own."""
        return self.columns(np.array([i]))[0]

    def columns(self, positions: Ints) -> Floats:
        """The covariance of every node with each of these, at most `HELD` different ones, as rows; the caller's own."""
        wanted: list[int] = positions.tolist()
        fresh = [i for i in wanted if i not in self._row_of]
        if fresh:
            self._fetch(fresh, set(wanted))
        for i in wanted:
            self._row_of[i] = self._row_of.pop(i)  # the most recently read comes last
        rows = np.array([self._row_of[i] for i in wanted])
        out = np.empty((len(wanted), len(self.mean)))
        bring_up(self._held, self._since, self._moves, self.given, positions, rows, out)
        return out

    def _fetch(self, fresh: list[int], kept: set[int]) -> None:
        """Hold these columns too, in place of the least recently read."""
        if len(self._held) < HELD:
            size = min(HELD, max(2 * len(self._held), len(self._row_of) + len(fresh)))
            self._held = np.concatenate([self._held, np.empty((size - len(self._held), len(self.mean)))])
            self._since = np.concatenate([self._since, np.zeros(size - len(self._since), np.int64)])
        moves, at = self._moves[: self.given], np.array(fresh)
        columns = self.covariance.columns(at) - moves[:, at].T @ moves
        spare = [i for i in self._row_of if i not in kept]
        for i, column in zip(fresh, columns, strict=True):
            row = len(self._row_of) if len(self._row_of) < len(self._held) else self._row_of.pop(spare.pop(0))
            self._row_of[i] = row
            self._held[row], self._since[row] = column, self.given

    def times(self, weights: Floats) -> Floats:
        """The covariance of every node with the weighted sum of all, given the labels so far."""
        moves = self._moves[: self.given]
        return self.covariance.times(weights) - (moves @ weights) @ moves

    def sqlengths(self) -> Floats:
        """An estimate of the squared length of every column: with random signs z, the mean of (C z)^2.

        What it needs is kept up from label to label, so that only the first call solves.
        """
        if self._probes is None:
            rng = np.random.default_rng(0)
            signs = np.where(rng.random((len(self.mean), PROBES)) < 0.5, -1.0, 1.0)
            self._probes = signs, np.stack([self.times(signs[:, k].copy()) for k in range(PROBES)])
        return np.asarray((self._probes[1] ** 2).mean(axis=0))

    def condition(self, i: int, code: int) -> None:
        """Learn that node i has the class `code` (-1: any; only the covariance changes)."""
        column = self.column(i)
        spread = self.noise + max(float(column[i]), 0.0)
        move = column / np.sqrt(spread) if spread > 0 else np.zeros_like(column)
        if self.given == len(self._moves):
            longer = np.empty((max(16, 2 * self.given), len(column)))
            longer[: self.given] = self._moves
            self._moves = longer
        self._moves[self.given] = move
        self.given += 1
        if self._variance is not None:
            self._variance = np.maximum(self._variance - move * move, 0.0)
        if self._probes is not None:
            signs, seen = self._probes
            self._probes = signs, seen - np.outer(move @ signs, move)
        if code >= 0 and spread > 0:
            wish = -self.mean[i]
            wish[code] += 1.0
            self.mean = self.mean + np.outer(column, wish / spread)

    def branch(self) -> Self:
        """A copy that can be conditioned on labels that may never come."""
        twin = type(self)(self.covariance, self.noise, self.mean)
        twin._moves, twin.given = self._moves[: self.given].copy(), self.given
        twin._variance, twin._probes = self._variance, self._probes
        twin._held, twin._row_of, twin._since = self._held.copy(), dict(self._row_of), self._since.copy()
        return twin

    def widen(self, classes: int) -> None:
        """Make room for classes that came up: nobody has them yet."""
        missing = classes - self.mean.shape[1]
        if missing > 0:
            self.mean = np.hstack([self.mean, np.zeros((len(self.mean), missing))])


@compiled
def bring_up(
    held: Floats, since: Ints, moves: Floats, given: int, positions: Ints, rows: Ints, out: Floats
) -> None:
    """Take from each held column what labels have come since it was last read, and copy it out."""
    for k in range(len(positions)):
        row = rows[k]
        for m in range(since[row], given):
            share = moves[m, positions[k]]
            for j in range(held.shape[1]):
                held[row, j] -= share * moves[m, j]
        since[row] = given
        for j in range(held.shape[1]):
            out[k, j] = held[row, j]


def leaders(mean: Floats) -> tuple[Floats, Floats]:
    """The largest and the second largest value at each node, none below 0."""
    if mean.shape[1] < 2:
        top = mean.max(axis=1, initial=0.0)
        return top, np.zeros_like(top)
    two = np.partition(mean, -2, axis=1)[:, -2:]
    return np.maximum(two[:, 1], 0.0), np.maximum(two[:, 0], 0.0)
