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
from ohmline.graph.graph import Graph, expect_graph
from ohmline.graph.measure import cut, eccentricities
from ohmline.kernel.laplacian import LaplacianKernel
from ohmline.kernel.sums import component_means
from ohmline.kernel.terms import Constant, Ridge


class PointLengths(NamedTuple):
    """The chain of inequalities of Theorem 3.2, eq. (8), for every node: each array is at most the next.

    Attributes
    ----------
    sqlength
        ||v_p||^2, the diagonal of L+.
    mean_resistance
        The mean of r(p, q) over all q, p included.
    eccentricity
        d(p), the geodesic distance to the furthest node.
    """

    sqlength: Floats
    mean_resistance: Floats
    eccentricity: Floats


def point_lengths(graph: Graph) -> PointLengths:
    """Compare the lengths of a graph's points with resistances and distances (paper 001, Theorem 3.2, eq. (8)).

    ||v_p||^2 <= mean of r(p, q) <= d(p).

    Parameters
    ----------
    graph
        A connected graph without negative weights.

    Examples
    --------
    >>> import ohmline as ohm
    >>> chain = point_lengths(ohm.graph.generate.line(3).graph)
    >>> [array.round(3).tolist() for array in chain]
    [[0.556, 0.222, 0.556], [1.0, 0.667, 1.0], [2.0, 1.0, 2.0]]
    """
    expect_graph(graph)
    if not graph.is_connected or graph.signed:
        raise GraphError(
            "Theorem 3.2 is about connected graphs without negative weights; take graph.largest_component()"
        )
    diagonal = LaplacianKernel(graph).diagonal()
    # The columns of L+ sum to 0, so the mean of K_pp + K_qq - 2 K_pq over q needs the diagonal only.
    return PointLengths(diagonal, diagonal + diagonal.mean(), eccentricities(graph))


class NoisyNorm(NamedTuple):
    """The two sides of Lemma 4.1, eq. (12).

    Attributes
    ----------
    sqnorm
        ||u'||^2 in the kernel K_c^b.
    bound
        ||u||^2_G + beta_u / b + 4k / c, which is at least as large.
    """

    sqnorm: float
    bound: float


def noisy_norm(graph: Graph, noisy: Any, concept: Any, *, b: float, c: float = 0.0) -> NoisyNorm:
    """Bound the norm of a noisy labelling by that of a smooth one (paper 001, Lemma 4.1).

    ||u'||^2 <= ||u||^2_G + beta_u / b + 4k / c for labellings u and u' that differ in k nodes. beta is summed over the
    components, each of which has its own bias.

    Parameters
    ----------
    graph
        The graph of the kernel.
    noisy
        u', a labelling of every node in -1 and +1: an array in the order of the nodes, or a mapping.
    concept
        u, another labelling of every node.
    b
        The bias of the kernel, above 0.
    c
        The ridge of the kernel, at least 0. Without a ridge (0, the default) the bound is infinite unless the
        labellings are equal, and then so are the two sides (eq. (13)).

    Examples
    --------
    >>> import ohmline as ohm
    >>> family = ohm.graph.generate.noisy_barbell(20, 1)
    >>> noisy_norm(family.graph, family.labels, family.clean, b=1.0, c=1.0)
    NoisyNorm(sqnorm=..., bound=8.0)
    """
    expect_graph(graph)
    b, c = positive(b, "b"), non_negative(c, "c")
    u, turned = labelling(concept, graph.nodes), labelling(noisy, graph.nodes)
    odd = int(np.sum(u != turned))
    kernel = LaplacianKernel(graph) + Constant(b)
    beta = float(np.sum(component_means(u, graph.component_of) ** 2))
    price = (4 * odd / c if c > 0 else float("inf")) if odd else 0.0
    sqnorm = (kernel + Ridge(c) if c > 0 else kernel).sqnorm(turned)
    return NoisyNorm(sqnorm, 4 * cut(graph, u) + beta / b + price)
