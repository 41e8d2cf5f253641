"""How it went: checks, curves, people, and the map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from ohmline.client.decoding import Node
from ohmline.client.records.cards import Vote
from ohmline.client.records.state import Limit


@final
@dataclass(frozen=True, slots=True)
class Audit:
    """The random check.

    Attributes
    ----------
    running, number
        Whether one is under way, and its number.
    more, limit
        About how many more answers it takes, and what it has shown.
    """

    running: bool
    number: int
    more: int | None
    limit: Limit | None


@final
@dataclass(frozen=True, slots=True)
class Curves:
    """How it went.

    Attributes
    ----------
    labels, mistakes, audit
        Columns of numbers by name.
    sentences
        What each says, in words.
    """

    labels: dict[str, Any]
    mistakes: dict[str, Any]
    audit: dict[str, Any]
    sentences: dict[str, Any]


@final
@dataclass(frozen=True, slots=True)
class Person:
    """What a person did.

    Attributes
    ----------
    person, role
        The name, and what that person may do.
    labels, skips, undone
        How many.
    seconds_median, last
        How long an answer takes, and when the last one was.
    gold
        How many gold items were seen, and how many of them right; None for annotators, who are not told.
    """

    person: str
    role: str | None
    labels: int
    skips: int
    undone: int
    seconds_median: float | None
    last: str | None
    gold: dict[str, Any] | None


@final
@dataclass(frozen=True, slots=True)
class Agreement:
    """How far people agree.

    Attributes
    ----------
    alpha
        Krippendorff's alpha; None where no two people said anything of one node.
    nodes, pairs
        How many nodes and pairs of answers that is from.
    """

    alpha: float | None
    nodes: int
    pairs: int


@final
@dataclass(frozen=True, slots=True)
class People:
    """Everybody, and how far they agree.

    Attributes
    ----------
    people, agreement
        The people, and their agreement.
    """

    people: tuple[Person, ...]
    agreement: Agreement


@final
@dataclass(frozen=True, slots=True)
class Disagreement:
    """A node that people do not agree on.

    Attributes
    ----------
    node, title, votes
        The node, what it is called, and what people said.
    """

    node: Node
    title: str
    votes: tuple[Vote, ...]


@final
@dataclass(frozen=True, slots=True)
class Map:
    """Nodes with places, in columns.

    Attributes
    ----------
    seq
        The last event that it shows.
    total, shown, sampled
        How many nodes there are, how many are here, and whether chance chose them.
    ids, titles, x, y
        The nodes, and where they are.
    label, prediction
        The places of their classes in `classes`, -1 for none.
    confidence, wanted
        From 0 to 1.
    edges
        Pairs of places, one after the other.
    classes
        The classes.
    """

    seq: int
    total: int
    shown: int
    sampled: bool
    ids: tuple[Node, ...]
    titles: tuple[str, ...]
    x: tuple[float, ...]
    y: tuple[float, ...]
    label: tuple[int, ...]
    prediction: tuple[int, ...]
    confidence: tuple[float | None, ...]
    wanted: tuple[float | None, ...]
    edges: tuple[int, ...]
    classes: tuple[Any, ...]
