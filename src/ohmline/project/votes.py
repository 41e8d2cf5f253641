"""What people said about each node, and which label follows from it.

A node's label is what was settled, if it was; else what most people say; else, where nobody has said anything, the
label that was there before. Where as many say one thing as another, it has none until somebody settles it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, final

from ohmline.labelling.answers import id_of, written_id


@final
@dataclass(frozen=True, slots=True)
class Vote:
    """What one person said about a node.

    Attributes
    ----------
    seq
        The event with which it was said.
    time
        When.
    label
        The class.
    """

    seq: int
    time: str
    label: Any


class Change(NamedTuple):
    """A node whose label changed; None stands for none."""

    node: Hashable
    before: Any
    after: Any


@final
class Votes:
    """The votes on every node, and the labels that follow from them."""

    def __init__(self) -> None:
        self.labels: dict[Hashable, Any] = {}
        """Every label, in the order in which the nodes got them."""
        self.imported: dict[Hashable, Any] = {}
        self._said: dict[Hashable, dict[str, list[Vote]]] = {}
        self._settled: dict[Hashable, list[Vote]] = {}

    def of(self, node: Hashable) -> dict[str, Vote]:
        """What each person says about a node now."""
        return {person: stack[-1] for person, stack in self._said.get(node, {}).items()}

    def voters(self, node: Hashable) -> Iterable[str]:
        """Who has said something about a node."""
        return self._said.get(node, {}).keys()

    def settled(self, node: Hashable) -> bool:
        """Whether somebody settled what the node is."""
        return node in self._settled

    def voted(self) -> Iterator[tuple[Hashable, dict[str, Vote]]]:
        """Every node that somebody said something about, and what each said."""
        return ((node, self.of(node)) for node in self._said)

    def say(self, node: Hashable, person: str, vote: Vote) -> Change:
        """Take a vote; it replaces what the person said before."""
        self._said.setdefault(node, {}).setdefault(person, []).append(vote)
        return self._resolve(node)

    def settle(self, node: Hashable, vote: Vote) -> Change:
        """Settle what a node is."""
        self._settled.setdefault(node, []).append(vote)
        return self._resolve(node)

    def bring(self, node: Hashable, label: Any) -> Change:
        """A label that was there before anybody was asked."""
        self.imported[node] = label
        return self._resolve(node)

    def withdraw(self, node: Hashable, person: str, seq: int) -> Change:
        """Take a vote back; what the person said before it counts again."""
        by_person = self._said.get(node, {})
        _remove(by_person, person, seq)
        if not by_person:
            self._said.pop(node, None)
        return self._resolve(node)

    def unsettle(self, node: Hashable, seq: int) -> Change:
        """Take back what settled a node."""
        _remove(self._settled, node, seq)
        return self._resolve(node)

    def uses(self, label: Any) -> int:
        """On how many nodes a class is said, settled or imported, by anybody and at any time that can come back."""
        found = {node for node, known in self.imported.items() if known == label}
        found |= {node for node, stack in self._settled.items() if any(v.label == label for v in stack)}
        for node, people in self._said.items():
            if any(vote.label == label for stack in people.values() for vote in stack):
                found.add(node)
        return len(found)

    def with_vote(self, node: Hashable, person: str, label: Any) -> Any:
        """The label that a node will have if this person says this of it."""
        if node in self._settled:
            return self._settled[node][-1].label
        said = {who: vote.label for who, vote in self.of(node).items()} | {person: label}
        return _most(said.values())

    def _resolve(self, node: Hashable) -> Change:
        before, after = self.labels.get(node), self._label(node)
        if after is None:
            self.labels.pop(node, None)
        elif after != before:
            self.labels.pop(node, None)
            self.labels[node] = after
        return Change(node, before, after)

    def _label(self, node: Hashable) -> Any:
        if node in self._settled:
            return self._settled[node][-1].label
        said = self._said.get(node)
        if not said:
            return self.imported.get(node)
        return _most(stack[-1].label for stack in said.values())

    def to_json(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "labels": [[written_id(node), label] for node, label in self.labels.items()],
            "imported": [[written_id(node), label] for node, label in self.imported.items()],
            "said": [
                [written_id(node), [[who, [_plain(v) for v in stack]] for who, stack in people.items()]]
                for node, people in self._said.items()
            ],
            "settled": [
                [written_id(node), [_plain(v) for v in stack]] for node, stack in self._settled.items()
            ],
        }

    @classmethod
    def from_json(cls, found: Any) -> Votes:
        """The votes that `to_json` wrote."""
        votes = cls()
        votes.labels = {id_of(node): label for node, label in found["labels"]}
        votes.imported = {id_of(node): label for node, label in found["imported"]}
        votes._said = {
            id_of(node): {who: [Vote(*vote) for vote in stack] for who, stack in people}
            for node, people in found["said"]
        }
        votes._settled = {id_of(node): [Vote(*vote) for vote in stack] for node, stack in found["settled"]}
        return votes


def _most(labels: Iterable[Any]) -> Any:
    """What most say; None where as many say something else."""
    ranked = Counter(labels).most_common(2)
    return None if len(ranked) == 2 and ranked[0][1] == ranked[1][1] else ranked[0][0]


def _plain(vote: Vote) -> list[Any]:
    return [vote.seq, vote.time, vote.label]


def _remove(stacks: dict[Any, list[Vote]], name: Any, seq: int) -> None:
    left = [vote for vote in stacks.get(name, []) if vote.seq != seq]
    if left:
        stacks[name] = left
    else:
        stacks.pop(name, None)
