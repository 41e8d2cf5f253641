"""The smallest eigenpairs of a matrix whose rows may live anywhere: Chebyshev-filtered subspace iteration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from scipy import linalg

from ohmline.arrays import Floats
from ohmline.errors import KernelError
from ohmline.kernel.rows import Rows

B = TypeVar("B")
LEAST_DEGREE, LARGEST_DEGREE = 10, 400
NEGLIGIBLE = 1e-13
"""Directions of a block whose squared length is below this share of the largest are rounding, and are replaced."""


@dataclass(frozen=True)
class Found(Generic[B]):
    """The smallest eigenpairs, as far as they were found.

    Attributes
    ----------
    values
        Ritz values, ascending.
    vectors
        The block of Ritz vectors, orthonormal, in the same order.
    residuals
        The length of A v - value v for each: no eigenvalue is further from a Ritz value than that.
    products
        How many products of the matrix with a block were taken.
    converged
        Whether every residual is within the tolerance.
    """

    values: Floats
    vectors: B
    residuals: Floats
    products: int
    converged: bool


def filtered_subspace(
    rows: Rows[B],
    d: int,
    top: float,
    *,
    tolerance: float = 1e-8,
    known: B | None = None,
    spare: int | None = None,
    rounds: int = 60,
    seed: int = 0,
    heard: Callable[[int, float], None] | None = None,
) -> Found[B]:
    """The d smallest eigenpairs of a positive semidefinite matrix.

    A block of d + spare columns is multiplied by a Chebyshev polynomial of the matrix that is at most 1 above the
    block's largest Ritz value and grows fast below it, made orthonormal, and turned into Ritz vectors; again, until
    all residuals are small. Copies of a repeated eigenvalue are found like others. The client of a cluster sees
    matrices of d + spare columns and rows, nothing longer.

    Parameters
    ----------
    rows
        The matrix.
    d
        How many pairs, at least 1; d + spare may not exceed the number of rows.
    top
        A bound on the largest eigenvalue, such as Gershgorin's; 2 for a normalised Laplacian.
    tolerance
        The residual that is aimed at, relative to `top`. Default 1e-8.
    known
        A block of orthonormal vectors to stay orthogonal to, such as known null vectors. Default None.
    spare
        Columns beyond d, which speed up the last pairs; a quarter of d and at least 8 by default.
    rounds
        The most filters that are applied. Default 60.
    seed
        Draws the start. Default 0.
    heard
        Is told the number of products and the largest residual after each round. Default None.

    Returns
    -------
    Found
        The pairs with their residuals; `converged` is False where the rounds did not suffice.
    """
    width = min(d + (max(8, d // 4) if spare is None else spare), rows.n)
    x = _orthonormal(rows, _apart(rows, rows.random(width, seed), known), seed, known)
    products = 0
    for k in range(rounds + 1):
        image = rows.product(x)
        products += 1
        small = rows.gram(x, image)
        values, turn = linalg.eigh((small + small.T) / 2)
        x, image = _replace(rows, x, rows.turn(x, turn)), _replace(rows, image, rows.turn(image, turn))
        shift = rows.turn(x, np.diag(values))
        away = rows.blend((1.0, image), (-1.0, shift))
        residuals = np.sqrt(np.maximum(np.diag(rows.gram(away, away)), 0.0))[:d]
        for block in (image, shift, away):
            rows.drop(block)
        if heard is not None:
            heard(products, float(residuals.max()))
        converged = bool(residuals.max() <= tolerance * top)
        if converged or k == rounds:
            vectors = rows.turn(x, np.eye(width)[:, :d])
            rows.drop(x)
            return Found(values[:d], vectors, residuals, products, converged)
        cut = float(np.clip(values[-1], 1e-9 * top, 0.9 * top))
        degree = int(np.clip(3.0 / np.sqrt(cut / top * 2), LEAST_DEGREE, LARGEST_DEGREE))
        x = _replace(rows, x, rows.chebyshev(x, degree, cut, top))
        products += degree
        x = _orthonormal(rows, _apart(rows, x, known), seed + k + 1, known)
    raise AssertionError("the last round returns")


def _replace(rows: Rows[B], old: B, new: B) -> B:
    if new is not old:
        rows.drop(old)
    return new


def _apart(rows: Rows[B], x: B, known: B | None) -> B:
    """The block less what lies in the space of the known vectors."""
    if known is None:
        return x
    shadow = rows.turn(known, rows.gram(known, x))
    rest = rows.blend((1.0, x), (-1.0, shadow))
    rows.drop(shadow)
    return _replace(rows, x, rest)


def _orthonormal(rows: Rows[B], x: B, seed: int, known: B | None) -> B:
    """An orthonormal basis of the block's columns, from Gram matrices alone; lost directions are drawn anew."""
    for attempt in range(4):
        small = rows.gram(x, x)
        if not np.isfinite(small).all():
            raise KernelError(
                "the iteration left the range of numbers: the bound on the largest eigenvalue is too low; "
                "give a larger one"
            )
        lengths = np.sqrt(np.maximum(np.diag(small), np.finfo(float).tiny))
        values, turn = linalg.eigh(small / lengths / lengths[:, None])
        kept = values > NEGLIGIBLE * values[-1]
        x = _replace(rows, x, rows.turn(x, (turn[:, kept] / np.sqrt(values[kept])) / lengths[:, None]))
        missing = int((~kept).sum())
        if missing:
            x = _filled(rows, x, missing, len(kept), seed + 1000 * (attempt + 1), known)
        elif values[0] > 0.5:
            break
    return x


def _filled(rows: Rows[B], x: B, missing: int, width: int, seed: int, known: B | None) -> B:
    """The block with new random columns, orthogonal to the old ones, in place of those that were lost."""
    fresh = _apart(rows, rows.random(missing, seed), known)
    fresh = _apart(rows, fresh, x)
    left = rows.turn(x, np.eye(width - missing, width))
    right = rows.turn(fresh, np.eye(missing, width, k=width - missing))
    both = rows.blend((1.0, left), (1.0, right))
    for block in (x, fresh, left, right):
        rows.drop(block)
    return both
