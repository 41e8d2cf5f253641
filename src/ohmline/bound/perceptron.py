"""Theorem 2.1 of paper 001: the perceptron on a finite set, with and without hindsight."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Any, final

import numpy as np

from ohmline.arrays import Floats, count
from ohmline.bound.asked_trials import (
    Evidence,
    evidence,
    expect_trace,
    labelling,
    mistake_driven,
    only,
    starts_afresh,
)
from ohmline.bound.contract import Assumption, Bound, Certificate, rounded_up
from ohmline.bound.interpolant import Interpolant
from ohmline.bound.sharpness import blur_of_norms, sharp
from ohmline.bound.ties import radius_of_ties
from ohmline.checks import choice, listed
from ohmline.errors import ParameterError
from ohmline.game.trace import Trace
from ohmline.kernel.contract import Kernel
from ohmline.learn.perceptron import Perceptron


class Fit(enum.Enum):
    """What a live comparator must fit."""

    SEEN = "seen"
    """Every label that was asked for."""
    MISTAKEN = "mistaken"
    """The mistaken trials alone, which is all that the proof looks at: a smaller bound."""


@final
class PerceptronBound(Bound):
    """Limits the mistakes of `Perceptron` by the norm of a comparator (paper 001, Theorem 2.1, eq. 5).

    |M| <= 2e + Z/2 + sqrt(2eZ + Z^2/4) with Z = ||u||^2 X^2.

    | paper | here |
    |---|---|
    | M_A | the asked trials in `trace.charged`: wrong, or a tie |
    | \\|\\|u\\|\\|^2_M | term `sqnorm`: `kernel.sqnorm(u)`, or that of the interpolant |
    | X^2 | term `sqradius`: the largest K_ii of a mistaken trial |
    | \\|M_A ∩ M_u\\| | term `comparator_errors` |

    The proof bounds <u, w> by the hinge losses of u on the mistaken trials, so it needs
    \\|u(i_t)\\| = 1 there and nowhere else. Without a comparator we may therefore take the
    real-valued function of smallest norm that fits what was seen. It needs no hindsight, so the
    certificate is available at any time of the game (`live_curve`).

    Parameters
    ----------
    fit
        What the function must fit where there is no comparator: `Fit.SEEN` (default) or `Fit.MISTAKEN`.

    Examples
    --------
    >>> import ohmline as ohm
    >>> line = ohm.Graph.from_edges([(k, k + 1) for k in range(9)])
    >>> labels = [1] * 5 + [-1] * 5
    >>> learner = ohm.Perceptron(ohm.LaplacianKernel(line) + ohm.Constant(1.0))
    >>> trace = ohm.play(learner, ohm.Stream(range(10), labels).shuffled(seed=0))
    >>> print(PerceptronBound().certify(trace, labels))
    at most ... mistakes (paper 001, Theorem 2.1, proven; sqnorm = 4, sqradius = ..., comparator_errors = 0)
    >>> PerceptronBound().certify(trace.first(5)).terms["sqnorm"] < 4  # fewer labels to fit
    True

    References
    ----------
    Herbster and Pontil, Prediction on a graph with a perceptron, NIPS 2006.
    """

    def __init__(self, fit: Fit = Fit.SEEN) -> None:
        self.fit = choice(fit, Fit, "fit")

    def certify(self, trace: Trace, comparator: Any = None) -> Certificate:
        seen = evidence(trace, Perceptron)
        kernel: Kernel = trace.learner.kernel
        shared: tuple[Assumption, ...] = (mistake_driven(seen), from_zero(seen, kernel))
        sqradius = largest(kernel.diagonal()[seen.positions[seen.mistaken]])
        if comparator is None:
            sqnorm, errors, inside = self._live(seen, kernel)
            theorem = "paper 001, Theorem 2.1, live"
        else:
            u = labelling(comparator, seen.nodes)
            blurred = blur_of_norms(kernel)
            sqnorm = rounded_up(kernel.sqnorm(u), blurred)
            shared = (*shared, sharp("norm", blurred))
            errors = int(np.sum(u[seen.positions[seen.mistaken]] != seen.labels[seen.mistaken]))
            text = "the comparator lies in the kernel's space: its norm is finite"
            inside = Assumption(text, True, bool(np.isfinite(sqnorm)))
            theorem = "paper 001, Theorem 2.1"
        return Certificate(
            theorem,
            relative_bound(
                sqnorm * (sqradius * radius_of_ties(seen, len(seen.positions))) if sqradius > 0 else 0.0,
                errors,
            ),
            seen.charged,
            {"sqnorm": sqnorm, "sqradius": sqradius, "comparator_errors": errors},
            (inside, *shared),
            hidden=seen.hidden,
        )

    def _live(self, seen: Evidence, kernel: Kernel) -> tuple[float, int, Assumption]:
        """||u||^2 of the interpolant, its errors on the mistaken trials, and what it needs."""
        if self.fit is Fit.MISTAKEN:
            seen = only(seen, seen.mistaken)
        fit = Interpolant(seen, kernel)
        trials = len(seen.positions)
        sqnorm = fit.sqnorm(trials)
        text = f"a function of the kernel's space fits the labels of {len(fit.positions)} nodes"
        return sqnorm, errors_of(fit, seen, trials), Assumption(text, True, bool(np.isfinite(sqnorm)))


def live_curve(trace: Trace, checkpoints: Iterable[int], fit: Fit = Fit.SEEN) -> Floats:
    """The live bound of Theorem 2.1 after each of `checkpoints` trials, with one Cholesky factor.

    Equal to `PerceptronBound(fit).certify(trace.first(t)).value` for every t, and infinite
    where no function of the kernel's space fits what was seen (a kernel of low rank).

    Parameters
    ----------
    trace
        A game of `Perceptron`.
    checkpoints
        Numbers of trials, from 0 to the length of the trace.
    fit
        What the live comparator must fit: `Fit.SEEN` (default) or `Fit.MISTAKEN`.

    Returns
    -------
    array
        The bound at each checkpoint.

    Examples
    --------
    >>> import ohmline as ohm
    >>> line = ohm.Graph.from_edges([(k, k + 1) for k in range(9)])
    >>> learner = ohm.Perceptron(ohm.LaplacianKernel(line) + ohm.Constant(1.0))
    >>> trace = ohm.play(learner, ohm.Stream(range(10), [1] * 5 + [-1] * 5))
    >>> bool((live_curve(trace, [0, 5, 10]) >= [trace.first(t).charged.sum() for t in (0, 5, 10)]).all())
    True
    """
    marks = [count(t, "a checkpoint") for t in listed(checkpoints, "checkpoints")]
    choice(fit, Fit, "fit")
    if marks and max(marks) > len(expect_trace(trace)):
        raise ParameterError(f"a checkpoint is {max(marks)}, and the trace has {len(trace)} trials")
    seen = evidence(trace, Perceptron)
    kernel: Kernel = trace.learner.kernel
    counted = trace.asked_at
    if fit is Fit.MISTAKEN:
        counted = counted & trace.charged
        seen = only(seen, seen.mistaken)
    interpolant = Interpolant(seen, kernel)
    lengths = np.where(seen.mistaken, kernel.diagonal()[seen.positions], 0.0)
    sqradius = np.maximum.accumulate(np.append(0.0, lengths))
    asked = np.append(0, np.cumsum(counted))
    values, hopeless = np.zeros(len(marks)), np.inf
    for k, t in sorted(enumerate(marks), key=lambda mark: mark[1]):
        trials = int(asked[t])
        if sqradius[trials] > 0:
            sqnorm = np.inf if trials >= hopeless else interpolant.sqnorm(trials)
            if np.isinf(sqnorm) and len(interpolant.positions) == len(seen.positions):
                hopeless = min(hopeless, trials)  # every label stays, so more of them fit no better
            z = sqnorm * (float(sqradius[trials]) * radius_of_ties(seen, trials))
            values[k] = relative_bound(z, errors_of(interpolant, seen, trials))
    return values


def relative_bound(z: float, errors: int) -> float:
    """2e + Z/2 + sqrt(2eZ + Z^2/4): eq. (5) and eq. (15) of paper 001."""
    if not np.isfinite(z):
        return float("inf")
    return rounded_up(2 * errors + z / 2 + float(np.sqrt(2 * errors + z / 4) * np.sqrt(z)))


def from_zero(seen: Evidence, kernel: Kernel) -> Assumption:
    """Whether a perceptron that starts from zero makes the same updates at the same margins."""
    text = "the hypothesis started at zero and every update added y_t v_{i_t}"
    return starts_afresh(seen, Perceptron(kernel), text)


def errors_of(fit: Interpolant, seen: Evidence, trials: int) -> int:
    """|M_A ∩ M_u| of the interpolant of the first `trials` trials."""
    said = fit.labels(trials)[fit.place[:trials]]
    return int(np.sum((said != seen.labels[:trials]) & seen.mistaken[:trials]))


def largest(values: Floats) -> float:
    """The largest of some numbers above zero; 0 if there is none."""
    return float(values.max()) if len(values) else 0.0
