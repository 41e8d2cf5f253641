"""The smallest bound that holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline.bound.asked_trials import expect_trace
from ohmline.bound.blend import MajorityBound, MixtureBound
from ohmline.bound.contract import Bound, Certificate
from ohmline.bound.embedding import EmbeddingBound
from ohmline.bound.graph_partition import PartitionBound
from ohmline.bound.graph_perceptron import GraphPerceptronBound
from ohmline.bound.halving import HalvingBound
from ohmline.bound.interpolant import shared
from ohmline.bound.lgc import OnlineLGCBound
from ohmline.bound.local_lgc import LocalLGCBound
from ohmline.bound.manifold_regret import ManifoldRegret
from ohmline.bound.one_vs_rest import OneVsRestBound
from ohmline.bound.perceptron import Fit, PerceptronBound
from ohmline.bound.pounce import PounceBound
from ohmline.bound.projection import ProjectionBound
from ohmline.bound.tracking import TrackingBound
from ohmline.bound.trees import SpanningTreeBound, WeightedTreeBound
from ohmline.errors import KernelError, LearnerError
from ohmline.game.trace import Trace
from ohmline.learn.blend import Blend
from ohmline.learn.drifting import DriftingLGC
from ohmline.learn.local_lgc import LocalLGC
from ohmline.learn.manifold import Full, OnlineManifold, Printed
from ohmline.learn.one_vs_rest import OneVsRest
from ohmline.learn.trees.learner import TreeLearner


def best_bound(trace: Trace, comparator: Any = None) -> Certificate:
    """The smallest valid certificate for `trace`, with the name of its theorem.

    Every theorem about the trace's learner and kernel is tried. Where none of them is below the number of labels that
    were asked for, or all are void (contradictory labels, a kernel that fits no comparator), the certificate is that
    number, the trivial one; `certify` of the theorem's own class says why. A learner that no theorem is about raises
    `LearnerError`, with the evidence that there is without one.

    Parameters
    ----------
    trace
        A game.
    comparator
        A labelling of every node, as a list in the order of the nodes or a mapping; None (default) takes each
        theorem in its live form, which needs no hindsight.

    Returns
    -------
    Certificate
        The one with the smallest value among those that are valid.

    Examples
    --------
    >>> import ohmline as ohm
    >>> barbell = ohm.graph.generate.barbell(6)
    >>> kernel = ohm.LaplacianKernel(barbell.graph) + ohm.Constant(1.0)
    >>> stream = ohm.Stream(range(12), barbell.labels).shuffled(seed=0)
    >>> best_bound(ohm.play(ohm.Perceptron(kernel), stream), barbell.labels).theorem
    'paper 001, Theorem 2.1'
    >>> best_bound(ohm.play(ohm.Pounce(kernel), stream), barbell.labels).theorem
    'paper 002, Theorem 2'
    """
    with shared():
        return _best(expect_trace(trace), comparator)


def _best(trace: Trace, comparator: Any) -> Certificate:
    if isinstance(trace.learner, OneVsRest):
        added = OneVsRestBound().certify(trace, comparator)
        return min([added, _trivial(trace)] if added.valid else [_trivial(trace)], key=_value)
    found: list[Certificate] = []
    refused = 0
    bounds = _bounds(trace)
    for bound in bounds:
        try:
            certificate = bound.certify(trace, comparator)
        except (KernelError, LearnerError):
            refused += 1
            continue
        if certificate.valid and not np.isnan(certificate.value):
            found.append(certificate)
    if refused == len(bounds):
        raise LearnerError(
            f"no theorem here is about {type(trace.learner).__name__} and this game, so nothing limits its mistakes. "
            f"What there is without one: {_without_theorem(trace)}"
        )
    return min([*found, _trivial(trace)], key=_value)


def _trivial(trace: Trace) -> Certificate:
    """No more mistakes than labels."""
    charged = int((trace.charged & trace.asked_at).sum())
    hidden = int(np.count_nonzero(~trace.asked_at))
    return Certificate("trivial: one mistake per label", float(trace.asked), charged, hidden=hidden)


def _value(certificate: Certificate) -> float:
    return certificate.value


MANY = 6000
"""Labels beyond which live comparators fit the mistaken ones only: a factor of them all is too slow."""

MANY_SOLVES = 20_000
"""Labels beyond which the game of `LocalLGC` is not played again with careful solves unless its bound is asked for."""


def _bounds(trace: Trace) -> tuple[Bound, ...]:
    if isinstance(trace.learner, Blend):
        return MajorityBound(), MixtureBound(), TrackingBound()
    if isinstance(trace.learner, DriftingLGC):
        return (TrackingBound(),)
    if isinstance(trace.learner, OnlineManifold):
        options = trace.learner.options
        printed = isinstance(options.step, Printed) and isinstance(options.basis, Full)
        return (ManifoldRegret(),) if printed else ()
    if isinstance(trace.learner, LocalLGC) and trace.learner.prior is not None:
        return (MixtureBound(),)
    if isinstance(trace.learner, LocalLGC):
        return (LocalLGCBound(),) if trace.asked <= MANY_SOLVES else ()
    if isinstance(trace.learner, TreeLearner):
        return SpanningTreeBound(), WeightedTreeBound()
    mistaken = (PerceptronBound(Fit.MISTAKEN), PounceBound(Fit.MISTAKEN), EmbeddingBound(), HalvingBound())
    always = (*mistaken, GraphPerceptronBound(), PartitionBound(), OnlineLGCBound())
    if trace.asked > MANY:
        return always
    # Moves without a mistake are progress that Theorem 5.1 takes off the bound.
    free = trace.updated & ~trace.charged
    return (*always, PerceptronBound(), PounceBound(), ProjectionBound(active=free))


def _without_theorem(trace: Trace) -> str:
    """The evidence about a learner that no theorem covers."""
    share = f"it erred in {trace.mistakes} of {int(trace.known.sum())} trials, each predicted before its label came"
    if isinstance(trace.learner, LocalLGC):
        return (
            f"{share}; certain_one(x) proves single predictions, as far as the graph decides them. Of more than "
            f"{MANY_SOLVES:,} labels bound.LocalLGCBound().certify(trace) makes a certificate, and takes its time"
        )
    return share
