"""Paper 003's promise about f-bar, the average of f_1 .. f_T, on points to come."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from ohmline.bound.contract import Assumption, Bound, Certificate, rounded_up
from ohmline.bound.manifold_run import manifold_run
from ohmline.checks import number, positive
from ohmline.errors import LearnerError
from ohmline.game.trace import Trace
from ohmline.kernel.vector import RBF
from ohmline.learn.manifold import Loss


@final
class AverageBound(Bound):
    """Limits how often f-bar errs on new points, where points are drawn independently (paper 003, section 2.2, [17]).

    With probability `confidence` over the draw of the game,

        E c(f-bar(x), y) <= 1/T sum_t c(f_t(x_t), y_t) + C sqrt(ln(1 / (1 - confidence)) / (2 T)),

    with C the largest loss where |f| <= `largest`. f_t is known before (x_t, y_t) is drawn, so the loss of trial t is
    a fair estimate of f_t's risk; the losses of T trials concentrate (Hoeffding and Azuma), and the risk of the
    average is at most the average of the risks (Jensen, the loss being convex). Where |f_t| could have exceeded
    `largest` somewhere, the certificate is void; that keeps the loss bounded without a projection.

    A mistake costs at least c(0), so the limit over c(0) is one on the share of mistakes; `value` is that of 100 new
    trials. It is about points to come: the trace has none of them, and `charged` is 0.

    Every label in the trace counts, also one that the learner was not shown. It holds for `Printed` and `Proximal`
    steps alike, over `Full` and a `Buffer` that was never full; elsewhere f-bar is kept only up to matching pursuit.

    Differs: the paper says that the *regularised* risk of f-bar approaches that of f*. J_t sums over the points before
    t, so with lambda_2 > 0 the J_t are no independent draws of one risk, and the argument of [17] is about the loss.
    Nor does "no regret" speak of f-bar where points are not drawn independently: labels in sorted order refute it.

    Parameters
    ----------
    confidence
        The probability with which it holds, above 0 and below 1. Default 0.95.
    largest
        The most that |f_t| may reach, above 0, chosen before the game. Default 10.

    Examples
    --------
    >>> import ohmline as ohm
    >>> learner = ohm.OnlineManifold(ohm.RBF(0.3), ohm.Full(), smoothness=ohm.Manifold(0.2))
    >>> trace = ohm.play(learner, ohm.Spirals(label_rate=0.5).stream(500))
    >>> print(AverageBound().certify(trace))
    at most ... mistakes expected in 100 new trials (paper 003, f-bar [17], assuming that ...
    """

    def __init__(self, confidence: float = 0.95, largest: float = 10.0) -> None:
        self.confidence = number(confidence, "confidence of AverageBound", least=1e-12, most=1 - 1e-12)
        self.largest = positive(largest, "largest of AverageBound")

    def certify(self, trace: Trace, comparator: Any = None) -> Certificate:
        """The certificate of a game.

        Parameters
        ----------
        trace
            A game of `OnlineManifold` with two classes and one view.
        comparator
            Plays no part.
        """
        run = manifold_run(trace)
        options = run.learner.options
        if run.alpha.shape[1:3] != (1, 1) or options.averaged or not len(trace):
            raise LearnerError(
                "this theorem speaks about the average of one function of two classes over one trial or more; "
                "play OnlineManifold(averaged=False) without Multiview, and read learner.average"
            )
        loss, positive_class = options.loss, run.learner.classes[1]
        signs = [1 if label == positive_class else -1 for label in trace.labels]
        here = np.array([run.values[t, 0, 0, t] for t in range(len(trace))])
        paid = float(np.mean([loss.value_at(f, s) for f, s in zip(here, signs, strict=True)]))
        reached = float(np.sqrt(run.sqnorms[:-1].max()))
        deviation = largest_loss(loss, self.largest) * float(
            np.sqrt(-np.log1p(-self.confidence) / (2 * len(trace)))
        )
        limit = rounded_up(paid + deviation, 1e-9)
        return Certificate(
            "paper 003, f-bar [17]",
            rounded_up(100 * limit / loss.value_at(0.0, 1)),
            0,
            {"loss": paid, "deviation": deviation, "loss_bound": limit, "reached": reached},
            (
                run.whole,
                Assumption("every label is known to the trace", True, bool(trace.known.all())),
                Assumption(
                    f"|f_t| stayed within {self.largest:g} at every possible point",
                    True,
                    isinstance(run.kernel, RBF) and reached <= self.largest,
                ),
                run.fresh,
                Assumption("points and labels are drawn independently of each other, all alike", False),
            ),
            "mistakes expected in 100 new trials",
        )


def largest_loss(loss: Loss, size: float) -> float:
    """The largest loss of a score of at most that size."""
    return max(loss.value_at(size, -1), loss.value_at(-size, -1))
