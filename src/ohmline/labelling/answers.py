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
from collections.abc import Callable, Hashable, Mapping
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
        """Take one more event; where it does not fit, nothing is changed."""
        self._change(event)()

    def expect(self, event: Event) -> None:
        """Refuse an event that does not fit, as `play` would, and change nothing."""
        self._change(event)

    def _change(self, event: Event) -> Callable[[], None]:
        """What an event does, once it is known to fit."""
        step = _STEPS.get(event.kind)
        if step is None:
            raise self._error(event, f"an event of the kind {event.kind!r}, which this version does not know")
        try:
            return step(self, event)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            if isinstance(error, FileFormatError):
                raise
            raise self._error(event, f"{event.kind!r} lacks something ({error})") from None

    def _open(self, event: Event) -> Callable[[], None]:
        classes = list(event.payload["classes"])
        return lambda: setattr(self, "classes", classes)

    def _import(self, event: Event) -> Callable[[], None]:
        found: dict[Hashable, Any] = {}
        for written, label in event.payload["labels"]:
            node = self._node(event, written)
            self._expect_label(event, node, label, found)
            found[node] = label

        def change() -> None:
            self.labels |= found
            self.imported |= found.keys()

        return change

    def _add_classes(self, event: Event) -> Callable[[], None]:
        classes = list(event.payload["classes"])
        return lambda: self.classes.extend(classes)

    def _answer(self, event: Event) -> Callable[[], None]:
        node, label = self._node(event, event.payload["node"]), event.payload["label"]
        self._expect_label(event, node, label, {})

        def change() -> None:
            self.labels[node] = label
            self.live.append(event)

        return change

    def _skip(self, event: Event) -> Callable[[], None]:
        node = self._node(event, event.payload["node"])

        def change() -> None:
            self._skips[node] += 1
            self.live.append(event)

        return change

    def _undo(self, event: Event) -> Callable[[], None]:
        seq = event.payload["seq"]
        if not self.live or self.live[-1].seq != seq:
            raise self._error(event, f"it undoes event {shown(seq)}, which is not the last answer")
        undone = self.live[-1]
        node = self._node(undone, undone.payload["node"])

        def change() -> None:
            self.live.pop()
            if undone.kind == "labelled":
                del self.labels[node]
            else:
                self._skips[node] -= 1
            if self.audit is not None and seq < self.audit.seq:  # its predictions were made from the label
                self._finish()

        return change

    def _begin_audit(self, event: Event) -> Callable[[], None]:
        number, digest = event.payload["number"], event.payload["digest"]
        if number != self.begun + 1 or event.payload["labels"] != len(self.labels):
            raise self._error(event, f"it begins audit {shown(number)} of other labels than there are")

        def change() -> None:
            self.begun = number
            self.audit = Begun(number, event.seq, dict(self.labels), digest)

        return change

    def _end_audit(self, event: Event) -> Callable[[], None]:
        if self.audit is None or self.audit.number != event.payload["number"]:
            raise self._error(event, "it ends an audit that has not begun")
        found, sampled, estimate = (event.payload[name] for name in ("found", "sampled", "estimate"))
        trust = self.trust
        if sampled and estimate > 0:
            trust = (found + BELIEF * TRUST * estimate) / (sampled + BELIEF) / estimate

        def change() -> None:
            self.trust = trust
            self._finish()

        return change

    def _finish(self) -> None:
        self.audit, self.learned_at_end = None, len(self.labels)

    def _expect_label(self, event: Event, node: Hashable, label: Any, beside: Mapping[Hashable, Any]) -> None:
        """Refuse a label that is no class, and a second one of a node, also among those `beside` it."""
        if label not in self.classes or node in self.labels or node in beside:
            why = f"{shown(label)} is not among the classes"
            if node in self.labels or node in beside:
                why = "has a label already"
            raise self._error(event, f"node {shown(node)}: {why}")

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
