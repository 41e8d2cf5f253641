"""Preparing for nodes that are known ahead: many gains by one matrix product.

For a block of B nodes the gains with respect to the A^-1 before the block are one product
G = M_B A^-1. Inside the block, A^-1 is that matrix less s s' for every label learned since
(s = g / sqrt(1 + q)), so a node's true gain is its row of G less (s . m) s for each, and its
q the old one less (s . m)^2. At the end of the block the same terms are taken off A^-1, by
one product again. What is said of a node agrees with the plain step to rounding, not to the bit, because
the sums are taken in another order; predictions can differ at margins within rounding of 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.compiled import dot, internal
from ohmline.learn.lgc.ridge_regression import Regressors, gain, quadratic

WORTHWHILE = 32
"""Features from which a block is prepared: twice as fast, and below it a pass takes no time anyway."""

LONGEST = 64
"""Most nodes in a block. At d = 100 anything from 48 to 96 is equally fast, whether few labels are learned
or all; from 128 on BLAS may start threads for products this small, which costs far more."""


class Lookahead(NamedTuple):
    """A block of upcoming nodes, and the labels learned since it was prepared."""

    nodes: Ints
    size: Ints
    """How many nodes are in the block; 0 without one."""
    place: Ints
    """Where in the block the last node was found: the next one is likely to follow."""
    rows: AnyArray
    """M_B."""
    gains: AnyArray
    """G."""
    learned: AnyArray
    """s of each label learned in this block, the first `used` rows."""
    used: Ints
    along: AnyArray
    """s . m of the node `held`, whose variance before its label is `q`."""
    held: Ints
    q: Floats
    change: AnyArray
    """sum of s s'."""

    @classmethod
    def empty(cls, d: int, dtype: Any) -> Lookahead:
        room = LONGEST if d >= WORTHWHILE else 0
        return cls(
            np.zeros(room, np.int64),
            np.zeros(1, np.int64),
            np.zeros(1, np.int64),
            np.zeros((room, d), dtype),
            np.zeros((room, d), dtype),
            np.zeros((room, d), dtype),
            np.zeros(1, np.int64),
            np.zeros(room, dtype),
            np.full(1, -1),
            np.zeros(1),
            np.zeros((d, d) if room else (0, 0), dtype),
        )


@internal
def prepare(space: Regressors, inverse: AnyArray, block: Lookahead, upcoming: Ints) -> None:
    """End the block before, and prepare for these nodes (none: for nothing)."""
    fold(inverse, block)
    size = min(len(upcoming), len(block.nodes))
    block.size[0] = size if space.blocks else 0
    if block.size[0] == 0:
        return
    d = space.rows.shape[1]
    for b in range(size):
        i = upcoming[b]
        block.nodes[b] = i
        for e in range(d):  # twice as fast as copying the row as a slice
            block.rows[b, e] = space.rows[i, e]
    np.dot(block.rows[:size], inverse, block.gains[:size])
    block.place[0] = 0


@internal
def fold(inverse: AnyArray, block: Lookahead) -> None:
    """Take what was learned in the block off A^-1."""
    k = block.used[0]
    block.used[0] = 0
    block.held[0] = -1
    if k:
        np.dot(block.learned[:k].T, block.learned[:k], block.change)
        for j in range(inverse.shape[0]):
            row, less = inverse[j], block.change[j]
            for e in range(inverse.shape[0]):
                row[e] -= less[e]


@internal
def find(block: Lookahead, i: int) -> int:
    """The place of node i in the block, from the last one on; -1 if it is not there."""
    size = block.size[0]
    if block.nodes[block.place[0]] == i:
        return block.place[0]
    for step in range(1, size):
        b = block.place[0] + step
        b = b if b < size else b - size
        if block.nodes[b] == i:
            block.place[0] = b
            return b
    return -1


@internal
def features_of(space: Regressors, block: Lookahead, i: int) -> AnyArray:
    """m of node i, from the block where it is nearer at hand."""
    b = find(block, i) if block.size[0] > 0 else -1
    return block.rows[b] if b >= 0 else space.rows[i]


@internal
def foreseen_q(space: Regressors, inverse: AnyArray, block: Lookahead, i: int) -> float:
    """q of node i; leaves s . m of every label learned in the block in `along`."""
    b, d = find(block, i), inverse.shape[0]
    m = block.rows[b] if b >= 0 else space.rows[i]
    q = float(dot(m, block.gains[b], d)) if b >= 0 else float(quadratic(inverse, m))
    for j in range(block.used[0]):
        block.along[j] = dot(block.learned[j], m, d)
        q -= block.along[j] * block.along[j]
    block.held[0], block.q[0] = i, max(q, 0.0)
    return block.q[0]


@internal
def foreseen_gain(space: Regressors, inverse: AnyArray, block: Lookahead, i: int, g: AnyArray) -> None:
    """The gain of node i, whose `along` is held."""
    b, d = find(block, i), g.shape[0]
    if b >= 0:
        for e in range(d):
            g[e] = block.gains[b, e]
    else:
        gain(inverse, space.rows[i], g)
    for j in range(block.used[0]):
        for e in range(d):
            g[e] -= block.along[j] * block.learned[j, e]
