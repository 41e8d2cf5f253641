"""The connected components of a large graph, in one walk over its rows."""

from __future__ import annotations

import numpy as np

from ohmline.arrays import Ints
from ohmline.checks import room
from ohmline.compiled import compiled


def components(indptr: Ints, indices: Ints) -> Ints:
    """For each position the number of its component; they are numbered by their first nodes."""
    n = len(indptr) - 1
    room(8 * n, f"the components of {n} nodes")
    parent = np.arange(n)
    _join(indptr, indices, parent)
    _number(parent)
    return parent


@compiled
def _join(indptr: Ints, indices: Ints, parent: Ints) -> None:
    """Put every node under a smaller one that it is connected with; the first node of a component stays its root."""
    for i in range(parent.shape[0]):
        one = i
        while parent[one] != one:
            parent[one] = parent[parent[one]]
            one = parent[one]
        for p in range(indptr[i], indptr[i + 1]):
            other = int(indices[p])
            if other > i:
                break  # the edge is met again from its other end
            while parent[other] != other:
                parent[other] = parent[parent[other]]
                other = parent[other]
            if other < one:
                parent[one] = other
                one = other
            else:
                parent[other] = one


@compiled
def _number(parent: Ints) -> None:
    """Replace every root by the number of its tree; roots come before what hangs under them."""
    found = 0
    for i in range(parent.shape[0]):
        if parent[i] == i:
            parent[i] = found
            found += 1
        else:
            parent[i] = parent[parent[i]]
