"""What was written, and what has happened."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, final

from ohmline.client.decoding import Node
from ohmline.client.records.state import Progress


@final
@dataclass(frozen=True, slots=True)
class Written:
    """A change that is on the disk of the service.

    Attributes
    ----------
    seq, hash
        The number of its event, and the hash of all events up to it.
    """

    seq: int
    hash: str


@final
@dataclass(frozen=True, slots=True)
class Labelled:
    """An answer that is on the disk of the service.

    Attributes
    ----------
    seq, hash
        Its event.
    node, label
        The node, and the answer.
    was
        What was predicted before, and with which probability.
    resolved
        The label of the node now; None while people disagree.
    """

    seq: int
    hash: str
    node: Node
    label: Any
    was: dict[str, Any] = field(default_factory=dict)
    resolved: Any = None


@final
@dataclass(frozen=True, slots=True)
class ManyLabelled:
    """Many labels that are on the disk of the service, as one event.

    Attributes
    ----------
    seq, hash, count
        The event, and how many labels it is.
    """

    seq: int
    hash: str
    count: int


@final
@dataclass(frozen=True, slots=True)
class Undone:
    """What was taken back.

    Attributes
    ----------
    seq, hash
        The event that took it back.
    undone, nodes
        The event that is undone, and its nodes.
    """

    seq: int
    hash: str
    undone: int
    nodes: tuple[Node, ...]


@final
@dataclass(frozen=True, slots=True)
class Happened:
    """An event of a project.

    Attributes
    ----------
    seq, time, actor, kind, payload
        Its number, when, who, what kind, and what.
    hash
        The hash of all events up to it; "" in live events.
    undone
        Whether it was taken back since.
    progress
        How far the project is, where the service sent it along.
    """

    seq: int
    time: str
    actor: str
    kind: str
    payload: dict[str, Any]
    hash: str = ""
    undone: bool = False
    progress: Progress | None = None


@final
@dataclass(frozen=True, slots=True)
class Arrival:
    """What was said of a node that arrived.

    Attributes
    ----------
    seq, hash, node
        The event, and the node.
    prediction, probabilities
        What it was predicted to be.
    wanted, why
        Whether its label is wanted, and why.
    """

    seq: int
    hash: str
    node: Node
    prediction: Any
    probabilities: tuple[tuple[Any, float], ...]
    wanted: bool
    why: str
