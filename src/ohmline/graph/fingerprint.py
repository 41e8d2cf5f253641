"""The digest by which a graph is known, whatever holds its arrays."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.graph.nodes import NodeIndex

PART = 1 << 20
"""Entries that are digested at a time, so that no copy of a large graph is made."""


def fingerprint_of(
    nodes: NodeIndex, signed: bool, indptr: Ints, indices: Ints, weights: Floats | None
) -> str:
    """A digest of ids, edges and weights; neighbours of 32 and 64 bits, and weights that are all 1, count alike."""
    digest = sha256(f"{nodes.fingerprint}:{signed}:".encode())
    for array in (indptr, indices):
        _update(digest, array)
    if weights is None:
        ones = np.ones(min(PART, len(indices)))
        for low in range(0, len(indices), PART):
            digest.update(ones[: len(indices) - low].data)
    else:
        _update(digest, weights)
    return digest.hexdigest()


def _update(digest: Any, array: AnyArray) -> None:
    wide = np.float64 if array.dtype.kind == "f" else np.int64
    for low in range(0, len(array), PART):
        digest.update(np.ascontiguousarray(array[low : low + PART], wide).data)
