"""What `LocalLGC` knows, and which class its scores say."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np

from ohmline.arrays import AnyArray, Bools, Floats, Ints
from ohmline.compiled import generic, internal, prefetch
from ohmline.learn.contract import TIE
from ohmline.learn.local_lgc.adjacency import Adjacency
from ohmline.learn.local_lgc.nodes import STALE
from ohmline.learn.local_lgc.scratch import LocalSolve
from ohmline.learn.local_lgc.signs import first_two_signed

AHEAD = 8
"""The rows of F of so many nodes are on their way from memory at a time ..."""
CLOSE = 1 << 20
"""... where all of them take more bytes than this, and so are not near the processor anyway."""


class LocalState(NamedTuple):
    """What the learner knows; `solve` is not part of it."""

    estimate: Any
    """F: one row per node, one column per class; or the `FewClasses` that each node keeps."""
    nodes: AnyArray
    """What is known of each node, and its part of the last solve: records of type `NODE`."""
    counts: Ints
    """How many nodes have each class."""
    order: Ints
    """The classes in the order in which they were first learned, then -1."""
    sharpness: Floats
    """The two powers that turn scores into probabilities, and the curvature that they were fitted with."""
    labelled: Ints
    """At the root of each tree of connected nodes: how many of them have a label."""
    solve: LocalSolve

    @property
    def label(self) -> Ints:
        """The class at each node, -1 for none."""
        return cast(Ints, self.nodes["label"])

    @property
    def precision(self) -> Floats:
        """Q_jj of each node."""
        return cast(Floats, self.nodes["q"])

    @property
    def stale(self) -> Bools:
        """Where Q F = b may be off."""
        return np.asarray(self.nodes["mark"] & STALE > 0)


def every_class(estimate: Floats, adjacency: Adjacency, nodes: Any, solve: LocalSolve) -> tuple[float, float]:
    """`add_up` over rows that hold every class."""
    base, score = solve.base, solve.score
    classes = score.shape[0]
    residual, negative = 0.0, 0.0
    count, rows, width = solve.found[0].touched, estimate.ctypes.data, classes * estimate.itemsize
    far = width * estimate.shape[0] > CLOSE
    one, two = 0.0, 0.0  # the scores of two classes, in registers
    for a in range(count):
        if far and a + AHEAD < count:
            prefetch(rows + solve.touched[a + AHEAD] * width, 1)
            prefetch(rows + solve.touched[a + AHEAD] * width + width - 1, 1)
        # Unsigned, so that Numba need not ask whether it counts from the end.
        j: Any = np.uint64(solve.touched[a])
        label, r = nodes[j].label, nodes[j].r
        if label >= 0:
            base[label] += nodes[j].x / adjacency.mu
        # Also where r is 0, which adds nothing: whether it is, nobody can foretell.
        residual += abs(r)
        negative += max(-r, 0.0)
        if classes == 2:
            one += estimate[j, 0] * r
            two += estimate[j, 1] * r
        else:
            for c in range(np.uint64(classes)):
                score[c] += estimate[j, c] * r
    if classes == 2:
        score[0], score[1] = one, two
    return residual, negative


@generic("estimate", default=every_class)
def add_up(estimate: Any, adjacency: Any, nodes: Any, solve: Any) -> tuple[float, float]:
    """b'x into `base`, F'r into `score`; ||r||_1, and the part of it where r < 0."""
    raise TypeError("compiled code only")


@internal
def weigh(adjacency: Adjacency, state: LocalState, t: int) -> None:
    """Scores and gap from the x and r of the solve at t."""
    solve = state.solve
    base, score = solve.base, solve.score
    classes = score.shape[0]
    base[:] = 0.0
    score[:] = 0.0
    residual, negative = add_up(state.estimate, adjacency, state.nodes, solve)
    for c in range(classes):
        score[c] = max(score[c] + base[c], adjacency.least)
    best, top, second = leading(adjacency, score, state.order, state.counts)
    if best < 0 and adjacency.guess:
        best = commonest(state)
    solve.found[0].code = best
    solve.found[0].margin = top - second if top - second > TIE else 0.0
    solve.found[0].residual = residual
    solve.found[0].negative = negative


@internal
def leading(adjacency: Adjacency, score: Floats, order: Ints, counts: Ints) -> tuple[int, float, float]:
    """The class that scores say, its score, the next one: `first_two`, or what signs make of it."""
    return first_two_signed(score, order, counts) if adjacency.least < 0 else first_two(score, order)


@internal
def first_two(score: Floats, order: Ints) -> tuple[int, float, float]:
    """The class of the largest positive score (-1: none; of equals the first learned), it, the next."""
    best, top, second = -1, 0.0, 0.0
    for c in order:
        if c < 0:
            break
        if score[c] > top:
            best, top, second = c, score[c], top
        else:
            second = max(second, score[c])
    return best, top, second


@internal
def commonest(state: LocalState) -> int:
    """The class of most nodes, the first learned among equals; -1 before any label."""
    best, most = -1, 0
    for c in state.order:
        if c < 0:
            break
        if state.counts[c] > most:
            best, most = c, state.counts[c]
    return best
