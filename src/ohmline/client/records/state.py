"""How far a project is, and what it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final


@final
@dataclass(frozen=True, slots=True)
class Me:
    """Who the token belongs to.

    Attributes
    ----------
    person, role
        The name, and "admin" or "annotator".
    """

    person: str
    role: str


@final
@dataclass(frozen=True, slots=True)
class Limit:
    """What a random check has shown.

    Attributes
    ----------
    share, wrong
        At most this share, and this number, of the other predictions is wrong.
    remaining
        How many nodes that is about.
    sampled, found
        How many were looked at, and how many of them were wrong.
    """

    share: float
    wrong: float
    remaining: int
    sampled: int
    found: int


@final
@dataclass(frozen=True, slots=True)
class Progress:
    """How far a project is.

    Attributes
    ----------
    stage
        "learning", "checking", "reached" or "finished".
    nodes, labels, imported, skipped
        How many there are.
    goal, confidence
        The share of wrong predictions at which it is enough, and how sure that shall be.
    limit
        What the random check has shown so far; None before it began.
    estimate
        The share of wrong predictions in the learner's own opinion.
    more
        About how many more labels it takes.
    may_stop
        Whether it is enough.
    sentence
        All that in words.
    """

    stage: str
    nodes: int
    labels: int
    imported: int
    skipped: int
    estimate: float | None
    goal: float | None
    confidence: float
    limit: Limit | None
    more: int | None
    may_stop: bool
    sentence: str


@final
@dataclass(frozen=True, slots=True)
class Summary:
    """A project in one line.

    Attributes
    ----------
    id, name
        Its id, and what people call it.
    nodes, labels, classes
        How many nodes and labels there are, and the classes.
    problem
        Why it cannot be opened; "" where it can.
    """

    id: str
    name: str
    nodes: int = 0
    labels: int = 0
    classes: tuple[Any, ...] = ()
    problem: str = ""


@final
@dataclass(frozen=True, slots=True)
class State:
    """A project.

    Attributes
    ----------
    id, name
        Its id, and what people call it.
    classes, settings
        The classes, and the settings by name.
    mode
        "pool" or "stream".
    nodes, edges
        How many there are.
    seq, hash
        The last event.
    progress
        How far it is.
    role, person
        What the person of the token may do here, and their name.
    looking_for
        The class that its recipe looks for; None where it looks for none.
    """

    id: str
    name: str
    classes: tuple[Any, ...]
    settings: dict[str, Any]
    mode: str
    nodes: int
    edges: int
    seq: int
    hash: str
    progress: Progress
    role: str
    person: str
    looking_for: Any = None
