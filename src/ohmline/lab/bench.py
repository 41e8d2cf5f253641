"""Benchmarks: every speed or memory claim as a ratio to a reference measured in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from ohmline.errors import ParameterError

REGISTRY: dict[str, str] = {}
"""Benchmark name -> module under ``ohmline.lab.benches`` whose ``BENCHES`` holds it."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A ratio above 1 means that we are faster (or smaller) than the reference."""

    name: str
    ratio: float
    reference: str
    details: dict[str, Any] = field(default_factory=dict)


Bench = Callable[[], Measured]


def find(name: str) -> Bench:
    """The benchmark of that name."""
    if name not in REGISTRY:
        raise ParameterError(f"unknown benchmark {name!r}; the names are {', '.join(sorted(REGISTRY))}")
    benches: dict[str, Bench] = import_module(f"ohmline.lab.benches.{REGISTRY[name]}").BENCHES
    return benches[name]


def fastest(work: Callable[[], Any], repeat: int = 5) -> float:
    """Seconds of the fastest of several runs: the least disturbed by a busy machine."""
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best
