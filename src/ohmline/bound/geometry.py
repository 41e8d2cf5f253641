"""What the perceptron's bounds are built from: Theorem 3.2 and Lemma 4.1 of paper 001.

Neither counts mistakes; each bounds one factor of those that do, so each gives both sides of its
inequality to look at.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ohmline.arrays import Floats, non_negative, positive
from ohmline.bound.asked_trials import labelling
from ohmline.errors import GraphError
from ohmline.graph.graph import Graph
from ohmline.graph.measure import cut, eccentricities
from ohmline.kernel.laplacian import LaplacianKernel
from ohmline.kernel.sums import component_means
from ohmline.kernel.terms import Constant, Ridge


class PointLengths(NamedTuple):
    """The chain of Theorem 3.2, eq. (8), for every node: each array is at most the next."""

    sqlength: Floats
    """||v_p||^2, the diagonal of L+."""
    mean_resistance: Floats
    """The mean of r(p, q) over all q, p included."""
    eccentricity: Floats
    """The geodesic distance to the furthest node."""


def point_lengths(graph: Graph) -> PointLengths:
    """||v_p||^2 <= mean of r(p, q) <= d(p), on a connected graph (Theorem 3.2, eq. (8)).

    >>> import ohmline as ohm
    >>> chain = point_lengths(ohm.graph.generate.line(3).graph)
    >>> [array.round(3).tolist() for array in chain]
    [[0.556, 0.222, 0.556], [1.0, 0.667, 1.0], [2.0, 1.0, 2.0]]
    """
    if not graph.is_connected or graph.signed:
        raise GraphError(
            "Theorem 3.2 is about connected graphs without negative weights; take graph.largest_component()"
        )
    diagonal = LaplacianKernel(graph).diagonal()
    # The columns of L+ sum to 0, so the mean of K_pp + K_qq - 2 K_pq over q needs the diagonal only.
    return PointLengths(diagonal, diagonal + diagonal.mean(), eccentricities(graph))


class NoisyNorm(NamedTuple):
    """The two sides of Lemma 4.1, eq. (12)."""

    sqnorm: float
    """||u'||^2 in the kernel K_c^b."""
    bound: float
    """||u||^2_G + beta_u / b + 4k / c."""


def noisy_norm(graph: Graph, noisy: Any, concept: Any, *, b: float, c: float = 0.0) -> NoisyNorm:
    """||u'||^2 <= ||u||^2_G + beta_u / b + 4k / c for labellings that differ in k nodes (Lemma 4.1).

    `noisy` is u' and `concept` is u. beta is summed over the components, each having its own
    bias; without a ridge the two must be equal, and so are the two sides (eq. (13)).

    >>> import ohmline as ohm
    >>> family = ohm.graph.generate.noisy_barbell(20, 1)
    >>> noisy_norm(family.graph, family.labels, family.clean, b=1.0, c=1.0)
    NoisyNorm(sqnorm=..., bound=8.0)
    """
    b, c = positive(b, "b"), non_negative(c, "c")
    u, turned = labelling(concept, graph.nodes), labelling(noisy, graph.nodes)
    odd = int(np.sum(u != turned))
    kernel = LaplacianKernel(graph) + Constant(b)
    beta = float(np.sum(component_means(u, graph.component_of) ** 2))
    price = (4 * odd / c if c > 0 else float("inf")) if odd else 0.0
    sqnorm = (kernel + Ridge(c) if c > 0 else kernel).sqnorm(turned)
    return NoisyNorm(sqnorm, 4 * cut(graph, u) + beta / b + price)
