"""Columns of very different size, brought to one scale.

A step of a linear learner moves every weight about equally far, so that a column of amounts in the hundreds drowns one
of counts, and one that lies far from 0, as years do, is hardly told from a constant. All rows are known beforehand, so
a column that is mostly filled has its mean taken away and is divided by its standard deviation. One that is mostly
zeros, as a word or a rare mark is, keeps its zeros and is divided by the size of its other entries.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ohmline.arrays import Floats
from ohmline.checks import room

LARGEST_RATIO = 20.0
"""Sizes of columns may differ by so much before they count as different: pixels of the digits differ by 13."""
LARGEST_OFFSET = 5.0
"""The mean of a column without zeros may be so many of its standard deviations: that of the petals and sepals is 7."""
STILL = 1e-9
"""A column whose spread is a smaller part of its entries is constant."""


def differ(entries: sparse.csr_array) -> bool:
    """Whether the columns are not of one scale: one far larger than another, or one that lies far from 0."""
    columns = entries.tocsc()
    filled = np.diff(columns.indptr)
    mean, spread = _moments(columns)
    moving = spread > STILL * _largest(columns)
    size = _sizes(columns)[moving]
    whole = moving & (filled == columns.shape[0])
    far = np.abs(mean[whole]) > LARGEST_OFFSET * spread[whole]
    return bool(len(size)) and bool(size.max() > LARGEST_RATIO * size.min() or far.any())


def scaled_columns(entries: sparse.csr_array) -> sparse.csr_array:
    """The rows with every column brought to one scale."""
    columns = entries.tocsc()
    n, width = columns.shape
    filled = np.diff(columns.indptr)
    mean, spread = _moments(columns)
    moving = spread > STILL * _largest(columns)
    centred = 2 * filled > n
    full = np.flatnonzero(centred & moving)
    room(20.0 * (float(filled[~centred].sum()) + float(n) * len(full)), "the scaled features")
    factor = 1.0 / np.where(_sizes(columns) > 0, _sizes(columns), 1.0)
    kept = np.where(centred, 0.0, factor)  # a full column that never changes says what the bias says
    thin = columns @ sparse.diags_array(kept)
    dense = np.zeros((n, len(full)))
    for k, j in enumerate(full.tolist()):
        span = slice(columns.indptr[j], columns.indptr[j + 1])
        column = np.zeros(n)
        column[columns.indices[span]] = columns.data[span]
        dense[:, k] = (column - mean[j]) / spread[j]
    place = sparse.csr_array((np.ones(len(full)), (np.arange(len(full)), full)), shape=(len(full), width))
    found = sparse.csr_array(thin + sparse.csr_array(dense) @ place)
    found.eliminate_zeros()
    found.sort_indices()
    return found


def _moments(columns: sparse.csc_array) -> tuple[Floats, Floats]:
    """Mean and standard deviation of each column, zeros among them; in two passes, for columns far from 0."""
    n, width = columns.shape
    which = np.repeat(np.arange(width), np.diff(columns.indptr))
    filled = np.bincount(which, minlength=width)
    mean = np.bincount(which, columns.data, minlength=width) / n
    away = np.bincount(which, (columns.data - mean[which]) ** 2, minlength=width) + (n - filled) * mean**2
    return mean, np.sqrt(away / n)


def _sizes(columns: sparse.csc_array) -> Floats:
    """The root of the mean square of the entries of each column that are not 0; 0 where there are none."""
    width = columns.shape[1]
    filled = np.diff(columns.indptr)
    which = np.repeat(np.arange(width), filled)
    return np.asarray(np.sqrt(np.bincount(which, columns.data**2, minlength=width) / np.maximum(filled, 1)))


def _largest(columns: sparse.csc_array) -> Floats:
    """The largest entry of each column in size."""
    found = np.zeros(columns.shape[1])
    np.maximum.at(found, np.repeat(np.arange(len(found)), np.diff(columns.indptr)), np.abs(columns.data))
    return found
