"""The runs behind Figure 2 of paper 000: future mistakes after t labels, chosen or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ohmline.arrays import Ints
from ohmline.bound import ProjectionBound
from ohmline.game import Stream, Trace, play
from ohmline.kernel import Kernel
from ohmline.lab.experiment import Row
from ohmline.learn import Contradiction, Projection, State

Pick = Callable[[Projection, Ints], int]
"""The position to ask for next, among those that are free."""


def most_progress(learner: Projection, free: Ints) -> int:
    """Act-st: the node of largest guaranteed progress, criterion (15)."""
    margin = np.array([learner.margin_one(learner.nodes[int(i)]) for i in free])
    diagonal = learner.kernel.diagonal()[free]
    return int(free[np.argmax((np.minimum(np.abs(margin), 1) - 1) ** 2 / diagonal)])


def least_margin(learner: Projection, free: Ints) -> int:
    """Act-mu: the node of least margin."""
    margin = np.array([learner.margin_one(learner.nodes[int(i)]) for i in free])
    return int(free[np.argmin(np.abs(margin))])


class Curves:
    """C_fe(t) of every method: the mistakes after the first t labels, one number a run."""

    def __init__(self, times: Sequence[int]) -> None:
        self.times = list(times)
        self.runs: dict[str, dict[int, list[int]]] = {}

    @property
    def methods(self) -> list[str]:
        """In the order of their first run."""
        return list(self.runs)

    def add(self, method: str, t: int, mistakes: int) -> None:
        """Note one run."""
        self.runs.setdefault(method, {}).setdefault(t, []).append(mistakes)

    def add_whole(self, method: str, trace: Trace) -> None:
        """Note a run whose first t labels are as random as the rest, for every t."""
        for t in self.times:
            self.add(method, t, int(trace.charged[t:].sum()))

    def mean(self, method: str, t: int) -> float:
        """The mean over all runs."""
        return float(np.mean(self.runs[method][t]))

    def row(self, dataset: str, method: str, t: int, paper: float | None = None) -> Row:
        """The mean beside the paper's number."""
        metric = f"mistakes after {t} labels" if t else "mistakes"
        return Row.of(dataset, method, metric, self.runs[method][t], paper)


def future_errors(kernel: Kernel, labels: Ints, orders: Iterable[int], curves: Curves) -> None:
    """Play every method on one graph, in random orders numbered by ``orders``."""
    chosen = {
        "Act-st": _prefixes(kernel, labels, most_progress, curves.times),
        "Act-mu": _prefixes(kernel, labels, least_margin, curves.times),
    }
    for number in orders:
        order = np.random.default_rng(number).permutation(len(labels))
        whole = {
            "1-proj": Projection.one_proj(kernel),
            "C-proj": Projection.c_proj(kernel, contradiction=Contradiction.RELABEL),
            "MNI-ag": Projection.min_norm(kernel, contradiction=Contradiction.RELABEL),
            "1-proj, aggressive": Projection.one_proj(kernel, aggressive=True),
        }
        for method, learner in whole.items():
            curves.add_whole(method, play(learner, Stream(order, labels[order])))
        for t in curves.times:
            for method, prefixes in chosen.items():
                taken, state = prefixes[t]
                rest = order[~np.isin(order, taken)]
                for suffix, aggressive in ((method, False), (f"{method}, aggressive after", True)):
                    curves.add(suffix, t, _suffix(kernel, state, labels, rest, aggressive))
            first = Projection.one_proj(kernel, aggressive=True)
            play(first, Stream(order[:t], labels[order[:t]]))
            rest = order[t:]
            curves.add(
                "random, aggressive first",
                t,
                _suffix(kernel, first.snapshot(), labels, rest, aggressive=False),
            )


def active_certificate(kernel: Kernel, labels: Ints, order: Ints, chosen: int) -> float:
    """Theorem 5.1 for Act-st: the bound on the mistakes after ``chosen`` labels picked by (15)."""
    taken, _ = _prefixes(kernel, labels, most_progress, [chosen])[chosen]
    rest = order[~np.isin(order, taken)]
    learner = Projection.one_proj(kernel, aggressive=True)
    first = play(learner, Stream(taken, labels[taken]))
    learner.aggressive = False
    second = play(learner, Stream(rest, labels[rest]))
    return ProjectionBound(active=chosen).certify(joined(first, second), labels).value


def joined(first: Trace, second: Trace) -> Trace:
    """One trace of two games that the same learner played, one after the other."""
    stream = Stream(
        np.append(np.asarray(first.nodes), np.asarray(second.nodes)), np.append(first.labels, second.labels)
    )
    log = type(first.log)(*(np.append(a, b) for a, b in zip(first.log, second.log, strict=True)))
    return Trace(second.learner, stream, {**first.meaning, **second.meaning}, log)


def _prefixes(
    kernel: Kernel, labels: Ints, pick: Pick, times: Sequence[int]
) -> dict[int, tuple[Ints, State]]:
    """For each t the nodes chosen by then, and the aggressive learner that chose them."""
    learner = Projection.one_proj(kernel, aggressive=True)
    taken: list[int] = []
    found: dict[int, tuple[Ints, State]] = {}
    for t in range(max(times) + 1):
        if t in times:
            found[t] = np.array(taken, dtype=np.int64), learner.snapshot()
        free = np.setdiff1d(np.arange(len(labels)), taken)
        i = pick(learner, free)
        learner.learn_one(learner.nodes[i], 1 if labels[i] > 0 else -1)
        taken.append(i)
    return found


def _suffix(kernel: Kernel, state: State, labels: Ints, rest: Ints, aggressive: bool) -> int:
    """Mistakes on the remaining nodes, from the state in which the prefix left the learner."""
    learner: Any = Projection.restore(state, kernel)
    learner.aggressive = aggressive
    return int(play(learner, Stream(rest, labels[rest])).charged.sum())
