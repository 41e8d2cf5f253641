"""The labels and predictions of a session in files of their own."""

from __future__ import annotations

import csv
import io
from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ohmline.graph.files.paths import write_bytes
from ohmline.graph.files.table import spelled
from ohmline.labelling.answers import Answers
from ohmline.labelling.session import Session
from ohmline.store.journal import read_journal


def labels_in(journal: Any) -> dict[Hashable, Any]:
    """The labels that a journal leads to, also while somebody is at it.

    Parameters
    ----------
    journal
        The name of the journal.
    """
    answers = Answers()
    for event in read_journal(journal):
        answers.play(event)
    return answers.labels


def write_labels(labels: Mapping[Hashable, Any], path: Path) -> None:
    """Write labels as a table of two columns, node and label, whole or not at all."""
    nodes = spelled(labels, path)
    _write(path, [["node", "label"], *([n, str(y)] for n, y in zip(nodes, labels.values(), strict=True))])


def write_predictions(session: Session, path: Path) -> None:
    """Write the class of every node: where it comes from, and its probability."""
    found = session.predictions()
    nodes = spelled(found, path)
    known = session.labels
    rows = [
        [
            spelling,
            "" if label is None else str(label),
            "label" if node in known else "prediction",
            "" if chance is None else f"{chance:.4f}",
        ]
        for spelling, (node, (label, chance)) in zip(nodes, found.items(), strict=True)
    ]
    _write(path, [["node", "class", "source", "probability"], *rows])


def _write(path: Path, rows: Iterable[list[str]]) -> None:
    table = io.StringIO(newline="")
    csv.writer(table, lineterminator="\n").writerows(rows)
    write_bytes(path, table.getvalue().encode("utf-8"))
