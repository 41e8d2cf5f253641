"""From edges in any order to sorted rows, in compiled code and in place.

While rows are filled, `indptr[i + 1]` is where the next entry of row i goes; once all are in, it is where the row ends,
which is what it means ever after.
"""

from __future__ import annotations

import numpy as np

from ohmline.arrays import AnyArray, Bools, Floats, Ints
from ohmline.compiled import compiled, internal

SHORT = 24
"""Entries up to which a row is sorted by insertion."""
EQUAL, LARGEST, APART = 0, 1, 2
"""What becomes of entries for one pair: they must agree, the largest stays, or all stay for somebody else."""


@compiled
def count_ends(codes: AnyArray, weights: Floats, counts: Ints, seen: Bools) -> int:
    """Count the entries of every row into counts[code + 1], mark the codes seen; the number of loops."""
    loops = 0
    weighted = weights.shape[0] > 0
    for k in range(codes.shape[0]):
        u, v = codes[k, 0], codes[k, 1]
        seen[u] = True
        seen[v] = True
        if weighted and weights[k] == 0:
            continue
        if u == v:
            loops += 1
        else:
            counts[u + 1] += 1
            counts[v + 1] += 1
    return loops


@compiled
def begin_rows(indptr: Ints) -> None:
    """From counts in indptr[i + 1] to where each row begins."""
    total = 0
    for k in range(1, indptr.shape[0]):
        size = indptr[k]
        indptr[k] = total
        total += size


@compiled
def fill(
    codes: AnyArray,
    weights: Floats,
    rank: AnyArray,
    indptr: Ints,
    low: int,
    high: int,
    base: int,
    neighbour: AnyArray,
    weight: Floats,
) -> None:
    """Put the edges into rows low..high-1, the first of which begins at entry `base`."""
    weighted, kept, ranked = weights.shape[0] > 0, weight.shape[0] > 0, rank.shape[0] > 0
    for k in range(codes.shape[0]):
        u, v = codes[k, 0], codes[k, 1]
        if u == v or (weighted and weights[k] == 0):
            continue
        if ranked:
            u, v = rank[u], rank[v]
        for _ in range(2):
            if low <= u < high:
                p = indptr[u + 1] - base
                neighbour[p] = v
                if kept:
                    weight[p] = weights[k] if weighted else 1.0
                indptr[u + 1] += 1
            u, v = v, u


@internal
def _before(neighbour: AnyArray, weight: Floats, p: int, q: int) -> bool:
    return neighbour[p] < neighbour[q] or (neighbour[p] == neighbour[q] and weight[p] < weight[q])


@internal
def _sink(neighbour: AnyArray, weight: Floats, begin: int, place: int, size: int) -> None:
    """Let an entry sink to its level in the heap."""
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and _before(neighbour, weight, begin + child, begin + child + 1):
            child += 1
        p, q = begin + place, begin + child
        if not _before(neighbour, weight, p, q):
            return
        neighbour[p], neighbour[q] = neighbour[q], neighbour[p]
        weight[p], weight[q] = weight[q], weight[p]
        place = child


@internal
def _sort_row(neighbour: AnyArray, weight: Floats, begin: int, end: int) -> None:
    """Sort entries by neighbour, then by weight, without any room to spare."""
    weighted = weight.shape[0] > 0
    if end - begin <= SHORT:
        for p in range(begin + 1, end):
            j = neighbour[p]
            w = weight[p] if weighted else 1.0
            q = p
            while q > begin and (
                neighbour[q - 1] > j or (weighted and neighbour[q - 1] == j and weight[q - 1] > w)
            ):
                neighbour[q] = neighbour[q - 1]
                if weighted:
                    weight[q] = weight[q - 1]
                q -= 1
            neighbour[q] = j
            if weighted:
                weight[q] = w
    elif not weighted:
        neighbour[begin:end].sort()
    else:
        size = end - begin
        for place in range(size // 2 - 1, -1, -1):
            _sink(neighbour, weight, begin, place, size)
        for last in range(size - 1, 0, -1):
            p = begin + last
            neighbour[begin], neighbour[p] = neighbour[p], neighbour[begin]
            weight[begin], weight[p] = weight[p], weight[begin]
            _sink(neighbour, weight, begin, 0, last)


@compiled
def tidy(
    indptr: Ints, low: int, high: int, base: int, neighbour: AnyArray, weight: Floats, how: int
) -> tuple[int, int]:
    """Sort rows low..high-1, whose first entry is `base`, and keep every pair once; the entries left, and twins.

    Rows move together: row `low` begins at indptr[low] then. Twins are pairs with several entries; -1 where some
    have two weights and `how` is EQUAL.
    """
    weighted = weight.shape[0] > 0
    write, twins = 0, 0
    begin = 0
    for i in range(low, high):
        end = indptr[i + 1] - base
        _sort_row(neighbour, weight, begin, end)
        first = write
        for p in range(begin, end):
            if how != APART and write > first and neighbour[write - 1] == neighbour[p]:
                twins += 1
                if weighted:
                    if how == EQUAL and weight[write - 1] != weight[p]:
                        return 0, -1
                    weight[write - 1] = weight[p]
            else:
                neighbour[write] = neighbour[p]
                if weighted:
                    weight[write] = weight[p]
                write += 1
        begin = end
        indptr[i + 1] = indptr[low] + write
    return write, twins


def add_up(
    indptr: Ints, low: int, high: int, neighbour: AnyArray, weight: Floats, entries: int
) -> int | None:
    """Add up the weights of each pair in rows low..high-1, which are sorted; the entries left, None for an overflow.

    The sums are those of `ohmline.graph.edges.combined`, bit for bit: the same weights in the same order through the
    same function.
    """
    write, read, start, row = 0, 0, int(indptr[low]), low
    while row < high:
        stop = int(np.searchsorted(indptr, indptr[row] + _PART, side="right")) - 1
        stop = min(max(stop, row + 1), high)
        ends = indptr[row + 1 : stop + 1] - start
        size = int(ends[-1]) - read
        j, w = neighbour[read : read + size].copy(), weight[read : read + size].copy()
        sizes = np.diff(ends, prepend=read)
        rows = np.repeat(np.arange(len(sizes)), sizes)
        first = np.ones(size, np.bool_)
        first[1:] = (j[1:] != j[:-1]) | (rows[1:] != rows[:-1])
        places = np.flatnonzero(first)
        with np.errstate(over="ignore"):
            total = np.add.reduceat(w, places) if size else w
        if not np.isfinite(total).all():
            return None
        kept = total != 0
        total, j, rows = total[kept], j[places[kept]], rows[places[kept]]
        neighbour[write : write + len(j)], weight[write : write + len(j)] = j, total
        indptr[row + 1 : stop + 1] = (
            start + write + np.cumsum(np.bincount(rows, minlength=len(sizes))).astype(np.int64)
        )
        write, read, row = write + len(j), read + size, stop
    return write


_PART = 1 << 18
"""Entries that are added up at a time."""
