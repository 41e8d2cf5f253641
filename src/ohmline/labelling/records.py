"""What a session says of itself: its stage, its question, and how far it is."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from enum import Enum
from typing import final

from ohmline.bound.auditing import ErrorLimit


@final
class Stage(Enum):
    """Where a session stands."""

    LEARNING = "learning"
    CHECKING = "checking"
    REACHED = "reached"
    FINISHED = "finished"


@final
@dataclass(frozen=True, slots=True)
class Question:
    """A node whose label is asked for.

    Attributes
    ----------
    node
        The node.
    asked
        "query" if it was chosen because its label says much, "audit" if chance chose it.
    audit
        The number of the audit, or None.
    why
        Why it is asked for, in words.
    """

    node: Hashable
    asked: str
    audit: int | None
    why: str


@final
@dataclass(frozen=True, slots=True)
class Progress:
    """How far a session is.

    Attributes
    ----------
    stage
        Whether it is learning, checking, has reached its goal, or has asked for every node.
    nodes
        How many nodes the graph has.
    labels
        How many of them have a label.
    imported
        How many of these were there before anybody was asked.
    skipped
        How many nodes were skipped and have no label.
    estimate
        The share of wrong predictions among the rest in the learner's own opinion.
    goal
        The share at which the session ends, or None.
    limit
        What the audit says; None before it has begun.
    more
        About how many more labels the goal takes while checking, and before that how many the next check takes at
        least; None without a goal, and where it is too many to foresee.
    """

    stage: Stage
    nodes: int
    labels: int
    imported: int
    skipped: int
    estimate: float
    goal: float | None
    limit: ErrorLimit | None
    more: int | None
