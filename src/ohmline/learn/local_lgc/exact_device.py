"""The exact scores of all nodes on another device: all classes in one block solve, proven on this one."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ohmline.arrays import Floats
from ohmline.device import Device
from ohmline.device.columns import solve_block
from ohmline.learn.local_lgc.adjacency import Adjacency
from ohmline.learn.local_lgc.exact import EXACTER, halves_of, proven
from ohmline.learn.local_lgc.state import LocalState

FINEST = 1e-14
"""The residual, as a share of the right side, below which there is rounding alone."""


def solved_on(
    device: Device, adjacency: Adjacency, state: LocalState, start: Floats
) -> tuple[Floats, Floats]:
    """What `exact.solved` gives: the device solves for what `start` leaves, and the error is proven here."""
    n, classes = start.shape
    precision = np.array(state.precision[:n])
    halves = halves_of(adjacency, np.float64)
    edges = sparse.csr_array((halves.weight, halves.neighbour, halves.begin), shape=(n, n))
    matrix = sparse.csr_array(sparse.diags_array(precision) - edges)
    begun = np.asarray(start, dtype=np.float64)
    right = np.zeros((n, classes))
    labelled = np.flatnonzero(state.label[:n] >= 0)
    right[labelled, state.label[labelled]] = 1 / adjacency.mu
    right -= matrix @ begun
    longest = float(np.linalg.norm(right, axis=0).max(initial=0.0))
    if longest > 0:
        goal = EXACTER * adjacency.tolerance * float(precision.min()) / longest
        change = solve_block(matrix, right, device, tolerance=max(min(goal, 0.5), FINEST)).columns
        begun = np.clip(begun + change, adjacency.least, 1.0)
    return begun, proven(adjacency, state, begun)
