"""What a project answers: plain records, each with its JSON."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, final

from ohmline.labelling.answers import written_id


@final
@dataclass(frozen=True, slots=True)
class Written:
    """A command that became an event, and is on the disk.

    Attributes
    ----------
    seq, hash
        The number of the event, and the hash of all events up to it: who keeps them can prove what was acknowledged.
    kind, time
        What kind of event, and when.
    detail
        The rest, by kind.
    """

    seq: int
    hash: str
    kind: str
    time: str
    detail: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {"seq": self.seq, "hash": self.hash, "kind": self.kind, "time": self.time, **self.detail}


@final
@dataclass(frozen=True, slots=True)
class Because:
    """A labelled node that carries a part of a score.

    Attributes
    ----------
    node, title, label
        The node, what it is called, and its label.
    share
        Its part, from 0 to 1.
    """

    node: Hashable
    title: str
    label: Any
    share: float

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "node": written_id(self.node),
            "title": self.title,
            "label": self.label,
            "share": round(self.share, 4),
        }


@final
@dataclass(frozen=True, slots=True)
class Predicted:
    """What the learner says of a node.

    Attributes
    ----------
    node
        The node.
    prediction, confidence
        Its class and the probability of that; None and 0 for "don't know".
    probabilities
        The probability of each class, largest first.
    reached
        Whether a labelled node is connected with this one; False where nobody looked.
    because
        The labelled nodes that carry the score.
    """

    node: Hashable
    prediction: Any
    confidence: float
    probabilities: tuple[tuple[Any, float], ...]
    reached: bool
    because: tuple[Because, ...]

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "node": written_id(self.node),
            "prediction": self.prediction,
            "confidence": self.confidence,
            "probabilities": [[label, chance] for label, chance in self.probabilities],
            "reached": self.reached,
            "because": [each.to_json() for each in self.because],
        }


@final
@dataclass(frozen=True, slots=True)
class Question:
    """A node whose label is asked for, in the hands of one person.

    Attributes
    ----------
    lease
        By which the answer refers to it.
    node
        The node.
    until
        When it goes back to the others.
    asked
        query, audit, stream or again.
    audit
        The number of the audit, or None.
    why
        Why it is asked for, in words.
    card
        What there is to know about the node.
    """

    lease: str
    node: Hashable
    until: str
    asked: str
    audit: int | None
    why: str
    card: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "lease": self.lease,
            "node": written_id(self.node),
            "until": self.until,
            "asked": self.asked,
            "audit": self.audit,
            "why": self.why,
            "card": self.card,
        }


@final
@dataclass(frozen=True, slots=True)
class Questions:
    """Questions for one person.

    Attributes
    ----------
    questions
        The questions; none when it is enough, or when others hold all that is left.
    progress
        How far the project is.
    """

    questions: tuple[Question, ...]
    progress: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {"questions": [each.to_json() for each in self.questions], "progress": self.progress}


@final
@dataclass(frozen=True, slots=True)
class Arrival:
    """What was said of a node that arrived.

    Attributes
    ----------
    seq, hash
        The event.
    node
        The node.
    prediction, probabilities
        What it was predicted to be.
    wanted
        Whether its label is wanted.
    why
        Why, in words.
    """

    seq: int
    hash: str
    node: Hashable
    prediction: Any
    probabilities: tuple[tuple[Any, float], ...]
    wanted: bool
    why: str

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "seq": self.seq,
            "hash": self.hash,
            "node": written_id(self.node),
            "prediction": self.prediction,
            "probabilities": [[label, chance] for label, chance in self.probabilities],
            "wanted": self.wanted,
            "why": self.why,
        }
