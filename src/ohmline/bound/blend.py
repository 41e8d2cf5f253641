"""What a blend promises about its best member (Littlestone and Warmuth 1994; Vovk 1990)."""

from __future__ import annotations

from math import log, log1p
from typing import Any, final

import numpy as np

from ohmline.bound.asked_trials import expect_trace
from ohmline.bound.contract import Assumption, Bound, Certificate, rounded_up
from ohmline.errors import LearnerError
from ohmline.game.trace import Trace
from ohmline.learn.blend import Blend, Majority, Mixture, Product
from ohmline.learn.blend.ways import Tally, Way
from ohmline.learn.local_lgc import LocalLGC


@final
class MajorityBound(Bound):
    """Limits the mistakes of a `Blend` by `Majority`: little more than twice those of its best member.

    |M| <= (ln N + M* ln(1 / beta)) / ln(2 / (1 + beta)), M* the mistakes of the best of N members.

    Let W be the sum of the members' weights, N at the start. Where the blend is wrong, or two classes tie, the label's
    class has at most half of W, because another one has as much; the rest was wrong or silent and is multiplied by
    beta. So W falls to (1 + beta) / 2 of itself at least, and never rises. At the end the best member's weight alone
    is beta^M*, hence beta^M* <= N ((1 + beta) / 2)^|M|.

    It is live: it needs no comparator, only the members' own mistakes. A class that nobody had seen counts as a mistake
    of everybody.

    Examples
    --------
    >>> import ohmline as ohm
    >>> line = ohm.graph.generate.line(8)
    >>> kernel = ohm.LaplacianKernel(line.graph) + ohm.Constant(1.0)
    >>> blend = ohm.Blend([ohm.Perceptron(kernel), ohm.NearestNeighbour(line.graph)], ohm.Majority())
    >>> trace = ohm.play(blend, ohm.Stream(range(8), line.labels).shuffled(seed=1))
    >>> certificate = MajorityBound().certify(trace)
    >>> trace.mistakes <= certificate.value, certificate.proven
    (True, True)
    """

    def certify(self, trace: Trace, comparator: Any = None) -> Certificate:
        way, tally = played(trace, Majority)
        assert isinstance(way, Majority)
        best, members = int(tally["mistakes"].min()), len(tally["mistakes"])
        fall = -log1p((way.beta - 1) / 2)  # ln(2 / (1 + beta)), which a beta close to 1 would round to 0
        value = (log(members) - best * log(way.beta)) / fall
        return certificate_of(
            "weighted majority", trace, tally, value, {"best": best, "members": members, "beta": way.beta}
        )


@final
class MixtureBound(Bound):
    """Limits the mistakes of a `Blend` by `Mixture` or `Product`: by the log loss of its best member.

    `LocalLGC` with a prior joins two members, the graph and the prior, as a `Product` does.

    |M| <= (min L_i + ln N) / ln 2 + labels that were not scored. For `Product` the experts are the product, with
    weight 1/2, and the members with 1/2N each: (min(L_product + ln 2, min L_i + ln 2N)) / ln 2 + the same.

    With weights p_i exp(-L_i) / sum, the probability that the mixture gives to a label is the ratio of
    Z = sum of p_i exp(-L_i) after and before it. So the losses of the mixture add up to L = -ln Z, exactly, and
    Z >= p_i exp(-L_i) for each i. Where the blend is wrong, or two classes tie, the label has probability 1/2 at most,
    because another class has as much: its loss is ln 2 at least. Losses are those of probabilities with 1 % spread
    evenly. First labels of a class, and labels where no member knew anything, are not scored and counted in full.

    For `Product`, `terms["regret"]` limits by how much L_product exceeds the loss of the product with the best fixed
    powers in [0, most], among them (1, 0, ..., 0), each member alone: AdaGrad's
    (most^2 / (2 eta) + eta) times the sum of the roots of the sums of squared slopes (Duchi, Hazan and Singer 2011,
    Theorem 5), because -ln of the product's probability is convex in the powers.

    Examples
    --------
    >>> import ohmline as ohm
    >>> line = ohm.graph.generate.line(8)
    >>> members = [ohm.LocalLGC(line.graph), ohm.LocalLGC(line.graph, mu=0.1)]
    >>> trace = ohm.play(ohm.Blend(members), ohm.Stream(range(8), line.labels).shuffled(seed=1))
    >>> certificate = MixtureBound().certify(trace)
    >>> trace.mistakes <= certificate.value, certificate.proven
    (True, True)
    """

    def certify(self, trace: Trace, comparator: Any = None) -> Certificate:
        way, tally = played(trace, Mixture, Product)
        losses = tally["losses"]
        members = len(losses) - isinstance(way, Product)
        terms = {"unscored": float(tally["unscored"][0]), "loss": float(tally["own_loss"][0])}
        best = float(losses[:members].min())
        limit = best + log(members)
        if isinstance(way, Product):
            limit = min(float(losses[-1]) + log(2), best + log(2 * members))
            terms |= {"product": float(losses[-1]), "regret": way.regret(tally)}
        terms |= {"best": best, "members": members}
        kept = Assumption(
            "the loss of the blend is within its limit", True, terms["loss"] <= rounded_up(limit, 1e-9)
        )
        value = rounded_up(limit, 1e-9) / log(2) + terms["unscored"]
        return certificate_of("exponential weights", trace, tally, value, terms, kept)


def played(trace: Trace, *ways: type) -> tuple[Way, Tally]:
    """How the learner of a game joined its members, in one of these ways, and what it remembers of them."""
    learner = expect_trace(trace).learner
    way, tally = joined_by(learner)
    if way is None or tally is None or not isinstance(way, ways):
        names = " or ".join(way.__name__ for way in ways)
        raise LearnerError(
            f"this theorem is about a Blend by {names}, and the trace was played by {learner!r}; best_bound finds the "
            "theorem of another learner"
        )
    return way, tally


def joined_by(learner: Any) -> tuple[Way | None, Tally | None]:
    """How a learner joins others, if it does."""
    if isinstance(learner, Blend):
        return learner.way, learner.tally
    if isinstance(learner, LocalLGC) and learner.prior is not None:
        return Product(), learner.tally
    return None, None


def certificate_of(
    theorem: str, trace: Trace, tally: Tally, value: float, terms: dict[str, float], *more: Assumption
) -> Certificate:
    wrong = int((trace.mistake & trace.asked_at).sum())
    same = int(tally["labels"][0]) == trace.asked and int(tally["own"][0]) == wrong
    afresh = Assumption("the blend has learned the labels of this game and no others", True, same)
    charged = int((trace.charged & trace.asked_at).sum())
    hidden = int(np.count_nonzero(~trace.asked_at))
    return Certificate(theorem, rounded_up(value), charged, terms, (afresh, *more), hidden=hidden)
