"""Properties of a labelling: its cut and its balance."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ohmline.arrays import Floats, vector
from ohmline.errors import GraphError
from ohmline.graph.graph import Graph, expect_graph, signs


def cut(graph: Graph, labels: ArrayLike) -> float:
    """Phi(u): the weight of the edges that the labelling violates, each edge once.

    An edge is violated when its ends disagree; a negative edge of a signed graph, when they agree, and it
    counts with its absolute weight. So u'Lu = 4 Phi(u), with the graph's (signed) Laplacian L.

    Parameters
    ----------
    graph
        The graph, signed or not.
    labels
        The labelling u: -1 or +1 for every position.

    Examples
    --------
    >>> from ohmline.graph import generate
    >>> octopus = generate.octopus(3, 2)
    >>> cut(octopus.graph, octopus.labels)
    1.0
    """
    u = signs(labels, expect_graph(graph).n)
    sources, targets, weights = graph.edges()
    violated = u[sources] * u[targets] * weights < 0
    return float(np.abs(weights[violated]).sum())


def balance(labels: ArrayLike) -> float:
    """bal(u) = (1 - |mean u|)^-2: from 1 for as many -1 as +1 to n^2/4 for one odd node.

    Infinite when all labels agree (papers 000, Theorem 4.1, and 001, eq. (1)).

    Differs: paper 001 prints n^2 for one odd node; its formula gives n^2/4.

    Parameters
    ----------
    labels
        The labelling u: -1 or +1 for every position, at least one.

    Examples
    --------
    >>> balance([1, 1, 1, -1])
    4.0
    """
    mean = abs(float(_labelling(labels).mean()))
    return math.inf if mean == 1 else (1 - mean) ** -2


def imbalance(labels: ArrayLike) -> float:
    """beta_u = (mean u)^2: 0 for as many -1 as +1, 1 when all agree (paper 001, section 4).

    Parameters
    ----------
    labels
        As for `balance`.

    Examples
    --------
    >>> imbalance([1, 1, 1, -1])
    0.25
    """
    return float(_labelling(labels).mean()) ** 2


def _labelling(labels: ArrayLike) -> Floats:
    u = vector(labels, "labels")
    if len(u) == 0:
        raise GraphError("labels is empty; give -1 or +1 for every node")
    return signs(u, len(u))
