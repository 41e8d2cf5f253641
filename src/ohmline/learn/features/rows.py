"""Rows of numbers, one for each node: words, pixels, measurements."""

from __future__ import annotations

import logging
from collections.abc import Hashable, Mapping
from functools import cached_property
from hashlib import sha256
from typing import Any, final

import numpy as np
from scipy import sparse

from ohmline.arrays import AnyArray, Floats, finite, matrix, read_only, refuse_masked, vector, whole_numbers
from ohmline.checks import count, flag, hashable, listed, none_or, room, shown
from ohmline.errors import ParameterError, ShapeError
from ohmline.graph.graph import Graph, expect_graph
from ohmline.graph.nodes import NodeIndex
from ohmline.graph.relations import relative_weights
from ohmline.graph.rows import matrix_over
from ohmline.learn.features.frames import columns_of, expect_no_gaps
from ohmline.learn.features.scaling import differ, scaled_columns

log = logging.getLogger(__name__)

LARGEST = 1e12
"""The largest entry: what a learner squares and adds up must stay a finite number."""


@final
class NodeFeatures:
    """A row of numbers for each node of a graph, kept sparse: what `OnlineLogistic` and `FeatureLearner` learn from.

    Parameters
    ----------
    rows
        One row per node: a dense array or a sparse matrix of SciPy whose rows are in the order of `graph.nodes`, a
        pandas or polars frame of numbers, or a dict from each node to its row. A frame of pandas whose index holds the
        nodes is put in their order; one whose index only counts its rows, as any other frame, is in that order already.
    graph
        The graph whose nodes they belong to.
    averaged
        Whether each row becomes the mean of itself and the rows of the neighbours, an edge counting as much as it
        weighs in units of the mean weight. What neighbours share is then learned from fewer labels. Default False.
    node
        For a frame: the column that names the node of each row. None (default) takes the index of a pandas frame if
        it holds the nodes, or else the order of `graph.nodes`.
    scaled
        Whether every column is brought to one scale, before any averaging: what is mostly filled to mean 0 and standard
        deviation 1, what is mostly zeros to entries of size 1, its zeros kept. None (default) does so for dense rows
        and frames whose columns are of very different size (above 20 : 1) or far from 0 (a mean above 5 standard
        deviations), such as counts beside amounts; sparse matrices, words and pixels stay as they are. The attribute
        `scaled` says what was done. A classifier that needs entries of at least 0 wants False.

    Examples
    --------
    >>> import ohmline as ohm
    >>> path = ohm.Graph.from_edges([("a", "b"), ("b", "c")])
    >>> rows = ohm.NodeFeatures([[1, 0], [0, 0], [0, 4]], path)
    >>> rows, rows.row("c").tolist()
    (NodeFeatures(3 nodes, 2 features, 2 entries), [0.0, 4.0])
    >>> ohm.NodeFeatures({"a": [1, 0], "c": [0, 4], "b": [0, 0]}, path, averaged=True).row("c").tolist()
    [0.0, 2.0]
    """

    def __init__(
        self,
        rows: Any,
        graph: Graph,
        *,
        averaged: bool = False,
        node: Hashable | None = None,
        scaled: bool | None = None,
    ) -> None:
        self.graph = expect_graph(graph)
        self.averaged = flag(averaged, "averaged")
        self.is_sparse = bool(sparse.issparse(rows))
        """Whether models of other libraries are given sparse rows, as these were."""
        entries, self.names = _entries(rows, graph, node)
        wanted = none_or(flag, scaled, "scaled")
        self.scaled = (not self.is_sparse and differ(entries)) if wanted is None else wanted
        """Whether the columns were brought to one scale."""
        if self.scaled:
            entries = scaled_columns(entries)
            if wanted is None:
                log.info("the features are of different scale: each is centred and divided by its spread")
        if self.averaged:
            entries = _averaged(entries, graph)
        self.indptr = read_only(entries.indptr.astype(np.int64))
        self.indices = read_only(entries.indices.astype(np.int64))
        self.values = read_only(entries.data)
        self.width = int(entries.shape[1])
        """How many features there are."""

    @classmethod
    def of_entries(
        cls,
        values: AnyArray,
        indices: AnyArray,
        indptr: AnyArray,
        *,
        graph: Graph,
        width: int,
        is_sparse: bool = True,
        names: list[Hashable] | None = None,
        scaled: bool = False,
    ) -> NodeFeatures:
        """From the arrays of compressed sparse rows, each checked.

        Parameters
        ----------
        values, indices, indptr
            The entries, the column of each, and where each row begins.
        graph
            The graph whose nodes they belong to.
        width
            How many features there are.
        is_sparse
            Whether models of other libraries are given sparse rows. Default True.
        names
            The names of the features; None (default) for their numbers.
        scaled
            Whether these entries were scaled already; they are taken as they are. Default False.
        """
        expect_graph(graph)
        width = count(width, "width", least=1)
        entries = vector(values, "values")
        starts = whole_numbers(indptr, "indptr", low=0, high=len(entries), length=graph.n + 1)
        columns = whole_numbers(indices, "indices", low=0, high=width - 1, length=len(entries))
        if starts[0] != 0 or starts[-1] != len(columns) or np.any(np.diff(starts) < 0):
            raise ShapeError("indptr must ascend from 0 to the number of entries; the rows are damaged")
        named = None if names is None else [hashable(name, "a name") for name in listed(names, "names")]
        if named is not None and len(named) != width:
            raise ShapeError(f"{width} features and {len(named)} names; give one for each")
        shape = (graph.n, width)
        found = cls(sparse.csr_array((entries, columns, starts), shape=shape), graph)
        found.is_sparse, found.names = flag(is_sparse, "is_sparse"), named
        found.scaled = flag(scaled, "scaled")
        return found

    @property
    def nodes(self) -> NodeIndex:
        """The nodes, in the order of the rows."""
        return self.graph.nodes

    @property
    def matrix(self) -> sparse.csr_array:
        """All rows; a copy, with indices of 32 bits where they suffice: scikit-learn takes no others."""
        shape = (self.graph.n, self.width)
        small = max(len(self.values), *shape) < 2**31
        kind = np.int32 if small else np.int64
        return sparse.csr_array(
            (self.values.copy(), self.indices.astype(kind), self.indptr.astype(kind)), shape=shape
        )

    @cached_property
    def fingerprint(self) -> str:
        """What a snapshot knows these rows by: nodes, edges and every number."""
        digest = sha256(self.graph.fingerprint.encode())
        digest.update(repr(self.width).encode())
        for array in (self.indptr, self.indices, self.values):
            digest.update(array.tobytes())
        return digest.hexdigest()

    def row(self, x: Hashable) -> Floats:
        """The row of a node, with its zeros.

        Parameters
        ----------
        x
            A node.
        """
        return self.dense_at(self.nodes.position(x))

    def dense_at(self, place: int) -> Floats:
        """The row at a position, with its zeros.

        Parameters
        ----------
        place
            What `nodes.position` gave.
        """
        span = self._span(place)
        room(8.0 * self.width, f"a row of {self.width:,} features")
        row = np.zeros(self.width)
        row[self.indices[span]] = self.values[span]
        return row

    def named_at(self, place: int) -> dict[Hashable, float]:
        """The entries of a row that are not 0, by the name of their feature.

        Parameters
        ----------
        place
            What `nodes.position` gave.
        """
        span = self._span(place)
        found = zip(self.indices[span].tolist(), self.values[span].tolist(), strict=True)
        return {self.names[j] if self.names is not None else j: value for j, value in found}

    def _span(self, place: int) -> slice:
        """Where the entries of a row are."""
        place = count(place, "place", most=self.graph.n - 1)
        return slice(self.indptr[place], self.indptr[place + 1])

    def __repr__(self) -> str:
        return f"NodeFeatures({self.graph.n:,} nodes, {self.width:,} features, {len(self.values):,} entries)"


def expect_features(features: Any) -> NodeFeatures:
    """The features that were given, or an error that says how to make them."""
    if not isinstance(features, NodeFeatures):
        raise ParameterError(
            f"features must be NodeFeatures, got {shown(features)}; make them with NodeFeatures(rows, graph)"
        )
    return features


def _refuse_texts(rows: Any) -> None:
    """Raise where rows are texts, which somebody has to turn into numbers first."""
    if isinstance(rows, list | tuple) and rows and isinstance(rows[0], str):
        raise ShapeError(
            f"rows must be numbers, got texts, the first {shown(rows[0])}; count their words first: "
            "TfidfVectorizer().fit_transform(texts) of scikit-learn, with the texts in the order of graph.nodes"
        )


def _entries(
    rows: Any, graph: Graph, node: Hashable | None
) -> tuple[sparse.csr_array, list[Hashable] | None]:
    """The numbers as sparse rows in the order of the nodes, and the names of the columns where they have any."""
    names: list[Hashable] | None = None
    if isinstance(rows, Mapping):
        rows = _in_order(rows, graph.nodes)
    elif not isinstance(rows, np.ndarray) and hasattr(rows, "columns"):
        rows, names = columns_of(rows, graph.nodes, node)
        expect_no_gaps(rows, names, graph.nodes)
    elif node is not None:
        raise ParameterError(f"node names a column of a frame, and rows is {shown(rows)}; leave node out")
    if sparse.issparse(rows):
        refuse_masked(rows.data, "rows")
        found = sparse.csr_array(rows)
        if found.ndim != 2 or found.dtype.kind not in "biuf":
            raise ShapeError(f"rows must be a matrix of numbers, got {shown(rows)}")
        room(20.0 * found.nnz, f"{found.nnz:,} entries of features")
        found = found.astype(np.float64)
        found.sum_duplicates()
        finite(found.data, "the entries of rows")
    else:
        _refuse_texts(rows)
        dense = matrix(rows, "rows")
        room(20.0 * dense.size, f"features of shape {dense.shape}")
        found = sparse.csr_array(dense)
    if found.shape[0] != graph.n:
        raise ShapeError(
            f"rows has {found.shape[0]} rows, and the graph has {graph.n} nodes; give one row for each node, in the "
            "order of graph.nodes"
        )
    if found.shape[1] == 0:
        raise ShapeError("rows has no columns; give one feature or more")
    found.eliminate_zeros()
    found.sort_indices()
    if np.abs(found.data).max(initial=0.0) > LARGEST:
        raise ParameterError(f"rows has an entry above {LARGEST:g} in size; scale the features first")
    return found, names


def _in_order(rows: Mapping[Any, Any], nodes: NodeIndex) -> list[Any]:
    missing = [x for x in nodes if x not in rows]
    if missing:
        raise ShapeError(
            f"rows has none for node {shown(missing[0])} ({len(missing)} in all); give every node a row, zeros where "
            "nothing is known"
        )
    return [rows[x] for x in nodes]


def _averaged(entries: sparse.csr_array, graph: Graph) -> sparse.csr_array:
    """The mean of each row and those of its neighbours."""
    if graph.signed:
        raise ParameterError("rows cannot be averaged over a signed graph; drop its negative edges first")
    long = np.diff(entries.indptr).astype(np.float64)
    most = float(long.sum() + (long[graph.indices]).sum())
    room(20.0 * min(most, float(graph.n) * entries.shape[1]), "the averaged features")
    near: Any = matrix_over(graph.indptr, graph.indices, relative_weights(graph))
    total: AnyArray = 1.0 + np.asarray(near.sum(axis=1)).ravel()
    mean = sparse.csr_array(sparse.diags_array(1.0 / total) @ (entries + near @ entries))
    mean.eliminate_zeros()
    mean.sort_indices()
    return mean
