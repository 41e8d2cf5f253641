"""Sets of labels: how often they hold the label, and how large they are, also while labels change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ohmline import data
from ohmline.arrays import Bools, Floats
from ohmline.game import Stream
from ohmline.graph import Graph
from ohmline.lab.experiment import Claim, Experiment, Result, Row, Settings
from ohmline.lab.experiments.switching_streams import ROUNDS, Change, real
from ohmline.learn import ConformalSets, DriftingLGC, LocalLGC
from ohmline.learn.conformal.levels import LEAST_STEP

FIRST = 400
"""The first seed; nothing was chosen on any."""
SHUFFLES = 5
COVERAGES = (0.8, 0.9, 0.95)
CLOSE = 0.01
"""How far the share of labels inside may be from what was asked for, where it must be close."""
RECENT = 500
"""Trials in the windows whose worst is looked at."""
MOVES, STAYS = "level follows", "level stays"
"""`ConformalSets` as it is, and with a step so small that it only ranks the last labels."""
KEPT, SIZE, ALL, NONE, WORST, PROMISE = (
    "labels inside",
    "labels in a set",
    "sets of all labels",
    "empty sets",
    f"labels inside, worst {RECENT} trials",
    "furthest from what was asked for, of the promise",
)


@dataclass(frozen=True)
class Case:
    """A learner over a graph, and a stream of labels."""

    name: str
    make: Callable[[int], tuple[Any, Stream]]
    runs: int
    changes: bool = False


def still(name: str, seed: int) -> tuple[Any, Stream]:
    """A real graph, every node once in a random order."""
    part = data.load(name).largest_component()
    graph, order = (
        Graph.from_scipy(part.graph.adjacency),
        np.random.default_rng(seed).permutation(part.graph.n),
    )
    return LocalLGC(graph), Stream(order.tolist(), np.asarray(part.codes)[order].tolist())


def swapped(forgets: bool, seed: int) -> tuple[Any, Stream]:
    """Cora, of which two classes change places after every n trials."""
    part = data.load("cora").largest_component()
    moving = real(part.graph, np.asarray(part.codes), seed, Change.SWAP)
    return (DriftingLGC if forgets else LocalLGC)(part.graph), moving.stream()


def cases(quick: bool) -> Iterator[Case]:
    if not data.is_here("cora"):
        return
    runs = 2 if quick else SHUFFLES
    yield Case("Cora", partial(still, "cora"), runs)
    if not quick and data.is_here("pubmed"):
        yield Case("PubMed", partial(still, "pubmed"), 1)
    yield Case("Cora, classes swap, DriftingLGC", partial(swapped, True), 1 if quick else 3, changes=True)
    if not quick:
        yield Case("Cora, classes swap, LocalLGC", partial(swapped, False), 1, changes=True)


@dataclass(frozen=True)
class Heard:
    """One stream: for each coverage and trial, whether the label was inside, and the set."""

    inside: Bools
    sizes: Floats
    whole: Bools
    promise: float
    """The largest share of `promise()` by which a coverage was missed at the end."""


def listen(learner: Any, stream: Stream, step: float | None) -> Heard:
    """Say the sets, then learn, trial by trial."""
    sets = ConformalSets(learner, COVERAGES) if step is None else ConformalSets(learner, COVERAGES, step=step)
    shape = (len(COVERAGES), len(stream))
    inside, sizes, whole = np.zeros(shape, np.bool_), np.zeros(shape), np.zeros(shape, np.bool_)
    for t, (x, y) in enumerate(stream):
        for k, coverage in enumerate(COVERAGES):
            said = sets.predict_set_one(x, coverage)
            inside[k, t], sizes[k, t], whole[k, t] = y in said, len(said), said.everything
        sets.learn_one(x, y)
    off = [abs(sets.missed_share(c) - (1 - c)) / sets.promise(c) for c in COVERAGES]
    return Heard(inside, sizes, whole, max(off))


def worst(inside: Bools) -> float:
    """The smallest share of labels inside, over all windows after the first."""
    sums = np.cumsum(np.append(0, inside))
    n = min(RECENT, len(inside))
    shares = (sums[n:] - sums[:-n]) / n
    return float(shares[min(n, len(shares) - 1) :].min())


def figures_of(heard: Heard, k: int) -> dict[str, float]:
    return {
        KEPT: float(heard.inside[k].mean()),
        SIZE: float(heard.sizes[k].mean()),
        ALL: float(heard.whole[k].mean()),
        NONE: float(np.mean((heard.sizes[k] == 0) & ~heard.whole[k])),
        WORST: worst(heard.inside[k]),
    }


def run(settings: Settings) -> Result:
    """Every stream, with a level that follows and with one that stays."""
    found: dict[tuple[str, str, float, str], list[float]] = {}
    promises: list[float] = []
    streams = list(cases(settings.quick))
    for case in streams:
        for seed in range(settings.seed + FIRST, settings.seed + FIRST + case.runs):
            for way, step in ((MOVES, None), (STAYS, LEAST_STEP))[: 2 if case.changes else 1]:
                settings.tick(f"{case.name}, {way}, seed {seed}")
                heard = listen(*case.make(seed), step)
                if step is None:
                    promises.append(heard.promise)
                for k, coverage in enumerate(COVERAGES):
                    for metric, value in figures_of(heard, k).items():
                        found.setdefault((case.name, way, coverage, metric), []).append(value)
    rows = [Row.of(name, f"{way}, asked {c:g}", metric, v) for (name, way, c, metric), v in found.items()]
    means = {key: float(np.mean(values)) for key, values in found.items()}
    return Result(rows, _claims(streams, means, promises), notes=NOTES)


NOTES = [
    "paper: no column; the sets are those of Gibbs and Candes (2021).",
    f"Seeds from {FIRST} on (plus --seed) report; the step of .01 and the window of 1,000 labels are defaults, "
    "chosen on no data. A set of all labels counts with as many as are known.",
    f"Swap: 5 n trials on Cora's largest component, drawn with replacement; two classes change places after every n, "
    f"{ROUNDS - 1} times.",
    f"The worst window: the smallest share of labels inside over {RECENT} trials in a row, after the first {RECENT}. "
    "Of a perfect coverage of .9 the worst of some thousand such windows is about .86 by chance.",
]


def _claims(
    streams: list[Case], means: dict[tuple[str, str, float, str], float], promises: list[float]
) -> list[Claim]:
    claims = []
    for case in streams:
        for c in COVERAGES:
            kept = means[case.name, MOVES, c, KEPT]
            claims.append(
                Claim(
                    f"{case.name}: the share of labels inside is within {CLOSE:g} of {c:g}",
                    abs(kept - c) <= CLOSE,
                    f"{kept:.4f}, sets of {means[case.name, MOVES, c, SIZE]:.2f} labels",
                    threshold=f"at most {CLOSE:g} away",
                    ours=True,
                )
            )
        if case.changes:
            follows, stays = (means[case.name, way, 0.9, WORST] for way in (MOVES, STAYS))
            claims.append(
                Claim(
                    f"{case.name}: in the worst {RECENT} trials, more labels inside than with a level that stays (.9)",
                    follows > stays,
                    f"{follows:.3f} against {stays:.3f}",
                    threshold="more",
                    ours=True,
                )
            )
    if promises:
        claims.append(
            Claim(
                "in every game: the coverage is as far from what was asked for as was promised, or less",
                max(promises) <= 1,
                f"{len(promises)} games, {max(promises):.2f} of the promise at most",
                threshold="at most the promise",
                ours=True,
            )
        )
    return claims


EXPERIMENTS = {
    "conformal": Experiment(
        "conformal",
        "sets of labels that hold the right one as often as was asked for",
        "beyond the papers",
        ("cora",),
        run,
    )
}
