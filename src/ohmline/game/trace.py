"""The record of a game."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ohmline.arrays import Bools, Floats, Ints
from ohmline.checks import shown
from ohmline.errors import ParameterError
from ohmline.extras import require
from ohmline.game.loop import Log
from ohmline.game.stream import Stream


@dataclass(frozen=True, eq=False)
class Trace:
    """The record of a game: what happened in each trial, and the learner as it came out.

    `mistake` is the user's word: the prediction was not the label, whether or not the label
    was asked for. `charged` is the theorems' word for the same trial: wrong, *or* at a zero
    margin, where +1 was said by convention.

    Attributes
    ----------
    learner
        The learner, as it is after the game.
    stream
        What came up, with all the labels it held, also those that nobody asked for.
    meaning
        The label that each prediction code of `log` stands for.
    log
        What the game wrote down, one entry per trial; the properties of the trace read it.
    seconds
        How long the game took. Default 0.
    selected
        How many trials at the start were chosen by a pool query: the set A of paper 000, Theorem 5.1. Default 0.
    """

    learner: Any = field(repr=False)
    stream: Stream = field(repr=False)
    meaning: dict[int, Any] = field(repr=False)
    log: Log = field(repr=False)
    seconds: float = 0.0
    selected: int = 0

    def __len__(self) -> int:
        return len(self.stream)

    @property
    def nodes(self) -> Any:
        """The node of every trial, or its point as one row."""
        return self.stream.nodes

    @cached_property
    def labels(self) -> list[Any]:
        """The label of every trial; None where nobody knows it."""
        return self.stream.labels

    @cached_property
    def predictions(self) -> list[Any]:
        """The prediction of every trial; None for "don't know"."""
        return [self.meaning[code] for code in self.log.prediction.tolist()]

    @property
    def margin(self) -> Floats:
        """The margin of every prediction, 0 for a tie."""
        return _locked(self.log.margin)

    @property
    def variance(self) -> Floats:
        """The learner's own uncertainty; NaN where it keeps none, or where the query did not need it."""
        return _locked(self.log.variance)

    @property
    def asked_at(self) -> Bools:
        """Where the label was asked for and given."""
        return _locked(self.log.asked)

    @property
    def updated(self) -> Bools:
        """Where the hypothesis moved."""
        return _locked(self.log.updated)

    @property
    def progress(self) -> Floats:
        """The squared length of the hypothesis's move in every trial; 0 where it stayed."""
        return _locked(self.log.progress)

    @property
    def known(self) -> Bools:
        """Where the label is known, so that the trial can be judged."""
        return self.stream.codes >= 0

    @cached_property
    def mistake(self) -> Bools:
        """Where the prediction was not the label."""
        class_of = {label: code for code, label in enumerate(self.stream.classes)}
        low = min(self.meaning, default=0)
        translate = np.full(max(self.meaning, default=0) - low + 1, -2, dtype=np.int64)
        for code, label in self.meaning.items():
            translate[code - low] = class_of.get(label, -2)
        return _locked((translate[self.log.prediction - low] != self.stream.codes) & self.known)

    @cached_property
    def charged(self) -> Bools:
        """Where a theorem counts a mistake: a wrong prediction, or a tie."""
        return _locked((self.mistake | (self.margin == 0)) & self.known)

    @property
    def mistakes(self) -> int:
        """The number of wrong predictions."""
        return int(self.mistake.sum())

    @property
    def asked(self) -> int:
        """The number of labels that were asked for and given."""
        return int(self.asked_at.sum())

    @property
    def error_rate(self) -> float:
        """The share of wrong predictions among the trials whose label is known."""
        judged = int(self.known.sum())
        return self.mistakes / judged if judged else 0.0

    @property
    def mistake_curve(self) -> Ints:
        """The number of mistakes up to and including each trial."""
        return np.cumsum(self.mistake)

    def future_mistakes(self, t: int) -> int:
        """The number of mistakes after the first trials: C_fe(t) of paper 000.

        Parameters
        ----------
        t
            How many trials to leave out at the start, from 0 to the length of the trace.
        """
        t = self._played(t)
        return int(self.mistake[t:].sum())

    def first(self, t: int) -> Trace:
        """The trace of the first trials alone; its learner is still the one that came out at the end.

        Parameters
        ----------
        t
            How many trials, from 0 to the length of the trace.
        """
        t = self._played(t)
        log = self.log.part(slice(t))
        share = t / len(self) if len(self) else 0.0
        return Trace(
            self.learner, self.stream.take(t), self.meaning, log, self.seconds * share, min(self.selected, t)
        )

    def _played(self, t: Any) -> int:
        if isinstance(t, bool) or not isinstance(t, int | np.integer) or not 0 <= t <= len(self):
            raise ParameterError(f"t must lie between 0 and the {len(self)} trials played, got {shown(t)}")
        return int(t)

    def per_class(self) -> dict[Any, dict[str, float]]:
        """For each label how often it came up and was missed (`trials`, `mistakes`), its `recall` and `precision`."""
        table: dict[Any, dict[str, float]] = {}
        for code, y in enumerate(self.stream.classes):
            here = self.stream.codes == code
            called = self.known & np.isin(self.log.prediction, [k for k, v in self.meaning.items() if v == y])
            hits = int((here & called).sum())
            table[y] = {
                "trials": int(here.sum()),
                "mistakes": int(here.sum()) - hits,
                "recall": hits / max(int(here.sum()), 1),
                "precision": hits / max(int(called.sum()), 1),
            }
        return table

    def to_frame(self) -> Any:
        """The trace as a polars data frame with one row per trial (needs the extra `io`)."""
        polars = require("polars", "io")
        return polars.DataFrame(
            {
                "trial": np.arange(1, len(self) + 1),
                "node": [str(x) for x in self.nodes],
                "label": [None if y is None else str(y) for y in self.labels],
                "prediction": [None if p is None else str(p) for p in self.predictions],
                "margin": self.margin,
                "variance": self.variance,
                "asked": self.asked_at,
                "mistake": self.mistake,
                "updated": self.updated,
                "progress": self.progress,
            }
        )

    def __repr__(self) -> str:
        said = _counted(self.mistakes, "mistake"), _counted(self.asked, "label")
        return f"Trace({_counted(len(self), 'trial')}, {said[0]}, {said[1]} asked)"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _locked(array: Any) -> Any:
    """The same numbers, which nobody can change through this array."""
    seen = array.view()
    seen.flags.writeable = False
    return seen
