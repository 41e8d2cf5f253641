"""The sparse Cholesky factor of a positive definite matrix: solves, and the diagonal of the inverse."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import sparse

from ohmline.arrays import Floats, Ints
from ohmline.compiled import Stopped, compiled, interrupted, undisturbed
from ohmline.errors import KernelError
from ohmline.kernel.ordering import elimination_tree, minimum_degree, postorder

PATIENCE = 64
"""Rows between two looks whether somebody wants to stop."""


class Factor(NamedTuple):
    """A = L L' with rows and columns in `order`; L by columns, the diagonal first in each."""

    order: Ints
    indptr: Ints
    indices: NDArray[np.uint32]
    """Rows; half the size of a position, because a solve takes as long as the factor takes to read."""
    values: Floats


class Estimate(NamedTuple):
    """What a factor would cost, known before it is made."""

    order: Ints
    below: Ints
    fill: int
    flops: float
    fits: bool


APART = (
    "drop the weakest edges, bring the weights closer together, or take LaplacianKernel(graph), up to about 10,000 "
    "nodes, which takes them further apart"
)
"""What to do where a factor fails."""


def estimate(
    matrix: sparse.csr_array, *, fill_limit: int, flop_limit: float, work_limit: float = np.inf
) -> Estimate:
    """Order the rows and count the entries of the factor, giving up beyond the limits."""
    pattern = sparse.csr_array(matrix - sparse.diags_array(matrix.diagonal()))
    pattern.eliminate_zeros()
    indptr, indices = pattern.indptr.astype(np.int64), pattern.indices.astype(np.int64)
    with undisturbed():  # what returns arrays to Python must not be cut off by Ctrl-C on the way
        order, below, fill, flops = minimum_degree(
            indptr, indices, fill_limit, float(flop_limit), float(work_limit)
        )
    return Estimate(order, below, int(fill), float(flops), fill <= fill_limit and flops <= flop_limit)


def factorise(matrix: sparse.csr_array, plan: Estimate) -> Factor:
    """The factor, in the order of an estimate that fits."""
    order, below = plan.order, plan.below
    lower = _lower(matrix, order)[:2]
    with undisturbed():
        post = postorder(elimination_tree(*lower))
    order, below = order[post], below[post]
    indptr, indices, values = _lower(matrix, order)
    columns = np.append(0, np.cumsum(below + 1))
    rows, entries = np.empty(columns[-1], np.uint32), np.empty(columns[-1])
    with undisturbed():
        parent = elimination_tree(indptr, indices)
    if not cholesky(indptr, indices, values, parent, columns, rows, entries):
        raise KernelError(
            "the matrix is not positive definite to working precision: a sparse factor takes weights that span up to "
            f"about 12 orders of magnitude; {APART}"
        )
    return Factor(order, columns, rows, entries)


def _lower(matrix: sparse.csr_array, order: Ints) -> tuple[Ints, Ints, Floats]:
    """The rows of the lower triangle of the reordered matrix, diagonal included."""
    turned = sparse.csr_array(sparse.tril(sparse.csr_array(matrix[order])[:, order]))
    turned.sort_indices()
    return turned.indptr.astype(np.int64), turned.indices.astype(np.int64), turned.data


@compiled
def cholesky(
    indptr: Ints, indices: Ints, values: Floats, parent: Ints, columns: Ints, rows: Any, entries: Floats
) -> bool:
    """Row k of L solves a triangular system whose pattern is read off the elimination tree."""
    n = len(indptr) - 1
    ends = columns[:-1].copy()
    x, mark, reach = np.zeros(n), np.full(n, -1), np.empty(n, np.int64)
    for k in range(n):
        mark[k], top, pivot = k, n, 0.0
        if k % PATIENCE == 0 and interrupted():
            raise Stopped("a factorisation was interrupted")
        for q in range(indptr[k], indptr[k + 1]):
            i = indices[q]
            if i == k:
                pivot = values[q]
                continue
            x[i] = values[q]
            depth = 0
            while mark[i] != k:
                reach[depth] = i
                depth += 1
                mark[i] = k
                i = parent[i]
            while depth > 0:  # reach[:depth] is read from its end while the top part fills downwards
                top -= 1
                depth -= 1
                reach[top] = reach[depth]
        length = pivot
        for q in range(top, n):
            i = reach[q]
            value = x[i] / entries[columns[i]]
            x[i] = 0.0
            for l in range(columns[i] + 1, ends[i]):
                x[rows[l]] -= entries[l] * value
            pivot -= value * value
            rows[ends[i]], entries[ends[i]] = k, value
            ends[i] += 1
        if not pivot > 1e-14 * length:
            return False
        rows[ends[k]], entries[ends[k]] = k, np.sqrt(pivot)
        ends[k] += 1
    return True


@compiled
def solve(factor: Factor, right: Floats) -> Floats:
    """x with A x = right."""
    n = len(factor.order)
    x = right[factor.order]
    for j in range(n):
        if x[j] != 0.0:
            x[j] /= factor.values[factor.indptr[j]]
            for q in range(factor.indptr[j] + 1, factor.indptr[j + 1]):
                x[factor.indices[q]] -= factor.values[q] * x[j]
    for j in range(n - 1, -1, -1):
        total = x[j]
        for q in range(factor.indptr[j] + 1, factor.indptr[j + 1]):
            total -= factor.values[q] * x[factor.indices[q]]
        x[j] = total / factor.values[factor.indptr[j]]
    out = np.empty(n)
    out[factor.order] = x
    return out


@compiled
def inverse_column(factor: Factor, i: int) -> Floats:
    """A column of the inverse, with rows in the order of the factor.

    A right side e_i reaches only the ancestors of column i in the elimination tree, so the forward half
    is almost free.
    """
    x = np.zeros(len(factor.order))
    ascend(factor, i, x)
    descend_one(factor, x)
    return x


@compiled
def inverse_pair(factor: Factor, first: int, second: int) -> Floats:
    """Two columns of the inverse, side by side, with rows in the order of the factor.

    The backward half of a solve waits for memory alone, so two columns together cost less than one and one.
    """
    x = np.zeros((len(factor.order), 2))
    ascend(factor, first, x[:, 0])
    ascend(factor, second, x[:, 1])
    descend(factor, x)
    return x


@compiled
def ascend(factor: Factor, i: int, x: Floats) -> None:
    """x = L^-1 e_i."""
    indptr, indices, values = factor.indptr, factor.indices, factor.values
    x[i] = 1.0
    while True:
        x[i] /= values[indptr[i]]
        for q in range(indptr[i] + 1, indptr[i + 1]):
            x[indices[q]] -= values[q] * x[i]
        if indptr[i + 1] - indptr[i] == 1:
            return
        i = int(indices[indptr[i] + 1])  # the parent: the first row below the diagonal


@compiled
def descend_one(factor: Factor, x: Floats) -> None:
    """x = L^-T x."""
    indptr, indices, values = factor.indptr, factor.indices, factor.values
    for j in range(len(indptr) - 2, -1, -1):
        total = x[j]
        for q in range(indptr[j] + 1, indptr[j + 1]):
            total -= values[q] * x[indices[q]]
        x[j] = total / values[indptr[j]]


@cast(Any, njit(cache=True, fastmath={"reassoc", "nsz"}))  # type: ignore[untyped-decorator]
def descend(factor: Factor, x: Floats) -> None:
    """x = L^-T x for two columns."""
    indptr, indices, values = factor.indptr, factor.indices, factor.values
    for j in range(len(indptr) - 2, -1, -1):
        one, two = 0.0, 0.0
        for q in range(indptr[j] + 1, indptr[j + 1]):
            i, value = indices[q], values[q]
            one += value * x[i, 0]
            two += value * x[i, 1]
        x[j, 0] = (x[j, 0] - one) / values[indptr[j]]
        x[j, 1] = (x[j, 1] - two) / values[indptr[j]]


@compiled
def inverse_diagonal(factor: Factor) -> Floats:
    """The diagonal of the inverse, by Takahashi's recursion on the pattern of L alone.

    Column j of the inverse Z follows from later columns: Z_ij = -sum_k Z_ik L_kj / L_jj over the rows k of
    column j, and every Z_ik that it needs lies in the pattern of L.
    """
    n = len(factor.order)
    indptr, indices, values = factor.indptr, factor.indices, factor.values
    z = np.zeros(len(values))
    place, share, column = np.full(n, -1), np.zeros(n), np.zeros(n)
    for j in range(n - 1, -1, -1):
        start, stop, pivot = indptr[j], indptr[j + 1], values[indptr[j]]
        for q in range(start + 1, stop):
            place[indices[q]] = q
            share[indices[q]] = values[q] / pivot
            column[indices[q]] = 0.0
        for q in range(start + 1, stop):
            k = indices[q]
            own, total = share[k], share[k] * z[indptr[k]]
            for l in range(indptr[k] + 1, indptr[k + 1]):
                i = indices[l]
                if place[i] > start:
                    column[i] -= z[l] * own
                    total += z[l] * share[i]
            column[k] -= total
        diagonal = 1.0 / (pivot * pivot)
        for q in range(start + 1, stop):
            i = indices[q]
            z[q] = column[i]
            diagonal -= share[i] * column[i]
            place[i] = -1
        z[start] = diagonal
    out = np.empty(n)
    for j in range(n):
        out[factor.order[j]] = z[indptr[j]]
    return out
