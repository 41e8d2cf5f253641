"""Label propagation at scale: a fixed number of steps of a sparse product, in single precision."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ohmline.arrays import Floats, Ints
from ohmline.checks import count, number

STEPS = 50
ALPHA = 0.9


def propagate(
    adjacency: Any, known: Ints, codes: Ints, classes: int, steps: int = STEPS, alpha: float = ALPHA
) -> Ints:
    """The class of every node after F = alpha D^(-1/2) W D^(-1/2) F + (1 - alpha) Y, so many times, from F = Y.

    That is the form that the leaderboards of large graphs use. A row of F that nothing reached has the first class.

    Parameters
    ----------
    adjacency
        The weights, a symmetric sparse matrix without negative entries.
    known
        The nodes with a label.
    codes
        Their classes, 0 to `classes` - 1.
    classes
        How many there are.
    steps
        How many products, at least 0. Default 50.
    alpha
        The share of the neighbours, between 0 and 1. Default 0.9.
    """
    return np.asarray(scores(adjacency, known, codes, classes, steps, alpha).argmax(axis=1))


def scores(adjacency: Any, known: Ints, codes: Ints, classes: int, steps: int, alpha: float) -> Floats:
    """F after the last step."""
    steps, alpha = count(steps, "steps"), number(alpha, "alpha", least=0.0, most=1.0)
    matrix = sparse.csr_array(adjacency, dtype=np.float32)
    degree = np.asarray(matrix.sum(axis=1)).ravel()
    scale = sparse.diags_array(1 / np.sqrt(np.where(degree > 0, degree, 1)))
    step = sparse.csr_array(scale @ matrix @ scale, dtype=np.float32) * np.float32(alpha)
    labels = np.zeros((matrix.shape[0], classes), np.float32)
    labels[known, codes] = 1
    found, fixed = labels, np.float32(1 - alpha) * labels
    for _ in range(steps):
        found = step @ found + fixed
    return found
