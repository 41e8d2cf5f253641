"""Eq. (20) of paper 004: how far the margins of OnlineLGC are off on average, and how far by chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ohmline.arrays import Bools, Floats, vector
from ohmline.bound.asked_trials import by_position, evidence
from ohmline.bound.contract import Assumption
from ohmline.bound.ridge_walk import walk
from ohmline.errors import LabelError
from ohmline.game.trace import Trace
from ohmline.graph.nodes import NodeIndex
from ohmline.learn.lgc import OnlineLGC

BLUR = 1e-6
"""What rounding may do to a margin; limits are drawn that much wider."""


@dataclass(frozen=True, slots=True, eq=False)
class MarginErrors:
    """Every trial's margin beside the mean of its label (paper 004, Eq. 20).

    Attributes
    ----------
    mean
        Delta_t = u . m_t: the mean of the label, from -1 to +1.
    estimate
        The margin divided by 1 + q_t, which is b_{t-1}' A_t^-1 m_t: the estimate of Delta_t that Eq. (20) is about.
        It has the sign of the margin.
    bias
        B_t = u' (mu I + m_t m_t') A_t^-1 m_t. On average over the labels the estimate is Delta_t - B_t.
    variance
        r_t = m_t' A_t^-1 m_t, at least the variance of the estimate.
    sqnorm
        ||u||^2.
    mu
        The learner's ridge.
    certain
        Whether every label learned has the mean -1 or +1, so that nothing is left to chance.
    """

    mean: Floats
    estimate: Floats
    bias: Floats
    variance: Floats
    sqnorm: float
    mu: float
    certain: bool

    @property
    def largest_bias(self) -> Floats:
        """sqrt(mu r_t) ||u|| + r_t |Delta_t|, at least |B_t|: it needs the norm of u alone."""
        wider = self.variance * (1 + BLUR)
        return np.sqrt(self.mu * wider * self.sqnorm) + wider * np.abs(self.mean)

    def off_by(self, room: Floats) -> Floats:
        """At least the chance that noise moves the estimate by `room` or more to one side, trial by trial.

        Hoeffding: the noise is a sum of independent terms whose squared ranges add up to at most 4 r_t.

        Parameters
        ----------
        room
            How far it must move, one number per trial; noise is not needed where it is 0 or less.
        """
        room = np.maximum(room - BLUR, 0.0)
        if self.certain:
            return np.asarray(room == 0, dtype=np.float64)
        spread = self.variance * (1 + BLUR) + 1e-300
        return np.asarray(np.exp(-(room**2) / (2 * spread)))


def margin_errors(trace: Trace, means: Any) -> MarginErrors:
    """How far the margins of `OnlineLGC` are off: the bias B_t and the variance r_t of every trial (paper 004, Eq. 20).

    Differs: the paper's I in B_t is mu I. Its estimate divides the margin w_{t-1}' m_t by 1 + q_t, which leaves every
    prediction as it is.

    Parameters
    ----------
    trace
        A game of `OnlineLGC`.
    means
        The mean label of every node, from -1 to +1, as an array in the order of the nodes or a mapping; a labelling
        in -1 and +1 where nothing is left to chance. u is the shortest vector with these values.

    Returns
    -------
    MarginErrors
        One entry per trial, whether its label was asked for or not.

    Examples
    --------
    >>> import ohmline as ohm
    >>> ring = ohm.Graph.from_edges([(k, (k + 1) % 6) for k in range(6)])
    >>> labels = [1, 1, 1, -1, -1, -1]
    >>> trace = ohm.play(ohm.OnlineLGC(ohm.LaplacianKernel(ring), mu=0.5), ohm.Stream(range(6), labels))
    >>> found = margin_errors(trace, labels)
    >>> found.estimate.round(3)
    array([ 0.   ,  0.036, -0.096, -0.132, -0.248, -0.132])
    >>> bool(abs(found.mean - found.bias - found.estimate).max() < 1e-12)
    True
    """
    return retraced(trace, means)[0]


def retraced(
    trace: Trace, means: Any, *, judged: bool = False
) -> tuple[MarginErrors, tuple[Assumption, ...]]:
    """The margins, and what was checked on the way: they are the learner's, u exists, and sure labels are right.

    Margins rest on the labels learned alone. Where the predictions are `judged` by the means, as mistakes are, every
    label must be what its mean says, also one that nobody asked for.
    """
    seen = evidence(trace, OnlineLGC)
    learner: OnlineLGC = trace.learner
    given = mean_labels(means, seen.nodes)
    table = np.asarray(learner.space.rows, dtype=np.float64)
    u = np.asarray(np.linalg.lstsq(table, given, rcond=None)[0], dtype=np.float64)
    # What u misses adds up over the labels learned, at worst as the root of their number.
    missed = float(np.abs(table @ u - given).max(initial=0.0)) * np.sqrt(max(len(trace), 1))
    inside = bool(missed <= BLUR)
    places = np.zeros(len(trace), dtype=np.int64)
    places[:] = seen.nodes.positions(trace.nodes)
    labels = np.zeros(len(trace))
    labels[trace.asked_at] = seen.labels
    mean = given[places]
    learned = np.asarray(trace.updated)
    q, margin, expected = walk(table[places], learned, labels, mean, learner.mu)
    same = bool(np.allclose(margin, trace.margin, rtol=BLUR, atol=BLUR / 10))
    certain: Bools = np.abs(mean) == 1
    found = MarginErrors(
        mean,
        margin / (1 + q),
        mean - expected / (1 + q),
        q / (1 + q),
        float(u @ u),
        learner.mu,
        bool(certain[learned].all()),
    )
    return found, (
        Assumption("the learner started with no label, and its margins are those of exact steps", True, same),
        Assumption("the mean labels lie in the kernel's space", True, inside),
        _sure_labels(trace, mean, certain if judged else certain & learned),
    )


def _sure_labels(trace: Trace, mean: Floats, sure: Bools) -> Assumption:
    """Whether the labels of the trials in `sure` are their means; assumed where the trace does not know one of them."""
    told = np.array([*(float(label) if label in (-1, 1) else 0.0 for label in trace.stream.classes), 0.0])
    known = sure & trace.known
    right = bool(np.all(told[trace.stream.codes[known]] == mean[known]))
    checked = not right or bool(np.all(trace.known[sure]))
    return Assumption("every label with a mean of -1 or +1 was just that", checked, right)


def mean_labels(means: Any, nodes: NodeIndex) -> Floats:
    """The mean label of every node, from -1 to +1, in the order of the nodes."""
    if means is None:
        raise LabelError(
            "this theorem compares with the mean label of every node: give a number from -1 to +1 for each, "
            "or OnlineLGCBound, which needs none"
        )
    listed = by_position(means, nodes) if isinstance(means, Mapping) else means
    found = vector(listed, "the mean labels", length=len(nodes))
    wrong = np.flatnonzero(np.abs(found) > 1)
    if len(wrong):
        raise LabelError(
            f"the mean label of node {nodes[int(wrong[0])]!r} is {found[wrong[0]]}; labels are -1 and +1, so a mean "
            "lies between them"
        )
    return found
