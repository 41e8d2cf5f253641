"""Experiments: the tables and figures of the papers, by id.

Each experiment is one function in `ohmline.lab.experiments`. `REGISTRY` names the module of
every id, so that listing them imports none.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from ohmline.errors import ParameterError

REGISTRY: dict[str, str] = {
    "hpw2005-digits": "hpw2005",
    "hpw2005-hierarchical": "hpw2005",
    "hp2006-barbell": "hp2006_barbell",
    "hp2006-flower": "hp2006",
    "hp2006-octopus": "hp2006",
    "hp2006-line": "hp2006_line",
    "hp2006-b-and-c": "hp2006_terms",
    "h2008-three-clusters": "h2008",
    "h2008-two-moons": "h2008",
    "h2008-strips": "h2008",
    "h2008-size-of-a": "h2008_scale",
    "glz2008-runtime": "glz2008_runtime",
    "glz2008-risk": "glz2008_risk",
    "glz2008-spirals": "glz2008_spirals",
    "glz2008-mnist01": "glz2008_mnist",
    "glz2008-mnist12": "glz2008_mnist",
    "glz2008-drift": "glz2008_drift",
    "glz2008-leaves": "glz2008_leaves",
    "gu2013-data": "gu2013_data",
    "gu2013-coauthor": "gu2013",
    "gu2013-cora": "gu2013",
    "gu2013-movies": "gu2013",
    "gu2013-pubmed": "gu2013",
    "gu2013-rank": "gu2013_curves",
    "gu2013-kappa": "gu2013_curves",
    "gu2013-label-rate": "gu2013_label_rate",
    "local-lgc": "local",
    "local-manifold": "local_manifold",
}
"""Experiment id -> module under `ohmline.lab.experiments` whose `EXPERIMENTS` holds it."""


@dataclass(frozen=True, slots=True)
class Row:
    """One number of ours beside the paper's."""

    dataset: str
    method: str
    metric: str
    ours: float
    paper: float | None = None
    std: float = 0.0
    runs: int = 1

    @classmethod
    def of(cls, dataset: str, method: str, metric: str, values: Any, paper: float | None = None) -> Row:
        """The mean and standard deviation of several runs."""
        numbers = np.asarray(values, dtype=np.float64)
        same = np.ptp(numbers) <= 1e-12 * np.abs(numbers).max()  # but for rounding
        std = 0.0 if same else float(numbers.std(ddof=1))
        return cls(dataset, method, metric, float(numbers.mean()), paper, std, len(numbers))


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of the paper, or of ours, and whether it held in this run."""

    claim: str
    holds: bool
    detail: str
    threshold: str = ""
    """What had to be seen for it to hold. A test asks every claim of every experiment for it."""
    ours: bool = False
    """Whether we say it, and not the paper."""


PLUS_MINUS = "± is the sample standard deviation over the runs (not the error of their mean)."
"""What a spread beside one of our numbers is, said in every report."""


@dataclass(slots=True)
class Result:
    """What an experiment found. `figures` maps a name to a function that draws on a Figure."""

    rows: list[Row]
    claims: list[Claim]
    figures: dict[str, Callable[[Any], None]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def claims_by_side(self) -> dict[str, list[Claim]]:
        """The paper's claims and ours, each under its heading; a side without claims is left out."""
        sides = {
            "What the paper claims": [claim for claim in self.claims if not claim.ours],
            "Ours, beside the paper": [claim for claim in self.claims if claim.ours],
        }
        return {heading: claims for heading, claims in sides.items() if claims}


@dataclass(frozen=True, slots=True)
class Settings:
    """How to run an experiment; `quick` cuts repetitions, never sizes that change what the answer means."""

    seed: int = 0
    quick: bool = False
    tick: Callable[[str], None] = lambda message: None
    """Called with a short message as the work proceeds."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """One id of `ohmline reproduce`."""

    id: str
    title: str
    paper: str
    needs: tuple[str, ...]
    """Data sets of the catalog that it loads; empty for generated data."""
    run: Callable[[Settings], Result]


def find(id: str) -> Experiment:
    """The experiment of that id."""
    if id not in REGISTRY:
        raise ParameterError(f"unknown experiment {id!r}; the ids are {', '.join(sorted(REGISTRY))}, or all")
    experiments: dict[str, Experiment] = import_module(f"ohmline.lab.experiments.{REGISTRY[id]}").EXPERIMENTS
    return experiments[id]


@dataclass(frozen=True, slots=True)
class Reproduction:
    """An experiment that was run, with what it found."""

    experiment: Experiment
    settings: Settings
    result: Result
    seconds: float

    def document(self) -> dict[str, Any]:
        """The shape that `ohmline reproduce ID --json` prints."""
        return {
            "id": self.experiment.id,
            "seed": self.settings.seed,
            "rows": [
                {
                    "dataset": row.dataset,
                    "method": row.method,
                    "metric": row.metric,
                    "paper": row.paper,
                    "ours": row.ours,
                    "std": row.std,
                    "runs": row.runs,
                }
                for row in self.result.rows
            ],
            "claims": [
                {
                    "claim": claim.claim,
                    "holds": bool(claim.holds),
                    "detail": claim.detail,
                    "threshold": claim.threshold,
                    "ours": claim.ours,
                }
                for claim in self.result.claims
            ],
            "seconds": self.seconds,
        }


def run(
    experiment: Experiment,
    *,
    seed: int = 0,
    quick: bool = False,
    tick: Callable[[str], None] = lambda message: None,
) -> Reproduction:
    """Run an experiment and measure how long it takes."""
    settings = Settings(seed, quick, tick)
    start = time.perf_counter()
    result = experiment.run(settings)
    return Reproduction(experiment, settings, result, time.perf_counter() - start)
