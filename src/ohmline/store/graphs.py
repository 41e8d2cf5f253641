"""A graph and its ids in a model file."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NoReturn

from scipy import sparse

from ohmline.arrays import AnyArray
from ohmline.errors import FileFormatError, OhmlineError, SnapshotError
from ohmline.graph.graph import Graph, expect_graph
from ohmline.graph.nodes import NodeIndex
from ohmline.learn.classes import writable


def known_by(graph: Graph) -> dict[str, Any]:
    """What a graph is recognised by."""
    return {"fingerprint": graph.fingerprint, "nodes": graph.n, "edges": graph.n_edges}


def write_graph(graph: Graph) -> tuple[dict[str, Any], dict[str, AnyArray]]:
    """The rest of a graph, as plain values and arrays."""
    about = {"ids": ids_text(graph.nodes), "signed": graph.signed, "dropped_loops": graph.dropped_loops}
    return about, {"indptr": graph.indptr, "indices": graph.indices, "weights": graph.weights}


def is_known(about: Mapping[str, Any], graph: Graph) -> bool:
    """Whether a graph is the one that a file knows."""
    return bool(expect_graph(graph).fingerprint == about["fingerprint"])


def refuse_given(about: Mapping[str, Any], given: Graph) -> NoReturn:
    """Say that the graph that was given is another one."""
    raise SnapshotError(
        f"the learner was saved over another graph than {given!r}: that one had {about['nodes']:,} nodes and "
        f"{about['edges']:,} edges, with ids, edges or weights of its own; give the graph that it was made with"
    )


def read_graph(about: Mapping[str, Any], arrays: Mapping[str, AnyArray | None], given: Graph | None) -> Graph:
    """The graph of a file; the one that was given, where the file knows it."""
    if given is not None and is_known(about, given):
        return given
    indptr, indices, weights = (arrays[name] for name in ("indptr", "indices", "weights"))
    if indptr is None or indices is None or weights is None:
        if given is not None:
            refuse_given(about, given)
        raise SnapshotError(
            f"the file holds no graph, only what it is known by ({about['nodes']:,} nodes, {about['edges']:,} edges); "
            "give it: ohmline.load(path, graph=graph)"
        )
    try:
        nodes = NodeIndex(ids_of(about["ids"], len(indptr) - 1))
        rows = sparse.csr_array((weights, indices, indptr), shape=(len(nodes), len(nodes)))
        graph = Graph(rows, nodes, signed=about["signed"], dropped_loops=about["dropped_loops"])
    except (OhmlineError, ValueError, TypeError, IndexError, OverflowError) as error:
        raise FileFormatError(f"the graph in the file is damaged: {error}; save the learner again") from None
    if graph.fingerprint != about["fingerprint"]:
        raise FileFormatError("the graph in the file is not the one that was saved; it is damaged")
    return graph


def ids_text(nodes: NodeIndex) -> Any:
    """Ids as JSON can hold them: their number where they count from 0, else a list in which a list is a tuple."""
    return len(nodes) if nodes.is_range else [_plain(node) for node in nodes]


def ids_of(text: Any, n: int) -> Sequence[Hashable]:
    """The ids of n nodes again."""
    ids: Sequence[Hashable] = range(n) if type(text) is int else [_tuple(node) for node in _listed(text)]
    if (text if type(text) is int else len(ids)) != n:
        raise FileFormatError(f"the file has ids for another number of nodes than {n}; it is damaged")
    return ids


def _plain(node: Hashable) -> Any:
    if isinstance(node, tuple):
        return [_plain(part) for part in node]
    if not writable(node):
        raise SnapshotError(
            f"node {node!r} cannot be written into a file; use strings, numbers or tuples as ids"
        )
    return node


def _tuple(node: Any) -> Hashable:
    return tuple(map(_tuple, node)) if isinstance(node, list) else node


def _listed(values: Any) -> Iterable[Any]:
    if not isinstance(values, list):
        raise FileFormatError(f"the ids in the file are {type(values).__name__}, not a list; it is damaged")
    return values
