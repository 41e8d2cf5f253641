"""The step over vectors: one compiled trial of online manifold regularisation.

A trial is `read` and `verdict` (the view), then `begin`, `slopes_of`, `move`, `admit` in a row. A learner whose
regulariser is written in Python calls the same, with its own slopes between the compiled halves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import compiled, dot, implements, internal, reassociated
from ohmline.learn.contract import TIE
from ohmline.learn.manifold.bases.contract import admit, weigh
from ohmline.learn.manifold.descent import heaviest, move, rate
from ohmline.learn.manifold.expansion import Expansion, Workspace, draw, read, sum_of
from ohmline.learn.manifold.smoothness import MANIFOLD, MULTIVIEW, agreement_slopes, graph_slopes
from ohmline.learn.step import UNLABELLED, learn, view


class Terms(NamedTuple):
    """The options of a learner, as compiled code reads them."""

    columns: Ints
    """The feature columns of each view, (views, d); -1 pads."""
    scale: Floats
    """What each feature is multiplied by before anything else."""
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
    """The graph term counts a past of `REMEMBERED` buffers at most: for streams that drift."""
    lambda_1: float
    lambda_2: float
    ratio: float
    """T / l; 0 takes it from the stream so far."""
    reduction: float
    atoms: int
    averaged: bool
    binary: bool
    """Whether there is one function of two signs, rather than one per class."""


class ManifoldState(NamedTuple):
    """The basis, the functions over it, and which classes may be said."""

    basis: Any
    expansion: Expansion
    work: Workspace
    order: Ints
    """The codes of the classes in the order in which they win ties: as declared, or as first learned."""
    seen: Ints
    """How many of them may be said."""


REMEMBERED = 10.0
"""How many buffers of points the past is worth under drift: the graph term counts no more than that."""


REFRESH = 1024
"""Trials after which the values at the basis are computed afresh, so that rounding does not pile up."""


@compiled
def crowding(terms: Terms, expansion: Expansion, t: int) -> float:
    """The factor that makes the masses of the basis add up to the points seen before this one.

    For a buffer it is eq. (7)'s t / tau, here (t - 1) / |B|: 1 while the buffer fills. The masses of a
    tree's leaves are their counts, so for it the factor is 1 as well. A stream that drifts has no
    longer past than `REMEMBERED` buffers, so there the factor stops growing.
    """
    total = sum_of(expansion.mass, expansion.size[0])
    if total <= 0.0:
        return 1.0
    factor = max((t - 1) / total, 1.0)
    return min(factor, REMEMBERED) if terms.steady else factor


@internal
def measure_apart(expansion: Expansion, work: Workspace, m: int) -> None:
    """||K_i - K_x||^2 for the first `m` of `near`."""
    for v in range(expansion.gram.shape[0]):
        gram, k, apart = expansion.gram[v], work.k[v], work.apart[v]
        for a in range(m):
            i = work.near[a]
            apart[i] = max(gram[i, i] + work.kxx[v] - 2.0 * k[i], 0.0)


@internal
def graph_pull(terms: Terms, expansion: Expansion, work: Workspace, m: int) -> float:
    """The graph's derivatives over the first `m` of `near`, into work; its curvature."""
    measure_apart(expansion, work, m)
    t, labels = expansion.time[0], expansion.labels[0]
    return graph_slopes(
        work.score,
        expansion.value,
        work.weight,
        expansion.mass,
        crowding(terms, expansion, t),
        heaviest(terms, t, labels),
        work.near,
        m,
        work.apart,
        work.slope,
        work.pull,
    )


@internal
def slopes_of(basis: Any, terms: Terms, expansion: Expansion, work: Workspace) -> tuple[int, float]:
    """The derivatives of the regulariser at the new point: (elements it touches, curvature)."""
    m = 0
    if terms.smoothness == MULTIVIEW:
        return m, agreement_slopes(work.score, work.kxx, work.pull)
    if terms.lambda_2 > 0.0 or terms.replays > 0:
        m = weigh(basis, terms, expansion, work)
    return m, graph_pull(terms, expansion, work, m)


@internal
def begin(expansion: Expansion, y: int) -> None:
    """Count the trial, and take f_t into the average before it moves."""
    expansion.time[0] += 1
    if y != UNLABELLED:
        expansion.labels[0] += 1
    n, t = expansion.size[0], expansion.time[0]
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
def finish(terms: Terms, state: ManifoldState, y: int, m: int, curvature: float) -> float:
    """The second half of a trial whose slopes were found in Python; squared length of the step."""
    expansion, work = state.expansion, state.work
    begin(expansion, y)
    if y != UNLABELLED:
        meet(state, y)
    move(terms, expansion, work, y, rate(terms, expansion.time[0]), m, curvature)
    sqlength = length_of_move(terms, state)
    admit(state.basis, terms, expansion, work, y)
    return sqlength


@internal
def replay(terms: Terms, expansion: Expansion, work: Workspace, eta: float) -> None:
    """Take the step at a random element of the basis once more, with its label if it has one."""
    n = expansion.size[0]
    i = min(int(draw(expansion) * n), n - 1)
    m = 0
    for j in range(n):
        work.weight[j] = expansion.weight[i, j]
        if work.weight[j] > 0.0:
            work.near[m] = j
            m += 1
    views, classes, _ = expansion.alpha.shape
    for v in range(views):
        work.kxx[v] = expansion.gram[v, i, i]
        row, k = expansion.gram[v, i], work.k[v]
        for j in range(n):
            k[j] = row[j]
        for c in range(classes):
            work.score[v, c] = expansion.value[v, c, i]
    if terms.smoothness == MANIFOLD:
        curvature = graph_pull(terms, expansion, work, m)
    else:
        curvature = agreement_slopes(work.score, work.kxx, work.pull)
    touched = m * int(terms.smoothness == MANIFOLD)
    move(terms, expansion, work, expansion.label[i], eta, touched, curvature)
    for v in range(views):
        for c in range(classes):
            expansion.alpha[v, c, i] += work.delta[v, c]


@internal
def verdict(terms: Terms, state: ManifoldState) -> tuple[int, float]:
    """(class, margin) of the point that was just read: a margin within rounding of 0 is a tie."""
    expansion, work = state.expansion, state.work
    n = expansion.size[0]
    views = expansion.alpha.shape[0]
    best, first, second, scale = -1, -np.inf, -np.inf, 0.0
    for k in range(1 if terms.binary else state.seen[0]):
        c = 0 if terms.binary else state.order[k]
        score, size = 0.0, 0.0
        for v in range(views):
            coefficients = expansion.mean[v, c] if terms.averaged else expansion.alpha[v, c]
            score += dot(coefficients, work.k[v], n) if terms.averaged else work.score[v, c]
            size += terms_size(coefficients, work.k[v], n)
        score /= views
        scale = max(scale, size / views)
        if score > first:
            best, first, second = c, score, first
        elif score > second:
            second = score
    if best < 0:
        return -1, 0.0
    margin = first if second == -np.inf else first - second
    if abs(margin) <= TIE * scale:
        margin = 0.0
    if terms.binary:
        best = 1 if margin >= 0.0 else 0
    return best, margin


@reassociated
def terms_size(coefficients: Floats, k: Floats, n: int) -> float:
    """Sum of the sizes of the terms of the expansion at the point: what rounding is measured against."""
    size = 0.0
    for i in range(n):
        size += abs(coefficients[i] * k[i])
    return size


@implements(view, ManifoldState)
def view_manifold(space: Terms, state: ManifoldState, x: Floats) -> tuple[int, float]:
    read(space, state.expansion, state.work, x)
    return verdict(space, state)


@implements(learn, ManifoldState)
def learn_manifold(
    space: Terms, state: ManifoldState, x: Floats, y: int, margin: float
) -> tuple[bool, float]:
    """The rest of a trial, whose `view` has just read the point into the work space."""
    expansion, work = state.expansion, state.work
    begin(expansion, y)
    m, curvature = slopes_of(state.basis, space, expansion, work)
    eta = rate(space, expansion.time[0])
    if y != UNLABELLED:
        meet(state, y)
    move(space, expansion, work, y, eta, m, curvature)
    sqlength = length_of_move(space, state)
    admit(state.basis, space, expansion, work, y)
    for _ in range(space.replays):
        replay(space, expansion, work, eta)
    return sqlength > 0.0, sqlength


@internal
def length_of_move(terms: Terms, state: ManifoldState) -> float:
    """The squared length of the step over the classes that may be said, in their order."""
    total, sqlength = 0.0, state.work.sqlength
    for v in range(sqlength.shape[0]):
        for k in range(1 if terms.binary else state.seen[0]):
            total += sqlength[v, 0 if terms.binary else state.order[k]]
    return max(total, 0.0)


@internal
def meet(state: ManifoldState, y: int) -> None:
    """From now on class y may be said."""
    for k in range(state.seen[0]):
        if state.order[k] == y:
            return
    state.order[state.seen[0]] = y
    state.seen[0] += 1
