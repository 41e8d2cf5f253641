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

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, final
from xml.sax.saxutils import quoteattr

from ohmline.checks import instance, shown
from ohmline.errors import ConflictingLabels
from ohmline.labelling.answers import written_id

CONTROL, OBJECT = "label", "text"
"""The names of the control and of what it labels, in what is written."""


@final
@dataclass(frozen=True, slots=True)
class Vote:
    """What one person said of a task.

    Attributes
    ----------
    label
        The class; None for a skip.
    person, time
        Who, and when; "" where nobody knows.
    seconds
        How long it took, if that is known.
    """

    label: Any
    person: str = ""
    time: str = ""
    seconds: float | None = None


@final
@dataclass(frozen=True, slots=True)
class Task:
    """A node, what there is to read about it, and what was said of it.

    Attributes
    ----------
    node
        The node.
    fields
        Texts by name.
    votes
        What people said, in the order of the file.
    prediction, probability
        What a model says, if it does.
    """

    node: Hashable
    fields: Mapping[str, str]
    votes: tuple[Vote, ...] = ()
    prediction: Any = None
    probability: float | None = None


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


def labels_of(tasks: Iterable[Task]) -> dict[Hashable, Any]:
    """The label of every node on which all votes agree, for `Import`; a node without votes has none.

    Parameters
    ----------
    tasks
        The tasks.
    """
    found: dict[Hashable, Any] = {}
    for task in tasks:
        for vote in task.votes:
            if vote.label is None:
                continue
            if found.setdefault(task.node, vote.label) != vote.label:
                raise ConflictingLabels(
                    f"node {shown(task.node)} has the labels {shown(found[task.node])} and {shown(vote.label)}; keep "
                    "one of the two"
                )
    return found
