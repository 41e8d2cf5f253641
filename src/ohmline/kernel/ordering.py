"""An order of elimination that keeps a sparse Cholesky factor sparse, and the size it will have.

Minimum degree on the quotient graph (Amestoy, Davis and Duff): an eliminated node p becomes an
*element*, the clique of the nodes that were still next to it; elements that it touches dissolve into
it, so the memory never grows. The degree of a node is bounded by its other neighbours plus, for each
element it is in, the part of that element outside p's.

| name | meaning |
|---|---|
| `lists[first[i] :]` | what node i is next to: first `elements[i]` elements, up to `length[i]` in all |
| `pool[begin[e] :]` | the `size[e]` nodes of element e |
| `outside[e]` | how many nodes of element e are not next to p |
"""

from __future__ import annotations

import numpy as np

from ohmline.arrays import Ints
from ohmline.compiled import compiled

NODE, ELEMENT, GONE = range(3)


@compiled
def minimum_degree(
    indptr: Ints, indices: Ints, fill_limit: int, flop_limit: float, work_limit: float
) -> tuple[Ints, Ints, int, float]:
    """(order, entries below the diagonal of each column, fill, flops) of the factor.

    Stops as soon as the factor would hold more than `fill_limit` entries or cost more than
    `flop_limit`; the fill or flops returned are then above the limit, and the order is incomplete.
    It also stops, with infinite flops, when ordering itself has read `work_limit` entries of lists.
    """
    n = len(indptr) - 1
    first, lists = indptr[:-1].copy(), indices.copy()
    length = indptr[1:] - indptr[:-1]
    elements = np.zeros(n, np.int64)
    pool, used = np.empty(len(indices) + n + 1, np.int64), 0
    begin, size = np.zeros(n, np.int64), np.zeros(n, np.int64)
    status = np.zeros(n, np.int64)
    outside, seen, mark = np.zeros(n, np.int64), np.full(n, -1), np.full(n, -1)
    degree = length.copy()
    head, following, previous = np.full(n + 1, -1), np.full(n, -1), np.full(n, -1)
    for i in range(n - 1, -1, -1):
        enqueue(head, following, previous, i, degree[i])
    order, below = np.empty(n, np.int64), np.zeros(n, np.int64)
    kept = np.empty(n, np.int64)
    lowest, fill, flops, work = 0, 0, 0.0, 0.0
    for step in range(n):
        while head[lowest] < 0:
            lowest += 1
        p = head[lowest]
        dequeue(head, following, previous, p, degree[p])
        order[step] = p
        if used + degree[p] > len(pool):
            used = compact(pool, begin, size, status, order, step)
        # The element of p: its neighbours, and the nodes of the elements that it dissolves.
        begin[p], mark[p] = used, step
        for k in range(first[p], first[p] + elements[p]):
            e = lists[k]
            if status[e] == ELEMENT:
                for q in range(begin[e], begin[e] + size[e]):
                    i = pool[q]
                    if mark[i] != step:
                        mark[i] = step
                        pool[used] = i
                        used += 1
                status[e] = GONE
        for k in range(first[p] + elements[p], first[p] + length[p]):
            i = lists[k]
            if status[i] == NODE and mark[i] != step:
                mark[i] = step
                pool[used] = i
                used += 1
        size[p] = used - begin[p]
        status[p] = ELEMENT
        below[step] = size[p]
        fill += size[p] + 1
        flops += float(size[p] + 1) ** 2
        if fill > fill_limit or flops > flop_limit:
            return order, below, fill, flops
        if work > work_limit:
            return order, below, fill, np.inf
        for q in range(begin[p], used):
            i = pool[q]
            work += length[i] + 1
            for k in range(first[i], first[i] + elements[i]):
                e = lists[k]
                if status[e] == ELEMENT:
                    if seen[e] != step:
                        seen[e] = step
                        outside[e] = size[e]
                    outside[e] -= 1
        for q in range(begin[p], used):
            i = pool[q]
            dequeue(head, following, previous, i, degree[i])
            near, rest = 0, 0
            for k in range(first[i] + elements[i], first[i] + length[i]):
                j = lists[k]
                if status[j] == NODE and mark[j] != step:
                    kept[rest] = j
                    rest += 1
            total = rest + size[p] - 1
            for k in range(first[i], first[i] + elements[i]):
                e = lists[k]
                if status[e] == ELEMENT and outside[e] > 0:
                    lists[first[i] + near] = e
                    near += 1
                    total += outside[e]
            # One slot is free: p was among the neighbours, or in an element that is gone.
            lists[first[i] + near] = p
            near += 1
            for k in range(rest):
                lists[first[i] + near + k] = kept[k]
            elements[i], length[i] = near, near + rest
            degree[i] = min(total, degree[i] + size[p] - 1, n - step - 2)
            enqueue(head, following, previous, i, degree[i])
            lowest = min(lowest, degree[i])
    return order, below, fill, flops


@compiled
def enqueue(head: Ints, following: Ints, previous: Ints, i: int, degree: int) -> None:
    """Put node i in front of the queue of its degree."""
    other = head[degree]
    following[i], previous[i] = other, -1
    if other >= 0:
        previous[other] = i
    head[degree] = i


@compiled
def dequeue(head: Ints, following: Ints, previous: Ints, i: int, degree: int) -> None:
    """Take node i out of the queue of its degree."""
    if previous[i] >= 0:
        following[previous[i]] = following[i]
    else:
        head[degree] = following[i]
    if following[i] >= 0:
        previous[following[i]] = previous[i]


@compiled
def compact(pool: Ints, begin: Ints, size: Ints, status: Ints, order: Ints, made: int) -> int:
    """Close the gaps that dissolved elements left; where the pool ends now."""
    used = 0
    for k in range(made):
        e = order[k]
        if status[e] == ELEMENT:
            for q in range(size[e]):
                pool[used + q] = pool[begin[e] + q]
            begin[e] = used
            used += size[e]
    return used


@compiled
def elimination_tree(indptr: Ints, indices: Ints) -> Ints:
    """The parent of every column of the factor, -1 at roots; rows of the matrix in elimination order."""
    n = len(indptr) - 1
    parent, ancestor = np.full(n, -1), np.full(n, -1)
    for k in range(n):
        for q in range(indptr[k], indptr[k + 1]):
            i = indices[q]
            while i != -1 and i < k:
                up = ancestor[i]
                ancestor[i] = k
                if up == -1:
                    parent[i] = k
                i = up
    return parent


@compiled
def postorder(parent: Ints) -> Ints:
    """The columns with every subtree in one piece, which keeps the factor's rows near each other."""
    n = len(parent)
    head, sibling = np.full(n, -1), np.full(n, -1)
    for i in range(n - 1, -1, -1):
        if parent[i] >= 0:
            sibling[i] = head[parent[i]]
            head[parent[i]] = i
    post, stack, done = np.empty(n, np.int64), np.empty(n, np.int64), 0
    for root in range(n):
        if parent[root] >= 0:
            continue
        stack[0], top = root, 0
        while top >= 0:
            i = stack[top]
            if head[i] >= 0:
                top += 1
                stack[top] = head[i]
                head[i] = sibling[head[i]]
            else:
                post[done] = i
                done += 1
                top -= 1
    return post
