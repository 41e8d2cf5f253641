"""When a game ends, other than at the end of its stream."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from ohmline.checks import count, number, positive, shown
from ohmline.errors import ParameterError
from ohmline.game.trace import Trace


@final
@dataclass(frozen=True, slots=True)
class Until:
    """A game ends as soon as one of these limits is reached.

    Whichever comes first counts; without any, a game goes on to the end of its stream.

    Parameters
    ----------
    trials
        So many trials were played; None (default) for no limit.
    labels
        So many labels were given; None (default) for no limit.
    seconds
        So much time has passed; None (default) for no limit.

    Examples
    --------
    >>> import itertools
    >>> import ohmline as ohm
    >>> ring = ohm.Graph.from_edges([(k, (k + 1) % 6) for k in range(6)])
    >>> endless = itertools.cycle([(0, "a"), (3, "b"), (1, None)])
    >>> ohm.play(ohm.LocalLGC(ring), endless, until=ohm.Until(trials=9))
    Trace(9 trials, 2 mistakes, 6 labels asked)
    """

    trials: int | None = None
    labels: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.trials is not None:
            count(self.trials, "trials of Until")
        if self.labels is not None:
            count(self.labels, "labels of Until")
        if self.seconds is not None:
            positive(self.seconds, "seconds of Until")

    @property
    def most_trials(self) -> int:
        """The largest number of trials."""
        return sys.maxsize if self.trials is None else self.trials

    @property
    def most_labels(self) -> int:
        """The largest number of labels."""
        return sys.maxsize if self.labels is None else self.labels

    def reached(self, trials: int, labels: int, seconds: float) -> bool:
        """Whether a game that has come so far ends.

        Parameters
        ----------
        trials, labels, seconds
            What was played, given and spent so far.
        """
        late = self.seconds is not None and number(seconds, "seconds") >= self.seconds
        trials, labels = count(trials, "trials"), count(labels, "labels")
        return trials >= self.most_trials or labels >= self.most_labels or late


Ending = Until | Callable[[Trace], bool]
"""Limits, or a predicate of the trace so far."""


def limits_of(until: Ending | None) -> tuple[Until, Callable[[Trace], bool] | None]:
    """The limits and the predicate that `until` stands for."""
    if until is None:
        return Until(), None
    if isinstance(until, Until):
        return until, None
    if callable(until) and not isinstance(until, type):
        return Until(), until
    raise ParameterError(
        f"until must be Until(trials=, labels=, seconds=) or a function of the trace so far, got {shown(until)}"
    )
