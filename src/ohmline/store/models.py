"""Learners in a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ohmline import learn
from ohmline.arrays import AnyArray
from ohmline.checks import file_path, flag, shown
from ohmline.errors import FileFormatError, OhmlineError, SnapshotError
from ohmline.graph.graph import Graph
from ohmline.learn import LocalManifold, OneVsRest, OnlineLearner, OnlineManifold, State
from ohmline.learn.contract import expect_learner
from ohmline.learn.node_learner import BinaryNodeLearner
from ohmline.store import container
from ohmline.store.places import Found, Written

KINDS: Mapping[str, type[OnlineLearner[Any, Any]]] = {
    kind.__name__: kind
    for kind in vars(learn).values()
    if isinstance(kind, type) and issubclass(kind, OnlineLearner) and hasattr(kind, "kind")
}
"""The learners that can be in a file, by name."""
VECTORS = (OnlineManifold, LocalManifold)
"""Those over vectors: they stand on no graph and no kernel but their own."""


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
        be given the graph. Default True.

    Returns
    -------
    Path
        The file.
    """
    expect_learner(learner)
    with_graph = flag(graph, "graph")
    where = file_path(path)
    kind = type(learner).__name__
    if KINDS.get(kind) is not type(learner):
        raise SnapshotError(
            f"{kind} is not a learner of this library, so no file can say how to make it; keep its snapshot() instead"
        )
    written = Written(with_graph=with_graph)
    place = None if isinstance(learner, VECTORS) else written.place(_stands_on(learner))
    state = learner.snapshot()
    header = {"learner": kind, "place": place, "graphs": written.graphs}
    if isinstance(learner, OneVsRest):
        header["member"] = type(learner.unseen).__name__
        state |= {f"fresh/{key}": value for key, value in learner.fresh().snapshot().items()}
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
        with. None (default) takes the one in the file.

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
    kind = _known(header.get("learner"))
    try:
        if issubclass(kind, VECTORS):
            return kind.restore(state, None)
        place = Found(header["graphs"], arrays, graph).place(header["place"])
        if kind is not OneVsRest:
            return kind.restore(state, place)
        member = _known(header.get("member"))
        if not issubclass(member, BinaryNodeLearner):
            raise FileFormatError(f"OneVsRest is made of binary learners, not of {member.__name__}")
        fresh = {
            key.removeprefix("fresh/"): value for key, value in state.items() if key.startswith("fresh/")
        }
        rest = {key: value for key, value in state.items() if not key.startswith("fresh/")}
        return OneVsRest.restore(rest, Maker(member, fresh, place))
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


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes fresh binary learners for `OneVsRest`, as the function did that the saved one was made with."""

    kind: type[BinaryNodeLearner]
    state: dict[str, AnyArray]
    place: Any

    def __call__(self) -> BinaryNodeLearner:
        return self.kind.restore({key: np.array(value) for key, value in self.state.items()}, self.place)


def _known(name: Any) -> type[OnlineLearner[Any, Any]]:
    if not isinstance(name, str) or name not in KINDS:
        raise FileFormatError(f"the file holds a {name!r}, which this version does not know; upgrade ohmline")
    return KINDS[name]


def _stands_on(learner: Any) -> Any:
    """The kernel or graph that `restore` wants."""
    if isinstance(learner, OneVsRest):
        return _stands_on(learner.unseen)
    return learner.kernel if hasattr(learner, "kernel") else learner.graph
