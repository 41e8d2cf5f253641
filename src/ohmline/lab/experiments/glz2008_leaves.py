"""A question that paper 003 leaves open: how many leaves a random projection tree needs. Ours, not the paper's."""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline import data
from ohmline.arrays import Floats
from ohmline.game import Stream, play
from ohmline.game.vectors import Spirals
from ohmline.lab.experiment import Claim, Experiment, Result, Row, Settings
from ohmline.lab.experiments import glz2008 as glz
from ohmline.lab.plot import PALETTE
from ohmline.learn.manifold import OnlineManifold, Proximal, RPTree

LEAVES = (10, 30, 100, 300, 1000)
SPIRAL_TRIALS, DIGIT_TRIALS, DIGIT_RATE = 4000, 1297, 0.1
ENOUGH = 300
"""The default of `RPTree`."""

Found = dict[str, dict[int, list[tuple[float, float]]]]
"""Data set -> leaves -> (test error, microseconds per point), one pair per stream."""


def on_spirals(leaves: int, seed: int) -> tuple[float, float]:
    """Test error after a stream of spirals, and microseconds per point."""
    source = Spirals(label_rate=glz.SPIRALS.label_rate)
    learner = glz.SPIRALS.learner(RPTree(leaves), Proximal())
    played = play(learner, source.stream(SPIRAL_TRIALS, seed))
    test, truth = source.at(0, 2000, seed)
    return glz.error(learner.function(test), truth), 1e6 * played.seconds / SPIRAL_TRIALS


def on_digits(leaves: int, seed: int) -> tuple[float, float]:
    """The same on handwritten digits, with every option at its default and a label for one in ten."""
    digits, rng = data.load("digits"), np.random.default_rng(seed)
    order = rng.permutation(len(digits.labels))
    points, labels = np.asarray(digits.points)[order], np.asarray(digits.labels)[order]
    learner = OnlineManifold(basis=RPTree(leaves), classes=range(10), seed=seed)
    shown = rng.random(DIGIT_TRIALS) < DIGIT_RATE
    played = play(learner, Stream(points[:DIGIT_TRIALS], labels[:DIGIT_TRIALS].tolist(), revealed=shown))
    wrong = learner.function(points[DIGIT_TRIALS:]).argmax(1) != labels[DIGIT_TRIALS:]
    return float(np.mean(wrong)), 1e6 * played.seconds / DIGIT_TRIALS


def run(settings: Settings) -> Result:
    """Error and time against the largest number of leaves."""
    streams = 3 if settings.quick else 10
    found: Found = {"spirals": {}, "digits": {}}
    for measure in (on_spirals, on_digits):
        measure(LEAVES[0], settings.seed)  # compiles
    for leaves in LEAVES:
        settings.tick(f"{leaves} leaves")
        for name, measure in (("spirals", on_spirals), ("digits", on_digits)):
            found[name][leaves] = [measure(leaves, settings.seed + k) for k in range(streams)]
    rows = [
        Row.of(name, f"RPTree({leaves})", metric, np.array(pairs)[:, column])
        for name, by_leaves in found.items()
        for leaves, pairs in by_leaves.items()
        for column, metric in enumerate(("test error", "microseconds per point"))
    ]
    return Result(rows, _claims(found), {"Error and time over the leaves": lambda f: _draw(f, found)}, NOTES)


NOTES = [
    "Ours, not the paper's: its tree grows without a limit, and it gives no number of leaves.",
    f"Spirals as in glz2008-spirals (T = {SPIRAL_TRIALS}, 2 % labels, recommended steps, f_T); scikit-learn's digits "
    f"(T = {DIGIT_TRIALS}, 10 % labels, ten classes, every option at its default), 500 left for the test. {ENOUGH} "
    "leaves are the default.",
]


def mean_of(found: Found, name: str, leaves: int) -> Floats:
    """(mean error, mean microseconds per point)."""
    return np.asarray(np.mean(found[name][leaves], axis=0))


def _claims(found: Found) -> list[Claim]:
    spirals = {k: mean_of(found, "spirals", k) for k in LEAVES}
    digits = {k: mean_of(found, "digits", k) for k in LEAVES}
    listed = ", ".join
    return [
        Claim(
            f"{ENOUGH} leaves are enough on spirals: error at most .005, and within .005 of {LEAVES[-1]} leaves",
            bool(spirals[ENOUGH][0] <= 0.005 and abs(spirals[ENOUGH][0] - spirals[LEAVES[-1]][0]) <= 0.005),
            listed(f"{k}: {v[0]:.4f}" for k, v in spirals.items()),
            threshold="error <= .005, and within .005 of the most leaves",
            ours=True,
        ),
        Claim(
            f"{ENOUGH} leaves are enough on digits: within .03 of {LEAVES[-1]} leaves",
            bool(digits[ENOUGH][0] <= digits[LEAVES[-1]][0] + 0.03),
            listed(f"{k}: {v[0]:.4f}" for k, v in digits.items()),
            threshold="at most .03 above the most leaves",
            ours=True,
        ),
        Claim(
            "too few leaves cost: with 10 the error is .1 higher than with 300, on both",
            bool(min(spirals[10][0] - spirals[ENOUGH][0], digits[10][0] - digits[ENOUGH][0]) >= 0.1),
            f"spirals {spirals[10][0]:.4f}, digits {digits[10][0]:.4f}",
            threshold="at least .1 more with 10 leaves, on both",
            ours=True,
        ),
    ]


def _draw(figure: Any, found: Found) -> None:
    figure.set_size_inches(8.4, 3.6)
    for axes, column, title in zip(
        figure.subplots(1, 2), (0, 1), ("test error", "µs per point"), strict=True
    ):
        for colour, name in zip(PALETTE, found, strict=False):
            axes.plot(
                LEAVES, [mean_of(found, name, k)[column] for k in LEAVES], "o-", color=colour, label=name
            )
        axes.set(xscale="log", xlabel="leaves", title=title)
    axes.set_yscale("log")
    axes.legend(frameon=False)


EXPERIMENTS = {
    "glz2008-leaves": Experiment(
        "glz2008-leaves",
        "How many leaves a random projection tree needs (ours, not the paper's)",
        glz.PAPER,
        ("digits",),
        run,
    )
}
