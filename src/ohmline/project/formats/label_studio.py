"""The formats of Label Studio for classification: tasks with annotations (JSON), and short rows (JSON-MIN).

| here | JSON | JSON-MIN |
|---|---|---|
| node | `data.node`; without it the `id` of the task | `node`; without it `id` |
| fields | the rest of `data` | the other columns |
| vote: label | `annotations[].result[].value.choices` | the column of the control |
| vote: person, time | `completed_by`, `created_at`, or those of `meta.votes` | `annotator`, `created_at` |
| vote: seconds | `lead_time` | `lead_time` |
| skip | an annotation with `was_cancelled` | a row without the column |
| prediction, its probability | `predictions[].result`, `.score` | none |

Label Studio refuses a `completed_by` that is not the address of one of its own users. So that is written only where the
name of a person is an address; who and when always stand in `meta.votes` of the task, which it keeps.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any
from xml.sax.saxutils import quoteattr

from ohmline.checks import instance
from ohmline.labelling.answers import written_id
from ohmline.project.formats.label_studio_files import read_tasks as read_tasks
from ohmline.project.formats.task import Task as Task
from ohmline.project.formats.task import Vote as Vote
from ohmline.project.formats.task import labels_of as labels_of

CONTROL, OBJECT = "label", "text"
"""The names of the control and of what it labels, in what is written."""


def tasks_to_json(tasks: Iterable[Task]) -> list[dict[str, Any]]:
    """Tasks as Label Studio reads them.

    Parameters
    ----------
    tasks
        The tasks.

    Examples
    --------
    >>> [task] = tasks_to_json([Task("p1", {"text": "A title"}, (Vote("theory", "ann"),))])
    >>> task["annotations"][0]["result"][0]["value"], task["meta"]["votes"][0]["person"]
    ({'choices': ['theory']}, 'ann')
    """
    found = []
    for number, task in enumerate(tasks, start=1):
        instance(task, Task, "a task")
        predictions = []
        if task.prediction is not None:
            score = {} if task.probability is None else {"score": task.probability}
            predictions.append({"model_version": "ohmline", "result": _result(task.prediction), **score})
        found.append(
            {
                "id": number,
                "data": {"text": "", **task.fields, "node": written_id(task.node)},
                "annotations": [_annotation(vote) for vote in task.votes],
                "predictions": predictions,
                "meta": {"votes": [asdict(vote) for vote in task.votes]},
            }
        )
    return found


def labelling_interface(classes: Iterable[Any]) -> str:
    """The labelling interface that fits what is written: the text of a node, and its classes to choose from.

    Parameters
    ----------
    classes
        The classes.

    Examples
    --------
    >>> print(labelling_interface(["a & b"]))
    <View>
      <Text name="text" value="$text"/>
      <Choices name="label" toName="text" choice="single">
        <Choice value="a &amp; b"/>
      </Choices>
    </View>
    """
    choices = "\n".join(f"    <Choice value={quoteattr(str(label))}/>" for label in classes)
    return (
        f'<View>\n  <Text name="{OBJECT}" value="$text"/>\n'
        f'  <Choices name="{CONTROL}" toName="{OBJECT}" choice="single">\n{choices}\n  </Choices>\n</View>'
    )


def _result(label: Any) -> list[dict[str, Any]]:
    value = {"choices": [str(label)]}
    return [{"from_name": CONTROL, "to_name": OBJECT, "type": "choices", "value": value}]


def _annotation(vote: Vote) -> dict[str, Any]:
    about: dict[str, Any] = {
        "result": [] if vote.label is None else _result(vote.label),
        "was_cancelled": vote.label is None,
    }
    if "@" in vote.person:
        about["completed_by"] = {"email": vote.person}
    if vote.time:
        about["created_at"] = vote.time
    if vote.seconds is not None:
        about["lead_time"] = vote.seconds
    return about
