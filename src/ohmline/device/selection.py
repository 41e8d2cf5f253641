"""The k smallest numbers of each row, with their places."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ohmline.device.seam import Device

THREADS, HELD = 256, 1024

SOURCE = r"""
#define THREADS 256
#define HELD 1024
extern "C" __global__
void smallest(const double* products, const double* offset, const long long n, const int k,
              long long* where, double* what, int* crowded) {
    // One block of threads a row. The k-th smallest of the threads' own minima is no less than the k-th smallest of
    // the row, so what lies above it is out; the few that are left are ranked by counting.
    const double* row = products + (size_t)blockIdx.x * n;
    __shared__ double least[THREADS];
    __shared__ double kept[HELD];
    __shared__ long long place[HELD];
    __shared__ int count;
    __shared__ double limit;
    const int me = threadIdx.x;
    double mine = 1.0 / 0.0;
    for (long long j = me; j < n; j += THREADS) mine = fmin(mine, row[j] + offset[j]);
    least[me] = mine;
    if (me == 0) count = 0;
    __syncthreads();
    int rank = 0;
    for (int j = 0; j < THREADS; j++) rank += least[j] < mine || (least[j] == mine && j < me);
    if (rank == k - 1) limit = mine;
    __syncthreads();
    for (long long j = me; j < n; j += THREADS) {
        const double value = row[j] + offset[j];
        if (value <= limit) {
            const int at = atomicAdd(&count, 1);
            if (at < HELD) { kept[at] = value; place[at] = j; }
        }
    }
    __syncthreads();
    if (count > HELD) { if (me == 0) crowded[blockIdx.x] = 1; return; }
    for (int i = me; i < count; i += THREADS) {
        int before = 0;
        for (int j = 0; j < count; j++)
            before += kept[j] < kept[i] || (kept[j] == kept[i] && place[j] < place[i]);
        if (before < k) {
            where[(size_t)blockIdx.x * k + before] = place[i];
            what[(size_t)blockIdx.x * k + before] = kept[i];
        }
    }
}
"""


def smallest(products: Any, offset: Any, k: int, device: Device) -> tuple[Any, Any]:
    """Places and values of the k smallest of products + offset in each row, ascending, ties by place.

    Parameters
    ----------
    products
        A float64 matrix on the device.
    offset
        One number a column.
    k
        At most the number of columns.
    device
        Where they live.
    """
    if device.is_gpu and k <= THREADS:
        return _by_kernel(products, offset, k, device)
    return _by_sorting(products + offset, k, device)


def _by_sorting(values: Any, k: int, device: Device) -> tuple[Any, Any]:
    """By a library's sort of whole rows: stable, so that ties go by place."""
    xp = device.xp
    if not device.is_gpu and k < values.shape[1] // 4:
        bound = np.partition(values, k - 1, axis=1)[:, k - 1]
        where = np.empty((len(values), k), dtype=np.int64)
        for i, limit in enumerate(bound):
            near = np.flatnonzero(values[i] <= limit)
            where[i] = near[np.argsort(values[i, near], kind="stable")[:k]]
    else:
        where = xp.argsort(values, axis=1, kind="stable")[:, :k]
    return where, xp.take_along_axis(values, where, axis=1)


@cache
def _kernel(module: Any) -> Any:
    return module.RawKernel(SOURCE, "smallest")


def _by_kernel(products: Any, offset: Any, k: int, device: Device) -> tuple[Any, Any]:
    xp = device.xp
    m, n = products.shape
    products = xp.ascontiguousarray(products)
    where = xp.empty((m, k), dtype=np.int64)
    what = xp.empty((m, k))
    crowded = xp.zeros(m, dtype=np.int32)
    _kernel(xp)((m,), (THREADS,), (products, offset, np.int64(n), np.int32(k), where, what, crowded))
    for i in device.get(xp.flatnonzero(crowded)).tolist():  # rows of many equal numbers
        where[i], what[i] = (each[0] for each in _by_sorting(products[i : i + 1] + offset, k, device))
    return where, what
