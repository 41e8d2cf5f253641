"""Streams over graphs whose labels change: points in a square under Voronoi cells, and classes of real graphs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from ohmline.arrays import Floats, Ints
from ohmline.game import Stream
from ohmline.graph import Graph

POINTS, CELLS, NEIGHBOURS = 1000, 12, 8
"""Uniform points of the unit square, under so many Voronoi cells, joined with so many nearest ones."""
SEGMENTS, TRIALS = 10, 1000
"""The cells change between segments of so many trials."""
ROUNDS = 5
"""Segments on a real graph, of one trial per node."""


class Change(StrEnum):
    """What changes from segment to segment."""

    STATIC = "static"
    GLOBAL = "global"
    """All cells are drawn anew."""
    LOCAL = "local"
    """One cell flips."""
    BALL = "ball"
    """A tenth of all nodes, around one of them, take a class at random."""
    SWAP = "swap"
    """Two classes change places."""
    SPLIT = "split"
    """Half of a class, around one of its nodes, becomes a new class."""


@dataclass(frozen=True, slots=True)
class Moving:
    """A graph, and which node is asked about when, with the label that it has then."""

    graph: Graph
    trials: Ints
    truth: Ints

    def stream(self, noise: float = 0.0, seed: int = 0) -> Stream:
        """The trials; each label is replaced by another class with the chance `noise`."""
        rng, shown = np.random.default_rng([seed, 7]), self.truth.copy()
        classes = int(self.truth.max()) + 1
        wrong = rng.random(len(shown)) < noise
        shown[wrong] = (shown[wrong] + rng.integers(1, classes, int(wrong.sum()))) % classes
        nodes = self.graph.nodes
        return Stream([nodes[int(i)] for i in self.trials], shown.tolist())


def geometric(seed: int, change: Change) -> Moving:
    """Points in the square: their neighbour graph, joined with the minimum spanning tree; two labels by cells."""
    rng = np.random.default_rng(seed)
    points = rng.random((POINTS, 2))
    centres, bits = rng.random((CELLS, 2)), rng.integers(0, 2, CELLS)
    segments = []
    for k in range(SEGMENTS):
        if k > 0 and change is Change.GLOBAL:
            centres, bits = rng.random((CELLS, 2)), rng.integers(0, 2, CELLS)
        if k > 0 and change is Change.LOCAL:
            bits = bits.copy()
            bits[rng.integers(CELLS)] ^= 1
        segments.append(bits[cdist(points, centres).argmin(axis=1)])
    trials = rng.integers(0, POINTS, SEGMENTS * TRIALS)
    return Moving(_neighbours(points), trials, np.array(segments)[np.arange(len(trials)) // TRIALS, trials])


def _neighbours(points: Floats) -> Graph:
    near = cKDTree(points).query(points, NEIGHBOURS + 1)[1][:, 1:]
    rows = np.repeat(np.arange(len(points)), NEIGHBOURS)
    links = sparse.csr_array((np.ones(near.size), (rows, near.ravel())), shape=(len(points), len(points)))
    tree = sparse.csr_array(minimum_spanning_tree(cdist(points, points)))
    joined: Any = ((links + links.T + tree + tree.T) > 0).astype(np.float64)
    return Graph.from_scipy(joined)


def real(graph: Graph, labels: Ints, seed: int, change: Change) -> Moving:
    """A graph with labels, of which something changes after every n trials."""
    n, rng = graph.n, np.random.default_rng(seed)
    classes = int(labels.max()) + 1
    segments = [np.asarray(labels)]
    for _ in range(ROUNDS - 1):
        now = segments[-1].copy()
        if change is Change.BALL:
            around = _around(graph, int(rng.integers(n)))
            now[around[: n // 10]] = rng.integers(classes)
        elif change is Change.SWAP:
            a, b = rng.choice(classes, 2, replace=False)
            now[segments[-1] == a], now[segments[-1] == b] = b, a
        elif change is Change.SPLIT:
            members = np.flatnonzero(now == rng.choice(classes))
            around = _around(graph, int(rng.choice(members)))
            half = around[np.isin(around, members)][: len(members) // 2]
            now[half] = max(int(now.max()) + 1, classes)
        segments.append(now)
    trials = rng.integers(0, n, ROUNDS * n)
    return Moving(graph, trials, np.array(segments)[np.arange(len(trials)) // n, trials])


def _around(graph: Graph, node: int) -> Ints:
    found = breadth_first_order(graph.adjacency, node, directed=False, return_predecessors=False)
    return np.asarray(found, dtype=np.int64)
