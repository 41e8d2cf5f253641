"""Probabilities from scores, by two powers that are fitted to the labels as they come.

At a node with scores s_c, their sum m and Q_tt = q, a class that has labels gets

  P(c) proportional to exp(alpha log(u_c + .02) + beta v u_c),
  u_c = (v s_c / m + .1 / C) / (v + .1),   v = min(q m, 30).

s_c / m is the share of the class: what counts where nodes of every degree hear one voice. v is how many votes are near,
about the number of labelled neighbours: of two nodes with the same shares, the one that hears more labels is the surer
one. In a block model the log odds are linear in votes. Where all labels are far, v is near 0 and even a share of 1 says
little: a tenth of a vote is spread over the C classes that have labels.

Both alpha and beta stay at 0 or above, so that the class of the largest score has the largest probability. They follow
Newton steps on -log P(y), each taken before y is learned, from a prior that was chosen on other graphs: two numbers
and their curvature, of which old labels lose .2 % with each new one. What then is still off for the leading class,
`trust.py` corrects.

A class may still come that has no label yet. Good and Turing estimate its chance by the share of labels that are the
only ones of their class; that is 0 after two labels of one class, so that one more is counted. That holds far from
every label. Where voices are near, they speak against a class that nobody has heard of: from the second class on its
odds are multiplied by (.05 / (v + .05))^(1/2), which is where the log loss of "it is a new class" was least on the
graphs that chose the prior. So much is spread evenly: over the classes that have no label, if some were declared, and
otherwise over all.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import compiled, inlined, internal
from ohmline.learn.local_lgc.state import LocalState
from ohmline.learn.local_lgc.trust import MOST_ODDS, entropy, fresh_trust, learn_trust, trusted

FLOOR = 0.02
"""Share of the score that every class gets before the shares are sharpened into probabilities."""
NEARLY = 0.1
"""So large a part of a vote is spread evenly over the classes that have labels."""
NEW_PRIOR = 1.0
"""So many labels count as if they had been the only ones of their class, before any label."""
NEAR = 0.05
"""Three times as many votes halve the odds of a new class."""
ALPHA, BETA = 1.5, 0.5
"""The powers of shares and of votes before any label."""
ALPHA_PRIOR, BETA_PRIOR = 2.0, 0.3
"""How firmly they are held there: the curvature of the prior."""
KEEP = 0.998
"""What is left of the curvature of earlier labels at each new one."""
MOST_VOTES = 30.0
"""More votes than these say no more: or one hub would settle the powers for good."""
MOST_POWER = 20.0
"""The largest power: with it no probability is so small that it becomes 0."""
AHEAD = 1 - 1e-9
"""What keeps the leader the most probable class, by more than rounding."""
MOST_CURVATURE = 1e6
"""More than the curvature ever is."""


def fresh_powers() -> Floats:
    """Alpha, beta, the curvature of the log loss in both (alpha twice, alpha and beta, beta twice), and trust."""
    return np.concatenate([[ALPHA, BETA, 0.0, 0.0, 0.0], fresh_trust()])


@internal
def score_mass(score: Floats, order: Ints) -> float:
    """The sum of the scores, in the order in which the classes were learned."""
    mass = 0.0
    for c in order:
        if c < 0:
            break
        mass += score[c]
    return mass


@internal
def unheard_of(counts: Any, classes: int) -> tuple[float, int]:
    """The chance of a class that has no label yet, and how many of the classes have none."""
    labels, single, empty = 0, 0, 0
    for c in range(classes):
        labels += counts[c]
        single += counts[c] == 1
        empty += counts[c] == 0
    chance = (single + NEW_PRIOR) / (labels + 1.0 + NEW_PRIOR)
    return (min(chance, empty / classes) if empty else chance), empty


@internal
def heard_of(counts: Ints, order: Ints) -> int:
    """How many classes have labels."""
    known = 0
    for c in order:
        if c < 0:
            break
        known += counts[c] > 0
    return known


@internal
def evened(known: int, votes: float) -> tuple[float, float]:
    """What a share is multiplied by, and what is then added to it, where so many classes are heard of and votes are."""
    kept = votes / (votes + NEARLY)
    return kept, (1.0 - kept) / max(known, 1)


class Labels(NamedTuple):
    """What probabilities need to know of all labels, whatever the node."""

    known: int
    """How many classes have labels."""
    new: float
    """The chance of a class that has none, far from every label."""
    empty: int
    """How many classes have none."""
    spread: float
    """The entropy of the labels."""


@inlined
def unheard_near(labels: Labels, votes: float) -> float:
    """The chance of a class that has no label yet, at a node that hears so many votes of others."""
    if labels.known < 2:
        return labels.new
    odds = labels.new * np.sqrt(NEAR / (votes + NEAR))
    return float(odds / (odds + (1.0 - labels.new)))


@internal
def all_labels(counts: Ints, order: Ints, classes: int) -> Labels:
    """The same for every node."""
    new, empty = unheard_of(counts, classes)
    return Labels(heard_of(counts, order), new, empty, entropy(counts, order))


@internal
def leader(score: Floats, counts: Ints, order: Ints) -> tuple[int, bool]:
    """The class of the largest score among those that have labels (-1: none; of equals the first), and if it is alone.

    Of equals none is said to be more probable than the others.
    """
    best, alone = -1, True
    for c in order:
        if c < 0:
            break
        if counts[c] > 0:
            if best < 0 or score[c] > score[best]:
                best, alone = c, True
            elif score[c] == score[best]:
                alone = False
    return best, alone


@internal
def chances_from(
    score: Floats,
    counts: Ints,
    order: Ints,
    labels: Labels,
    powers: Floats,
    precision: float,
    chance: Floats,
) -> None:
    """Probability of each class, from the scores at a node whose Q_tt is `precision`.

    Where no label reaches: how often each class was learned, plus one.
    """
    mass, classes, total = score_mass(score, order), chance.shape[0], 0.0
    best, alone = leader(score, counts, order)
    if mass <= 0 or best < 0:
        for c in range(classes):
            chance[c] = counts[c] + 1.0
            total += chance[c]
        for c in range(classes):
            chance[c] /= total
        return
    votes = min(precision * mass, MOST_VOTES)
    kept, more = evened(labels.known, votes)
    top = kept * (score[best] / mass) + more
    new, empty = unheard_near(labels, votes), labels.empty
    rest, next_best = 0.0, 0.0
    chance[:] = 0.0
    for c in order:
        if c < 0:
            break
        if counts[c] > 0 and c != best:
            share = kept * (score[c] / mass) + more
            ratio = np.log((share + FLOOR) / (top + FLOOR))
            chance[c] = np.exp(powers[0] * ratio + powers[1] * votes * (share - top))
            rest += chance[c]
            next_best = max(next_best, chance[c])
    if rest == 0.0:
        chance[best] = 1.0
    else:
        others = rest / (1.0 + rest)
        if alone:
            odds = trusted(powers[5:], against(rest), votes, labels.spread)
            others = min(1.0 / (1.0 + np.exp(odds)), AHEAD * rest / (rest + next_best))
        for c in range(classes):
            chance[c] *= others / rest
        chance[best] = 1.0 - others
        for c in range(classes):  # rounding puts nobody ahead of the leader
            chance[c] = min(chance[c], chance[best])
    for c in range(classes):
        chance[c] *= 1 - new
        if empty == 0 or counts[c] == 0:
            chance[c] += new / (empty if empty else classes)


@inlined
def against(rest: float) -> float:
    """Log odds of the leader, whose weight is 1, against the rest."""
    return min(-np.log(rest), MOST_ODDS)


@internal
def chances(state: LocalState, precision: float, chance: Floats) -> None:
    """`chances_from` the scores of the last solve."""
    labels = all_labels(state.counts, state.order, chance.shape[0])
    chances_from(state.solve.score, state.counts, state.order, labels, state.sharpness, precision, chance)


@compiled
def chances_all(
    scores: Floats, counts: Ints, order: Ints, powers: Floats, precision: Floats, codes: Ints, found: Floats
) -> None:
    """`chances_from` each row of scores; NaN where the prediction is "don't know"."""
    labels = all_labels(counts, order, found.shape[1])
    for a in range(scores.shape[0]):
        if codes[a] < 0:
            found[a] = np.nan
        else:
            chances_from(scores[a], counts, order, labels, powers, precision[a], found[a])


def chances_of(state: LocalState, scores: Floats, precision: Floats, codes: Ints) -> Floats:
    """The probabilities of each class in each row of scores; NaN where the prediction is "don't know".

    `precision` is Q_tt of the node of each row.
    """
    classes = scores.shape[1]
    found = np.empty(scores.shape)
    if classes:
        rows = np.ascontiguousarray(scores, dtype=np.float64)
        chances_all(rows, state.counts[:classes], state.order, state.sharpness, precision, codes, found)
    return found


@internal
def sharpen(state: LocalState, precision: float, y: int) -> None:
    """One Newton step of the powers on -log(probability of y) among the classes that have labels.

    A label of a class that has none says nothing about how sure to be of the others.
    """
    score, counts, powers = state.solve.score, state.counts, state.sharpness
    mass = score_mass(score, state.order)
    if mass <= 0 or counts[y] == 0:
        return
    best, alone = leader(score, counts, state.order)
    votes = min(precision * mass, MOST_VOTES)
    kept, more = evened(heard_of(counts, state.order), votes)
    top = kept * (score[best] / mass) + more
    rest = 0.0
    total, one, two, one_one, one_two, two_two = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for c in state.order:
        if c < 0:
            break
        if counts[c] > 0:
            share = kept * (score[c] / mass) + more
            first, second = np.log((share + FLOOR) / (top + FLOOR)), votes * (share - top)
            chance = np.exp(powers[0] * first + powers[1] * second)
            total += chance
            rest += chance if c != best else 0.0
            one += chance * first
            two += chance * second
            one_one += chance * first * first
            one_two += chance * first * second
            two_two += chance * second * second
    if alone and rest > 0.0:
        learn_trust(powers[5:], against(rest), votes, entropy(counts, state.order), best == y)
    one, two = one / total, two / total
    share = kept * (score[y] / mass) + more
    slope_1, slope_2 = one - np.log((share + FLOOR) / (top + FLOOR)), two - votes * (share - top)
    powers[2] = KEEP * powers[2] + max(one_one / total - one * one, 0.0)
    powers[3] = KEEP * powers[3] + one_two / total - one * two
    powers[4] = KEEP * powers[4] + max(two_two / total - two * two, 0.0)
    a, b, d = ALPHA_PRIOR + powers[2], powers[3], BETA_PRIOR + powers[4]
    span = a * d - b * b
    powers[0] = min(max(powers[0] - (d * slope_1 - b * slope_2) / span, 0.0), MOST_POWER)
    powers[1] = min(max(powers[1] - (a * slope_2 - b * slope_1) / span, 0.0), MOST_POWER)
