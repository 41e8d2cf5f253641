"""The table that `suggest` gives."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ohmline.learn.table import write_csv, write_frame
from ohmline.markup import box, clipped, counted, table, words


class Suggestion(NamedTuple):
    """One row of `Suggestions`.

    Attributes
    ----------
    node
        The node to label.
    prediction
        What the learner predicts for it; None for "don't know".
    probability
        Of the prediction; 0 for "don't know".
    why
        Why its label is worth asking for, in a sentence.
    """

    node: Hashable
    prediction: Any
    probability: float
    why: str


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Nodes to label next, the most wanted first: a list of the nodes, and a table of why.

    Attributes
    ----------
    rows
        One `Suggestion` for each node.
    """

    rows: tuple[Suggestion, ...]

    @property
    def nodes(self) -> tuple[Hashable, ...]:
        """The nodes, the most wanted first."""
        return tuple(row.node for row in self.rows)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.nodes)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: int) -> Hashable:
        return self.nodes[place]

    def columns(self) -> dict[str, Any]:
        """The table by columns: node, prediction, probability and why."""
        return {name: [getattr(row, name) for row in self.rows] for name in Suggestion._fields}

    def to_frame(self) -> Any:
        """The table as a polars data frame (needs the extra `io`)."""
        return write_frame(self.columns())

    def to_csv(self, path: str | Path) -> None:
        """Write the table to a CSV file, whole or not at all; an older file of that name is replaced.

        Parameters
        ----------
        path
            The file; with the ending `.gz` it is compressed.
        """
        write_csv(self.columns(), path)

    def __repr__(self) -> str:
        lines = [f"Suggestions({counted(len(self), 'node')})"] + [
            f"  {row.node!r}: {row.why}" for row in self.rows[:10]
        ]
        return "\n".join([*lines, "  ..."] if len(self) > 10 else lines)

    def _repr_html_(self) -> str:
        rows = [
            (
                clipped(row.node),
                "don't know" if row.prediction is None else clipped(row.prediction),
                "" if row.probability != row.probability else f"{row.probability:.3f}",
                clipped(row.why, 400),
            )
            for row in self.rows[:20]
        ]
        more = words(f"and {len(self) - 20:,} more; to_frame() has all") if len(self) > 20 else ""
        head = ("node", "prediction", "probability", "why")
        return box("Suggestions", table(head, rows, numbers=frozenset({2})), more)
