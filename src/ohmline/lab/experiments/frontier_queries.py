"""The frontier with few labels: LocalLGC's two queries on a stream, and what it errs with so many labels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ohmline.lab.experiment import Claim, Result, Row, Settings
from ohmline.lab.experiments.frontier_cases import CHOOSING, FIRST, Case
from ohmline.lab.paired import paired
from ohmline.query import Budget, GapAhead, GapBelow, RandomRate, StreamQuery

LABELS: dict[str, tuple[float, float]] = {
    "cora": (0.160, 700),
    "pubmed": (0.1756, 5000),
    "wikimovies4": (0.45, 0.25),
}
"""The mistake rate to stay under, and the labels; below 1 their share of the nodes."""
LEAST, MOST, STEPS = 1e-7, 10.0, 10
"""The range of c, and how often it is halved in log c: c is then known to a fiftieth."""
BELOW = 0.98
"""The labels aimed at, so that other orders rarely ask for more than allowed."""


def c_for(case: Case, kind: Callable[[float], StreamQuery], labels: float) -> float:
    """The c of a query that asks for about so many labels; found without a look at the mistakes."""
    low, high = np.log(LEAST), np.log(MOST)
    for _ in range(STEPS):
        middle = (low + high) / 2
        query = kind(float(np.exp(middle)))
        asked = np.mean([case.errors(seed, query)[1] for seed in CHOOSING])
        low, high = (middle, high) if asked < BELOW * labels else (low, middle)
    return float(np.exp(low))


def queries(case: Case, name: str, settings: Settings) -> Result:
    """Both queries against as many labels at random."""
    most, labels = LABELS[name]
    allowed = int(labels if labels >= 1 else labels * case.graph.n)
    settings.tick(f"{case.name}: {allowed} labels")
    seeds = [settings.seed + FIRST + k for k in range(3 if settings.quick else 20)]
    rules = [kind(c_for(case, kind, allowed)) for kind in (GapAhead, GapBelow)]
    ours, below = (
        np.array([case.errors(seed, Budget(rule, labels=allowed)) for seed in seeds]) for rule in rules
    )
    share = RandomRate(float(ours[:, 1].mean()) / case.graph.n)
    chance = np.array([case.errors(seed, share) for seed in seeds])
    rows = []
    played = {
        f"{type(rule).__name__}({rule.c:.2g})": table
        for rule, table in zip(rules, (ours, below), strict=True)
    }
    for name, table in {**played, "random labels": chance}.items():
        method = f"LocalLGC, {name}"
        rows.append(Row.of(case.title, method, f"mistake rate, {allowed} labels", table[:, 0]))
        rows.append(Row.of(case.title, method, f"labels, {allowed} allowed", table[:, 1]))
    error, asked = ours.mean(axis=0)
    goal = Claim(
        f"{case.title}: mistake rate at most {most:g} with {allowed} labels",
        bool(error <= most and asked <= allowed),
        f"{error:.4f} with {asked:.0f} labels; {chance[:, 0].mean():.4f} with as many at random",
        threshold=f"at most {most:g}, and at most {allowed} labels on average",
        ours=True,
        full=True,
    )
    lead = paired(below[:, 0], ours[:, 0])
    ahead = Claim(
        f"{case.title}: no more mistakes with GapAhead than with GapBelow",
        lead.gain >= 0,
        f"{error:.4f} with {asked:.0f} labels against {below[:, 0].mean():.4f} with {below[:, 1].mean():.0f}; {lead}",
        threshold="mean mistake rate no higher, with about as many labels",
        ours=True,
        full=True,
    )
    return Result(rows, [goal, ahead])
