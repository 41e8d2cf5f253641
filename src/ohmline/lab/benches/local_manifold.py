"""LocalManifold: microseconds per point beside OnlineManifold and beside the bare distances to its nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import compiled
from ohmline.game import Stream, play
from ohmline.lab.bench import Bench, Measured, side_by_side, target
from ohmline.lab.benches.manifold import flat_clouds
from ohmline.learn import LocalManifold, OnlineManifold
from ohmline.learn.local_manifold.nearest import sqdistance

LABEL_RATE = 0.02
MANY_CLASSES = 10
FEW_MICROSECONDS = 60.0
"""That a point may take, on a quiet machine."""


@dataclass(frozen=True)
class Sizes:
    """How much is measured."""

    points: int = 5000
    warm: int = 1000
    nodes: int = 300
    repeat: int = 5


@compiled
def bare_distances(centres: Floats, points: Floats, out: Floats) -> None:
    """The squared distances of every point to every centre, and nothing else."""
    for t in range(points.shape[0]):
        for i in range(centres.shape[0]):
            out[i] = sqdistance(centres[i], points[t])


def many_clouds(trials: int, seed: int) -> tuple[Floats, Ints]:
    """Ten clouds of dimension 9 inside 256 dimensions, about as far apart as those of `flat_clouds`."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(MANY_CLASSES, size=trials)
    fixed = np.random.default_rng(0)
    sheet, centres = fixed.standard_normal((9, 256)) / 16, 2.0 * fixed.standard_normal((MANY_CLASSES, 9))
    inside = centres[labels] + rng.standard_normal((trials, 9))
    return inside @ (1.5 * sheet) + 0.1 * rng.standard_normal((trials, 256)), labels


def one_stream(points: Floats, labels: Any, online: Any, sizes: Sizes) -> dict[str, float]:
    """Microseconds per point with a full summary: ours, another learner where there is one, and bare distances."""
    shown = np.random.default_rng(1).random(len(points)) < LABEL_RATE
    first, rest = slice(0, sizes.warm), slice(sizes.warm, None)
    local = LocalManifold(sizes.nodes)
    stream = Stream(points[rest], labels[rest], revealed=shown[rest])
    learners = [local] if online is None else [local, online]
    for learner in learners:
        play(learner, Stream(points[first], labels[first], revealed=shown[first]))
    centres, out = local.summary[0], np.zeros(sizes.nodes)
    bare_distances(centres, points[first], out)
    games: list[Any] = [lambda learner=learner: play(learner, stream) for learner in learners]
    seconds = side_by_side(*games, lambda: bare_distances(centres, points[rest], out), repeat=sizes.repeat)
    ours, *before, bare = (1e6 * s / sizes.points for s in seconds)
    return {
        "ours_us": ours,
        **({"online_manifold_us": before[0]} if before else {}),
        "bare_distances_us": bare,
        "times_bare_distances": ours / bare,
    }


def measure(sizes: Sizes) -> Measured:
    """Two clouds and ten in 256 dimensions, with a full summary, on one thread."""
    trials = sizes.warm + sizes.points
    two = one_stream(*flat_clouds(trials, 1), OnlineManifold(), sizes)
    ten = one_stream(*many_clouds(trials, 1), None, sizes)
    return Measured(
        "local-manifold",
        two["online_manifold_us"] / two["ours_us"],
        "OnlineManifold with its defaults on the same points (two classes, 256 dimensions, 2 % labels)",
        {
            **two,
            "ten_classes": ten,
            "targets": [
                target("microseconds a point, 2 classes", two["ours_us"], most=FEW_MICROSECONDS),
                target("microseconds a point, 10 classes", ten["ours_us"], most=FEW_MICROSECONDS),
            ],
        },
    )


def local_manifold() -> Measured:
    """Microseconds per point in 256 dimensions with 300 nodes, with two classes and with ten."""
    return measure(Sizes())


BENCHES: dict[str, Bench] = {"local-manifold": local_manifold}
