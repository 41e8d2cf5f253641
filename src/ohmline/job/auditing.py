"""An audit of what a learner predicts."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from ohmline.bound import Audit
from ohmline.checks import hashable, listed
from ohmline.errors import LearnerError, UnknownNode
from ohmline.learn import OnlineLearner
from ohmline.learn.belief import KnowsLabelled
from ohmline.learn.contract import expect_learner


def audit(
    learner: OnlineLearner[Any, Any],
    *,
    labelled: Iterable[Hashable] | None = None,
    seed: int = 0,
    number: int | None = None,
) -> Audit:
    """Begin to check how many of a learner's predictions are wrong, with random labels.

    The audit takes over the predictions of now for all nodes that have none of the labels the learner was given, and a
    doubt for each, one less the probability of its prediction, which makes the limit tighter where the learner knows
    what it does not know. A node that the learner knows nothing about is not audited: nothing is predicted there.

    Parameters
    ----------
    learner
        A learner over the nodes of a graph.
    labelled
        The nodes whose labels are known. None (default) asks the learner, which those know that keep their labels
        (`LocalLGC`).
    seed
        The seed of the random order. Default 0.
    number
        Which audit of a job this is, counted from 1, if there are several; see `Audit`. None (default): the only one.

    Returns
    -------
    Audit
        `next()` says which node to label, `record(node, label)` takes its label, `withdraw(node)` takes a slip back,
        and `at_most(0.95)` gives the limit.

    Examples
    --------
    >>> import ohmline as ohm
    >>> graph = ohm.Graph.from_edges([(k, (k + 1) % 600) for k in range(600)])
    >>> learner = ohm.fit(graph, {k: "low" if k < 300 else "high" for k in range(0, 600, 10)})
    >>> check = ohm.audit(learner, seed=1)
    >>> for node in check.batch(60):
    ...     check.record(node, "low" if node < 300 else "high")
    >>> print(check.at_most(confidence=0.95))
    with 95 % confidence at most ... of the remaining 480 predictions are wrong; 0 of 60 random ones were
    """
    expect_learner(learner)
    if getattr(learner, "nodes", None) is None:
        raise LearnerError(
            f"audit needs a learner over the nodes of a graph, and {type(learner).__name__} learns points; give the "
            "predictions of your points, by an id of each, to ohm.bound.Audit"
        )
    known = set(_labelled(learner) if labelled is None else listed_nodes(learner, labelled))
    table = learner.predict_many()
    chosen = [
        k
        for k, (node, there) in enumerate(zip(table.nodes, table.known.tolist(), strict=True))
        if there and node not in known
    ]
    if not chosen and len(known) >= len(table):
        raise LearnerError("there is nothing to audit: every node has a label, and none has to be believed")
    if not chosen:
        raise LearnerError(
            "there is nothing to audit: no node without a label has a prediction; label some nodes first, in each part "
            "of the graph that hangs together"
        )
    predictions = {table.nodes[k]: table.predictions[k] for k in chosen}
    doubt = {table.nodes[k]: float(np.clip(1 - table.confidence[k], 0.0, 1.0)) for k in chosen}
    return Audit(predictions, doubt=doubt, seed=seed, number=number, classes=table.classes)


def listed_nodes(learner: OnlineLearner[Any, Any], nodes: Iterable[Hashable]) -> list[Hashable]:
    """Nodes of the learner, each one known."""
    found = [hashable(node, "a node of labelled", UnknownNode) for node in listed(nodes, "labelled")]
    index = getattr(learner, "nodes", None)
    if index is not None:
        index.positions(found)
    return found


def _labelled(learner: OnlineLearner[Any, Any]) -> list[Hashable]:
    found = learner.labelled() if isinstance(learner, KnowsLabelled) else None
    if found is None:
        raise LearnerError(
            f"this {type(learner).__name__} does not remember which nodes it was given labels for; give them: "
            "audit(learner, labelled=[...])"
        )
    nodes = getattr(learner, "nodes", ())
    return [nodes[k] for k in np.flatnonzero(found).tolist()]
