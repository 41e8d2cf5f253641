"""Random graphs: hierarchical k-out with its noisy diffusion, block models, geometric graphs."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from copy import deepcopy

import numpy as np
from scipy import sparse

from ohmline.arrays import Floats, Ints, matrix
from ohmline.checks import count, fraction, generator, instance, listed, positive, room, shown
from ohmline.errors import LabelError, ParameterError, ShapeError
from ohmline.graph.generate.labelled import Labelled
from ohmline.graph.generate.simple import graph_of, size
from ohmline.graph.graph import Graph, expect_graph


def k_out(q: int, k: int, *, seed: int = 0) -> Graph:
    """G_k-out(q; k): every node picks k others at random; an edge picked twice counts once.

    At most k q edges, and every degree is at least k (paper 000, section 6).

    Parameters
    ----------
    q
        The number of nodes, at least 2.
    k
        How many others each node picks, from 1 to q - 1.
    seed
        Draws the picks. Default 0.
    """
    q, k = _k_out_sizes(q, k)
    return graph_of(_k_out_edges(q, k, generator(seed)), q)


def hierarchical(q: int = 26, k: int = 2, *, noise: float = 0.0, seed: int = 0) -> Labelled:
    """A k-out graph of q clusters, each itself a k-out graph of q nodes (paper 000, section 6).

    Every edge between two clusters joins one random node of each. One random node of each cluster is
    labelled, half of the clusters +1 and half -1, and the labels spread by `diffuse`. Node c q + i is
    node i of cluster c; `groups` holds c.

    Parameters
    ----------
    q
        The number of clusters, and of nodes in each, at least 2. Default 26.
    k
        How many others each node picks within its cluster, and each cluster among the clusters, from 1 to
        q - 1. Default 2.
    noise
        The probability that a copied label is flipped, in [0, 1]. Default 0.
    seed
        Draws the edges and the labels. Default 0.

    Examples
    --------
    >>> hierarchical(6, 2).graph.n
    36
    """
    q, k = _k_out_sizes(q, k)
    size(q * q * k, "q times q times k")
    noise, rng = fraction(noise, "noise"), generator(seed)
    parts = [c * q + _k_out_edges(q, k, rng) for c in range(q)]
    between = _k_out_edges(q, k, rng)
    bridges = between * q + rng.integers(q, size=between.shape)
    graph = graph_of(np.vstack([*parts, bridges]), q * q)
    seeds = np.arange(q) * q + rng.integers(q, size=q)
    signs = np.ones(q, dtype=np.int64)
    signs[rng.permutation(q)[: q // 2]] = -1
    clean = _spread(graph, seeds, signs, 0.0, deepcopy(rng))  # the same draws, of which none flips
    labels = _spread(graph, seeds, signs, noise, rng)
    return Labelled(graph, labels, clean=clean, groups=np.repeat(np.arange(q), q))


def diffuse(graph: Graph, labels: Mapping[Hashable, int], *, noise: float = 0.0, seed: int = 0) -> Ints:
    """Spread a few labels over a graph by the noisy diffusion of paper 000, section 6.

    Until every node has a label, a random unlabelled node next to labelled ones copies a random
    one of them, and may flip what it copied. A part of the graph that no label reaches
    starts from a random node with a fair coin.

    Differs: the paper leaves the description of its diffusion to a working paper; this is the
    simplest process that fits its words.

    Parameters
    ----------
    graph
        The graph.
    labels
        The labels to begin with, -1 or +1 by id, at least one.
    noise
        The probability that a copied label is flipped, in [0, 1]. Default 0.
    seed
        Draws the order, the copies and the flips. Default 0.

    Returns
    -------
    Ints
        -1 or +1 for every position; the given labels are kept.

    Examples
    --------
    >>> from ohmline.graph import generate
    >>> diffuse(generate.line(5).graph, {0: 1, 4: -1}).tolist()
    [1, 1, -1, -1, -1]
    """
    expect_graph(graph)
    instance(labels, Mapping, "labels", "give a dict of ids and labels")
    if not labels:
        raise LabelError("labels is empty; give the label of at least one node")
    for node, label in labels.items():
        if not isinstance(label, int | float | np.number) or label not in (-1, 1):
            raise LabelError(f"the label of node {shown(node)} is {shown(label)}; expected -1 or +1")
    seeds = graph.nodes.positions(list(labels))
    signs = np.fromiter(labels.values(), dtype=np.int64)
    return _spread(graph, seeds, signs, fraction(noise, "noise"), generator(seed))


def stochastic_block_model(
    sizes: Sequence[int], probabilities: Sequence[Sequence[float]] | Floats, *, seed: int = 0
) -> Labelled:
    """Blocks of nodes; a pair of nodes is joined with the probability of its pair of blocks.

    Blocks 0, 2, 4, ... are labelled +1 and the others -1; `groups` holds the number of the block.
    The work is in proportion to the edges, not to the pairs.

    Parameters
    ----------
    sizes
        The number of nodes in each block, at least 1 each.
    probabilities
        A symmetric square table of numbers in [0, 1]: `probabilities[a][b]` is the probability that a node of
        block a and another one of block b are joined.
    seed
        Draws the edges. Default 0.
    """
    blocks = [size(block, "a block size", least=1) for block in listed(sizes, "sizes")]
    if not blocks:
        raise ParameterError("sizes is empty; give the number of nodes of at least one block")
    table = matrix(probabilities, "probabilities")
    if table.shape != (len(blocks), len(blocks)):
        raise ShapeError(
            f"probabilities must be {len(blocks)} x {len(blocks)} for {len(blocks)} blocks, "
            f"got shape {table.shape}"
        )
    if not np.array_equal(table, table.T) or table.min() < 0 or table.max() > 1:
        raise ParameterError("probabilities must be symmetric, with entries between 0 and 1")
    rng = generator(seed)
    size(sum(blocks), "the sum of the sizes")
    starts = np.concatenate([[0], np.cumsum(blocks)])
    edges = [np.empty((0, 2), dtype=np.int64)]
    for a in range(len(blocks)):
        for b in range(a, len(blocks)):
            chosen = _random_pairs(blocks[a], blocks[b], a == b, float(table[a, b]), rng)
            edges.append(chosen + np.array([starts[a], starts[b]]))
    groups = np.repeat(np.arange(len(blocks)), blocks)
    return Labelled(graph_of(np.vstack(edges), int(starts[-1])), 1 - 2 * (groups % 2), groups=groups)


def random_geometric(n: int, radius: float, *, dimension: int = 2, seed: int = 0) -> Labelled:
    """n random points of the unit cube, joined where they are at most `radius` apart.

    +1 where the first coordinate is below 1/2; `points` holds the coordinates.

    Parameters
    ----------
    n
        The number of points, at least 1.
    radius
        The largest distance at which two points are joined, above 0.
    dimension
        The number of coordinates of a point, at least 1. Default 2.
    seed
        Draws the points. Default 0.
    """
    n, radius = count(n, "n", least=1), positive(radius, "radius")
    dimension = count(dimension, "dimension", least=1)
    room(8 * n * dimension, f"{n} points in {dimension} dimensions")
    points = generator(seed).random((n, dimension))
    from scipy.spatial import cKDTree  # slow to import, and needed here alone

    edges = cKDTree(points).query_pairs(radius, output_type="ndarray")
    labels = np.where(points[:, 0] < 0.5, 1, -1)
    return Labelled(graph_of(edges, n), labels, points=points)


def _k_out_sizes(q: int, k: int) -> tuple[int, int]:
    q, k = size(q, "q", least=2), count(k, "k", least=1)
    if k >= q:
        raise ParameterError(f"k is {k}; a node can pick at most q - 1 = {q - 1} others")
    size(q * k, "q times k")
    return q, k


def _k_out_edges(q: int, k: int, rng: np.random.Generator) -> Ints:
    picks = np.array([rng.choice(q - 1, size=k, replace=False) for _ in range(q)])
    picks += picks >= np.arange(q)[:, None]  # a node never picks itself
    ends = np.column_stack([np.repeat(np.arange(q), k), picks.ravel()])
    return np.unique(np.sort(ends, axis=1), axis=0)


def _random_pairs(rows: int, columns: int, same: bool, p: float, rng: np.random.Generator) -> Ints:
    """Each pair of a row and a column (each unordered pair, for `same`) with probability p."""
    pairs = rows * (rows - 1) // 2 if same else rows * columns
    number = size(int(rng.binomial(pairs, p)), "the number of edges")
    drawn = np.sort(rng.choice(pairs, size=number, replace=False, shuffle=False)).astype(np.int64)
    if not same:
        return np.column_stack([drawn // columns, drawn % columns])
    high = ((1 + np.sqrt(1 + 8.0 * drawn)) // 2).astype(np.int64)  # pair (low, high) is high (high-1)/2 + low
    high -= high * (high - 1) // 2 > drawn
    high += (high + 1) * high // 2 <= drawn
    return np.column_stack([drawn - high * (high - 1) // 2, high])


def _spread(graph: Graph, seeds: Ints, signs: Ints, noise: float, rng: np.random.Generator) -> Ints:
    labels = np.zeros(graph.n, dtype=np.int64)
    labels[seeds] = signs
    adjacency: sparse.csr_array = graph.adjacency
    frontier = np.flatnonzero((labels == 0) & (abs(adjacency) @ (labels != 0) > 0)).tolist()
    waiting = set(frontier)
    for _ in range(int(np.count_nonzero(labels == 0))):
        if frontier:
            k = int(rng.integers(len(frontier)))
            frontier[k], frontier[-1] = frontier[-1], frontier[k]
            i = frontier.pop()
            near = labels[graph.indices[graph.indptr[i] : graph.indptr[i + 1]]]
            copied = int(rng.choice(near[near != 0]))
            labels[i] = -copied if rng.random() < noise else copied
        else:
            i = int(rng.choice(np.flatnonzero(labels == 0)))
            labels[i] = int(rng.choice([-1, 1]))
        for j in graph.indices[graph.indptr[i] : graph.indptr[i + 1]].tolist():
            if labels[j] == 0 and j not in waiting:
                waiting.add(j)
                frontier.append(j)
    return labels
