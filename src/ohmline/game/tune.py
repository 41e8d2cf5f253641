"""Tuning: which parameters make the fewest mistakes on a held-out shuffle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from ohmline.arrays import Bools
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
    """What `tune` found: the best point of the grid, those that are as good, and all of them.

    Attributes
    ----------
    best
        The parameters to take: `default` if that is among `tied`, and otherwise those of the lowest error rate; among
        equals the first in the grid's order.
    table
        Every point, in the grid's order.
    tied
        The points that the lowest error rate does not differ from by more than chance, in the grid's order, its own
        among them. Where these are many, the stream does not tell which is best.
    """

    best: dict[str, Any]
    table: tuple[Tried, ...]
    tied: tuple[Tried, ...] = ()


def tune(
    make: Callable[..., OnlineLearner[Any, Any]],
    stream: Stream | Sequence[Stream],
    grid: Mapping[str, Iterable[Any]],
    *,
    query: StreamQuery | None = None,
    default: Mapping[str, Any] | None = None,
    seed: int = 0,
    jobs: int = -1,
    progress: bool = True,
) -> Tuned:
    """Find the parameters that err least: play one shuffle for every point of a grid (paper 004, section 6.3).

    Measure the learner on other shuffles afterwards; the one that `seed` draws is spent on the tuning.

    Each node is predicted before its own label is learned, and compared with the label that the stream has. So `tune`
    sees how well a learner foretells labels that it does not have, and nothing of what it makes of a node's own label:
    it cannot choose how much a label should be doubted (`mu` of `LocalLGC` where labels are wrong).

    Two points are tied where the trials that only one of them got wrong could have fallen this way by chance: a
    difference of at most twice the root of their number.

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
    default
        The point of the grid to stay with unless another one is better by more than chance. None (default) takes the
        one of the lowest error rate, be it by chance.
    seed
        Draws the shuffle. Default 0.
    jobs
        How many processes work in parallel; -1 (default) for one per processor.
    progress
        Whether to show a bar on standard error where that is a terminal. Default True.

    Returns
    -------
    Tuned
        The best parameters, the points that are tied with them, and a table of all that were tried.

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
    stay = _default(default, points)
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
    found = [_try(make, points[0], held_out, query)]
    found.extend(_spread(make, points[1:], held_out, query, jobs=jobs, progress=progress))
    best, least = min(found, key=lambda each: each[0].error_rate)
    tied = tuple(tried for tried, wrong in found if by_chance(least, wrong))
    if stay in [tried.parameters for tried in tied]:
        best = next(tried for tried in tied if tried.parameters == stay)
    return Tuned(best.parameters, tuple(tried for tried, _ in found), tied)


def by_chance(one: Bools, other: Bools) -> bool:
    """Whether two learners' mistakes in the same trials may differ in number by chance: a difference of two sigma."""
    only, too = int((one & ~other).sum()), int((other & ~one).sum())
    return bool(abs(too - only) <= 2 * np.sqrt(only + too))


def _default(default: Any, points: list[dict[str, Any]]) -> dict[str, Any] | None:
    if default is None:
        return None
    if not isinstance(default, Mapping) or dict(default) not in points:
        raise ParameterError(
            f"default must be a point of the grid, such as {shown(points[0])}, got {shown(default)}; add its values to "
            "the grid"
        )
    return dict(default)


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
) -> tuple[Tried, Bools]:
    """How a point did, and in which trials of all streams it was wrong."""
    traces = [play(make(**parameters), stream, query) for stream in streams]
    tried = Tried(
        parameters,
        float(np.mean([trace.error_rate for trace in traces])),
        float(np.mean([trace.asked for trace in traces])),
    )
    return tried, np.concatenate([trace.mistake for trace in traces])


def _spread(
    make: Callable[..., OnlineLearner[Any, Any]],
    points: list[dict[str, Any]],
    streams: Sequence[Stream],
    query: StreamQuery | None,
    *,
    jobs: int,
    progress: bool,
) -> list[tuple[Tried, Bools]]:
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
