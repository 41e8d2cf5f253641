"""What to label next."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from ohmline.arrays import Bools
from ohmline.checks import count, generator, shown
from ohmline.errors import LearnerError
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
    chosen = query.choose_many(learner, open_, min(k, int(open_.sum())), rng)
    table = learner.predict_many([index[i] for i in chosen])
    return Suggestions(tuple(_row(query, table, place) for place in range(len(chosen))))


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
    if not isinstance(query, PoolQuery):
        raise LearnerError(
            f"suggest takes a pool query (ErrorReduction, Uncertainty, SigmaOptimal, Random), got {shown(query)}; a "
            "query on a stream decides about one node at a time, and is for play"
        )
    return query


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


def _row(query: PoolQuery, table: Predictions, place: int) -> Suggestion:
    said = table[place]
    return Suggestion(said.node, said.prediction, said.probability, because(query, table, place))


def because(query: PoolQuery, table: Predictions, place: int) -> str:
    """Why the node in a row of a table is worth a label, in words."""
    if query.blind:
        return query.because
    if not table.known[place]:
        return f"no label reaches it; {query.because}"
    chances = table.probabilities[place]
    first, second = np.argsort(-chances, kind="stable")[:2] if len(chances) > 1 else (0, 0)
    if first != second and chances[second] >= LEVEL * chances[first]:
        said = ", ".join(f"{table.classes[c]} {_short(chances[c])}" for c in (first, second))
        return f"two classes are nearly level: {said}"
    return query.because


def _short(chance: float) -> str:
    return f"{chance:.2f}".removeprefix("0")
