"""The compressed sparse rows of a graph, checked once: afterwards nobody can change them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ohmline.arrays import AnyArray, Floats, Ints, read_only, refuse_masked
from ohmline.checks import shown
from ohmline.errors import GraphError, ShapeError, WeightError

MOST_SHORT = 2**31 - 1
"""The most nodes whose positions have 32 bits."""


class Rows(NamedTuple):
    """Compressed sparse rows: symmetric, sorted, without diagonal."""

    indptr: Ints
    """Where the row of each node begins, and where the last one ends; 64 bits."""
    indices: Ints
    """The neighbours; 32 bits, or 64 where there are more nodes than these can number."""
    weights: Floats | None
    """The weights; None where all are 1."""


def matrix_over(indptr: Ints, indices: Ints, values: Floats) -> sparse.csr_array:
    """The square matrix with these rows; SciPy wants one width, so short neighbours get short row starts if these fit.

    Otherwise it would copy all neighbours into 64 bits.
    """
    n = len(indptr) - 1
    starts = indptr.astype(indices.dtype) if len(indices) <= MOST_SHORT else indptr
    return sparse.csr_array((values, indices, starts), shape=(n, n))


def checked_rows(adjacency: Any, n: int, *, signed: bool) -> tuple[Ints, Ints, Floats]:
    """Read-only copies of indptr, indices and weights of a symmetric matrix without diagonal, or an error."""
    if not sparse.issparse(adjacency) or adjacency.format != "csr":
        raise GraphError(
            f"adjacency must be a scipy.sparse.csr_array, got {shown(adjacency)}; use Graph.from_scipy for others"
        )
    if adjacency.shape != (n, n):
        raise ShapeError(
            f"adjacency has shape {adjacency.shape}, but there are {n} nodes; one row and column each"
        )
    indptr = read_only(_whole(adjacency.indptr, "indptr").astype(np.int64, copy=False))
    indices = _whole(adjacency.indices, "indices")
    weights = _numbers(adjacency.data)
    if len(indptr) != n + 1 or indptr[0] != 0 or indptr[-1] != len(indices) or np.any(np.diff(indptr) < 0):
        raise GraphError(
            "the row pointers of adjacency do not fit its indices; build it with scipy, or from edges"
        )
    if len(weights) != len(indices):
        raise GraphError(
            f"adjacency has {len(indices)} indices and {len(weights)} weights; one each is needed"
        )
    if len(indices) and (indices.min() < 0 or indices.max() >= n):
        bad = indices[(indices < 0) | (indices >= n)][0]
        raise GraphError(f"adjacency has the index {bad}; its indices must lie from 0 to {n - 1}")
    indices = read_only(indices.astype(np.int32 if n <= MOST_SHORT else np.int64, copy=False))
    rows = np.repeat(np.arange(n), np.diff(indptr))
    if np.any((indices[1:] <= indices[:-1]) & (rows[1:] == rows[:-1])):
        raise GraphError(
            "the indices of adjacency must ascend within each row; call adjacency.sum_duplicates()"
        )
    if np.any(rows == indices):
        raise GraphError(
            f"adjacency has an entry on its diagonal, at {rows[rows == indices][0]}; leave loops out"
        )
    _expect_weights(weights, signed=signed)
    # The transposed matrix, in which the rows ascend within each column, with places for weights.
    places = sparse.csr_array((np.arange(len(indices)), indices, indptr), shape=(n, n))
    mirrored = places.tocsc().data
    if not np.array_equal(indices[mirrored], rows) or not np.array_equal(rows[mirrored], indices):
        raise GraphError("adjacency must be symmetric: every edge goes both ways; use Graph.from_scipy")
    if not np.array_equal(weights[mirrored], weights):
        raise GraphError(
            "adjacency must be symmetric: both ways of an edge weigh the same; use Graph.from_scipy"
        )
    return indptr, indices, weights


def _whole(values: AnyArray, name: str) -> AnyArray:
    array = np.asarray(values)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise GraphError(f"{name} of adjacency must be whole numbers in a row, got {shown(values)}")
    return array


def _numbers(values: AnyArray) -> Floats:
    refuse_masked(values, "the weights of adjacency", WeightError)
    array = np.asarray(values)
    if array.ndim != 1 or array.dtype.kind not in "biuf":
        raise WeightError(f"the weights of adjacency must be real numbers, got {shown(values)}")
    return read_only(array.astype(np.float64, copy=False))


def _expect_weights(weights: Floats, *, signed: bool) -> None:
    good = np.isfinite(weights) & ((weights != 0) if signed else (weights > 0))
    if not good.all():
        words = (
            "other than 0"
            if signed
            else "above 0; pass signed=True if negative weights mean dissimilar nodes"
        )
        raise WeightError(f"adjacency has the weight {weights[~good][0]}; weights must be finite and {words}")
