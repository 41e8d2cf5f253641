"""The record of a game."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np

from ohmline.arrays import Bools, Floats, Ints
from ohmline.checks import shown
from ohmline.errors import ParameterError
from ohmline.extras import require
from ohmline.game.loop import Log
from ohmline.game.measures import Confusion, Measures, in_order, measures_of
from ohmline.game.stream import Stream
from ohmline.graph.graph import Graph
from ohmline.lazy_names import later
from ohmline.markup import box, counted, facts


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

    def measures(self, k: int | None = None) -> Measures:
        """How good the predictions were, over all and class by class, by what was said before the label came.

        The score of a class is the margin towards it. With more than two classes a trace holds only the gap between
        the two best scores: then what was given to another class is ranked after what was given to this one, all of
        it alike, and `ranked` of the measures is False.

        Parameters
        ----------
        k
            How many of the surest trials of each class `precision_at_k` looks at, at least 1. None (default) looks at
            as many as the class has trials.

        Examples
        --------
        >>> import ohmline as ohm
        >>> line = ohm.Graph.from_edges([(k, k + 1) for k in range(9)])
        >>> learner = ohm.Perceptron(ohm.LaplacianKernel(line) + ohm.Constant(1.0))
        >>> print(ohm.play(learner, ohm.Stream(range(10), [1] * 7 + [-1] * 3)).measures())
        10 predictions, 2 mistakes: accuracy 0.800, balanced 0.762
        class  trials  mistakes  recall  precision  average precision  precision at k
        -1          3         1   0.667      0.667              0.810   0.667 (k = 3)
        1           7         1   0.857      0.857              0.909   0.857 (k = 7)
        """
        sure, said = np.abs(self.margin), self.predictions
        classes = in_order({y for y in (*self.stream.classes, *said) if y is not None})
        number = {label: code for code, label in enumerate(classes)}
        codes = np.array([-1 if p is None else number[p] for p in said], dtype=np.int64)
        ranked = len(classes) <= 2
        otherwise = np.where(codes < 0, 0.0, -sure) if ranked else np.full(len(self), -1.0)
        scores = {label: np.where(codes == code, sure, otherwise) for label, code in number.items()}
        return measures_of(self.labels, said, scores, ranked=ranked, k=k)

    def per_class(self, k: int | None = None) -> dict[Any, dict[str, float]]:
        """The measures of each label that came up, by name.

        How often it came up and was missed (`trials`, `mistakes`), its `recall` and `precision`, and where its trials
        come when all are ordered by its score: `average_precision`, and `precision_at_k` with its `k`.

        Parameters
        ----------
        k
            As for `measures`.
        """
        return self.measures(k).per_class

    def confusion(self) -> Confusion:
        """What was predicted against what is true: one row per label, one column per prediction.

        Examples
        --------
        >>> import ohmline as ohm
        >>> line = ohm.Graph.from_edges([(k, k + 1) for k in range(5)])
        >>> print(ohm.play(ohm.LocalLGC(line), ohm.Stream(range(6), "aaabbb")).confusion())
        true \\ predicted  a  b  don't know
        a                 2  0           1
        b                 1  2           0
        """
        return self.measures().confusion

    def plot(self, certificate: Any = None, *, axes: Any = None) -> Any:
        """Draw the mistakes trial by trial, and the labels asked where not all were (needs the extra `plot`).

        Parameters
        ----------
        certificate
            A certificate of this game, such as `ohmline.bound.best_bound(trace)`, drawn as a line that the mistakes
            stay under. None (default) draws no line.
        axes
            Matplotlib axes to draw the mistakes on; None (default) makes a figure.

        Returns
        -------
        matplotlib.figure.Figure
            The picture, which a notebook shows; `.savefig(path)` writes it.
        """
        return later("ohmline.lab.pictures", "plot_trace")(self, certificate, axes=axes)

    def report(
        self,
        path: str | PathLike[str] | None = None,
        *,
        title: str | None = None,
        graph: Graph | None = None,
        seed: int = 0,
    ) -> Any:
        """The report that `ohmline play` writes: figures, curves, the graph, each class, what was certified.

        Parameters
        ----------
        path
            Where to write it as one HTML file, which may replace a report of Ohmline's and nothing else. None
            (default) writes nothing.
        title
            Its title; None (default) names the learner.
        graph
            The graph to draw; None (default) takes the learner's, and draws none where it learns from vectors.
        seed
            The seed of the picture's layout. Default 0.

        Returns
        -------
        Report
            The page: `html` holds it, `save(path)` writes it, and a notebook shows it.
        """
        return later("ohmline.lab.report", "report_of")(self, path, title=title, graph=graph, seed=seed)

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

    def _repr_html_(self) -> str:
        judged = int(self.known.sum())
        unsure = int(np.isin(self.log.prediction, [k for k, y in self.meaning.items() if y is None]).sum())
        shown: list[tuple[str, Any]] = [
            ("learner", type(self.learner).__name__),
            ("trials", len(self)),
            (
                "mistakes",
                f"{self.mistakes:,} ({100 * self.error_rate:.1f} % of {counted(judged, 'known label')})",
            ),
            ("labels asked", self.asked),
        ]
        if unsure:
            shown.append(("don't know", unsure))
        return box("Trace", facts([*shown, ("seconds", f"{self.seconds:.3g}")]))


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _locked(array: Any) -> Any:
    """The same numbers, which nobody can change through this array."""
    seen = array.view()
    seen.flags.writeable = False
    return seen
