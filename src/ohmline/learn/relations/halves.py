"""The edges of all types in one table: what a node's neighbours are, and by which kind of edge."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.checks import room
from ohmline.graph.relations import AHEAD, BACK, Relations, relative_weights

WIDE = 64
"""A node with more ends of edges than this is a hub: what its labelled neighbours say is counted, and never read."""
HEAVIEST = 2.0
"""An edge counts as much as it weighs in units of its type's mean weight, but no more than this."""
LOUDEST = 3
"""The ways that the edges of a node go say as much about its class as so many edges, however many there are."""
EXACT = 1024.0
"""Shares are rounded to such parts, so that sums of them are exact, and what is taken back leaves nothing."""


class Halves(NamedTuple):
    """Each edge from both of its ends, sorted by the end."""

    indptr: Ints
    """Where the entries of each node begin."""
    indices: Ints
    """The other end."""
    kind: Ints
    """The kind of edge as seen from this end: types with directions have three, ahead, back and both."""
    power: Floats
    """How much the edge counts."""
    mirror: Ints
    """For each kind the kind that the same edge is of, seen from the other end."""
    first: Ints
    """For each kind the first kind of its type; the kind itself for types without directions."""
    many: Ints
    """For each kind how many its type has: 1, or 3 with directions."""
    ways: Floats
    """[x, r]: how many edges of kind r node x has, scaled down so that a type has at most 3; 0 without directions."""
    hub: Ints
    """The number of each hub among the hubs, -1 for other nodes."""


class Kinds(NamedTuple):
    """The kinds of edges."""

    names: tuple[str, ...]
    """The type of each."""
    ways: tuple[int, ...]
    """Which way it goes; 0 for edges without direction."""
    mirror: Ints
    """The same edge seen from the other end."""
    first: Ints
    """The first kind of its type."""
    many: Ints
    """How many kinds its type has."""


def kinds_of(relations: Relations) -> Kinds:
    """The kinds of edges that there are."""
    names: list[str] = []
    ways: list[int] = []
    mirror: list[int] = []
    first: list[int] = []
    for name in relations.types:
        k = len(names)
        directed = name in relations.directions
        names += [name] * (3 if directed else 1)
        ways += [AHEAD, BACK, AHEAD | BACK] if directed else [0]
        mirror += [k + 1, k, k + 2] if directed else [k]
        first += [k] * (3 if directed else 1)
    many = np.bincount(first)[first]
    return Kinds(tuple(names), tuple(ways), np.array(mirror), np.array(first), many.astype(np.int64))


def halves_of(relations: Relations) -> Halves:
    """The table of these relations."""
    kinds = kinds_of(relations)
    entries = sum(len(relations[name].indices) for name in relations.types)
    room(96.0 * entries, f"a table of {entries} ends of edges")
    rows: list[AnyArray] = []
    columns: list[AnyArray] = []
    kind: list[AnyArray] = []
    power: list[AnyArray] = []
    for name in relations.types:
        graph, first = relations[name], kinds.names.index(name)
        rows.append(np.repeat(np.arange(graph.n), np.diff(graph.indptr)))
        columns.append(graph.indices.astype(np.int64))
        way = relations.directions.get(name)
        kind.append(np.full(len(graph.indices), first) if way is None else first + way - 1)
        power.append(np.minimum(relative_weights(graph), HEAVIEST))
    row, column = np.concatenate(rows), np.concatenate(columns)
    order = np.lexsort((np.concatenate(kind), column, row))
    indptr = np.zeros(relations.n + 1, np.int64)
    np.cumsum(np.bincount(row, minlength=relations.n), out=indptr[1:])
    kind_of = np.concatenate(kind).astype(np.int64)[order]
    is_hub = np.diff(indptr) > WIDE
    return Halves(
        indptr,
        column[order],
        kind_of,
        np.concatenate(power)[order],
        kinds.mirror,
        kinds.first,
        kinds.many,
        ways_at(relations.n, row[order], kind_of, kinds),
        np.where(is_hub, np.cumsum(is_hub) - 1, -1),
    )


def ways_at(n: int, row: AnyArray, kind: Ints, kinds: Kinds) -> Floats:
    """How many edges of each kind each node has, where a type has directions, and at most 3 of a type."""
    room(16.0 * n * len(kinds.names), f"the directions of the edges of {n} nodes")
    found = np.zeros((n, len(kinds.names)))
    for k in np.flatnonzero((kinds.many == 3) & (kinds.first == np.arange(len(kinds.first)))).tolist():
        of = (kind >= k) & (kind < k + 3)
        counts = np.bincount(3 * row[of] + kind[of] - k, minlength=3 * n).reshape(n, 3)
        scale = LOUDEST / np.maximum(counts.sum(axis=1), LOUDEST)
        found[:, k : k + 3] = np.round(counts * scale[:, None] * EXACT) / EXACT
    return found
