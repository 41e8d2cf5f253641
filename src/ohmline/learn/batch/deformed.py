"""Kernel machines in a deformed space: loss on some of the values, two quadratic regularisers on all of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg

from ohmline.arrays import Floats, Ints
from ohmline.errors import ParameterError
from ohmline.learn.batch.machine import minimise
from ohmline.learn.manifold.loss import Loss


class Deformed(NamedTuple):
    """The minimisers, one column each, and what they cost together."""

    coefficients: Floats
    values: Floats
    risk: float
    gap: float
    """A proven limit on how far the risk is above its minimum."""

    @property
    def sqnorm(self) -> float:
        """The squared norm, summed over the columns."""
        return float(np.sum(self.coefficients * self.values))


def solve_deformed(
    gram: Floats,
    spread: Floats,
    lambda_1: float,
    known: Ints,
    targets: Floats,
    loss: Loss,
    weight: float = 1.0,
) -> Deformed:
    """Minimise, for each column y of `targets`, over f = K a,

        weight * mean over `known` of c(f_i, y_i) + lambda_1/2 a'Ka + 1/2 f'Mf,    with spread = M K.

    Both regularisers together are half the squared norm of a space with the kernel (lambda_1 I + K M)^-1 K, in which
    the problem is an ordinary kernel machine on the labelled values. `spread` is overwritten.
    """
    columns = np.zeros((len(gram), len(known)))
    columns[known, np.arange(len(known))] = 1.0
    spread[np.diag_indices(len(gram))] += lambda_1
    try:
        lift = weight * linalg.solve(spread, columns, overwrite_a=True, overwrite_b=True)
        deformed = gram[known] @ lift  # the deformed kernel between the labelled values, times the weight
        deformed = (deformed + deformed.T) / 2
        solved = [minimise(deformed, y, loss) for y in targets.T]
    except (linalg.LinAlgError, ValueError) as error:  # singular, or beyond the largest number
        raise ParameterError(
            f"the risk cannot be minimised with lambda_1 = {lambda_1:g} in 16 digits ({error}); raise lambda_1, or "
            "scale the points and the weights"
        ) from error
    coefficients = lift @ np.column_stack([dual for dual, _, _ in solved])
    return Deformed(
        coefficients,
        gram @ coefficients,
        weight * float(sum(risk for _, risk, _ in solved)),
        weight * float(sum(gap for _, _, gap in solved)),
    )
