"""From positions of ends and weights to the rows of a graph: every edge once, loops dropped, both directions alike."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ohmline.arrays import Floats, Ints
from ohmline.checks import flag, room
from ohmline.errors import GraphError
from ohmline.graph.edges import check_weights, combined, parallel_of, refuse_asymmetry
from ohmline.graph.nodes import NodeIndex


def assembled(
    s: Ints,
    t: Ints,
    weights: Floats,
    index: NodeIndex,
    *,
    signed: bool,
    symmetrise: bool,
    parallel: Any,
    listed: bool,
    mirrored: bool = False,
) -> tuple[sparse.csr_array, int]:
    """One checked path from positions and weights to the symmetric matrix, and the number of loops left out of it.

    `listed` says that an edge may come in one direction only, `mirrored` that it usually comes in both, so that
    the two directions are not parallel to each other.
    """
    signed, symmetrise = flag(signed, "signed"), flag(symmetrise, "symmetrise")
    how = parallel_of(parallel)
    n = len(index)
    if n == 0:
        raise GraphError("the graph has no nodes; give at least one edge, or nodes=[...]")
    room(16 * n, f"a graph of {n} nodes")
    check_weights(s, t, weights, index, signed=signed)
    keep = (s != t) & (weights != 0)
    loops = int(np.count_nonzero((s == t) & (weights != 0)))
    s, t, weights = s[keep], t[keep], weights[keep]
    if how is not None:
        if not mirrored:
            s, t, symmetrise = np.minimum(s, t), np.maximum(s, t), True
        s, t, weights = combined(s, t, weights, how, index)
    low, high = np.minimum(s, t), np.maximum(s, t)
    # One number per pair sorts faster than two, and weights that are all equal need no sorting.
    key = low * n + high
    alike = not len(weights) or bool((weights == weights[0]).all())
    order = np.argsort(key, kind="stable") if alike else np.lexsort((weights, key))
    low, high, weights = low[order], high[order], weights[order]
    last = np.ones(len(low), dtype=bool)
    last[:-1] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    if not symmetrise:
        forward = (s < t)[order]
        refuse_asymmetry(low, high, weights, last, forward, index, listed=listed)
    low, high, weights = low[last], high[last], weights[last]
    upper = sparse.coo_array((weights, (low, high)), shape=(n, n))
    adjacency = sparse.csr_array(upper + upper.T)
    adjacency.sort_indices()
    return adjacency, loops
