"""How far one trial moves the function.

| paper 003 | here |
|---|---|
| eta_t = gamma / sqrt(t) | `gamma`; constant when not `decaying` |
| lambda_1, lambda_2 | of `OnlineManifold` |
| T / l | `ratio` in compiled code: one over the label rate; see `label_ratio` where none was declared |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ohmline.arrays import Floats, count, positive
from ohmline.checks import flag, number
from ohmline.compiled import compiled, dot, internal
from ohmline.learn.manifold.expansion import Expansion, Workspace
from ohmline.learn.manifold.loss import proximal, slope
from ohmline.learn.step import UNLABELLED

LARGEST_WEIGHT = 1e100
"""Weights and step sizes beyond this make products that are not finite."""
MOST_REPLAYS = 10_000


@final
@dataclass(frozen=True, slots=True)
class Printed:
    """The gradient step as the paper prints it, eq. (3), with eta_t = gamma / sqrt(t): for reproduction.

    For anything but a comparison with the paper take `Proximal`.

    Attributes
    ----------
    gamma
        The size of the first step, above 0. Default 0.1, as in the paper, which takes 0.03 with a random projection
        tree.
    """

    gamma: float = 0.1

    def __post_init__(self) -> None:
        number(positive(self.gamma, "gamma of Printed"), "gamma of Printed", most=LARGEST_WEIGHT)


@final
@dataclass(frozen=True, slots=True)
class Proximal:
    """Implicit steps, which hold at every step size: the default.

    The label step is proximal: for the hinge min(eta T / l, 1 - y f), so a rare label is learned at
    once and never overshot. The graph step is eta / (1 + eta h) with h the curvature of the graph
    term. Differs: the paper's explicit step needs a small gamma to survive the factors T / l and
    t / tau, and is then too small everywhere else.

    Where no `label_rate` is declared, the label step counts labels and not points: the l-th label moves f by up to
    gamma sqrt(50 / l), which is eta T / l at the paper's 2 % of labels. Differs: with T / l itself the same label
    would be learned less the more labels there are beside it, down to gamma / sqrt(t) where every point has one.

    All neighbours of a point together weigh at most half as much as a label does in the same risk. Differs: in eq. (2)
    the graph term is a sum over all earlier points and so grows with t while the loss does not; where few points
    come again and again, each drags the others to one class, whatever their labels say.

    Attributes
    ----------
    gamma
        The size of the first step, above 0. Default 1.
    decaying
        Whether eta_t = gamma / sqrt(t) (default); False keeps eta_t = gamma, for streams that drift.
    replays
        How many random points of the basis the step is repeated at after each new one, from 0 to 10,000: for streams
        that drift. Needs a basis of points (`Buffer` or `Full`) and no regulariser written in Python. Default 0.
    """

    gamma: float = 1.0
    decaying: bool = True
    replays: int = 0

    def __post_init__(self) -> None:
        number(positive(self.gamma, "gamma of Proximal"), "gamma of Proximal", most=LARGEST_WEIGHT)
        flag(self.decaying, "decaying of Proximal")
        count(self.replays, "the replays of Proximal", most=MOST_REPLAYS)


Step = Printed | Proximal


@internal
def rate(terms: Any, t: int) -> float:
    """eta_t."""
    return terms.gamma / np.sqrt(t) if terms.decaying else terms.gamma


@internal
def target(y: int, c: int, binary: bool) -> float:
    """The sign that the function of class `c` is asked for by a label `y`."""
    if binary:
        return 2.0 * y - 1.0
    return 1.0 if y == c else -1.0


PRINTED_RATIO = 50.0
"""T / l of the paper's experiments, in which 2 % of the points have a label."""

NEIGHBOURHOOD = 0.5
"""The most that the neighbours of a point weigh together, as a share of the weight of a label."""


@internal
def label_ratio(terms: Any, t: int, labels: int) -> float:
    """The factor of the loss: T / l as declared, or from the stream so far.

    Differs: a proximal step takes at least sqrt(50 T / l) of what it counted. Times eta_t = gamma / sqrt(t)
    that is gamma sqrt(50 / l), however many unlabelled points there are; it is T / l at 50, and less than
    T / l beyond, where T / l stays.
    """
    if terms.ratio > 0.0:
        return terms.ratio
    counted = t / max(labels, 1)
    return max(counted, np.sqrt(PRINTED_RATIO * counted)) if terms.proximal else counted


@compiled
def heaviest(terms: Any, t: int, labels: int) -> float:
    """What the weights of a point's neighbours may add up to at trial t, with so many labels: see `Proximal`."""
    return NEIGHBOURHOOD * label_ratio(terms, t, labels) if terms.proximal else np.inf


@internal
def label_step(terms: Any, expansion: Expansion, f: float, sign: float, eta: float, kxx: float) -> float:
    """The coefficient of K_x that a label asks for."""
    ratio = label_ratio(terms, expansion.time[0], expansion.labels[0])
    if terms.proximal:
        return proximal(terms.loss, f, sign, eta * ratio, kxx)
    return -eta * ratio * slope(terms.loss, f, sign)


@internal
def move(
    terms: Any, expansion: Expansion, work: Workspace, y: int, eta: float, m: int, curvature: float
) -> None:
    """The step on every coefficient of the basis; its squared length, function by function, into `work.sqlength`.

    Reads the point's k, scores and slopes from `work`; leaves there the coefficient `delta`
    that K_x is to get and the value `arrival` that f then has at x. Eq. (6), and eq. (8) with
    its factor on every term (Differs: as printed, alpha'_i lacks t / tau and (8) is not the
    gradient of (7)).
    """
    n = expansion.size[0]
    views, classes, _ = expansion.alpha.shape
    keep = 1.0 / (1.0 + eta * terms.lambda_1) if terms.proximal else 1.0 - eta * terms.lambda_1
    gain = eta * terms.lambda_2
    if terms.proximal:
        gain = gain / (1.0 + gain * curvature)
    shift, near = work.shift, work.near
    for v in range(views):
        gram, k, kxx = expansion.gram[v], work.k[v], work.kxx[v]
        for c in range(classes):
            alpha, value, slopes = expansion.alpha[v, c], expansion.value[v, c], work.slope[v, c]
            here = work.score[v, c]
            delta = -gain * work.pull[v, c]
            spread(gram, slopes, near, m, gain, n, shift)
            lost = 1.0 - keep
            moved = delta * kxx - lost * here
            for a in range(m):
                moved -= gain * slopes[near[a]] * k[near[a]]
            if y != UNLABELLED:
                # An implicit step starts from where the other terms have taken f(x).
                start = here + moved if terms.proximal else here
                asked = label_step(terms, expansion, start, target(y, c, terms.binary), eta, kxx)
                delta += asked
                moved += asked * kxx
            # From here on `shift` is the change of f at the basis.
            for i in range(n):
                shift[i] += delta * k[i] - lost * value[i]
                value[i] += shift[i]
            sqlength = delta * moved - lost * dot(alpha, shift, n)
            for i in range(n):
                alpha[i] *= keep
            for a in range(m):
                i = near[a]
                alpha[i] -= gain * slopes[i]
                sqlength -= gain * slopes[i] * shift[i]
            work.delta[v, c] = delta
            work.arrival[v, c] = here + moved
            work.sqlength[v, c] = sqlength


@internal
def spread(gram: Floats, slopes: Floats, near: Any, m: int, gain: float, n: int, out: Floats) -> None:
    """out = -gain * sum over `near` of slope_i gram_i: four rows per pass, to save trips to memory."""
    for j in range(n):
        out[j] = 0.0
    for a in range(0, m - m % 4, 4):
        r0, r1, r2, r3 = gram[near[a]], gram[near[a + 1]], gram[near[a + 2]], gram[near[a + 3]]
        s0, s1 = gain * slopes[near[a]], gain * slopes[near[a + 1]]
        s2, s3 = gain * slopes[near[a + 2]], gain * slopes[near[a + 3]]
        for j in range(n):
            out[j] -= (s0 * r0[j] + s1 * r1[j]) + (s2 * r2[j] + s3 * r3[j])
    for a in range(m - m % 4, m):
        row, s = gram[near[a]], gain * slopes[near[a]]
        for j in range(n):
            out[j] -= s * row[j]
