"""Rows that live in an array, here or on a GPU."""

from __future__ import annotations

from typing import Any, final

import numpy as np
from scipy import sparse

from ohmline.arrays import Floats
from ohmline.device.products import Product
from ohmline.device.seam import Device, host_floats
from ohmline.kernel.rows import Rows


@final
class ArrayRows(Rows[Any]):
    """A sparse symmetric matrix on one device; blocks are arrays there.

    Parameters
    ----------
    matrix
        The matrix.
    device
        Where it is to live.
    """

    def __init__(self, matrix: sparse.csr_array, device: Device) -> None:
        self.device, self.n = device, matrix.shape[0]
        self._product = Product(matrix, device)

    def random(self, columns: int, seed: int) -> Any:
        return self.device.xp.random.default_rng(seed).standard_normal((self.n, columns))

    def product(self, x: Any) -> Any:
        return self._product.times(x)

    def blend(self, *terms: tuple[float, Any]) -> Any:
        (factor, block), *others = terms
        total = factor * block
        for factor, block in others:
            total += factor * block
        return total

    def gram(self, x: Any, y: Any) -> Floats:
        return host_floats(x.T @ y, self.device)

    def turn(self, x: Any, small: Floats) -> Any:
        return self.device.xp.ascontiguousarray(x @ self.device.put(np.ascontiguousarray(small)))

    def chebyshev(self, x: Any, degree: int, low: float, high: float) -> Any:
        """As the contract says, with each step in one pass over the columns."""
        centre, half = (low + high) / 2, (high - low) / 2
        before, now = x, self._product.times(x, scale=1 / half, shift=-centre / half)
        for _ in range(degree - 1):
            step = self._product.times(
                now, scale=2 / half, shift=-2 * centre / half, past=-1.0, before=before
            )
            before, now = now, step
        return now
