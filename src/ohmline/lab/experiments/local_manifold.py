"""LocalManifold beyond paper 003: test error by labels, with noise, and under drift, beside OnlineManifold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from ohmline import data
from ohmline.arrays import Bools, Floats, Ints
from ohmline.game import Stream, play
from ohmline.game.vectors import Spirals
from ohmline.lab.experiment import Claim, Experiment, Result, Row, Settings
from ohmline.lab.experiments.glz2008 import SPIRALS, learn_up_to
from ohmline.lab.experiments.glz2008_drift import PERIOD, REPLAYS, SETTLED, TIMES, learner_of
from ohmline.learn import LocalManifold, OnlineManifold

FIRST = 200
"""The first seed: constants were chosen on seeds 100 to 104."""
RATES = (0.01, 0.02, 0.1, 1.0)
NOISE = 0.1
STREAMED = {"digits": 1300, "usps": 4000, "mnist": 4000}
TESTED = 1000
MOST: dict[tuple[str, float], float] = {
    ("digits", 0.02): 0.17,
    ("usps", 0.02): 0.17,
    ("usps", 0.1): 0.09,
    ("mnist", 0.01): 0.012,
}
"""Test errors to stay under."""
MEMORY = 200.0
"""For the spirals that turn."""
LOCAL, ONLINE = "LocalManifold", "OnlineManifold"


class Split:
    """Points to stream and points to test, drawn by a seed; which labels are shown is drawn apart."""

    def __init__(self, name: str, seed: int) -> None:
        vectors = data.load(name)
        own = name == "mnist"  # its own test set; of the others what is not streamed
        vectors = vectors.only(0, 1, 2) if own else vectors
        pool = vectors.train if own else vectors
        order = np.random.default_rng([seed, 1]).permutation(len(pool.labels))
        n = STREAMED[name]
        self.points, self.labels = pool.points[order[:n]], pool.labels[order[:n]]
        rest = vectors.test if own else None
        self.tests: Floats = pool.points[order[n:]][:TESTED] if rest is None else rest.points
        self.truth: Ints = pool.labels[order[n:]][:TESTED] if rest is None else rest.labels
        self.seed = seed

    def shown(self, rate: float) -> Bools:
        """Each label with that chance, so that a class may have none."""
        found = np.random.default_rng([self.seed, 2]).random(len(self.labels)) < rate
        found[0] |= not found.any()
        return found

    def noisy(self, share: float) -> Ints:
        """The labels, each replaced by another class with that chance."""
        rng = np.random.default_rng([self.seed, 3])
        classes = int(self.labels.max()) + 1
        other = (self.labels + rng.integers(1, classes, size=len(self.labels))) % classes
        return np.where(rng.random(len(self.labels)) < share, other, self.labels)


def error_of(learner: Any, split: Split, rate: float, noise: float = 0.0) -> float:
    """One pass over the stream, then the error on the test points."""
    play(learner, Stream(split.points, split.noisy(noise).tolist(), revealed=split.shown(rate)))
    table = learner.predict_many(split.tests)
    return float(np.mean(np.array(table.classes)[table.codes] != split.truth))


def drift_errors(learner: Any, seed: int, times: tuple[int, ...]) -> Iterator[float]:
    """The error at the present moment, while the spirals turn."""
    source = Spirals(period=PERIOD, label_rate=SPIRALS.label_rate)
    for t in learn_up_to(learner, source.stream(max(times), seed), times):
        points, truth = source.at(t, 2000, seed)
        if t >= SETTLED:
            table = learner.predict_many(points)
            yield float(np.mean(np.array(table.classes)[table.codes] != truth))


def run(settings: Settings) -> Result:
    """Every data set at every label rate, then label noise, then drift."""
    seeds = [settings.seed + FIRST + k for k in range(2 if settings.quick else 10)]
    errors: dict[tuple[str, str, float], list[float]] = {}
    for name in STREAMED:
        for seed in seeds:
            settings.tick(f"{name}, seed {seed}")
            split = Split(name, seed)
            classes = range(int(split.labels.max()) + 1)
            for rate in RATES:
                errors.setdefault((name, LOCAL, rate), []).append(error_of(LocalManifold(), split, rate))
                known = OnlineManifold(classes=classes)
                errors.setdefault((name, ONLINE, rate), []).append(error_of(known, split, rate))
            noisy = error_of(LocalManifold(), split, 1.0, NOISE)
            errors.setdefault((name, f"{LOCAL}, 10 % wrong labels", 1.0), []).append(noisy)
    drift = _drift(settings, seeds[: 1 if settings.quick else 5])
    rows = [Row.of(d, m, f"test error, {100 * r:g} % labels", v) for (d, m, r), v in errors.items()]
    rows += [Row.of("rotating spirals", m, f"mean test error, T >= {SETTLED}", v) for m, v in drift.items()]
    means = {key: float(np.mean(values)) for key, values in errors.items()}
    figures: dict[str, Callable[[Any], None]] = {
        f"{name}: test error by labels": partial(_draw, name, means) for name in STREAMED
    }
    return Result(rows, _claims(means), figures, NOTES)


NOTES = [
    "paper: no column; the papers have no such learner, and no bound is known for it.",
    f"One pass; seeds from {FIRST} on (plus --seed) report, seeds 100 to 104 were looked at while it was written; the "
    "constants are those of a prototype that had looked at USPS.",
    f"Drift: LocalManifold(memory={MEMORY:g}), the best of 100 to 800 on seeds 100 to 104, beside "
    "OnlineManifold(drift=True), which is far better there: what a node was told fades, and nothing replays it.",
]


def _drift(settings: Settings, seeds: list[int]) -> dict[str, list[float]]:
    times = TIMES[:4] if settings.quick else TIMES
    found: dict[str, list[float]] = {}
    for seed in seeds:
        settings.tick(f"rotating spirals, seed {seed}")
        found.setdefault(f"{LOCAL}, memory {MEMORY:g}", []).extend(
            drift_errors(LocalManifold(memory=MEMORY), seed, times)
        )
        found.setdefault(f"{LOCAL}, no forgetting", []).extend(drift_errors(LocalManifold(), seed, times))
        found.setdefault(f"{ONLINE}, {REPLAYS}", []).extend(drift_errors(learner_of(REPLAYS), seed, times))
    return found


def _claims(means: dict[tuple[str, str, float], float]) -> list[Claim]:
    claims = []
    for (name, rate), most in MOST.items():
        ours, before = means[name, LOCAL, rate], means[name, ONLINE, rate]
        claims.append(
            Claim(
                f"{name}: error at most {most:g} with {100 * rate:g} % of the labels",
                ours <= most,
                f"{ours:.4f} (OnlineManifold {before:.4f})",
                threshold=f"at most {most:g}",
                ours=True,
            )
        )
    for name in STREAMED:
        curve = [means[name, LOCAL, rate] for rate in RATES]
        claims.append(
            Claim(
                f"{name}: the error falls as labels grow",
                all(b <= a + 0.001 for a, b in pairwise(curve)),
                ", ".join(f"{100 * r:g} %: {e:.4f}" for r, e in zip(RATES, curve, strict=True)),
                threshold="each at most .001 above the one before",
                ours=True,
            )
        )
        clean, noisy = means[name, LOCAL, 1.0], means[name, f"{LOCAL}, 10 % wrong labels", 1.0]
        claims.append(
            Claim(
                f"{name}: with all labels, of which 10 % are wrong, at most twice the error",
                noisy <= 2 * clean,
                f"{noisy:.4f} against {clean:.4f}",
                threshold="at most twice",
                ours=True,
            )
        )
    return claims


def _draw(name: str, means: dict[tuple[str, str, float], float], figure: Any) -> None:
    axes = figure.subplots()
    for method in (LOCAL, ONLINE):
        axes.plot([100 * r for r in RATES], [means[name, method, r] for r in RATES], marker="o", label=method)
    axes.set(xscale="log", xlabel="labels, %", ylabel="test error")
    axes.legend(frameon=False)


EXPERIMENTS = {
    "local-manifold": Experiment(
        "local-manifold",
        "LocalManifold: few labels in many dimensions, noise and drift",
        "beyond the papers",
        ("usps", "mnist"),
        run,
    )
}
