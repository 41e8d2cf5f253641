"""A task: a node, what there is to read about it, and what was said of it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, final

from ohmline.checks import shown
from ohmline.errors import ConflictingLabels


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
