"""The inverse of a positive definite matrix, by halves, so that nearly all work is products of large matrices."""

from __future__ import annotations

from typing import Any

from ohmline.device.seam import Device

SMALL = 1024
"""Triangles up to this size are inverted by a library at once."""


def positive_inverse(matrix: Any, device: Device) -> Any | None:
    """The inverse of a symmetric positive definite matrix, or None where it is not one.

    One Cholesky factor, its inverse and the product of that with itself: about 5/3 n^3 operations.

    Parameters
    ----------
    matrix
        A symmetric matrix on the device; it may be overwritten.
    device
        Where it lives.

    Returns
    -------
    array or None
        On the device.
    """
    xp = device.xp
    try:
        factor = xp.linalg.cholesky(matrix)
    except xp.linalg.LinAlgError:
        return None
    if not bool(xp.isfinite(xp.diagonal(factor)).all()):
        return None  # what a GPU's library leaves where it fails
    del matrix
    _invert_lower(factor, device)
    out = xp.empty_like(factor)
    _square(factor, out, device)
    return out


def _invert_lower(a: Any, device: Device) -> None:
    """Put the inverse of a lower triangular matrix in its place; what is above the diagonal becomes 0."""
    n = len(a)
    if n <= SMALL:
        a[...] = device.xp.tril(device.solve_lower(a, device.xp.eye(n, dtype=a.dtype)))
        return
    h = n // 2
    _invert_lower(a[:h, :h], device)
    _invert_lower(a[h:, h:], device)
    a[h:, :h] = -(a[h:, h:] @ a[h:, :h]) @ a[:h, :h]
    a[:h, h:] = 0


def _square(a: Any, out: Any, device: Device) -> None:
    """out = a'a for a lower triangular a."""
    n = len(a)
    if n <= SMALL:
        out[...] = a.T @ a
        return
    h = n // 2
    low, corner = a[h:, :h], a[h:, h:]
    _square(a[:h, :h], out[:h, :h], device)
    out[:h, :h] += low.T @ low
    out[h:, :h] = corner.T @ low
    out[:h, h:] = out[h:, :h].T
    _square(corner, out[h:, h:], device)
