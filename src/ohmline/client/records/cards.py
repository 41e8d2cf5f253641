"""Nodes: what there is to know about them, what is predicted, and what is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from ohmline.client.decoding import Node
from ohmline.client.records.state import Progress


@final
@dataclass(frozen=True, slots=True)
class Reason:
    """A labelled node that carries a part of a score.

    Attributes
    ----------
    node, label
        The node and its label.
    share
        Its part, from 0 to 1.
    title
        What the node is called.
    """

    node: Node
    label: Any
    share: float
    title: str = ""


@final
@dataclass(frozen=True, slots=True)
class Prediction:
    """What the learner says of a node.

    Attributes
    ----------
    node
        The node.
    prediction, confidence
        Its class and the probability of that; None for "don't know".
    probabilities
        (class, probability), the most probable first.
    reached
        Whether a labelled node is connected with this one.
    because
        The labelled nodes that carry the score.
    """

    node: Node
    prediction: Any
    confidence: float | None
    probabilities: tuple[tuple[Any, float], ...]
    reached: bool
    because: tuple[Reason, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class Neighbour:
    """A node beside another one.

    Attributes
    ----------
    node, title
        The node, and what it is called.
    weight
        The weight of the edge to it.
    label, prediction
        Its label, and what is predicted; None where there is none.
    """

    node: Node
    title: str
    weight: float
    label: Any
    prediction: Any


@final
@dataclass(frozen=True, slots=True)
class Vote:
    """What a person said of a node.

    Attributes
    ----------
    person, label
        Who, and what.
    seq, time
        The event, and when it was.
    """

    person: str
    label: Any
    seq: int
    time: str


@final
@dataclass(frozen=True, slots=True)
class Card:
    """What there is to know about a node.

    Attributes
    ----------
    node, title, text, image, fields
        The node, and what there is to read and to look at; `image` is a path on the service.
    label, prediction, probabilities, reached, because
        What is known of it, and what the learner says and why.
    neighbours, degree
        The nodes beside it, heaviest edge first, and how many there are.
    votes
        What people said.
    """

    node: Node
    title: str
    text: str | None
    image: str | None
    fields: dict[str, str]
    label: Any
    prediction: Any
    probabilities: tuple[tuple[Any, float], ...]
    reached: bool
    because: tuple[Reason, ...]
    neighbours: tuple[Neighbour, ...]
    degree: float
    votes: tuple[Vote, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class Question:
    """A node whose label is asked for, in the hands of this person.

    Attributes
    ----------
    lease, until
        By which the answer refers to it, and when it goes back to the others.
    node, card
        The node, and what there is to know about it.
    asked, audit, why
        "query", "audit", "stream" or "again"; the number of the audit; and why, in words.
    """

    lease: str
    node: Node
    until: Any
    asked: str
    audit: int | None
    why: str
    card: Card


@final
@dataclass(frozen=True, slots=True)
class Questions:
    """Questions, and how far the project is.

    Attributes
    ----------
    questions, progress
        The questions (none when it is enough, or when others hold the rest), and how far it is.
    """

    questions: tuple[Question, ...]
    progress: Progress


@final
@dataclass(frozen=True, slots=True)
class FoundNode:
    """A node that was looked for.

    Attributes
    ----------
    node, title, label
        The node, what it is called, and its label.
    """

    node: Node
    title: str
    label: Any
