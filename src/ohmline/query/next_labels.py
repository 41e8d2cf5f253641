"""What to label next."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from ohmline.arrays import Bools
from ohmline.checks import count, generator, shown
from ohmline.errors import LearnerError
from ohmline.graph.graph import Graph
from ohmline.learn.belief import KnowsLabelled
from ohmline.learn.contract import OnlineLearner, expect_learner
from ohmline.learn.predictions import Predictions
from ohmline.query.error_reduction import ErrorReduction
from ohmline.query.meeting import believed, nodes_of
from ohmline.query.pool import MinMargin, PoolQuery, open_positions
from ohmline.query.suggestions import Suggestion, Suggestions
from ohmline.query.uncertainty import Uncertainty

LEVEL = 0.75
"""From this share of the best class's probability on, a second class is nearly level with it."""


def suggest(
    learner: OnlineLearner[Any, Any],
    k: int = 20,
    query: PoolQuery | None = None,
    nodes: Iterable[Hashable] | None = None,
    seed: int = 0,
) -> Suggestions:
    """The nodes to label next: a diverse batch, the most wanted first.

    Each choice is accounted for before the next, as if the label that the learner expects had come, by an exact update
    and not by a refit. Nothing in the learner changes. A learner that is asked again after it has learned a few more
    labels is met where it was left, so that a loop of `suggest` and `learn_one` costs a few solves for each choice.

    A part of the graph that no label reaches is worth as many nodes as it has. Nodes without edges come last, except
    with a query that looks at nothing (`Random`).

    Parameters
    ----------
    learner
        A learner over the nodes of a graph.
    k
        How many nodes, at least 0. Where fewer are open, all of them. Default 20.
    query
        What chooses: any `PoolQuery`. None (default) takes `ErrorReduction()`, and `Uncertainty()` or `MinMargin()` for
        a learner that keeps no variance.
    nodes
        The nodes to choose from; those that have a label are passed over. None (default) for all nodes without a label:
        then the learner must remember which have one, as `LocalLGC` does.
    seed
        Draws what a query leaves to chance. Default 0.

    Returns
    -------
    Suggestions
        Iterating gives the nodes; `rows` has prediction, probability and a reason for each.

    Examples
    --------
    >>> import ohmline as ohm
    >>> barbell = ohm.graph.generate.barbell(6).graph
    >>> learner = ohm.LocalLGC(barbell, classes=["left", "right"])
    >>> _ = learner.learn_one(0, "left")
    >>> list(ohm.suggest(learner, k=2))
    [7, 5]
    """
    expect_learner(learner)
    k, rng = count(k, "k"), generator(seed)
    index = nodes_of(learner)
    query = default_query(learner) if query is None else _checked(query)
    open_ = _open(learner, nodes)
    chosen = chosen_of(query, learner, open_, min(k, int(open_.sum())), rng)
    table = learner.predict_many([index[i] for i in chosen])
    reach = reaches(learner, table, chosen)
    return Suggestions(tuple(_row(query, table, place, reach) for place in range(len(chosen))))


def chosen_of(
    query: PoolQuery, learner: OnlineLearner[Any, Any], open: Bools, k: int, rng: np.random.Generator
) -> list[int]:
    """The positions of k open nodes; a node without edges comes last, since its label settles no other one."""
    graph = _graph_of(learner)
    if query.blind or graph is None:
        return query.choose_many(learner, open, k, rng)
    joined = open & (np.diff(graph.indptr) > 0)
    first = query.choose_many(learner, joined, min(k, int(joined.sum())), rng)
    alone = open & ~joined
    if len(first) < k:  # they are all alike
        first = [*first, *np.flatnonzero(alone)[: k - len(first)].tolist()]
    return first


def reaches(
    learner: OnlineLearner[Any, Any], table: Predictions, positions: Sequence[int]
) -> list[int] | None:
    """How many nodes hang together with the node of each row of a table, itself among them.

    None where all rows have a prediction, which nobody asks it of, or where the graph is not known.
    """
    graph = _graph_of(learner)
    if graph is None or table.known.all():
        return None
    sizes = np.bincount(graph.component_of)
    return [int(sizes[graph.component_of[i]]) for i in positions]


def _graph_of(learner: OnlineLearner[Any, Any]) -> Graph | None:
    """The graph that a learner predicts on; None where it has several, or none."""
    graph = getattr(learner, "graph", None)
    if graph is None:
        graph = getattr(getattr(learner, "kernel", None), "graph", None)
    return graph if isinstance(graph, Graph) and graph.n == len(nodes_of(learner)) else None


def default_query(learner: OnlineLearner[Any, Any]) -> PoolQuery:
    """The query that `suggest` takes unless told otherwise."""
    if believed(learner) is not None:
        return ErrorReduction()
    return Uncertainty() if hasattr(learner, "kernel") or hasattr(learner, "members") else MinMargin()


def _checked(query: Any) -> PoolQuery:
    if isinstance(query, type) and issubclass(query, PoolQuery):
        raise LearnerError(
            f"query must be a query, got the class {query.__name__}; make one first: {query.__name__}()"
        )
    if isinstance(query, str):
        names = {each.__name__.lower(): each.__name__ for each in kinds_of_query(PoolQuery)}
        name = names.get(query.replace("-", "").replace("_", "").lower(), "Uncertainty")
        raise LearnerError(
            f"suggest takes a pool query, and {shown(query)} is a name, as the command line takes it; pass an object, "
            f"such as query=ohm.{name}()"
        )
    if not isinstance(query, PoolQuery):
        raise LearnerError(
            f"suggest takes a pool query (ErrorReduction, Uncertainty, SigmaOptimal, Random), got {shown(query)}; a "
            "query on a stream decides about one node at a time, and is for play"
        )
    return query


def kinds_of_query(kind: type[Any]) -> list[type[Any]]:
    """The classes derived from one."""
    return [each for sub in kind.__subclasses__() for each in (sub, *kinds_of_query(sub))]


def _open(learner: OnlineLearner[Any, Any], nodes: Iterable[Hashable] | None) -> Bools:
    index = nodes_of(learner)
    labelled = learner.labelled() if isinstance(learner, KnowsLabelled) else None
    if nodes is None:
        if labelled is None:
            raise LearnerError(
                f"this {type(learner).__name__} does not remember which nodes it was given labels for; give nodes=, "
                "the nodes without a label"
            )
        return ~labelled
    open_ = open_positions(len(index), index.positions(nodes))
    return open_ if labelled is None else np.asarray(open_ & ~labelled)


def _row(query: PoolQuery, table: Predictions, place: int, reach: list[int] | None) -> Suggestion:
    said = table[place]
    return Suggestion(said.node, said.prediction, said.probability, because(query, table, place, reach))


def because(query: PoolQuery, table: Predictions, place: int, reach: list[int] | None = None) -> str:
    """Why the node in a row of a table is worth a label, in words; `reach` is what `reaches` says of its rows."""
    if query.blind:
        return query.because
    if not table.known[place]:
        if reach is None:
            return "no label reaches it"
        if reach[place] == 1:
            return "no label reaches it; it has no edges, so that its label settles this node alone"
        return f"no label reaches it; its label would give a class to the {reach[place]:,} nodes it is joined with"
    chances = table.probabilities[place]
    first, second = np.argsort(-chances, kind="stable")[:2] if len(chances) > 1 else (0, 0)
    if first != second and chances[second] >= LEVEL * chances[first]:
        said = ", ".join(f"{table.classes[c]} {_short(chances[c])}" for c in (first, second))
        return f"two classes are nearly level: {said}"
    return query.because


def _short(chance: float) -> str:
    return f"{chance:.2f}".removeprefix("0")
