"""Which classes an edge joins, learned: for graphs whose neighbours differ."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, final

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.checks import room, shown
from ohmline.errors import OhmlineError, SnapshotError
from ohmline.graph.graph import Graph
from ohmline.graph.nodes import NodeIndex
from ohmline.graph.relations import AHEAD, Relations, expect_relations
from ohmline.learn.classes import ClassTable, places_of
from ohmline.learn.contract import State
from ohmline.learn.graph_learner import GraphLearner
from ohmline.learn.predictions import Predictions
from ohmline.learn.ranges import CLASS_COUNT, CLASSES_OR_NONE, NODE_COUNT, Range, expect_order
from ohmline.learn.relations.halves import halves_of, kinds_of
from ohmline.learn.relations.messages import PairState, recount, survey, tables


@final
class Compatibility(GraphLearner):
    """Learns which classes each type of edge joins, and predicts by it: neighbours may agree, or differ, or neither.

    Fraudsters trade with honest people, predators eat prey, articles cite older ones. For each type of edge, and each
    way it goes where it has a direction, the learner counts how often a labelled node of class a has a labelled
    neighbour of class b. With the smoothed ratios

      R_r(a, b) = P(neighbour has b | node has a) / P(an end of the type has b),

    the share of class a at node t is prior(a) times R_r(a, y_j) for each labelled neighbour j, and for each neighbour
    without a label the mean of R_r(a, b) over the classes b that its own labelled neighbours make likely: belief
    propagation over two steps, exact on a tree. Where a type has directions, the prior of a node is also multiplied by

      W_r(a) = P(an edge of a goes this way) / P(an edge goes this way)

    for each of its edges, whoever is at the other end, scaled down to 3 edges of a type: who only receives payments is
    a shop. A type whose edges say nothing has ratios of 1 and does not count. An
    edge counts as much as it weighs in units of the mean weight of its type, at most 2.

    Where neighbours agree, `LocalLGC` reads further than two steps and is the better one: `relational` blends the two,
    with a certificate that it is hardly worse than either. On its own this learner is too sure of itself; a blend by
    `Product` corrects that.

    Where no label is within two steps, the answer is None, "don't know". A labelled node counts its own label as 100 to
    1. A corrected label takes the old one's pairs back.

    Cost per trial: the edges of the node and of its neighbours times the classes, and C^2 for each neighbour and type.
    Of a neighbour with more than 64 edges none is read: what the labels around it say is counted as they come. Memory:
    28 bytes for each end of an edge, 16 for each node, 8 more for each node and kind of edge (a type is one kind, or
    three with directions), 8 C per kind for each node with more than 64 edges, and 8 C^2 per kind.

    Parameters
    ----------
    relations
        `Relations`, or a `Graph` without negative weights as the only type.
    classes
        The classes, if they are known: another label is then an error. None (default) learns them as they come.

    Examples
    --------
    >>> import ohmline as ohm
    >>> ring = ohm.Graph.from_edges([(k, (k + 1) % 12) for k in range(12)])
    >>> learner = ohm.Compatibility(ring)
    >>> for node in (0, 1, 2, 3, 4, 5, 6):  # neighbours differ
    ...     _ = learner.learn_one(node, "even" if node % 2 == 0 else "odd")
    >>> learner.predict_one(7), learner.predict_one(8), learner.predict_one(9)
    ('odd', 'even', None)
    >>> learner.ratios()["even"]["odd"] > 1 > learner.ratios()["even"]["even"]
    True

    References
    ----------
    Gatterbauer, Guennemann, Koutra, Faloutsos, Linearized and single-pass belief propagation, VLDB 2015.
    """

    kind = "Compatibility"
    ranges = MappingProxyType(
        {
            "label": CLASSES_OR_NONE,
            "order": CLASSES_OR_NONE,
            "seen": CLASS_COUNT,
            "counts": NODE_COUNT,
            "pairs": Range(0, np.inf),
            "ends": Range(0, np.inf),
            "heard": Range(0, np.inf),
        }
    )

    def __init__(
        self, relations: Relations | Graph | Mapping[str, Graph], classes: Iterable[Any] | None = None
    ) -> None:
        self.relations = expect_relations(relations)
        """The types of edges; a graph is the only type of its own."""
        self._table = ClassTable(classes)
        self.space = halves_of(self.relations)
        self._kinds = kinds_of(self.relations)
        known = len(self._table)
        self.state = self._fresh(np.full(self.relations.n, -1), np.full(known, -1), np.zeros(1, np.int64))

    @property
    def nodes(self) -> NodeIndex:
        return self.relations.nodes

    @property
    def fingerprint(self) -> str:
        return self.relations.fingerprint

    def ratios(self, name: str | None = None) -> dict[Any, dict[Any, float]]:
        """How much more often than by chance an edge leads from a class to a class; 1 where nothing is known.

        Parameters
        ----------
        name
            The type; None (default) for the first. Of a type with directions these are the edges that go one way, from
            the first class to the second.
        """
        name = self.relations.types[0] if name is None else name
        self.relations.of(name)
        ways = zip(self._kinds.names, self._kinds.ways, strict=True)
        chosen = next(k for k, (of, way) in enumerate(ways) if of == name and way in (0, AHEAD))
        with self._still:
            state, names = self.state, self.classes
            seen = [names[code] for code in state.order[: state.seen[0]]]
            found = np.empty((len(self._kinds.names), len(seen), len(seen)))
            tables(self.space, state, found)
        rows = found[chosen].tolist()
        return {a: dict(zip(seen, row, strict=True)) for a, row in zip(seen, rows, strict=True)}

    def predict_proba_one(self, x: Hashable) -> dict[Any, float]:
        """The share of each class, which sum to 1; empty for "don't know".

        Parameters
        ----------
        x
            A node.
        """
        place = np.array([self.nodes.position(x)])
        with self._still:
            names = self.classes
            codes, _, chances = self._surveyed_at(place)
        return dict(zip(names, chances[0].tolist(), strict=True)) if codes[0] >= 0 else {}

    def _predict_at(self, things: Any, places: AnyArray) -> Predictions:
        codes, margins, chances = self._surveyed_at(places)
        return self._predicted(things, self.classes, codes, margins, chances)

    def _surveyed_at(self, places: AnyArray) -> tuple[Ints, Floats, Floats]:
        """The code, the margin and the share of each class at these places."""
        known = len(self._table)
        room(8.0 * len(places) * (known + 2), f"the probabilities of {known} classes at {len(places)} nodes")
        codes, margins = np.empty(len(places), np.int64), np.empty(len(places))
        chances = np.zeros((len(places), known))
        survey(self.space, self.state, places, codes, margins, chances)
        return codes, margins, chances

    def _fresh(self, label: Ints, order: Ints, seen: Ints) -> PairState:
        """The state of these labels."""
        known, kinds = len(order), len(self.space.mirror)
        room(8.0 * kinds * known * known, f"the pairs of {known} classes over {kinds} kinds of edges")
        counts, pairs = np.zeros(known, np.int64), np.zeros((kinds, known, known), np.int64)
        ends, heard = np.zeros((kinds, known)), self._unheard(known)
        recount(self.space, label, counts, pairs, ends, heard)
        return PairState(label, order, seen, counts, pairs, ends, heard)

    def _unheard(self, known: int) -> Ints:
        """Nothing said to any hub of so many classes."""
        hubs, kinds = int(self.space.hub.max(initial=-1)) + 1, len(self.space.mirror)
        room(8.0 * hubs * kinds * known, f"the votes of {known} classes at {hubs} nodes of many edges")
        return np.zeros((hubs, kinds, known), np.int64)

    def _renumbered(self, known: Ints) -> PairState:
        place = places_of(known, len(self._table))
        return self._fresh(place[self.state.label], np.arange(len(known)), np.array([len(known)]))

    def _resized(self, keep: Ints, fresh: int) -> PairState:
        """The state with room for `fresh` more classes, in which none is dropped."""
        old, more = self.state, len(keep) + fresh
        kinds, before = len(old.pairs), len(old.counts)
        room(8.0 * kinds * more * more, f"the pairs of {more} classes over {kinds} kinds of edges")
        pairs = np.zeros((kinds, more, more), np.int64)
        pairs[:, :before, :before] = old.pairs
        heard = self._unheard(more)
        heard[:, :, :before] = old.heard
        zeros = np.zeros(fresh, np.int64)
        return old._replace(
            order=np.append(old.order, zeros - 1),
            counts=np.append(old.counts, zeros),
            pairs=pairs,
            ends=np.append(old.ends, np.zeros((kinds, fresh)), axis=1),
            heard=heard,
        )

    def _kept(self) -> list[tuple[str, AnyArray]]:
        return [("label", self.state.label), ("order", self.state.order), ("seen", self.state.seen)]

    def settings(self) -> State:
        return self._table.settings()

    @classmethod
    def _place_of(cls, kernel: Any) -> Relations:
        try:
            return expect_relations(kernel)
        except OhmlineError as error:
            raise SnapshotError(
                f"a snapshot of {cls.kind} is restored over its Relations or Graph, got {shown(kernel)}"
            ) from error

    @classmethod
    def _options(cls, state: State) -> dict[str, Any]:
        return {}

    def _expect_agreement(self, arrays: dict[str, AnyArray]) -> None:
        expect_order(arrays, arrays["label"])

    def _loaded(self, arrays: dict[str, AnyArray]) -> PairState:
        return self._fresh(arrays["label"], arrays["order"], arrays["seen"])
