"""How far the leading class can be trusted: a logistic correction of its probability, fitted online.

The powers of `chances.py` are fitted to all classes at once, and start from a guess. What is left is mostly that all
leaders are too sure, or not sure enough. With p the probability that the powers give to the leader,
z = log(p / (1 - p)) and v votes near by, it gets

  logistic(z (1 + w_2) + w_1 + w_3 log((1 + v) / 3) + .15 (H - 1.4)),   H = entropy of the labels so far,

but never less than leaves it the leader; what it gains or loses, the others share in proportion. H knows that with many
classes the powers are too careful, and with one large class too bold. w starts at (.2, -.2, 0) and follows Newton
steps on the log loss of "the leader is right", each before its label is learned. Votes are there because a query
reveals the labels of nodes that hear few: without them, all would be judged by these.

The prior and its firmness were chosen on generated graphs (block models, citations in communities, nearest neighbours
of Gaussian clouds and of points in the plane), with those of `chances.py`: what the first tenths of thirty streams
together are off beyond chance fell from .035 to .027 in the root mean square of eighteen kinds of graphs, and among
them are none that report.
"""

from __future__ import annotations

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import internal

SHIFT, TILT = 0.2, -0.2
"""w_1 and w_2 before any label; w_3 is 0 there."""
SHIFT_PRIOR, TILT_PRIOR, VOTES_PRIOR = 3.0, 25.0, 5.0
"""How firmly they are held there."""
ENTROPY, USUAL_ENTROPY = 0.15, 1.4
LASTING = 0.9998
"""What is left of the curvature of earlier labels at each new one."""
MOST_ODDS = 20.0
"""Log odds beyond these are as good as certain."""
MOST_TRUST = 5.0
"""The largest size of a weight."""
TRUST = 3 + 6
"""The numbers that are kept: three weights, and the upper half of their curvature, row by row."""


def fresh_trust() -> Floats:
    """The three weights and their curvature before any label."""
    return np.array([SHIFT, TILT, 0.0, *([0.0] * 6)])


@internal
def entropy(counts: Ints, order: Ints) -> float:
    """Of the labels so far, in the order in which the classes were learned."""
    labels, found = 0, 0.0
    for c in order:
        if c < 0:
            break
        labels += counts[c]
    for c in order:
        if c < 0:
            break
        if counts[c] > 0:
            found -= counts[c] / labels * np.log(counts[c] / labels)
    return found


@internal
def trusted(trust: Floats, odds: float, votes: float, spread: float) -> float:
    """Log odds that the leader is right; `odds` are those that the powers say."""
    more = trust[0] + trust[1] * odds + trust[2] * np.log((1.0 + votes) / 3.0)
    return min(max(odds + more + ENTROPY * (spread - USUAL_ENTROPY), -MOST_ODDS), MOST_ODDS)


@internal
def learn_trust(trust: Floats, odds: float, votes: float, spread: float, right: bool) -> None:
    """One Newton step of the weights on -log(probability of what happened to the leader)."""
    chance = 1.0 / (1.0 + np.exp(-trusted(trust, odds, votes, spread)))
    heard = np.log((1.0 + votes) / 3.0)
    bend, slope = chance * (1.0 - chance), chance - (1.0 if right else 0.0)
    kept = trust[3:]
    kept *= LASTING
    kept[0] += bend
    kept[1] += bend * odds
    kept[2] += bend * heard
    kept[3] += bend * odds * odds
    kept[4] += bend * odds * heard
    kept[5] += bend * heard * heard
    a, b, c = SHIFT_PRIOR + kept[0], kept[1], kept[2]
    d, e, f = TILT_PRIOR + kept[3], kept[4], VOTES_PRIOR + kept[5]
    share_b, share_c = b / a, c / a  # elimination, of a matrix that is positive definite by its prior
    d, e, f = d - b * share_b, e - b * share_c, f - c * share_c
    share_e = e / d
    second = odds - share_b
    third = (heard - share_c - share_e * second) / (f - e * share_e)
    second = second / d - share_e * third
    first = (1.0 - b * second - c * third) / a
    trust[0] = min(max(trust[0] - slope * first, -MOST_TRUST), MOST_TRUST)
    trust[1] = min(max(trust[1] - slope * second, -MOST_TRUST), MOST_TRUST)
    trust[2] = min(max(trust[2] - slope * third, -MOST_TRUST), MOST_TRUST)
