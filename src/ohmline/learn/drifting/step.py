"""The compiled step of `DriftingLGC`: every head says what it thinks, the weights decide, and all learn."""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import compiled, implements, internal
from ohmline.learn.cluster_specialists.step import tally, teach
from ohmline.learn.contract import TIE
from ohmline.learn.drifting.doubt import agree, disagree
from ohmline.learn.drifting.heads import mix, sharpen
from ohmline.learn.drifting.solve import label_at, solve_all
from ohmline.learn.drifting.state import EXPERTS, FADING, HEADS, OWN, STEADY, DriftSpace, DriftState
from ohmline.learn.drifting.steady import hear_again, held_part
from ohmline.learn.local_lgc.chances import unheard_of
from ohmline.learn.step import learn, view
from ohmline.learn.tracking import follow


@internal
def look(space: DriftSpace, state: DriftState, t: int) -> None:
    """What all heads say of t, unless the scratch holds that already."""
    solves = state.solves
    if solves.node[0] == t:
        return
    solve_all(space, state, t)
    first = EXPERTS * OWN.shape[0]
    for c in range(solves.score.shape[1]):
        solves.score[first, c] = 0.0
        solves.score[first + 1, c] = 0.0
    known = tally(space.slow, state.slow, t)
    known = tally(space.fast, state.fast, t) and known  # a label reaches both committees or none
    for c in state.order:
        if c < 0 or not known:
            break
        solves.score[first, c] = state.slow.hall.score[c]
        solves.score[first + 1, c] = state.fast.hall.score[c]
    mix(state)
    solves.node[0] = t


@internal
def leader(state: DriftState) -> tuple[int, float]:
    """The class of the largest probability, of equals the first learned, and its lead; -1 where no head knows."""
    solves, best, top, second = state.solves, -1, 0.0, 0.0
    if solves.silent[0] > 0:
        return -1, 0.0
    for c in state.order:
        if c < 0:
            break
        if best < 0 or solves.mean[c] > top + TIE:
            best, top, second = c, solves.mean[c], top
        else:
            second = max(second, solves.mean[c])
    return best, top - second if top - second > TIE else 0.0


@internal
def said_by(state: DriftState, head: int) -> int:
    """The class of a head's largest score, of equals the first learned; -1 where it knows nothing."""
    best, top = -1, 0.0
    for c in state.order:
        if c < 0:
            break
        if state.solves.score[head, c] > top:
            best, top = c, state.solves.score[head, c]
    return best


@internal
def score_label(state: DriftState, y: int) -> None:
    """Weights, losses and powers follow the label, unless it says nothing about which head is right."""
    solves = state.solves
    if leader(state)[0] != y:
        state.wrong[0] += 1
    for k in range(HEADS):
        state.mistaken[k] += said_by(state, k) != y
    if state.counts[y] == 0 or solves.silent[0] > 0:
        state.unscored[0] += 1
        return
    said = np.empty(HEADS)
    for k in range(HEADS):
        said[k] = solves.chance[k, y]
    follow(state.followed, said)
    sharpen(state, y)


@internal
def relabel(space: DriftSpace, state: DriftState, expert: int, t: int, y: int, precision: float) -> float:
    """F of one expert once t has label y with this precision, from the solve at t; the squared length of the move.

    With z = p' e_y - p e_old and delta = p' - p: f' = (s + x_t z) / (1 + delta x_t), F_t = s, then
    F += x (z - delta f')', kept in [0, 1], where f lies too.
    """
    solves, head, old = state.solves, expert * OWN.shape[0], label_at(state, expert, t)
    x, touched, estimate = solves.x[expert], solves.touched[expert], state.estimate[expert]
    before = solves.precision[expert, t]
    delta, at, progress = precision - before, x[t], 0.0
    move = np.empty(estimate.shape[1])
    for c in range(move.shape[0]):
        z = (precision if c == y else 0.0) - (before if c == old else 0.0)
        score = solves.score[head, c]
        move[c] = z - delta * (score + at * z) / (1 + delta * at)
        estimate[t, c] = score
    if expert == FADING:
        state.faded[t] = state.clock[0]
    for c in state.order:
        if c < 0:
            break
        progress += at * move[c] * move[c]
    for a in range(solves.found[expert]):
        j = touched[a]
        if x[j] > 0:
            if expert == FADING and j != t:
                left = np.exp((state.faded[j] - state.clock[0]) / space.memory)
                state.faded[j] = state.clock[0]
                for c in range(move.shape[0]):
                    estimate[j, c] *= left
            for c in range(move.shape[0]):
                estimate[j, c] = min(max(estimate[j, c] + x[j] * move[c], 0.0), 1.0)
    return progress


@internal
def learn_class(space: DriftSpace, state: DriftState, t: int, y: int) -> float:
    """Every expert and committee learns class y at t, whose solves are in the scratch."""
    old, progress = state.label[t], 0.0
    score_label(state, y)
    if state.counts[y] == 0:
        for k in range(state.order.shape[0]):
            if state.order[k] < 0:
                state.order[k] = y
                break
    if old == y:
        agree(state, t)
    for expert in range(EXPERTS):
        if expert != STEADY:
            progress += relabel(space, state, expert, t, y, 1 / space.mu)
    held, strength = hear_again(state, t, y)
    part = held_part(strength)
    if held != state.held[t] or part != held_part(state.strength[t]):
        progress += relabel(space, state, STEADY, t, held, part / space.mu)
    state.held[t], state.strength[t] = held, strength
    if old >= 0 and old != y:
        disagree(space, state, t, old, y)
    state.label[t] = y
    state.told[t] = state.clock[0]
    state.confidence[t] = 1.0
    state.counts[y] += 1
    teach(space.slow, state.slow, t, y)
    teach(space.fast, state.fast, t, y)
    if state.timed[0] == 0:
        state.clock[0] += 1.0
    state.solves.node[0] = -1
    return progress


@compiled
def chances_at(space: DriftSpace, state: DriftState, t: int, chance: Floats) -> bool:
    """The probabilities at t, with a part kept for classes that have no label; False where no head knows."""
    look(space, state, t)
    if state.solves.silent[0] > 0:
        return False
    classes = chance.shape[0]
    new, empty = unheard_of(state.counts, classes)
    for c in range(classes):
        chance[c] = (1 - new) * state.solves.mean[c]
        if empty == 0 or state.counts[c] == 0:
            chance[c] += new / (empty if empty else classes)
    return True


@compiled
def survey(
    space: DriftSpace, state: DriftState, where: Ints, codes: Ints, margins: Floats, chance: Floats
) -> None:
    """What is said of the nodes `where`, one after the other."""
    for a in range(where.shape[0]):
        known = chances_at(space, state, where[a], chance[a])
        codes[a], margins[a] = leader(state)
        if not known:
            chance[a] = np.nan


@implements(view, DriftState)
def view_drifting(space: Any, state: DriftState, x: int) -> tuple[int, float]:
    look(space, state, x)
    return leader(state)


@implements(learn, DriftState)
def learn_drifting(space: Any, state: DriftState, x: int, y: int, margin: float) -> tuple[bool, float]:
    look(space, state, x)  # `view` ran on the same node just before, so its solves are still there
    return True, learn_class(space, state, x, y)
