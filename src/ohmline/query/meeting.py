"""How a query meets a learner: the learner's field over all nodes, kept up from one meeting to the next.

A field of sparse precision is factorised when a learner is first met. At the next meeting the labels that came since
are added to it, each by an update of rank one, so that nothing is solved afresh. It is factorised again only where a
label was corrected or withdrawn, the graph has grown, or so many labels came that a new factor is quicker to read.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any, cast
from weakref import WeakKeyDictionary

import numpy as np
from scipy import sparse

from ohmline.arrays import Ints
from ohmline.checks import shown
from ohmline.errors import LearnerError
from ohmline.graph.nodes import NodeIndex
from ohmline.kernel.contract import Kernel
from ohmline.learn.belief import Belief, Believes, KernelBelief, LinearBelief, SparseBelief
from ohmline.learn.contract import BinaryLearner, OnlineLearner
from ohmline.learn.one_vs_rest import OneVsRest
from ohmline.query.covariance import OfFeatures, OfKernel, inverse_of
from ohmline.query.field import Field

MOST = 256
"""Labels that may be added to a field before it is made afresh."""


class _Kept:
    """The field of a learner, and the labels that are in it."""

    def __init__(self) -> None:
        self.turn = RLock()
        self.field: Field | None = None
        self.version: Any = None
        self.codes: Ints = np.empty(0, np.int64)


_KEPT: WeakKeyDictionary[Any, _Kept] = WeakKeyDictionary()
_MAKING = RLock()


def nodes_of(learner: OnlineLearner[Any, Any]) -> NodeIndex:
    """The nodes of a learner, or an error where it has none."""
    nodes = getattr(learner, "nodes", None)
    if not isinstance(nodes, NodeIndex):
        raise LearnerError(
            f"a pool needs a learner over the nodes of a graph, got {type(learner).__name__}, which keeps no list of "
            "what it may be asked about; let a query on its stream choose: ohm.play(learner, stream, ohm.GapBelow())"
        )
    return nodes


def classes_of(learner: OnlineLearner[Any, Any]) -> tuple[Any, ...]:
    """The classes in the order of a field's columns."""
    return (-1, 1) if isinstance(learner, BinaryLearner) else tuple(cast(Any, learner).classes)


def believed(learner: OnlineLearner[Any, Any]) -> Belief | None:
    """What a learner believes about all nodes; None where it keeps no variance."""
    return learner.belief() if isinstance(learner, Believes) else None


@contextmanager
def met(learner: OnlineLearner[Any, Any], query: Any, *, variance: bool) -> Iterator[Field]:
    """The learner's field, while nobody else moves it on; not to be changed, but for branches of it.

    `variance` says whether the query reads more than the mean: then a learner that keeps no variance is refused. For
    others the field of such a learner is its margins, with the kernel itself for the covariance.
    """
    belief = believed(learner)
    if belief is None:
        if variance:
            raise no_field(learner, query)
        yield _margins(learner, query)
        return
    with _MAKING:
        kept = _KEPT.setdefault(learner, _Kept())
    with kept.turn:
        try:
            yield _brought_up(kept, belief)
        except BaseException:
            kept.field = None  # it may have been stopped halfway
            raise


def no_field(learner: OnlineLearner[Any, Any], query: Any) -> LearnerError:
    """What is raised where a query meets a learner that keeps no variance."""
    return LearnerError(
        f"{query!r} needs a learner that knows its own variance at every node (LocalLGC, SharedLGC, OnlineLGC, "
        f"Projection.min_norm, OneVsRest of the last two), got {type(learner).__name__}; use Uncertainty, MinMargin or "
        "Random with this one"
    )


def _brought_up(kept: _Kept, belief: Belief) -> Field:
    if isinstance(belief, LinearBelief):  # its covariance has every label in it already
        return Field(OfFeatures(belief.features, belief.inverse), belief.noise, belief.mean)
    if isinstance(belief, KernelBelief):
        codes = np.where(belief.labelled, 0, -1)
        field = _continued(kept, codes, belief.kernel.fingerprint)
        if field is None:
            field = Field(OfKernel(belief.kernel), 0.0, belief.mean)
            for i in np.flatnonzero(belief.labelled).tolist():
                field.condition(i, -1)
        else:
            for i in _new(kept.codes, codes):
                field.condition(i, -1)
        field.mean = belief.mean
        kept.version = belief.kernel.fingerprint
    else:
        codes = belief.codes
        field = _continued(kept, codes, belief.version)
        if field is None:
            field = _solved(belief)
        else:
            field.widen(len(belief.classes))
            for i in _new(kept.codes, codes):
                field.condition(i, int(codes[i]))
        kept.version = belief.version
    kept.field, kept.codes = field, codes
    return field


def _continued(kept: _Kept, codes: Ints, version: Any) -> Field | None:
    """The field that was kept, if what came since is nothing but new labels."""
    field = kept.field
    if field is None or kept.version != version or len(codes) != len(kept.codes):
        return None
    had = kept.codes >= 0
    if not np.array_equal(codes[had], kept.codes[had]):
        return None
    return field if field.given + len(_new(kept.codes, codes)) <= MOST or field.noise == 0 else None


def _new(before: Ints, now: Ints) -> list[int]:
    found: list[int] = np.flatnonzero((before < 0) & (now >= 0)).tolist()
    return found


def _solved(belief: SparseBelief) -> Field:
    """The field with all its labels, by one factor and one solve for each class."""
    weights = (belief.codes >= 0) / belief.noise
    covariance = inverse_of(sparse.csr_array(belief.precision() + sparse.diags_array(weights)))
    mean = np.zeros((len(weights), len(belief.classes)))
    for code in range(len(belief.classes)):
        right = (belief.codes == code) / belief.noise
        if right.any():
            mean[:, code] = covariance.times(right)
    return Field(covariance, belief.noise, mean)


def _margins(learner: OnlineLearner[Any, Any], query: Any) -> Field:
    """The margins of a learner without a variance, and the kernel in which a label would move them."""
    members = list(learner.members.values()) if isinstance(learner, OneVsRest) else [learner]
    kernel = getattr(learner.unseen if isinstance(learner, OneVsRest) else learner, "kernel", None)
    if not isinstance(kernel, Kernel) or not all(isinstance(member, BinaryLearner) for member in members):
        raise LearnerError(
            f"{query!r} looks at the margins of all nodes, and {shown(type(learner).__name__)} is not over a kernel; "
            "use MinMargin or Random with this one"
        )
    n = len(nodes_of(learner))
    margins = [member.predict_many().margins for member in members]
    mean = (1 + np.array(margins).reshape(len(members), n).T) / 2
    if not isinstance(learner, OneVsRest):
        mean = np.hstack([1 - mean, mean])
    return Field(OfKernel(kernel), 0.0, mean)
