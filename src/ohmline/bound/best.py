"""The smallest bound that holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline.bound.contract import Bound, Certificate
from ohmline.bound.embedding import EmbeddingBound
from ohmline.bound.graph_perceptron import GraphPerceptronBound
from ohmline.bound.halving import HalvingBound
from ohmline.bound.lgc import OnlineLGCBound
from ohmline.bound.partition import PartitionBound
from ohmline.bound.perceptron import Fit, PerceptronBound
from ohmline.bound.pounce import PounceBound
from ohmline.bound.projection import ProjectionBound
from ohmline.errors import KernelError, LearnerError
from ohmline.game.trace import Trace


def best_bound(trace: Trace, comparator: Any = None) -> Certificate:
    """The smallest valid certificate for ``trace``, with the name of its theorem.

    Every theorem about the trace's learner and kernel is tried against ``comparator``, a labelling
    of every node; without it, in its live form. Where all of them are void (contradictory labels, a
    kernel that fits no comparator) the certificate is the trivial one, the number of labels asked.

    >>> import ohmline as ohm
    >>> barbell = ohm.graph.generate.barbell(6)
    >>> kernel = ohm.LaplacianKernel(barbell.graph) + ohm.Constant(1.0)
    >>> stream = ohm.Stream(range(12), barbell.labels).shuffled(seed=0)
    >>> best_bound(ohm.play(ohm.Perceptron(kernel), stream), barbell.labels).theorem
    'paper 001, Theorem 2.1'
    >>> best_bound(ohm.play(ohm.Pounce(kernel), stream), barbell.labels).theorem
    'paper 002, Theorem 2'
    """
    found: list[Certificate] = []
    refusals: list[Exception] = []
    for bound in _bounds(trace):
        try:
            certificate = bound.certify(trace, comparator)
        except (KernelError, LearnerError) as refusal:
            refusals.append(refusal)
            continue
        if certificate.valid and not np.isnan(certificate.value):
            found.append(certificate)
    if len(refusals) == len(_bounds(trace)):
        raise LearnerError(f"no theorem here is about {type(trace.learner).__name__}: {refusals[0]}")
    charged = int((trace.charged & trace.asked_at).sum())
    trivial = Certificate("trivial: one mistake a label", float(trace.asked), charged)
    return min(found, key=lambda certificate: certificate.value, default=trivial)


MANY = 4000
"""Labels beyond which the live perceptron bound fits the mistaken ones only: a factor of them all is slow."""


def _bounds(trace: Trace) -> tuple[Bound, ...]:
    # Moves without a mistake are progress that Theorem 5.1 takes off the bound.
    free = trace.updated & ~trace.charged
    return (
        PerceptronBound(Fit.SEEN if trace.asked <= MANY else Fit.MISTAKEN),
        PerceptronBound(Fit.MISTAKEN),
        GraphPerceptronBound(),
        ProjectionBound(active=free),
        PartitionBound(),
        PounceBound(),
        PounceBound(Fit.MISTAKEN),
        EmbeddingBound(),
        HalvingBound(),
        OnlineLGCBound(),
    )
