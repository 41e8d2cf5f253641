"""The learner of a project, kept in step with its ledger, on a graph that may grow."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, final

from ohmline.errors import GraphError, LearnerError
from ohmline.graph.graph import Graph
from ohmline.learn import LocalLGC
from ohmline.learn.blend.members import stands_on
from ohmline.learn.contract import OnlineLearner, State
from ohmline.project.ledger import Ledger
from ohmline.project.recipe import Recipe, RecipeFunction, made
from ohmline.project.votes import Change
from ohmline.store.events import Event

REMADE = ("classes-added", "class-removed")
"""After these the learner is made anew, with the classes that there are now."""


@final
class Model:
    """A learner that has learned every label of a ledger, in the order in which they came.

    Parameters
    ----------
    recipe
        The function that makes the learner.
    graph
        The graph as it was at first.
    ledger
        What the events lead to; the model is brought up to it.
    state
        What the learner knew when the ledger was as it is, from a snapshot. None (default) learns it again.
    """

    def __init__(
        self, recipe: RecipeFunction, graph: Graph, ledger: Ledger, state: State | None = None
    ) -> None:
        self._make, self.first, self.ledger = recipe, graph, ledger
        self._graph, self._grown = graph, (0, 0)
        self._more: dict[Hashable, dict[Hashable, float]] = {}
        self._note_edges(ledger.added_edges)
        self.affordable: tuple[tuple[int, int], bool] | None = None
        """For a size of the graph whether a query may look at all of it, once somebody has found out."""
        self.recipe: Recipe
        self.learner: OnlineLearner[Any, Any]
        if state is None:
            self._learn_again()
        else:
            self._restore(state)

    @property
    def nodes(self) -> Any:
        """The nodes."""
        return self.learner.nodes  # type: ignore[attr-defined]

    @property
    def graph(self) -> Graph:
        """The graph as it is now."""
        size = (len(self.ledger.added_nodes), len(self.ledger.added_edges))
        if size != self._grown:
            self._graph, self._grown = self.graph_at(*size), size
        return self._graph

    def graph_at(self, nodes: int, edges: int) -> Graph:
        """The graph when so many nodes and edges had been added to it."""
        if not nodes and not edges:
            return self.first
        first, second, weights = self.first.edges()
        ids = self.first.nodes
        listed = [
            (ids[a], ids[b], w)
            for a, b, w in zip(first.tolist(), second.tolist(), weights.tolist(), strict=True)
        ]
        listed += self.ledger.added_edges[:edges]
        every = [*ids, *(node for node, _ in self.ledger.added_nodes[:nodes])]
        return Graph.from_edges(listed, nodes=every)

    def neighbours(self, node: Hashable) -> dict[Hashable, float]:
        """The neighbours of a node, with the weights of their edges."""
        found = dict(self.first.neighbours(node)) if node in self.first.nodes else {}
        return found | self._more.get(node, {})

    def expect_room_for(
        self, nodes: Iterable[Hashable], edges: Iterable[tuple[Hashable, Hashable, float]]
    ) -> None:
        """Refuse nodes and edges that cannot be added, before anything is written."""
        if not isinstance(self.learner, LocalLGC):
            raise LearnerError(
                f"{type(self.learner).__name__} cannot take new nodes or edges; use LocalLGC, which can, in the recipe"
            )
        fresh = list(nodes)
        for node in fresh:
            if node in self.nodes:
                raise GraphError(f"node {node!r} is in the graph already; leave it out")
        if len(set(fresh)) < len(fresh):
            raise GraphError("a node is named twice; name each new node once")
        known, seen = set(fresh), set()
        for a, b, weight in edges:
            for end in (a, b):
                if end not in known and end not in self.nodes:
                    raise GraphError(f"edge {a!r}, {b!r}: node {end!r} is not in the graph; add it first")
            if a == b or not 0 < weight <= 1e12:
                raise GraphError(
                    f"edge {a!r}, {b!r} with weight {weight!r}: expected two different nodes and a weight above 0"
                )
            pair = frozenset((a, b))
            if pair in seen or (a not in known and b in self.neighbours(a)):
                raise GraphError(f"edge {a!r}, {b!r} is there already; leave it out")
            seen.add(pair)

    def take(self, event: Event, changes: Iterable[Change]) -> None:
        """Learn what an event changed; the ledger has taken it already."""
        if event.kind in REMADE:
            self._learn_again()
            return
        if event.kind == "grown":
            self._grow(len(event.payload["nodes"]), len(event.payload["edges"]))
        for node, before, after in changes:
            if after == before:
                continue
            told = getattr(self.learner, "prior", None) is not None  # a prior takes nothing back
            if after is not None and (before is None or (isinstance(self.learner, LocalLGC) and not told)):
                self.learner.learn_one(node, after)
            elif hasattr(self.learner, "forget_one") and not told:
                self.learner.forget_one(node)
            else:
                self._learn_again()
                return

    def _grow(self, nodes: int, edges: int) -> None:
        learner: Any = self.learner
        for node, _ in self.ledger.added_nodes[len(self.ledger.added_nodes) - nodes :]:
            learner.add_node(node)
        fresh = self.ledger.added_edges[len(self.ledger.added_edges) - edges :]
        self._note_edges(fresh)
        for a, b, weight in fresh:
            learner.add_edge(a, b, weight)

    def _note_edges(self, edges: Iterable[tuple[Hashable, Hashable, float]]) -> None:
        for a, b, weight in edges:
            self._more.setdefault(a, {})[b] = weight
            self._more.setdefault(b, {})[a] = weight

    def _fresh(self) -> None:
        ledger = self.ledger
        self.recipe = made(
            self._make, self.first, tuple(ledger.classes), ledger.settings.seed, ledger.looks_for
        )
        self.learner = self.recipe.learner

    def _learn_again(self) -> None:
        """A fresh learner over the first graph, then all that was added, then every label."""
        self._fresh()
        learner: Any = self.learner
        for node, _ in self.ledger.added_nodes:
            learner.add_node(node)
        for a, b, weight in self.ledger.added_edges:
            learner.add_edge(a, b, weight)
        for node, label in self.ledger.labels.items():
            learner.learn_one(node, label)

    def _restore(self, state: State) -> None:
        self._fresh()
        if isinstance(self.learner, LocalLGC):
            self.learner = LocalLGC.restore(state, stands_on(self.learner))
        else:
            self.learner.load(state)  # type: ignore[attr-defined]
