"""The frontier with few labels: LocalLGC's query, and what it errs with so many labels."""

from __future__ import annotations

import numpy as np

from ohmline.lab.experiment import Claim, Result, Row, Settings
from ohmline.lab.experiments.frontier_cases import CHOOSING, FIRST, Case
from ohmline.query import GapBelow, RandomRate

LABELS: dict[str, tuple[float, float]] = {
    "cora": (0.160, 700),
    "pubmed": (0.1756, 5000),
    "wikimovies4": (0.45, 0.25),
}
"""The mistake rate to stay under, and the labels; below 1 their share of the nodes."""
STEPS = 9
"""Halvings of the range of log c: it is then known to a thousandth."""
BELOW = 0.98
"""The labels aimed at, so that other orders rarely ask for more than allowed."""


def c_for(case: Case, labels: float) -> float:
    """The c of GapBelow that asks for about so many labels; found without a look at the mistakes."""
    low, high = np.log(1e-7), np.log(1.0)
    for _ in range(STEPS):
        middle = (low + high) / 2
        query = GapBelow(float(np.exp(middle)))
        asked = np.mean([case.errors(seed, query)[1] for seed in CHOOSING])
        low, high = (middle, high) if asked < BELOW * labels else (low, middle)
    return float(np.exp(low))


def queries(case: Case, name: str, settings: Settings) -> Result:
    """The query against as many labels at random."""
    most, labels = LABELS[name]
    allowed = int(labels if labels >= 1 else labels * case.graph.n)
    settings.tick(f"{case.name}: {allowed} labels")
    seeds = [settings.seed + FIRST + k for k in range(3 if settings.quick else 20)]
    c = c_for(case, allowed)
    ours = np.array([case.errors(seed, GapBelow(c)) for seed in seeds])
    share = RandomRate(float(ours[:, 1].mean()) / case.graph.n)
    chance = np.array([case.errors(seed, share) for seed in seeds])
    rows = []
    for method, table in ((f"LocalLGC, GapBelow({c:.2g})", ours), ("LocalLGC, random labels", chance)):
        rows.append(Row.of(case.title, method, f"mistake rate, {allowed} labels", table[:, 0]))
        rows.append(Row.of(case.title, method, f"labels, {allowed} allowed", table[:, 1]))
    error, asked = ours.mean(axis=0)
    claim = Claim(
        f"{case.title}: mistake rate at most {most:g} with {allowed} labels",
        bool(error <= most and asked <= allowed),
        f"{error:.4f} with {asked:.0f} labels; {chance[:, 0].mean():.4f} with as many at random",
        threshold=f"at most {most:g}, and at most {allowed} labels on average",
        ours=True,
        full=True,
    )
    return Result(rows, [claim])
