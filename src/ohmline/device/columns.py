"""Solutions for many right-hand sides at once: conjugate gradients over all columns in one pass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ohmline.arrays import Floats
from ohmline.device.products import Product
from ohmline.device.seam import Device


@dataclass(frozen=True)
class Solved:
    """Solutions with what is known of them.

    Attributes
    ----------
    columns
        One column per right-hand side.
    residuals
        ||b - A x|| / ||b|| of each column, computed anew from x (0 where b is 0).
    iterations
        How many products were taken.
    """

    columns: Floats
    residuals: Floats
    iterations: int


def solve_block(
    matrix: sparse.csr_array, right: Floats, device: Device, *, tolerance: float = 1e-10, most: int = 10_000
) -> Solved:
    """Solve A X = B for a sparse symmetric positive definite A with a positive diagonal.

    Every column runs its own conjugate gradients, preconditioned by the diagonal; the products are shared, so the
    matrix is read once an iteration for all columns. A column that is done stands still.

    Parameters
    ----------
    matrix
        A.
    right
        B, one column per system.
    device
        Where to work.
    tolerance
        The residual that is aimed at, relative to that of zero. Default 1e-10.
    most
        The most iterations. Default 10,000.
    """
    xp = device.xp
    n, wide = right.shape
    device.room(8.0 * n * wide * 6 + 12.0 * matrix.nnz, f"a solve of {n} rows and {wide} columns")
    with device.guarded(f"a solve of {n} rows and {wide} columns"):
        product = Product(matrix, device)
        inverse = device.put(1.0 / matrix.diagonal())[:, None]
        b = device.put(right)
        goal = tolerance * xp.sqrt((b * b).sum(axis=0))
        x, r = xp.zeros_like(b), b.copy()
        p = inverse * r
        size = (r * p).sum(axis=0)
        iterations = 0
        while iterations < most:
            open_ = xp.sqrt((r * r).sum(axis=0)) > goal
            if not bool(open_.any()):
                away = b - product.times(x)  # the residual itself, not the one that was carried along
                if bool((xp.sqrt((away * away).sum(axis=0)) <= 2 * goal).all()) or iterations >= most - 1:
                    break
                r = away
                p = inverse * r
                size = (r * p).sum(axis=0)
                goal = goal / 2
                continue
            image = product.times(p)
            iterations += 1
            bend = (p * image).sum(axis=0)
            step = xp.where(open_ & (bend > 0), size / xp.where(bend > 0, bend, 1.0), 0.0)
            x += step * p
            r -= step * image
            z = inverse * r
            now = (r * z).sum(axis=0)
            p = z + xp.where(size > 0, now / xp.where(size > 0, size, 1.0), 0.0) * p
            size = now
        away = b - product.times(x)
        lengths = xp.sqrt((b * b).sum(axis=0))
        left = xp.sqrt((away * away).sum(axis=0)) / xp.where(lengths > 0, lengths, 1.0)
        return Solved(
            np.asarray(device.get(x), dtype=np.float64), np.asarray(device.get(left), np.float64), iterations
        )
