"""A sparse symmetric matrix times many columns at once."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from scipy import sparse

from ohmline.device.seam import Device

SOURCE = r"""
extern "C" __global__
void multiply(const int* starts, const int* places, const double* entries, const int rows, const int columns,
              const double* x, const double* before, const double scale, const double shift, const double past,
              double* out) {
    // A row of the matrix for each threadIdx.y, a column of x for each threadIdx.x: neighbours in x are neighbours
    // in memory, so each entry of the matrix costs one coalesced read of a row of x.
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const int first = starts[row], last = starts[row + 1];
    for (int c = threadIdx.x; c < columns; c += blockDim.x) {
        double sum = 0;
        for (int p = first; p < last; p++) sum += entries[p] * x[(size_t)places[p] * columns + c];
        const size_t at = (size_t)row * columns + c;
        double value = scale * sum + shift * x[at];
        if (past != 0) value += past * before[at];
        out[at] = value;
    }
}
"""
ROWS_A_BLOCK = 256


class Product:
    """A sparse matrix on a device, ready to be multiplied with blocks of columns.

    Parameters
    ----------
    matrix
        A square sparse matrix of float64.
    device
        Where it is to live.
    """

    def __init__(self, matrix: sparse.csr_array, device: Device) -> None:
        self.device, self.n = device, matrix.shape[0]
        with device.guarded(f"a matrix of {matrix.nnz} entries"):
            self.matrix = device.csr(matrix)

    def times(
        self, x: Any, *, scale: float = 1.0, shift: float = 0.0, past: float = 0.0, before: Any = None
    ) -> Any:
        """scale A x + shift x + past before, in one pass; `before` is left as it is, and so is x.

        Parameters
        ----------
        x
            A block of columns on the device, in rows.
        scale, shift, past
            The factors.
        before
            Another block of the same shape; needed where `past` is not 0.
        """
        if self.device.is_gpu:
            return self._by_kernel(x, scale, shift, past, before)
        out = self.matrix @ x
        if scale != 1:
            out *= scale
        if shift != 0:
            out += shift * x
        if past != 0:
            out += past * before
        return out

    def _by_kernel(self, x: Any, scale: float, shift: float, past: float, before: Any) -> Any:
        xp, matrix = self.device.xp, self.matrix
        x = xp.ascontiguousarray(x)
        columns = x.shape[1]
        out = xp.empty_like(x)
        wide = min(128, 1 << max(columns - 1, 0).bit_length())
        tall = ROWS_A_BLOCK // wide
        _kernel(xp)(
            (-(-self.n // tall),),
            (wide, tall),
            (
                *(matrix.indptr, matrix.indices, matrix.data, np.int32(self.n), np.int32(columns)),
                *(x, x if before is None else xp.ascontiguousarray(before)),
                *(np.float64(scale), np.float64(shift), np.float64(past), out),
            ),
        )
        return out


@cache
def _kernel(module: Any) -> Any:
    return module.RawKernel(SOURCE, "multiply")
