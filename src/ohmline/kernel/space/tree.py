"""The kernel of a tree, every entry in O(log n), and a hypothesis that is read and moved in O(log^2 n).

With h_i the resistance from the root to node i, m the lowest node above both i and j, and r_i the mean resistance from
i to all nodes, K_ij = g_i + g_j - r/2 + h_m, where g_i = (r_i - h_i) / 2 and r is the mean of all r_i. So a sum
f = sum_j c_j K_j has, besides two sums over all j, the value sum_j c_j h_m at i: the sum over the edges above i of
their resistance times all the c_j below them. Heavy paths cut the way from any node to the root into O(log n) pieces;
on each piece two trees of partial sums hold what is below.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.checks import room
from ohmline.compiled import compiled, implements, inlined
from ohmline.kernel.space.contract import Complete
from ohmline.kernel.space.features import Features
from ohmline.kernel.space.operations import entry, evaluate, shift, sqdistance, sqlength


class _Paths(NamedTuple):
    place: AnyArray
    """Where each node stands, its heavy path in a row, top first, and what is below it in a row too."""
    node: AnyArray
    """The node at each place."""
    top: AnyArray
    """The place of the top of the path that a place is on."""
    above: AnyArray
    """The place of the parent of that top; -1 at a root."""
    size: AnyArray
    """How many places the path has that a place is on."""
    below: AnyArray
    """How many nodes there are from a place on downwards; its branches follow one another."""
    height: Floats
    """h: the resistance from the root to a place."""
    half: Floats
    """g, by node."""
    mean: Floats
    """r / 2 of each component."""
    component: AnyArray
    """The component of each node."""
    factor: float
    b: float
    ridge: float


class TreePaths(_Paths, Complete):
    """factor K + b within each component + ridge I, for a forest cut into heavy paths.

    A hypothesis is kept as partial sums of its coefficients: 2n numbers, two for each component, and n more with a
    ridge.
    """

    __slots__ = ()

    @property
    def n(self) -> int:  # type: ignore[override]
        return len(self.place)

    @property
    def width(self) -> int:
        return 2 * self.n + 2 * len(self.mean) + (self.n if self.ridge > 0 else 0)

    def column(self, i: int) -> Floats:
        return entries(self, np.array([i]), np.arange(self.n))[0]

    def lengths(self) -> Floats:
        heights = self.height[self.place]
        own = 2 * self.half - self.mean[self.component] + heights
        return np.asarray(self.factor * own + self.b + self.ridge, dtype=np.float64)

    def block(self, positions: Ints) -> Floats:
        return entries(self, positions, positions)

    def dense(self) -> Floats:
        room(8 * self.n**2, f"the matrix of a kernel of {self.n} nodes")
        return entries(self, np.arange(self.n), np.arange(self.n))

    def explicit(self) -> Features | None:
        return None

    def coefficients(self, u: Floats) -> Floats:
        w = np.zeros(self.width)
        found: Floats = np.linalg.lstsq(self.dense(), u, rcond=None)[0].astype(np.float64)
        add_all(self, w, found)
        return w

    def plus(self, component_of: Ints, b: float, c: float) -> TreePaths:
        return self._replace(b=self.b + b, ridge=self.ridge + c)

    def scaled(self, factor: float) -> TreePaths:
        return self._replace(factor=factor * self.factor, b=factor * self.b, ridge=factor * self.ridge)


@inlined
def meeting_height(space: TreePaths, i: int, j: int) -> float:
    """h of the lowest node above two nodes of one component."""
    p, q = space.place[i], space.place[j]
    while space.top[p] != space.top[q]:
        if space.top[p] > space.top[q]:
            p = space.above[p]
        else:
            q = space.above[q]
    return space.height[min(p, q)]


@implements(entry, TreePaths)
def entry_tree(space: TreePaths, i: int, j: int) -> float:
    c = space.component[i]
    if space.component[j] != c:
        return 0.0
    value = space.half[i] + space.half[j] - space.mean[c] + meeting_height(space, i, j)
    return space.factor * value + space.b + (space.ridge if i == j else 0.0)


@implements(sqlength, TreePaths)
def sqlength_tree(space: TreePaths, i: int) -> float:
    value = 2 * space.half[i] - space.mean[space.component[i]] + space.height[space.place[i]]
    return space.factor * value + space.b + space.ridge


@implements(sqdistance, TreePaths)
def sqdistance_tree(space: TreePaths, i: int, j: int) -> float:
    if i == j:
        return 0.0
    if space.component[i] != space.component[j]:
        return sqlength(space, i) + sqlength(space, j)
    apart = space.height[space.place[i]] + space.height[space.place[j]] - 2 * meeting_height(space, i, j)
    return space.factor * apart + 2 * space.ridge


@implements(evaluate, TreePaths)
def evaluate_tree(space: TreePaths, w: Floats, i: int) -> float:
    n = space.place.shape[0]
    c, below, p = space.component[i], 0.0, space.place[i]
    while p >= 0:
        # Of what was added on this path, all that is above p counts as high as it is, all that is below as high as p.
        top, size = space.top[p], space.size[p]
        floor = space.height[space.above[p]] if space.above[p] >= 0 else 0.0
        k = p - top + 1
        left = k
        while left > 0:
            below += w[top + left - 1]
            left -= left & -left
        left, rest = size - k, 0.0
        while left > 0:
            rest += w[n + top + left - 1]
            left -= left & -left
        below += (space.height[p] - floor) * rest
        p = space.above[p]
    total, weighed = w[2 * n + 2 * c], w[2 * n + 2 * c + 1]
    value = space.factor * ((space.half[i] - space.mean[c]) * total + weighed + below) + space.b * total
    if space.ridge > 0:
        value += space.ridge * w[w.shape[0] - n + i]
    return value


@implements(shift, TreePaths)
def shift_tree(space: TreePaths, w: Floats, c: float, i: int) -> None:
    n = space.place.shape[0]
    k, p = space.component[i], space.place[i]
    w[2 * n + 2 * k] += c
    w[2 * n + 2 * k + 1] += c * space.half[i]
    if space.ridge > 0:
        w[w.shape[0] - n + i] += c
    while p >= 0:
        top, size = space.top[p], space.size[p]
        floor = space.height[space.above[p]] if space.above[p] >= 0 else 0.0
        amount = c * (space.height[p] - floor)
        at = p - top + 1
        while at <= size:
            w[top + at - 1] += amount
            at += at & -at
        at = size - (p - top)
        while at <= size:
            w[n + top + at - 1] += c
            at += at & -at
        p = space.above[p]


@compiled
def entries(space: TreePaths, rows: Ints, columns: Ints) -> Floats:
    """K at these rows and columns."""
    out = np.empty((rows.shape[0], columns.shape[0]))
    for a in range(rows.shape[0]):
        for b in range(columns.shape[0]):
            out[a, b] = entry(space, rows[a], columns[b])
    return out


@compiled
def add_all(space: TreePaths, w: Floats, coefficients: Floats) -> None:
    """w += sum_j c_j v_j."""
    for j in range(coefficients.shape[0]):
        if coefficients[j] != 0:
            shift(space, w, coefficients[j], j)
