"""The ways out of a graph into other libraries."""

from __future__ import annotations

from abc import abstractmethod
from os import PathLike
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from scipy import sparse

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.errors import GraphError
from ohmline.extras import require
from ohmline.graph.nodes import NodeIndex

if TYPE_CHECKING:
    from ohmline.graph.doors.networks import Attributes
    from ohmline.graph.graph import Graph


class WaysOut:
    """What other libraries make of a `Graph`."""

    __slots__ = ()

    nodes: NodeIndex

    @property
    @abstractmethod
    def n(self) -> int:
        """Number of nodes."""

    @property
    @abstractmethod
    def adjacency(self) -> sparse.csr_array:
        """The symmetric matrix of weights."""

    @abstractmethod
    def edges(self) -> tuple[Ints, Ints, Floats]:
        """Each undirected edge once: positions of its two ends (lower first) and its weight."""

    def write(self, path: str | PathLike[str]) -> None:
        """Write the graph to a file in the format that the end of its name says; see `ohmline.graph.write`.

        A name that ends in .ohmg gives a graph file, which `Graph.open` maps from disk instead of reading it.

        Parameters
        ----------
        path
            The name of the file, which is replaced if it exists; it appears whole or not at all.
        """
        from ohmline.graph.files import write

        write(cast("Graph", self), path)

    def to_scipy(self) -> sparse.csr_array:
        """A copy of the symmetric matrix of weights, to change as you like."""
        return self.adjacency.copy()

    def to_networkx(self, attributes: Attributes | None = None) -> Any:
        """A networkx graph with the same ids, the weights as the edge attribute `weight`.

        Parameters
        ----------
        attributes
            Attributes of the nodes by their names: for each a mapping from nodes to values, such as labels, in which
            nodes may be missing; or one value per node, in the order of `nodes`. None (default) for none.

        Examples
        --------
        >>> from ohmline import Graph
        >>> graph = Graph.from_edges([("ada", "bob")]).to_networkx({"label": {"ada": "human"}})
        >>> dict(graph.nodes(data=True))
        {'ada': {'label': 'human'}, 'bob': {}}
        """
        from ohmline.graph.doors.networks import attribute_values

        networkx = require("networkx", "io")
        graph = networkx.Graph()
        graph.add_nodes_from(self.nodes)
        ends_and_weights = zip(*(column.tolist() for column in self.edges()), strict=True)
        graph.add_weighted_edges_from((self.nodes[i], self.nodes[j], w) for i, j, w in ends_and_weights)
        for name, values in attribute_values(cast("Graph", self), attributes).items():
            given = {node: y for node, y in zip(self.nodes, values, strict=True) if y is not None}
            networkx.set_node_attributes(graph, given, name)
        return graph

    def to_igraph(self, attributes: Attributes | None = None) -> Any:
        """An igraph graph: the weights are `weight` of its edges, ids other than 0..n-1 are `name` of its vertices.

        Parameters
        ----------
        attributes
            As for `to_networkx`; a missing value is None.
        """
        from ohmline.graph.doors.networks import to_igraph

        return to_igraph(cast("Graph", self), attributes)

    def to_pyg(self, attributes: Attributes | None = None) -> Any:
        """A PyTorch Geometric `Data` with every edge in both directions (extra `pyg`).

        Weights are `edge_weight`, in single precision; ids other than 0..n-1 are the list `node_ids`.

        Parameters
        ----------
        attributes
            As for `to_networkx`. Numbers and flags that no node misses become tensors, others lists with None where a
            value is missing.
        """
        from ohmline.graph.doors.networks import to_pyg

        return to_pyg(cast("Graph", self), attributes)

    def to_pandas(self) -> Any:
        """The edges as a pandas frame: columns source, target and weight; isolated nodes are not in it (extra `io`)."""
        return require("pandas", "io").DataFrame(self._edge_table())

    def to_polars(self) -> Any:
        """The edges as a polars frame: columns source, target and weight; isolated nodes are not in it (extra `io`)."""
        polars = require("polars", "io")
        table = {name: c.tolist() if c.dtype == object else c for name, c in self._edge_table().items()}
        try:
            return polars.DataFrame(table)
        except (TypeError, ValueError, OverflowError, polars.exceptions.PolarsError):
            raise GraphError(
                f"node ids such as {self.nodes[0]!r} do not fit one column of polars; to_pandas takes ids of any kind"
            ) from None

    def to_arrow(self) -> Any:
        """The edges as an Arrow table: columns source, target and weight; isolated nodes are not in it (extra `io`)."""
        arrow = require("pyarrow", "io")
        try:
            return arrow.table(self._edge_table())
        except (arrow.ArrowException, TypeError, ValueError, OverflowError):
            raise GraphError(
                f"node ids such as {self.nodes[0]!r} do not fit one column of Arrow; to_pandas takes ids of any kind"
            ) from None

    def _edge_table(self) -> dict[str, AnyArray]:
        """The edges as columns of ids and weights."""
        sources, targets, weights = self.edges()
        if self.nodes.is_range:
            return {"source": sources, "target": targets, "weight": weights}
        ids = np.empty(self.n, object)
        ids[:] = list(self.nodes)
        if all(type(node) is int and abs(node) < 2**63 for node in self.nodes):
            ids = ids.astype(np.int64)
        return {"source": ids[sources], "target": ids[targets], "weight": weights}
