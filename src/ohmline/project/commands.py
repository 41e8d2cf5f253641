"""What a person can ask a project to do. Each becomes an event, or an error and no event."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, fields
from typing import Any, final

from ohmline.checks import shown
from ohmline.errors import ParameterError
from ohmline.labelling.answers import written_id

LONGEST_KEY = 200
"""The most characters of an idempotency key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Something to do.

    Attributes
    ----------
    key
        An idempotency key: a command that comes again with the key that it had is done once, and answered as it was.
        "" for none.
    """

    key: str = ""

    def digest(self) -> str:
        """By which a repetition is told from another command with the same key."""
        body = {
            field.name: _plain(getattr(self, field.name)) for field in fields(self) if field.name != "key"
        }
        text = json.dumps([type(self).__name__, body], sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode("ascii")).hexdigest()[:32]


@final
@dataclass(frozen=True, slots=True)
class Label(Command):
    """A label for one node.

    Attributes
    ----------
    node, label
        The node, and its class.
    lease
        The question that this answers; "" for a node that the person chose.
    seconds
        How long it took, if that is known.
    """

    node: Hashable
    label: Any
    lease: str = ""
    seconds: float | None = None


@final
@dataclass(frozen=True, slots=True)
class LabelMany(Command):
    """One label for many nodes, as one event that can be undone as one.

    Attributes
    ----------
    nodes, label
        The nodes, and the class of all of them.
    """

    nodes: tuple[Hashable, ...]
    label: Any


@final
@dataclass(frozen=True, slots=True)
class Skip(Command):
    """No label: this person cannot say.

    Attributes
    ----------
    node
        The node.
    lease
        The question; "" for a node that the person chose.
    reason
        Why, in words.
    """

    node: Hashable
    lease: str = ""
    reason: str = ""


@final
@dataclass(frozen=True, slots=True)
class Undo(Command):
    """Take something back.

    Attributes
    ----------
    seq
        The event; None for the person's own last answer or skip.
    """

    seq: int | None = None


@final
@dataclass(frozen=True, slots=True)
class Lease(Command):
    """Give me questions; those that I hold come first.

    Attributes
    ----------
    count
        How many, at most 20.
    """

    count: int = 1


@final
@dataclass(frozen=True, slots=True)
class Release(Command):
    """Give a question back without an answer.

    Attributes
    ----------
    lease
        The question.
    """

    lease: str


@final
@dataclass(frozen=True, slots=True)
class Adjudicate(Command):
    """Settle what a node is, whatever the votes say.

    Attributes
    ----------
    node, label
        The node, and its class.
    """

    node: Hashable
    label: Any


@final
@dataclass(frozen=True, slots=True)
class SetGold(Command):
    """Make a node a gold item: people are asked for it without being told that its label is known.

    Attributes
    ----------
    node, label
        The node, and its class; None makes it an ordinary node again.
    """

    node: Hashable
    label: Any


@final
@dataclass(frozen=True, slots=True)
class Grow(Command):
    """New nodes and edges.

    Attributes
    ----------
    nodes
        (id, fields) for each new node; fields are texts by name, `text` and `image` among them.
    edges
        (id, id, weight) for each new edge.
    """

    nodes: tuple[tuple[Hashable, Mapping[str, str]], ...] = ()
    edges: tuple[tuple[Hashable, Hashable, float], ...] = ()


@final
@dataclass(frozen=True, slots=True)
class Configure(Command):
    """Change settings.

    Attributes
    ----------
    changes
        New values by name.
    """

    changes: Mapping[str, Any]


@final
@dataclass(frozen=True, slots=True)
class AddClasses(Command):
    """More classes.

    Attributes
    ----------
    classes
        Their names, shown after those that are there.
    """

    classes: tuple[Any, ...]


@final
@dataclass(frozen=True, slots=True)
class RemoveClass(Command):
    """A class that nobody needs: no label may have it.

    Attributes
    ----------
    label
        The class.
    """

    label: Any


@final
@dataclass(frozen=True, slots=True)
class BeginAudit(Command):
    """Begin a random check of what is predicted now."""


@final
@dataclass(frozen=True, slots=True)
class EndAudit(Command):
    """End the check that is under way, without a result.

    Attributes
    ----------
    reason
        Why, in words.
    """

    reason: str = "ended by hand"


@final
@dataclass(frozen=True, slots=True)
class Arrive(Command):
    """A node of the stream has come: predict it, and say whether its label is wanted.

    Attributes
    ----------
    node
        The node, which the graph may not have yet.
    fields
        What there is to read about a new node.
    edges
        (id, id, weight) for each edge that comes with it.
    """

    node: Hashable
    fields: Mapping[str, str] | None = None
    edges: tuple[tuple[Hashable, Hashable, float], ...] = ()


@final
@dataclass(frozen=True, slots=True)
class Import(Command):
    """Labels that were known before anybody was asked.

    Attributes
    ----------
    labels
        Pairs of a node and its class.
    source
        Where they come from.
    """

    labels: tuple[tuple[Hashable, Any], ...]
    source: str = ""


def _plain(value: Any) -> Any:
    """A field of a command as JSON has it."""
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    return written_id(value) if isinstance(value, Hashable) and value is not None else value


def expect_key(key: Any) -> str:
    """Refuse what is no idempotency key."""
    if not isinstance(key, str) or len(key) > LONGEST_KEY or not key.isprintable():
        raise ParameterError(
            f"key must be a text of at most {LONGEST_KEY} printable characters, got {shown(key)}; a random UUID will do"
        )
    return key
