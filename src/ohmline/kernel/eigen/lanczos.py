"""Block Lanczos with every vector kept: the largest eigenpairs of an operator that makes the wanted ones large.

| symbol | here |
|---|---|
| f(A) | `operator`: a polynomial filter or an inverse, under which the smallest eigenvalues of A become the largest |
| V | `basis`: orthonormal columns, grown a block at a time |
| V' f(A) V | `projected` |

A block of starting vectors finds an eigenvalue at most as often as the block is wide. So when all wanted pairs have
converged, a fresh random block joins the basis; only if a few more steps bring no new pair the search ends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import linalg

from ohmline.arrays import Floats
from ohmline.progress import Advance

WIDTH = 16
"""Vectors in a block."""
PAUSE = 3
"""Blocks between two looks at the pairs, each of which takes as long as a block or two."""
CHECKING = 3
"""Blocks after a fresh one until pairs that were missed would show."""

Operator = Callable[[Floats], Floats]


class Found(NamedTuple):
    """Eigenvectors of the operator, largest first, and whether all that were wanted have converged."""

    vectors: Floats
    converged: bool


def block_lanczos(
    operator: Operator,
    start: Floats,
    k: int,
    known: Floats,
    *,
    most: int,
    accuracy: float,
    rng: np.random.Generator,
    advance: Advance,
) -> Found:
    """The k largest eigenpairs of `operator`, orthogonal to the columns of `known`, in a basis of at most `most`.

    `accuracy` is the length of a residual as a share of the largest eigenvalue; `advance` hears of every vector that
    the operator was applied to.
    """
    basis, projected = np.zeros((len(start), most)), np.zeros((most, most))
    basis[:, : start.shape[1]] = _orthonormal(start, known, basis[:, :0])
    came_of = np.zeros(most, np.int64)
    applied, size, waiting, before = 0, start.shape[1], 0, None
    while True:
        last = slice(applied, min(applied + WIDTH, size))
        image = operator(np.ascontiguousarray(basis[:, last]))
        image -= known @ (known.T @ image)
        # In exact arithmetic the image has no part in blocks before the one that this block came of: whatever had been
        # applied by then has an image within the basis of that time, to which this block is orthogonal. So one pass
        # over the later blocks takes what is large, and one over all blocks what rounding has left in any.
        for near in (slice(came_of[last].min(), size), slice(0, size)):
            share = basis[:, near].T @ image
            projected[near, last] += share
            image -= basis[:, near] @ share
        advance(last.stop - applied)
        applied = last.stop
        if size + image.shape[1] <= most:
            new, coupling = linalg.qr(image, mode="economic", check_finite=False)
            if np.abs(coupling.diagonal()).min() <= 1e-10 * np.abs(projected[:applied, :applied]).max():
                new = _orthonormal(new, known, basis[:, :size])  # what is left over is rounding
            grown = slice(size, size + new.shape[1])
            basis[:, grown], projected[grown, last] = new, coupling
            came_of[grown] = last.start
            size = grown.stop
        elif applied == size:
            return Found(_ritz(basis, projected, applied, k)[0], False)
        waiting = max(waiting - 1, 0)
        if applied < k or waiting:
            continue
        _, values, reach = _ritz(basis[:, :0], projected, applied, k, size)
        waiting = PAUSE
        if not (reach <= accuracy * max(abs(values[0]), 1e-300)).all():
            continue
        if before is not None and np.abs(values - before).max() <= 1e3 * accuracy * abs(values[0]):
            return Found(_ritz(basis, projected, applied, k)[0], True)
        fresh = min(WIDTH, most - size)
        if fresh <= 0:
            return Found(_ritz(basis, projected, applied, k)[0], True)
        extra = rng.standard_normal((len(start), fresh))
        basis[:, size : size + fresh] = _orthonormal(extra, known, basis[:, :size])
        # The blocks that wait in front of the fresh one come first.
        came_of[size : size + fresh] = applied
        before, waiting = values, CHECKING + (size - applied) // WIDTH
        size += fresh


def _ritz(
    basis: Floats, projected: Floats, applied: int, k: int, size: int = 0
) -> tuple[Floats, Floats, Floats]:
    """Ritz vectors, largest first, in `basis`; their values, and the lengths of their residuals."""
    square = projected[:applied, :applied]
    values, turn = linalg.eigh((square + square.T) / 2, check_finite=False)
    values, turn = values[::-1][:k], turn[:, ::-1][:, :k]
    reach = np.linalg.norm(projected[applied:size, :applied] @ turn, axis=0) if size else np.zeros(0)
    vectors = basis[:, :applied] @ turn if basis.shape[1] else basis
    return vectors, values, reach


def _orthonormal(block: Floats, known: Floats, basis: Floats) -> Floats:
    """An orthonormal block, orthogonal to what is known and to the basis."""
    for _ in range(2):
        block = block - known @ (known.T @ block)
        block = block - basis @ (basis.T @ block)
    return np.asarray(linalg.qr(block, mode="economic", check_finite=False)[0])
