"""What a project knows, as files: CSV, JSON, Parquet, and the tasks of Label Studio.

Rows are made and written in a worker thread, piece by piece, so that nobody who labels waits for an export.
"""

from __future__ import annotations

import asyncio
import csv
import io
import json
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import Any, Self, final

from ohmline.errors import ParameterError
from ohmline.extras import require
from ohmline.labelling.answers import id_of
from ohmline.project.formats.label_studio import Task, Vote, tasks_to_json
from ohmline.service.cells import celled, node_cell
from ohmline.service.guards import BARE_HEADERS
from ohmline.service.reply import Headers, Receive, Scope, Send, encode

Row = dict[str, Any]
ROWS = 500
"""Rows in one piece."""


@final
class Download:
    """A file that is sent while it is made.

    Parameters
    ----------
    pieces
        Makes its pieces, in a worker thread.
    name
        What the file is called.
    media_type
        The type of its content.
    """

    status = 200

    def __init__(self, pieces: Iterator[bytes], name: str, media_type: str) -> None:
        self._pieces, self._name, self._media_type = pieces, name, media_type
        self._first = b""

    async def begin(self) -> Self:
        """Make the first piece, so that an error comes before the first byte."""
        self._first = await asyncio.to_thread(next, self._pieces, b"")
        return self

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        headers: Headers = [
            (b"content-type", self._media_type.encode()),
            (b"content-disposition", f'attachment; filename="{self._name}"'.encode("ascii", "replace")),
            *BARE_HEADERS,
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        piece: bytes | None = self._first
        while piece is not None:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
            piece = await asyncio.to_thread(next, self._pieces, None)
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def csv_pieces(rows: Iterable[Row]) -> Iterator[bytes]:
    """A table of text, its header first.

    Parameters
    ----------
    rows
        The rows, all with the same columns.
    """
    rows = iter(rows)
    first = next(rows, None)
    if first is None:
        yield b"node\n"
        return
    yield _lines([list(first)])
    rest = chain([first], rows)
    while piece := list(islice(rest, ROWS)):
        yield _lines([[_cell(name, value) for name, value in row.items()] for row in piece])


def json_pieces(rows: Iterable[Row]) -> Iterator[bytes]:
    """A list in JSON, one row per line.

    Parameters
    ----------
    rows
        The rows.
    """
    rows, between = iter(rows), b"[\n"
    while piece := list(islice(rows, ROWS)):
        yield between + b",\n".join(map(encode, piece))
        between = b",\n"
    yield b"\n]\n" if between == b",\n" else b"[]\n"


def parquet_pieces(rows: Iterable[Row]) -> Iterator[bytes]:
    """A Parquet file; nodes and payloads are JSON in columns of text.

    Parameters
    ----------
    rows
        The rows, all with the same columns.
    """
    polars = require("polars", "io")
    columns: dict[str, list[Any]] = {}
    for row in rows:
        for name, value in row.items():
            columns.setdefault(name, []).append(_plain(name, value))
    if not columns:
        columns = {"node": []}
    made = {name: polars.Series(name, _alike(values)) for name, values in columns.items()}
    file = io.BytesIO()
    polars.DataFrame(list(made.values())).write_parquet(file)
    data = file.getvalue()
    for start in range(0, len(data), 2**16):
        yield data[start : start + 2**16]


def studio_pieces(rows: Iterable[Row]) -> Iterator[bytes]:
    """The tasks of Label Studio: what people said as annotations, what the learner says as predictions.

    Parameters
    ----------
    rows
        The rows of votes, labels or predictions; several of one node make one task.
    """
    tasks: dict[Hashable, Task] = {}
    for row in rows:
        node = id_of(row["node"])
        fields = {name: str(row[name]) for name in ("text", "image") if row.get(name)}
        task = tasks.get(node) or Task(node, fields)
        if row.get("source") == "prediction":
            task = replace(task, prediction=row["label"], probability=row["probability"])
        elif row["label"] is not None:
            vote = Vote(row["label"], row.get("person") or "", row.get("time") or "", row.get("seconds"))
            task = replace(task, votes=(*task.votes, vote))
        tasks[node] = task
    return json_pieces(tasks_to_json(tasks.values()))


FORMATS: dict[str, tuple[Callable[[Iterable[Row]], Iterator[bytes]], str, str]] = {
    "csv": (csv_pieces, "text/csv; charset=utf-8", "csv"),
    "json": (json_pieces, "application/json", "json"),
    "parquet": (parquet_pieces, "application/vnd.apache.parquet", "parquet"),
    "label-studio": (studio_pieces, "application/json", "label-studio.json"),
}
"""Format -> how it is made, its media type, and the end of the file's name."""


def download(rows: Callable[[], Iterable[Row]], what: str, form: str, name: str) -> Download:
    """A file with what was asked for.

    Parameters
    ----------
    rows
        Gives the rows; called in the worker thread.
    what
        What they are: labels, votes, predictions or events.
    form
        The format.
    name
        The project's id.
    """
    if form == "label-studio" and what == "events":
        raise ParameterError(
            "events cannot be written as tasks of Label Studio; ask for votes, or for another format"
        )
    write, media_type, end = FORMATS[form]

    def pieces() -> Iterator[bytes]:
        yield from write(rows())

    return Download(pieces(), f"{name}-{what}.{end}", media_type)


def _lines(rows: list[list[str]]) -> bytes:
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue().encode("utf-8", "replace")


def _cell(name: str, value: Any) -> str:
    if value is None:
        return ""
    if name == "node":
        return node_cell(value)
    if isinstance(value, str):
        return celled(value)
    return json.dumps(value) if isinstance(value, list | dict | bool) else str(value)


def _plain(name: str, value: Any) -> Any:
    if name == "node" or isinstance(value, list | dict | tuple):
        return json.dumps(value)
    return value


def _alike(values: list[Any]) -> list[Any]:
    """A column of one type: text where the types differ."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float} or len(kinds) <= 1:
        return values if kinds != {int, float} else [None if v is None else float(v) for v in values]
    return [None if value is None else str(value) for value in values]
