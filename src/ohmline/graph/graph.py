"""The graph: immutable, weighted, undirected, in compressed sparse rows."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from copy import copy
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, final

import numpy as np
from scipy import sparse

from ohmline.arrays import AnyArray, Floats, Ints, frozen, vector
from ohmline.checks import count, flag, instance, listed, room, shown
from ohmline.errors import GraphError, ShapeError, UnknownNode, WeightError
from ohmline.graph.assembly import assembled
from ohmline.graph.columns import index_of, positions_of
from ohmline.graph.doors.ways_in import WaysIn
from ohmline.graph.doors.ways_out import WaysOut
from ohmline.graph.edges import (
    Parallel,
    column_of,
    index_from,
    matrix_of,
    parallel_of,
    split_edges,
    weights_of,
)
from ohmline.graph.fingerprint import fingerprint_of
from ohmline.graph.nodes import NodeIndex
from ohmline.graph.parts import components
from ohmline.graph.rows import Rows, checked_rows, matrix_over
from ohmline.lazy_names import later
from ohmline.markup import box, facts, some

if TYPE_CHECKING:
    from ohmline.graph.mapped import GraphFile


@final
class Graph(WaysIn, WaysOut):
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

    __slots__ = ("__dict__", "_weights", "dropped_loops", "file", "indices", "indptr", "nodes", "signed")

    def __init__(
        self, adjacency: sparse.csr_array, nodes: NodeIndex, *, signed: bool = False, dropped_loops: int = 0
    ) -> None:
        instance(nodes, NodeIndex, "nodes", "give NodeIndex(ids)", GraphError)
        signed = flag(signed, "signed")
        rows = Rows(*checked_rows(adjacency, len(nodes), signed=signed))
        self._set(rows, nodes, signed, count(dropped_loops, "dropped_loops"), None)

    def _set(
        self, rows: Rows, nodes: NodeIndex, signed: bool, dropped_loops: int, file: GraphFile | None
    ) -> None:
        self.indptr: Ints
        self.indices: Ints
        self.nodes: NodeIndex
        self.signed: bool
        self.dropped_loops: int
        self.file: GraphFile | None
        self._weights: Floats | None
        for name, value in (
            ("indptr", rows.indptr),
            ("indices", rows.indices),
            ("_weights", rows.weights),
            ("nodes", nodes),
            ("signed", signed),
            ("dropped_loops", dropped_loops),
            ("file", file),
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
        adjacency, loops = assembled(
            s, t, column, index, signed=signed, symmetrise=symmetrise, parallel=parallel, listed=True
        )
        return cls(adjacency, index, signed=signed, dropped_loops=loops)

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
        adjacency, loops = assembled(
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
        return cls(adjacency, index, signed=signed, dropped_loops=loops)

    @property
    def weights(self) -> Floats:
        """The weight of every entry of `indices`; where all are 1, made when somebody first asks for them."""
        if self._weights is None:
            room(8 * len(self.indices), f"the weights of {self.n_edges} edges")
            object.__setattr__(self, "_weights", frozen(np.ones(len(self.indices))))
        return self._weights  # type: ignore[return-value]

    @cached_property
    def is_unweighted(self) -> bool:
        """Whether every edge weighs 1; then compiled code may leave `weights` unread, which then are never made."""
        return self._weights is None or bool((self._weights == 1.0).all())

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
        return matrix_over(self.indptr, self.indices, self.weights)

    @cached_property
    def degree(self) -> Floats:
        """Sum of the absolute weights at each node."""
        if self._weights is None:
            return frozen(np.diff(self.indptr).astype(np.float64))
        with np.errstate(over="ignore"):
            absolute = np.add.reduceat(np.append(np.abs(self.weights), 0.0), self.indptr[:-1])
        absolute[self.indptr[:-1] == self.indptr[1:]] = 0.0
        if not np.isfinite(absolute).all():
            node = self.nodes[int(np.flatnonzero(~np.isfinite(absolute))[0])]
            raise WeightError(
                f"the weights of the edges of node {shown(node)} add up to more than a number can hold; divide all "
                "weights of the graph by the largest"
            )
        return frozen(np.asarray(absolute, dtype=np.float64))

    @cached_property
    def component_of(self) -> Ints:
        """For each position the number of its connected component."""
        return frozen(components(self.indptr, self.indices))

    @cached_property
    def fingerprint(self) -> str:
        """A digest of ids, edges and weights, by which a snapshot knows the graph that it was made over."""
        if self.file is not None:
            return self.file.fingerprint
        return fingerprint_of(self.nodes, self.signed, self.indptr, self.indices, self._weights)

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
        return source[upper], self.indices[upper].astype(np.int64), self.weights[upper]

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

    def summary(self) -> dict[str, Any]:
        """Counts worth knowing before learning on this graph."""
        sizes = np.bincount(self.component_of)
        with np.errstate(over="ignore"):  # more than a number can hold is infinite
            total = float(np.abs(self.weights).sum() / 2)
        return {
            "nodes": self.n,
            "edges": self.n_edges,
            "components": self.n_components,
            "largest_component": int(sizes.max()),
            "isolated_nodes": int(np.count_nonzero(np.diff(self.indptr) == 0)),
            "signed": self.signed,
            "negative_edges": int(np.count_nonzero(self.weights < 0)) // 2,
            "total_weight": total,
            "dropped_self_loops": self.dropped_loops,
            **vars(self).get("_facts", {}),
        }

    def with_facts(self, facts: Mapping[str, Any]) -> Graph:
        """The same graph, whose `summary` has these entries too.

        Parameters
        ----------
        facts
            What is known of how the graph was built, by name.
        """
        same = copy(self)
        vars(same)["_facts"] = dict(instance(facts, Mapping, "facts", error=GraphError))
        return same

    def plot(self, color: Any = None, *, axes: Any = None, limit: int = 2500, seed: int = 0) -> Any:
        """Draw the graph, neighbours near each other and clusters apart (needs the extra `plot`).

        Of a graph with more than `limit` nodes those nearest to the best-connected one are drawn, and the title says
        so; `subgraph` chooses others.

        Parameters
        ----------
        color
            What colours the nodes: a class or a number for each, as a dict of node ids, a list in the order of
            `nodes`, a pandas Series with the nodes as its index, a trace, or a table of predictions. Classes get
            colours that colour-blind eyes can tell apart and a legend; fractions get a scale. None (default) draws all
            nodes alike.
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
            and (
                (self._weights is None and other._weights is None)
                or np.array_equal(self.weights, other.weights)
            )
        )

    def __hash__(self) -> int:
        return hash((self.nodes, self.signed, len(self.indices), *self.indices[:100].tolist()))

    def __reduce__(self) -> tuple[Any, ...]:  # so that a copy in another process is frozen too
        if self.file is not None:
            return self.file.reopened()
        return _unpickle, (self.adjacency, self.nodes, self.signed, self.dropped_loops)

    def __repr__(self) -> str:
        sign = ", signed" if self.signed else ""
        if self.file is not None:  # its components may take a minute to count
            return f"Graph(nodes={self.n}, edges={self.n_edges}, file={str(self.file.path)!r}{sign})"
        return f"Graph(nodes={self.n}, edges={self.n_edges}, components={self.n_components}{sign})"

    def _repr_html_(self) -> str:
        about = self.summary()
        kept = ("nodes", "edges", "components", "isolated_nodes", "negative_edges", "dropped_self_loops")
        shown = [(name.replace("_", " "), about[name]) for name in kept if about[name]]
        shown.append(("ids", some([self.nodes[i] for i in range(min(self.n, 6))], 5)))
        if self.n_edges and not (self.weights == 1.0).all():
            shown.append(("weights", f"{self.weights.min():.4g} to {self.weights.max():.4g}"))
        return box("Graph", facts(shown))


def graph_over(
    rows: Rows,
    nodes: NodeIndex,
    *,
    signed: bool = False,
    dropped_loops: int = 0,
    file: GraphFile | None = None,
) -> Graph:
    """A graph over rows that the caller has checked, or built so that no check is needed; nothing is copied.

    For readers inside the package, where a copy would not fit into memory; nobody writes to the rows from now on.
    """
    graph = object.__new__(Graph)
    graph._set(rows, nodes, signed, dropped_loops, file)
    return graph


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
