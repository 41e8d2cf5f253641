"""Smallest covers of a graph by cliques, in bit sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from ohmline.arrays import Bools, Ints

LARGEST_SEARCH = 400
"""Nodes of an irreducible part beyond which branch and bound is not tried: it would not end."""


def cover_by_cliques(near: Bools, effort: int) -> tuple[list[Ints], int]:
    """Cliques of the graph `near` that partition its nodes, and a lower bound on their number.

    Node v is *dominated* when a neighbour u has all its neighbours among those of v: a clique
    that holds u may always take v in, so v can wait. Removing dominated nodes, again and again,
    solves chordal graphs (points on a line, tree distances, separate clusters) outright; what
    is left goes to branch and bound, one connected component at a time.
    """
    n = len(near)
    rows = [_bits(row) for row in near]
    host = _remove_dominated(rows)
    kept = np.array([v for v in range(n) if host[v] == v], dtype=np.int64)
    number, part = csgraph.connected_components(sparse.csr_array(near[np.ix_(kept, kept)]), directed=False)
    cliques: list[Ints] = []
    lower = 0
    for k in range(number):
        members = kept[part == k]
        found, at_least = _cover_component(near[np.ix_(members, members)], effort)
        cliques += [members[_members(clique)] for clique in found]
        lower += at_least
    home = {int(v): k for k, clique in enumerate(cliques) for v in clique}
    sets: list[list[int]] = [[] for _ in cliques]
    for v in range(n):
        u = v
        while host[u] != u:
            u = host[u]
        sets[home[u]].append(v)
    return [np.array(members, dtype=np.int64) for members in sets], lower


def _bits(row: Bools) -> int:
    return int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little")


def _members(bits: int) -> list[int]:
    found = []
    while bits:
        lowest = bits & -bits
        found.append(lowest.bit_length() - 1)
        bits ^= lowest
    return found


def _remove_dominated(rows: list[int]) -> list[int]:
    """For each node the neighbour in whose clique it may sit; itself for nodes that stay.

    Only the neighbours of a removed node can become able to dominate through its absence, so
    the work list holds those.
    """
    n = len(rows)
    alive = (1 << n) - 1
    host = list(range(n))
    waiting = list(range(n))
    queued = [True] * n
    while waiting:
        u = waiting.pop()
        queued[u] = False
        if not alive >> u & 1:
            continue
        around = rows[u] & alive
        gone = 0
        for v in _members(around & ~(1 << u)):
            if around & ~rows[v] == 0:
                host[v] = u
                gone |= 1 << v
                alive &= ~(1 << v)
        for v in _members(gone):
            for w in _members(rows[v] & alive):
                if not queued[w]:
                    queued[w] = True
                    waiting.append(w)
    return host


def _cover_component(near: Bools, effort: int) -> tuple[list[int], int]:
    """Cliques of one connected graph and a lower bound: greedy first, then branch and bound."""
    apart = _far_apart(near)
    best = _greedy(near, apart)
    if len(best) == len(apart) or len(near) > LARGEST_SEARCH:
        return best, len(apart)
    rows = [_bits(row) for row in near]
    search = _Search(rows, best, len(apart), effort)
    # Points pairwise further than rho apart need a set each, so they may as well open them.
    left = frozenset(range(len(near))) - frozenset(apart)
    search.extend([1 << v for v in apart], [rows[v] for v in apart], left)
    return search.best, len(apart) if search.steps >= effort else len(search.best)


def _far_apart(near: Bools) -> list[int]:
    """Nodes of which no two are neighbours, chosen greedily by fewest neighbours left."""
    left = near.sum(axis=1)
    chosen = []
    gone = np.zeros(len(near), dtype=bool)
    while not gone.all():
        v = int(np.where(gone, len(near) + 1, left).argmin())
        chosen.append(v)
        leaving = near[v] & ~gone
        gone |= leaving
        left = left - near[:, leaving].sum(axis=1)
    return chosen


def _greedy(near: Bools, apart: list[int]) -> list[int]:
    """Place each node in turn, those that fit into the fewest cliques first.

    Row k of `common` marks the nodes that fit into clique k; among the cliques that can take
    a node, the one that stays open to most others does.
    """
    n = len(near)
    cliques = [1 << v for v in apart]
    common = np.zeros((n, n), dtype=bool)
    common[: len(apart)] = near[apart]
    options = common.sum(axis=0)
    placed = np.zeros(n, dtype=bool)
    placed[apart] = True
    for _ in range(n - len(apart)):
        v = int(np.where(placed, n + 1, options).argmin())
        placed[v] = True
        fits = np.flatnonzero(common[: len(cliques), v])
        if len(fits):
            k = int(fits[(common[fits] & near[v]).sum(axis=1).argmax()])
            options -= common[k] & ~near[v]
            common[k] &= near[v]
            cliques[k] |= 1 << v
        else:
            common[len(cliques)] = near[v]
            options += near[v]
            cliques.append(1 << v)
    return cliques


@final
@dataclass
class _Search:
    """Depth first over partial covers; `common[k]` holds the nodes that fit into clique k."""

    rows: list[int]
    best: list[int]
    lower: int
    effort: int
    steps: int = 0

    def extend(self, cliques: list[int], common: list[int], left: frozenset[int]) -> None:
        self.steps += 1 + len(left)
        if self.steps >= self.effort or len(self.best) == self.lower or len(cliques) >= len(self.best):
            return
        if not left:
            self.best = list(cliques)
            return
        v = min(left, key=lambda w: (sum(c >> w & 1 for c in common), -self.rows[w].bit_count(), w))
        rest = left - {v}
        fits = [k for k, shared in enumerate(common) if shared >> v & 1]
        for k in sorted(fits, key=lambda j: -(common[j] & self.rows[v]).bit_count()):
            clique, shared = cliques[k], common[k]
            cliques[k], common[k] = clique | 1 << v, shared & self.rows[v]
            self.extend(cliques, common, rest)
            cliques[k], common[k] = clique, shared
        self.extend([*cliques, 1 << v], [*common, self.rows[v]], rest)
