"""Probabilities that the user has already: columns of another model."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from hashlib import sha256
from typing import Any, Self, final

import numpy as np

from ohmline.arrays import Floats, numbers, read_only
from ohmline.checks import listed, shown
from ohmline.errors import ParameterError, ShapeError, SnapshotError
from ohmline.graph.graph import Graph, expect_graph
from ohmline.graph.nodes import NodeIndex
from ohmline.learn.classes import ClassTable
from ohmline.learn.contract import OnlineLearner, State, Update, View
from ohmline.learn.features.frames import columns_of
from ohmline.learn.labels import plain_label
from ohmline.learn.predictions import Predictions
from ohmline.learn.snapshots import expect_fingerprint, expect_kind
from ohmline.learn.turns import TakesTurns
from ohmline.representation import represent

CLOSE = 1e-6
"""How far the sum of a row may be from 1."""


@final
class GivenProbabilities(TakesTurns, OnlineLearner[Hashable, Any]):
    """Says what it was given and never learns: a member of a `Blend` that stands for a model of the user's own.

    Parameters
    ----------
    probabilities
        One row per node, in the order of `graph.nodes`, and one column per class; each row a distribution, or NaN
        throughout for "don't know". An array, or a pandas or polars frame whose columns are the classes.
    graph
        The graph whose nodes the rows belong to.
    classes
        The class of each column; None (default) takes the names of the columns of a frame.
    node
        For a frame: the column that names the node of each row. None (default) takes the index of a pandas frame if
        it holds the nodes, or else the order of `graph.nodes`.

    Examples
    --------
    >>> import ohmline as ohm
    >>> path = ohm.Graph.from_edges([("a", "b"), ("b", "c")])
    >>> nan = float("nan")
    >>> given = ohm.GivenProbabilities([[0.9, 0.1], [0.5, 0.5], [nan, nan]], path, ["red", "blue"])
    >>> given.predict_one("a"), given.predict_proba_one("a"), given.predict_one("c")
    ('red', {'red': 0.9, 'blue': 0.1}, None)
    """

    kind = "GivenProbabilities"

    def __init__(
        self,
        probabilities: Any,
        graph: Graph,
        classes: Iterable[Any] | None = None,
        *,
        node: Hashable | None = None,
    ) -> None:
        self.graph = expect_graph(graph)
        if not isinstance(probabilities, np.ndarray) and hasattr(probabilities, "columns"):
            table, names = columns_of(probabilities, graph.nodes, node)
            classes = names if classes is None else classes
        elif node is not None:
            raise ParameterError(
                f"node names a column of a frame, got {shown(probabilities)}; leave node out"
            )
        else:
            table = numbers(probabilities, "probabilities", 2, "two dimensions (nodes and classes)")
        if classes is None:
            raise ParameterError("the columns of probabilities have no names; give their classes")
        self._table = ClassTable(listed(classes, "classes"))
        self.probabilities = read_only(_distributions(table, graph.n, self._table.names))

    @property
    def nodes(self) -> NodeIndex:
        """The nodes it may be asked about."""
        return self.graph.nodes

    @property
    def classes(self) -> tuple[Any, ...]:
        """The class of each column."""
        return self._table.names

    @property
    def declared_classes(self) -> tuple[Any, ...]:
        return self.classes

    @property
    def fingerprint(self) -> str:
        """What a snapshot knows the graph and the numbers by."""
        digest = sha256(self.graph.fingerprint.encode())
        digest.update(repr(self.classes).encode())
        digest.update(np.ascontiguousarray(self.probabilities).tobytes())
        return digest.hexdigest()

    def predict_proba_one(self, x: Hashable) -> dict[Any, float]:
        """The probabilities that were given; empty for "don't know".

        Parameters
        ----------
        x
            A node.
        """
        row = self.probabilities[self.nodes.position(x)]
        return {} if np.isnan(row[0]) else dict(zip(self.classes, row.tolist(), strict=True))

    def predict_one(self, x: Hashable) -> Any:
        return self.view_one(x).prediction

    def view_one(self, x: Hashable) -> View[Any]:
        code, margin = _leaders(self.probabilities[[self.nodes.position(x)]])
        return View(self._table.decode(int(code[0])), float(margin[0]))

    def learn_one(self, x: Hashable, y: Any) -> Update:
        with self.alone():
            said, label = self.predict_one(x), plain_label(y)
            if label is None:
                return Update(None, False, 0.0)
            self._table.find(label)
            return Update(said != label, False, 0.0)

    def predict_many(self, nodes: Iterable[Hashable] | None = None) -> Predictions:
        things = self.nodes if nodes is None else listed(nodes, "nodes")
        rows = self.probabilities if nodes is None else self.probabilities[self.nodes.positions(things)]
        codes, margins = _leaders(rows)
        return Predictions(
            things, self.classes, codes, rows.copy(), margins, lambda: (codes >= 0) & (margins != 0)
        )

    def snapshot(self) -> State:
        return {"kind": np.array(self.kind), "fingerprint": np.array(self.fingerprint)}

    @classmethod
    def restore(cls, state: State, kernel: GivenProbabilities) -> Self:
        """The learner that was snapshot, which is what it was made as: nothing is learned.

        Parameters
        ----------
        state
            What `snapshot` gave.
        kernel
            The same probabilities, as another `GivenProbabilities`.
        """
        expect_kind(state, cls.kind)
        if not isinstance(kernel, cls):
            raise SnapshotError(f"a snapshot of {cls.kind} is restored over another, got {shown(kernel)}")
        expect_fingerprint(state, cls.kind, kernel.fingerprint)
        return cls(kernel.probabilities, kernel.graph, kernel.classes)

    def checkpoint(self) -> Callable[[], None]:
        return lambda: None  # nothing ever changes

    def __repr__(self) -> str:
        return represent(self, node=None)


def _leaders(rows: Floats) -> tuple[Any, Floats]:
    """The most probable class of each row, and its lead; -1 and 0 where nothing is known."""
    known = ~np.isnan(rows[:, 0])
    filled = np.where(known[:, None], rows, 0.0)
    codes = np.where(known, filled.argmax(axis=1), -1)
    if rows.shape[1] == 1:
        return codes, filled[:, 0]
    top = np.sort(filled, axis=1)[:, -2:]
    return codes, top[:, 1] - top[:, 0]


def _distributions(table: Floats, n: int, classes: tuple[Any, ...]) -> Floats:
    """The table, if each row is a distribution over the classes or says nothing."""
    if table.shape != (n, len(classes)):
        raise ShapeError(
            f"probabilities has shape {table.shape}, but there are {n} nodes and {len(classes)} classes; give one row "
            "for each node and one column for each class"
        )
    silent = np.isnan(table).all(axis=1)
    with np.errstate(invalid="ignore"):
        good = silent | ((table >= 0).all(axis=1) & (np.abs(table.sum(axis=1) - 1) <= CLOSE))
    if not good.all():
        k = int(np.flatnonzero(~good)[0])
        raise ParameterError(
            f"row {k} of probabilities is {shown(table[k].tolist())}, which is no distribution: its entries must be at "
            "least 0 and sum to 1, or all be NaN for a node of which nothing is known"
        )
    return table
