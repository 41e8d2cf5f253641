"""How much one person may ask for: how often, how much at once, for how long."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from math import ceil
from typing import final

from ohmline.checks import count, number
from ohmline.service.problems import Problem

SMALL, LARGE = 64 * 2**10, 16 * 2**20
"""Bytes of a body: what a question or an answer takes, and what a graph may."""


@final
@dataclass(frozen=True, slots=True)
class Limits:
    """What a server lets one person do.

    Attributes
    ----------
    rate
        Requests per second in the long run. Default 500.
    burst
        Requests at once. Default 1,000.
    seconds
        How long a request may take. Default 30.
    small, large
        The most bytes of a request: of a question or an answer, and of one that brings a graph, labels or a picture.
        Default 64 KiB and 16 MiB.
    nodes
        The most nodes in one request that is answered at once. Default 1,000.
    live
        How many live connections a person may have. Default 8.
    all_live
        How many live connections there may be. Default 512.
    """

    rate: float = 500.0
    burst: int = 1000
    seconds: float = 30.0
    small: int = SMALL
    large: int = LARGE
    nodes: int = 1000
    live: int = 8
    all_live: int = 512

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(field.default, float):
                number(value, field.name, least=0.01, most=1e9)
            else:
                count(value, field.name, least=1)


@final
class Buckets:
    """One bucket of tokens for each person: a request takes one out, and they come back at a steady rate.

    Parameters
    ----------
    limits
        How many, and how fast they come back.
    clock
        Seconds that only grow.
    most
        So many people are remembered; who has been quiet for longest is forgotten first.
    """

    def __init__(
        self, limits: Limits, clock: Callable[[], float] = time.monotonic, most: int = 10_000
    ) -> None:
        self._rate, self._burst, self._clock, self._most = limits.rate, float(limits.burst), clock, most
        self._all: dict[str, tuple[float, float]] = {}

    def take(self, who: str) -> None:
        """Count one request, or refuse it.

        Parameters
        ----------
        who
            The person.
        """
        now = self._clock()
        left, since = self._all.get(who, (self._burst, now))
        left = min(self._burst, left + (now - since) * self._rate)
        if left < 1:
            self._all[who] = (left, now)
            wait = ceil((1 - left) / self._rate)
            raise Problem(
                429,
                "rate",
                f"more than {self._rate:g} requests per second, and {self._burst:g} at once",
                f"wait {wait} s",
                [(b"retry-after", b"%d" % wait)],
            )
        if len(self._all) >= self._most and who not in self._all:
            del self._all[next(iter(self._all))]
        self._all[who] = (left - 1, now)


@final
class LiveConnections:
    """How many live connections everybody has.

    Parameters
    ----------
    limits
        How many there may be.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._by_person: dict[str, int] = {}

    def __len__(self) -> int:
        return sum(self._by_person.values())

    def expect_room(self, who: str) -> None:
        """Refuse one more, where there are enough.

        Parameters
        ----------
        who
            The person.
        """
        mine, most = self._by_person.get(who, 0), self._limits.live
        if mine >= most or len(self) >= self._limits.all_live:
            whose = (
                f"{who} has {mine} live connections, and {most} are allowed"
                if mine >= most
                else "too many are live"
            )
            raise Problem(
                429,
                "live-connections",
                whose,
                "close a page that is open elsewhere",
                [(b"retry-after", b"5")],
            )

    @contextmanager
    def one(self, who: str) -> Iterator[None]:
        """In a `with`: one more of this person.

        Parameters
        ----------
        who
            The person.
        """
        self._by_person[who] = self._by_person.get(who, 0) + 1
        try:
            yield
        finally:
            left = self._by_person[who] - 1
            if left:
                self._by_person[who] = left
            else:
                del self._by_person[who]
