"""Streams of vectors that are too long to hold, or never end, played in pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ohmline.arrays import Floats, vector
from ohmline.checks import count, function, iterator, none_or, shown
from ohmline.errors import ParameterError, ShapeError
from ohmline.game.play import play
from ohmline.game.stream import Stream
from ohmline.game.trace import Trace
from ohmline.learn.contract import OnlineLearner, expect_learner


def follow(
    learner: OnlineLearner[Any, Any],
    points: Iterable[tuple[ArrayLike, Any]],
    *,
    chunk: int = 1024,
    limit: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Trace]:
    """Play a stream of points in pieces, and give the trace of each piece; the learner is changed.

    For streams that are too long to hold, or never end: memory does not grow. A bad point is an
    error that names it; the points before it are learned first, and the learner stays usable.

    Parameters
    ----------
    learner
        A learner over vectors.
    points
        Pairs (point, label), with None for a point without a label. All points have the same number of features.
    chunk
        How many points make a piece, at least 1. Default 1024.
    limit
        Stop after so many points; None (default) goes on to the end of the stream.
    progress
        Called with the number of points played since its last call.

    Examples
    --------
    >>> import ohmline as ohm
    >>> learner = ohm.OnlineManifold(ohm.RBF(0.1), smoothness=ohm.Manifold(0.05))
    >>> for trace in follow(learner, ohm.Spirals().endless(), limit=3000, chunk=1000):
    ...     print(trace)
    Trace(1000 trials, ... mistakes, ... labels asked)
    Trace(1000 trials, ... mistakes, ... labels asked)
    Trace(1000 trials, ... mistakes, ... labels asked)
    """
    expect_learner(learner)
    none_or(function, progress, "progress")
    source = iterator(points, "points")
    if limit is not None:
        source = islice(source, count(limit, "limit"))
    return _pieces(learner, source, count(chunk, "chunk", least=1), progress)


def _pieces(
    learner: OnlineLearner[Any, Any],
    source: Iterator[tuple[ArrayLike, Any]],
    size: int,
    progress: Callable[[int], None] | None,
) -> Iterator[Trace]:
    seen, width = 0, None
    while True:
        rows: list[Floats] = []
        labels: list[Any] = []
        broken: Exception | None = None
        try:
            for pair in islice(source, size):
                row, y = _pair(pair, seen + len(rows) + 1, width)
                width = len(row)
                rows.append(row)
                labels.append(y)
        except Exception as error:
            broken = error
        if rows:
            yield play(learner, Stream(np.array(rows), labels), progress=progress)
        seen += len(rows)
        if broken is not None:
            raise broken
        if len(rows) < size:
            break
    if not seen:
        raise ParameterError("the stream ended before its first point; it must hold one point or more")


def _pair(pair: Any, number: int, width: int | None) -> tuple[Floats, Any]:
    try:
        x, y = pair
    except (TypeError, ValueError):
        raise ShapeError(
            f"point {number} is {shown(pair)}; a stream gives pairs (x, y), with y None when there is no label"
        ) from None
    row = vector(x, f"point {number}")
    if width is not None and len(row) != width:
        raise ShapeError(f"point {number} has {len(row)} features, but the points before it had {width}")
    return row, y
