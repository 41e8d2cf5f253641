"""The labels and predictions of a session in files of their own."""

from __future__ import annotations

import csv
import io
from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ohmline.errors import DataError, FileFormatError
from ohmline.graph.files.labels import is_label
from ohmline.graph.files.paths import FileLimits, content, text, write_bytes
from ohmline.graph.files.spelling import csv_bytes, spelled
from ohmline.labelling.answers import Answers
from ohmline.labelling.asks import Asks
from ohmline.store.journal import read_journal

HEADER = ["node", "label"]
"""The first row of the labels."""


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
    for label in dict.fromkeys(labels.values()):
        if not is_label(str(label)):
            raise FileFormatError(
                f"{path}: label {label!r} could not be read back; give the class another name"
            )
    _write(path, [HEADER, *([n, str(y)] for n, y in zip(nodes, labels.values(), strict=True))])


def write_predictions(session: Asks, path: Path) -> None:
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


def is_written_from(path: Path, journal: Any) -> bool:
    """Whether a file is nothing but labels that a journal has had, as `write_labels` writes them.

    Parameters
    ----------
    path
        The file.
    journal
        The name of the journal; it need not be there.
    """
    rows = rows_of(path)
    if rows[:1] != [HEADER]:
        return False
    given: set[tuple[str, str]] = set()
    for event in read_journal(journal) if Path(journal).exists() else []:
        pairs = event.payload["labels"] if event.kind == "imported" else []
        if event.kind == "labelled":
            pairs = [[event.payload["node"], event.payload["label"]]]
        given.update((str(node), str(label)) for node, label in pairs)
    return all(tuple(row) in given for row in rows[1:])


def rows_of(path: Path) -> list[list[str]]:
    """The rows of a table; none where it cannot be read."""
    try:
        return list(csv.reader(io.StringIO(text(path, content(path, FileLimits())), newline=""), strict=True))
    except (DataError, FileFormatError, csv.Error):
        return []


def _write(path: Path, rows: Iterable[list[str]]) -> None:
    write_bytes(path, csv_bytes(rows))
