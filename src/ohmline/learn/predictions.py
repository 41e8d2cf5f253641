"""Predictions for many nodes at once, as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from ohmline.arrays import Bools, Floats, Ints, read_only
from ohmline.checks import hashable
from ohmline.errors import UnknownNode
from ohmline.extras import require
from ohmline.learn.table import plain_columns, write_arrow, write_csv, write_frame, write_parquet
from ohmline.markup import box, clipped, counted, some, table, words
from ohmline.sql import write_table

SHOWN = 8
"""How many rows a notebook shows."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """One row of `Predictions`.

    Attributes
    ----------
    node
        The node.
    prediction
        Its predicted class; None for "don't know".
    probability
        The probability of that class; 0 for "don't know".
    margin
        Binary: the signed margin. Many classes: the gap of the two best scores.
    certain
        Whether the class is proven to be that of the exact solution.
    """

    node: Hashable
    prediction: Any
    probability: float
    margin: float
    certain: bool


@dataclass(frozen=True, eq=False)
class Predictions(Sequence[Prediction]):
    """What a learner says of many nodes: a table with one row for each.

    Iterating gives rows; `table[k]` is the row at place k, and `table.of(node)` the row of a node.

    Attributes
    ----------
    nodes
        The nodes, or the numbers 0, 1, 2, ... of the points that were given.
    classes
        The classes: the columns of `probabilities`.
    codes
        For each node the column of the predicted class; -1 for "don't know".
    probabilities
        One row for each node, one column for each class; NaN in the rows of "don't know".
    margins
        Binary: the signed margin, 0 for a tie. Many classes: the gap of the two best scores.
    proof
        Makes `certain`.
    calibrated
        Whether the probabilities were fitted to the labels. Otherwise they order the classes of a node, and nodes by
        how sure the learner is, and no more: do not read them as frequencies. False wherever fewer than two classes are
        known: the probability of the only one is 1, which no label has put to the test.
    labels
        The label that each node was given, None for none; None for a learner that does not remember. A prediction is
        what the graph says of the node, its own label included, and may differ from it.
    """

    nodes: Sequence[Hashable]
    classes: tuple[Any, ...]
    codes: Ints
    probabilities: Floats
    margins: Floats
    proof: Callable[[], Bools] = field(repr=False)
    calibrated: bool = False
    labels: Sequence[Any] | None = None

    def __post_init__(self) -> None:
        for array in (self.codes, self.probabilities, self.margins):
            array.flags.writeable = False
        if len(self.classes) < 2:
            object.__setattr__(self, "calibrated", False)

    @cached_property
    def certain(self) -> Bools:
        """Where the predicted class is proven to be that of the learner's exact solution.

        What a truncated solve left out cannot change it. That is about the solve, and not about the truth: where only
        one class is known it is certain, because nothing else can be said. Learners that leave nothing out are certain
        wherever there is no tie. The proof is made when it is asked for, about the learner as it was when it predicted.
        """
        return read_only(self.proof())

    def __getstate__(self) -> dict[str, Any]:  # a proof cannot travel, its result can
        proven = self.certain
        return {**vars(self), "proof": partial(np.copy, proven)}

    @cached_property
    def predictions(self) -> list[Any]:
        """The predicted class of each node; None for "don't know"."""
        return [None if code < 0 else self.classes[code] for code in self.codes.tolist()]

    @cached_property
    def known(self) -> Bools:
        """Where there is a prediction: False for "don't know"."""
        return read_only(self.codes >= 0)

    @cached_property
    def confidence(self) -> Floats:
        """The probability of the predicted class; 0 for "don't know"."""
        chosen = np.zeros(len(self.codes))
        rows = np.flatnonzero(self.codes >= 0)
        chosen[rows] = self.probabilities[rows, self.codes[rows]]
        return read_only(chosen)

    @property
    def counts(self) -> dict[Any, int]:
        """How many nodes are predicted to be of each class, in the order of `classes`; "don't know" is not counted."""
        found = Counter(self.predictions)
        return {label: found[label] for label in self.classes}

    def to_dict(self) -> dict[Hashable, Any]:
        """The predicted class by node, without those that are "don't know"."""
        return {
            node: said for node, said in zip(self.nodes, self.predictions, strict=True) if said is not None
        }

    def of(self, node: Hashable) -> Prediction:
        """The row of a node.

        Parameters
        ----------
        node
            One of `nodes`.
        """
        place = self._places.get(hashable(node, "node", UnknownNode))
        if place is None:
            raise UnknownNode(
                f"node {node!r} is not among these {len(self)} predictions; predict_many([node]) asks for it"
            )
        return self[place]

    def columns(self) -> dict[str, Any]:
        """The table by columns, as every file and frame of it has them.

        `node`, its `label` where the learner remembers, `prediction` (None for "don't know"), `probability` of the
        predicted class, `margin`, `known`, `certain`, and for each class `p(class)`.
        """
        written = [str(label) for label in self.classes]
        if len(set(written)) < len(written):  # the classes 1 and "1", say
            written = [repr(label) for label in self.classes]
        return {
            "node": self.nodes,
            **({} if self.labels is None else {"label": self.labels}),
            "prediction": self.predictions,
            "probability": np.where(self.known, self.confidence, np.nan),
            "margin": self.margins,
            "known": self.known,
            "certain": self.certain,
            **{f"p({name})": self.probabilities[:, k] for k, name in enumerate(written)},
        }

    def to_frame(self) -> Any:
        """The table as a polars data frame (needs the extra `io`)."""
        return write_frame(self.columns())

    def to_pandas(self) -> Any:
        """The table as a pandas data frame (needs the extra `io`)."""
        pandas = require("pandas", "io")
        return pandas.DataFrame({name: list(column) for name, column in self.columns().items()})

    def to_csv(self, path: str | Path) -> None:
        """Write the table to a CSV file, whole or not at all; an older file of that name is replaced.

        "Don't know" is an empty cell, and so are its probabilities.

        Parameters
        ----------
        path
            The file; with the ending `.gz` it is compressed.
        """
        write_csv(self.columns(), path)

    def to_parquet(self, path: str | Path) -> None:
        """Write the table to a Parquet file, whole or not at all (needs the extra `io`).

        Parameters
        ----------
        path
            The file; an older one of that name is replaced.
        """
        write_parquet(self.columns(), path)

    def to_arrow(self) -> Any:
        """The table as a pyarrow Table (needs the extra `io`)."""
        return write_arrow(self.columns())

    def to_sql(self, connection: Any, table: str, *, if_exists: str = "fail") -> int:
        """Write the table to a database in one transaction: all rows are there afterwards, or none.

        Parameters
        ----------
        connection
            An open connection of DB-API 2 (sqlite3, psycopg, DuckDB, ...) or ADBC.
        table
            The name of the table.
        if_exists
            `"fail"` (default), `"replace"` or `"append"`: what becomes of a table that is there already.

        Returns
        -------
        int
            How many rows were written.
        """
        return write_table(connection, table, plain_columns(self.columns()), if_exists=if_exists)

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[k] for k in range(*place.indices(len(self)))]
        k = range(len(self))[place]
        return Prediction(
            self.nodes[k],
            self.predictions[k],
            float(self.confidence[k]),
            float(self.margins[k]),
            bool(self.certain[k]),
        )

    def __iter__(self) -> Iterator[Prediction]:
        return (self[k] for k in range(len(self)))

    def __repr__(self) -> str:
        unknown = len(self) - int(self.known.sum())
        said = ", ".join(f"{label} {count:,}" for label, count in list(self.counts.items())[:8])
        more = ", ..." if len(self.classes) > 8 else ""
        blank = f"; {unknown:,} don't know" if unknown else ""
        return f"Predictions({counted(len(self), 'node')}: {said or 'no classes'}{more}{blank})"

    def _repr_html_(self) -> str:
        rows = [
            (
                clipped(row.node),
                "don't know" if row.prediction is None else clipped(row.prediction),
                f"{row.probability:.3f}" if row.prediction is not None else "",
                f"{row.margin:.3g}",
                "yes" if row.certain else "no",
            )
            for row in self[:SHOWN]
        ]
        head = ("node", "prediction", "probability", "margin", "certain")
        unknown = len(self) - int(self.known.sum())
        counts = some([f"{label} {count:,}" for label, count in self.counts.items()])
        said = f"{counted(len(self), 'node')}: {counts}" + (f"; {unknown:,} don't know" if unknown else "")
        more = words(f"and {len(self) - SHOWN:,} more; to_frame() has all") if len(self) > SHOWN else ""
        if len(self.classes) == 1:
            doubt = words("Only one class is known, so every node is predicted as it.")
        elif self.calibrated:
            doubt = ""
        else:
            doubt = words("The probabilities order nodes and classes; they are no frequencies.")
        return box("Predictions", words(said), table(head, rows, numbers=frozenset({2, 3})), more, doubt)

    @cached_property
    def _places(self) -> dict[Hashable, int]:
        return {node: k for k, node in enumerate(self.nodes)}
