"""Files in and out: pictures, exports, imports."""

from __future__ import annotations

import asyncio
import csv
import io
from collections.abc import Hashable
from typing import Any

from ohmline.checks import shown
from ohmline.errors import ConflictingLabels, FileFormatError, Forbidden
from ohmline.labelling.answers import written_id
from ohmline.project import commands as c
from ohmline.project.formats.label_studio import labels_of, read_tasks
from ohmline.service.cells import node_of_cell, uncelled
from ohmline.service.exports import Download
from ohmline.service.ids import label_of, node_of
from ohmline.service.images import MEDIA_TYPES, keep_image, read_image
from ohmline.service.people import Role
from ohmline.service.reply import Answer, Reply, answer
from ohmline.service.route import PROJECT, Call, Route
from ohmline.service.routes.doing import do, is_admin, looking
from ohmline.service.rows import rows_of
from ohmline.service.shapes import replies, requests


async def image(call: Call) -> Answer:
    """A picture of a node."""
    data, media_type = await asyncio.to_thread(read_image, call.project.folder, call.path["name"])
    return Reply(data, 200, media_type.encode())


async def add_image(call: Call) -> Answer:
    """Keep a picture under a name that comes from its content."""
    name = await asyncio.to_thread(keep_image, call.project.folder, call.body)
    return answer({"name": name}, 201)


async def export(call: Call) -> Answer:
    """What the project knows, as a file."""
    asked: requests.ExportQuery = call.query
    project = call.project
    if asked.what in ("votes", "events") and not is_admin(call):
        raise Forbidden(
            f"{asked.what} say what each person answered, and are for admins; export labels or predictions"
        )
    return await Download(
        rows_of(call.at, asked.what, looking(call)), asked.what, asked.format, project.id
    ).begin()


async def import_labels(call: Call) -> Answer:
    """Labels from a file."""
    asked: requests.ImportQuery = call.query
    read = labels_in_tasks if asked.format == "label-studio" else labels_in_csv
    labels = await asyncio.to_thread(read, call.body)
    if not labels:
        raise FileFormatError("the body has no labels; send some")
    command = c.Import(tuple(labels.items()), f"a {asked.format} file", key=asked.key)
    written = await do(call, command)
    return answer({"seq": written["seq"], "hash": written["hash"], "labels": written["count"]})


def labels_in_tasks(body: bytes) -> dict[Hashable, Any]:
    """The labels in a file of Label Studio, where all annotations of a task agree.

    Parameters
    ----------
    body
        The file.
    """
    return {node_of(written_id(node)): label_of(label) for node, label in labels_of(read_tasks(body)).items()}


def labels_in_csv(body: bytes) -> dict[Hashable, Any]:
    """The labels in a table with the columns `node` and `label`, as an export writes it.

    Parameters
    ----------
    body
        The file.
    """
    try:
        rows = csv.reader(io.StringIO(body.decode("utf-8-sig"), newline=""), strict=True)
        header = [name.strip().lower() for name in next(rows, [])]
        places = [header.index("node"), header.index("label")]
        found: dict[Hashable, Any] = {}
        for row in rows:
            if not row:
                continue
            node, label = node_of_cell(row[places[0]]), uncelled(row[places[1]])
            if label and found.setdefault(node, label) != label:
                raise ConflictingLabels(
                    f"line {rows.line_num}: node {shown(node)} has the labels {shown(found[node])} and {shown(label)}; "
                    "keep one of the two"
                )
    except (UnicodeDecodeError, csv.Error, ValueError, IndexError) as error:
        if isinstance(error, ConflictingLabels):
            raise
        raise FileFormatError(
            f"the body is no table of labels ({error}); send CSV in UTF-8 with the columns node and label"
        ) from None
    return found


ROUTES = (
    Route(
        "GET",
        f"{PROJECT}/images/{{name}}",
        image,
        "Give a picture of a node.",
        media_types=tuple(MEDIA_TYPES.values()),
    ),
    Route(
        "POST",
        f"{PROJECT}/images",
        add_image,
        "Keep a picture; the reply has the name by which a node can have it.",
        replies.Image,
        role=Role.ADMIN,
        size="large",
        status=201,
        takes=tuple(MEDIA_TYPES.values()),
    ),
    Route(
        "GET",
        f"{PROJECT}/export",
        export,
        "Export labels, votes, predictions or events, with who and when.",
        query=requests.ExportQuery,
        media_types=("text/csv", "application/json", "application/vnd.apache.parquet"),
    ),
    Route(
        "POST",
        f"{PROJECT}/import",
        import_labels,
        "Import labels from a table or from the tasks of Label Studio.",
        replies.Imported,
        query=requests.ImportQuery,
        role=Role.ADMIN,
        size="large",
        takes=(
            "application/json",
            "text/csv",
            "text/plain",
            "application/csv",
            "application/vnd.ms-excel",  # which browsers on Windows call CSV
        ),
    ),
)
