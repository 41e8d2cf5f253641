"""Approximate Cholesky factor of a Laplacian: elimination that replaces each clique by a random tree.

Eliminating node v joins all its neighbours to each other, which fills the factor. Here (Gao, Kyng and Spielman, 2023,
"AC") the neighbours u_1, u_2, ... are sorted by weight, lightest first, and each is joined to one later neighbour only,
drawn by weight. The new edges are a tree on the neighbours, so a connected graph stays connected; each edge of the
clique is right on average; and the number of edges falls by one with every node. With `copies` = 2 ("AC2") every edge
starts as two parallel ones of half the weight, which makes a better and larger factor.

| name | meaning |
|---|---|
| `target[e]`, `weight[e]` | entry e of some node's list: the neighbour, and the weight (0: gone) |
| `twin[e]` | the same edge in the neighbour's list |
| `head[v]`, `following[e]` | the list of node v, and the entry after e |
| `rest[k]` | the weight of the neighbours after the k-th |

An eliminated edge's two entries become those of its new edge, so memory never grows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ohmline.arrays import Floats, Ints
from ohmline.compiled import compiled, undisturbed
from ohmline.kernel.ordering import dequeue, enqueue


class Sampled(NamedTuple):
    """L ~ U D U' with rows and columns in `order`, U unit triangular and kept without its diagonal."""

    order: Ints
    indptr: Ints
    indices: NDArray[np.uint32]
    values: Floats
    """The shares of the neighbours: minus the entries of U."""
    pivots: Floats
    """D; 0 at the last node of every component, which stays grounded."""

    @property
    def bytes(self) -> int:
        """The memory that it takes."""
        return sum(part.nbytes for part in self)


def sample(indptr: Ints, indices: Ints, weights: Floats, *, copies: int = 1, seed: int = 0) -> Sampled:
    """The approximate factor of the Laplacian of an undirected graph in compressed rows, without loops."""
    with undisturbed():  # what returns arrays to Python must not be cut off by Ctrl-C on the way
        parts = eliminate(
            indptr.astype(np.int64), indices.astype(np.int64), weights, copies, np.uint64(seed + 1)
        )
    return Sampled(*parts)


def predicted_bytes(n: int, entries: int, copies: int) -> int:
    """What elimination takes at its peak: lists of four numbers per entry, and a factor of about as many entries."""
    return 32 * copies * entries + 12 * 2 * copies * entries + 100 * n


@compiled
def eliminate(
    indptr: Ints, indices: Ints, weights: Floats, copies: int, seed: Any
) -> tuple[Ints, Ints, Any, Floats, Floats]:
    """Nodes in the order of their present degrees; see the module's words."""
    n = len(indptr) - 1
    head, following, target, weight, twin = _lists(indptr, indices, weights, copies)
    degree = (indptr[1:] - indptr[:-1]) * copies
    first, after, before = np.full(n + 1, -1), np.full(n, -1), np.full(n, -1)
    for i in range(n - 1, -1, -1):
        enqueue(first, after, before, i, min(degree[i], n))
    columns, rows = np.zeros(n + 1, np.int64), np.empty(len(indices) // 2 + n + 1, np.uint32)
    shares = np.empty(len(rows))
    order, pivots = np.empty(n, np.int64), np.zeros(n)
    mark, total, count = np.full(n, -1), np.zeros(n), np.zeros(n, np.int64)
    entry, heft, rest = np.empty(64, np.int64), np.empty(64), np.empty(64)
    near = np.empty(64, np.int64)
    lowest, state = 0, np.array([seed], np.uint64)
    for step in range(n):
        while first[lowest] < 0:
            lowest += 1
        v = first[lowest]
        dequeue(first, after, before, v, min(degree[v], n))
        degree[v] = -1
        order[step] = v
        # The distinct neighbours, with parallel edges added up; of these at most `copies` stay.
        e, size, distinct, all_weight = head[v], 0, 0, 0.0
        while e >= 0:
            if weight[e] > 0.0:
                if size == len(entry):
                    entry, heft, rest, near = _longer(entry), _longer(heft), _longer(rest), _longer(near)
                u = target[e]
                if mark[u] != step:
                    mark[u], total[u], count[u] = step, 0.0, 0
                    near[distinct] = u
                    distinct += 1
                total[u] += weight[e]
                all_weight += weight[e]
                if count[u] < copies:
                    entry[size] = e
                    size += 1
                    count[u] += 1
                else:
                    weight[twin[e]] = 0.0
                    _lower(first, after, before, degree, u, n)
            e = following[e]
        filled = columns[step]
        while filled + distinct > len(rows):
            rows, shares = _longer(rows), _longer(shares)
        for k in range(distinct):
            rows[filled + k], shares[filled + k] = near[k], total[near[k]] / all_weight
        columns[step + 1], pivots[step] = filled + distinct, all_weight
        for k in range(size):
            u = target[entry[k]]
            heft[k] = total[u] / count[u]
        by_weight(heft, entry, size)
        left = 0.0
        for k in range(size - 1, -1, -1):
            rest[k] = left
            left += heft[k]
        for k in range(size):
            e = entry[k]
            u = target[e]
            if k == size - 1 or not rest[k] > 0.0:
                weight[twin[e]] = 0.0
                _lower(first, after, before, degree, u, n)
                continue
            other = target[entry[_drawn(rest, k, size, _uniform(state) * rest[k])]]
            joined = heft[k] * (rest[k] / all_weight)
            if other == u or not joined > 0.0:
                weight[twin[e]] = 0.0
                _lower(first, after, before, degree, u, n)
                continue
            back = twin[e]
            target[back], weight[back] = other, joined
            target[e], weight[e], following[e], head[other] = u, joined, head[other], e
            dequeue(first, after, before, other, min(degree[other], n))
            degree[other] += 1
            enqueue(first, after, before, other, min(degree[other], n))
        for k in range(distinct):
            lowest = min(lowest, degree[near[k]])
    place = np.empty(n, np.int64)
    for step in range(n):
        place[order[step]] = step
    size = columns[n]
    out = np.empty(size, np.uint32)
    for q in range(size):
        out[q] = place[rows[q]]
    return order, columns, out, shares[:size].copy(), pivots


@compiled
def _lists(
    indptr: Ints, indices: Ints, weights: Floats, copies: int
) -> tuple[Ints, Ints, Ints, Floats, Ints]:
    """The linked lists of all nodes, each edge `copies` times."""
    n, entries = len(indptr) - 1, len(indices)
    head, following = np.full(n, -1), np.empty(entries * copies, np.int64)
    target, twin = np.empty(entries * copies, np.int64), np.empty(entries * copies, np.int64)
    weight = np.empty(entries * copies)
    used = 0
    for i in range(n):
        for q in range(indptr[i], indptr[i + 1]):
            j = indices[q]
            if j <= i:
                continue
            for _ in range(copies):
                for a, b in ((i, j), (j, i)):
                    target[used], weight[used] = b, weights[q] / copies
                    following[used], head[a] = head[a], used
                    used += 1
                twin[used - 2], twin[used - 1] = used - 1, used - 2
    return head, following, target, weight, twin


@compiled
def _lower(first: Ints, after: Ints, before: Ints, degree: Ints, u: int, n: int) -> None:
    """Node u has one entry less."""
    dequeue(first, after, before, u, min(degree[u], n))
    degree[u] -= 1
    enqueue(first, after, before, u, min(degree[u], n))


@compiled
def _longer(values: Any) -> Any:
    longer = np.empty(2 * len(values), values.dtype)
    longer[: len(values)] = values
    return longer


@compiled
def _uniform(state: Any) -> float:
    """A number from 0 to 1, and the next state (splitmix64)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return float((z ^ (z >> np.uint64(31))) >> np.uint64(11)) / 9007199254740992.0


@compiled
def _drawn(rest: Floats, k: int, size: int, height: float) -> int:
    """The neighbour after the k-th, drawn by weight: the last one with more than `height` at and after it."""
    low, high = k + 1, size - 1
    while low < high:
        middle = (low + high + 1) // 2
        if rest[middle - 1] > height:
            low = middle
        else:
            high = middle - 1
    return low


@compiled
def by_weight(heft: Floats, entry: Ints, size: int) -> None:
    """Sort the first `size` numbers and what goes with them, smallest first (shell sort: lists are short)."""
    gap = 1
    while gap < size // 3:
        gap = 3 * gap + 1
    while gap >= 1:
        for i in range(gap, size):
            h, e, j = heft[i], entry[i], i
            while j >= gap and heft[j - gap] > h:
                heft[j], entry[j] = heft[j - gap], entry[j - gap]
                j -= gap
            heft[j], entry[j] = h, e
        gap //= 3


@compiled
def substitute(
    order: Ints,
    indptr: Ints,
    indices: Any,
    values: Floats,
    pivots: Floats,
    right: Floats,
    work: Floats,
    out: Floats,
) -> None:
    """out = (U D U')^+ right; `work` is overwritten."""
    n = len(order)
    for j in range(n):
        work[j] = right[order[j]]
    for j in range(n):
        own = work[j]
        for q in range(indptr[j], indptr[j + 1]):
            work[indices[q]] += values[q] * own
    for j in range(n - 1, -1, -1):
        total = work[j] / pivots[j] if pivots[j] > 0.0 else 0.0
        for q in range(indptr[j], indptr[j + 1]):
            total += values[q] * work[indices[q]]
        work[j] = total
        out[order[j]] = total
