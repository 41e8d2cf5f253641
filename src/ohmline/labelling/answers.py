"""What a person has said so far: the events of a journal, played again.

| event | payload | does |
|---|---|---|
| `opened` | graph, classes, seed | the first one |
| `imported` | labels, source | labels that were there before anybody was asked |
| `classes-added` | classes | more classes, after those that were there |
| `labelled` | node, label, asked, audit, predicted, probability, seconds | an answer |
| `skipped` | node, asked, audit, seconds | no answer |
| `undone` | seq | takes back the answer or skip with that number |
| `audit-begun` | number, labels, digest | from here on random nodes are asked |
| `audit-ended` | number, reason, found, sampled, estimate | and no longer |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, final

from ohmline.checks import shown
from ohmline.errors import FileFormatError
from ohmline.graph.nodes import NodeIndex
from ohmline.learn.classes import writable
from ohmline.store.journal import FIRST, Event

TRUST = 0.5
"""The learner is fitted to the nodes that a query chose, which are hard: the error of the rest is about this many times
what it believes (.5 on Cora, less on digits), until an audit knows better ..."""
BELIEF = 20
"""... and that counts as much as so many random labels."""
QUERY, AUDIT = "query", "audit"
"""Why a node was asked: the query chose it, or the random order of an audit did."""


@final
@dataclass(frozen=True, slots=True)
class Begun:
    """An audit that is under way.

    Attributes
    ----------
    number
        Which audit of the journal it is, counted from 1.
    seq
        The event with which it began.
    labels
        The labels that its predictions were made from, in the order in which they were learned.
    digest
        By which its predictions are known again.
    """

    number: int
    seq: int
    labels: dict[Hashable, Any]
    digest: str


@final
class Answers:
    """The state that the events of a journal lead to.

    Parameters
    ----------
    nodes
        The nodes of the graph; None where it is not at hand, so that ids are taken as they are written.
    """

    def __init__(self, nodes: NodeIndex | None = None) -> None:
        self._nodes = nodes
        self.classes: list[Any] = []
        self.labels: dict[Hashable, Any] = {}
        """Every label, in the order in which they came."""
        self.imported: set[Hashable] = set()
        self.live: list[Event] = []
        """The answers and skips that nobody has undone."""
        self.begun = 0
        """How many audits have begun."""
        self.audit: Begun | None = None
        self.learned_at_end = 0
        """How many labels there were when the last audit ended; 0 before any has."""
        self.trust = TRUST
        """How many times as large the error of the last audit was as the learner had believed."""
        self._skips: Counter[Hashable] = Counter()

    @property
    def skipped(self) -> list[Hashable]:
        """The nodes that were skipped and have no label."""
        return [node for node, times in self._skips.items() if times > 0 and node not in self.labels]

    def is_skipped(self, node: Hashable) -> bool:
        """Whether a node was skipped and has no label."""
        return self._skips[node] > 0 and node not in self.labels

    def play(self, event: Event) -> None:
        """Take one more event."""
        step = _STEPS.get(event.kind)
        if step is None:
            raise self._error(event, f"an event of the kind {event.kind!r}, which this version does not know")
        try:
            step(self, event)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            if isinstance(error, FileFormatError):
                raise
            raise self._error(event, f"{event.kind!r} lacks something ({error})") from None

    def _open(self, event: Event) -> None:
        self.classes = list(event.payload["classes"])

    def _import(self, event: Event) -> None:
        for written, label in event.payload["labels"]:
            node = self._node(event, written)
            self._label(event, node, label)
            self.imported.add(node)

    def _add_classes(self, event: Event) -> None:
        self.classes += event.payload["classes"]

    def _answer(self, event: Event) -> None:
        self._label(event, self._node(event, event.payload["node"]), event.payload["label"])
        self.live.append(event)

    def _skip(self, event: Event) -> None:
        self._skips[self._node(event, event.payload["node"])] += 1
        self.live.append(event)

    def _undo(self, event: Event) -> None:
        seq = event.payload["seq"]
        if not self.live or self.live[-1].seq != seq:
            raise self._error(event, f"it undoes event {shown(seq)}, which is not the last answer")
        undone = self.live.pop()
        node = self._node(undone, undone.payload["node"])
        if undone.kind == "labelled":
            del self.labels[node]
        else:
            self._skips[node] -= 1
        if self.audit is not None and seq < self.audit.seq:  # its predictions were made from the label
            self._finish()

    def _begin_audit(self, event: Event) -> None:
        number, digest = event.payload["number"], event.payload["digest"]
        self.begun += 1
        if number != self.begun or event.payload["labels"] != len(self.labels):
            raise self._error(event, f"it begins audit {shown(number)} of other labels than there are")
        self.audit = Begun(number, event.seq, dict(self.labels), digest)

    def _end_audit(self, event: Event) -> None:
        if self.audit is None or self.audit.number != event.payload["number"]:
            raise self._error(event, "it ends an audit that has not begun")
        found, sampled, estimate = (event.payload[name] for name in ("found", "sampled", "estimate"))
        if sampled and estimate > 0:
            self.trust = (found + BELIEF * TRUST * estimate) / (sampled + BELIEF) / estimate
        self._finish()

    def _finish(self) -> None:
        self.audit, self.learned_at_end = None, len(self.labels)

    def _label(self, event: Event, node: Hashable, label: Any) -> None:
        if label not in self.classes or node in self.labels:
            why = "has a label already" if node in self.labels else f"{shown(label)} is not among the classes"
            raise self._error(event, f"node {shown(node)}: {why}")
        self.labels[node] = label

    def _node(self, event: Event, written: Any) -> Hashable:
        node = id_of(written)
        if self._nodes is not None and node not in self._nodes:
            raise self._error(event, f"node {shown(node)} is not in the graph")
        return node

    def _error(self, event: Event, what: str) -> FileFormatError:
        return FileFormatError(
            f"line {event.seq + 1} of the journal: {what}; was it written by a newer version, or by hand?"
        )


_STEPS = {
    FIRST: Answers._open,
    "imported": Answers._import,
    "classes-added": Answers._add_classes,
    "labelled": Answers._answer,
    "skipped": Answers._skip,
    "undone": Answers._undo,
    "audit-begun": Answers._begin_audit,
    "audit-ended": Answers._end_audit,
}


def written_id(node: Hashable) -> Any:
    """A node as JSON can hold it: a tuple becomes a list."""
    if isinstance(node, tuple):
        return [written_id(part) for part in node]
    if not writable(node):
        raise FileFormatError(
            f"node {shown(node)} cannot be written into a journal; use strings or numbers as ids"
        )
    return node


def id_of(written: Any) -> Hashable:
    """The node again."""
    return tuple(map(id_of, written)) if isinstance(written, list) else written
