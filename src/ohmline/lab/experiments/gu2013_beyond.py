"""Past paper 004: many-class error against the number of labels asked for, learner by learner."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ohmline.arrays import Bools, Floats, Ints
from ohmline.game import play
from ohmline.kernel import SpectralKernel
from ohmline.lab.experiment import Claim, Result, Row, Settings
from ohmline.lab.experiments.gu2013_protocol import KAPPA, TITLES, Setting, shuffles
from ohmline.lab.graph_drawing import log_marks
from ohmline.learn import LocalLGC, OneVsRest, OnlineLearner, OnlineLGC, SharedLGC
from ohmline.query import Always, GapBelow, RandomRate, StreamQuery, VarianceAbove

GAPS = (0.0003, 0.003, 0.03, 0.3, 3.0)
"""c of GapBelow: from few labels to many."""
SHARES = (0.05, 0.1, 0.2, 0.4, 1.0)
"""Shares of the nodes whose labels the refitted method sees; it has no query of its own."""
REFITS, WINDOW = 25, 25
"""LabelSpreading is refitted at this many places of a pass, and judged on this many trials after each."""


@dataclass(frozen=True)
class Point:
    """One learner under one query, over the shuffles."""

    method: str
    query: str
    blind: bool
    """Whether the labels were taken at random."""
    asked: Floats
    error: Floats

    @property
    def name(self) -> str:
        return f"{self.method}, {self.query}"


def beyond(bed: Setting, mu: float, settings: Settings) -> Result:
    """Multiclass error against labels, for the paper's learner and for those past it."""
    seeds = shuffles(settings, full=5, quick=2)
    smooth = SpectralKernel(bed.graph, normalised=True, shift=1e-2)
    makers: dict[str, Callable[[], OnlineLearner[Any, Any]]] = {
        "OnlineLGC one-vs-rest": lambda: OneVsRest(lambda: OnlineLGC(bed.kernel, mu)),
        "SharedLGC": lambda: SharedLGC(smooth),
        "LocalLGC": lambda: LocalLGC(bed.graph),
    }
    points = []
    for method, make in makers.items():
        settings.tick(f"{bed.name}: {method} against labels asked for")
        own: list[StreamQuery] = (
            [VarianceAbove(kappa) for kappa in (0.2, KAPPA)]
            if method.startswith("OnlineLGC")
            else [GapBelow(c) for c in GAPS]
        )
        asked = [_measure(bed, make, method, query, seeds) for query in own]
        blind = [
            _measure(bed, make, method, query, seeds, rate=float(point.asked.mean()) / bed.graph.n)
            for query, point in zip(own, asked, strict=True)
        ]
        points += [*asked, *blind, _measure(bed, make, method, Always(), seeds)]
    settings.tick(f"{bed.name}: refitting LabelSpreading")
    points += [_refitted(bed, share, seeds[:3]) for share in SHARES]
    title = TITLES[bed.name]
    rows = [
        row
        for point in points
        for row in (
            Row.of(title, point.name, "multiclass error", point.error),
            Row.of(title, point.name, "labels asked for", point.asked),
        )
    ]
    return Result(
        rows,
        _claims(points, len(bed.codes)),
        {f"{title}: what a label buys": lambda canvas: _figure(canvas, points)},
        [
            "Multiclass, one-vs-rest SSLGC asks as soon as one of its binary learners is unsure enough.",
            "Past the paper: SharedLGC has the normalised Laplacian with 1e-2 added, and LocalLGC its "
            "defaults; neither was tuned to this graph.",
            f"LabelSpreading (alpha 0.8, labels at random) is refitted at {REFITS} places of each pass and "
            f"judged on the {WINDOW} trials after each, which stands for refitting it on every trial.",
        ],
    )


def _measure(
    bed: Setting,
    make: Callable[[], OnlineLearner[Any, Any]],
    method: str,
    query: StreamQuery,
    seeds: list[int],
    *,
    rate: float | None = None,
) -> Point:
    """Play with `query`, or with labels at random, as many as it asked for (`rate`)."""
    played = query if rate is None else RandomRate(rate)
    traces = [play(make(), bed.stream(bed.order(seed)), played, seed=seed) for seed in seeds]
    return Point(
        method,
        repr(query) if rate is None else f"labels at random, as many as {query!r}",
        rate is not None,
        np.array([float(trace.asked) for trace in traces]),
        np.array([trace.error_rate for trace in traces]),
    )


def _refitted(bed: Setting, share: float, seeds: list[int]) -> Point:
    errors, asked = [], []
    for seed in seeds:
        order = bed.order(seed)
        shown = np.random.default_rng(seed).random(len(order)) < share
        errors.append(_spreading_error(bed, order, shown))
        asked.append(float(shown.sum()))
    name = f"{share:.0%} of the labels at random"
    return Point("LabelSpreading refitted", name, True, np.array(asked), np.array(errors))


def _spreading_error(bed: Setting, order: Ints, shown: Bools) -> float:
    """Error on the trials that follow each refit."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.semi_supervised import LabelSpreading

    places = np.arange(len(order))[:, None]
    adjacency = bed.graph.adjacency
    wrong = judged = 0
    for start in np.linspace(0, len(order) - WINDOW, REFITS + 1).astype(int)[1:]:
        past = order[:start][shown[:start]]
        labels = np.full(len(order), -1)
        labels[past] = bed.codes[past]
        model = LabelSpreading(kernel=lambda X, Y=None: adjacency, alpha=0.8)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(places, labels)
        following = order[start : start + WINDOW]
        said = model.classes_[model.label_distributions_[following].argmax(axis=1)]
        wrong += int(np.sum(said != bed.codes[following]))
        judged += len(following)
    return wrong / judged


def _claims(points: list[Point], n: int) -> list[Claim]:
    """Queries against chance with the same learner, and the new learners against the paper's."""
    claims = []
    for method in ("SharedLGC", "LocalLGC"):
        own = [p for p in points if p.method == method and p.query.startswith("GapBelow")]
        blind = [p for p in points if p.method == method and p.blind]
        gains = [float(b.error.mean() - a.error.mean()) for a, b in zip(own, blind, strict=True)]
        claims.append(
            Claim(
                f"{method} with GapBelow errs less than {method} with as many labels at random",
                min(gains) > 0,
                "lower by " + ", ".join(f"{gain:.4f}" for gain in gains),
                threshold="a lower mean at every c tried",
                ours=True,
            )
        )
    paper = next(p for p in points if p.query == repr(VarianceAbove(KAPPA)))
    for method in ("SharedLGC", "LocalLGC"):
        cheaper = [
            p for p in points if p.method == method and not p.blind and p.asked.mean() < paper.asked.mean()
        ]
        best = min(cheaper, key=lambda p: float(p.error.mean()), default=None)
        claims.append(
            Claim(
                f"{method} errs less than one-vs-rest SSLGC, with fewer labels",
                best is not None and bool(best.error.mean() < paper.error.mean()),
                (
                    f"{best.error.mean():.4f} with {best.asked.mean():.0f} labels"
                    if best
                    else "none is cheaper"
                )
                + f" against {paper.error.mean():.4f} with {paper.asked.mean():.0f} of {n}",
                threshold="a lower mean at some c that asks for fewer labels",
                ours=True,
            )
        )
    return claims


def _figure(canvas: Any, points: list[Point]) -> None:
    axes = canvas.subplots()
    for k, method in enumerate(dict.fromkeys(point.method for point in points)):
        named = False
        for blind in (False, True):
            line = sorted(
                (float(p.asked.mean()), float(p.error.mean()), float(p.error.std()))
                for p in points
                if p.method == method and p.blind == blind
            )
            if line:
                x, y, spread = np.array(line).T
                style = {"color": f"C{k}", "marker": "o", "linestyle": ":" if blind else "-"}
                axes.errorbar(x, y, yerr=spread, capsize=2, label=None if named else method, **style)
                named = True
    axes.plot([], [], color="#5b6475", linestyle=":", label="labels at random")
    fewest = min(float(point.asked.min()) for point in points)
    most = max(float(point.asked.max()) for point in points)
    round_numbers = [m * 10**e for e in range(1, 6) for m in (1, 2, 5)]
    axes.set(xlabel="labels asked for", ylabel="multiclass error")
    log_marks(axes, [value for value in round_numbers if fewest / 2 < value < most * 1.3])
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=9)
