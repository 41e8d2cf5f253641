"""Label propagation with the settings that the Open Graph Benchmark's leaderboards list, and what they say it gave.

F <- clip(alpha S F + (1 - alpha) Y) from F = Y, fifty times, where Y has a 1 for the class of each training node. S is
W D^-1 on ogbn-arxiv and D^(-1/2) W D^(-1/2) on ogbn-products: each has its own, as in the entry of Huang, He, Singh,
Lim and Benson (Combining label propagation and simple models out-performs graph neural networks, ICLR 2021).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from scipy import sparse

from ohmline.arrays import Floats, Ints
from ohmline.checks import count, number


class Scaling(Enum):
    """How the weights are scaled by the degrees."""

    COLUMNS = "W D^-1"
    BOTH = "D^(-1/2) W D^(-1/2)"


@dataclass(frozen=True, slots=True)
class Listed:
    """An entry of a leaderboard: the settings, and the share of the test nodes that they got right."""

    alpha: float
    scaling: Scaling
    test: float
    steps: int = 50


ENTRIES = {
    "ogbn-arxiv": Listed(0.9, Scaling.COLUMNS, 0.683),
    "ogbn-products": Listed(0.5, Scaling.BOTH, 0.743),
}
"""By the name of the data set."""


def scores(adjacency: Any, known: Ints, codes: Ints, classes: int, entry: Listed) -> Floats:
    """F after the last step, a row for each node.

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
    entry
        The settings.
    """
    steps, alpha = count(entry.steps, "steps"), number(entry.alpha, "alpha", least=0.0, most=1.0)
    step = scaled(adjacency, entry.scaling)
    step.data *= np.float32(alpha)
    labels = np.zeros((step.shape[0], classes), np.float32)
    labels[known, codes] = 1
    found, fixed = labels, np.float32(1 - alpha) * labels
    for _ in range(steps):
        found = step @ found
        found += fixed
        np.clip(found, 0, 1, out=found)
    return found


def scaled(adjacency: Any, scaling: Scaling) -> sparse.csr_array:
    """The weights by the degrees of their ends, in single precision; a node without edges keeps its zeros."""
    matrix = sparse.csr_array(adjacency, dtype=np.float32, copy=True)
    degree = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
    share = 1 / np.where(degree > 0, degree, 1)
    if scaling is Scaling.COLUMNS:
        matrix.data *= share[matrix.indices].astype(np.float32)
    else:
        root = np.sqrt(share)
        matrix.data *= root[matrix.indices].astype(np.float32)
        matrix.data *= np.repeat(root, np.diff(matrix.indptr)).astype(np.float32)
    return matrix
