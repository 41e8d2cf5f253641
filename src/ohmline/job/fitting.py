"""A graph and some labels in, a learner that can be asked about every node out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ohmline.checks import function, listed, pairs, shown
from ohmline.errors import ConflictingLabels, LabelError, LearnerError, ShapeError
from ohmline.graph import read_labels
from ohmline.graph.graph import Graph, expect_graph
from ohmline.learn import LocalLGC, OnlineLearner
from ohmline.learn.labels import plain_label

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
        The labels of some nodes: a dict from nodes to labels; pairs (node, label); one label for each node in the
        order of the graph; a data frame (pandas, polars, pyarrow) with the columns `node` and `label`, or else its
        first two; or the path of a labels file. None, NaN and an empty cell mean that there is no label. A node with
        two different labels is refused.
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
    known = labels_of(graph, labels)
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
    if nodes is None:
        raise LearnerError(
            f"{type(learner).__name__} learns points, and fit needs a learner over the nodes of a graph"
        )
    return learner


def labels_of(graph: Graph, labels: Any) -> dict[Hashable, Any]:
    """The labels that there are, by node, from whatever holds them; `fit` says what that may be."""
    if isinstance(labels, str | Path):
        return dict(read_labels(labels, graph=graph))
    columns = _columns(labels)
    if columns is not None:
        return _by_node(graph, zip(*columns, strict=True))
    if isinstance(labels, Mapping):
        return _by_node(graph, labels.items())
    values = listed(labels, "labels")
    if values and all(isinstance(value, tuple | list) and len(value) == 2 for value in values):
        return _by_node(graph, pairs(values, "labels", "(node, label)"))
    if len(values) != graph.n:
        raise ShapeError(
            f"{len(values)} labels for {graph.n} nodes; give a dict from nodes to labels, or one label for each node "
            "with None where there is none"
        )
    return _by_node(graph, zip(graph.nodes, values, strict=True))


def _columns(labels: Any) -> tuple[list[Any], list[Any]] | None:
    """The nodes and labels of a data frame; None where it is none."""
    if isinstance(labels, Mapping) or not (hasattr(labels, "columns") or hasattr(labels, "column_names")):
        return None
    names = list(labels.column_names if hasattr(labels, "column_names") else labels.columns)
    if len(names) < 2:
        raise ShapeError(
            f"a frame of labels needs two columns, node and label, and this one has {shown(names)}"
        )
    chosen = ["node", "label"] if {"node", "label"} <= set(names) else names[:2]
    node, label = (labels[name] for name in chosen)
    return _values(node), _values(label)


def _values(column: Any) -> list[Any]:
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, method):
            return list(getattr(column, method)())
    return list(column)


def _by_node(graph: Graph, labels: Iterable[tuple[Any, Any]]) -> dict[Hashable, Any]:
    found: dict[Hashable, Any] = {}
    for node, label in labels:
        plain = plain_label(label)
        graph.nodes.position(node)
        if plain is None or plain == "":
            continue
        if found.setdefault(node, plain) != plain:
            raise ConflictingLabels(
                f"node {shown(node)} has two labels, {shown(found[node])} and {shown(plain)}; keep one of them"
            )
    if not found:
        raise LabelError(
            "there is no label; label at least one node, or make a learner without any: ohm.LocalLGC(graph)"
        )
    return found
