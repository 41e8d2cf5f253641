"""An experiment that has been run, as plain data: it can be kept in a file, sent from a process, and shown."""

from __future__ import annotations

import os
import platform
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Self

from ohmline.errors import DataError, MissingExtra
from ohmline.lab.experiment import Claim, Reproduction, Row, Verdict
from ohmline.lab.plot import as_svg, drawn
from ohmline.version import __version__

PACKAGES = ("numpy", "scipy", "numba", "scikit-learn", "matplotlib")
"""Whose versions are said beside a result."""


@dataclass(frozen=True, slots=True)
class Finished:
    """What an experiment found, with everything that is needed to judge and to show it.

    Parameters
    ----------
    id, title, paper
        Of the experiment.
    seed, quick
        How it was run.
    rows, claims, notes
        What it found.
    seconds
        How long it took.
    figures
        For each name the drawing as an `<svg>` element, or, without the extra `plot`, the words that say so.
    version
        The version of Ohmline that ran it. Default: this one.
    made
        The versions and the hardware that it comes from. Default: those of this process.
    date
        The day on which it was made, as year-month-day in universal time. Default: today.
    """

    id: str
    title: str
    paper: str
    seed: int
    quick: bool
    rows: tuple[Row, ...]
    claims: tuple[Claim, ...]
    notes: tuple[str, ...]
    seconds: float
    figures: dict[str, str]
    version: str = field(default_factory=lambda: __version__)
    made: dict[str, str] = field(default_factory=lambda: about_this_machine())
    date: str = field(default_factory=lambda: datetime.now(UTC).date().isoformat())

    @classmethod
    def of(cls, reproduction: Reproduction) -> Self:
        """The plain data of an experiment that was run, with its figures drawn.

        Parameters
        ----------
        reproduction
            What `run` gave.
        """
        experiment, settings, result = reproduction.experiment, reproduction.settings, reproduction.result
        figures = {}
        for name, draw in result.figures.items():
            try:
                figures[name] = as_svg(drawn(draw))
            except MissingExtra as error:
                figures[name] = f"The figure is not drawn: {error}"
        return cls(
            experiment.id,
            experiment.title,
            experiment.paper,
            settings.seed,
            settings.quick,
            tuple(result.rows),
            tuple(result.claims),
            tuple(result.notes),
            reproduction.seconds,
            figures,
        )

    def verdict(self, claim: Claim) -> Verdict:
        """What this run says about one of its claims.

        Parameters
        ----------
        claim
            One of `claims`.
        """
        return claim.verdict(quick=self.quick)

    @property
    def refuted(self) -> list[Claim]:
        """The claims that this run could judge, and that did not hold."""
        return [claim for claim in self.claims if self.verdict(claim) is Verdict.NOT]

    @property
    def unexplained(self) -> list[Claim]:
        """Those of `refuted` of which nobody knows why."""
        return [claim for claim in self.refuted if not claim.reason]

    @property
    def has_paper(self) -> bool:
        """Whether a number of a paper stands beside one of ours."""
        return any(row.paper is not None for row in self.rows)

    def word(self, claim: Claim) -> str:
        """The verdict on a claim in words: a paper's is not reproduced, one of our own does not hold.

        Parameters
        ----------
        claim
            One of `claims`.
        """
        verdict = self.verdict(claim)
        return "does not hold" if claim.ours and verdict is Verdict.NOT else str(verdict)

    def by_side(self) -> dict[str, list[Claim]]:
        """The paper's claims and ours, each under its heading; a side without claims is left out.

        Where the experiment has neither a claim nor a number of a paper, ours stand beside nothing.
        """
        beside = any(not claim.ours for claim in self.claims) or self.has_paper
        sides = {
            "What the paper claims": [claim for claim in self.claims if not claim.ours],
            ("Ours, beside the paper" if beside else "Our claims"): [
                claim for claim in self.claims if claim.ours
            ],
        }
        return {heading: claims for heading, claims in sides.items() if claims}

    def document(self) -> dict[str, Any]:
        """The shape that `ohmline reproduce ID --json` prints."""
        claims = [
            {
                "claim": claim.claim,
                "holds": bool(claim.holds),
                "detail": claim.detail,
                "threshold": claim.threshold,
                "ours": claim.ours,
                "verdict": str(self.verdict(claim)),
                "condition": claim.condition,
                "reason": claim.reason,
                "full": claim.full,
                "missing": claim.missing,
            }
            for claim in self.claims
        ]
        return {
            "id": self.id,
            "title": self.title,
            "paper": self.paper,
            "version": self.version,
            "made": self.made,
            "date": self.date,
            "seed": self.seed,
            "quick": self.quick,
            "rows": [asdict(row) for row in self.rows],
            "claims": claims,
            "notes": list(self.notes),
            "seconds": self.seconds,
        }

    @classmethod
    def read(cls, document: dict[str, Any], figures: dict[str, str]) -> Self:
        """The result that `document()` wrote; a `DataError` where it is not of that shape.

        Parameters
        ----------
        document
            What `document()` gave.
        figures
            The figures, which it leaves out.
        """
        try:
            claims = [
                {name: value for name, value in claim.items() if name != "verdict"}
                for claim in document["claims"]
            ]
            return cls(
                document["id"],
                document["title"],
                document["paper"],
                document["seed"],
                document["quick"],
                tuple(Row(**{**row, "ours": _number(row["ours"])}) for row in document["rows"]),
                tuple(Claim(**claim) for claim in claims),
                tuple(document["notes"]),
                document["seconds"],
                {str(name): str(drawing) for name, drawing in figures.items()},
                document["version"],
                {str(name): str(value) for name, value in document["made"].items()},
                str(document["date"]),
            )
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise DataError(
                f"this is no result of an experiment: {error!r}; run the experiment again"
            ) from None


def _number(value: Any) -> float:
    """A number of a row, where JSON has null for one that is not finite."""
    return float("nan") if value is None else float(value)


def about_this_machine() -> dict[str, str]:
    """The versions and the hardware that results come from."""
    found = {"Ohmline": __version__, "Python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return {**found, **_hardware()}


HARDWARE = ("system", "processor")
"""What `about_this_machine` says of the machine itself."""


@cache
def _hardware() -> dict[str, str]:
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": f"{_processor()}, {os.cpu_count()} cores",
    }


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.partition(":")[2].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown"
