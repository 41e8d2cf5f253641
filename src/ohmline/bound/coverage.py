"""What `ConformalSets` promises about the labels outside of its sets (Gibbs and Candes 2021, Proposition 4.1)."""

from __future__ import annotations

from typing import Any, final

from ohmline.bound.asked_trials import expect_trace
from ohmline.bound.contract import Assumption, Bound, Certificate, rounded_up
from ohmline.checks import none_or, number
from ohmline.errors import LearnerError
from ohmline.game.trace import Trace
from ohmline.learn.conformal import ConformalSets


@final
class CoverageBound(Bound):
    """Limits how many labels were outside of the sets of a `ConformalSets`, on every sequence of labels.

    With alpha = 1 - coverage, T labels and M of them outside of the sets that were said just before:

      alpha T - coverage / step - alpha  <=  M  <=  alpha T + alpha / step + coverage.

    The level starts at alpha, rises by step alpha at each label inside of its set and falls by step coverage at each
    one outside, so that after T labels it is alpha + step (alpha T - M). At a level of 0 or less the set holds
    everything, and nothing can be outside: so it never falls below -step coverage. At 1 or more the set is empty, and
    everything is outside: so it never rises above 1 + step alpha. Both say where M lies.

    Nothing is assumed of the labels, their order, the learner or its probabilities. The limit is about the labels that
    were revealed. It is live: there is nothing to compare with.

    Parameters
    ----------
    coverage
        Which of the learner's coverages it is about; None (default) for the first.

    Examples
    --------
    >>> import ohmline as ohm
    >>> karate = ohm.data.load("karate")
    >>> sets = ohm.ConformalSets(ohm.LocalLGC(karate.graph), coverage=0.8, step=0.05)
    >>> certificate = CoverageBound().certify(ohm.play(sets, karate.stream().shuffled(seed=0)))
    >>> certificate.charged <= certificate.value, certificate.proven
    (True, True)

    References
    ----------
    Gibbs and Candes, Adaptive conformal inference under distribution shift, NeurIPS 2021.
    """

    def __init__(self, coverage: float | None = None) -> None:
        self.coverage = none_or(number, coverage, "coverage")

    def certify(self, trace: Trace, comparator: Any = None) -> Certificate:
        learner = expect_trace(trace).learner
        if not isinstance(learner, ConformalSets):
            raise LearnerError(
                f"this theorem is about ConformalSets, and the trace was played by {learner!r}; play it with "
                "ConformalSets(learner, coverage=...)"
            )
        labels, missed = learner.labels, learner.missed(self.coverage)
        wanted = learner.coverage[0] if self.coverage is None else self.coverage
        alpha, step = 1 - wanted, learner.step
        most = alpha * labels + alpha / step + wanted
        least = max(alpha * labels - wanted / step - alpha, 0.0)
        reached = Assumption(
            "no fewer labels were outside than the theorem says", True, missed >= least * (1 - 1e-12)
        )
        afresh = Assumption(
            "the sets have learned the labels of this game and no others", True, labels == trace.asked
        )
        terms = {"coverage": wanted, "step": step, "labels": labels, "least": least}
        return Certificate(
            "adaptive conformal inference",
            rounded_up(most),
            missed,
            terms,
            (afresh, reached),
            "labels outside of their sets",
            hidden=len(trace) - trace.asked,
        )
