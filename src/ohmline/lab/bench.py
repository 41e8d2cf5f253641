"""Benchmarks: every speed or memory claim as a ratio to a reference measured in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from ohmline.checks import almost
from ohmline.errors import MissingExtra, OhmlineError, ParameterError

REGISTRY: dict[str, str] = {
    "active": "active",
    "audit": "audit",
    "billion": "billion",
    "cluster": "ohmline.cluster.benches",
    "event": "foundation",
    "fastonl": "fastonl",
    "gpu": "gpu",
    "kernel-exact": "foundation",
    "lgc-pass": "lgc",
    "local-lgc": "local_lgc",
    "local-manifold": "local_manifold",
    "manifold": "manifold",
    "many-classes": "many_classes",
    "million": "million",
    "peers": "peers",
    "play-perceptron": "foundation",
    "pounce": "pounce",
    "predict": "predict",
    "predict-large": "predict",
    "read": "read",
    "serve": "ohmline.service.benches",
    "solver": "solver",
    "spectral-pubmed": "spectral",
    "start": "start",
    "suggest": "suggest",
    "trees": "trees",
}
"""Benchmark name -> module whose `BENCHES` holds it; without a dot it lies under `ohmline.lab.benches`."""
PACKAGES = {"sklearn": "scikit-learn", "sknetwork": "scikit-network", "skactiveml": "scikit-activeml"}
"""Modules that pip knows by another name."""


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
    expect([name])
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


def expect(names: Iterable[str]) -> None:
    """Raise unless every name is one of a benchmark; nothing is imported."""
    for name in names:
        if name not in REGISTRY:
            raise ParameterError(
                f"unknown benchmark {name!r}{almost(name, REGISTRY) or '.'} The names are {', '.join(sorted(REGISTRY))}"
            )


def attempt(name: str) -> Measured | OhmlineError:
    """Run a benchmark; why it could not be measured here, as an error, so that it stops no other."""
    try:
        return run(name)
    except OhmlineError as error:
        return error
    except ModuleNotFoundError as error:
        package = PACKAGES.get(error.name or "", error.name)
        return MissingExtra(f"{package} is not installed; run: pip install {package}")
    except Exception as error:
        return OhmlineError(f"{name} failed: {type(error).__name__}: {error}")


def left_out(name: str, why: OhmlineError) -> dict[str, Any]:
    """The shape of `Measured.document` for a benchmark that could not be measured here: no ratio, and why."""
    return {"name": name, "ratio": None, "reference": None, "details": {"left_out": str(why)}}


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
