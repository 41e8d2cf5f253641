"""The checks of a graph file: what compiled code relies on, and whether a byte has changed.

`check_structure` makes one pass over the rows. Symmetry is compared by sums of keyed hashes, one over the entries above
the diagonal and one over their mirrors below: with a key that nobody knew when the file was written, two different sets
of edges agree with a chance of about 2^-64.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints, frozen
from ohmline.compiled import compiled
from ohmline.errors import FileFormatError
from ohmline.graph.ids import IdTable, NameTable, NumberTable
from ohmline.progress import Advance

PART = 1 << 22
"""Entries that are checked at a time."""
NAMES = 1 << 16
"""Names that are checked at a time."""
_MESSAGES = (
    "",
    "has the neighbour {found}, which must lie from 0 to {most}",
    "does not list its neighbours in ascending order, each once",
    "is its own neighbour",
    "has the weight {weight}, which is not finite and {words}",
)


@compiled
def _rows_fault(
    indptr: Ints,
    indices: AnyArray,
    weights: Floats,
    n: int,
    low: int,
    high: int,
    weighted: bool,
    signed: bool,
    key: Any,
    sums: AnyArray,
) -> tuple[int, int, int]:
    """What is wrong first in rows low..high-1, as the number of a message, and at which node and entry; adds hashes."""
    for i in range(low, high):
        before = np.int64(-1)
        for p in range(indptr[i], indptr[i + 1]):
            j = np.int64(indices[p])
            if j < 0 or j >= n:
                return 1, i, p
            if j <= before:
                return 2, i, p
            if j == i:
                return 3, i, p
            before = j
            first, last = (i, j) if i < j else (j, i)
            code = (np.uint64(first) << np.uint64(32)) ^ np.uint64(last) ^ key
            if weighted:
                weight = weights[p]
                if not np.isfinite(weight) or weight == 0 or (weight < 0 and not signed):
                    return 4, i, p
                code ^= np.float64(weight).view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
            code = (code ^ (code >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            code = (code ^ (code >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            sums[0 if i < j else 1] += code ^ (code >> np.uint64(31))
    return 0, 0, 0


def check_rows(
    path: Path, indptr: Ints, indices: AnyArray, weights: Floats | None, *, signed: bool, advance: Advance
) -> None:
    """Raise unless the rows are those of an undirected graph, which compiled code may walk without a look."""
    n = len(indptr) - 1
    if indptr[0] != 0 or indptr[-1] != len(indices):
        raise _damaged(
            path, f"its row starts run from {indptr[0]} to {indptr[-1]}, expected 0 to {len(indices)}"
        )
    for low in range(0, n, PART):
        steps = np.diff(indptr[low : low + PART + 1])
        if len(steps) and steps.min() < 0:
            raise _damaged(path, f"its row starts fall after node {low + int(np.argmin(steps))}")
    key = np.uint64(int.from_bytes(os.urandom(8), "little"))
    sums = np.zeros(2, np.uint64)
    some = frozen(np.zeros(1)) if weights is None else weights
    low = 0
    while low < n:
        high = int(np.searchsorted(indptr, indptr[low] + PART, side="right")) - 1
        high = min(max(high, low + 1), n)
        fault, i, p = _rows_fault(indptr, indices, some, n, low, high, weights is not None, signed, key, sums)
        if fault:
            words = "other than 0" if signed else "above 0"
            weight = None if weights is None else weights[p]
            message = _MESSAGES[fault].format(found=indices[p], most=n - 1, weight=weight, words=words)
            raise _damaged(path, f"node {i} {message}")
        advance(int(indptr[high] - indptr[low]))
        low = high
    if sums[0] != sums[1]:
        raise _damaged(path, "its edges do not all go both ways with one weight")


def check_ids(path: Path, table: IdTable, advance: Advance) -> None:
    """Raise unless every id of a table is there once and is found."""
    n = len(table)
    if isinstance(table, NumberTable):
        order = table.order
        if order is not None and (order.min() < 0 or order.max() >= n):
            raise _damaged(path, f"the order of its ids names a position outside 0 to {n - 1}")
        for low in range(0, n, PART):
            part = slice(low, low + PART + 1)
            values = table.values[part] if order is None else table.values[order[part]]
            if (values[1:] <= values[:-1]).any():
                raise _damaged(path, "one of its ids is there twice, or they are out of order")
            advance(min(PART, n - low))
    elif isinstance(table, NameTable):
        if table.offsets[0] != 0 or table.offsets[-1] > len(table.pool):
            raise _damaged(path, "its names begin or end outside their bytes")
        for low in range(0, n, NAMES):
            _check_names(path, table, low, min(low + NAMES, n))
            advance(min(NAMES, n - low))


def _check_names(path: Path, table: NameTable, low: int, high: int) -> None:
    ends = table.offsets[low : high + 1]
    if np.diff(ends).min() < 0 or ends[0] < 0 or ends[-1] > len(table.pool):
        raise _damaged(path, f"the names of nodes {low} to {high - 1} overlap")
    try:
        names = [bytes(table.pool[a:b]).decode() for a, b in pairwise(ends.tolist())]
    except UnicodeDecodeError:
        raise _damaged(path, f"a name of nodes {low} to {high - 1} is not UTF-8 text") from None
    found = table.find_many(names)
    wrong = np.flatnonzero(found != np.arange(low, high))
    if len(wrong):
        raise _damaged(
            path, f"the name {names[int(wrong[0])]!r} of node {low + wrong[0]} leads to another position"
        )


def check_digest(path: Path, name: str, array: AnyArray, digest: str, advance: Callable[[int], None]) -> None:
    """Raise where a byte of an array is not the one that was written."""
    found = sha256()
    for low in range(0, len(array), PART):
        piece = array[low : low + PART]
        found.update(piece.data)
        advance(len(piece))
    if found.hexdigest() != digest:
        raise _damaged(path, f"the array {name} is not the one that was written (its SHA-256 differs)")


def _damaged(path: Path, what: str) -> FileFormatError:
    return FileFormatError(f"{path} is damaged: {what}; write the file again, or get a whole copy")
