"""A networkx graph in, predictions as node attributes out."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from ohmline.checks import function, generator, instance, text
from ohmline.errors import LabelError
from ohmline.extras import require
from ohmline.game import Stream, Trace, play
from ohmline.graph import Graph
from ohmline.learn import Harmonic, OnlineLearner
from ohmline.learn.batch.transduction import Transduction
from ohmline.query import StreamQuery


def label_nodes(
    graph: Any,
    *,
    label: str = "label",
    prediction: str = "prediction",
    method: Transduction | None = None,
    weight: str = "weight",
) -> dict[Hashable, Any]:
    """Spread the labels of some nodes over a networkx graph, all at once; the graph is changed.

    Parameters
    ----------
    graph
        An undirected networkx graph.
    label
        The node attribute that holds the known labels; a node without it, or with None, is unlabelled. At least one
        node must have a label. Default `"label"`.
    prediction
        The node attribute that every node's prediction is written to. Default `"prediction"`.
    method
        `Harmonic()` (default), `LLGC()` or another `Transduction`.
    weight
        The edge attribute that holds the weights, above 0; a missing one counts as 1. Default `"weight"`.

    Returns
    -------
    dict
        The prediction of every node; None where no label reaches.

    Examples
    --------
    >>> import networkx as nx
    >>> path = nx.path_graph(["a", "b", "c", "d"])
    >>> path.nodes["a"]["label"], path.nodes["d"]["label"] = "left", "right"
    >>> label_nodes(path)
    {'a': 'left', 'b': 'left', 'c': 'right', 'd': 'right'}
    >>> path.nodes["b"]["prediction"]
    'left'
    """
    networkx = require("networkx", "io")
    label, prediction = text(label, "label"), text(prediction, "prediction")
    if method is not None:
        instance(method, Transduction, "method", "give Harmonic() or LLGC()")
    ours = Graph.from_networkx(graph, weight=weight)
    known = {node: y for node, y in graph.nodes(data=label) if y is not None}
    if not known:
        raise LabelError(f"no node has the attribute {label!r}; set it on the nodes whose label is known")
    fitted = (method if method is not None else Harmonic()).fit(ours, known)
    answers = dict(zip(ours.nodes, fitted.predict(), strict=True))
    networkx.set_node_attributes(graph, answers, prediction)
    return answers


def play_nodes(
    graph: Any,
    learner: Callable[[Graph], OnlineLearner[Any, Any]],
    *,
    label: str = "label",
    prediction: str = "prediction",
    query: StreamQuery | None = None,
    weight: str = "weight",
    seed: int = 0,
) -> Trace:
    """Play the online game over a networkx graph, node by node in a random order; the graph is changed.

    Parameters
    ----------
    graph
        An undirected networkx graph.
    learner
        A function that makes the learner from the graph, as an `ohmline.Graph`.
    label
        The node attribute that holds the labels; one that is missing or None is not known. Default `"label"`.
    prediction
        The node attribute that is written to: what the learner predicted when the node came up, before its label
        could be asked for. Default `"prediction"`.
    query
        Which labels are asked for; None (default) asks for all.
    weight
        The edge attribute that holds the weights; a missing one counts as 1. Default `"weight"`.
    seed
        Draws the order of the nodes and the coins of a random query. Default 0.

    Returns
    -------
    Trace
        The game.

    Examples
    --------
    >>> import networkx as nx
    >>> import ohmline as ohm
    >>> club = nx.karate_club_graph()
    >>> sides = {node: 1 if club.nodes[node]["club"] == "Officer" else -1 for node in club}
    >>> nx.set_node_attributes(club, sides, "side")
    >>> play_nodes(
    ...     club, lambda g: ohm.Perceptron(ohm.LaplacianKernel(g) + ohm.Constant(0.1)), label="side"
    ... )
    Trace(34 trials, ... mistakes, 34 labels asked)
    """
    networkx = require("networkx", "io")
    label, prediction = text(label, "label"), text(prediction, "prediction")
    function(learner, "learner", "give a function of the graph, such as LocalLGC")
    ours = Graph.from_networkx(graph, weight=weight)
    order = [ours.nodes[k] for k in generator(seed).permutation(ours.n)]
    trace = play(learner(ours), Stream(order, [graph.nodes[x].get(label) for x in order]), query, seed=seed)
    networkx.set_node_attributes(graph, dict(zip(order, trace.predictions, strict=True)), prediction)
    return trace
