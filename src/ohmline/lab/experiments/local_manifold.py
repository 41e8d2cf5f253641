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
"""The first seed: constants were chosen on seeds 100 to 104, those of drift=True on generated streams."""
SEGMENT, SEGMENTS, PERMUTED_RATE = 1000, 4, 0.1
"""Digits whose classes are renamed every so often, as many times, with so many labels."""
PERMUTED = "digits, classes renamed every 1,000 points"
RATES = (0.01, 0.02, 0.1, 1.0)
FEW = 0.02
"""A share of labels so small that which ones come is mostly chance: only the mean of all seeds is judged."""
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
DRIFTING = f"{LOCAL}(drift=True)"


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


def renamed_digits(seed: int, *, standing: bool = False) -> tuple[Stream, Ints]:
    """Digits in segments, each with its classes renamed at random, and what each segment calls them."""
    vectors, rng = data.load("digits"), np.random.default_rng([seed, 4])
    order = np.concatenate([rng.permutation(len(vectors.labels))[:SEGMENT] for _ in range(SEGMENTS)])
    names = np.array([np.arange(10) if standing or not k else rng.permutation(10) for k in range(SEGMENTS)])
    labels = names[np.arange(len(order)) // SEGMENT, vectors.labels[order]]
    return Stream(vectors.points[order], labels, revealed=rng.random(len(order)) < PERMUTED_RATE), labels


def mistakes_by_segment(learner: Any, seed: int, *, standing: bool = False) -> Floats:
    """How often it is wrong about a point before it learns it, in each segment and in its last 500 points."""
    stream, labels = renamed_digits(seed, standing=standing)
    wrong = np.ones(len(labels))
    for t, (x, y, shown) in enumerate(zip(stream.nodes, labels.tolist(), stream.revealed, strict=True)):
        wrong[t] = learner.predict_one(x) != y
        learner.learn_one(x, y if shown else None)
    parts = wrong.reshape(SEGMENTS, SEGMENT)
    return np.array([parts.mean(axis=1), parts[:, SEGMENT // 2 :].mean(axis=1)])


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
    renamed, lasting = _renamed(settings, seeds[: 1 if settings.quick else 5])
    rows += renamed
    means = {key: float(np.mean(values)) for key, values in errors.items()}
    figures: dict[str, Callable[[Any], None]] = {
        f"{name}: test error by labels": partial(_draw, name, means) for name in STREAMED
    }
    return Result(rows, [*_claims(means), *_drift_claims(drift, lasting)], figures, NOTES)


NOTES = [
    "paper: no column; the papers have no such learner, and no bound is known for it.",
    f"One pass; seeds from {FIRST} on (plus --seed) report, seeds 100 to 104 were looked at while it was written; the "
    "constants are those of a prototype that had looked at USPS.",
    f"Spirals that turn: LocalManifold(memory={MEMORY:g}), the best of 100 to 800 on seeds 100 to 104, and "
    "LocalManifold(drift=True), whose constants were chosen on moons and Gaussians that turn and on Gaussians that are "
    "renamed. OnlineManifold(drift=True) is far better there: its points are replayed, and it knows their width.",
]


def _drift(settings: Settings, seeds: list[int]) -> dict[str, list[float]]:
    times = TIMES[:4] if settings.quick else TIMES
    found: dict[str, list[float]] = {}
    for seed in seeds:
        settings.tick(f"rotating spirals, seed {seed}")
        found.setdefault(f"{LOCAL}, memory {MEMORY:g}", []).extend(
            drift_errors(LocalManifold(memory=MEMORY), seed, times)
        )
        found.setdefault(DRIFTING, []).extend(drift_errors(LocalManifold(drift=True), seed, times))
        found.setdefault(f"{LOCAL}, no forgetting", []).extend(drift_errors(LocalManifold(), seed, times))
        found.setdefault(f"{ONLINE}, {REPLAYS}", []).extend(drift_errors(learner_of(REPLAYS), seed, times))
    return found


def _renamed(settings: Settings, seeds: list[int]) -> tuple[list[Row], dict[tuple[str, bool], Floats]]:
    """The renamed digits and the same digits standing, segment by segment; means for the claims."""
    rows, lasting = [], {}
    for standing in (False, True):
        name = "digits, standing" if standing else PERMUTED
        for method, drift in ((LOCAL, False), (DRIFTING, True)):
            settings.tick(f"{name}, {method}")
            found = np.array(
                [mistakes_by_segment(LocalManifold(drift=drift), s, standing=standing) for s in seeds]
            )
            lasting[method, standing] = found.mean(axis=0)
            for k in range(SEGMENTS):
                rows.append(Row.of(name, method, f"mistakes in segment {k + 1}", found[:, 0, k].tolist()))
                rows.append(
                    Row.of(
                        name,
                        method,
                        f"mistakes in the second half of segment {k + 1}",
                        found[:, 1, k].tolist(),
                    )
                )
    return rows, lasting


def _drift_claims(spirals: dict[str, list[float]], lasting: dict[tuple[str, bool], Floats]) -> list[Claim]:
    ours, without = (float(np.mean(spirals[m])) for m in (DRIFTING, f"{LOCAL}, no forgetting"))
    changed, stubborn = (float(lasting[m, False][0, 1:].mean()) for m in (DRIFTING, LOCAL))
    steady, plain = (float(lasting[m, True][0].mean()) for m in (DRIFTING, LOCAL))
    return [
        Claim(
            "drift=True: at most half the error without forgetting on the spirals that turn",
            ours <= without / 2,
            f"{ours:.3f} against {without:.3f}",
            threshold="at most half",
            ours=True,
        ),
        Claim(
            "drift=True: at most half the mistakes without forgetting on the digits that were renamed",
            changed <= stubborn / 2,
            f"{changed:.3f} against {stubborn:.3f}",
            threshold="at most half",
            ours=True,
        ),
        Claim(
            "drift=True: at most .01 more mistakes on digits that stand still",
            steady <= plain + 0.01,
            f"{steady:.4f} against {plain:.4f}",
            threshold="at most .01 more",
            ours=True,
        ),
    ]


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
                full=rate <= FEW,
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
