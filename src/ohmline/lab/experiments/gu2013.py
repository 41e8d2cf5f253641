"""Paper 004, Gu, Aggarwal, Liu and Han 2013: Table 2 and Figure 2, graph by graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.lab.experiment import Claim, Experiment, Result, Row, Settings
from ohmline.lab.experiments.gu2013_beyond import beyond
from ohmline.lab.experiments.gu2013_protocol import (
    COAUTHOR,
    KAPPA,
    PAPER,
    RANK,
    STAND_IN,
    TITLES,
    Runs,
    play_problems,
    seconds_by_round,
    setting,
    shuffles,
    tuned_mu,
)
from ohmline.lab.paired import paired
from ohmline.learn import OnlineLGC, Perceptron
from ohmline.query import VarianceAbove


@dataclass(frozen=True)
class Printed:
    """A line of Table 2, and how near we hold ourselves to it."""

    error: float
    error_within: float
    asked: float
    asked_within: float
    seconds: float


TABLE_2 = {
    "coauthor": {
        "GPA": Printed(0.2326, 0.01, 1711, 0, 0.0104),
        "OLLGC": Printed(0.1838, 0.01, 1711, 0, 0.1273),
        "SSLGC": Printed(0.1854, 0.01, 1275.30, 60, 0.1215),
    },
    "cora": {
        "GPA": Printed(0.1169, 0.004, 2485, 0, 0.0135),
        "OLLGC": Printed(0.0758, 0.0015, 2485, 0, 0.0929),
        "SSLGC": Printed(0.0832, 0.003, 1525.48, 40, 0.0821),
    },
    "pubmed": {
        "GPA": Printed(0.2256, 0.003, 19717, 0, 0.1363),
        "OLLGC": Printed(0.1804, 0.0015, 19717, 0, 1.4813),
        "SSLGC": Printed(0.1720, 0.005, 5298.55, 250, 0.7646),
    },
}
"""Table 2 without its IMDB column, whose graph is not here."""
METHODS = ("GPA", "OLLGC", "SSLGC")
SSLGC_WINS = ("wikimovies4", "pubmed")
"""Where SSLGC's printed error is below OLLGC's; the first stands for IMDB."""
NOISE = 0.1
"""Times that differ by less than this share of the longer are not told apart."""
Clock = tuple[Ints, Floats]


def table(name: str, settings: Settings, *, further: bool = False) -> Result:
    """Table 2 and Figure 2 for one graph; `further` adds the learners past the paper."""
    settings.tick(f"{name}: the {RANK} smallest eigenpairs")
    bed = setting(name)
    mu = tuned_mu(bed, settings)
    problems = [bed.problems(bed.order(seed)) for seed in shuffles(settings)]
    runs: dict[str, Runs] = {}
    clocks: dict[str, Clock] = {}
    for method, make, query in (
        ("GPA", lambda: Perceptron(bed.kernel), None),
        ("OLLGC", lambda: OnlineLGC(bed.kernel, mu), None),
        ("SSLGC", lambda: OnlineLGC(bed.kernel, mu), VarianceAbove(KAPPA)),
    ):
        settings.tick(f"{name}: {method}, {len(problems)} shuffles")
        runs[method] = play_problems(problems, make, query)
        clocks[method] = seconds_by_round(problems[0], make, query)
    title, printed = TITLES[name], TABLE_2.get(name, {})
    rows = [
        Row.of(title, method, metric, values, number)
        for method in METHODS
        for metric, values, number in (
            ("error rate", runs[method].error, printed[method].error if printed else None),
            ("queried nodes", runs[method].asked, printed[method].asked if printed else None),
            ("seconds a binary problem", runs[method].seconds, printed[method].seconds if printed else None),
        )
    ]
    found = Result(
        rows,
        [*_figures_reached(printed, runs), *_the_papers_words(name, runs)],
        {f"{title}: Figure 2": lambda canvas: _rounds(canvas, runs, clocks)},
        _notes(name, mu),
    )
    if further:
        more = beyond(bed, mu, settings)
        found = Result(
            found.rows + more.rows,
            found.claims + more.claims,
            found.figures | more.figures,
            found.notes + more.notes,
        )
    return found


def _notes(name: str, mu: float) -> list[str]:
    notes = [
        f"mu = {mu:g}, tuned for OLLGC on a held-out shuffle and used by SSLGC too.",
        "The error is the mean of the one-vs-rest binary error rates, and the queries the mean over the "
        "binary problems, which is the only reading that gives the paper's figures.",
        "Differs from Eq. (28): the constant eigenvector is kept and 1e-4 is added to every eigenvalue.",
        "Table 2's first column is headed Cora too; it is the Coauthor graph (gu2013-coauthor).",
        "The paper does not say what its own ± is.",
        "SSLGC works out r_t in every round, at the cost of an update, so it saves time only where few labels are "
        "asked for.",
        "Our times are the processor's. By round they are those of games of that many rounds, the shortest of five, on "
        "the first shuffle.",
    ]
    return {"wikimovies4": [STAND_IN], "coauthor": [COAUTHOR]}.get(name, []) + notes


def _figures_reached(table: dict[str, Printed], runs: dict[str, Runs]) -> list[Claim]:
    claims = []
    for method, printed in table.items():
        error, asked = float(runs[method].error.mean()), float(runs[method].asked.mean())
        claims.append(
            Claim(
                f"{method} errs on {printed.error:g} (Table 2)",
                abs(error - printed.error) <= printed.error_within,
                f"{error:.4f}",
                threshold=f"within {printed.error_within:g}",
            )
        )
        if printed.asked_within:
            claims.append(
                Claim(
                    f"{method} queries {printed.asked:g} nodes (Table 2)",
                    abs(asked - printed.asked) <= printed.asked_within,
                    f"{asked:.0f}",
                    threshold=f"within {printed.asked_within:g}",
                )
            )
    return claims


def _the_papers_words(name: str, runs: dict[str, Runs]) -> list[Claim]:
    gpa, online, selective = (runs[method] for method in METHODS)
    claims = []
    for method in ("OLLGC", "SSLGC"):
        gain = paired(gpa.error, runs[method].error)
        claims.append(Claim(f"{method} errs less than GPA", gain.better, f"{gain}", threshold=gain.rule))
    claims.append(
        Claim(
            "SSLGC's error is comparable to OLLGC's, with substantially fewer labels",
            bool(
                selective.error.mean() < 1.15 * online.error.mean()
                and selective.asked.mean() < 0.7 * online.asked.mean()
            ),
            f"{selective.error.mean():.4f} against {online.error.mean():.4f}, with "
            f"{selective.asked.mean() / online.asked.mean():.0%} of the labels",
            threshold="an error below 1.15 times OLLGC's, with below 70 % of the labels",
        )
    )
    if name in SSLGC_WINS:
        gain = paired(online.error, selective.error)
        where = "here" if name == "pubmed" else "on IMDB, for which this graph stands"
        claims.append(
            Claim(f"SSLGC errs even less than OLLGC {where}", gain.better, f"{gain}", threshold=gain.rule)
        )
    taken = {method: float(runs[method].seconds.mean()) for method in METHODS}
    claims += [faster(quick, "OLLGC", taken) for quick in ("GPA", "SSLGC")]
    return claims


def faster(quick: str, slow: str, taken: dict[str, float]) -> Claim:
    """That one method takes less time than another, by more than a clock is off."""
    share = taken[quick] / taken[slow]
    near = f": they differ by less than {NOISE:.0%}, so it is not decided" if abs(share - 1) <= NOISE else ""
    return Claim(
        f"{quick} takes less time than {slow}",
        share < 1 - NOISE,
        f"{1e3 * taken[quick]:.3g} and {1e3 * taken[slow]:.3g} ms a binary problem{near}",
        threshold=f"a mean time lower by more than {NOISE:.0%}",
        reason="r_t costs d^2 in every round, and here OLLGC pays that on its mistakes alone"
        if quick == "SSLGC"
        else "",
    )


def _rounds(canvas: Any, runs: dict[str, Runs], clocks: dict[str, Clock]) -> None:
    """Figure 2: mistakes, queried nodes and time by round."""
    canvas.set_size_inches(11.0, 3.7)
    panels = canvas.subplots(1, 3)
    for k, (method, found) in enumerate(runs.items()):
        rounds = np.arange(1, len(found.mistakes_by_round) + 1)
        style = {"color": f"C{k}", "linestyle": ("-", (0, (4, 4)), "-")[k], "label": method}
        panels[0].plot(rounds, found.mistakes_by_round, **style)
        panels[1].plot(rounds, found.asked_by_round, **style)
        panels[2].plot(clocks[method][0], 1e3 * clocks[method][1], marker="o", **style)
    for axes, title, unit in zip(
        panels,
        ("mistakes", "labels", "time"),
        ("mistakes so far", "labels asked for so far", "milliseconds so far"),
        strict=True,
    ):
        axes.set(xlabel="round", ylabel=unit)
        axes.set_title(title)
    panels[0].legend()


EXPERIMENTS = {
    experiment.id: experiment
    for experiment in (
        Experiment(
            "gu2013-coauthor",
            "Table 2 on Coauthor, from your own copy of its files",
            PAPER,
            ("coauthor",),
            lambda settings: table("coauthor", settings),
        ),
        Experiment(
            "gu2013-cora",
            "Table 2 on Cora, and past it",
            PAPER,
            ("cora",),
            lambda settings: table("cora", settings, further=True),
        ),
        Experiment(
            "gu2013-movies",
            "Table 2 and Figure 2 on wikimovies4, a stand-in for IMDB",
            PAPER,
            ("wikimovies4",),
            lambda settings: table("wikimovies4", settings),
        ),
        Experiment(
            "gu2013-pubmed",
            "Table 2 and Figure 2 on PubMed, and past them",
            PAPER,
            ("pubmed",),
            lambda settings: table("pubmed", settings, further=True),
        ),
    )
}
