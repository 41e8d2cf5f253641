"""Labels of nodes that live on workers: each goes to the block that owns its node."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ohmline.arrays import Ints
from ohmline.checks import file_path, flag, hashable, listed, shown
from ohmline.cluster.layout import Layout, owners
from ohmline.cluster.naming import owner_of, read_ids
from ohmline.cluster.rows import RowBlock
from ohmline.errors import LabelError, ParameterError, UnknownNode
from ohmline.extras import require
from ohmline.graph.files.labels import LabelsApart, read_labels
from ohmline.graph.files.paths import suffix_of
from ohmline.graph.files.spelling import typed

SHOWN = 3


@final
@dataclass(frozen=True)
class Given:
    """The labels that one block was sent.

    Attributes
    ----------
    nodes
        Places in the block, or the ids themselves where nodes have some.
    codes
        The class of each.
    """

    nodes: Any
    codes: Ints

    def at(self, block: RowBlock) -> tuple[Ints, Ints]:
        """Rows of the block and their classes, without nodes that it does not have."""
        if isinstance(self.nodes, np.ndarray):
            return self.nodes, self.codes
        places = _places(block, self.nodes)
        return places[places >= 0], self.codes[places >= 0]


def read_known(
    labels: Any,
    *,
    integers: bool,
    header: bool | None = None,
    node: str | int | None = None,
    label: str | int | None = None,
) -> tuple[dict[Hashable, Hashable], LabelsApart | None]:
    """The labels of a mapping or a file; ids as the graph has them: strings where it has strings.

    Also the file, where only the graph can say whether its first row names the columns; the labels are then those of
    the other rows, and `settled` has all of them.
    """
    if isinstance(labels, str | os.PathLike):
        path = file_path(labels, "labels")
        if suffix_of(path) != ".parquet":
            apart = LabelsApart(path, header=header, node=node, label=label, integers=integers)
            found = apart.read()
            return (found, apart) if apart.in_doubt else (_some(found), None)
        labels = read_labels(path, header=header, node=node, label=label)
    if not isinstance(labels, Mapping):
        raise ParameterError(
            f"labels must be a mapping of nodes to labels, or a file of them, got {shown(labels)}"
        )
    known = {
        node if integers else str(node): hashable(label, "label")
        for node, label in labels.items()
        if label is not None
    }
    return _some(known), None


def settled(
    known: dict[Hashable, Hashable], doubted: LabelsApart | None, layout: Layout, *, integers: bool
) -> dict[Hashable, Hashable]:
    """The labels, now that the graph can say whether the first row of their file names the columns."""
    if doubted is None:
        return known
    return _some(doubted.read(Members(layout, doubted.spellings, integers=integers)))


def _some(known: dict[Hashable, Hashable]) -> dict[Hashable, Hashable]:
    if not known:
        raise LabelError("there are no labels; give one node at least a label")
    return known


@final
class Members:
    """Which of some nodes a graph that workers hold has; the ids of a block are read once, and only when asked for.

    Parameters
    ----------
    layout
        Where the graph is.
    spellings
        The nodes that may be asked for, as they are written.
    integers
        Whether the ids of the graph are whole numbers; otherwise they are strings.
    """

    def __init__(self, layout: Layout, spellings: list[str], *, integers: bool) -> None:
        self._layout, self._integers = layout, integers
        arrow = require("pyarrow", "cluster")
        ids = [node for node in map(self._id, spellings) if node is not None]
        self._ids = arrow.array(ids, arrow.int64() if integers else arrow.large_string())
        owner = owner_of(self._ids, layout.blocks) if layout.named else np.zeros(len(ids), np.int64)
        self._owner = dict(zip(ids, owner.tolist(), strict=True))
        self._owners = owner
        self._there: dict[int, frozenset[Any]] = {}

    def __call__(self, spelling: str) -> bool:
        node = self._id(spelling)
        if node is None:
            return False
        if not self._layout.named:
            return 0 <= int(node) < self._layout.n
        block = self._owner[node]
        if block not in self._there:
            arrow, compute = require("pyarrow", "cluster"), require("pyarrow.compute", "cluster")
            asked = self._ids.take(arrow.array(np.flatnonzero(self._owners == block)))
            there = compute.is_in(asked, value_set=read_ids(self._layout.folder, block))
            self._there[block] = frozenset(asked.filter(there).to_pylist())
        return node in self._there[block]

    def _id(self, spelling: str) -> Any:
        """The id that is written so; None where no id of the graph can be."""
        if not self._integers:
            return spelling
        node = typed([spelling])[0]
        return node if isinstance(node, int) and -(2**63) <= node < 2**63 else None


def class_table(known: Mapping[Hashable, Hashable], classes: Iterable[Any] | None) -> dict[Hashable, int]:
    """The code of each class: in the order given, or in which labels first have them."""
    names = dict.fromkeys(known.values()) if classes is None else dict.fromkeys(listed(classes, "classes"))
    for label in known.values():
        if label not in names:
            raise LabelError(f"label {label!r} is not one of the classes {', '.join(map(repr, names))}")
    return {name: code for code, name in enumerate(names)}


def sent(
    known: Mapping[Hashable, Hashable],
    codes: Mapping[Hashable, int],
    layout: Layout,
    *,
    integers: bool,
    skip: bool,
) -> dict[int, Given]:
    """What each block is sent; nodes that are no positions are refused, or left out."""
    flag(skip, "skip_unknown")
    arrow = require("pyarrow", "cluster")
    nodes: list[Any] = list(known)
    code = np.array([codes[known[node]] for node in nodes], np.int64)
    if integers:
        whole = [isinstance(node, int | np.integer) and -(2**63) <= int(node) < 2**63 for node in nodes]
        _refuse([node for node, good in zip(nodes, whole, strict=True) if not good], skip)
        nodes, code = (
            [node for node, good in zip(nodes, whole, strict=True) if good],
            code[np.array(whole, bool)],
        )
    if not layout.named:
        places = np.array(nodes, np.int64)
        there = (places >= 0) & (places < layout.n)
        _refuse(places[~there].tolist(), skip)
        places, code = places[there], code[there]
        owner = owners(layout.bounds, places)
        return {
            b: Given(places[owner == b] - layout.bounds[b], code[owner == b]) for b in range(layout.blocks)
        }
    ids = arrow.array(nodes, arrow.int64() if integers else arrow.large_string())
    owner = owner_of(ids, layout.blocks)
    return {
        b: Given(ids.take(arrow.array(np.flatnonzero(owner == b))), code[owner == b])
        for b in range(layout.blocks)
    }


def unknown(block: RowBlock, given: Given) -> list[Any]:
    """Some ids that the block was sent and does not have."""
    if isinstance(given.nodes, np.ndarray):
        return []
    arrow = require("pyarrow", "cluster")
    missing = np.flatnonzero(_places(block, given.nodes) < 0)[:SHOWN]
    return list(given.nodes.take(arrow.array(missing)).to_pylist())


def expect_known(found: list[list[Any]], *, skip: bool) -> None:
    """Raise where some block was sent nodes that it does not have."""
    _refuse([node for block in found for node in block], skip)


def _places(block: RowBlock, ids: Any) -> Ints:
    """The row of each id; -1 where there is none."""
    compute = require("pyarrow.compute", "cluster")
    places = compute.index_in(ids, value_set=read_ids(block.folder, block.number))
    found: Ints = compute.fill_null(places, -1).to_numpy(zero_copy_only=False).astype(np.int64)
    return found


def _refuse(nodes: list[Any], skip: bool) -> None:
    if nodes and not skip:
        raise UnknownNode(
            f"the graph has no node {', '.join(map(repr, nodes[:SHOWN]))}; correct the labels, say that the "
            "file has a header (header=True, --labels-header) if that is its first line, or pass skip_unknown=True to "
            "leave them out"
        )
