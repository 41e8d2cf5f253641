"""Nearest neighbour on a graph: the simple rule that papers 001 and 002 compare with."""

from __future__ import annotations

import enum
from types import MappingProxyType
from typing import Any, NamedTuple, Self, final

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.checks import instance, shown
from ohmline.compiled import implements
from ohmline.errors import LearnerError, SnapshotError
from ohmline.graph.graph import Graph
from ohmline.graph.nodes import NodeIndex
from ohmline.kernel.laplacian import LaplacianKernel
from ohmline.kernel.space import Dense
from ohmline.learn.contract import TIE, State, expect_kind, saved_member
from ohmline.learn.hypothesis import signed
from ohmline.learn.node_learner import BinaryNodeLearner
from ohmline.learn.ranges import MAY_BE_INFINITE, NODE_COUNT, POSITIONS_OR_NONE, SIGNS
from ohmline.learn.step import learn, view


class Distance(enum.Enum):
    """How far apart two nodes are."""

    GEODESIC = "geodesic"
    """Shortest path, an edge of weight w being 1/w long."""
    RESISTANCE = "resistance"
    """Effective resistance."""


class NearestState(NamedTuple):
    """For each node the nearest labelled one so far."""

    best: Floats
    """Its distance, infinite while there is none."""
    label: Ints
    """Its label, 0 while there is none."""
    own: Ints
    """Each node's own latest label, 0 while there is none."""
    order: Ints
    """When the nearest one was first labelled, to let the earliest win."""
    first: Ints
    """When each node was first labelled, -1 while it was not."""
    seen: Ints
    """How many nodes have a label."""


@final
class NearestNeighbour(BinaryNodeLearner):
    """Predicts the label of the nearest labelled node; among equally near ones, the earliest.

    Distances are kept in full (8 n^2 bytes), a prediction costs O(1) and a new label O(n). A
    repeated node takes its new label. A node that no label reaches has margin 0.

    Parameters
    ----------
    graph
        The graph, without negative weights.
    distance
        How far apart two nodes are: `Distance.GEODESIC` (default) or `.RESISTANCE`.

    Examples
    --------
    >>> import ohmline as ohm
    >>> line = ohm.Graph.from_edges([(k, k + 1) for k in range(9)])
    >>> learner = ohm.NearestNeighbour(line)
    >>> _ = learner.learn_one(0, -1), learner.learn_one(9, 1)
    >>> [learner.predict_one(k) for k in (2, 7)]
    [-1, 1]
    """

    kind = "NearestNeighbour"
    ranges = MappingProxyType(
        {
            "best": MAY_BE_INFINITE,
            "label": SIGNS,
            "own": SIGNS,
            "order": NODE_COUNT,
            "first": POSITIONS_OR_NONE,
            "seen": NODE_COUNT,
        }
    )

    def __init__(self, graph: Graph, distance: Distance = Distance.GEODESIC) -> None:
        instance(graph, Graph, "graph", error=LearnerError)
        if not isinstance(distance, Distance):
            raise LearnerError(
                f"distance must be Distance.GEODESIC or Distance.RESISTANCE, got {shown(distance)}"
            )
        if graph.signed:
            raise LearnerError("distances need weights above 0; drop the negative edges of this signed graph")
        self.graph, self.distance = graph, distance
        self.space = Dense(_geodesic(graph) if distance is Distance.GEODESIC else _resistance(graph))
        n = graph.n
        self.state = NearestState(
            np.full(n, np.inf),
            np.zeros(n, np.int64),
            np.zeros(n, np.int64),
            np.full(n, n, np.int64),
            np.full(n, -1, np.int64),
            np.zeros(1, np.int64),
        )

    @property
    def nodes(self) -> NodeIndex:
        return self.graph.nodes

    @property
    def fingerprint(self) -> str:
        return self.graph.fingerprint

    def settings(self) -> State:
        return {"distance": np.array(self.distance.value)}

    def _expect_agreement(self, arrays: dict[str, AnyArray]) -> None:
        ranks = np.sort(arrays["first"][arrays["first"] >= 0])
        if not np.array_equal(ranks, np.arange(arrays["seen"][0])):
            raise SnapshotError(
                "the snapshot's first must number the labelled nodes from 0 on, as many as its seen says; the snapshot "
                "is damaged"
            )

    @classmethod
    def restore(cls, state: State, kernel: Graph) -> Self:
        expect_kind(state, cls.kind)
        learner = cls(kernel, saved_member(state, cls.kind, "distance", Distance))
        learner.load(state)
        return learner


@implements(view, NearestState)
def view_nearest(space: Any, state: NearestState, x: int) -> tuple[int, float]:
    return signed(float(state.label[x]))


@implements(learn, NearestState)
def learn_nearest(space: Any, state: NearestState, x: int, y: int, margin: float) -> tuple[bool, float]:
    if state.own[x] == y:
        return False, 0.0
    if state.first[x] < 0:
        state.first[x] = state.seen[0]
        state.seen[0] += 1
    state.own[x] = y
    row, rank = space.matrix[x], state.first[x]
    for j in range(row.shape[0]):
        closer = row[j] < state.best[j] * (1 - TIE)
        as_near = row[j] <= state.best[j] * (1 + TIE) and rank <= state.order[j]
        if row[j] < np.inf and (closer or as_near):
            state.best[j] = row[j]
            state.label[j] = y
            state.order[j] = rank
    return True, 1.0


def _geodesic(graph: Graph) -> Floats:
    lengths = sparse.csr_array((1 / graph.weights, graph.indices, graph.indptr), shape=(graph.n, graph.n))
    return np.asarray(csgraph.shortest_path(lengths, directed=False), dtype=np.float64)


def _resistance(graph: Graph) -> Floats:
    kernel = LaplacianKernel(graph).space.matrix
    diagonal = np.diagonal(kernel)
    resistance = np.maximum(diagonal[:, None] + diagonal - 2 * kernel, 0.0)
    resistance[graph.component_of[:, None] != graph.component_of] = np.inf
    np.fill_diagonal(resistance, 0.0)
    return np.asarray(resistance, dtype=np.float64)
