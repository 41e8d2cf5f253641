"""LocalManifold: microseconds per point beside OnlineManifold and beside the bare distances to its nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ohmline.arrays import Floats
from ohmline.compiled import compiled
from ohmline.game import Stream, play
from ohmline.lab.bench import Bench, Measured, side_by_side, target
from ohmline.lab.benches.manifold import flat_clouds
from ohmline.learn import LocalManifold, OnlineManifold
from ohmline.learn.local_manifold.nearest import sqdistance

LABEL_RATE = 0.02


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


def measure(sizes: Sizes) -> Measured:
    """Two clouds in 256 dimensions, with a full summary, on one thread."""
    points, labels = flat_clouds(sizes.warm + sizes.points, 1)
    shown = np.random.default_rng(1).random(len(points)) < LABEL_RATE
    first, rest = slice(0, sizes.warm), slice(sizes.warm, None)
    local, online = LocalManifold(sizes.nodes), OnlineManifold()
    stream = Stream(points[rest], labels[rest], revealed=shown[rest])
    for learner in (local, online):
        play(learner, Stream(points[first], labels[first], revealed=shown[first]))
    centres, out = local.summary[0], np.zeros(sizes.nodes)
    bare_distances(centres, points[first], out)
    seconds = side_by_side(
        lambda: play(local, stream),
        lambda: play(online, stream),
        lambda: bare_distances(centres, points[rest], out),
        repeat=sizes.repeat,
    )
    ours, before, bare = (1e6 * s / sizes.points for s in seconds)
    return Measured(
        "local-manifold",
        before / ours,
        "OnlineManifold with its defaults on the same points (256 dimensions, 2 % labels)",
        {
            "ours_us": ours,
            "online_manifold_us": before,
            "bare_distances_us": bare,
            "times_bare_distances": ours / bare,
            "targets": [target("60 microseconds per point in 256 dimensions", ours, most=60.0)],
        },
    )


def local_manifold() -> Measured:
    """Microseconds per point in 256 dimensions with 300 nodes."""
    return measure(Sizes())


BENCHES: dict[str, Bench] = {"local-manifold": local_manifold}
