"""Benchmarks: every speed or memory claim as a ratio to a reference measured in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from ohmline.errors import ParameterError

REGISTRY: dict[str, str] = {
    "active": "active",
    "audit": "audit",
    "billion": "billion",
    "cluster": "ohmline.cluster.benches",
    "event": "foundation",
    "gpu": "gpu",
    "kernel-exact": "foundation",
    "lgc-pass": "lgc",
    "local-lgc": "local_lgc",
    "local-manifold": "local_manifold",
    "manifold": "manifold",
    "million": "million",
    "play-perceptron": "foundation",
    "pounce": "pounce",
    "predict": "predict",
    "read": "read",
    "serve": "ohmline.service.benches",
    "solver": "solver",
    "spectral-pubmed": "spectral",
    "suggest": "suggest",
    "trees": "trees",
}
"""Benchmark name -> module whose `BENCHES` holds it; without a dot it lies under `ohmline.lab.benches`."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a benchmark found. A ratio above 1 means that Ohmline is faster (or smaller) than the reference."""

    name: str
    ratio: float
    reference: str
    details: dict[str, Any] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """The shape that `ohmline bench NAME --json` prints."""
        return {
            "name": self.name,
            "ratio": self.ratio,
            "reference": self.reference,
            "details": self.details,
        }


Bench = Callable[[], Measured]


def find(name: str) -> Bench:
    """The benchmark of that name."""
    if name not in REGISTRY:
        raise ParameterError(f"unknown benchmark {name!r}; the names are {', '.join(sorted(REGISTRY))}")
    place = REGISTRY[name]
    benches: dict[str, Bench] = import_module(
        place if "." in place else f"ohmline.lab.benches.{place}"
    ).BENCHES
    return benches[name]


def run(name: str) -> Measured:
    """Run a benchmark on one thread, BLAS included."""
    from threadpoolctl import threadpool_limits

    bench = find(name)
    with threadpool_limits(1):
        return bench()


def target(
    text: str, value: float, *, least: float | None = None, most: float | None = None
) -> dict[str, Any]:
    """A line of `details["targets"]`: what was wanted, what was measured, and whether the target is met."""
    met = (least is None or value >= least) and (most is None or value <= most)
    return {"target": text, "value": value, "met": bool(met)}


def fastest(work: Callable[[], Any], repeat: int = 5) -> float:
    """The seconds of the fastest of several runs, which is the least disturbed by a busy machine."""
    return side_by_side(work, repeat=repeat)[0]


def side_by_side(*works: Callable[[], Any], repeat: int = 5) -> list[float]:
    """Time several pieces of work in turns, so that a busy spell falls on all: the fastest run of each, in seconds."""
    best = [float("inf")] * len(works)
    for _ in range(repeat):
        for k, work in enumerate(works):
            start = time.perf_counter()
            work()
            best[k] = min(best[k], time.perf_counter() - start)
    return best
