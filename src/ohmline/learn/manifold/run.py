"""One compiled trial over vectors, and the loop that drives many.

A trial is ``read``, ``begin``, ``slopes_of``, ``move``, ``admit`` in a row. A learner whose regulariser
is written in Python calls the same, with its own slopes between the compiled halves.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np
from numba import njit

from ohmline.arrays import Floats, Ints
from ohmline.compiled import compiled, dot, inner
from ohmline.learn.contract import TIE
from ohmline.learn.manifold.basis import admit, weigh
from ohmline.learn.manifold.expansion import (
    LABELS,
    SIZE,
    TIME,
    UNLABELLED,
    Expansion,
    Scratch,
    draw,
    read,
)
from ohmline.learn.manifold.smoothness import MANIFOLD, MULTIVIEW, agreement_slopes, graph_slopes
from ohmline.learn.manifold.step import move, rate
from ohmline.learn.stepping import Log, Trials, asks


class Terms(NamedTuple):
    """The options of a learner, as compiled code reads them."""

    columns: Ints
    """The feature columns of each view, (views, d); -1 pads."""
    kernel: int
    gain: Floats
    """1 / (2 sigma_K^2), one per view."""
    smoothness: int
    sharpness: float
    """1 / (2 sigma^2)."""
    reach: float
    loss: int
    proximal: bool
    gamma: float
    decaying: bool
    replays: int
    steady: bool
    """The graph term counts a past of ``REMEMBERED`` buffers at most: for streams that drift."""
    lambda_1: float
    lambda_2: float
    ratio: float
    """T / l; 0 takes it from the stream so far."""
    reduction: float
    atoms: int
    averaged: bool


REMEMBERED = 10.0
"""How many buffers of points the past is worth under drift: the graph term counts no more than that."""


REFRESH = 1024
"""Trials after which the values at the basis are computed afresh, so that rounding does not pile up."""


# Reassociation lets the loop vectorise, as in ``ohmline.compiled.dot``.
@cast(Any, njit(cache=True, fastmath={"reassoc", "nsz"}))  # type: ignore[untyped-decorator]
def sum_of(values: Floats, n: int) -> float:
    """The sum of the first ``n`` values."""
    total = 0.0
    for i in range(n):
        total += values[i]
    return total


@compiled
def crowding(terms: Terms, expansion: Expansion, t: int) -> float:
    """The factor that makes the masses of the basis add up to the points seen before this one.

    For a buffer it is eq. (7)'s t / tau, here (t - 1) / |B|: 1 while the buffer fills. The masses of a
    tree's leaves are their counts, so for it the factor is 1 as well. A stream that drifts has no
    longer past than ``REMEMBERED`` buffers, so there the factor stops growing.
    """
    total = sum_of(expansion.mass, expansion.tally[SIZE])
    if total <= 0.0:
        return 1.0
    factor = max((t - 1) / total, 1.0)
    return min(factor, REMEMBERED) if terms.steady else factor  # type: ignore[no-any-return]


@inner
def measure_apart(expansion: Expansion, scratch: Scratch, m: int) -> None:
    """||K_i - K_x||^2 for the first ``m`` of ``near``."""
    for v in range(expansion.gram.shape[0]):
        gram, k, apart = expansion.gram[v], scratch.k[v], scratch.apart[v]
        for a in range(m):
            i = scratch.near[a]
            apart[i] = max(gram[i, i] + scratch.kxx[v] - 2.0 * k[i], 0.0)


@inner
def graph_pull(terms: Terms, expansion: Expansion, scratch: Scratch, m: int) -> float:
    """The graph's derivatives over the first ``m`` of ``near``, into scratch; its curvature."""
    measure_apart(expansion, scratch, m)
    return graph_slopes(
        scratch.score,
        expansion.value,
        scratch.weight,
        expansion.mass,
        crowding(terms, expansion, expansion.tally[TIME]),
        scratch.near,
        m,
        scratch.apart,
        scratch.slope,
        scratch.pull,
    )


@inner
def slopes_of(basis: Any, terms: Terms, expansion: Expansion, scratch: Scratch) -> tuple[int, float]:
    """The derivatives of the regulariser at the new point: (elements it touches, curvature)."""
    m = 0
    if terms.smoothness == MULTIVIEW:
        return m, agreement_slopes(scratch.score, scratch.kxx, scratch.pull)
    if terms.lambda_2 > 0.0 or terms.replays > 0:
        m = weigh(basis, terms, expansion, scratch)
    return m, graph_pull(terms, expansion, scratch, m)


@inner
def begin(expansion: Expansion, y: int) -> None:
    """Count the trial, and take f_t into the average before it moves."""
    expansion.tally[TIME] += 1
    if y != UNLABELLED:
        expansion.tally[LABELS] += 1
    n, t = expansion.tally[SIZE], expansion.tally[TIME]
    views, classes, _ = expansion.alpha.shape
    share = 1.0 / t
    for v in range(views):
        for c in range(classes):
            alpha, mean = expansion.alpha[v, c], expansion.mean[v, c]
            for i in range(n):
                mean[i] += share * (alpha[i] - mean[i])
            if t % REFRESH == 0:
                for i in range(n):
                    expansion.value[v, c, i] = dot(expansion.gram[v, i], alpha, n)


@compiled
def finish(
    basis: Any, terms: Terms, expansion: Expansion, scratch: Scratch, y: int, m: int, curvature: float
) -> float:
    """The second half of a trial whose slopes were found in Python; squared length of the step."""
    begin(expansion, y)
    sqlength = move(terms, expansion, scratch, y, rate(terms, expansion.tally[TIME]), m, curvature)
    admit(basis, terms, expansion, scratch, y)
    return sqlength


@inner
def replay(terms: Terms, expansion: Expansion, scratch: Scratch, eta: float) -> None:
    """Take the step at a random element of the basis once more, with its label if it has one."""
    n = expansion.tally[SIZE]
    i = min(int(draw(expansion) * n), n - 1)
    m = 0
    for j in range(n):
        scratch.weight[j] = expansion.weight[i, j]
        if scratch.weight[j] > 0.0:
            scratch.near[m] = j
            m += 1
    views, classes, _ = expansion.alpha.shape
    for v in range(views):
        scratch.kxx[v] = expansion.gram[v, i, i]
        row, k = expansion.gram[v, i], scratch.k[v]
        for j in range(n):
            k[j] = row[j]
        for c in range(classes):
            scratch.score[v, c] = expansion.value[v, c, i]
    if terms.smoothness == MANIFOLD:
        curvature = graph_pull(terms, expansion, scratch, m)
    else:
        curvature = agreement_slopes(scratch.score, scratch.kxx, scratch.pull)
    touched = m * int(terms.smoothness == MANIFOLD)
    move(terms, expansion, scratch, expansion.label[i], eta, touched, curvature)
    for v in range(views):
        for c in range(classes):
            expansion.alpha[v, c, i] += scratch.delta[v, c]


@inner
def verdict(terms: Terms, expansion: Expansion, scratch: Scratch) -> tuple[int, float]:
    """(class, margin) of the point that was just read: a margin within rounding of 0 is a tie."""
    n = expansion.tally[SIZE]
    views, classes, _ = expansion.alpha.shape
    best, first, second, scale = 0, -np.inf, -np.inf, 0.0
    for c in range(classes):
        score, size = 0.0, 0.0
        for v in range(views):
            coefficients = expansion.mean[v, c] if terms.averaged else expansion.alpha[v, c]
            score += dot(coefficients, scratch.k[v], n) if terms.averaged else scratch.score[v, c]
            size += terms_size(coefficients, scratch.k[v], n)
        score /= views
        scale = max(scale, size / views)
        if score > first:
            best, first, second = c, score, first
        elif score > second:
            second = score
    margin = first if classes == 1 else first - second
    if abs(margin) <= TIE * scale:
        margin = 0.0
    if classes == 1:
        best = 1 if margin >= 0.0 else 0
    return best, margin


# Reassociation lets the loop vectorise, as in ``ohmline.compiled.dot``.
@cast(Any, njit(cache=True, fastmath={"reassoc", "nsz"}))  # type: ignore[untyped-decorator]
def terms_size(coefficients: Floats, k: Floats, n: int) -> float:
    """Sum of the sizes of the terms of the expansion at the point: what rounding is measured against."""
    size = 0.0
    for i in range(n):
        size += abs(coefficients[i] * k[i])
    return size


@compiled
def view_row(terms: Terms, expansion: Expansion, scratch: Scratch, x: Floats) -> tuple[int, float]:
    """(class, margin) of a point; changes nothing but scratch."""
    read(terms, expansion, scratch, x)
    return verdict(terms, expansion, scratch)


@compiled
def run(
    basis: Any,
    terms: Terms,
    expansion: Expansion,
    scratch: Scratch,
    trials: Trials,
    spent: int,
    log: Log,
) -> int:
    """Every trial in a row; the number of labels asked for so far."""
    rows, truth, revealed, draws = trials.where, trials.truth, trials.revealed, trials.draws
    rule, first = trials.rule, trials.first
    for t in range(rows.shape[0]):
        prediction, margin = view_row(terms, expansion, scratch, rows[t])
        log.prediction[t] = prediction
        log.margin[t] = margin
        log.variance[t] = np.nan
        y = UNLABELLED
        if revealed[t] and asks(rule, first + t, margin, np.nan, spent, draws[t]):
            spent += 1
            log.asked[t] = True
            y = truth[t]
        begin(expansion, y)
        m, curvature = slopes_of(basis, terms, expansion, scratch)
        eta = rate(terms, expansion.tally[TIME])
        sqlength = move(terms, expansion, scratch, y, eta, m, curvature)
        admit(basis, terms, expansion, scratch, y)
        for _ in range(terms.replays):
            replay(terms, expansion, scratch, eta)
        log.updated[t] = sqlength > 0.0
        log.progress[t] = sqlength
    return spent
