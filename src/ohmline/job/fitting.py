"""A graph and some labels in, a learner that can be asked about every node out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from typing import Any

import numpy as np

from ohmline.checks import flag, function, listed, shown
from ohmline.errors import ConflictingLabels, LabelError, LearnerError, ShapeError, UnknownNode
from ohmline.graph.graph import Graph, expect_graph
from ohmline.graph.labels import labels_in_order, labels_of
from ohmline.graph.relations import Relations
from ohmline.learn import DriftingLGC, LocalLGC, OnlineLearner, relational
from ohmline.learn.labels import plain_label

log = logging.getLogger(__name__)

BY_NAME = {
    "local-lgc": "ohm.LocalLGC",
    "drifting-lgc": "ohm.DriftingLGC",
    "relational": "ohm.relational",
    "shared-lgc": "lambda graph: ohm.SharedLGC(ohm.SpectralKernel(graph, rank=min(100, graph.n)))",
}
"""What to pass for some of the names that the command line knows; the others need a kernel, and more."""


def fit(
    graph: Graph | Relations,
    labels: Any,
    learner: OnlineLearner[Any, Any] | Callable[[Any], OnlineLearner[Any, Any]] | None = None,
    *,
    classes: Iterable[Any] | None = None,
    drift: bool = False,
) -> OnlineLearner[Any, Any]:
    """A learner that has learned all the labels there are, ready to be asked about every node.

    Parameters
    ----------
    graph
        The graph, or `Relations` where there are several types of edges.
    labels
        The labels of some nodes: whatever `ohmline.graph.labels_of` takes (a dict from nodes to labels, pairs, a frame
        of pandas, polars or Arrow, a pandas Series, the name of a file), or one label for each node in the order of
        the graph. None, NaN and an empty cell mean that there is no label.
    learner
        What learns: None (default) for `LocalLGC`, which takes graphs of any size and any number of classes, and for
        `relational` over `Relations`; a function that makes a learner over the graph; or a learner, which goes on from
        what it knows.
    classes
        The classes, if they are known: another label is then an error. None (default) takes them from the labels.
        Only with `learner=None`.
    drift
        Whether labels change over time: then `DriftingLGC` learns them, and pairs of nodes and labels, and the rows of
        a table or file, are taken in their order, with the same node as often as it comes. Only with `learner=None`.
        Default False.

    Returns
    -------
    OnlineLearner
        The learner. `predict_many()` predicts every node, `ohm.suggest` says what to label next, `ohm.save` keeps it.
        Where all labels are of one class, and no others were declared, a warning in the log says that every node is
        predicted as it.

    Examples
    --------
    >>> import ohmline as ohm
    >>> graph = ohm.Graph.from_edges([("ann", "bob"), ("bob", "cem"), ("cem", "dan"), ("dan", "eve")])
    >>> learner = ohm.fit(graph, {"ann": "bot", "eve": "human"})
    >>> learner.predict_many().to_dict()
    {'ann': 'bot', 'bob': 'bot', 'cem': 'bot', 'dan': 'human', 'eve': 'human'}
    """
    if flag(drift, "drift"):
        return _drifting(expect_graph(graph), labels, learner, classes)
    one = graph[graph.types[0]] if isinstance(graph, Relations) else expect_graph(graph)
    try:
        with _remedies():
            known = _known(one, labels)
    except ConflictingLabels as error:
        raise ConflictingLabels(
            f"{error}; if labels change over time, pass drift=True, which learns both"
        ) from None
    chosen = _learner(graph, learner, classes)
    chosen.learn_many(known)
    met: Sequence[Any] = getattr(chosen, "classes", ())
    if len(met) == 1:
        log.warning("only one class is known, %r, so every node is predicted as it", met[0])
    return chosen


def _drifting(graph: Graph, labels: Any, learner: Any, classes: Any) -> DriftingLGC:
    """A learner of labels that change, which has learned these in their order."""
    if learner is not None:
        raise LearnerError(
            "drift is for learner=None; for labels that change, give DriftingLGC(graph) or a Blend by FixedShare() "
            "without it"
        )
    values = None if _is_table(labels) or isinstance(labels, set | frozenset) else listed(labels, "labels")
    chosen = DriftingLGC(graph, classes)
    if values is None and _is_table(labels):
        with _remedies():
            values = labels_in_order(labels, graph)
        if not values:
            raise LabelError("there is no label among these; give at least one")
    if values is not None and _are_pairs(values):
        if all(plain_label(y) is None for _, y in values):
            raise LabelError("there is no label among the pairs; give at least one")
        chosen.learn_many([x for x, _ in values], [y for _, y in values])
    else:
        chosen.learn_many(_known(graph, labels if values is None else values))
    return chosen


def _learner(graph: Graph | Relations, learner: Any, classes: Any) -> OnlineLearner[Any, Any]:
    if learner is None and isinstance(graph, Relations):
        log.info("no learner given: a blend for %d nodes and %d types of edges", graph.n, len(graph))
        return relational(graph, classes)
    if learner is None and isinstance(graph, Graph):
        log.info("no learner given: LocalLGC for %d nodes and %d edges", graph.n, graph.n_edges)
        return LocalLGC(graph, classes)
    if classes is not None:
        raise LearnerError("classes are for learner=None; give them to the learner that you make")
    if isinstance(learner, str):
        name = BY_NAME.get(learner, "ohm.LocalLGC")
        raise LearnerError(
            f"learner {shown(learner)} is a name, as the command line takes it; pass a learner, or what makes one "
            f"from a graph, such as {name}"
        )
    if not isinstance(learner, OnlineLearner):
        make = function(
            learner, "learner", "give a learner, or what makes one from a graph, such as ohm.LocalLGC"
        )
        learner = make(graph)
    if not isinstance(learner, OnlineLearner):
        raise LearnerError(f"learner must make a learner of a graph, and made {shown(learner)}")
    nodes = getattr(learner, "nodes", None)
    if nodes is not None and nodes is not graph.nodes and list(nodes[: graph.n]) != list(graph.nodes):
        raise LearnerError(
            f"learner was made over another graph: it has {len(nodes)} nodes, and not those of this graph of "
            f"{graph.n}; make it over this one"
        )
    if nodes is None:
        raise LearnerError(
            f"{type(learner).__name__} learns points, and fit needs a learner over the nodes of a graph"
        )
    return learner


def _known(graph: Graph, labels: Any) -> dict[Hashable, Any]:
    """The labels that there are, by node."""
    if isinstance(labels, set | frozenset):
        raise LabelError(
            "a set has no order, so that nobody knows which node each label is of; give a dict or a list"
        )
    values = None if _is_table(labels) else listed(labels, "labels")
    if values is None or _are_pairs(values):
        found = labels_of(labels if values is None else values, graph=graph)
    elif len(values) == graph.n:
        _refuse_marker(values)
        found = labels_of(dict(zip(graph.nodes, values, strict=True)), graph=graph)
    else:
        raise ShapeError(
            f"{len(values)} labels for {graph.n} nodes; give a dict from nodes to labels, or one label for each node "
            "with None where there is none"
        )
    if not found:
        raise LabelError(
            "there is no label; label at least one node, or make a learner without any: ohm.LocalLGC(graph)"
        )
    return found


@contextmanager
def _remedies() -> Iterator[None]:
    """An unknown node is left out by `labels_of`: `fit` has no parameter for it."""
    try:
        yield
    except UnknownNode as error:
        remedy = "give ohm.graph.labels_of(labels, graph=graph, skip_unknown=True)"
        raise UnknownNode(str(error).replace("pass skip_unknown=True", remedy)) from None


def _is_table(labels: Any) -> bool:
    """Whether it says by itself which node each label is of: a mapping, a file, a frame, a Series."""
    return isinstance(labels, str | PathLike | Mapping) or any(
        hasattr(labels, name)
        for name in ("columns", "column_names", "index", "schema")
        if not isinstance(labels, list | tuple)
    )


def _are_pairs(values: list[Any]) -> bool:
    return bool(values) and all(isinstance(value, tuple | list) and len(value) == 2 for value in values)


def _refuse_marker(values: list[Any]) -> None:
    """Raise where -1 looks like scikit-learn's marker of a missing label."""
    numbers = {value for value in values if isinstance(value, int | np.integer)}
    if -1 in numbers and not numbers <= {-1, 1}:
        raise LabelError(
            "labels has -1 beside other classes: is it a class, or no label? Give None for no label, a dict of the "
            "labelled nodes, or use ohmline.adapt.sklearn.GraphClassifier, where -1 marks a missing one"
        )
