"""Tuning: which parameters make the fewest mistakes on a held-out shuffle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from ohmline.checks import flag, function, listed, shown, text
from ohmline.errors import ParameterError
from ohmline.game.play import play
from ohmline.game.stream import Stream
from ohmline.learn.contract import OnlineLearner
from ohmline.progress import reporting
from ohmline.query.asking import StreamQuery, checked


@dataclass(frozen=True, slots=True)
class Tried:
    """One point of the grid and how it did.

    Attributes
    ----------
    parameters
        The values that were tried, by name.
    error_rate
        The share of wrong predictions, as a mean over the streams.
    asked
        The number of labels asked for, as a mean over the streams.
    """

    parameters: dict[str, Any]
    error_rate: float
    asked: float


@dataclass(frozen=True, slots=True)
class Tuned:
    """What `tune` found: the best point of the grid, and all of them.

    Attributes
    ----------
    best
        The parameters of the lowest error rate; among equals the first in the grid's order.
    table
        Every point, in the grid's order.
    """

    best: dict[str, Any]
    table: tuple[Tried, ...]


def tune(
    make: Callable[..., OnlineLearner[Any, Any]],
    stream: Stream | Sequence[Stream],
    grid: Mapping[str, Iterable[Any]],
    *,
    query: StreamQuery | None = None,
    seed: int = 0,
    jobs: int = -1,
    progress: bool = True,
) -> Tuned:
    """Find the parameters that err least: play one shuffle for every point of a grid (paper 004, section 6.3).

    Measure the learner on other shuffles afterwards; the one that `seed` draws is spent on the tuning.

    Parameters
    ----------
    make
        `make(**parameters)` returns a fresh learner for one point of the grid.
    stream
        The stream to shuffle and play. Several streams (the binary problems of a many-class one) are shuffled with
        the same seed, and their error rates are averaged.
    grid
        The values to try for each parameter, by name; every combination is one point.
    query
        Which labels are asked for; None (default) asks for all.
    seed
        Draws the shuffle. Default 0.
    jobs
        How many processes work in parallel; -1 (default) for one per processor.
    progress
        Whether to show a bar on standard error where that is a terminal. Default True.

    Returns
    -------
    Tuned
        The best parameters, and a table of all that were tried.

    Examples
    --------
    >>> import ohmline as ohm
    >>> line = ohm.Graph.from_edges([(k, k + 1) for k in range(39)])
    >>> kernel = ohm.SpectralKernel(line, rank=10)
    >>> stream = ohm.Stream(range(40), [1] * 20 + [-1] * 20)
    >>> found = tune(lambda mu: ohm.OnlineLGC(kernel, mu), stream, {"mu": [0.001, 0.1, 10.0]}, jobs=1)
    >>> found.best in [tried.parameters for tried in found.table]
    True
    """
    points = _points(grid)
    function(make, "make", "make(**parameters) returns a fresh learner")
    progress, query = flag(progress, "progress"), None if query is None else checked(query)
    streams = [stream] if isinstance(stream, Stream) else listed(stream, "stream")
    if not streams or not all(isinstance(part, Stream) and len(part) for part in streams):
        raise ParameterError(
            f"tune needs a stream of at least one trial, or several of them, got {shown(stream)}"
        )
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs == 0 or not -1 <= jobs <= 10_000:
        raise ParameterError(
            f"jobs must be a number of processes, or -1 for all processors, got {shown(jobs)}"
        )
    held_out = [part.shuffled(seed) for part in streams]
    # In this process first: a bad factory fails at once, and what it caches travels with it.
    table = [_try(make, points[0], held_out, query)]
    table.extend(_spread(make, points[1:], held_out, query, jobs=jobs, progress=progress))
    best = min(table, key=lambda tried: tried.error_rate)
    return Tuned(best.parameters, tuple(table))


def _points(grid: Mapping[str, Iterable[Any]]) -> list[dict[str, Any]]:
    if not isinstance(grid, Mapping) or not grid:
        raise ParameterError(f"grid must map parameter names to lists of values, got {shown(grid)}")
    values = {
        text(name, "a parameter of the grid"): listed(options, f"the values of {name}")
        for name, options in grid.items()
    }
    for name, options in values.items():
        if not options:
            raise ParameterError(f"the grid has no value for {name!r}; give at least one")
    return [dict(zip(values, point, strict=True)) for point in product(*values.values())]


def _try(
    make: Callable[..., OnlineLearner[Any, Any]],
    parameters: dict[str, Any],
    streams: Sequence[Stream],
    query: StreamQuery | None,
) -> Tried:
    traces = [play(make(**parameters), stream, query) for stream in streams]
    return Tried(
        parameters,
        float(np.mean([trace.error_rate for trace in traces])),
        float(np.mean([trace.asked for trace in traces])),
    )


def _spread(
    make: Callable[..., OnlineLearner[Any, Any]],
    points: list[dict[str, Any]],
    streams: Sequence[Stream],
    query: StreamQuery | None,
    *,
    jobs: int,
    progress: bool,
) -> list[Tried]:
    from joblib import Parallel, delayed  # heavy, and rarely needed

    if not points:
        return []
    work = Parallel(n_jobs=min(jobs, len(points)), return_as="generator")(
        delayed(_try)(make, point, streams, query) for point in points
    )
    with reporting(progress, "tuning", len(points)) as advance:
        table = []
        for tried in work:
            table.append(tried)
            advance(1)
    return table
