"""What is known of the nodes beside the graph: a learner of its own, and how its opinion joins that of the graph.

The probabilities are joined as a `Blend` by `Product` joins them, by the same code: to powers that are fitted to the
labels, in a mixture with the graph alone and the prior alone. Two things differ, so that a prior that says nothing
changes no prediction. Probabilities that are even are no opinion: where the graph says "don't know" too, so does the
learner. And among classes with the largest probability, the one that the graph says wins.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, final

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.checks import shown
from ohmline.errors import LearnerError, ParameterError, SnapshotError
from ohmline.graph.graph import Graph
from ohmline.learn.belief import TellsChances
from ohmline.learn.blend.learner import leaders, part_of
from ohmline.learn.blend.members import known_classes, nodes_of, stands_on
from ohmline.learn.blend.opinions import opinions_on, opinions_on_many
from ohmline.learn.blend.product import Product
from ohmline.learn.blend.saved import put_tally
from ohmline.learn.blend.ways import Opinions, Tally, evened
from ohmline.learn.contract import OnlineLearner, State, expect_learner
from ohmline.learn.features.given import GivenProbabilities
from ohmline.learn.features.made import learner_of
from ohmline.learn.snapshots import saved_text

TIED = 1e-12
"""Shares that differ by less than this part of the larger one are equal."""


@final
class Prior:
    """A learner over the nodes of a graph beside it, and what joining the two has learned of them."""

    def __init__(self, learner: OnlineLearner[Any, Any]) -> None:
        self.learner = learner
        self.way = Product()
        self.tally = self.way.start(2)
        nodes = nodes_of(learner)
        assert nodes is not None  # `prior_of` refuses others
        self.n = len(nodes)
        """How many nodes it knows, which are the first ones of a graph that has grown."""
        self._tells = (isinstance(learner, TellsChances),)

    def opinions(self, said: Ints, chances: Floats, node: Hashable | None, names: list[Any]) -> Opinions:
        """What the graph says of a node, its class and probabilities, and what the prior says, if it knows the node.

        Classes are places in `names`; the arrays have one row, and `node` is None where the prior does not know it.
        """
        if node is None:
            return _both(_opinion(said, chances), *_nothing(1, len(names)))
        codes = {name: k for k, name in enumerate(names)}
        told = opinions_on((self.learner,), self._tells, node, codes, True)
        return _both(_opinion(said, chances), told.said[0], told.chances[0])

    def opinions_many(
        self, said: Ints, chances: Floats, nodes: list[Hashable], mine: AnyArray, names: list[Any]
    ) -> Opinions:
        """The same for many nodes; `mine` says which of them the prior knows, and `nodes` are those."""
        others, rows = _nothing(len(said), len(names))
        codes = {name: k for k, name in enumerate(names)}
        told, _ = opinions_on_many((self.learner,), nodes, codes, len(nodes))
        others[mine], rows[mine] = told.said[0], told.chances[0]
        return _both(_opinion(said, chances), others, rows)

    def join(self, opinions: Opinions) -> tuple[Floats, Ints, Floats]:
        """The shares of the classes, which of them is said (-1 for "don't know"), and its lead."""
        shares = self.way.join(self.tally, opinions)
        codes, margins = leaders(shares, opinions.silent)
        own = opinions.said[0]
        rows = np.flatnonzero(own >= 0)
        tied = shares[rows, own[rows]] >= (1 - TIED) * shares[rows].max(axis=1, initial=0.0)
        codes[rows[tied]] = own[rows[tied]]
        return shares, codes, margins

    def learned(self, opinions: Opinions, said: int, y: int) -> Tally:
        """What is remembered after label y (-1: a class nobody had seen), where `said` was predicted.

        Its mistakes are those of what was said: among equals that is the graph's class, not the first one.
        """
        tally = self.way.learned(self.tally, opinions, y)
        wrong = y < 0 or bool(opinions.silent[0]) or said != y
        return {**tally, "own": self.tally["own"] + wrong}

    def saved(self) -> State:
        """For a snapshot."""
        return {
            "prior": np.array(type(self.learner).__name__),
            **{f"prior/{key}": value for key, value in self.learner.snapshot().items()},
            **{f"tally.{key}": np.array(value) for key, value in self.tally.items()},
        }

    def restored(self, state: State, kind: str, names: Iterable[Any]) -> Prior:
        """The prior of a snapshot, whose learner is made as this one's."""
        mine, found = type(self.learner), saved_text(state, kind, "prior")
        if found != mine.__name__:
            raise SnapshotError(
                f"the snapshot's prior is a {found}, and the one given is {shown(self.learner)}; make it as it was"
            )
        learner = mine.restore(part_of(state, "prior"), stands_on(self.learner))
        strange = set(known_classes(learner)) - set(names)
        if strange:
            raise SnapshotError(
                f"the snapshot's prior has the classes {shown(sorted(map(str, strange)))}, which the learner has not; "
                "it is damaged"
            )
        again = Prior(learner)
        again.tally = put_tally(state, kind, self.tally, self.way)
        return again


def prior_of(given: Any, graph: Graph, classes: tuple[Any, ...] | None) -> OnlineLearner[Any, Any]:
    """The learner that was given as a prior, or that is made of what was given, if it fits graph and classes."""
    learner = prior_over(given, graph, classes)
    mine = learner.declared_classes
    if mine is not None and classes is not None and set(mine) != set(classes):
        raise LearnerError(
            f"the prior has the classes {shown(mine)}, and the learner was declared with {shown(classes)}; declare the "
            "same ones"
        )
    if mine is None and known_classes(learner):
        raise LearnerError(
            f"the prior has learned the classes {shown(known_classes(learner))} already, and the graph has not; give "
            "one that has learned nothing, or was declared with its classes, or what it says as probabilities"
        )
    return learner


def prior_over(given: Any, graph: Graph, classes: tuple[Any, ...] | None) -> OnlineLearner[Any, Any]:
    """The same, whatever classes it knows."""
    learner: Any = learner_of(given, "prior", classes)
    if isinstance(learner, np.ndarray | list | tuple) or hasattr(learner, "columns"):
        learner = GivenProbabilities(learner, graph, classes)
    elif not isinstance(learner, OnlineLearner) and not (
        isinstance(learner, type) and issubclass(learner, OnlineLearner)
    ):
        raise ParameterError(
            "prior must be a learner over the nodes, NodeFeatures, a pair (features, classifier) or probabilities with "
            f"one row for each node, got {shown(given)}"
        )
    expect_learner(learner)
    expect_nodes(learner, graph)
    return learner


def expect_nodes(learner: OnlineLearner[Any, Any], graph: Graph) -> None:
    """Raise unless a prior is over the nodes of the graph."""
    nodes = nodes_of(learner)
    if nodes is None:
        raise LearnerError(
            f"the prior {shown(learner)} learns points, not nodes; give it together with the rows of the nodes: "
            "(NodeFeatures(rows, graph), learner)"
        )
    if nodes.fingerprint != graph.nodes.fingerprint:
        raise LearnerError(
            f"the prior knows {len(nodes)} nodes and the graph has {graph.n}, or other ones; make both over the same "
            "graph"
        )


def _nothing(n: int, classes: int) -> tuple[Ints, Floats]:
    """The opinion of one who knows nothing: even probabilities."""
    return np.full(n, -1), np.full((n, classes), 1 / max(classes, 1))


def _opinion(said: Ints, chances: Floats) -> tuple[Ints, Floats]:
    """The graph's opinion, even where it says nothing."""
    rows = np.where((said < 0)[:, None], 1 / max(chances.shape[1], 1), chances)
    return said, evened(rows)


def _both(own: tuple[Ints, Floats], said: Ints, rows: Floats) -> Opinions:
    """Two opinions, the second of which says nothing where it is even."""
    even = rows.max(axis=1, initial=0.0) == rows.min(axis=1, initial=1.0)
    return Opinions(np.stack([own[0], np.where(even, -1, said)]), np.stack([own[1], rows]))
