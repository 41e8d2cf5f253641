"""Nearest neighbours on a graph: the simple rule that papers 001 and 002 compare with."""

from __future__ import annotations

import enum
from types import MappingProxyType
from typing import Any, NamedTuple, Self, final

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.checks import count, instance, room, shown
from ohmline.compiled import implements
from ohmline.errors import LearnerError, SnapshotError
from ohmline.graph.graph import Graph
from ohmline.graph.measure import resistance_matrix
from ohmline.graph.nodes import NodeIndex
from ohmline.kernel.space import Dense
from ohmline.learn.contract import TIE, State
from ohmline.learn.hypothesis import signed
from ohmline.learn.node_learner import BinaryNodeLearner
from ohmline.learn.ranges import MAY_BE_INFINITE, POSITIONS_OR_NONE, SIGNS
from ohmline.learn.snapshots import expect_kind, saved_count, saved_member
from ohmline.learn.step import learn, view


class Distance(enum.Enum):
    """How far apart two nodes are."""

    GEODESIC = "geodesic"
    """Shortest path, an edge of weight w being 1/w long."""
    RESISTANCE = "resistance"
    """Effective resistance (`graph.measure.resistance_matrix`), precise whatever the ratio of the weights."""


class NearestState(NamedTuple):
    """For each node the nearest labelled ones so far, the nearest first."""

    near: Ints
    """Row i: their positions, -1 where there are not so many."""
    gap: Floats
    """Row i: their distances, infinite where there are not so many."""
    own: Ints
    """Each node's own latest label, 0 while there is none."""


@final
class NearestNeighbour(BinaryNodeLearner):
    """Predicts as the majority of the k nearest labelled nodes (paper 001, section 5.1).

    The margin is the mean of their labels. A labelled node is its own nearest neighbour. Ties have fixed rules:

    - among equally near nodes the one that was labelled first is nearer; at the k-th place it is in, the others out;
    - with fewer than k labelled nodes in reach, those vote;
    - a vote of as many -1 as +1, which needs an even number of voters, has margin 0, and so has a node that no label
      reaches: like every tie it predicts +1 and counts as a mistake in the theorems' sense.

    Distances are kept in full (8 n^2 bytes), a prediction costs O(k) and the first label of a node O(n k). A
    repeated node takes its new label, wherever it votes, in O(1).

    Parameters
    ----------
    graph
        The graph, without negative weights.
    distance
        How far apart two nodes are: `Distance.GEODESIC` (default) or `.RESISTANCE`, which takes O(m^3) for a
        component of m nodes, at most 15,000.
    k
        How many neighbours vote, at least 1, which is the default.

    Examples
    --------
    >>> import ohmline as ohm
    >>> line = ohm.Graph.from_edges([(k, k + 1) for k in range(9)])
    >>> learner = ohm.NearestNeighbour(line)
    >>> _ = learner.learn_one(0, -1), learner.learn_one(9, 1)
    >>> [learner.predict_one(k) for k in (2, 7)]
    [-1, 1]
    >>> three = ohm.NearestNeighbour(line, k=3)
    >>> for node, label in [(0, -1), (1, 1), (2, -1), (9, 1)]:
    ...     _ = three.learn_one(node, label)
    >>> three.margin_one(1)  # its own +1, and two nodes that say -1
    -0.333...
    """

    kind = "NearestNeighbour"
    ranges = MappingProxyType({"near": POSITIONS_OR_NONE, "gap": MAY_BE_INFINITE, "own": SIGNS})

    def __init__(self, graph: Graph, distance: Distance = Distance.GEODESIC, k: int = 1) -> None:
        instance(graph, Graph, "graph", error=LearnerError)
        if not isinstance(distance, Distance):
            raise LearnerError(
                f"distance must be Distance.GEODESIC or Distance.RESISTANCE, got {shown(distance)}"
            )
        if graph.signed:
            raise LearnerError("distances need weights above 0; drop the negative edges of this signed graph")
        self.graph, self.distance, self.k = graph, distance, count(k, "k", least=1)
        n = graph.n
        shape = (n, min(self.k, n))  # no more than n can vote
        room(
            8 * n * n + 16 * n * shape[1], f"the distances and the {shape[1]} nearest neighbours of {n} nodes"
        )
        self.space = Dense(_geodesic(graph) if distance is Distance.GEODESIC else resistance_matrix(graph))
        self.state = NearestState(np.full(shape, -1, np.int64), np.full(shape, np.inf), np.zeros(n, np.int64))

    def _chances(self, scores: AnyArray) -> AnyArray:
        """The share of the neighbours that vote so."""
        return (1 + scores) / 2

    @property
    def nodes(self) -> NodeIndex:
        return self.graph.nodes

    @property
    def fingerprint(self) -> str:
        return self.graph.fingerprint

    def settings(self) -> State:
        return {"distance": np.array(self.distance.value), "k": np.array(self.k)}

    def _expect_agreement(self, arrays: dict[str, AnyArray]) -> None:
        near, gap, own = arrays["near"], arrays["gap"], arrays["own"]
        there = near >= 0
        # As the row of the later label has it; -1, read as the last node, is overwritten.
        wanted = np.where(there, np.take_along_axis(self.space.matrix.T, near, axis=1), np.inf)
        reach = (np.isfinite(self.space.matrix) & (own != 0)).sum(axis=1)
        ranked = np.sort(near, axis=1)
        twice = (ranked[:, 1:] == ranked[:, :-1]) & (ranked[:, 1:] >= 0)
        if (
            not np.array_equal(gap, wanted)
            or np.any(own[near[there]] == 0)
            or np.any(gap[own != 0, 0] > 0)  # a labelled node is its own nearest
            or np.any(twice)
            or np.any(there.sum(axis=1) != np.minimum(reach, near.shape[1]))
            or np.any(gap[:, :-1] * (1 - TIE) > gap[:, 1:])
        ):
            raise SnapshotError(
                "the snapshot's near must list the nearest labelled nodes of each node, its gap their distances on "
                "this graph in ascending order, and its own their labels; the snapshot is damaged"
            )

    @classmethod
    def restore(cls, state: State, kernel: Graph) -> Self:
        expect_kind(state, cls.kind)
        distance = saved_member(state, cls.kind, "distance", Distance)
        learner = cls(kernel, distance, saved_count(state, cls.kind, "k"))
        learner.load(state)
        return learner


@implements(view, NearestState)
def view_nearest(space: Any, state: NearestState, x: int) -> tuple[int, float]:
    votes, voters = 0, 0
    for p in range(state.near.shape[1]):
        j = state.near[x, p]
        if j < 0:
            break
        votes += state.own[j]
        voters += 1
    return signed(votes / voters if voters > 0 else 0.0)


@implements(learn, NearestState)
def learn_nearest(space: Any, state: NearestState, x: int, y: int, margin: float) -> tuple[bool, float]:
    if state.own[x] == y:
        return False, 0.0
    fresh = state.own[x] == 0
    state.own[x] = y
    if fresh:
        row, last = space.matrix[x], state.near.shape[1] - 1
        for j in range(row.shape[0]):
            if row[j] < state.gap[j, last] * (1 - TIE):  # the latest label comes after equally near ones
                p = last
                while p > 0 and row[j] < state.gap[j, p - 1] * (1 - TIE):
                    state.gap[j, p], state.near[j, p] = state.gap[j, p - 1], state.near[j, p - 1]
                    p -= 1
                state.gap[j, p], state.near[j, p] = row[j], x
    return True, 1.0


def _geodesic(graph: Graph) -> Floats:
    lengths = sparse.csr_array((1 / graph.weights, graph.indices, graph.indptr), shape=(graph.n, graph.n))
    return np.asarray(csgraph.shortest_path(lengths, directed=False), dtype=np.float64)
