"""A place on the page for every node of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import linalg as sparse_linalg

from ohmline.arrays import Floats, Ints
from ohmline.compiled import compiled
from ohmline.graph.graph import Graph

ROUNDS = 300
REPELLERS = 6


def layout(graph: Graph, *, seed: int = 0) -> Floats:
    """Coordinates in [0, 1]^2 where neighbours are near and crowds are spread, one row per node.

    It starts from the smoothest functions on the graph; then come rounds in which every edge pulls its ends
    together and every node is pushed away from a few random others. The forces are those of a heavy-tailed
    similarity 1 / (1 + d^2), so clusters stay apart instead of collapsing. Cost per round:
    O(edges + nodes). The same seed gives the same picture.

    >>> ring = Graph.from_edges([(k, (k + 1) % 12) for k in range(12)])
    >>> layout(ring).shape
    (12, 2)
    """
    rng = np.random.default_rng(seed)
    places = _smooth_start(graph, rng)
    source, target, weight = graph.edges()
    if len(source):
        strength = np.abs(weight) / np.abs(weight).max()
        _pull_and_push(places, source, target, strength, ROUNDS, REPELLERS, rng)
    return _fit(_pack(places, graph.component_of))


def _smooth_start(graph: Graph, rng: np.random.Generator) -> Floats:
    """The two smoothest functions on the largest component, noise elsewhere."""
    places = rng.standard_normal((graph.n, 2))
    members = np.flatnonzero(graph.component_of == np.bincount(graph.component_of).argmax())
    if len(members) > 10:
        part = sparse.csr_array(abs(graph.adjacency)[members][:, members])
        scale = sparse.diags_array(1 / np.sqrt(np.asarray(part.sum(axis=1)).ravel()))
        try:
            # A rough answer will do: it is where the rounds begin.
            _, vectors = sparse_linalg.eigsh(
                scale @ part @ scale, k=3, which="LA", tol=1e-2, v0=rng.random(len(members))
            )
        except sparse_linalg.ArpackNoConvergence:
            return places
        smooth = scale @ vectors[:, 1::-1]
        # Ranks, since eigenvectors of real graphs put a few nodes far out and the rest on one spot.
        places[members] = smooth.argsort(axis=0).argsort(axis=0) / len(members) - 0.5
    return np.ascontiguousarray(places * np.sqrt(graph.n))


@compiled
def _pull_and_push(
    places: Floats, source: Ints, target: Ints, strength: Floats, rounds: int, repellers: int, rng: Any
) -> None:
    n = places.shape[0]
    for turn in range(rounds):
        step = 1.0 - turn / rounds
        spring = max(0.0, 0.3 * (1.0 - 2.0 * turn / rounds))  # long edges count first, to untangle
        for e in range(source.shape[0]):
            for flip in range(2):
                i = source[e] if flip == 0 else target[e]
                j = target[e] if flip == 0 else source[e]
                dx = places[i, 0] - places[j, 0]
                dy = places[i, 1] - places[j, 1]
                sq = dx * dx + dy * dy
                pull = strength[e] * step * (2.0 / (1.0 + sq) + spring)
                if sq > 25.0:  # nearer ones pull less than the limit: strength <= 1, spring <= 0.3
                    pull = min(pull, 4.0 * step / (np.sqrt(sq) + 1e-9))
                places[i, 0] -= 0.5 * pull * dx
                places[i, 1] -= 0.5 * pull * dy
                for _ in range(repellers):
                    k = int(rng.random() * n)
                    if k == i:
                        continue
                    dx = places[i, 0] - places[k, 0]
                    dy = places[i, 1] - places[k, 1]
                    sq = dx * dx + dy * dy
                    push = 2.0 * step / ((0.01 + sq) * (1.0 + sq))
                    if sq < 1.0:  # farther ones push less than the limit
                        push = min(push, 4.0 * step / (np.sqrt(sq) + 1e-9))
                    places[i, 0] += push * dx
                    places[i, 1] += push * dy


def _pack(places: Floats, component_of: Ints) -> Floats:
    """Put small components, which nothing holds in place, in rows below the largest one."""
    sizes = np.bincount(component_of)
    if len(sizes) == 1:
        return places
    order = np.argsort(-sizes, kind="stable")
    main = component_of == order[0]
    out = places.copy()
    low, high = places[main].min(axis=0), places[main].max(axis=0)
    unit = float(np.max(high - low)) / np.sqrt(max(sizes[order[0]], 1))
    x, y, tallest = low[0], high[1] + 2 * unit, 0.0
    for c in order[1:]:
        members = component_of == c
        side = unit * np.sqrt(sizes[c])
        if x + side > high[0] and x > low[0]:
            x, y, tallest = low[0], y + tallest + unit, 0.0
        out[members] = _fit(places[members]) * side + (x, y)
        x += side + unit
        tallest = max(tallest, side)
    return out


def _fit(places: Floats) -> Floats:
    """Shift and scale places into the unit square, keeping their proportions."""
    low, high = places.min(axis=0), places.max(axis=0)
    span = float(np.max(high - low))
    return (places - (low + high) / 2) / span + 0.5 if span > 0 else np.full_like(places, 0.5)
