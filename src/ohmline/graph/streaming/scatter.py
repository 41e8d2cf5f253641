"""From edges in any order to sorted rows, in compiled code and in place.

While rows are filled, `indptr[i + 1]` is where the next entry of row i goes; once all are in, it is where the row ends,
which is what it means ever after.
"""

from __future__ import annotations

import numpy as np

from ohmline.arrays import AnyArray, Bools, Floats, Ints
from ohmline.compiled import borrowed, compiled, internal, prefetch

SHORT = 24
"""Entries up to which a row is sorted by insertion."""
AHEAD = 8
"""Edges between fetching a place and writing there."""
FEW, LANES = 64, 8
"""Entries up to which a row without weights is sorted by counting, and how many are compared at a time."""
NEVER = 2**31 - 1
"""More than any position."""
EQUAL, LARGEST, APART = 0, 1, 2
"""What becomes of entries for one pair: they must agree, the largest stays, or all stay for somebody else."""


@compiled
def count_ends(codes: AnyArray, weights: Floats, counts: Ints, seen: Bools) -> int:
    """Count the entries of every row into counts[code + 1]; the number of loops.

    What a row has no entry for is marked as seen: ends of loops and of edges that weigh nothing.
    """
    loops = 0
    weighted = weights.shape[0] > 0
    for k in range(codes.shape[0]):
        u, v = codes[k, 0], codes[k, 1]
        if weighted and weights[k] == 0:
            seen[u] = True
            seen[v] = True
        elif u == v:
            seen[u] = True
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
    last, rows, entries = codes.shape[0] - 1, indptr.ctypes.data, neighbour.ctypes.data
    for k in range(codes.shape[0]):
        # Each entry goes anywhere: its row's end, then its own place, are fetched before they are needed.
        far, near = min(k + 2 * AHEAD, last), min(k + AHEAD, last)
        for side in range(2):
            row = rank[codes[far, side]] if ranked else codes[far, side]
            prefetch(rows + 8 * (int(row) + 1), 1)
            row = rank[codes[near, side]] if ranked else codes[near, side]
            prefetch(entries + 4 * (indptr[row + 1] - base), 1)
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
def _distinct(neighbour: AnyArray, begin: int, end: int, write: int, room: AnyArray) -> int:
    """Put the entries of a short row from `write` on, sorted and each once; how many there are.

    Each is put where as many places come before as there are smaller ones, and twins come to the same place: no branch
    depends on the numbers, which are in no order that a processor could guess, and eight are compared at a time.
    """
    size = end - begin
    keys, places = room[0], room[1]
    for k in range(size):
        keys[k] = neighbour[begin + k]
        places[k] = -1
    blocks = (size + LANES - 1) // LANES * LANES
    for k in range(size, blocks):
        keys[k] = NEVER
    for k in range(size):
        key, smaller = keys[k], np.int32(0)
        for block in range(0, blocks, LANES):
            for lane in range(LANES):
                smaller += np.int32(keys[block + lane] < key)
        places[smaller] = key
    kept = write
    for k in range(size):
        neighbour[kept] = places[k]
        kept += 1 if places[k] >= 0 else 0
    return kept - write


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


def tidy(
    indptr: Ints, low: int, high: int, base: int, neighbour: AnyArray, weight: Floats, how: int
) -> tuple[int, int]:
    """Sort rows low..high-1, whose first entry is `base`, and keep every pair once; the entries left, and twins.

    Rows move together: row `low` begins at indptr[low] then. Twins are pairs with several entries; -1 where some
    have two weights and `how` is EQUAL.
    """
    room = np.empty((2, FEW), np.int32)
    write, twins = _tidied(indptr, low, high, base, neighbour, weight, how, room)
    return int(write), int(twins)


@compiled
def _tidied(
    indptr: Ints,
    low: int,
    high: int,
    base: int,
    neighbour: AnyArray,
    weight: Floats,
    how: int,
    room: AnyArray,
) -> tuple[int, int]:
    weighted = weight.shape[0] > 0
    # Counting the users of arrays that are handed on would take longer than all the rest.
    indptr, neighbour, weight, room = borrowed((indptr, neighbour, weight, room))
    write, twins = 0, 0
    begin = 0
    for i in range(low, high):
        end = indptr[i + 1] - base
        if not weighted and end - begin <= FEW:
            found = _distinct(neighbour, begin, end, write, room)
            twins += end - begin - found
            write, begin = write + found, end
            indptr[i + 1] = indptr[low] + write
            continue
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
