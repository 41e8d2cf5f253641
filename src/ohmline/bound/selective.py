"""Lemma 6 and Theorem 7 of paper 004, as they hold: margins and mistakes of selective sampling."""

from __future__ import annotations

from math import e, exp, inf, lgamma, log
from typing import Any, final

import numpy as np

from ohmline.arrays import Floats, fraction, positive
from ohmline.bound.contract import Assumption, Bound, Certificate, rounded_up
from ohmline.bound.margins import BLUR, MarginErrors, retraced
from ohmline.game.trace import Trace

GRID = np.geomspace(0.01, 1.0, 60)
"""Values of epsilon that are tried beside the means themselves."""


@final
class MarginBound(Bound):
    """Limits how often a margin of `OnlineLGC` is off by epsilon (paper 004, Lemma 6 corrected).

    sum_t Pr(|estimate_t - Delta_t| >= eps) <= sum_t 2 exp(-(eps - bias_t)^2 / (2 r_t)), where a term counts 1 once
    bias_t = sqrt(mu r_t) ||u|| + r_t |Delta_t| reaches eps. Term `eq_22` is what becomes of this sum when only
    r_t <= t^-kappa is known of the trials without a question, the right-hand side of Eq. (22):

    2 Gamma(1 + 1/kappa) (8 / eps^2)^(1/kappa) + (4 (mu ||u||^2 + eps) / eps^2)^(1/kappa)
    + (16 / (e eps^2) + 4 (mu ||u||^2 + eps) / eps^2) sum_i log(1 + lambda_i / mu).

    Differs: the paper has B ||u||^2 for mu ||u||^2, with which the lemma is false for a large mu, and larger
    constants in the first line. Its Algorithm 2 learns mistaken labels only; then what was learned was chosen for
    what it said, and the lemma is false. It holds where every label asked for is learned.

    It is about margins and means, and rests on the labels learned: what the others are plays no part.

    Parameters
    ----------
    epsilon
        How far a margin must be off to be counted, above 0. Default 0.5.
    kappa
        The kappa of the query that was played, from 0 to 1. Default 0.4.

    Examples
    --------
    >>> import ohmline as ohm
    >>> barbell = ohm.graph.generate.barbell(4)
    >>> kernel = ohm.LaplacianKernel(barbell.graph) + ohm.Constant(1.0)
    >>> trace = ohm.play(ohm.OnlineLGC(kernel, 0.01), ohm.Stream(range(8), barbell.labels).repeated(10))
    >>> certificate = MarginBound(1.0).certify(trace, barbell.labels)
    >>> certificate.proven, certificate.charged <= certificate.value
    (True, True)
    """

    def __init__(self, epsilon: float = 0.5, *, kappa: float = 0.4) -> None:
        self.epsilon = positive(epsilon, "epsilon of MarginBound")
        self.kappa = fraction(kappa, "kappa of MarginBound")

    def certify(self, trace: Trace, comparator: Any = None) -> Certificate:
        found, checked = retraced(trace, comparator)
        sides = 1 if found.certain else 2
        chances = np.minimum(sides * found.off_by(self.epsilon - found.largest_bias), 1.0)
        off = int(np.count_nonzero(np.abs(found.estimate - found.mean) >= self.epsilon))
        sum_up = SumUp.of(trace, found, self.kappa)
        return _certificate(
            "paper 004, Lemma 6 corrected",
            float(chances.sum()),
            off,
            {**sum_up.terms, "eq_22": sum_up.eq_22(self.epsilon)},
            (*checked, *sum_up.assumptions),
            found.certain,
            f"margins that are off by {self.epsilon:g}",
        )


@final
class SelectiveRegret(Bound):
    """Limits the mistakes of `OnlineLGC` beyond those of the best classifier (paper 004, Theorem 7 corrected).

    R_T <= sum_t |Delta_t| exp(-(|Delta_t| - bias_t)^2 / (2 r_t)), where a term counts |Delta_t| once
    bias_t = sqrt(mu r_t) ||u|| + r_t |Delta_t| reaches |Delta_t|. Term `eq_23` is the right-hand side of Eq. (23),
    min over eps of eps T_eps + Eq. (22), which is larger.

    | paper | here |
    |---|---|
    | Delta_t = u . m_t, the mean of the label | `comparator`: a number from -1 to +1 for every node |
    | R_T, an average over the labels | `charged` is that of this game: sum of \\|Delta_t\\| where the sign was wrong |
    | \\|\\|u\\|\\|^2 = 2 Phi(f) | term `sqnorm`; it is 4 Phi for a labelling in the space of the exact kernel |
    | T_eps | the trials with \\|Delta_t\\| < eps |

    With a labelling of -1 and +1, the case that the theorem is stated for, nothing is left to chance. Then R_T is the
    number of mistakes, in all the trials and not only in those whose label was asked for, and it does not matter
    which labels were learned: the paper's own Algorithm 2 is covered. A label that was not asked for must be what the
    labelling says too: where the trace knows it, that is checked, and where nobody knows it, assumed.

    With means in between, R_T is an average over the labels, which a single game may exceed, and every label asked for
    must have been learned.

    Differs: see `MarginBound`. With mistake-driven updates and labels left to chance, and with B in the place of mu,
    the theorem is false.

    Parameters
    ----------
    kappa
        The kappa of the query that was played, from 0 to 1. Default 0.4.

    Examples
    --------
    >>> import ohmline as ohm
    >>> ring = ohm.Graph.from_edges([(k, (k + 1) % 6) for k in range(6)])
    >>> labels = [1, 1, 1, -1, -1, -1]
    >>> stream = ohm.Stream(range(6), labels).repeated(50)
    >>> learner = ohm.OnlineLGC(ohm.LaplacianKernel(ring), mu=0.01, mistake_driven=False)
    >>> trace = ohm.play(learner, stream, ohm.VarianceAbove(0.6))
    >>> print(SelectiveRegret(0.6).certify(trace, labels))
    at most 7 mistakes (paper 004, Theorem 7 corrected, proven; sqnorm = 8, log_det = ..., bias = 1, eq_23 = ...
    """

    def __init__(self, kappa: float = 0.4) -> None:
        self.kappa = fraction(kappa, "kappa of SelectiveRegret")

    def certify(self, trace: Trace, comparator: Any = None) -> Certificate:
        found, checked = retraced(trace, comparator, judged=True)
        size = np.abs(found.mean)
        wrong = np.asarray(trace.margin) * found.mean <= 0
        sum_up = SumUp.of(trace, found, self.kappa)
        eq_23, epsilon = sum_up.eq_23(size)
        return _certificate(
            "paper 004, Theorem 7 corrected",
            float(np.sum(size * found.off_by(size - found.largest_bias))),
            int(np.sum(size[wrong]) * (1 + 1e-12)),
            {**sum_up.terms, "eq_23": eq_23, "epsilon": epsilon},
            (*checked, *sum_up.assumptions),
            found.certain,
            "mistakes" if np.all(size == 1) else "mistakes beyond the best classifier's, on average",
        )


class SumUp:
    """What Eq. (22) makes of r_t when it knows the query alone, and what it has to assume for that."""

    def __init__(
        self, found: MarginErrors, kappa: float, log_det: float, *, all_learned: bool, asked_so: bool
    ):
        self.kappa, self.log_det = kappa, log_det
        self.ruled = all_learned and asked_so
        self.penalty = found.mu * found.sqnorm
        self.terms = {
            "sqnorm": found.sqnorm,
            "log_det": log_det,
            "bias": float(np.abs(found.bias).max(initial=0)),
        }
        self.assumptions: tuple[Assumption, ...] = (
            ()
            if found.certain
            else (
                Assumption("every label that was asked for was learned", True, all_learned),
                Assumption("a label was asked for where r_t > t^-kappa, and nowhere else", True, asked_so),
                Assumption("every label was drawn by itself, with the mean of its node", False),
                Assumption("the order of the nodes was chosen without a look at the labels", False),
            )
        )

    @classmethod
    def of(cls, trace: Trace, found: MarginErrors, kappa: float) -> SumUp:
        asked = np.asarray(trace.asked_at)
        over = found.variance * np.arange(1, len(trace) + 1.0) ** kappa
        near = np.abs(over - 1) <= BLUR
        return cls(
            found,
            kappa,
            float(-np.log1p(-found.variance[trace.updated]).sum()),
            all_learned=bool(np.all(trace.updated[asked])),
            asked_so=bool(np.all((asked == (over > 1)) | near)),
        )

    def eq_22(self, epsilon: float) -> float:
        """The right-hand side of Eq. (22), corrected; infinite where the query was another one."""
        if not self.ruled or self.kappa == 0:
            return inf
        noise, bias = 8 / epsilon**2, 4 * (self.penalty + epsilon) / epsilon**2
        power = 1 / self.kappa
        logs = (log(2) + lgamma(1 + power) + power * log(noise), power * log(bias))
        if max(logs) > 700:
            return inf
        return exp(logs[0]) + exp(logs[1]) + (2 * noise / e + bias) * self.log_det

    def eq_23(self, size: Floats) -> tuple[float, float]:
        """The right-hand side of Eq. (23), corrected, and the epsilon that it is smallest at."""
        below = np.sort(size)
        tried = np.unique(np.concatenate([GRID, below[below > 0][:: max(1, len(below) // 100)]]))
        sums = [eps * np.searchsorted(below, eps) + self.eq_22(float(eps)) for eps in tried]
        best = int(np.argmin(sums))
        return float(sums[best]), float(tried[best])


def _certificate(
    theorem: str,
    value: float,
    charged: int,
    terms: dict[str, float],
    assumptions: tuple[Assumption, ...],
    certain: bool,
    counts: str,
) -> Certificate:
    """The certificate; where labels are left to chance, an unlucky game is called that and not an error."""
    value = rounded_up(value)
    if not certain:
        lucky = Assumption("this game was no unluckier than an average one may be", True, charged <= value)
        assumptions = (*assumptions, lucky)
    return Certificate(theorem, value, charged, terms, assumptions, counts)
