"""Rows as files: CSV, JSON, Parquet, and the tasks of Label Studio.

What can be written piece by piece is sent while it is made; all writing is done in a worker thread.
"""

from __future__ import annotations

import asyncio
import io
import json
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Hashable
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Self, final

from ohmline.errors import ParameterError
from ohmline.extras import require
from ohmline.labelling.answers import id_of
from ohmline.project.formats.label_studio import Task, Vote, tasks_to_json
from ohmline.service.cells import celled, line_of, node_cell
from ohmline.service.guards import BARE_HEADERS
from ohmline.service.reply import Headers, Receive, Scope, Send, encode

Row = dict[str, Any]


class Writer(ABC):
    """Makes a file of rows."""

    media_type: str
    end: str
    """The end of the file's name."""

    @abstractmethod
    def rows(self, rows: list[Row]) -> bytes:
        """What can be written of the file after some more rows."""

    @abstractmethod
    def rest(self) -> bytes:
        """The end of the file."""


@final
class Csv(Writer):
    """A table of text, its header first."""

    media_type, end = "text/csv; charset=utf-8", "csv"

    def __init__(self) -> None:
        self._begun = False

    def rows(self, rows: list[Row]) -> bytes:
        """Lines, the header before the first."""
        head = [] if self._begun else [list(rows[0])]
        self._begun = True
        return _lines([*head, *([_cell(name, value) for name, value in row.items()] for row in rows)])

    def rest(self) -> bytes:
        """Nothing, or a header without rows."""
        return b"" if self._begun else b"node,label\n"


@final
class Json(Writer):
    """A list in JSON, one row per line."""

    media_type, end = "application/json", "json"

    def __init__(self) -> None:
        self._before = b"[\n"

    def rows(self, rows: list[Row]) -> bytes:
        """Entries of the list."""
        written = self._before + b",\n".join(map(encode, rows))
        self._before = b",\n"
        return written

    def rest(self) -> bytes:
        """The end of the list."""
        return b"\n]\n" if self._before == b",\n" else b"[]\n"


@final
class Parquet(Writer):
    """A Parquet file, whole at the end; nodes and payloads are JSON in columns of text."""

    media_type, end = "application/vnd.apache.parquet", "parquet"

    def __init__(self) -> None:
        self._columns: dict[str, list[Any]] = {}

    def rows(self, rows: list[Row]) -> bytes:
        """Keep them."""
        for row in rows:
            for name, value in row.items():
                self._columns.setdefault(name, []).append(_plain(name, value))
        return b""

    def rest(self) -> bytes:
        """The file."""
        polars = require("polars", "io")
        columns = self._columns or {"node": [], "label": []}
        made = [polars.Series(name, _alike(values)) for name, values in columns.items()]
        file = io.BytesIO()
        polars.DataFrame(made).write_parquet(file)
        return file.getvalue()


@final
class Studio(Writer):
    """The tasks of Label Studio: what people said as annotations, what the learner says as predictions."""

    media_type, end = "application/json", "label-studio.json"

    def __init__(self) -> None:
        self._tasks: dict[Hashable, Task] = {}

    def rows(self, rows: list[Row]) -> bytes:
        """Several rows of one node make one task."""
        for row in rows:
            node = id_of(row["node"])
            task = self._tasks.get(node) or Task(node, {"text": row["text"]} if row.get("text") else {})
            if row.get("source") == "prediction":
                task = replace(task, prediction=row["label"], probability=row["probability"])
            elif row["label"] is not None:
                vote = Vote(row["label"], row.get("person") or "", row.get("time") or "", row.get("seconds"))
                task = replace(task, votes=(*task.votes, vote))
            self._tasks[node] = task
        return b""

    def rest(self) -> bytes:
        """The file."""
        return encode(tasks_to_json(self._tasks.values()))


WRITERS: dict[str, type[Writer]] = {"csv": Csv, "json": Json, "parquet": Parquet, "label-studio": Studio}
"""Format -> what makes it."""


@final
class Download:
    """A file that is sent while it is made.

    Parameters
    ----------
    rows
        The rows, piece by piece.
    what
        What they are: labels, votes, predictions or events.
    form
        The format.
    name
        The project's id.
    """

    status = 200

    def __init__(self, rows: AsyncIterator[list[Row]], what: str, form: str, name: str) -> None:
        if form == "label-studio" and what == "events":
            raise ParameterError("events are no tasks of Label Studio; ask for votes, or for another format")
        writer = WRITERS[form]()
        self._pieces = _pieces(rows, writer)
        self._name, self._media_type = f"{name}-{what}.{writer.end}", writer.media_type
        self._first = b""

    async def begin(self) -> Self:
        """Make the first piece, so that an error comes before the first byte."""
        self._first = await anext(self._pieces, b"")
        return self

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        headers: Headers = [
            (b"content-type", self._media_type.encode()),
            (b"content-disposition", f'attachment; filename="{self._name}"'.encode("ascii", "replace")),
            *BARE_HEADERS,
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": self._first, "more_body": True})
        async with aclosing(self._pieces) as pieces:
            async for piece in pieces:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _pieces(rows: AsyncIterator[list[Row]], writer: Writer) -> AsyncGenerator[bytes, None]:
    async for some in rows:
        written = await asyncio.to_thread(writer.rows, some)
        if written:
            yield written
    rest = await asyncio.to_thread(writer.rest)
    if rest:
        yield rest


def _lines(rows: list[list[str]]) -> bytes:
    return "".join(map(line_of, rows)).encode("utf-8", "replace")


def _cell(name: str, value: Any) -> str:
    if value is None:
        return ""
    if name == "node":
        return node_cell(value)
    if isinstance(value, str):
        return celled(value)
    return json.dumps(value) if isinstance(value, list | dict | bool) else str(value)


def _plain(name: str, value: Any) -> Any:
    return json.dumps(value) if name == "node" or isinstance(value, list | dict) else value


def _alike(values: list[Any]) -> list[Any]:
    """A column of one type: text where the types differ."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int, float}:
        return [None if value is None else float(value) for value in values]
    return values if len(kinds) <= 1 else [None if value is None else str(value) for value in values]
