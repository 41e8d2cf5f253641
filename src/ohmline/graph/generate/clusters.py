"""Graphs of a few cliques: the barbells of paper 001 and the three clusters of paper 002."""

from __future__ import annotations

import numpy as np

from ohmline.checks import count, generator
from ohmline.errors import ParameterError
from ohmline.graph.generate.labelled import Labelled, halves
from ohmline.graph.generate.simple import clique_edges, graph_of, size


def barbell(m: int) -> Labelled:
    """Two m-cliques, +1 and -1, joined by one edge: cut 1, diameter 3 (paper 001, Figure 2).

    Parameters
    ----------
    m
        The nodes of each clique, at least 2.
    """
    return thick_barbell(m, 1)


def thick_barbell(m: int, edges: int) -> Labelled:
    """Two m-cliques, +1 and -1, joined by several edges (paper 001, end of section 4).

    Nodes 0..m-1 form one clique and m..2m-1 the other; the edges between them are
    (m - 1 - i, m + i), no two at one node, so any two nodes have l edge-disjoint paths of
    at most five edges between them and the resistance diameter is at most 5 / l.

    Parameters
    ----------
    m
        The nodes of each clique, at least 2.
    edges
        How many edges join the cliques, from 1 to m; the paper's l.
    """
    m = size(m, "m", least=2)
    edges = count(edges, "edges", least=1)
    if edges > m:
        raise ParameterError(f"edges is {edges}; two cliques of m = {m} nodes have a matching of at most {m}")
    bridges = np.column_stack([m - 1 - np.arange(edges), m + np.arange(edges)])
    graph = graph_of(
        np.vstack([clique_edges(np.arange(m)), clique_edges(np.arange(m, 2 * m)), bridges]), 2 * m
    )
    return Labelled(graph, halves(2 * m, m), groups=np.repeat([0, 1], m))


def noisy_barbell(m: int, k: int) -> Labelled:
    """A barbell in which k nodes of the first clique carry the other label (paper 001, Figure 3).

    The odd nodes are 0..k-1, away from the bridge. `clean` is the labelling without them,
    the u' of Theorem 4.2; its cut is 1 while that of `labels` is k (m - k) + 1.

    Parameters
    ----------
    m
        The nodes of each clique, at least 2.
    k
        How many nodes of the first clique carry the other label, from 0 to m - 1.

    Examples
    --------
    >>> noisy = noisy_barbell(4, 1)
    >>> noisy.labels, noisy.clean
    (array([-1,  1,  1,  1, -1, -1, -1, -1]), array([ 1,  1,  1,  1, -1, -1, -1, -1]))
    """
    plain = barbell(m)
    k = count(k, "k")
    if k >= m:
        raise ParameterError(f"k is {k}; fewer than all m = {m} nodes of a clique may be noisy")
    labels = plain.labels.copy()
    labels[:k] = -1
    return Labelled(plain.graph, labels, clean=plain.labels, groups=plain.groups)


def three_clusters(m: int, seed: int = 0, *, edges: int | None = None) -> Labelled:
    """Three m-cliques, two of them close and one remote (paper 002, section 2.2 and Figure 2).

    The first two, labelled +1 and -1, are joined by l random edges with no node in common; the third,
    labelled +1, hangs on each of them by one edge. So the cut is l + 1 while the resistance diameter stays
    near 1/2: the perceptron's bound grows with m, and that of POUNCE stays at 20.

    Parameters
    ----------
    m
        The nodes of each clique, at least 2.
    seed
        Draws the edges between the cliques. Default 0.
    edges
        How many edges join the first two cliques, from 1 to m; the paper's l. m // 2 by default.

    Examples
    --------
    >>> three = three_clusters(4)
    >>> three.graph.n, three.graph.n_edges, three.groups
    (12, 22, array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]))
    """
    m = size(m, "m", least=2)
    edges, rng = count(m // 2 if edges is None else edges, "edges", least=1), generator(seed)
    if edges > m:
        raise ParameterError(f"edges is {edges}; two cliques of m = {m} nodes have a matching of at most {m}")
    bridges = np.column_stack([rng.permutation(m)[:edges], m + rng.permutation(m)[:edges]])
    ends = rng.permutation(m)[:2] + 2 * m
    remote = np.column_stack([[rng.integers(m), m + rng.integers(m)], ends])
    cliques = [clique_edges(np.arange(k * m, (k + 1) * m)) for k in range(3)]
    labels = np.repeat(np.array([1, -1, 1]), m)
    return Labelled(
        graph_of(np.vstack([*cliques, bridges, remote]), 3 * m), labels, groups=np.repeat([0, 1, 2], m)
    )
