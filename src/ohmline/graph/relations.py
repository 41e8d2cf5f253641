"""Several kinds of edges between the same nodes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from os import PathLike
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, final

import numpy as np
from scipy import sparse

from ohmline.arrays import AnyArray, Floats, Ints, frozen, whole_numbers
from ohmline.checks import flag, hashable, instance, listed, non_negative, shown
from ohmline.errors import GraphError, ParameterError, ShapeError, UnknownNode
from ohmline.graph.assembly import assembled
from ohmline.graph.columns import index_of, positions_of
from ohmline.graph.edges import Parallel, column_of, index_from, weights_of
from ohmline.graph.graph import Graph, expect_graph
from ohmline.graph.nodes import NodeIndex
from ohmline.graph.rows import matrix_over

AHEAD, BACK = 1, 2
"""What an entry of a directed type says: there is an edge from the row to the column, or from the column to the row."""


class Columns(NamedTuple):
    """The edges of one type: positions of both ends, and weights."""

    sources: Ints
    targets: Ints
    weights: AnyArray


@final
class Relations:
    """Several kinds of edges between the same nodes: cites, same author, same venue; follows, pays, shares a device.

    Each type is a graph without negative weights over the same nodes in the same order. `TypedLGC` learns how much each
    type counts, `Compatibility` learns which classes each type joins, and `relational` blends both with a learner that
    ignores the types. A type of negative edges ("distrusts") needs no signs: give it a name, and which classes it joins
    is learned.

    Parameters
    ----------
    types
        A dict from the name of each type, a string, to its `Graph`; at least one. All have the same nodes.
    directions
        For types whose edges have a direction: a dict from the name to one entry for each of the graph's `indices`, 1
        for an edge from the row to the column, 2 for one from the column to the row, 3 for both. `from_columns` and
        `ohm.graph.directions` make it. None (default) means that no type has any.

    Examples
    --------
    >>> import ohmline as ohm
    >>> rows = [("a", "b", "cites"), ("b", "c", "cites"), ("a", "c", "same author")]
    >>> relations = ohm.Relations.from_edges(rows)
    >>> relations
    Relations(nodes=3, cites=2, same author=1)
    >>> relations["cites"].neighbours("b")
    {'a': 1.0, 'c': 1.0}
    >>> relations.union().n_edges
    3
    """

    def __init__(self, types: Mapping[str, Graph], directions: Mapping[str, AnyArray] | None = None) -> None:
        instance(
            types, Mapping, "types", 'give a dict, such as {"cites": graph, "author": graph}', GraphError
        )
        if not types:
            raise GraphError("there is no type of edges; give at least one graph by its name")
        self._graphs = {_name(name): _checked(graph, name) for name, graph in types.items()}
        _expect_same_nodes(self._graphs)
        given = {} if directions is None else instance(directions, Mapping, "directions", error=GraphError)
        self._directions = {name: _directed(self.of(name), array, name) for name, array in given.items()}

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[Sequence[Any]],
        *,
        nodes: Iterable[Hashable] | None = None,
        directed: bool = False,
        parallel: Parallel | Literal["sum", "max", "refuse"] | None = None,
    ) -> Relations:
        """From a list of edges, each with its type.

        Parameters
        ----------
        edges
            Triples `(u, v, type)`, whose edges weigh 1, or `(u, v, type, weight)`.
        nodes, directed, parallel
            As for `from_columns`.

        Examples
        --------
        >>> rows = [("ann", "bob", "follows"), ("ann", "bob", "pays", 20.0)]
        >>> Relations.from_edges(rows, directed=True).types
        ('follows', 'pays')
        """
        if isinstance(edges, str | PathLike) or hasattr(edges, "columns"):
            got = f"the name {shown(edges)}" if isinstance(edges, str | PathLike) else "a table"
            raise GraphError(
                f"edges must be rows (u, v, type), got {got}; read a file into a frame and give its columns "
                "to Relations.from_columns(sources, targets, types)"
            )
        rows = listed(edges, "edges")
        for k, row in enumerate(rows):
            if not isinstance(row, tuple | list) or len(row) not in (3, 4):
                raise GraphError(f"edge {k} is {shown(row)}; give (u, v, type) or (u, v, type, weight)")
        weights = [row[3] if len(row) == 4 else 1.0 for row in rows]
        s, t, types = ([row[k] for row in rows] for k in range(3))
        return cls.from_columns(s, t, types, weights, nodes=nodes, directed=directed, parallel=parallel)

    @classmethod
    def from_columns(
        cls,
        sources: Any,
        targets: Any,
        types: Any,
        weights: Any = None,
        *,
        nodes: Iterable[Hashable] | None = None,
        directed: bool = False,
        parallel: Parallel | Literal["sum", "max", "refuse"] | None = None,
    ) -> Relations:
        """From columns: both ends of each edge, its type and its weight.

        Parameters
        ----------
        sources, targets
            The ids of the two ends: lists, arrays, or columns of pandas, polars or Arrow.
        types
            The name of each edge's type, a string.
        weights
            One weight above 0 per edge; None (default) for 1. Types are compared in units of their own mean weight.
        nodes
            The ids in the order of their positions, isolated ones too; None (default) takes the ends of the edges.
        directed
            Whether an edge goes from its source to its target, and which way it goes may say something: `Compatibility`
            then learns both ways apart. Default False.
        parallel
            What becomes of several edges of one type between the same two nodes, as for `Graph.from_edges`; None
            (default) adds weights up where edges are directed, and counts equal ones once where they are not.
        """
        sources, targets = column_of(sources, "sources"), column_of(targets, "targets")
        names = [_name(name) for name in listed(types, "types")]
        values = (
            np.ones(len(names))
            if weights is None
            else weights_of(column_of(weights, "weights", numbers=True))
        )
        sizes = {len(sources), len(targets), len(names), len(values)}
        if len(sizes) > 1:
            raise ShapeError(f"the columns of an edge list must be equally long, got {sorted(sizes)} entries")
        index, s, t = placed(sources, targets, nodes)
        directed = flag(directed, "directed")
        kinds = {name: k for k, name in enumerate(dict.fromkeys(names))}
        codes = np.array([kinds[name] for name in names], dtype=np.int64)
        graphs, arcs = {}, {}
        for name, k in kinds.items():
            of = codes == k
            columns = Columns(s[of], t[of], values[of])
            graphs[name] = graph_of(columns, index, directed=directed, parallel=parallel)
            if directed:
                arcs[name] = ways_of(graphs[name], columns)
        return cls(graphs, arcs)

    @property
    def graphs(self) -> Mapping[str, Graph]:
        """The graph of each type, by name."""
        return MappingProxyType(self._graphs)

    @property
    def directions(self) -> Mapping[str, Ints]:
        """For each type with directions, what each entry of its graph's `indices` says: 1, 2 or 3."""
        return MappingProxyType(self._directions)

    @property
    def types(self) -> tuple[str, ...]:
        """The names of the types, in their order."""
        return tuple(self.graphs)

    @property
    def nodes(self) -> NodeIndex:
        """The nodes, which all types share."""
        return next(iter(self.graphs.values())).nodes

    @property
    def n(self) -> int:
        """Number of nodes."""
        return len(self.nodes)

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the types, their names, edges, weights and directions."""
        digest = sha256()
        for name, graph in self.graphs.items():
            digest.update(f"{name!r}:{graph.fingerprint}:".encode())
            if name in self.directions:
                digest.update(self.directions[name].tobytes())
        return digest.hexdigest()

    def of(self, name: Any) -> Graph:
        """The graph of a type, or an error that names the types there are; `relations[name]` is the same.

        Parameters
        ----------
        name
            The name of a type.
        """
        if not isinstance(name, str) or name not in self.graphs:
            raise ParameterError(f"there is no type {shown(name)}; the types are {shown(self.types)}")
        return self.graphs[name]

    __getitem__ = of

    def __len__(self) -> int:
        return len(self.graphs)

    def __iter__(self) -> Any:
        return iter(self.types)

    def union(self, weights: Mapping[str, float] | None = None) -> Graph:
        """One graph with the edges of all types, each in units of the mean weight of its type.

        Parameters
        ----------
        weights
            How much each type counts, at least 0, by name; a type that is left out counts 0. None (default) counts each
            1.
        """
        shares = dict.fromkeys(self.types, 1.0) if weights is None else self._weights(weights)
        total = sparse.csr_array((self.n, self.n))
        for name, share in shares.items():
            graph = self.graphs[name]
            if share > 0 and len(graph.indices):
                total = total + matrix_over(graph.indptr, graph.indices, share * relative_weights(graph))
        total = sparse.csr_array((total + total.T) / 2)  # rounding differs between the two halves
        total.eliminate_zeros()
        total.sort_indices()
        return Graph(total, self.nodes)

    def _weights(self, weights: Mapping[str, float]) -> dict[str, float]:
        given = instance(weights, Mapping, "weights", "give a dict from types to numbers")
        for name in given:
            self.of(name)
        return {name: non_negative(value, f"the weight of {name!r}") for name, value in given.items()}

    def summary(self) -> dict[str, dict[str, Any]]:
        """For each type the counts of its graph."""
        return {name: graph.summary() for name, graph in self.graphs.items()}

    def __repr__(self) -> str:
        counts = ", ".join(f"{name}={graph.n_edges}" for name, graph in self.graphs.items())
        return f"Relations(nodes={self.n}, {counts})"


def graph_of(columns: Columns, index: NodeIndex, *, directed: bool, parallel: Any) -> Graph:
    """The graph of one type."""
    how = Parallel.SUM if directed and parallel is None else parallel
    adjacency, loops = assembled(*columns, index, signed=False, symmetrise=False, parallel=how, listed=True)
    return Graph(adjacency, index, dropped_loops=loops)


def ways_of(graph: Graph, columns: Columns) -> Ints:
    """For each entry of a graph whether an edge goes from row to column, from column to row, or both."""
    rows = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    keys = rows * graph.n + graph.indices
    real = (columns.sources != columns.targets) & (columns.weights != 0)
    s, t = columns.sources[real], columns.targets[real]
    found = np.zeros(len(keys), np.int64)
    found[np.searchsorted(keys, s * graph.n + t)] |= AHEAD
    found[np.searchsorted(keys, t * graph.n + s)] |= BACK
    return found


def relative_weights(graph: Graph) -> Floats:
    """The weights of a graph in units of their mean."""
    if not len(graph.indices):
        return np.zeros(0)
    scaled = graph.weights / float(graph.weights.max())  # the mean of the largest weights overflows
    return np.asarray(scaled / scaled.mean())


def expect_relations(relations: Any) -> Relations:
    """Relations, from a graph of one type too; or an error that says how to make them."""
    if isinstance(relations, Relations):
        return relations
    if isinstance(relations, Mapping):
        return Relations(relations)
    if not isinstance(relations, Graph):
        raise GraphError(
            f"relations must be Relations or a Graph, got {shown(relations)}; make them with "
            'Relations({"cites": graph, "author": graph}) or Relations.from_edges'
        )
    return Relations({"edges": relations})


def _name(name: Any) -> str:
    if isinstance(name, np.generic):
        name = name.item()
    if not isinstance(name, str) or not name:
        hashable(name, "the name of a type", GraphError)
        raise GraphError(f"a type is named by a string that is not empty, got {shown(name)}")
    return name


def _checked(graph: Any, name: str) -> Graph:
    expect_graph(graph, f"type {shown(name)}")
    if graph.signed:
        raise GraphError(
            f"type {name!r} is a signed graph, and types have weights above 0; give its negative edges as a type of "
            "their own: which classes they join is learned"
        )
    return graph


def _expect_same_nodes(graphs: dict[str, Graph]) -> None:
    (first, graph), *rest = graphs.items()
    for name, other in rest:
        if other.nodes.fingerprint != graph.nodes.fingerprint:
            raise GraphError(
                f"type {first!r} has {graph.n} nodes and type {name!r} {other.n}, or others, or in another order; "
                "build each graph with the same nodes=[...], or all at once with Relations.from_edges"
            )


def _directed(graph: Graph, array: Any, name: str) -> Ints:
    words = f"the directions of {name!r}"
    found = whole_numbers(array, words, low=AHEAD, high=AHEAD | BACK, length=len(graph.indices))
    pattern = (found.astype(np.float64), graph.indices, graph.indptr)
    back = sparse.csr_array(sparse.csr_array(pattern, shape=(graph.n, graph.n)).T)
    back.sort_indices()
    mirrored = np.array([0, BACK, AHEAD, AHEAD | BACK])[back.data.astype(np.int64)]
    if not np.array_equal(mirrored, found):
        raise GraphError(f"{words} contradict one another: an edge from u to v is 1 in row u and 2 in row v")
    return frozen(np.array(found))


def placed(sources: Any, targets: Any, nodes: Any) -> tuple[NodeIndex, Ints, Ints]:
    """The nodes, and the positions of both ends of each edge."""
    if nodes is None:
        return index_of(sources, targets)
    index = index_from(nodes)
    try:
        return index, positions_of(index, sources), positions_of(index, targets)
    except UnknownNode as error:
        raise UnknownNode(
            f"{error}; nodes= names every node, the ends of the edges as well as isolated ones"
        ) from None
