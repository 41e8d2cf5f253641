"""Learners in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ohmline.checks import file_path, flag, shown
from ohmline.errors import FileFormatError, OhmlineError, SnapshotError
from ohmline.graph.graph import Graph
from ohmline.learn import OnlineLearner, State
from ohmline.learn.contract import expect_learner
from ohmline.store import container
from ohmline.store.learners import KINDS as KINDS
from ohmline.store.learners import described, known_kind, revived
from ohmline.store.places import Found, Written


def save(learner: OnlineLearner[Any, Any], path: Any, *, graph: bool = True) -> Path:
    """Write a learner into one file, from which `load` makes it again, on this machine or another.

    The file holds all that the learner knows, its classes, its kernel and its graph with the ids of the nodes. Nothing
    in it is pickled. It is written beside the old one and takes its place at the end, so that an interrupted `save`
    leaves the old file as it was.

    Parameters
    ----------
    learner
        A learner of this library.
    path
        The name of the file, `model.ohm` for example.
    graph
        Whether the graph is in the file. False keeps only what it is known by: the file is smaller, and `load` has to
        be given the graph. Of `relational` it is the graph that it was made of; a learner that stands on several
        graphs, such as one over several types of edges, is refused. Default True.

    Returns
    -------
    Path
        The file.
    """
    expect_learner(learner)
    with_graph = flag(graph, "graph")
    where = file_path(path)
    written = Written()
    header, state = described(learner, written)
    written.keep_graphs(but_the_given=not with_graph)
    header["graphs"] = written.graphs
    arrays = {**written.arrays, **{f"learner/{key}": value for key, value in state.items()}}
    container.write(where, header, arrays)
    return where


def load(path: Any, *, graph: Graph | None = None) -> Any:
    """The learner that `save` wrote; it goes on as if it had never been away.

    Parameters
    ----------
    path
        The name of the file.
    graph
        The graph, where the file was saved without it. If it is given, it must be the one that the learner was made
        with, or one of them where there are several. None (default) takes the one in the file.

    Returns
    -------
    OnlineLearner
        A learner of the class that was saved.
    """
    header, arrays = container.read(path)
    if graph is not None and not isinstance(graph, Graph):
        raise SnapshotError(f"graph must be a Graph, got {shown(graph)}; build or read it first")
    state: State = {
        name.removeprefix("learner/"): array for name, array in arrays.items() if name.startswith("learner/")
    }
    known_kind(header.get("learner"))
    try:
        return revived(header, state, Found(header.get("graphs", []), arrays, graph))
    except OhmlineError as error:
        raise type(error)(f"{path}: {error}") from None
    except (
        KeyError,
        IndexError,
        TypeError,
        ValueError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        raise FileFormatError(
            f"the header of {path} is damaged ({type(error).__name__}: {error}); save the learner again"
        ) from None
