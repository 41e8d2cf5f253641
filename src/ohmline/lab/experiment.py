"""Experiments: the tables and figures of the papers, by id.

Each experiment is one function in `ohmline.lab.experiments`. `REGISTRY` names the module of
every id, so that listing them imports none. `add` takes experiments of others.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import import_module
from typing import Any

import numpy as np

from ohmline.checks import almost
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
    "frontier": "frontier",
    "local-lgc": "local",
    "local-lgc-proofs": "local_proofs",
    "calibration": "calibration",
    "local-manifold": "local_manifold",
    "switching": "switching",
    "relations": "relations",
    "conformal": "conformal",
    "ogbn": "ogbn",
}
"""Experiment id -> module under `ohmline.lab.experiments` whose `EXPERIMENTS` holds it."""


@dataclass(frozen=True, slots=True)
class Row:
    """One number of ours beside the paper's.

    Parameters
    ----------
    dataset
        Which data.
    method
        Which learner, query or setting.
    metric
        What was measured.
    ours
        Our number, a mean where there were several runs.
    paper
        The paper's; None (default) where it has none.
    std
        The sample standard deviation over the runs. Default 0.
    runs
        How many there were. Default 1.
    """

    dataset: str
    method: str
    metric: str
    ours: float
    paper: float | None = None
    std: float = 0.0
    runs: int = 1

    @classmethod
    def of(cls, dataset: str, method: str, metric: str, values: Any, paper: float | None = None) -> Row:
        """The mean and standard deviation of several runs.

        Parameters
        ----------
        dataset, method, metric, paper
            As for the row itself.
        values
            One number for each run.
        """
        numbers = np.asarray(values, dtype=np.float64)
        same = np.ptp(numbers) <= 1e-12 * np.abs(numbers).max()  # but for rounding
        std = 0.0 if same else float(numbers.std(ddof=1))
        return cls(dataset, method, metric, float(numbers.mean()), paper, std, len(numbers))


class Verdict(StrEnum):
    """What a run says about a claim."""

    HOLDS = "holds"
    CONDITION = "holds with a condition"
    NOT = "not reproduced"
    OPEN = "not judged"
    """The claim needs the full length, and the run was a quick one; or it needs data that are not here."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of the paper, or of ours, and whether it held in this run.

    Parameters
    ----------
    claim
        The sentence.
    holds
        Whether it held.
    detail
        What was seen.
    threshold
        What had to be seen for it to hold. Empty by default; a test asks every claim of every experiment for it.
    ours
        Whether we say it, and not the paper. Default False.
    condition
        Under which condition it holds, where it does not hold as the paper says it. Empty by default.
    reason
        Why it is not reproduced, where that is known. Empty by default.
    full
        Whether only a run of full length can tell. Default False.
    missing
        What is not on this machine, so that no run here can tell. Empty by default.
    """

    claim: str
    holds: bool
    detail: str
    threshold: str = ""
    ours: bool = False
    condition: str = ""
    reason: str = ""
    full: bool = False
    missing: str = ""

    def verdict(self, *, quick: bool) -> Verdict:
        """What a run says about it.

        Parameters
        ----------
        quick
            Whether the run was a quick one.
        """
        if self.missing or (self.full and quick):
            return Verdict.OPEN
        if not self.holds:
            return Verdict.NOT
        return Verdict.CONDITION if self.condition else Verdict.HOLDS


PLUS_MINUS = "± is the sample standard deviation over the runs (not the error of their mean)."
"""What a spread beside one of our numbers is, said in every report."""


@dataclass(slots=True)
class Result:
    """What an experiment found.

    Parameters
    ----------
    rows
        Its numbers.
    claims
        Its claims.
    figures
        For each name a function that draws on an empty matplotlib `Figure`. None by default.
    notes
        What is to be said beside them. None by default.
    """

    rows: list[Row]
    claims: list[Claim]
    figures: dict[str, Callable[[Any], None]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Settings:
    """How to run an experiment.

    Parameters
    ----------
    seed
        The seed of every random choice. Default 0.
    quick
        Fewer repetitions; never sizes that change what the answer means. Default False.
    tick
        Called with a short message as the work proceeds. By default nobody is told.
    """

    seed: int = 0
    quick: bool = False
    tick: Callable[[str], None] = lambda message: None


@dataclass(frozen=True, slots=True)
class Experiment:
    """One id of `ohmline reproduce`.

    Parameters
    ----------
    id
        The id.
    title
        What it shows, in one line.
    paper
        Which paper it is from.
    needs
        The data sets of the catalog that it loads; empty for generated data.
    run
        The work itself.
    """

    id: str
    title: str
    paper: str
    needs: tuple[str, ...]
    run: Callable[[Settings], Result]


_ADDED: dict[str, Experiment] = {}


def add(experiment: Experiment) -> None:
    """Take an experiment of somebody's own; its id must be free."""
    if experiment.id in REGISTRY or experiment.id in _ADDED:
        raise ParameterError(f"there is an experiment {experiment.id!r} already; choose another id")
    if experiment.id == "all":
        raise ParameterError("an experiment cannot be called 'all', which means every one; choose another id")
    _ADDED[experiment.id] = experiment


def ids() -> list[str]:
    """The ids of all experiments, those that others added too."""
    return sorted({*REGISTRY, *_ADDED})


def find(id: str) -> Experiment:
    """The experiment of that id.

    Parameters
    ----------
    id
        One of `ids()`.
    """
    if id in _ADDED:
        return _ADDED[id]
    if id not in REGISTRY:
        raise ParameterError(
            f"unknown experiment {id!r}{almost(id, ids()) or '.'} The ids are {', '.join(ids())}, or all"
        )
    experiments: dict[str, Experiment] = import_module(f"ohmline.lab.experiments.{REGISTRY[id]}").EXPERIMENTS
    return experiments[id]


@dataclass(frozen=True, slots=True)
class Reproduction:
    """An experiment that was run, with what it found."""

    experiment: Experiment
    settings: Settings
    result: Result
    seconds: float


def run(
    experiment: Experiment,
    *,
    seed: int = 0,
    quick: bool = False,
    tick: Callable[[str], None] = lambda message: None,
) -> Reproduction:
    """Run an experiment and measure how long it takes.

    Parameters
    ----------
    experiment
        The experiment.
    seed, quick, tick
        As for `Settings`.
    """
    settings = Settings(seed, quick, tick)
    start = time.perf_counter()
    result = experiment.run(settings)
    return Reproduction(experiment, settings, result, time.perf_counter() - start)
