"""A graph and some labels in, a learner that can be asked about every node out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterable, Mapping
from os import PathLike
from typing import Any

import numpy as np

from ohmline.checks import function, listed, shown
from ohmline.errors import LabelError, LearnerError, ShapeError
from ohmline.graph.graph import Graph, expect_graph
from ohmline.graph.labels import labels_of
from ohmline.learn import LocalLGC, OnlineLearner

log = logging.getLogger(__name__)


def fit(
    graph: Graph,
    labels: Any,
    learner: OnlineLearner[Any, Any] | Callable[[Graph], OnlineLearner[Any, Any]] | None = None,
    *,
    classes: Iterable[Any] | None = None,
) -> OnlineLearner[Any, Any]:
    """A learner that has learned all the labels there are, ready to be asked about every node.

    Parameters
    ----------
    graph
        The graph.
    labels
        The labels of some nodes: whatever `ohmline.graph.labels_of` takes (a dict from nodes to labels, pairs, a frame
        of pandas, polars or Arrow, a pandas Series, the name of a file), or one label for each node in the order of
        the graph. None, NaN and an empty cell mean that there is no label.
    learner
        What learns: None (default) for `LocalLGC`, which takes graphs of any size and any number of classes; a function
        that makes a learner over the graph; or a learner, which goes on from what it knows. Graphs with negative
        weights need one of the latter two.
    classes
        The classes, if they are known: another label is then an error. None (default) takes them from the labels.
        Only with `learner=None`.

    Returns
    -------
    OnlineLearner
        The learner. `predict_many()` predicts every node, `ohm.suggest` says what to label next, `ohm.save` keeps it.

    Examples
    --------
    >>> import ohmline as ohm
    >>> graph = ohm.Graph.from_edges([("ann", "bob"), ("bob", "cem"), ("cem", "dan"), ("dan", "eve")])
    >>> learner = ohm.fit(graph, {"ann": "bot", "eve": "human"})
    >>> learner.predict_many().to_dict()
    {'ann': 'bot', 'bob': 'bot', 'cem': 'bot', 'dan': 'human', 'eve': 'human'}
    """
    expect_graph(graph)
    known = _known(graph, labels)
    chosen = _learner(graph, learner, classes)
    chosen.learn_many(known)
    return chosen


def _learner(graph: Graph, learner: Any, classes: Any) -> OnlineLearner[Any, Any]:
    if learner is None:
        log.info("no learner given: LocalLGC for %d nodes and %d edges", graph.n, graph.n_edges)
        return LocalLGC(graph, classes)
    if classes is not None:
        raise LearnerError("classes are for learner=None; give them to the learner that you make")
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
