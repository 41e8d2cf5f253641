"""Sources of vectors: generated, at rest or drifting.

A *source* draws points with labels from some distribution, which may change with time. Its
`stream(trials)` is finite, for `play`; its `endless()` never stops, for `follow`.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, final

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.checks import count, fraction, non_negative, positive, room, seed_of
from ohmline.game.stream import Stream
from ohmline.representation import represent

BATCH = 256
"""Points of an endless stream that are drawn at a time."""
POINT = 64
"""Bytes that a point takes while it is drawn, at the least."""


class VectorSource(ABC):
    """Draws points with labels, few of which are shown to the learner.

    A subclass gives `sample` and `label_rate`; the rest follows.
    """

    label_rate: float
    """The share of points whose label is shown, from 0 to 1."""

    @abstractmethod
    def sample(self, times: Ints, rng: np.random.Generator) -> tuple[Floats, Any]:
        """Draw one point for each of `times`.

        Parameters
        ----------
        times
            The moment of each point, as a whole number; the first point of a stream is at 0.
        rng
            Draws the points.

        Returns
        -------
        points, labels
            The points, one per row, and the label of each.
        """

    @final
    def at(self, time: int, n: int, seed: int = 0) -> tuple[Floats, Any]:
        """A test set: points with labels as they are at one moment.

        Parameters
        ----------
        time
            The moment, counted in points of the stream from 0.
        n
            How many points, at least 0.
        seed
            Draws the points, which differ from those of a stream with the same seed. Default 0.

        Returns
        -------
        points, labels
            The points, one per row, and the label of each.
        """
        times = np.full(_points(n, "n"), count(time, "time"))
        return self.sample(times, np.random.default_rng([seed_of(seed), 2]))

    @final
    def stream(self, trials: int, seed: int = 0) -> Stream:
        """A finite stream for `play`: every label is known to the trace, and a few are shown to the learner.

        Parameters
        ----------
        trials
            How many points, at least 0.
        seed
            Draws the points and the labels that are shown. Default 0.
        """
        seed, times = seed_of(seed), np.arange(_points(trials, "trials"))
        points, labels = self.sample(times, np.random.default_rng([seed, 0]))
        shown = np.random.default_rng([seed, 1]).random(len(points)) < self.label_rate
        return Stream(points, labels, revealed=shown)

    @final
    def endless(self, seed: int = 0) -> Iterator[tuple[Floats, Any]]:
        """A stream (point, label or None) without an end, for `follow`.

        Parameters
        ----------
        seed
            Draws the points and the labels that are shown. Default 0.
        """
        return self._endless(seed_of(seed))

    def _endless(self, seed: int) -> Iterator[tuple[Floats, Any]]:
        coins = np.random.default_rng([seed, 1])
        for points, labels in self._batches(np.random.default_rng([seed, 0])):
            for x, y, coin in zip(points, labels, coins.random(len(points)), strict=True):
                yield x, (y.item() if isinstance(y, np.generic) else y) if coin < self.label_rate else None

    def _batches(self, rng: np.random.Generator) -> Iterator[tuple[Floats, Any]]:
        """An endless stream in batches."""
        for start in itertools.count(0, BATCH):
            yield self.sample(np.arange(start, start + BATCH), rng)

    def __repr__(self) -> str:
        return represent(self)


@final
class Spirals(VectorSource):
    """Two arms of a spiral, labelled -1 and +1: paper 003's toy data, and its drifting form.

    Points are spread evenly along the arms, which lie half a turn apart and run out to radius 1.

    Parameters
    ----------
    turns
        How often an arm winds round per unit of radius, above 0. Default 1.5.
    inner
        The radius at which the arms begin, from 0 to 1. Default 0.12.
    noise
        The standard deviation of the noise on each coordinate, at least 0. Default 0.02.
    period
        After how many points the whole picture has turned once, above 0. None (default) for a picture at rest.
    label_rate
        The share of points whose label is shown, from 0 to 1. Default 0.02.

    Examples
    --------
    >>> points, labels = Spirals(noise=0.0).sample(np.arange(4), np.random.default_rng(0))
    >>> np.hypot(*points.T).round(2)
    array([0.9 , 0.96, 0.78, 0.86])
    >>> Spirals(period=4000).stream(1000)
    Stream(1000 trials, ... labels)
    """

    def __init__(
        self,
        *,
        turns: float = 1.5,
        inner: float = 0.12,
        noise: float = 0.02,
        period: float | None = None,
        label_rate: float = 0.02,
    ) -> None:
        self.turns = positive(turns, "turns")
        self.inner = fraction(inner, "inner")
        self.noise = non_negative(noise, "noise")
        self.period = None if period is None else positive(period, "period")
        self.label_rate = fraction(label_rate, "label_rate")

    def sample(self, times: Ints, rng: np.random.Generator) -> tuple[Floats, Any]:
        n = len(times)
        labels = np.where(rng.random(n) < 0.5, 1, -1)
        radius = np.sqrt(self.inner**2 + (1 - self.inner**2) * rng.random(n))
        angle = 2 * np.pi * self.turns * radius + np.where(labels > 0, 0.0, np.pi)
        if self.period is not None:
            angle = angle + 2 * np.pi * times / self.period
        points = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
        return points + self.noise * rng.standard_normal((n, 2)), labels


@final
class SwissRoll(VectorSource):
    """A rolled-up sheet in three dimensions, cut into stripes along the roll: labels 0 .. stripes - 1.

    Parameters
    ----------
    stripes
        The number of stripes, and so of classes, at least 2. Default 2.
    noise
        The standard deviation of the noise on each coordinate, at least 0. Default 0.05.
    label_rate
        The share of points whose label is shown, from 0 to 1. Default 0.02.

    Examples
    --------
    >>> points, labels = SwissRoll().sample(np.arange(5), np.random.default_rng(0))
    >>> points.shape, sorted(set(labels.tolist()))
    ((5, 3), [0, 1])
    """

    def __init__(self, *, stripes: int = 2, noise: float = 0.05, label_rate: float = 0.02) -> None:
        self.stripes = count(stripes, "stripes", least=2)
        self.noise = non_negative(noise, "noise")
        self.label_rate = fraction(label_rate, "label_rate")

    def sample(self, times: Ints, rng: np.random.Generator) -> tuple[Floats, Any]:
        n = len(times)
        along = rng.random(n)
        angle = 1.5 * np.pi * (1 + 2 * along)
        height = 21 * rng.random(n)
        points = np.column_stack([angle * np.cos(angle), height, angle * np.sin(angle)])
        labels = np.minimum((along * self.stripes).astype(np.int64), self.stripes - 1)
        return points + self.noise * rng.standard_normal((n, 3)), labels


def _points(value: Any, name: str) -> int:
    """How many points are drawn, if there is room for them."""
    number = count(value, name)
    room(POINT * number, f"a stream of {number} points")
    return number
