"""The exact scores of all nodes, to within a proven error: Q F = b for every class together.

A method of conjugate gradients, preconditioned by a symmetric sweep of Gauss-Seidel in the form of Eisenstat (1981):
with Q = D - L - U, the directions are those of (D - L)^-1 Q (D - U)^-1, which needs no product with Q, so that a step
costs one look at each edge from either end. Four classes go together. Nothing of the learner is changed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.compiled import any_order, compiled
from ohmline.learn.local_lgc.adjacency import Adjacency, width_of
from ohmline.learn.local_lgc.state import LocalState

WIDE = 4
"""Classes that are solved for together: as many numbers as a processor treats at once."""
EXACTER = 0.03
"""What may be left of a residual, as a share of the tolerance of local solves: so little that nearly every class is
certain."""
MOST_STEPS = 8000
"""Steps at most before what is left is computed anew."""
PUSHES = 4
"""Sweeps of the proof how far each score may be off."""
SLACK = 1 + 1e-9
"""More than what rounding can take from a sum of numbers that are not negative."""

EPSILON = float(np.finfo(np.float64).eps)

Quad = tuple[float, float, float, float]
"""One number for each column of a block."""


class Halves(NamedTuple):
    """The edges of the graph, in one piece: of each node first those to earlier nodes, then those to later ones."""

    begin: Ints
    middle: Ints
    neighbour: Ints
    weight: AnyArray


def solved(adjacency: Adjacency, state: LocalState, start: Floats) -> tuple[Floats, Floats]:
    """The scores of all nodes, and for each node how far they may be from the exact ones.

    It begins at `start`, and ends where no residual exceeds a small share of tolerance Q_jj.
    """
    n, classes = start.shape
    scores, largest = np.empty((n, classes)), np.zeros(n)
    block, residual = np.empty((n, WIDE)), np.empty((n, WIDE))
    halves = halves_of(adjacency, np.float32)
    for first in range(0, classes, WIDE):
        last = min(first + WIDE, classes)
        block[:, last - first :], block[:, : last - first] = 0.0, start[:, first:last]
        _solve_block(adjacency, state, halves, first, last, block, residual)
        scores[:, first : first + WIDE] = block[:, : classes - first]
        np.maximum(largest, np.abs(residual).max(axis=1), out=largest)
    return scores, error_of(adjacency, state, largest)


def proven(adjacency: Adjacency, state: LocalState, scores: Floats) -> Floats:
    """For each node how far its scores, wherever they come from, may be from the exact ones."""
    n, classes = scores.shape
    block, residual, largest = np.empty((n, WIDE)), np.empty((n, WIDE)), np.zeros(n)
    for first in range(0, classes, WIDE):
        last = min(first + WIDE, classes)
        block[:, last - first :], block[:, : last - first] = 0.0, scores[:, first:last]
        residual_of(adjacency, state.nodes, first, last, block, residual)
        np.maximum(largest, np.abs(residual).max(axis=1), out=largest)
    return error_of(adjacency, state, largest)


def error_of(adjacency: Adjacency, state: LocalState, largest: Floats) -> Floats:
    """The same from the largest residual of each node, which is spent on the way."""
    n = len(largest)
    error = np.zeros(n)
    # Q_jj and each residual are sums of so many terms, each rounded; a score is at most 1.
    precision = np.array(state.precision[:n])
    largest += EPSILON * (8 + 3 * adjacency.size[:n]) * precision
    bound_errors(adjacency, precision, largest, error)
    return error


def halves_of(adjacency: Adjacency, kind: type[Any]) -> Halves:
    """The edges as they are walked here."""
    n, ends = adjacency.extent.tolist()
    narrow = np.int32 if max(n, ends) < 2**31 else np.int64
    halves = Halves(
        np.empty(n + 1, np.int64), np.empty(n, np.int64), np.empty(ends, narrow), np.empty(ends, kind)
    )
    sort_halves(adjacency, *halves)
    return halves


@compiled
def sort_halves(
    adjacency: Adjacency, begin: Ints, middle: Ints, neighbour: AnyArray, weight: AnyArray
) -> None:
    """Fill `Halves`."""
    used = 0
    for j in range(middle.shape[0]):
        begin[j] = used
        size = adjacency.stop[j] - adjacency.start[j]
        last = used + size
        for p in range(adjacency.start[j], adjacency.stop[j]):
            if adjacency.neighbour[p] < j:
                neighbour[used], weight[used] = adjacency.neighbour[p], adjacency.weight[p & adjacency.every]
                used += 1
            else:
                last -= 1
                neighbour[last], weight[last] = adjacency.neighbour[p], adjacency.weight[p & adjacency.every]
        middle[j] = used
        used = begin[j] + size
    begin[middle.shape[0]] = used


def _solve_block(
    adjacency: Adjacency,
    state: LocalState,
    halves: Halves,
    first: int,
    last: int,
    scores: Floats,
    residual: Floats,
) -> None:
    """Solve for the classes from `first` to `last`, and leave the residual.

    What is left is solved for in single precision, which is faster, and added; then what is left is computed anew in
    double precision. Where single precision does not get on, double precision takes over.
    """
    n = len(scores)
    nodes, precision = state.nodes, np.array(state.precision[:n])
    enough, single = EXACTER * adjacency.tolerance, True
    goal = enough
    worst = residual_of(adjacency, nodes, first, last, scores, residual)
    while worst > enough:
        before = worst
        correct(halves, precision, residual, scores, goal, adjacency.least)
        goal /= 4
        worst = residual_of(adjacency, nodes, first, last, scores, residual)
        if not worst <= before / 2:
            if not single:
                break
            single, halves = False, halves_of(adjacency, np.float64)


def correct(
    halves: Halves,
    precision: Floats,
    residual: Floats,
    scores: Floats,
    goal: float,
    least: float = 0.0,
    most: int = MOST_STEPS,
) -> bool:
    """Add the solution for what is left to the scores, which stay between `least` and 1.

    It ends once a forward sweep would change no entry by more than `goal`, which is the answer, or where nothing moves
    any more, or after so many steps.
    """
    kind = halves.weight.dtype.type
    diagonal, inverse = precision.astype(kind), (1 / precision).astype(kind)
    left = residual.astype(kind)
    along, there, back = np.zeros_like(left), np.empty_like(left), np.empty_like(left)
    change = np.zeros_like(left)
    power, share, worst = begin_descent(halves, diagonal, left), (0.0, 0.0, 0.0, 0.0), np.inf
    for _ in range(most):
        sweep_back(halves, diagonal, inverse, left, along, there, share)
        step = ratios(power, sweep_forth(halves, diagonal, inverse, along, there, back))
        worst, after = advance(diagonal, change, left, there, back, step)
        share, power = ratios(after, power), after
        if not goal < worst < np.inf or not any(step):
            break
    if np.isfinite(change).all():
        np.clip(scores + change, least, 1.0, out=scores)
    return bool(worst <= goal)


@compiled
def residual_of(
    adjacency: Adjacency,
    nodes: Any,
    first: int,
    last: int,
    scores: Floats,
    residual: Floats,
) -> float:
    """b - Q F into `residual`; the largest entry as a share of the Q_jj that tolerances speak of."""
    worst = 0.0
    for j in range(scores.shape[0]):
        q = -nodes[j].q
        a, b, c, d = q * scores[j, 0], q * scores[j, 1], q * scores[j, 2], q * scores[j, 3]
        for p in range(adjacency.start[j], adjacency.stop[j]):
            w, k = adjacency.weight[p & adjacency.every], adjacency.neighbour[p]
            a += w * scores[k, 0]
            b += w * scores[k, 1]
            c += w * scores[k, 2]
            d += w * scores[k, 3]
        residual[j, 0], residual[j, 1], residual[j, 2], residual[j, 3] = a, b, c, d
        if first <= nodes[j].label < last:
            residual[j, nodes[j].label - first] += 1 / adjacency.mu
        row = residual[j]
        most = max(max(abs(row[0]), abs(row[1])), max(abs(row[2]), abs(row[3])))
        worst = max(worst, most / width_of(adjacency, nodes, j))
    return worst


@compiled
def begin_descent(halves: Halves, diagonal: AnyArray, left: AnyArray) -> Quad:
    """(D - L)^-1 r in place of r, and its squared length in the sense of D."""
    one = two = three = four = 0.0
    for j in range(left.shape[0]):
        a, b, c, d = left[j, 0], left[j, 1], left[j, 2], left[j, 3]
        for p in range(halves.begin[j], halves.middle[j]):
            w, k = halves.weight[p], halves.neighbour[p]
            a += w * left[k, 0]
            b += w * left[k, 1]
            c += w * left[k, 2]
            d += w * left[k, 3]
        q = diagonal[j]
        a, b, c, d = a / q, b / q, c / q, d / q
        left[j, 0], left[j, 1], left[j, 2], left[j, 3] = a, b, c, d
        one += a * a * q
        two += b * b * q
        three += c * c * q
        four += d * d * q
    return one, two, three, four


@any_order
def sweep_back(
    halves: Halves,
    diagonal: AnyArray,
    inverse: AnyArray,
    left: AnyArray,
    along: AnyArray,
    there: AnyArray,
    share: Quad,
) -> None:
    """The next direction p = D r + share p, and t = (D - U)^-1 p."""
    kind = left.dtype.type
    s, t, u, v = kind(share[0]), kind(share[1]), kind(share[2]), kind(share[3])
    for back in range(left.shape[0]):
        j = left.shape[0] - 1 - back
        q = diagonal[j]
        a, b = q * left[j, 0] + s * along[j, 0], q * left[j, 1] + t * along[j, 1]
        c, d = q * left[j, 2] + u * along[j, 2], q * left[j, 3] + v * along[j, 3]
        along[j, 0], along[j, 1], along[j, 2], along[j, 3] = a, b, c, d
        for p in range(halves.middle[j], halves.begin[j + 1]):
            w, k = halves.weight[p], halves.neighbour[p]
            a += w * there[k, 0]
            b += w * there[k, 1]
            c += w * there[k, 2]
            d += w * there[k, 3]
        q = inverse[j]
        there[j, 0], there[j, 1], there[j, 2], there[j, 3] = a * q, b * q, c * q, d * q


@any_order
def sweep_forth(
    halves: Halves, diagonal: AnyArray, inverse: AnyArray, along: AnyArray, there: AnyArray, back: AnyArray
) -> Quad:
    """u = (D - L)^-1 (p - D t); p'(t + u)."""
    one = two = three = four = 0.0
    for j in range(along.shape[0]):
        q = diagonal[j]
        a, b = along[j, 0] - q * there[j, 0], along[j, 1] - q * there[j, 1]
        c, d = along[j, 2] - q * there[j, 2], along[j, 3] - q * there[j, 3]
        for p in range(halves.begin[j], halves.middle[j]):
            w, k = halves.weight[p], halves.neighbour[p]
            a += w * back[k, 0]
            b += w * back[k, 1]
            c += w * back[k, 2]
            d += w * back[k, 3]
        q = inverse[j]
        a, b, c, d = a * q, b * q, c * q, d * q
        back[j, 0], back[j, 1], back[j, 2], back[j, 3] = a, b, c, d
        one += along[j, 0] * (there[j, 0] + a)
        two += along[j, 1] * (there[j, 1] + b)
        three += along[j, 2] * (there[j, 2] + c)
        four += along[j, 3] * (there[j, 3] + d)
    return one, two, three, four


@any_order
def advance(
    diagonal: AnyArray, change: AnyArray, left: AnyArray, there: AnyArray, back: AnyArray, step: Quad
) -> tuple[float, Quad]:
    """Move every column along its direction; the largest entry of what is left, and its squared length."""
    kind = change.dtype.type
    worst, one, two, three, four = kind(0.0), 0.0, 0.0, 0.0, 0.0
    s, t, u, v = kind(step[0]), kind(step[1]), kind(step[2]), kind(step[3])
    for j in range(change.shape[0]):
        change[j, 0] += s * there[j, 0]
        change[j, 1] += t * there[j, 1]
        change[j, 2] += u * there[j, 2]
        change[j, 3] += v * there[j, 3]
        a, b = left[j, 0] - s * (there[j, 0] + back[j, 0]), left[j, 1] - t * (there[j, 1] + back[j, 1])
        c, d = left[j, 2] - u * (there[j, 2] + back[j, 2]), left[j, 3] - v * (there[j, 3] + back[j, 3])
        left[j, 0], left[j, 1], left[j, 2], left[j, 3] = a, b, c, d
        worst = max(worst, max(max(abs(a), abs(b)), max(abs(c), abs(d))))
        q = diagonal[j]
        one += a * a * q
        two += b * b * q
        three += c * c * q
        four += d * d * q
    return worst, (one, two, three, four)


def ratios(top: Quad, bottom: Quad) -> Quad:
    """One ratio for each column; 0 for a column where nothing is left."""
    a, b, c, d = (one / other if other > 0 else 0.0 for one, other in zip(top, bottom, strict=True))
    return a, b, c, d


@compiled
def bound_errors(adjacency: Adjacency, precision: Floats, left: Floats, error: Floats) -> None:
    """How far each score may be off at most, from the size of each residual, which is spent on the way.

    Q^-1 has no negative entry, so that the error is at most Q^-1 |r|; with signs it is at most what it would be without
    them (`signs.py`). A push of what is left at j adds left_j / Q_jj to
    the bound of j and hands the rest on to its neighbours; what is left in the end costs its largest entry / ridge.
    """
    n, rest = left.shape[0], 0.0
    for sweep in range(PUSHES):
        for turn in range(n):
            j = turn if sweep % 2 == 0 else n - 1 - turn
            share = SLACK * left[j] / precision[j]
            left[j] = 0.0
            error[j] += share
            for p in range(adjacency.start[j], adjacency.stop[j]):
                left[adjacency.neighbour[p]] += share * abs(adjacency.weight[p & adjacency.every])
    for j in range(n):
        rest = max(rest, left[j])
    for j in range(n):
        error[j] += SLACK * rest / adjacency.ridge
