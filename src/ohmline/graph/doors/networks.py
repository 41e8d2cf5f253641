"""Graphs of igraph and PyTorch Geometric in and out, with attributes of the nodes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from ohmline.arrays import AnyArray, Floats
from ohmline.checks import flag, shown, text
from ohmline.errors import DirectedError, GraphError, ParameterError, ShapeError, WeightError
from ohmline.extras import require
from ohmline.graph.assembly import assembled
from ohmline.graph.edges import Parallel, index_from, weights_of
from ohmline.graph.graph import Graph
from ohmline.graph.nodes import NodeIndex, plain

Attributes = Mapping[str, Mapping[Hashable, Any] | Sequence[Any]]
NODE_IDS = "node_ids"
"""The attribute of a PyTorch Geometric graph that keeps ids other than 0..n-1."""


def attribute_values(graph: Graph, attributes: Any) -> dict[str, list[Any]]:
    """One value per node and attribute, None where a mapping does not have the node."""
    if attributes is None:
        return {}
    if not isinstance(attributes, Mapping):
        raise ParameterError(
            f"attributes must map each name to values by node, got {shown(attributes)}; give {{'label': labels}}"
        )
    found = {}
    for name, values in attributes.items():
        text(name, "the name of an attribute")
        if isinstance(values, Mapping):
            for node in values:
                graph.nodes.position(node)
            found[name] = [plain(values.get(node)) for node in graph.nodes]
            continue
        if isinstance(values, str | bytes) or not hasattr(values, "__len__") or len(values) != graph.n:
            raise ShapeError(
                f"attribute {shown(name)} must be a mapping from nodes to values, or {graph.n} values in the order of "
                f"graph.nodes, got {shown(values)}"
            )
        found[name] = [plain(value) for value in values]
    return found


def from_igraph(
    graph: Any, weight: str, name: str, nodes: Any, signed: bool, symmetrise: bool, parallel: Any
) -> Graph:
    """See `Graph.from_igraph`."""
    text(weight, "weight")
    text(name, "name")
    try:
        directed, n, pairs = graph.is_directed(), graph.vcount(), graph.get_edgelist()
        vertices, edges = graph.vs.attributes(), graph.es.attributes()
    except (AttributeError, TypeError):
        raise GraphError(f"expected an igraph graph, got {type(graph).__name__}") from None
    if directed and not flag(symmetrise, "symmetrise"):
        raise DirectedError(
            "the igraph graph is directed; pass symmetrise=True to take max(S, S') of the weights"
        )
    if nodes is not None:
        index = index_from(nodes)
        if len(index) != n:
            raise ShapeError(f"nodes must name the {n} vertices of the graph, got {len(index)} ids")
    else:
        index = NodeIndex(graph.vs[name] if name in vertices else n)
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    weights = weights_of(graph.es[weight]) if weight in edges else np.ones(len(ends))
    adjacency, loops = assembled(
        ends[:, 0],
        ends[:, 1],
        weights,
        index,
        signed=signed,
        symmetrise=symmetrise,
        parallel=parallel,
        listed=True,
    )
    return Graph(adjacency, index, signed=signed, dropped_loops=loops)


def to_igraph(graph: Graph, attributes: Attributes | None) -> Any:
    """See `Graph.to_igraph`."""
    igraph = require("igraph", "io")
    values = attribute_values(graph, attributes)
    sources, targets, weights = graph.edges()
    made = igraph.Graph(n=graph.n, edges=np.column_stack([sources, targets]).tolist())
    made.es["weight"] = weights.tolist()
    if not graph.nodes.is_range:
        made.vs["name"] = list(graph.nodes)
    for name, column in values.items():
        made.vs[name] = column
    return made


def from_pyg(
    data: Any,
    weight: str,
    nodes: Any,
    signed: bool,
    symmetrise: bool,
    parallel: Parallel | Literal["sum", "max", "refuse"] | None,
) -> Graph:
    """See `Graph.from_pyg`."""
    text(weight, "weight")
    if hasattr(data, "edge_types") or hasattr(data, "edge_index_dict"):
        raise GraphError(
            "this PyTorch Geometric graph has several kinds of nodes or edges; give data.to_homogeneous()"
        )
    found = getattr(data, "edge_index", None)
    if found is None:
        raise GraphError(
            f"expected a PyTorch Geometric Data with an edge_index, got {shown(data)}; Graph.from_scipy takes matrices"
        )
    ends = array_of(found, "edge_index")
    if ends.ndim != 2 or ends.shape[0] != 2 or ends.dtype.kind not in "iu":
        raise ShapeError(
            f"edge_index must hold whole numbers in two rows, got shape {ends.shape} of {ends.dtype}"
        )
    ends = ends.astype(np.int64)
    n = _node_count(data, ends)
    if ends.size and (ends.min() < 0 or ends.max() >= n):
        bad = int(ends[(ends < 0) | (ends >= n)][0])
        raise GraphError(
            f"edge_index names node {bad}, and the graph has {n} nodes, 0 to {n - 1}; mend num_nodes"
        )
    given = getattr(data, NODE_IDS, None) if nodes is None else nodes
    index = NodeIndex(n) if given is None else index_from(given)
    if len(index) != n:
        raise ShapeError(f"nodes must name the {n} nodes of the graph, got {len(index)} ids")
    column = getattr(data, weight, None)
    weights = np.ones(ends.shape[1]) if column is None else _weights(column, weight, ends.shape[1])
    adjacency, loops = assembled(
        ends[0],
        ends[1],
        weights,
        index,
        signed=signed,
        symmetrise=symmetrise,
        parallel=parallel,
        listed=True,
        mirrored=True,
    )
    return Graph(adjacency, index, signed=signed, dropped_loops=loops)


def to_pyg(graph: Graph, attributes: Attributes | None) -> Any:
    """See `Graph.to_pyg`."""
    torch, module = require("torch", "pyg"), require("torch_geometric.data", "pyg")
    values = attribute_values(graph, attributes)
    rows = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    data = module.Data(
        edge_index=torch.from_numpy(np.stack([rows, graph.indices])),
        edge_weight=torch.from_numpy(graph.weights.astype(np.float32)),
        num_nodes=graph.n,
    )
    if not graph.nodes.is_range:
        data[NODE_IDS] = list(graph.nodes)
    for name, column in values.items():
        numeric = all(isinstance(value, bool | int | float) for value in column)
        data[name] = torch.tensor(column) if numeric else column
    return data


def array_of(tensor: Any, name: str) -> AnyArray:
    """A tensor of any library as an array of ours, wherever it lies; nothing is imported for that."""
    for step in ("detach", "cpu"):
        if callable(getattr(tensor, step, None)):
            tensor = getattr(tensor, step)()
    try:
        return np.asarray(tensor)
    except (TypeError, ValueError, RuntimeError):
        raise GraphError(f"{name} must be a tensor or an array, got {shown(tensor)}") from None


def _node_count(data: Any, ends: AnyArray) -> int:
    n = getattr(data, "num_nodes", None)
    if n is None:
        return int(ends.max()) + 1 if ends.size else 0
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
        raise GraphError(f"num_nodes must be a whole number of at least 0, got {shown(n)}")
    return int(n)


def _weights(column: Any, name: str, m: int) -> Floats:
    weights = array_of(column, name)
    if weights.ndim == 2 and weights.shape[1] == 1:
        weights = weights[:, 0]
    if weights.shape != (m,):
        raise ShapeError(
            f"{name} must hold one weight per edge, {m} in all, got shape {weights.shape}; name another with weight=..."
        )
    if weights.dtype.kind not in "biuf":
        raise WeightError(f"{name} must hold real numbers, got {weights.dtype}")
    return weights.astype(np.float64)
