"""A Gaussian field over all nodes: what is believed now, and what would be believed after one more label.

| theory | here |
|---|---|
| C | `covariance` before the labels in `given`; never written out |
| x = C e_i, given what came before | `column(i)` |
| u = x / sqrt(noise + x_i) | a row of `_moves`: C - sum u u' is the covariance now |
| diag C | `variance`, kept up |
| f | `mean`, kept up: one column per class, one-hot |

One more label costs one column: a solve, and a product with the moves so far.
"""

from __future__ import annotations

from typing import Self, final

import numpy as np

from ohmline.arrays import Floats
from ohmline.query.covariance import Covariance

PROBES = 64
"""Random sums of all nodes from which the lengths of columns are estimated."""


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

    @property
    def variance(self) -> Floats:
        """Of every node, given the labels so far; not to be changed."""
        if self._variance is None:
            self._variance = np.maximum(self.covariance.diagonal(), 0.0)
            for move in self._moves[: self.given]:
                self._variance = np.maximum(self._variance - move * move, 0.0)
        return self._variance

    def column(self, i: int) -> Floats:
        """The covariance of every node with node i, given the labels so far."""
        moves = self._moves[: self.given]
        return self.covariance.column(i) - moves[:, i] @ moves

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

    def condition(self, i: int, code: int) -> Floats:
        """Learn that node i has the class `code` (-1: any; only the variance changes); u, by which the field moved."""
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
        return move

    def branch(self) -> Self:
        """A copy that can be conditioned on labels that may never come."""
        twin = type(self)(self.covariance, self.noise, self.mean)
        twin._moves, twin.given = self._moves[: self.given].copy(), self.given
        twin._variance, twin._probes = self._variance, self._probes
        return twin

    def widen(self, classes: int) -> None:
        """Make room for classes that came up: nobody has them yet."""
        missing = classes - self.mean.shape[1]
        if missing > 0:
            self.mean = np.hstack([self.mean, np.zeros((len(self.mean), missing))])


def leaders(mean: Floats) -> tuple[Floats, Floats]:
    """The largest and the second largest value at each node, none below 0."""
    if mean.shape[1] < 2:
        top = mean.max(axis=1, initial=0.0)
        return top, np.zeros_like(top)
    two = np.partition(mean, -2, axis=1)[:, -2:]
    return np.maximum(two[:, 1], 0.0), np.maximum(two[:, 0], 0.0)
