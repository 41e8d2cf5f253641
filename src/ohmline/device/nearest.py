"""The nearest rows of a table, exactly, by inner products in blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.device.seam import Device
from ohmline.device.selection import smallest

SPARE = 8
"""Neighbours fetched beyond k, so that a tie at the k-th can usually be settled among them."""
BLOCK_BYTES = 4 * 2**30
SMALL_BYTES = 2**28


def nearest_rows(rows: Floats, k: int, device: Device) -> Ints:
    """For each row the positions of its k nearest others, nearest first, ties by position.

    Candidates come from inner products; then their lengths are computed from the differences, and a row whose last
    candidate is not clearly further than its k-th neighbour is searched whole. So the result is what a search by
    differences alone would give.

    Parameters
    ----------
    rows
        One point a row, all finite; at least k + 1 of them.
    k
        How many neighbours.
    device
        Where to search.

    Returns
    -------
    array
        One row per point.
    """
    xp, n = device.xp, len(rows)
    fetched = min(k + 1 + SPARE, n)
    device.room(8.0 * rows.size * 2 + BLOCK_BYTES / 8, f"a search among {n} points")
    with device.guarded(f"a search among {n} points of {rows.shape[1]} columns"):
        points = device.put(rows)
        centred = points - points.mean(axis=0)
        lengths = (centred**2).sum(axis=1)
        rounding = 1e-12 * rows.shape[1] * float(lengths.max())
        found = np.empty((n, k), dtype=np.int64)
        block = int(np.clip((BLOCK_BYTES if device.is_gpu else SMALL_BYTES) // (8 * n), 1, 8192))
        for start in range(0, n, block):
            part = slice(start, min(start + block, n))
            found[part] = _block(points, centred, lengths, part, k, fetched, rounding, device)
        del points, centred, lengths
        if device.is_gpu:
            xp.get_default_memory_pool().free_all_blocks()
    return found


def _block(
    points: Any,
    centred: Any,
    lengths: Any,
    part: slice,
    k: int,
    fetched: int,
    rounding: float,
    device: Device,
) -> Ints:
    """The neighbours of the rows of one part."""
    xp, n = device.xp, len(points)
    where, rough = smallest((-2.0 * centred[part]) @ centred.T, lengths, fetched, device)
    rough = rough[:, -1] + lengths[part]  # the squared distance of the last candidate, up to rounding
    mine = xp.arange(part.start, part.stop)[:, None]
    away = _apart(points, points[part], where, device)
    away[where == mine] = np.inf  # nobody is its own neighbour
    order = xp.argsort(where, axis=1, kind="stable")
    order = xp.take_along_axis(
        order, xp.argsort(xp.take_along_axis(away, order, axis=1), axis=1, kind="stable"), axis=1
    )[:, :k]
    nearest = xp.take_along_axis(where, order, axis=1)
    if fetched < n:
        kth = xp.take_along_axis(away, order[:, -1:], axis=1)[:, 0]
        for i in device.get(xp.flatnonzero(~(rough > kth**2 + rounding))).tolist():
            whole = xp.sqrt(((points - points[part.start + i]) ** 2).sum(axis=1))
            whole[part.start + i] = np.inf
            nearest[i] = xp.argsort(whole, kind="stable")[:k]
    return np.asarray(device.get(nearest))


def _apart(points: Any, centres: Any, where: Any, device: Device) -> Any:
    """The distance of each centre to its candidates, from the differences themselves."""
    away = device.xp.empty(where.shape)
    for column in range(where.shape[1]):
        away[:, column] = ((points[where[:, column]] - centres) ** 2).sum(axis=1)
    return device.xp.sqrt(away)
