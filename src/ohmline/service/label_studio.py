"""The tasks of Label Studio: one per node, with its annotations (what people said) or predictions."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any

import msgspec

from ohmline.checks import shown
from ohmline.errors import ConflictingLabels, ParameterError
from ohmline.service.ids import label_of, node_of
from ohmline.service.problems import unreadable

FROM, TO = "label", "text"
"""The names of the control and of the object in the labelling interface that fits these tasks."""


def tasks_of(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The tasks that hold rows of an export; several votes on one node are annotations of one task.

    Parameters
    ----------
    rows
        The rows of votes, labels or predictions.
    """
    tasks: dict[str, dict[str, Any]] = {}
    for row in rows:
        name = msgspec.json.encode(row["node"]).decode()
        task = tasks.get(name)
        if task is None:
            data = {key: row[key] for key in ("node", "text", "image") if row.get(key) is not None}
            task = tasks[name] = {"id": len(tasks) + 1, "data": data, "annotations": [], "predictions": []}
        label = row.get("label", row.get("prediction"))
        if label is None:
            continue
        result = [{"from_name": FROM, "to_name": TO, "type": "choices", "value": {"choices": [str(label)]}}]
        if "probability" in row and row.get("source") != "label":
            task["predictions"].append(
                {"result": result, "score": row["probability"], "model_version": "ohmline"}
            )
        else:
            by = {"completed_by": row["person"]} if row.get("person") else {}
            at = {"created_at": row["time"]} if row.get("time") else {}
            task["annotations"].append({"result": result, **by, **at})
    return iter(tasks.values())


class _Value(msgspec.Struct):
    choices: list[str] = []
    labels: list[str] = []


class _Result(msgspec.Struct):
    value: _Value = msgspec.field(default_factory=_Value)
    type: str = "choices"


class _Annotation(msgspec.Struct):
    result: list[_Result] = []
    was_cancelled: bool = False


class _Task(msgspec.Struct):
    data: dict[str, Any]
    annotations: list[_Annotation] = []
    completions: list[_Annotation] = []


_DECODER = msgspec.json.Decoder(list[_Task])


def labels_in_tasks(body: bytes) -> dict[Hashable, Any]:
    """The labels in a file of tasks: what the annotations of each choose, where they agree.

    Parameters
    ----------
    body
        The file: a list of tasks, as Label Studio exports it in its format "JSON".
    """
    try:
        tasks = _DECODER.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise unreadable(error, body) from None
    found: dict[Hashable, Any] = {}
    for number, task in enumerate(tasks):
        said = [
            choice
            for a in (*task.annotations, *task.completions)
            if not a.was_cancelled
            for choice in _choices(a)
        ]
        if not said:
            continue
        if "node" not in task.data:
            raise ParameterError(f"task {number} has no data.node; put the id of its node there")
        node = node_of(task.data["node"])
        for label in said:
            if found.setdefault(node, label_of(label)) != label:
                raise ConflictingLabels(
                    f"task {number}: node {shown(node)} has the labels {shown(found[node])} and {shown(label)}; keep 1"
                )
    return found


def _choices(annotation: _Annotation) -> list[str]:
    chosen = [
        choice for result in annotation.result for choice in (*result.value.choices, *result.value.labels)
    ]
    if len(set(chosen)) > 1:
        raise ParameterError(f"an annotation chooses {shown(chosen)}; a node has one label")
    return chosen[:1]
