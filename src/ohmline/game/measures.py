"""How good predictions were: over all, class by class, and as a table of what was said against what is true."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any, Protocol

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.checks import count, listed, none_or, shown
from ohmline.errors import ParameterError, ShapeError, UnknownNode
from ohmline.extras import require
from ohmline.game.ranking import average_precision, precision_at
from ohmline.graph.doors.indexed import index_ids
from ohmline.graph.labels import labels_of
from ohmline.learn.labels import plain_label
from ohmline.markup import box, clipped, counted, table, words

DONT_KNOW = "don't know"
"""How a prediction of None is shown."""


@dataclass(frozen=True, eq=False, repr=False)
class Confusion:
    """What was predicted against what is true: one row per true class, one column per predicted one.

    Attributes
    ----------
    classes
        The classes of the rows, and of all columns but the last.
    counts
        How often each pair occurred; the last column counts "don't know".
    """

    classes: tuple[Any, ...]
    counts: Ints

    def to_frame(self) -> Any:
        """The table as a polars data frame, with the true class in its first column (needs the extra `io`)."""
        polars = require("polars", "io")
        columns = dict(zip(self._heads(), self.counts.T, strict=True))
        return polars.DataFrame({"true \\ predicted": [str(label) for label in self.classes], **columns})

    def _heads(self) -> list[str]:
        """A name for each column; a class that is called like the last one is told apart from it."""
        names = [str(label) for label in self.classes]
        last = DONT_KNOW
        while last in names:
            last += " "
        return [*names, last]

    def __repr__(self) -> str:
        heads = ["true \\ predicted", *self._heads()]
        rows = [
            [str(y), *(f"{k:,}" for k in row)]
            for y, row in zip(self.classes, self.counts.tolist(), strict=True)
        ]
        widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
        return "\n".join(
            "  ".join(
                [row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]
            )
            for row in [heads, *rows]
        )

    def _repr_html_(self) -> str:
        rows = [
            (f"<b>{clipped(y)}</b>", *(f"<b>{v:,}</b>" if j == i else f"{v:,}" for j, v in enumerate(row)))
            for i, (y, row) in enumerate(zip(self.classes, self.counts.tolist(), strict=True))
        ]
        heads = ["true \\ predicted", *self._heads()]
        return box("Confusion", table(heads, rows, numbers=frozenset(range(1, len(heads)))))


@dataclass(frozen=True, eq=False, repr=False)
class Measures:
    """How good predictions were, counted over everything whose label is known.

    Accuracy says little where a class is rare: look at its recall (how many of its members were found), its precision
    (how many that were called so are members) and its average precision (how early its members come when everything
    is ordered by its score).

    Attributes
    ----------
    confusion
        What was predicted against what is true.
    per_class
        For each class that occurs: how often it came up and was missed (`trials`, `mistakes`), its `recall` and
        `precision`, its `average_precision`, and its `precision_at_k` with that `k`.
    ranked
        Whether the scores order everything for every class. Where they do not (a trace of more than two classes holds
        the gap of the two best scores and no others), what was given to another class comes after what was given to
        this one, all of it alike.
    """

    confusion: Confusion
    per_class: dict[Any, dict[str, float]]
    ranked: bool = True

    @cached_property
    def judged(self) -> int:
        """How many predictions could be judged."""
        return int(self.confusion.counts.sum())

    @cached_property
    def mistakes(self) -> int:
        """How many of them were wrong; "don't know" is wrong too."""
        return self.judged - int(np.trace(self.confusion.counts))

    @property
    def unsure(self) -> int:
        """How many of them were "don't know"."""
        return int(self.confusion.counts[:, -1].sum())

    @property
    def accuracy(self) -> float:
        """The share that was right; 0 where nothing could be judged."""
        return 1 - self.mistakes / self.judged if self.judged else 0.0

    @property
    def balanced_accuracy(self) -> float:
        """The mean recall of the classes, in which a rare class counts as much as a frequent one."""
        return self._mean("recall")

    @property
    def mean_average_precision(self) -> float:
        """The mean of the classes' average precisions."""
        return self._mean("average_precision")

    def _mean(self, name: str) -> float:
        found = [row[name] for row in self.per_class.values()]
        return sum(found) / len(found) if found else 0.0

    def __repr__(self) -> str:
        heads = ["class", "trials", "mistakes", "recall", "precision", "average precision", "precision at k"]
        rows = [heads, *([str(y), *cells(row)] for y, row in self.per_class.items())]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(
                [row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]
            )
            for row in rows
        ]
        return "\n".join([self._said(), *lines])

    def _said(self) -> str:
        judged, wrong = counted(self.judged, "prediction"), counted(self.mistakes, "mistake")
        unsure = f', {self.unsure:,} of them "don\'t know"' if self.unsure else ""
        return (
            f"{judged}, {wrong}{unsure}: accuracy {self.accuracy:.3f}, balanced {self.balanced_accuracy:.3f}"
        )

    def _repr_html_(self) -> str:
        heads = ("class", "trials", "mistakes", "recall", "precision", "average precision", "precision at k")
        rows = [(f"<b>{clipped(y)}</b>", *cells(row)) for y, row in self.per_class.items()]
        return box("Measures", words(self._said()), table(heads, rows, numbers=frozenset(range(1, 7))))


def cells(row: Mapping[str, float]) -> tuple[str, ...]:
    """The measures of a class as they are shown, after its name."""
    return (
        f"{row['trials']:,.0f}",
        f"{row['mistakes']:,.0f}",
        f"{row['recall']:.3f}",
        f"{row['precision']:.3f}",
        f"{row['average_precision']:.3f}",
        f"{row['precision_at_k']:.3f} (k = {row['k']:,.0f})",
    )


class Scored(Protocol):
    """A table of predictions with a probability for each class: what `predict_many` gives."""

    @property
    def nodes(self) -> Sequence[Hashable]:
        """The nodes, in order."""

    @property
    def classes(self) -> Sequence[Any]:
        """The classes of the columns of `probabilities`."""

    @property
    def predictions(self) -> Sequence[Any]:
        """What was predicted for each node; None for "don't know"."""

    @property
    def probabilities(self) -> Floats:
        """One row per node, one column per class."""


def measure(
    predictions: Scored | Mapping[Hashable, Any],
    labels: Any,
    *,
    k: int | None = None,
) -> Measures:
    """How good predictions are against labels that the learner has not seen.

    Leave out the labels that it learned from: it gets most of those right, and the rest would look better than it is.

    Parameters
    ----------
    predictions
        What `predict_many` gave, or a mapping from nodes to predictions. A mapping has no scores: everything that was
        called by a class is then ranked alike, and before all the rest.
    labels
        The true labels: a mapping from nodes, which may name some of them only, or whatever else
        `ohmline.graph.labels_of` takes (a frame, a pandas Series with the nodes as its index, the name of a file); or
        one label per prediction in their order. None where a label is not known.
    k
        How many of the surest predictions of each class `precision_at_k` looks at, at least 1. None (default) looks at
        as many as the class has members.

    Examples
    --------
    >>> found = measure({"ann": "spam", "bob": "ham", "cyd": "ham"}, {"ann": "spam", "cyd": "spam"})
    >>> found.accuracy, found.per_class["spam"]["recall"]
    (0.5, 0.5)
    """
    if isinstance(predictions, Mapping):
        nodes, said = list(predictions), [plain_label(p) for p in predictions.values()]
        classes = {p for p in said if p is not None}
        scores = {label: np.array([float(p == label) for p in said]) for label in classes}
    else:
        try:
            nodes, said = list(predictions.nodes), list(predictions.predictions)
            columns = zip(predictions.classes, np.asarray(predictions.probabilities).T, strict=True)
            # "Don't know" has no probabilities, and comes last.
            scores = {label: np.nan_to_num(column.astype(np.float64), nan=-1.0) for label, column in columns}
        except AttributeError:
            raise ParameterError(
                f"predictions must be what predict_many gave, or a mapping from nodes to predictions, got "
                f"{shown(predictions)}"
            ) from None
    frames = hasattr(labels, "columns") or hasattr(labels, "column_names")
    if isinstance(labels, str | PathLike) or frames or index_ids(labels) is not None:
        labels = labels_of(labels)
    truth = _truth(nodes, labels)
    return measures_of(truth, said, scores, ranked=not isinstance(predictions, Mapping), k=k)


def _truth(nodes: list[Hashable], labels: Mapping[Hashable, Any] | Iterable[Any]) -> list[Any]:
    """The label of each node; None where it is not known."""
    if isinstance(labels, Mapping):
        known = {node: plain_label(y) for node, y in labels.items()}
        strange = next((node for node in known.keys() - set(nodes)), None)
        if strange is not None:
            raise UnknownNode(
                f"there is a label for node {shown(strange)} and no prediction; predict it, or leave it out"
            )
        return [known.get(node) for node in nodes]
    given = [plain_label(y) for y in listed(labels, "labels")]
    if len(given) != len(nodes):
        raise ShapeError(
            f"labels must have one entry for each of the {len(nodes):,} predictions, got {len(given):,}; use None for "
            "a label that is not known, or give a mapping from nodes"
        )
    return given


def measures_of(
    truth: Sequence[Any], said: Sequence[Any], scores: Mapping[Any, Floats], *, ranked: bool, k: int | None
) -> Measures:
    """The measures of predictions.

    Parameters
    ----------
    truth
        The label of each thing; None where it is not known, and then the thing is left out.
    said
        What was predicted for each; None for "don't know".
    scores
        For a class one score per thing, higher for those that should belong to it. A class that is missing here has
        the same score everywhere.
    ranked
        Whether the scores order everything.
    k
        How many things `precision_at_k` looks at; None for as many as the class has members.
    """
    k = none_or(count, k, "k", least=1)
    known = np.array([y is not None for y in truth], dtype=bool)
    seen = in_order({y for y in (*truth, *said) if y is not None})
    code = {label: number for number, label in enumerate(seen)}
    rows = np.array([code.get(y, -1) for y in truth], dtype=np.int64)[known]
    columns = np.array([code.get(y, len(seen)) for y in said], dtype=np.int64)[known]
    counts = np.zeros((len(seen), len(seen) + 1), dtype=np.int64)
    np.add.at(counts, (rows, columns), 1)
    per_class: dict[Any, dict[str, float]] = {}
    for label, number in code.items():
        trials, hits = int(counts[number].sum()), int(counts[number, number])
        if not trials:
            continue
        member = rows == number
        score = scores[label][known] if label in scores else np.zeros(len(rows))
        per_class[label] = {
            "trials": trials,
            "mistakes": trials - hits,
            "recall": hits / trials,
            "precision": hits / max(int(counts[:, number].sum()), 1),
            "average_precision": average_precision(member, score),
            "precision_at_k": precision_at(member, score, k or trials),
            "k": min(k or trials, len(rows)),
        }
    return Measures(Confusion(seen, counts), per_class, ranked)


def in_order(classes: Iterable[Hashable]) -> tuple[Any, ...]:
    """Classes in an order that people expect: numbers by size, then names, then the rest as it is written.

    >>> in_order({"b", 10, 9, "a", (1, 2)})
    (9, 10, 'a', 'b', (1, 2))
    """

    def key(label: Any) -> tuple[int, float, str]:
        if isinstance(label, int | float) and abs(label) < 1e300:
            return 0, label, ""
        return (1, 0.0, label) if isinstance(label, str) else (2, 0.0, shown(label, 1000))

    return tuple(sorted(classes, key=key))
