"""Several learners on several data sets, in the same orders: mistakes, labels, and who errs less."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ohmline.arrays import Floats
from ohmline.checks import count, instance, listed
from ohmline.data import Dataset, load
from ohmline.errors import ParameterError
from ohmline.game import Stream, play
from ohmline.graph import Graph
from ohmline.lab.experiment import Claim, Result, Row, Settings
from ohmline.lab.paired import paired
from ohmline.query import Always

POINTS = 60
"""How many points a curve has."""


def compare(
    learners: Mapping[str, Callable[[Graph, tuple[Any, ...]], Any]],
    datasets: Sequence[str | Dataset],
    *,
    query: Any = None,
    shuffles: int = 5,
    settings: Settings | None = None,
) -> Result:
    """Play learners on data sets, each in the same random orders, and compare the first with all others.

    Parameters
    ----------
    learners
        For each name a function that makes a learner from a graph and the classes. The first one is compared with
        each of the others by a paired test over the shuffles.
    datasets
        Names of the catalog, or data sets. Nodes without a label do not come up.
    query
        Which labels are asked for; None (default) asks for all.
    shuffles
        How many random orders are played, at least 1; two with `settings.quick`. Default 5.
    settings
        The seed, and whether to be quick; None (default) for the usual ones.

    Examples
    --------
    >>> import ohmline as ohm
    >>> from ohmline import lab
    >>> found = lab.compare(
    ...     {"LocalLGC": ohm.LocalLGC, "trees": lambda graph, classes: ohm.SpanningTree(graph, classes, trees=7)},
    ...     ["karate"],
    ... )
    >>> [(row.method, row.metric, row.runs) for row in found.rows][:2]
    [('LocalLGC', 'mistake rate', 5), ('LocalLGC', 'labels', 5)]
    """
    given = settings or Settings()
    instance(learners, Mapping, "learners", "give a dict of names and functions")
    if not learners:
        raise ParameterError("learners is empty; give at least one name and function")
    runs = (
        min(count(shuffles, "shuffles", least=1), 2) if given.quick else count(shuffles, "shuffles", least=1)
    )
    rule = Always() if query is None else query
    rows: list[Row] = []
    claims: list[Claim] = []
    figures: dict[str, Callable[[Any], None]] = {}
    for each in listed(datasets, "datasets"):
        data = each if isinstance(each, Dataset) else load(each)
        if not isinstance(data, Dataset):
            raise ParameterError(f"{data.name} holds points and no graph; build one with ohm.graph.knn")
        errors: dict[str, Floats] = {}
        curves: dict[str, tuple[Floats, Floats]] = {}
        for name, make in learners.items():
            given.tick(f"{data.name}: {name}")
            played = [_played(data, make, rule, given.seed + k) for k in range(runs)]
            errors[name] = np.array([trace.error_rate for trace in played])
            curves[name] = _mean_curve(played)
            rows.append(Row.of(data.name, name, "mistake rate", errors[name]))
            rows.append(Row.of(data.name, name, "labels", [trace.asked for trace in played]))
        claims += _claims(data.name, errors)
        figures[f"{data.name}: share of mistakes so far"] = partial(_draw, curves)
    return Result(rows, claims, figures, [f"Query: {rule!r}. Every learner played the same {runs} orders."])


def _played(data: Dataset, make: Callable[..., Any], query: Any, seed: int) -> Any:
    known = [
        (node, label) for node, label in zip(data.graph.nodes, data.labels, strict=True) if label is not None
    ]
    stream = Stream(*zip(*known, strict=True)).shuffled(seed=seed)
    return play(make(data.graph, data.classes), stream, query, seed=seed)


def _mean_curve(played: Sequence[Any]) -> tuple[Floats, Floats]:
    """The share of mistakes after some numbers of trials, averaged over the games."""
    at = np.unique(np.linspace(1, len(played[0]), POINTS).astype(np.int64))
    return at.astype(np.float64), np.mean([trace.mistake_curve[at - 1] / at for trace in played], axis=0)


def _claims(name: str, errors: Mapping[str, Floats]) -> list[Claim]:
    first, *others = errors
    found = []
    for other in others:
        test = paired(errors[other], errors[first])
        found.append(
            Claim(
                f"{name}: {first} errs less than {other}",
                test.better,
                str(test),
                threshold=test.rule,
                ours=True,
                full=True,
            )
        )
    return found


def _draw(curves: Mapping[str, tuple[Floats, Floats]], figure: Any) -> None:
    axes = figure.subplots()
    for name, (at, share) in curves.items():
        axes.plot(at, share, label=name)
    axes.set_xlabel("trials")
    axes.set_ylabel("share of mistakes so far")
    axes.set_ylim(bottom=0)
    axes.legend()
