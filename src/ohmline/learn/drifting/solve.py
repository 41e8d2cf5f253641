"""Local solves with labels of any precision: `LocalLGC`'s, one for each way to forget.

| recipe | here |
|---|---|
| Q = L + ridge I + diag(p) | p_j, the precision of j's label, 1 / mu at most |
| e_t = Q x + r | `solves.x`, `solves.r`, row by row |
| score_t = sum_j x_j p_j e_(label of j) + F'r | `solves.score` |
"""

from __future__ import annotations

import numpy as np

from ohmline.compiled import inlined, internal
from ohmline.learn.drifting.state import DOUBT, EXPERTS, FADING, OWN, STEADY, DriftSpace, DriftState
from ohmline.learn.drifting.steady import held_part

TOLERANCE = 1e-3
"""Where a solve ends at the latest: no r_j exceeds it times Q_jj."""
COARSEST = 1e-2
"""The tolerance of its first round; each further one has a third."""
CAUTION = 0.1
"""A solve ends once the gap of the two best classes exceeds so many times the residual."""
HEAVY = 3.0
"""An edge counts for at most so many units where a solve asks whether what is left at a node is little."""
MOST_EDGES = 20_000
"""A solve walks so many edges at most, beside those of its node."""
GONE = 1e-4
"""A label of less of its full precision counts no more."""
SEEN, QUEUED = np.uint8(1), np.uint8(2)


@inlined
def label_at(state: DriftState, expert: int, j: int) -> int:
    """The class that an expert takes j to have, -1 for none."""
    return state.held[j] if expert == STEADY else state.label[j]


@internal
def precision_at(space: DriftSpace, state: DriftState, expert: int, j: int) -> float:
    """p_j."""
    if state.label[j] < 0:
        return 0.0
    left = 1.0
    if expert == FADING:
        left = np.exp((state.told[j] - state.clock[0]) / space.memory)
    elif expert == DOUBT:
        left = state.confidence[j]
    elif expert == STEADY:
        left = held_part(state.strength[j])
    return left / space.mu if left >= GONE else 0.0


@internal
def enough_at(space: DriftSpace, j: int, q: float) -> float:
    """What the residual at j is compared with: Q_jj, heavy edges not counted in full; see `width_of` of LocalLGC."""
    return min(q, HEAVY * (space.start[j + 1] - space.start[j] + 1))


@internal
def push(space: DriftSpace, state: DriftState, expert: int, tolerance: float, left: int) -> int:
    """Push until no r_j exceeds the tolerance, or `left` edges were walked; how many edges are left."""
    solves = state.solves
    x, r, precision, touched = (
        solves.x[expert],
        solves.r[expert],
        solves.precision[expert],
        solves.touched[expert],
    )
    queue, mark, capacity = solves.queue, solves.mark, solves.queue.shape[0]
    count, head, waiting = solves.found[expert], 0, 0
    for a in range(count):
        j = touched[a]
        q = space.degree[j] + space.ridge + precision[j]
        # The node itself is pushed once in any case, so that x_t is above 0.
        if r[j] > tolerance * enough_at(space, j, q) or (a == 0 and x[j] == 0):
            queue[waiting] = j
            mark[j] |= QUEUED
            waiting += 1
    tail = waiting if waiting < capacity else 0
    while waiting > 0 and left > 0:
        j = queue[head]
        head = head + 1 if head + 1 < capacity else 0
        waiting -= 1
        mark[j] &= ~QUEUED
        moved = r[j] / (space.degree[j] + space.ridge + precision[j])
        r[j] = 0.0
        x[j] += moved
        left -= space.start[j + 1] - space.start[j]
        for p in range(space.start[j], space.start[j + 1]):
            k = space.neighbour[p]
            r[k] += moved * space.weight[p & space.every]
            if mark[k] & SEEN == 0:
                mark[k] |= SEEN
                touched[count] = k
                count += 1
                precision[k] = precision_at(space, state, expert, k)
            q = space.degree[k] + space.ridge + precision[k]
            if mark[k] & QUEUED == 0 and r[k] > tolerance * enough_at(space, k, q):
                mark[k] |= QUEUED
                queue[tail] = k
                tail = tail + 1 if tail + 1 < capacity else 0
                waiting += 1
    while waiting > 0:
        mark[queue[head]] &= ~QUEUED
        head = head + 1 if head + 1 < capacity else 0
        waiting -= 1
    solves.found[expert] = count
    return left


@internal
def weigh(space: DriftSpace, state: DriftState, expert: int) -> bool:
    """The scores of the expert's first head, and whether their gap is beyond doubt."""
    solves, head = state.solves, expert * OWN.shape[0]
    x, r, precision, touched = (
        solves.x[expert],
        solves.r[expert],
        solves.precision[expert],
        solves.touched[expert],
    )
    score = solves.score[head]
    score[:] = 0.0
    residual = 0.0
    for a in range(solves.found[expert]):
        j = touched[a]
        label = label_at(state, expert, j)
        if label >= 0:
            score[label] += x[j] * precision[j]
        if r[j] > 0:
            residual += r[j]
            part = r[j]
            if expert == FADING:
                part *= np.exp((state.faded[j] - state.clock[0]) / space.memory)
            for c in range(score.shape[0]):
                score[c] += part * state.estimate[expert, j, c]
    top, second = 0.0, 0.0
    for c in state.order:
        if c < 0:
            break
        if score[c] > top:
            top, second = score[c], top
        else:
            second = max(second, score[c])
    return top - second > CAUTION * residual


@internal
def solve(space: DriftSpace, state: DriftState, expert: int, t: int) -> None:
    """Solve at t, round by round, and score the expert's heads."""
    solves = state.solves
    for a in range(solves.found[expert]):  # what the solve before left behind
        j = solves.touched[expert, a]
        solves.x[expert, j] = 0.0
        solves.r[expert, j] = 0.0
    solves.found[expert] = 1
    solves.touched[expert, 0] = t
    solves.mark[t] |= SEEN
    solves.r[expert, t] = 1.0
    solves.precision[expert, t] = precision_at(space, state, expert, t)
    left: int = MOST_EDGES + space.start[t + 1] - space.start[t]
    tolerance = COARSEST
    while True:
        left = push(space, state, expert, tolerance, left)
        if weigh(space, state, expert) or tolerance <= TOLERANCE or left <= 0:
            break
        tolerance = max(tolerance / 3, TOLERANCE)
    for a in range(solves.found[expert]):
        solves.mark[solves.touched[expert, a]] = 0
    own_heads(state, expert, t)


@internal
def own_heads(state: DriftState, expert: int, t: int) -> None:
    """As if the node's own label counted h times as much: s_h = (s + x_t delta e_own) / (1 + delta x_t)."""
    solves, first = state.solves, expert * OWN.shape[0]
    x, precision, own = solves.x[expert, t], solves.precision[expert, t], label_at(state, expert, t)
    for h in range(1, OWN.shape[0]):
        more = precision * (OWN[h] - 1)
        for c in range(solves.score.shape[1]):
            solves.score[first + h, c] = solves.score[first, c]
        if own >= 0 and more > 0:
            solves.score[first + h, own] += x * more
            for c in range(solves.score.shape[1]):
                solves.score[first + h, c] /= 1 + more * x


@internal
def solve_all(space: DriftSpace, state: DriftState, t: int) -> None:
    """Solve at t with every way to forget."""
    for expert in range(EXPERTS):
        solve(space, state, expert, t)
