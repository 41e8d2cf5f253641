"""Lines, rings, hypercubes, cliques, stars, trees, flowers and octopi."""

from __future__ import annotations

import numpy as np

from ohmline.arrays import Ints
from ohmline.checks import count, generator, room
from ohmline.graph.generate.labelled import Labelled, halves
from ohmline.graph.graph import Graph

EDGE = 64
"""Bytes that an edge takes while a graph is built."""


def line(n: int) -> Labelled:
    """A path of n nodes, +1 on its first half: cut 1, diameter n - 1 (paper 001, section 5.2).

    Parameters
    ----------
    n
        The number of nodes, at least 1.

    Examples
    --------
    >>> line(4).graph.edges()[:2]
    (array([0, 1, 2]), array([1, 2, 3]))
    """
    n = size(n, "n", least=1)
    return Labelled(graph_of(path(np.arange(n)), n), halves(n, (n + 1) // 2))


def ring(n: int) -> Labelled:
    """A cycle of n nodes, +1 on one half: cut 2, diameter floor(n / 2) (paper 000, section 4).

    Parameters
    ----------
    n
        The number of nodes, at least 3.
    """
    n = size(n, "n", least=3)
    edges = np.vstack([path(np.arange(n)), [[n - 1, 0]]])
    return Labelled(graph_of(edges, n), halves(n, (n + 1) // 2))


def hypercube(d: int) -> Labelled:
    """The d-dimensional binary cube, +1 where the highest bit is 0: cut 2^(d-1), diameter d.

    Its algebraic connectivity is 2 for every d.

    Parameters
    ----------
    d
        The dimension, at least 1; the cube has 2^d nodes.
    """
    d = count(d, "d", least=1, most=40)
    size(d * 2**d, "the number of edges")
    corners = np.arange(2**d)
    edges = np.vstack([np.column_stack([corners, corners ^ (1 << bit)]) for bit in range(d)])
    return Labelled(graph_of(edges[edges[:, 0] < edges[:, 1]], 2**d), halves(2**d, 2 ** (d - 1)))


def clique(n: int) -> Graph:
    """All n (n - 1) / 2 edges between n nodes; every resistance is 2 / n.

    Parameters
    ----------
    n
        The number of nodes, at least 1.
    """
    n = size(n, "n", least=1)
    return graph_of(clique_edges(np.arange(n)), n)


def star(leaves: int) -> Graph:
    """A centre, node 0, with an edge to each of its leaves.

    Parameters
    ----------
    leaves
        The number of leaves, at least 0.
    """
    leaves = size(leaves, "leaves")
    return graph_of(np.column_stack([np.zeros(leaves, dtype=np.int64), np.arange(1, leaves + 1)]), leaves + 1)


def tree(n: int, *, seed: int = 0) -> Graph:
    """A random recursive tree: node i hangs on a node drawn evenly from 0..i-1.

    Parameters
    ----------
    n
        The number of nodes, at least 1.
    seed
        Draws the tree. Default 0.
    """
    n, rng = size(n, "n", least=1), generator(seed)
    nodes = np.arange(1, n)
    parents = rng.integers(0, nodes) if n > 1 else nodes
    return graph_of(np.column_stack([parents, nodes]), n)


def flower(p: int, m: int) -> Labelled:
    """A stem of p nodes with m petals on its last (paper 001, section 3 and Figure 4).

    Stem: nodes 0..p-1, labelled +1; petals: p..p+m-1, labelled -1. From p = 2 on the diameter is p, and
    the squared length of node 0 in the kernel L+ lies between
    (p - 1) - (p - 1)^2 p^2 / 4m and p, so the diameter bounds it almost tightly.

    Parameters
    ----------
    p
        The nodes of the stem, at least 1.
    m
        The number of petals, at least 1.
    """
    p, m = size(p, "p", least=1), size(m, "m", least=1)
    petals = np.column_stack([np.full(m, p - 1), np.arange(p, p + m)])
    return Labelled(graph_of(np.vstack([path(np.arange(p)), petals]), p + m), halves(p + m, p))


def octopus(m: int, p: int, head: int | None = None) -> Labelled:
    """A clique with m tentacles of length p (paper 001, section 5.1 and Figure 5).

    | paper | here |
    |---|---|
    | l | `head` |
    | c_i | node i - 1, labelled +1 |
    | r | node `head`, the root of the tentacles, labelled -1 |
    | t_i,j | node head + (i - 1) p + j, labelled -1 |

    The cut is 1 (the body, between c_1 and r), the diameter max(p + 2, 2p) from two tentacles on.
    `sequence` is the paper's: heads and tips in turn, on which nearest neighbours err at every tip when
    p >= 3.

    Parameters
    ----------
    m
        The number of tentacles, at least 1.
    p
        The nodes of a tentacle without its root, at least 1.
    head
        The nodes of the clique, at least m. The default, m p + 1, gives as many +1 as -1.

    Examples
    --------
    >>> octopus(2, 3).sequence
    ((0, 1), (10, -1), (1, 1), (13, -1))
    """
    m, p = size(m, "m", least=1), size(p, "p", least=1)
    size(m * p, "m times p")
    head = m * p + 1 if head is None else size(head, "head", least=m)
    body = np.array([[0, head]])
    tentacles = [path(np.append(head, head + i * p + np.arange(1, p + 1))) for i in range(m)]
    n = head + m * p + 1
    graph = graph_of(np.vstack([clique_edges(np.arange(head)), body, *tentacles]), n)
    sequence = tuple(trial for i in range(m) for trial in ((i, 1), (head + (i + 1) * p, -1)))
    groups = np.where(np.arange(n) < head, 0, 1)
    return Labelled(graph, halves(n, head), sequence=sequence, groups=groups)


def size(value: int, name: str, *, least: int = 0) -> int:
    """How many nodes or edges a graph is to have, if there is room for them."""
    number = count(value, name, least=least)
    room(EDGE * number, f"a graph with {name} = {number}")
    return number


def graph_of(edges: Ints, n: int) -> Graph:
    """The unweighted graph on 0..n-1 with these edges."""
    return Graph.from_edges(np.asarray(edges, dtype=np.int64).reshape(-1, 2), nodes=range(n))


def path(nodes: Ints) -> Ints:
    """The edges that join `nodes` in a row."""
    return np.column_stack([nodes[:-1], nodes[1:]])


def clique_edges(nodes: Ints) -> Ints:
    """All edges between `nodes`."""
    size(len(nodes) * (len(nodes) - 1) // 2, "the number of edges of a clique")
    low, high = np.triu_indices(len(nodes), 1)
    return np.column_stack([nodes[low], nodes[high]])
