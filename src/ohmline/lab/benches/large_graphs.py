"""Labelled graphs of any size for benchmarks: a grid, neighbours in the plane, preferential attachment, communities."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree

from ohmline.arrays import Floats, Ints
from ohmline.compiled import compiled
from ohmline.graph import Graph

LINKS = 4
"""Edges that a new node of the preferential-attachment graph brings."""
NEIGHBOURS = 8
"""Neighbours of a point in the plane."""
CLASSES, STAYS = 10, 0.55
"""Of the graph of communities: its classes, and the share of links that are drawn inside of one."""
PATCHES = 8
"""Patches of one label along each side of the grid and of the plane."""


def joined(sources: Ints, targets: Ints, n: int) -> Graph:
    """The graph of these edges, each of weight 1 however often it is listed."""
    half = sparse.coo_array((np.ones(len(sources)), (sources, targets)), shape=(n, n)).tocsr()
    whole = half + half.T
    whole.data[:] = 1.0
    return Graph.from_scipy(whole)


def patches(points: Floats) -> Ints:
    """-1 and +1 like the fields of a chess board over the unit square."""
    fields = np.minimum((points * PATCHES).astype(np.int64), PATCHES - 1)
    return np.where(fields.sum(axis=1) % 2 == 0, 1, -1)


def grid(n: int, seed: int = 0) -> tuple[Graph, Ints]:
    """A square grid of about n nodes."""
    side = round(n**0.5)
    at = np.arange(side * side).reshape(side, side)
    sources = np.concatenate([at[:, :-1].ravel(), at[:-1].ravel()])
    targets = np.concatenate([at[:, 1:].ravel(), at[1:].ravel()])
    points = np.stack([at.ravel() // side, at.ravel() % side], axis=1) / side
    return joined(sources, targets, side * side), patches(points)


def plane(n: int, seed: int = 0) -> tuple[Graph, Ints]:
    """The nearest neighbours of n random points of the unit square."""
    points = np.random.default_rng(seed).random((n, 2))
    found = cKDTree(points).query(points, NEIGHBOURS + 1)[1][:, 1:]
    return joined(np.repeat(np.arange(n), NEIGHBOURS), found.ravel(), n), patches(points)


def hubs(n: int, seed: int = 0) -> tuple[Graph, Ints]:
    """Preferential attachment of n nodes of two classes; nine in ten of a node's first links stay in its class."""
    sources, targets, labels = attach(n, LINKS, np.random.default_rng(seed).random((n, 2 * LINKS + 1)))
    return joined(sources, targets, n), labels


def communities(n: int, seed: int = 0, classes: int = CLASSES) -> tuple[Graph, Ints]:
    """Ten classes; more than half of a node's links stay in its class, and few nodes get most of the links."""
    rng = np.random.default_rng(seed)
    labels, sources = rng.integers(classes, size=n), np.repeat(np.arange(n), NEIGHBOURS)
    inside = rng.random(len(sources)) < STAYS
    chosen = rng.random(len(sources)) ** 2.5
    order = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels, minlength=classes)
    first, size = (np.cumsum(sizes) - sizes)[labels[sources]], sizes[labels[sources]]
    place = np.where(inside, first + chosen * size, chosen * n).astype(np.int64)
    targets = np.where(inside, order[np.minimum(place, n - 1)], place)
    apart = sources != targets
    return joined(sources[apart], targets[apart], n), labels


@compiled
def attach(n: int, links: int, draws: Floats) -> tuple[Ints, Ints, Ints]:
    """Sources, targets and labels; an end of an earlier edge is chosen, so that hubs grow."""
    sources, targets = np.empty(n * links, np.int64), np.empty(n * links, np.int64)
    labels = np.empty(n, np.int64)
    ends, counts = np.zeros((2, 2 * n * links + 2), np.int64), np.zeros(2, np.int64)
    edges = 0
    for i in range(n):
        side = np.int64(draws[i, 2 * links] < 0.5) if i > 1 else i
        labels[i] = 2 * side - 1
        for k in range(links if i > 1 else 0):
            wanted = side if draws[i, k] < 0.9 else 1 - side
            place = np.int64(draws[i, links + k] * counts[wanted])
            j = ends[wanted, min(place, counts[wanted] - 1)]
            sources[edges], targets[edges] = i, j
            edges += 1
            other = np.int64(labels[j] > 0)
            ends[other, counts[other]] = j
            counts[other] += 1
        for _ in range(links if i > 1 else 1):
            ends[side, counts[side]] = i
            counts[side] += 1
    return sources[:edges], targets[:edges], labels


FAMILIES: dict[str, Callable[[int, int], tuple[Graph, Ints]]] = {"grid": grid, "kNN": plane, "hubs": hubs}
