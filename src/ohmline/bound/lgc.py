"""Paper 004's theorems, as they hold: mistakes, regret and label complexity of OnlineLGC."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ohmline.arrays import Bools, Floats, fraction
from ohmline.bound.asked_trials import Evidence, evidence, labelling
from ohmline.bound.contract import Assumption, Bound, Certificate, rounded_up
from ohmline.bound.ridge_walk import walk
from ohmline.game.trace import Trace
from ohmline.learn.lgc import OnlineLGC


@dataclass(frozen=True, slots=True)
class RidgeRegression:
    """The labels learned, in order, and what ridge regression from nothing says of each before it."""

    rows: Floats
    """m_t of every label learned."""
    labels: Floats
    q: Floats
    """m_t' A_{t-1}^-1 m_t."""
    margin: Floats
    """w_{t-1}' m_t."""
    mistaken: Bools
    mu: float
    fresh: Assumption
    """The learner was this regression."""

    @property
    def after(self) -> Floats:
        """r_t = m_t' A_t^-1 m_t."""
        return self.q / (1 + self.q)

    @property
    def log_det(self) -> float:
        """sum_i log(1 + lambda_i / mu), which is sum_t log(1 + q_t)."""
        return float(np.log1p(self.q).sum())

    def comparator(self, trace: Trace, given: Any, seen: Evidence) -> Floats:
        """u: the weights nearest to a labelling of the nodes; without one, the best in hindsight."""
        if given is None:
            d = self.rows.shape[1]
            stacked = np.vstack([self.rows, np.sqrt(self.mu) * np.eye(d)])
            target = np.append(self.labels, np.zeros(d))
        else:
            stacked = np.asarray(trace.learner.space.rows, dtype=np.float64)
            target = labelling(given, seen.nodes)
        return np.asarray(np.linalg.lstsq(stacked, target, rcond=None)[0], dtype=np.float64)

    def sqloss(self, u: Floats) -> float:
        """sum (u . m_t - y_t)^2 over the labels learned."""
        return float(np.sum((self.rows @ u - self.labels) ** 2))


def ridge_of(trace: Trace, seen: Evidence) -> RidgeRegression:
    """The regression behind a trace, worked out again from the labels it learned."""
    learner: OnlineLGC = trace.learner
    rows = np.asarray(learner.space.rows[seen.positions[seen.moved]], dtype=np.float64)
    labels = seen.labels[seen.moved]
    q, margin, _ = walk(rows, np.ones(len(labels), np.bool_), labels, labels, learner.mu)
    same = bool(np.allclose(margin, seen.margin[seen.moved], rtol=1e-6, atol=1e-7))
    fresh = Assumption(
        "the learner started with no label, and its margins are those of exact steps", True, same
    )
    return RidgeRegression(rows, labels, q, margin, seen.mistaken[seen.moved], learner.mu, fresh)


def learned(seen: Evidence) -> Assumption:
    """A mistaken label that was asked for moved the hypothesis."""
    holds = bool(seen.moved[seen.mistaken].all())
    return Assumption("every mistaken label that was asked for was learned", True, holds)


@final
class OnlineLGCBound(Bound):
    """Limits the mistakes of `OnlineLGC` by the loss of a comparator (paper 004, Corollary 5 corrected).

    |M| <= min_u {sum_U (u . m_t - y_t)^2 + mu ||u||^2} + sum_M m_t' A_t^-1 m_t, where U are the labels learned and M
    the mistaken ones among them (with `mistake_driven` the same).

    Differs: this replaces Corollary 5 of paper 004, which is false as printed (one node whose
    label is always the one not predicted: 1000 mistakes in 1000 trials against a bound of 506.9). The
    proof: with q_t = m_t' A_{t-1}^-1 m_t, the minimum equals sum_U (y_t - margin_t)^2 / (1 + q_t),
    every mistaken trial has (y_t - margin_t)^2 >= 1, and 1 - 1 / (1 + q_t) = m_t' A_t^-1 m_t.

    A comparator is a labelling of every node; the function nearest to it in the kernel's space
    takes the part of u. Without one the minimum itself is taken, which needs no hindsight.

    Examples
    --------
    >>> import ohmline as ohm
    >>> ring = ohm.Graph.from_edges([(k, (k + 1) % 20) for k in range(20)])
    >>> stream = ohm.Stream(range(20), [1] * 10 + [-1] * 10).shuffled(seed=0)
    >>> trace = ohm.play(ohm.OnlineLGC(ohm.SpectralKernel(ring, rank=5), mu=0.1), stream)
    >>> print(OnlineLGCBound().certify(trace))
    at most 5 mistakes (paper 004, Corollary 5 corrected, live, proven; loss = 0.81..., variance = 4.4...)
    """

    def certify(self, trace: Trace, comparator: Any = None) -> Certificate:
        seen = evidence(trace, OnlineLGC)
        ridge = ridge_of(trace, seen)
        u = ridge.comparator(trace, comparator, seen)
        loss, penalty = ridge.sqloss(u), ridge.mu * float(u @ u)
        variance = float(ridge.after[ridge.mistaken].sum())
        return Certificate(
            "paper 004, Corollary 5 corrected" + (", live" if comparator is None else ""),
            rounded_up(loss + penalty + variance),
            seen.charged,
            {"loss": loss, "penalty": penalty, "variance": variance},
            (learned(seen), ridge.fresh),
            hidden=seen.hidden,
        )


@final
class OnlineLGCRegret(Bound):
    """Limits the regret of `OnlineLGC`, and with it the mistakes (paper 004, Theorem 4).

    R_T <= (mu / 2) ||u||^2 + (gamma / 2) sum_i log(1 + lambda_i / mu).

    | paper | here |
    |---|---|
    | R_T | term `regret`: sum (w_{t-1} . m_t - y_t)^2 / 2 - sum (u . m_t - y_t)^2 / 2, over U |
    | gamma | term `gamma`: the largest (w_{t-1} . m_t - y_t)^2 |
    | sum log(1 + lambda_i / mu) | term `log_det` |
    | right-hand side | term `regret_bound` |

    Differs: Lemma 3 has ||u||^2 = 2 Phi, but f'Lf = 4 Phi when each cut edge counts once, so a
    labelling f that lies in the space of the exact kernel costs 2 mu Phi where the paper prints
    mu Phi. The half before gamma is lost after Eq. (17). The gamma of the proof bounds the
    learner's own losses, not u's.

    The certificate counts mistakes, each of which has (w . m - y)^2 >= 1: twice the regret
    bound, plus twice the loss of u.
    """

    def certify(self, trace: Trace, comparator: Any = None) -> Certificate:
        seen = evidence(trace, OnlineLGC)
        ridge = ridge_of(trace, seen)
        u = ridge.comparator(trace, comparator, seen)
        sqlosses = (ridge.margin - ridge.labels) ** 2
        gamma = float(sqlosses.max(initial=0.0))
        penalty = ridge.mu / 2 * float(u @ u)
        regret_bound = penalty + gamma / 2 * ridge.log_det
        return Certificate(
            "paper 004, Theorem 4" + (", live" if comparator is None else ""),
            rounded_up(ridge.sqloss(u) + 2 * regret_bound),
            seen.charged,
            {
                "regret": (float(sqlosses.sum()) - ridge.sqloss(u)) / 2,
                "regret_bound": regret_bound,
                "penalty": penalty,
                "gamma": gamma,
                "log_det": ridge.log_det,
            },
            (learned(seen), ridge.fresh),
            hidden=seen.hidden,
        )


@final
class LabelComplexity(Bound):
    """Limits how many labels `VarianceAbove(kappa)` asks for with `OnlineLGC` (paper 004, Theorem 7).

    N_T <= T^kappa d ln(1 + N_T B / (mu d)). `value` is the largest N that satisfies it, so it is known before the
    first trial. B is the largest ||m||^2, which the paper's text drops.

    The proof sums r_t over the labels asked for, so each of them must have entered A: with
    mistake-driven updates the bound is false (one node, one label: it is asked for again and again),
    and the certificate says so. A comparator plays no part.

    Parameters
    ----------
    kappa
        The kappa of the query that was played, from 0 to 1. Default 0.4.
    """

    def __init__(self, kappa: float = 0.4) -> None:
        self.kappa = fraction(kappa, "kappa of LabelComplexity")

    def certify(self, trace: Trace, comparator: Any = None) -> Certificate:
        seen = evidence(trace, OnlineLGC)
        ridge = ridge_of(trace, seen)
        learner: OnlineLGC = trace.learner
        d, sqradius = ridge.rows.shape[1], float(learner.space.diagonal.max(initial=0.0))
        trial = np.flatnonzero(trace.asked_at)[seen.moved] + 1.0
        uncertain = bool(np.all(ridge.after > trial**-self.kappa * (1 - 1e-6)))
        return Certificate(
            "paper 004, Theorem 7, label complexity",
            label_ceiling(len(trace), self.kappa, d, sqradius, ridge.mu),
            trace.asked,
            {
                "rank": d,
                "sqradius": sqradius,
                "in_hindsight": len(trace) ** self.kappa * ridge.log_det,
            },
            (
                Assumption("every label that was asked for was learned", True, bool(seen.moved.all())),
                Assumption("a label was asked for only where r_t > t^-kappa", True, uncertain),
                ridge.fresh,
            ),
            counts="labels",
        )


def label_ceiling(trials: int, kappa: float, d: int, sqradius: float, mu: float) -> float:
    """The largest N with N <= T^kappa d ln(1 + N B / (mu d)), and at most T.

    >>> round(label_ceiling(10_000, 0.4, 1, 1.0, 1.0), 1)
    213.8
    """
    ceiling = float(trials)
    while True:  # the right side is concave in N: from above the iteration falls to the largest root
        lower = trials**kappa * d * float(np.log1p(ceiling * sqradius / (mu * d))) if d else 0.0
        if lower >= ceiling - 1e-9 * max(1.0, ceiling):  # any value on the way is an upper bound too
            return ceiling
        ceiling = lower
