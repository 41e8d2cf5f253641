"""The user's node ids and their positions: the border between names and arrays."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import islice
from math import isfinite
from typing import Any, final, overload

import numpy as np

from ohmline.arrays import Ints, refuse_masked
from ohmline.checks import LARGEST_COUNT, room, shown
from ohmline.errors import GraphError, ParameterError, UnknownNode, UnknownPosition
from ohmline.graph.ids import IdTable
from ohmline.graph.spelling import did_you_mean

LONGEST = 10_000
"""Bits of the largest whole number that names a node or a class."""
_PART = 10_000
"""Ids of a table that become Python objects at a time."""


@final
class NodeIndex(Sequence[Hashable]):
    """Maps any hashable ids to positions 0..n-1 and back.

    Parameters
    ----------
    ids
        The ids in the order of their positions, each once; NaN is refused. Or a number n of at least 0: then
        the ids are the positions 0..n-1 themselves, and no table is kept.

    Examples
    --------
    >>> names = NodeIndex(["ada", "bob"])
    >>> names.position("bob"), names[0]
    (1, 'ada')
    >>> names.position("eve")
    Traceback (most recent call last):
    ohmline.errors.UnknownNode: unknown node 'eve'; the graph has 2 nodes, for example 'ada', 'bob'
    """

    __slots__ = ("_fingerprint", "_ids", "_places", "_size", "_table")

    def __init__(self, ids: Iterable[Hashable] | int) -> None:
        # Append-only, and shared with the indices that `with_node` made; only _size entries are ours.
        self._ids: list[Hashable] | None = None
        self._places: dict[Hashable, int] | None = None
        self._table: IdTable | None = None
        self._fingerprint: str | None = None
        if isinstance(ids, int | np.integer):
            if isinstance(ids, bool) or not 0 <= ids <= LARGEST_COUNT:
                raise GraphError(f"a graph cannot have {shown(ids)} nodes; give a number of at least 0")
            self._size = int(ids)
            return
        if isinstance(ids, range) and ids == range(len(ids)):
            self._size = len(ids)
            return
        listed = [plain(node) for node in _ids(ids)]
        self._size = len(listed)
        if all(type(node) is int and node == k for k, node in enumerate(listed)):
            return
        try:
            places = {node: k for k, node in enumerate(listed)}
        except TypeError:
            raise GraphError(
                "node ids must be hashable (numbers, strings, tuples); convert them first"
            ) from None
        if len(places) != self._size:
            seen: set[Hashable] = set()
            twice = next(node for node in listed if node in seen or seen.add(node))  # type: ignore[func-returns-value]
            raise GraphError(f"node {shown(twice)} is listed twice; every id must be given once")
        for node in listed:
            refuse_infinite(node)
        self._ids, self._places = listed, places

    @property
    def table(self) -> IdTable | None:
        """The arrays that hold the ids, where they are held so."""
        return self._table

    def with_node(self, node: Hashable) -> NodeIndex:
        """This index and one more id at its end.

        O(1), because the two share their tables; O(n) where another index has grown from this one already, or
        where the first id that is not its own position comes in.

        Parameters
        ----------
        node
            The new id: any hashable value but NaN that is not in the index already.

        Examples
        --------
        >>> NodeIndex(["ada", "bob"]).with_node("eve").position("eve")
        2
        """
        node = plain(node)
        try:
            hash(node)
        except TypeError:
            raise GraphError(
                f"node id {shown(node)} is not hashable; use a number, string or tuple"
            ) from None
        refuse_infinite(node)
        longer = NodeIndex(self._size + 1)
        if self.is_range and type(node) is int and node == self._size:
            return longer
        if self._ids is None or self._places is None or len(self._ids) > self._size:
            room(100 * self._size, f"a list of {self._size} ids, to which one is added,")
            ids = list(self)  # another index has gone on from here, or they lie in a table: part with it
            places = {known: k for k, known in enumerate(ids)}
        else:
            ids, places = self._ids, self._places
        if node in places:  # also 1.0 and True, which equal 1
            raise GraphError(f"node {shown(node)} is in the graph already; every id must be given once")
        ids.append(node)
        places[node] = self._size
        longer._ids, longer._places = ids, places
        return longer

    def position(self, node: Hashable) -> int:
        """The position of a node.

        Parameters
        ----------
        node
            An id; one that is not in the index raises `UnknownNode`.
        """
        place = self._find(node)
        if place >= 0:
            return place
        raise UnknownNode(
            f"unknown node {shown(node)}{did_you_mean(node, self)}; the graph has {self._size} nodes, for example "
            f"{self._sample()}"
        )

    def _find(self, node: Any) -> int:
        """The position of a node; -1 for one that is not in the index."""
        if self._table is not None:
            return self._table.find(node)
        if self._places is None:
            whole = isinstance(node, int | np.integer) and not isinstance(node, bool)
            return int(node) if whole and 0 <= node < self._size else -1
        try:
            place = self._places[node]
        except (KeyError, TypeError, ValueError):
            return -1
        return place if place < self._size else -1

    def positions(self, nodes: Iterable[Hashable]) -> Ints:
        """The positions of many nodes.

        Parameters
        ----------
        nodes
            Ids, in any order and as often as you like; one that is not in the index raises `UnknownNode`.
        """
        if self._table is not None:
            listed = nodes if isinstance(nodes, np.ndarray) and nodes.ndim else list(_ids(nodes))
            found = self._table.find_many(listed)
            if len(found) and found.min() < 0:
                self.position(listed[int(np.argmin(found))])
            return found
        if self._places is None and isinstance(nodes, np.ndarray) and nodes.dtype.kind in "iu":
            array = nodes.astype(np.int64).ravel()
            if nodes.dtype == np.uint64 and np.any(nodes.ravel() > LARGEST_COUNT):
                self.position(int(nodes.max()))
            if len(array) and (array.min() < 0 or array.max() >= self._size):
                self.position(int(array[(array < 0) | (array >= self._size)][0]))
            return array
        return np.fromiter((self.position(node) for node in _ids(nodes)), dtype=np.int64)

    @property
    def is_range(self) -> bool:
        """Whether ids and positions coincide."""
        return self._places is None and self._table is None

    @property
    def fingerprint(self) -> str:
        """A digest of the ids in their order, by which a snapshot knows the nodes that it was made over."""
        if self._fingerprint is None:
            digest = sha256(f"{self._size}:".encode())
            if not self.is_range:
                for node in self:
                    digest.update(f"{type(node).__name__}:{node!r};".encode("utf-8", "surrogatepass"))
            self._fingerprint = digest.hexdigest()
        return self._fingerprint

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, place: int) -> Hashable: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Hashable]: ...
    def __getitem__(self, place: int | slice) -> Hashable | Sequence[Hashable]:
        if not isinstance(place, int | slice | np.integer):
            raise ParameterError(
                f"a position must be a whole number, got {shown(place)}; position(node) finds one"
            )
        if isinstance(place, slice):
            if self._table is not None:
                return tuple(self._table.item(i) for i in range(self._size)[place])
            return range(self._size)[place] if self._ids is None else tuple(self._ids[: self._size][place])
        if not -self._size <= place < self._size:
            raise UnknownPosition(f"position {shown(place)} is beyond the {self._size} nodes; count from 0")
        i = range(self._size)[place]
        if self._table is not None:
            return self._table.item(i)
        return i if self._ids is None else self._ids[i]

    def __iter__(self) -> Iterator[Hashable]:
        if self._table is not None:
            return _unpacked(self._table)
        return iter(range(self._size)) if self._ids is None else islice(self._ids, self._size)

    def __contains__(self, node: object) -> bool:
        return self._find(node) >= 0

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, NodeIndex)
            and self._size == other._size
            and self.is_range == other.is_range
            and (
                (self._ids is other._ids and self._table is other._table)
                or all(a == b for a, b in zip(self, other, strict=True))
            )
        )

    def __hash__(self) -> int:
        ends = (self[0], self[-1]) if self._size and not self.is_range else None
        return hash((self._size, ends))

    def __repr__(self) -> str:
        return (
            f"NodeIndex({self._size})"
            if self.is_range
            else f"NodeIndex({self._size} ids, for example {self._sample()})"
        )

    def _sample(self) -> str:
        return ", ".join(shown(node) for node, _ in zip(self, range(3), strict=False)) or "none"


def index_over(table: IdTable, fingerprint: str | None = None) -> NodeIndex:
    """The ids of a table, which never become Python objects all at once; their digest, where it is known already."""
    index = NodeIndex(len(table))
    index._table, index._fingerprint = table, fingerprint
    return index


def _unpacked(table: IdTable) -> Iterator[Hashable]:
    """The ids of a table, some at a time."""
    for low in range(0, len(table), _PART):
        yield from table.part(low, min(low + _PART, len(table)))


def _ids(ids: Iterable[Hashable]) -> Iterable[Hashable]:
    """Something that can be gone through, or an error."""
    refuse_masked(ids, "node ids", GraphError)
    if not isinstance(ids, Iterable) or (isinstance(ids, np.ndarray) and ids.ndim == 0):
        raise GraphError(f"node ids must be a list or another iterable, got {shown(ids)}")
    return ids


def refuse_infinite(node: Hashable) -> None:
    """None is a missing id, NaN equals nothing, infinity comes of a division by zero, and numbers may be too long.

    None of them names a node.
    """
    if node is None or type(node).__name__ in ("NAType", "NaTType"):
        raise GraphError(
            f"{node} is not a node id: it stands for a missing one; drop such edges, or give the node a name"
        )
    if isinstance(node, int) and node.bit_length() > LONGEST:
        raise GraphError(f"{shown(node)} is too long for a node id; give a string or a smaller number")
    if isinstance(node, float) and not isfinite(node):
        raise GraphError(
            f"{node} is not a node id: it is what a failed calculation leaves; give the node a name"
        )


def plain(node: Hashable) -> Hashable:
    """The id as a Python object: NumPy's numbers and strings hash alike but print otherwise."""
    return node.item() if isinstance(node, np.generic) else node
