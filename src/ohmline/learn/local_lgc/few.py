"""An estimate that keeps the few largest classes of each node: its rows, and how they are made, read and resized.

A row has k places of a value and a class. A value above 0 is that of F for its class; a place with value 0 is empty,
and every class that has no place counts as 0. So F lies where it did, between 0 and 1 and nowhere above what was said
of it, and a row of eight places is one cache line in single precision, however many classes there are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ohmline.arrays import AnyArray, Bools, Floats, Ints
from ohmline.learn.local_lgc.nodes import LINE

PLACES = {
    np.dtype(np.float32): np.dtype([("value", np.float32), ("code", np.uint32)]),
    np.dtype(np.float64): np.dtype([("value", np.float64), ("code", np.uint64)]),
}
"""What one place holds, by the precision of the estimate."""


class FewClasses(NamedTuple):
    """F, in the room of k classes for each node."""

    rows: AnyArray
    """One row of k places for each node."""


def bytes_a_place(*, single: bool) -> int:
    """What a place takes."""
    return PLACES[np.dtype(np.float32 if single else np.float64)].itemsize


def no_rows(nodes: int, kept: int, *, single: bool) -> FewClasses:
    """Empty rows, the first of which begins a cache line."""
    place = PLACES[np.dtype(np.float32 if single else np.float64)]
    size = nodes * kept * place.itemsize
    room = np.zeros(size + LINE, np.uint8)
    first = -room.ctypes.data % LINE
    return FewClasses(room[first : first + size].view(place).reshape(nodes, kept))


def is_single(estimate: Floats | FewClasses) -> bool:
    """Whether an estimate is kept in single precision."""
    if isinstance(estimate, FewClasses):
        return estimate.rows.dtype == PLACES[np.dtype(np.float32)]
    return estimate.itemsize == 4


def longer_rows(estimate: FewClasses, nodes: int) -> FewClasses:
    """The same rows, and empty ones up to so many nodes."""
    held, kept = estimate.rows.shape
    longer = no_rows(nodes, kept, single=is_single(estimate))
    longer.rows[:held] = estimate.rows
    return longer


def with_classes(estimate: FewClasses, keep: Ints) -> FewClasses:
    """The same rows where the classes at `keep`, among which is every class that has a place, are numbered anew."""
    held, kept = estimate.rows.shape
    changed = no_rows(held, kept, single=is_single(estimate))
    there, code = estimate.rows["value"] > 0, estimate.rows["code"].astype(np.int64)
    place = np.zeros(int(keep.max(initial=0)) + 1, np.int64)
    place[keep] = np.arange(len(keep))
    changed.rows["value"] = estimate.rows["value"]
    changed.rows["code"] = place[np.where(there, code, 0)]
    return changed


def every(estimate: Floats | FewClasses, nodes: int, classes: int) -> Floats:
    """The estimate of the first nodes for every class: a view of the rows that hold all, or a table made of others."""
    if not isinstance(estimate, FewClasses):
        return estimate[:nodes, :classes]
    rows = estimate.rows[:nodes]
    table = np.zeros((nodes, classes), rows.dtype["value"])
    for s in range(rows.shape[1]):
        there = np.flatnonzero(rows["value"][:, s] > 0)
        table[there, rows["code"][there, s].astype(np.int64)] = rows["value"][there, s]
    return table


def saved_rows(estimate: FewClasses, nodes: int) -> list[tuple[str, AnyArray]]:
    """The rows for a snapshot: values, and the class at each place, -1 where it is empty."""
    rows = estimate.rows[:nodes]
    codes = np.where(rows["value"] > 0, rows["code"].astype(np.int64), -1)
    return [("estimate", np.array(rows["value"])), ("kept", codes)]


def put_rows(estimate: FewClasses, nodes: int, values: AnyArray, codes: Ints) -> None:
    """Fill the rows of the first nodes from a snapshot."""
    estimate.rows["value"][:nodes] = values
    estimate.rows["code"][:nodes] = np.maximum(codes, 0)


def wrong_rows(values: AnyArray, codes: Ints) -> Bools:
    """Which rows of a snapshot cannot be: a class twice, a place with a value and no class, or the reverse."""
    ordered = np.sort(codes, axis=1)
    twice = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
    wrong: Bools = ((values > 0) != (codes >= 0)).any(axis=1) | twice.any(axis=1)
    return wrong
