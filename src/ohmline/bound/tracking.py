"""What a learner that follows the best expert of the moment promises (Herbster and Warmuth 1998)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from math import log
from typing import Any, final

import numpy as np

from ohmline.arrays import AnyArray
from ohmline.bound.asked_trials import expect_trace
from ohmline.bound.blend import certificate_of, played
from ohmline.bound.contract import Assumption, Bound, Certificate, rounded_up
from ohmline.checks import count, listed, shown
from ohmline.errors import ParameterError
from ohmline.game.trace import Trace
from ohmline.learn.blend import FixedShare
from ohmline.learn.drifting import DriftingLGC


@final
class TrackingBound(Bound):
    """Limits the mistakes of a `Blend` by `FixedShare`, and of `DriftingLGC`: by the best sequence of experts.

    |M| <= min over sequences of experts of (L_sequence + price) / ln 2 + labels that were not scored.

    The weights of the experts follow v_k <- (1 - a_t) v_k p_k / sum + a_t / K with a_t = 1 / (t + 1). By induction
    over trials, v_k times the product of the sums so far is the sum, over all sequences of experts k_1, ..., k_t = k,
    of the chance of the sequence times the product of the probabilities that its experts gave to the labels, where a
    sequence starts anywhere with chance 1 / K and goes over from k_t to k_(t+1) with chance a_t / K, plus 1 - a_t if
    they are the same. So the product of the sums, exp(-L), is at least what any single sequence contributes:

      L <= L_sequence + price,   price = ln K - sum over t < T of ln(chance of its step after t),

    and with switches after trials t_1, ..., t_S the price is at most (S + 1) ln K + ln T + sum of ln t_i: a step that
    stays has a chance of at least t / (t + 1), the product of these over all t < T is 1 / T, and a switch has 1 / (t +
    1) of 1 / K in place of it. Where the learner is wrong, or two classes tie, the label has probability 1/2 at most,
    because another class has as much: its loss is ln 2 at least.

    It is live, and holds whatever the labels, the experts and the order are: the smallest loss plus price of all
    sequences is found trial by trial, by dynamic programming, with no comparator. Losses are those of the
    probabilities that were mixed. First labels of a class, and labels where no expert knew anything, are not scored and
    counted in full.

    Examples
    --------
    >>> import ohmline as ohm
    >>> line = ohm.graph.generate.line(32)
    >>> stream = ohm.Stream(range(32), line.labels).shuffled(seed=1)
    >>> trace = ohm.play(ohm.DriftingLGC(line.graph), stream)
    >>> certificate = TrackingBound().certify(trace)
    >>> trace.mistakes <= certificate.value, certificate.proven
    (True, True)
    """

    def certify(self, trace: Trace, comparator: Any = None) -> Certificate:
        learner = expect_trace(trace).learner
        tally = learner.tally if isinstance(learner, DriftingLGC) else played(trace, FixedShare)[1]
        priced = tally["priced"]
        best = int(priced.argmin())
        loss, limit = float(tally["own_loss"][0]), rounded_up(float(priced[best]), 1e-8)
        terms = {
            "unscored": float(tally["unscored"][0]),
            "loss": loss,
            "sequence": float(tally["sequence"][best]),
            "price": float(priced[best] - tally["sequence"][best]),
            "switches": float(tally["switches"][best]),
            "best": float(tally["losses"].min()),
            "experts": float(len(priced)),
        }
        kept = Assumption("the loss of the learner is within its limit", True, loss <= limit)
        value = limit / log(2) + terms["unscored"]
        return certificate_of("fixed share", trace, tally, value, terms, kept)

    @staticmethod
    def price(experts: int, trials: int, switches: Iterable[int]) -> float:
        """The price of a sequence: (S + 1) ln K + ln T + sum of ln t_i, what comparing with it costs at most.

        Parameters
        ----------
        experts
            K, at least 1.
        trials
            T, at least 1: the labels that were scored.
        switches
            After which of them the sequence goes over to another expert, each from 1 to T - 1, ascending.
        """
        k, t = count(experts, "experts", least=1), count(trials, "trials", least=1)
        after = [
            count(s, "each of switches", least=1, most=max(t - 1, 1)) for s in listed(switches, "switches")
        ]
        if after and (t == 1 or any(b <= a for a, b in pairwise(after))):
            raise ParameterError(
                f"switches must ascend, each from 1 to {t - 1}, got {shown(after)}; a sequence goes over at most once "
                "between two trials"
            )
        moments: AnyArray = np.array(after, dtype=np.float64)
        return rounded_up((len(after) + 1) * log(k) + log(t) + float(np.log(moments).sum()))
