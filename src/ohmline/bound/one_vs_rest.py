"""Many classes from binary problems: their bounds, added."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.bound.asked_trials import expect_trace
from ohmline.bound.contract import Assumption, Bound, Certificate
from ohmline.bound.interpolant import shared
from ohmline.bound.perceptron import Fit, live_curve
from ohmline.errors import LearnerError
from ohmline.game.play import play
from ohmline.game.stream import Stream
from ohmline.game.trace import Trace
from ohmline.learn.one_vs_rest import OneVsRest
from ohmline.learn.perceptron import Perceptron


@final
class OneVsRestBound(Bound):
    """Limits the mistakes of `OneVsRest`: the sum of the bounds of its binary problems.

    If the margin of every class has the right sign, the largest one is that of the right class; so a mistake
    among many classes is a mistake in one binary problem at least (a tie counts as one there). Each problem is
    played again from the start, because the learner keeps no trace of its own, and certified by the smallest
    bound that its learner has. `charged` counts the binary mistakes of all problems together.

    Examples
    --------
    >>> import ohmline as ohm
    >>> line = ohm.Graph.from_edges([(k, k + 1) for k in range(11)])
    >>> kernel = ohm.LaplacianKernel(line) + ohm.Constant(1.0)
    >>> labels = ["a"] * 4 + ["b"] * 4 + ["c"] * 4
    >>> many = ohm.OneVsRest(lambda: ohm.Perceptron(kernel))
    >>> trace = ohm.play(many, ohm.Stream(range(12), labels).shuffled(seed=0))
    >>> certificate = OneVsRestBound().certify(trace, labels)
    >>> trace.mistakes <= certificate.charged <= certificate.value
    True
    """

    def certify(self, trace: Trace, comparator: Any = None) -> Certificate:
        from ohmline.bound.best import best_bound

        learner = _learner(trace)
        games = binary_games(trace, learner)
        terms: dict[str, float] = {}
        assumptions: dict[str, Assumption] = {}
        charged, theorems = 0, set()
        with shared():  # the problems differ in their labels, and not in their nodes
            parts = {
                label: best_bound(game, _signs(comparator, label, learner)) for label, game in games.items()
            }
        for label, part in parts.items():
            terms[str(label)], charged = part.value, charged + part.charged
            theorems.add(part.theorem)
            for assumption in part.assumptions:
                if assumption.text not in assumptions or not assumption.holds or not assumption.checked:
                    assumptions[assumption.text] = assumption
        theorem = f"{', '.join(sorted(theorems))}, added over {len(terms)} classes against the rest"
        value = float(sum(terms.values()))
        retold = replayed(trace, games)
        hidden = int(np.count_nonzero(~trace.asked_at))
        return Certificate(theorem, value, charged, terms, (*assumptions.values(), retold), hidden=hidden)


def binary_games(trace: Trace, learner: OneVsRest) -> dict[Any, Trace]:
    """The game of each class against the rest, played again from the start."""
    asked = Stream(trace.nodes, trace.stream.labels, revealed=trace.asked_at)
    return {label: play(learner.make(), asked.binary(label, absent=True)) for label in learner.classes}


def replayed(trace: Trace, games: Mapping[Any, Trace]) -> Assumption:
    """Whether the largest margin of the binary games is what was predicted, wherever two differ clearly."""
    text = "the learner had seen nothing before, and its binary problems are those played again"
    if not games:
        return Assumption(text, True)
    margins = np.array([game.margin for game in games.values()])
    labels = np.array(list(games), dtype=object)
    top = np.sort(margins, axis=0)
    lead = top[-1] - top[-2] if len(margins) > 1 else np.abs(top[-1])
    clear = lead > 1e-6 * np.maximum(1.0, np.abs(top).max(axis=0))
    said = np.array([label is not None for label in trace.predictions])
    best = labels[margins.argmax(axis=0)]
    known = np.array([label in seen for label, seen in zip(best, _seen_before(trace), strict=True)])
    same = np.array([a == b for a, b in zip(best, trace.predictions, strict=True)])
    return Assumption(text, True, bool(np.all(same[clear & said & known])))


def live_curves(trace: Trace, marks: Ints) -> Floats:
    """The live bound of Theorem 2.1 at each mark, added over the classes; for perceptrons only."""
    learner = _learner(trace)
    if not isinstance(learner.unseen, Perceptron):
        raise LearnerError(f"live_curves is about perceptrons, and the members are {learner.unseen!r}")
    games = binary_games(trace, learner).values()
    curves = [live_curve(game, marks, Fit.MISTAKEN) for game in games]
    return np.sum(curves, axis=0) if curves else np.zeros(len(marks))


def _learner(trace: Trace) -> OneVsRest:
    if not isinstance(expect_trace(trace).learner, OneVsRest):
        raise LearnerError(
            f"this bound is about OneVsRest, and the trace was played by {type(trace.learner).__name__}; "
            "best_bound finds the theorem of another learner"
        )
    return trace.learner


def _signs(comparator: Any, label: Any, learner: OneVsRest) -> list[int] | None:
    """One class against the rest, as a labelling of every node."""
    if comparator is None:
        return None
    listed = [comparator[node] for node in learner.nodes] if isinstance(comparator, Mapping) else comparator
    return [1 if y == label else -1 for y in listed]


def _seen_before(trace: Trace) -> list[set[Any]]:
    """The classes that may have been predicted in each trial: declared ones, or those asked for earlier."""
    if trace.learner.fixed:
        return [set(trace.learner.classes)] * len(trace)
    seen: set[Any] = set()
    out = []
    for y, asked in zip(trace.labels, trace.asked_at, strict=True):
        out.append(set(seen))
        if asked:
            seen.add(y)
    return out
