"""The graph: immutable, weighted, undirected, in compressed sparse rows."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from hashlib import sha256
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Unpack, final

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from ohmline.arrays import AnyArray, Floats, Ints, vector
from ohmline.checks import count, flag, instance, listed, room, text
from ohmline.errors import DirectedError, GraphError, ShapeError, UnknownNode, WeightError
from ohmline.extras import require
from ohmline.graph.columns import index_of, positions_of
from ohmline.graph.edges import (
    Build,
    Parallel,
    check_weights,
    column_of,
    combined,
    index_from,
    matrix_of,
    parallel_of,
    refuse_asymmetry,
    split_edges,
    weights_of,
)
from ohmline.graph.nodes import NodeIndex
from ohmline.graph.rows import checked_rows
from ohmline.lazy_names import later
from ohmline.markup import box, facts, some

if TYPE_CHECKING:
    from ohmline.graph.doors.networks import Attributes


@final
class Graph:
    """An undirected graph whose edges carry weights (conductances).

    Build one with `from_edges`, `from_columns`, `from_scipy` or `read`, out of another library (`from_networkx`,
    `from_igraph`, `from_pyg`, `from_pandas`, `from_polars`, `from_arrow`) or a database (`from_sql`, `from_duckdb`).
    Self loops do not change the Laplacian: they are dropped and counted in `summary`. Isolated nodes and several
    components are ordinary. A graph owns copies of its arrays, which nobody can write to.

    Parameters
    ----------
    adjacency
        The symmetric matrix of weights, with sorted indices, an empty diagonal and no stored zeros.
    nodes
        The ids of the rows, in their order.
    signed
        Whether weights may be negative, which marks dissimilar neighbours. False (default) means that all are
        above 0.
    dropped_loops
        How many self loops were left out of `adjacency`, for `summary`. Default 0.

    Examples
    --------
    >>> graph = Graph.from_edges([("a", "b"), ("b", "c", 2.0)], nodes=["a", "b", "c", "d"])
    >>> graph
    Graph(nodes=4, edges=2, components=2)
    >>> graph.degree
    array([1., 3., 2., 0.])
    >>> graph.neighbours("b")
    {'a': 1.0, 'c': 2.0}
    """

    __slots__ = ("__dict__", "dropped_loops", "indices", "indptr", "nodes", "signed", "weights")

    def __init__(
        self, adjacency: sparse.csr_array, nodes: NodeIndex, *, signed: bool = False, dropped_loops: int = 0
    ) -> None:
        instance(nodes, NodeIndex, "nodes", "give NodeIndex(ids)", GraphError)
        signed = flag(signed, "signed")
        indptr, indices, weights = checked_rows(adjacency, len(nodes), signed=signed)
        self.indptr: Ints
        self.indices: Ints
        self.weights: Floats
        self.nodes: NodeIndex
        self.signed: bool
        self.dropped_loops: int
        for name, value in (
            ("indptr", indptr),
            ("indices", indices),
            ("weights", weights),
            ("nodes", nodes),
            ("signed", signed),
            ("dropped_loops", count(dropped_loops, "dropped_loops")),
        ):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        raise GraphError(f"a graph never changes, so its {name} cannot be set; build another graph")

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[Sequence[Any]] | AnyArray,
        *,
        nodes: Iterable[Hashable] | None = None,
        signed: bool = False,
        symmetrise: bool = False,
        parallel: Parallel | Literal["sum", "max", "refuse"] | None = None,
    ) -> Graph:
        """Build a graph from a list or an array of edges.

        Parameters
        ----------
        edges
            Pairs `(u, v)`, which weigh 1, or triples `(u, v, weight)`; or an array with two or three such
            columns, whose ids must be whole where they are floating-point numbers. An edge may be listed once
            or in both directions; one of weight 0 is no edge.
        nodes
            The ids in the order of their positions; it may name isolated nodes, and must name every end of an
            edge. Without it (default) the nodes are the ends of the edges and no others: whole numbers in
            their order, other ids as they appear.
        signed
            Whether weights may be negative. By default a negative weight is an error.
        symmetrise
            Whether an edge that is listed with two weights takes the larger. By default it is an error.
        parallel
            What becomes of several rows between the same two nodes, in either direction: `"sum"` adds their
            weights up (transactions), `"max"` keeps the largest, `"refuse"` makes them an error. None (default)
            counts rows of equal weight once, and goes by `symmetrise` where the weights differ.

        Examples
        --------
        >>> Graph.from_edges([("a", "b", 5.0), ("b", "a", 2.0)], parallel="sum").neighbours("a")
        {'b': 7.0}
        """
        sources, targets, weights = split_edges(edges)
        return cls.from_columns(
            sources, targets, weights, nodes=nodes, signed=signed, symmetrise=symmetrise, parallel=parallel
        )

    @classmethod
    def from_columns(
        cls,
        sources: Any,
        targets: Any,
        weights: Any = None,
        *,
        nodes: Iterable[Hashable] | None = None,
        signed: bool = False,
        symmetrise: bool = False,
        parallel: Parallel | Literal["sum", "max", "refuse"] | None = None,
    ) -> Graph:
        """Build a graph from one column for each end of the edges and one for their weights.

        Parameters
        ----------
        sources, targets
            The ids of the two ends, one entry per edge in each: lists, arrays, or columns of pandas, polars or Arrow.
        weights
            One weight per edge, likewise; all 1 by default.
        nodes, signed, symmetrise, parallel
            As for `from_edges`.

        Examples
        --------
        >>> Graph.from_columns(["a", "b"], ["b", "c"], [1.0, 2.0]).degree
        array([1., 3., 2.])
        """
        sources, targets = column_of(sources, "sources"), column_of(targets, "targets")
        if weights is not None:
            weights = column_of(weights, "weights", numbers=True)
        if len(sources) != len(targets) or (weights is not None and len(weights) != len(sources)):
            sizes = [len(sources), len(targets)] + ([] if weights is None else [len(weights)])
            raise ShapeError(f"the columns of an edge list must be equally long, got {sizes} entries")
        column = np.ones(len(sources)) if weights is None else weights_of(weights)
        if nodes is None:
            index, s, t = index_of(sources, targets)
        else:
            index = index_from(nodes)
            try:
                s, t = positions_of(index, sources), positions_of(index, targets)
            except UnknownNode as error:
                raise UnknownNode(
                    f"{error}; nodes= names every node of the graph, the ends of its edges as well as isolated ones"
                ) from None
        return cls._assemble(
            s, t, column, index, signed=signed, symmetrise=symmetrise, parallel=parallel, listed=True
        )

    @classmethod
    def from_scipy(
        cls,
        adjacency: Any,
        *,
        nodes: Iterable[Hashable] | None = None,
        signed: bool = False,
        symmetrise: bool = False,
        parallel: Parallel | Literal["sum", "max", "refuse"] | None = None,
    ) -> Graph:
        """Build a graph from its matrix of weights.

        Parameters
        ----------
        adjacency
            A square symmetric matrix of real numbers, sparse or dense; zeros are no edges.
        nodes
            One id per row, in the order of the rows; 0..n-1 by default.
        signed
            As for `from_edges`.
        symmetrise
            Whether two entries that mirror each other and differ give an edge with the larger weight, and an
            entry without a mirror an edge with its own. By default both are errors.
        parallel
            What becomes of several values for one entry of a sparse matrix, each direction for itself: `"sum"`,
            which is also what SciPy and None (default) mean by them, `"max"` or `"refuse"`.
        """
        signed, symmetrise = flag(signed, "signed"), flag(symmetrise, "symmetrise")
        how = parallel_of(parallel)
        table = matrix_of(adjacency)
        if table.ndim != 2:
            raise ShapeError(f"an adjacency matrix must have two dimensions, got shape {table.shape}")
        if table.dtype.kind not in "biuf":
            raise WeightError(
                f"an adjacency matrix must hold real numbers, got entries of type {table.dtype}"
            )
        coo = sparse.coo_array(table)
        rows, columns = coo.shape
        if rows != columns:
            raise ShapeError(f"an adjacency matrix must be square, got shape {coo.shape}")
        index = NodeIndex(rows) if nodes is None else index_from(nodes)
        if len(index) != rows:
            raise ShapeError(f"nodes must name the {rows} rows of the matrix, got {len(index)} ids")
        if how is None or how is Parallel.SUM:
            coo.sum_duplicates()
        s, t = (np.asarray(c, dtype=np.int64) for c in coo.coords)
        weights = coo.data.astype(np.float64)
        return cls._assemble(
            s,
            t,
            weights,
            index,
            signed=signed,
            symmetrise=symmetrise,
            parallel=how,
            listed=False,
            mirrored=True,
        )

    @classmethod
    def from_networkx(
        cls,
        graph: Any,
        *,
        weight: str = "weight",
        signed: bool = False,
        symmetrise: bool = False,
        parallel: Parallel | Literal["sum", "max", "refuse"] | None = None,
    ) -> Graph:
        """Build a graph from a networkx graph, with its nodes in their order.

        Parameters
        ----------
        graph
            The networkx graph.
        weight
            The edge attribute that holds the weights, `"weight"` by default; an edge without it weighs 1.
        signed
            Whether weights may be negative. By default a negative weight is an error.
        symmetrise
            Whether a directed graph is made undirected, with the larger weight where an edge goes both ways.
            By default a directed graph is an error.
        parallel
            What becomes of the parallel edges of a multigraph, in either direction: `"sum"` adds their weights up,
            `"max"`, which None (default) means too, keeps the heaviest, `"refuse"` makes them an error.
        """
        text(weight, "weight")
        symmetrise = flag(symmetrise, "symmetrise")
        try:
            directed, multiple = graph.is_directed(), graph.is_multigraph()
            data = graph.edges(data=True)
        except (AttributeError, TypeError):
            raise GraphError(f"expected a networkx graph, got {type(graph).__name__}") from None
        if directed and not symmetrise:
            raise DirectedError(
                "the networkx graph is directed; pass symmetrise=True to take max(S, S') of the weights"
            )
        return cls.from_edges(
            [(u, v, found.get(weight, 1.0)) for u, v, found in data],
            nodes=graph.nodes,
            signed=signed,
            symmetrise=symmetrise or multiple,
            parallel=parallel,
        )

    @classmethod
    def from_igraph(
        cls,
        graph: Any,
        *,
        weight: str = "weight",
        name: str = "name",
        nodes: Iterable[Hashable] | None = None,
        signed: bool = False,
        symmetrise: bool = False,
        parallel: Parallel | Literal["sum", "max", "refuse"] | None = None,
    ) -> Graph:
        """Build a graph from an igraph graph, with its vertices in their order.

        Parameters
        ----------
        graph
            The igraph graph.
        weight
            The edge attribute that holds the weights, `"weight"` by default; without it all edges weigh 1.
        name
            The vertex attribute that holds the ids, `"name"` by default; without it they are 0..n-1.
        nodes
            The ids of the vertices in their order, in place of the attribute; None (default) for the attribute.
        signed, parallel
            As for `from_edges`.
        symmetrise
            Whether a directed graph is made undirected, with the larger weight where an edge goes both ways.
            By default a directed graph is an error.
        """
        from ohmline.graph.doors.networks import from_igraph

        return from_igraph(graph, weight, name, nodes, signed, symmetrise, parallel)

    @classmethod
    def from_pyg(
        cls,
        data: Any,
        *,
        weight: str = "edge_weight",
        nodes: Iterable[Hashable] | None = None,
        signed: bool = False,
        symmetrise: bool = False,
        parallel: Parallel | Literal["sum", "max", "refuse"] | None = None,
    ) -> Graph:
        """Build a graph from a PyTorch Geometric `Data`; neither library is imported for that.

        An edge may be listed in one direction or, as is usual there, in both; `num_nodes` counts isolated nodes.

        Parameters
        ----------
        data
            A `Data`, or any object that has `edge_index` (two rows of whole numbers, on any device) and may have
            `num_nodes` and weights.
        weight
            The attribute that holds the weights, one per column of `edge_index`. Default `"edge_weight"`; without it
            all edges weigh 1.
        nodes
            The ids of the nodes in their order. None (default) takes the attribute `node_ids`, which `to_pyg` writes,
            or 0..n-1.
        signed
            As for `from_edges`.
        symmetrise
            Whether an edge that has another weight in the other direction takes the larger. By default it is an error.
        parallel
            As for `from_edges`, but each direction for itself, since an edge is usually listed in both.
        """
        from ohmline.graph.doors.networks import from_pyg

        return from_pyg(data, weight, nodes, signed, symmetrise, parallel)

    @classmethod
    def from_pandas(
        cls,
        frame: Any,
        *,
        source: str | int | None = None,
        target: str | int | None = None,
        weight: str | int | Literal[False] | None = None,
        **build: Unpack[Build],
    ) -> Graph:
        """Build a graph from a pandas frame with one row per edge.

        Parameters
        ----------
        frame
            The frame.
        source, target
            The columns that hold the ids of the two ends, by name or by number (from 0). None (default) for those
            called source and target (or src and dst, from and to, ...), or the first two of two or three columns.
        weight
            The column that holds the weights, by name or by number. None (default) for the one called weight, or the
            third of exactly three columns; without one, or with False, all edges weigh 1.
        **build
            `nodes`, `signed`, `symmetrise` and `parallel`, as for `from_edges`.

        Examples
        --------
        >>> import pandas as pd
        >>> rows = [(1, "a", "b", 5), (1, "b", "a", 2), (2, "b", "c", 1)]
        >>> payments = pd.DataFrame(rows, columns=["day", "from", "to", "amount"])
        >>> Graph.from_pandas(payments, weight="amount", parallel="sum").neighbours("b")
        {'a': 7.0, 'c': 1.0}
        """
        return _from_table(cls, frame, "pandas", source, target, weight, build)

    @classmethod
    def from_polars(
        cls,
        frame: Any,
        *,
        source: str | int | None = None,
        target: str | int | None = None,
        weight: str | int | Literal[False] | None = None,
        **build: Unpack[Build],
    ) -> Graph:
        """Build a graph from a polars frame, lazy or not, with one row per edge.

        Parameters
        ----------
        frame
            The frame; a lazy one is collected.
        source, target, weight
            As for `from_pandas`.
        **build
            `nodes`, `signed`, `symmetrise` and `parallel`, as for `from_edges`.
        """
        return _from_table(cls, frame, "polars", source, target, weight, build)

    @classmethod
    def from_arrow(
        cls,
        table: Any,
        *,
        source: str | int | None = None,
        target: str | int | None = None,
        weight: str | int | Literal[False] | None = None,
        **build: Unpack[Build],
    ) -> Graph:
        """Build a graph from an Arrow table with one row per edge.

        Parameters
        ----------
        table
            A `pyarrow.Table`, or anything else that hands its data over as an Arrow stream.
        source, target, weight
            As for `from_pandas`.
        **build
            `nodes`, `signed`, `symmetrise` and `parallel`, as for `from_edges`.
        """
        return _from_table(cls, table, "arrow", source, target, weight, build)

    @classmethod
    def from_duckdb(
        cls,
        relation: Any,
        connection: Any = None,
        *,
        source: str | int | None = None,
        target: str | int | None = None,
        weight: str | int | Literal[False] | None = None,
        **build: Unpack[Build],
    ) -> Graph:
        """Build a graph from a relation of DuckDB, or a query in it, with one row per edge.

        Parameters
        ----------
        relation
            A relation, such as `connection.sql(query)` or `connection.table(name)`; or the query as a string.
        connection
            The connection that a query runs in. None (default) for DuckDB's own; a relation does not need it.
        source, target, weight
            As for `from_pandas`.
        **build
            `nodes`, `signed`, `symmetrise` and `parallel`, as for `from_edges`.
        """
        from ohmline.graph.doors.queries import duckdb_frame
        from ohmline.graph.doors.tables import graph_from

        return graph_from(
            duckdb_frame(relation, connection), source, target, weight, what="the relation", **build
        )

    @classmethod
    def from_sql(
        cls,
        connection: Any,
        query: str,
        *,
        parameters: Any = None,
        source: str | int | None = None,
        target: str | int | None = None,
        weight: str | int | Literal[False] | None = None,
        **build: Unpack[Build],
    ) -> Graph:
        """Build a graph from the rows that a query gives, one per edge.

        Parameters
        ----------
        connection
            An open connection of Python's database interface (DB-API 2: sqlite3, psycopg, DuckDB, ...) or ADBC.
        query
            A SELECT.
        parameters
            The values of the query's parameters, as the driver takes them; None (default) for a query without.
        source, target, weight
            As for `from_pandas`.
        **build
            `nodes`, `signed`, `symmetrise` and `parallel`, as for `from_edges`.

        Examples
        --------
        >>> import sqlite3
        >>> connection = sqlite3.connect(":memory:")
        >>> _ = connection.execute("CREATE TABLE friends AS SELECT 'ada' AS a, 'bob' AS b, 2.5 AS years")
        >>> Graph.from_sql(connection, "SELECT a, b, years FROM friends").neighbours("ada")
        {'bob': 2.5}
        >>> connection.close()
        """
        from ohmline.graph.doors.queries import query_frame
        from ohmline.graph.doors.tables import graph_from

        frame = query_frame(connection, query, parameters)
        return graph_from(frame, source, target, weight, what="the result of the query", **build)

    @classmethod
    def read(cls, path: Any, **options: Any) -> Graph:
        """Read a graph from a file; the same as `ohmline.graph.read`.

        Parameters
        ----------
        path
            The name of the file.
        **options
            The other parameters of `ohmline.graph.read`: `format`, `header`, `source`, `target`, `weight`, `nodes`,
            `signed`, `symmetrise`, `parallel` and `limits`.
        """
        from ohmline.graph.files import read

        return read(path, **options)

    @classmethod
    def _assemble(
        cls,
        s: Ints,
        t: Ints,
        weights: Floats,
        index: NodeIndex,
        *,
        signed: bool,
        symmetrise: bool,
        parallel: Any,
        listed: bool,
        mirrored: bool = False,
    ) -> Graph:
        """One checked path from positions and weights to the frozen graph.

        `listed` says that an edge may come in one direction only, `mirrored` that it usually comes in both, so that
        the two directions are not parallel to each other.
        """
        signed, symmetrise = flag(signed, "signed"), flag(symmetrise, "symmetrise")
        how = parallel_of(parallel)
        n = len(index)
        if n == 0:
            raise GraphError("the graph has no nodes; give at least one edge, or nodes=[...]")
        room(16 * n, f"a graph of {n} nodes")
        check_weights(s, t, weights, index, signed=signed)
        keep = (s != t) & (weights != 0)
        loops = int(np.count_nonzero((s == t) & (weights != 0)))
        s, t, weights = s[keep], t[keep], weights[keep]
        if how is not None:
            if not mirrored:
                s, t, symmetrise = np.minimum(s, t), np.maximum(s, t), True
            s, t, weights = combined(s, t, weights, how, index)
        low, high = np.minimum(s, t), np.maximum(s, t)
        # One number per pair sorts faster than two, and weights that are all equal need no sorting.
        key = low * n + high
        alike = not len(weights) or bool((weights == weights[0]).all())
        order = np.argsort(key, kind="stable") if alike else np.lexsort((weights, key))
        low, high, weights = low[order], high[order], weights[order]
        last = np.ones(len(low), dtype=bool)
        last[:-1] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
        if not symmetrise:
            forward = (s < t)[order]
            refuse_asymmetry(low, high, weights, last, forward, index, listed=listed)
        low, high, weights = low[last], high[last], weights[last]
        upper = sparse.coo_array((weights, (low, high)), shape=(n, n))
        adjacency = sparse.csr_array(upper + upper.T)
        adjacency.sort_indices()
        return cls(adjacency, index, signed=signed, dropped_loops=loops)

    @property
    def n(self) -> int:
        """Number of nodes."""
        return len(self.nodes)

    @property
    def n_edges(self) -> int:
        """Number of undirected edges."""
        return len(self.indices) // 2

    @cached_property
    def adjacency(self) -> sparse.csr_array:
        """The symmetric matrix of weights."""
        return sparse.csr_array((self.weights, self.indices, self.indptr), shape=(self.n, self.n))

    @cached_property
    def degree(self) -> Floats:
        """Sum of the absolute weights at each node."""
        absolute = np.add.reduceat(np.append(np.abs(self.weights), 0.0), self.indptr[:-1])
        absolute[self.indptr[:-1] == self.indptr[1:]] = 0.0
        return _frozen(np.asarray(absolute, dtype=np.float64))

    @cached_property
    def component_of(self) -> Ints:
        """For each position the number of its connected component."""
        parts = csgraph.connected_components(self.adjacency, directed=False)[1]
        return _frozen(np.asarray(parts, dtype=np.int64))

    @cached_property
    def fingerprint(self) -> str:
        """A digest of ids, edges and weights, by which a snapshot knows the graph that it was made over."""
        digest = sha256(f"{self.nodes.fingerprint}:{self.signed}:".encode())
        for array in (self.indptr, self.indices, self.weights):
            digest.update(array.tobytes())
        return digest.hexdigest()

    @property
    def n_components(self) -> int:
        """Number of connected components; an isolated node is one."""
        return int(self.component_of.max()) + 1

    @property
    def is_connected(self) -> bool:
        """Whether every node reaches every other."""
        return self.n_components == 1

    def laplacian(self, *, normalised: bool = False) -> sparse.csr_array:
        """L = D - A, with the degrees from absolute weights, so that a signed graph gives its signed Laplacian.

        Parameters
        ----------
        normalised
            True for D^-1/2 (D - A) D^-1/2 instead, in which isolated nodes have zero rows. Default False.
        """
        laplacian = sparse.diags_array(self.degree) - self.adjacency
        if flag(normalised, "normalised"):
            with np.errstate(divide="ignore"):
                scale = np.where(self.degree > 0, 1 / np.sqrt(self.degree), 0.0)
            laplacian = sparse.diags_array(scale) @ laplacian @ sparse.diags_array(scale)
        return sparse.csr_array(laplacian)

    def edges(self) -> tuple[Ints, Ints, Floats]:
        """Each undirected edge once: positions of its two ends (lower first) and its weight."""
        source = np.repeat(np.arange(self.n), np.diff(self.indptr))
        upper = source < self.indices
        return source[upper], self.indices[upper], self.weights[upper]

    def neighbours(self, node: Hashable) -> dict[Hashable, float]:
        """The ids of a node's neighbours, each with the weight of the edge to it.

        Parameters
        ----------
        node
            The id of a node.
        """
        i = self.nodes.position(node)
        span = slice(self.indptr[i], self.indptr[i + 1])
        ends, weights = self.indices[span].tolist(), self.weights[span].tolist()
        return {self.nodes[j]: w for j, w in zip(ends, weights, strict=True)}

    def subgraph(self, nodes: Iterable[Hashable]) -> Graph:
        """The graph on some of the nodes, with the edges between them.

        Parameters
        ----------
        nodes
            The ids of at least one node, each once; the subgraph has them in this order.
        """
        chosen = listed(nodes, "nodes")
        if not chosen:
            raise GraphError("a subgraph needs at least one node, got none")
        positions = self.nodes.positions(chosen)
        part = sparse.csr_array(self.adjacency[positions][:, positions])
        part.sort_indices()
        return Graph(part, NodeIndex(chosen), signed=self.signed)

    def largest_component(self) -> Graph:
        """The subgraph on the largest connected component (the first, among equals)."""
        members = np.flatnonzero(self.component_of == np.bincount(self.component_of).argmax())
        return self.subgraph([self.nodes[i] for i in members.tolist()])

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
        for name, values in attribute_values(self, attributes).items():
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

        return to_igraph(self, attributes)

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

        return to_pyg(self, attributes)

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

    def summary(self) -> dict[str, Any]:
        """Counts worth knowing before learning on this graph."""
        sizes = np.bincount(self.component_of)
        return {
            "nodes": self.n,
            "edges": self.n_edges,
            "components": self.n_components,
            "largest_component": int(sizes.max()),
            "isolated_nodes": int(np.count_nonzero(np.diff(self.indptr) == 0)),
            "signed": self.signed,
            "negative_edges": int(np.count_nonzero(self.weights < 0)) // 2,
            "total_weight": float(np.abs(self.weights).sum() / 2),
            "dropped_self_loops": self.dropped_loops,
        }

    def plot(self, color: Any = None, *, axes: Any = None, limit: int = 2500, seed: int = 0) -> Any:
        """Draw the graph, neighbours near each other and clusters apart (needs the extra `plot`).

        Of a graph with more than `limit` nodes those nearest to the best-connected one are drawn, and the title says
        so; `subgraph` chooses others.

        Parameters
        ----------
        color
            What colours the nodes: a class or a number for each, as a dict of node ids, a list in the order of
            `nodes`, a trace, or a table of predictions. Classes get colours that colour-blind eyes can tell apart and
            a legend; fractions get a scale. None (default) draws all nodes alike.
        axes
            Matplotlib axes to draw on; None (default) makes a figure.
        limit
            How many nodes are drawn at most, from 1 to 20,000. Default 2,500.
        seed
            The seed of the layout: the same seed gives the same picture. Default 0.

        Returns
        -------
        matplotlib.figure.Figure
            The picture, which a notebook shows; `.savefig(path)` writes it.
        """
        return later("ohmline.lab.pictures", "plot_graph")(self, color, axes=axes, limit=limit, seed=seed)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Graph)
            and self.nodes == other.nodes
            and self.signed == other.signed
            and np.array_equal(self.indptr, other.indptr)
            and np.array_equal(self.indices, other.indices)
            and np.array_equal(self.weights, other.weights)
        )

    def __hash__(self) -> int:
        return hash((self.nodes, self.signed, self.weights.tobytes(), self.indices.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:  # so that a copy in another process is frozen too
        return _unpickle, (self.adjacency, self.nodes, self.signed, self.dropped_loops)

    def __repr__(self) -> str:
        sign = ", signed" if self.signed else ""
        return f"Graph(nodes={self.n}, edges={self.n_edges}, components={self.n_components}{sign})"

    def _repr_html_(self) -> str:
        about = self.summary()
        kept = ("nodes", "edges", "components", "isolated_nodes", "negative_edges", "dropped_self_loops")
        shown = [(name.replace("_", " "), about[name]) for name in kept if about[name]]
        shown.append(("ids", some([self.nodes[i] for i in range(min(self.n, 6))], 5)))
        if self.n_edges and not (self.weights == 1.0).all():
            shown.append(("weights", f"{self.weights.min():.4g} to {self.weights.max():.4g}"))
        return box("Graph", facts(shown))


def _from_table(
    cls: type[Graph], table: Any, library: str, source: Any, target: Any, weight: Any, build: Build
) -> Graph:
    """A graph from a table of one library."""
    from ohmline.graph.doors.frames import expected_frame
    from ohmline.graph.doors.tables import graph_from

    what = "the table" if library == "arrow" else "the frame"
    return graph_from(expected_frame(table, library), source, target, weight, what=what, **build)


def _frozen(array: Any) -> Any:
    array.flags.writeable = False
    return array


def _unpickle(adjacency: sparse.csr_array, nodes: NodeIndex, signed: bool, dropped_loops: int) -> Graph:
    return Graph(adjacency, nodes, signed=signed, dropped_loops=dropped_loops)


def expect_graph(graph: Any, name: str = "graph") -> Graph:
    """A graph, or an error that says how to make one."""
    remedy = "build one with Graph.from_edges, or read it from a file"
    if type(graph).__module__.partition(".")[0] == "networkx":
        remedy = "Graph.from_networkx(graph) takes it"
    elif isinstance(graph, str | PathLike):
        remedy = "Graph.read(path) reads a file"
    elif hasattr(graph, "graph") and isinstance(graph.graph, Graph):
        remedy = "give its graph: .graph"
    instance(graph, Graph, name, remedy, GraphError)
    return graph


def signs(labels: Any, n: int) -> Floats:
    """A labelling in {-1, +1}^n, checked."""
    array = vector(labels, "labels", length=n)
    bad = np.flatnonzero(np.abs(array) != 1)
    if len(bad):
        raise GraphError(f"labels[{bad[0]}] is {array[bad[0]]}; a labelling must be -1 or +1 everywhere")
    return array
