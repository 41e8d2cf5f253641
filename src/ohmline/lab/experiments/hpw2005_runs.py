"""The runs behind Figure 2 of paper 000: future mistakes after t labels, chosen or not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ohmline.arrays import Ints
from ohmline.game import Stream, Trace, play, play_active
from ohmline.kernel import Kernel
from ohmline.lab.experiment import Claim, Row
from ohmline.learn import Contradiction, Projection
from ohmline.query import MaxProgress, MinMargin, Random

QUERIES = {"Act-st": MaxProgress(), "Act-mu": MinMargin(), "random choice": Random()}
"""Who chooses the first t labels, which are learned aggressively."""


WHOLE = ("1-proj", "C-proj", "MNI-ag")
"""The methods that choose nothing."""
ALIKE = 1.2
"""The ratio of two numbers of mistakes up to which methods perform alike."""


def both(method: str) -> str:
    """The name of a method that stays aggressive after the choice."""
    return f"{method}, aggressive after"


class Curves:
    """C_fe(t) of every method: the mistakes after the first t labels, one number per run."""

    def __init__(self, times: Sequence[int]) -> None:
        self.times = list(times)
        self.runs: dict[str, dict[int, list[int]]] = {}

    @property
    def methods(self) -> list[str]:
        """In the order of their first run."""
        return list(self.runs)

    def add(self, method: str, t: int, trace: Trace) -> None:
        """Note one run."""
        self.runs.setdefault(method, {}).setdefault(t, []).append(int(trace.charged[t:].sum()))

    def mean(self, method: str, t: int) -> float:
        """The mean over all runs."""
        return float(np.mean(self.runs[method][t]))

    def row(self, dataset: str, method: str, t: int, paper: float | None = None) -> Row:
        """The mean beside the paper's number."""
        metric = f"mistakes after {t} labels" if t else "mistakes"
        return Row.of(dataset, method, metric, self.runs[method][t], paper)


def future_errors(kernel: Kernel, labels: Ints, orders: Iterable[int], curves: Curves) -> None:
    """Play every method on one graph, in random orders numbered by `orders`."""
    pool = range(len(labels))
    for number in orders:
        whole = {
            "1-proj": Projection.one_proj(kernel),
            "C-proj": Projection.c_proj(kernel, contradiction=Contradiction.RELABEL),
            "MNI-ag": Projection.min_norm(kernel, contradiction=Contradiction.RELABEL),
        }
        stream = Stream(np.arange(len(labels)), labels).shuffled(number)
        for method, learner in whole.items():
            trace = play(learner, stream)
            for t in curves.times:  # the first t labels are as random as the rest
                curves.add(method, t, trace)
        # One run for every t, each with a random order of its own (the paper's footnote 3).
        for t in curves.times:
            for method, query in QUERIES.items():
                for name, after in ((method, False), (both(method), True)):
                    trace = play_active(
                        Projection.one_proj(kernel),
                        pool,
                        labels.tolist(),
                        query,
                        selections=t,
                        aggressive_suffix=after,
                        seed=number,
                    )
                    curves.add(name, t, trace)


def alike_and_weaker(
    found: Mapping[str, Curves], words: str, factor: float = 1.0, reason: str = ""
) -> list[Claim]:
    """Both halves of what the paper says of its figure: two methods are alike, and 1-proj is weaker than either.

    `found` has the curves by the name of their data, `words` are those of the first half, and 1-proj must make more
    than `factor` times the mistakes of each. `reason` says why one of them may not hold.
    """
    totals = {name: {method: curves.mean(method, 0) for method in WHOLE} for name, curves in found.items()}
    pairs = {name: (total["C-proj"], total["MNI-ag"]) for name, total in totals.items()}
    detail = "mistakes in all: " + "; ".join(
        (f"{name}: " if name else "") + ", ".join(f"{method} {count:.1f}" for method, count in total.items())
        for name, total in totals.items()
    )
    every = " in every one" if len(found) > 1 else ""
    above = f"more than {factor:g} times" if factor > 1 else "more than"
    alike = [name for name, pair in pairs.items() if max(pair) <= ALIKE * min(pair)]
    weaker = [name for name, pair in pairs.items() if totals[name]["1-proj"] > factor * max(pair)]

    def judged(claim: str, where: list[str], threshold: str) -> Claim:
        """It holds, with a condition where it does so on most of the data and not on all."""
        most = 2 * len(where) > len(pairs)
        condition = f"at {', '.join(where)}" if most and len(where) < len(pairs) else ""
        return Claim(claim, most, detail, threshold=threshold, condition=condition, reason=reason, full=True)

    return [
        judged(words, alike, f"the larger at most {ALIKE:g} times the smaller{every}"),
        judged("1-proj is weaker than both", weaker, f"{above} the larger of the two{every}"),
    ]
