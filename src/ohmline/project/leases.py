"""Questions that are in somebody's hands: each belongs to one person until it is answered, given back or expired."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from typing import Any, final

from ohmline.labelling.answers import id_of, written_id


@final
@dataclass(frozen=True, slots=True)
class Held:
    """A question in somebody's hands.

    Attributes
    ----------
    id
        By which the person refers to it.
    node
        The node.
    person
        Who has it.
    until
        When it expires, in seconds since 1970.
    asked
        Why it was asked: query, audit, gold, stream or again.
    audit
        The number of the audit, or None.
    why
        The same in words.
    """

    id: str
    node: Hashable
    person: str
    until: float
    asked: str
    audit: int | None
    why: str


@final
class Leases:
    """All questions that are in somebody's hands."""

    def __init__(self) -> None:
        self._all: dict[str, Held] = {}
        self._by_node: dict[Hashable, list[str]] = {}
        self._by_person: dict[str, list[str]] = {}

    def __len__(self) -> int:
        return len(self._all)

    def get(self, lease: str) -> Held | None:
        """The question of an id; None if it was answered or given back."""
        return self._all.get(lease)

    def of(self, person: str, now: float) -> list[Held]:
        """The questions that a person holds, the oldest first."""
        return [held for held in self._named(self._by_person.get(person, ())) if held.until > now]

    def on(self, node: Hashable, now: float) -> list[Held]:
        """The questions about a node."""
        return [held for held in self._named(self._by_node.get(node, ())) if held.until > now]

    def nodes(self, now: float) -> list[Hashable]:
        """Every node that is in somebody's hands."""
        return [held.node for held in self._all.values() if held.until > now]

    def add(self, held: Held) -> None:
        """Hand out a question."""
        self._all[held.id] = held
        self._by_node.setdefault(held.node, []).append(held.id)
        self._by_person.setdefault(held.person, []).append(held.id)

    def drop(self, lease: str) -> None:
        """Take a question back; nothing happens where it is not there."""
        held = self._all.pop(lease, None)
        if held is not None:
            _without(self._by_node, held.node, lease)
            _without(self._by_person, held.person, lease)

    def drop_those_of(self, person: str, node: Hashable) -> None:
        """Take back what a person holds on a node."""
        for lease in list(self._by_node.get(node, ())):
            if self._all[lease].person == person:
                self.drop(lease)

    def expire(self, now: float) -> None:
        """Take back what has expired by the time of an event, so that replaying the events does the same."""
        for lease in [held.id for held in self._all.values() if held.until <= now]:
            self.drop(lease)

    def to_json(self) -> list[Any]:
        """All of it as plain values."""
        return [
            [written_id(part) if k == 1 else part for k, part in enumerate(astuple(h))]
            for h in self._all.values()
        ]

    @classmethod
    def from_json(cls, found: Any) -> Leases:
        """The leases that `to_json` wrote."""
        leases = cls()
        for lease, node, *rest in found:
            leases.add(Held(lease, id_of(node), *rest))
        return leases

    def _named(self, names: Any) -> Iterator[Held]:
        return (self._all[name] for name in names)


def seconds_of(time: str) -> float:
    """The time of an event in seconds since 1970.

    >>> seconds_of("1970-01-01T00:01:00.500000Z")
    60.5
    """
    return datetime.fromisoformat(time).timestamp()


def time_of(seconds: float) -> str:
    """Seconds since 1970 as the time of an event.

    >>> time_of(60.5)
    '1970-01-01T00:01:00.500000Z'
    """
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _without(lists: dict[Any, list[str]], name: Any, lease: str) -> None:
    lists[name].remove(lease)
    if not lists[name]:
        del lists[name]
