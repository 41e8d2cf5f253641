"""Limits on the mistakes of `LocalLGC`: ridge regression over the whole graph, one label at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from scipy import sparse
from scipy.sparse import linalg as sparse_linalg

from ohmline.arrays import Bools, Floats, Ints
from ohmline.bound.asked_trials import expect_trace
from ohmline.bound.contract import Assumption, Bound, Certificate, rounded_up
from ohmline.bound.trees import labels_of
from ohmline.errors import LearnerError
from ohmline.game.trace import Trace
from ohmline.learn.local_lgc import LocalLGC

CAREFUL = 1e-7
"""How far a solve goes before a trial is left open."""
SLACK = 1e-9
"""What is added to the loss for the rounding of its sums, as a share."""


@final
class LocalLGCBound(Bound):
    """Limits the mistakes of `LocalLGC` by the weight that the classes cut.

    Let P = L + ridge I (weights in units of `unit`), Q = P + (the labelled nodes' diagonal) / mu, s_t the exact scores
    Q^-1 b of a node before its label, and v_t = (Q^-1)_tt then. Ridge regression telescopes, exactly:

        sum_t ||e_{y_t} - s_t||^2 mu / (mu + v_t) = min_F {sum_t ||F_t - e_{y_t}||^2 + mu tr F'PF} = R.

    Where the class with the largest exact score is wrong, another is at least as large as the right one, and the
    squared loss is at least 1/2. So the mistakes of exact scores satisfy sum mu / (2 (mu + v_t)) <= R: no more of them
    than the smallest terms that fit into R. What is predicted comes from truncated solves. A trial whose prediction is
    proven to be the class of the exact scores (`certain_one`, on a learner that is played again) counts as above; every
    other one is counted as if it were a mistake, and so is one whose node was labelled before.

    With a comparator, a labelling of every node that is right on the asked trials and cuts the weight Phi: R <= mu
    (2 Phi / unit + ridge n). On a signed graph L is the signed Laplacian, and all of this holds as it stands, with
    the energy of the labelling in place of 2 Phi: 2 w for each edge between classes, 4 |w| for each negative edge
    within one, and 2 |w| for each negative edge between two, since e_a + e_b is not 0. Without a comparator R is
    computed: the smallest value is not needed, since the loss of any F is a limit.

    It costs one more game, with careful solves and from Python: about a millisecond per trial.

    Examples
    --------
    >>> import ohmline as ohm
    >>> ring = ohm.Graph.from_edges([(k, (k + 1) % 40) for k in range(40)])
    >>> stream = ohm.Stream(range(40), ["a"] * 20 + ["b"] * 20).shuffled(seed=0)
    >>> trace = ohm.play(ohm.LocalLGC(ring, ridge=0.01, mu=0.1), stream)
    >>> print(LocalLGCBound().certify(trace))
    at most ... mistakes (LocalLGC, ridge regression, live, proven; loss = ..., open trials = ...)
    """

    def certify(self, trace: Trace, comparator: Any = None) -> Certificate:
        learner = expect_trace(trace).learner
        if not isinstance(learner, LocalLGC):
            raise LearnerError(
                f"this theorem speaks about LocalLGC, and the trace was played by {type(learner).__name__}; "
                "bound.best_bound(trace) finds the theorem of each learner"
            )
        if learner.prior is not None:
            raise LearnerError(
                "this theorem speaks about the graph alone, and the learner has a prior; MixtureBound and best_bound "
                "limit the mistakes of both together"
            )
        if learner.graph.n != len(learner.nodes):
            raise LearnerError(
                "the graph has grown since the learner was made; play the game on the final graph"
            )
        asked = np.flatnonzero(trace.asked_at)
        labels = [trace.labels[t] for t in asked.tolist()]
        positions = learner.nodes.positions([trace.nodes[t] for t in asked.tolist()])
        again = _play_again(trace, learner, asked, positions, labels)
        if comparator is None:
            loss = _live_loss(learner, positions, labels)
        else:
            loss = _loss_of(learner, positions, labels, labels_of(comparator, learner.nodes))
        terms = np.sort(learner.mu / (2 * (learner.mu + again.variance[again.settled])))
        fits = int(np.searchsorted(np.cumsum(terms), loss * (1 + SLACK), side="right"))
        open_trials = int(np.count_nonzero(~again.settled))
        return Certificate(
            "LocalLGC, ridge regression" + (", live" if comparator is None else ""),
            rounded_up(float(fits + open_trials)),
            int(trace.charged[asked].sum()),
            {"loss": loss, "open trials": float(open_trials)},
            (Assumption("no node was given two labels", True, again.one_label),),
            hidden=int(np.count_nonzero(~trace.asked_at)),
        )


@dataclass(frozen=True)
class _Again:
    """What a second game shows of every asked trial."""

    settled: Bools
    """Whether the prediction was the class of the exact scores, so that a mistake has a loss of at least 1/2."""
    variance: Floats
    """At least v_t."""
    one_label: bool


def _play_again(trace: Trace, learner: LocalLGC, asked: Ints, positions: Ints, labels: list[Any]) -> _Again:
    """Play the labels once more from nothing, proving what can be proven before each."""
    fresh = LocalLGC(
        learner.graph, ridge=learner.ridge, mu=learner.mu, tolerance=learner.tolerance, unit=learner.unit
    )
    graph = learner.graph
    component, reached = graph.component_of, np.zeros(graph.n_components, dtype=bool)
    given: dict[int, Any] = {}
    settled, variance, one_label = np.zeros(len(asked), bool), np.full(len(asked), np.inf), True
    for k, (t, i, label) in enumerate(zip(asked.tolist(), positions.tolist(), labels, strict=True)):
        if i in given:
            one_label = one_label and given[i] == label
            continue
        node = trace.nodes[t]
        proof = fresh.certain_one(node, tolerance=CAREFUL)
        variance[k] = proof.variance_at_most
        tied = bool(trace.charged[t]) and not bool(trace.mistake[t])
        if not reached[component[i]]:
            settled[k] = not tied  # every exact score is 0, and the loss 1
        elif proof.certain and not tied:
            settled[k] = proof.prediction == trace.predictions[t]
        settled[k] &= bool(np.isfinite(variance[k]))
        fresh.learn_one(node, label)
        given[i] = label
        reached[component[i]] = True
    return _Again(settled, variance, one_label)


def _laplacian(learner: LocalLGC) -> sparse.csr_array:
    """P = L + ridge I in units of weight."""
    graph = learner.graph
    return sparse.csr_array(graph.laplacian() / learner.unit + learner.ridge * sparse.eye_array(graph.n))


def _live_loss(learner: LocalLGC, positions: Ints, labels: list[Any]) -> float:
    """The loss of ridge regression in the labels themselves: R, or a little more where the solve is not exact."""
    classes: dict[Any, int] = {}
    first: dict[int, int] = {}
    for i, label in zip(positions.tolist(), labels, strict=True):
        first.setdefault(i, classes.setdefault(label, len(classes)))
    if not first:
        return 0.0
    places, codes = np.array(list(first)), np.array(list(first.values()))
    penalty = _laplacian(learner)
    weight = np.zeros(learner.graph.n)
    weight[places] = 1 / learner.mu
    system = sparse.csr_array(penalty + sparse.diags_array(weight))
    inverse = sparse.diags_array(1 / system.diagonal())
    upper = sparse.coo_array(sparse.triu(learner.graph.adjacency, 1))
    left, right_end, heavy = upper.row, upper.col, upper.data / learner.unit
    loss = 0.0
    for c in range(len(classes)):
        goal = (codes == c).astype(np.float64)
        right = np.zeros(learner.graph.n)
        right[places] = goal / learner.mu
        f = sparse_linalg.cg(system, right, rtol=1e-8, maxiter=2000, M=inverse)[0]
        energy = float((np.abs(heavy) * (f[left] - np.sign(heavy) * f[right_end]) ** 2).sum())
        energy += learner.ridge * float(f @ f)
        loss += float(((f[places] - goal) ** 2).sum()) + learner.mu * energy  # nothing here can cancel
    return loss


def _loss_of(learner: LocalLGC, positions: Ints, labels: list[Any], named: list[Any]) -> float:
    """The loss of a labelling of all nodes: what it cuts, its size, and 2 for each asked label that it has wrong."""
    code: dict[Any, int] = {}
    codes = np.array([code.setdefault(y, len(code)) for y in named])
    graph = learner.graph
    ends = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    weights, differ = graph.weights, codes[ends] != codes[graph.indices]
    cut = float(np.abs(weights[differ]).sum() + 2 * np.abs(weights[~differ & (weights < 0)]).sum())
    cut *= 1 / 2 / learner.unit
    wrong = {i for i, y in zip(positions.tolist(), labels, strict=True) if named[i] != y}
    return learner.mu * (2 * cut + learner.ridge * graph.n) + 2.0 * len(wrong)
