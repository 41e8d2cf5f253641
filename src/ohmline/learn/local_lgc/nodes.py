"""One record for each node: what a solve reads and writes of it lies in half a cache line.

A push touches nodes all over memory, and on a large graph its time is the time of those accesses. Five arrays are five
of them for each edge; a record is one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.compiled import inlined

NODE = np.dtype(
    [
        ("r", np.float64),  # what is still to be pushed at the node
        ("x", np.float64),  # the column of Q^-1 so far
        ("q", np.float64),  # Q_jj: weighted degree + ridge, + 1/mu once the node is labelled
        ("label", np.int32),  # its class, -1 for none
        ("mark", np.int32),  # the sum of the marks below that it has
    ]
)
"""What is kept of a node, by name."""
SEEN = 1
"""The mark of nodes that the last solve has reached."""
QUEUED = 2
"""The mark of nodes that wait in the queue."""
HEAVY_EDGES = 4
"""The mark of nodes whose edges weigh so much that `width_of` is not Q_jj."""
STALE = 8
"""The mark of nodes where Q F = b may be off: a truncated update went there since it last was mended."""
LINE = 64
"""Bytes in a cache line."""


def blank(n: int) -> AnyArray:
    """So many records of nodes without labels, none of which lies across two cache lines."""
    room = np.zeros(n * NODE.itemsize + LINE, np.uint8)
    first = -room.ctypes.data % LINE
    records: AnyArray = room[first : first + n * NODE.itemsize].view(NODE)
    records["label"] = -1
    return records


def nodes_of(label: Ints, q: Floats) -> AnyArray:
    """Records with these labels and these Q_jj."""
    records = blank(len(label))
    records["label"], records["q"] = label, q
    return records


def longer_nodes(nodes: AnyArray, n: int) -> AnyArray:
    """The same nodes, and blank ones up to n; what a solve left there is not copied."""
    longer = blank(n)
    for name in ("q", "label"):
        longer[name][: len(nodes)] = nodes[name]
    longer["mark"][: len(nodes)] = nodes["mark"] & (STALE | HEAVY_EDGES)
    return longer


def relabelled(nodes: AnyArray, place: Ints) -> AnyArray:
    """The same records with other numbers for the classes; the last entry of `place` is for no label."""
    renamed = longer_nodes(nodes, len(nodes))
    renamed["label"] = place[nodes["label"]]
    return renamed


@inlined
def marked(nodes: Any, j: int, mark: int) -> bool:
    """Whether node j has that mark."""
    return nodes[j].mark & mark != 0


@inlined
def put_mark(nodes: Any, j: int, mark: int) -> None:
    """Mark node j."""
    nodes[j].mark = nodes[j].mark | mark


@inlined
def lift_mark(nodes: Any, j: int, mark: int) -> None:
    """Take a mark from node j."""
    nodes[j].mark = nodes[j].mark & ~mark
