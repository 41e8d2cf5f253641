"""What the events of a project lead to: classes, votes, labels, questions in hand, settings, audits.

| event | payload | does |
|---|---|---|
| `opened` | project, classes, settings, graph, perhaps looking_for | the first one |
| `imported` | labels, source | labels that were there before anybody was asked |
| `classes-added`, `class-removed` | classes / label | what a label may be |
| `grown` | nodes, edges | a larger graph |
| `leased`, `released` | node, until, asked, audit, why / lease | a question is in somebody's hands, or no longer |
| `labelled` | node, label, lease, asked, audit, predicted, probability, seconds | an answer |
| `many-labelled` | nodes, label | one answer for many nodes |
| `skipped` | node, lease, asked, audit, reason | no answer |
| `undone` | seq | takes back an answer, a skip or a settlement |
| `adjudicated` | node, label | settles what a node is |
| `gold-set` | node, label | a node with which people are tested |
| `configured` | changes | settings |
| `arrived` | node, wanted, predicted, probability, why | a node of the stream |
| `audit-begun`, `audit-ended` | number, digest, … / number, reason, … | a random check |

The ledger is a function of the events alone, so that replaying them gives the same ledger, and the same digest.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, final

from ohmline.errors import FileFormatError
from ohmline.labelling.answers import id_of, written_id
from ohmline.project.leases import Held, Leases, seconds_of
from ohmline.project.settings import Settings
from ohmline.project.tally import Tally
from ohmline.project.votes import Change, Vote, Votes
from ohmline.store.events import Event

QUERY, AUDIT, GOLD, STREAM, AGAIN, FREE = "query", "audit", "gold", "stream", "again", "free"
"""Why a node was asked: a query or chance chose it, its label is known, it arrived, others were asked too; or it was
not asked at all, and a person chose it."""


@final
@dataclass(frozen=True, slots=True)
class Done:
    """Something that a person did and may undo.

    Attributes
    ----------
    seq
        The event.
    kind
        Its kind.
    person
        Who did it.
    nodes
        The nodes it was about.
    """

    seq: int
    kind: str
    person: str
    nodes: tuple[Hashable, ...]


@final
@dataclass(frozen=True, slots=True)
class Begun:
    """A random check that is under way.

    Attributes
    ----------
    number
        Which one it is, counted from 1.
    seq
        The event with which it began.
    nodes, edges
        How many nodes and edges had been added to the graph by then.
    labels
        The labels that its predictions were made from.
    digest
        By which its predictions are known again.
    classes
        The classes that there were.
    """

    number: int
    seq: int
    nodes: int
    edges: int
    labels: dict[Hashable, Any]
    digest: str
    classes: tuple[Any, ...]


@final
class Ledger:
    """The state that the events of a project lead to."""

    def __init__(self) -> None:
        self.seq, self.hash = -1, ""
        self.name = ""
        self.graph: dict[str, Any] = {}
        """What the graph is known by."""
        self.classes: list[Any] = []
        self.looks_for: Any = None
        """The class that the recipe looks for; None where it looks for none, or chooses it itself."""
        self.settings = Settings()
        self.votes = Votes()
        self.leases = Leases()
        self.tally = Tally()
        self.added_nodes: list[tuple[Hashable, dict[str, str]]] = []
        self.added_edges: list[tuple[Hashable, Hashable, float]] = []
        self.gold: dict[Hashable, Any] = {}
        self.returned: dict[str, Hashable] = {}
        """The node that a person took the answer of back: it is asked for next."""
        self.arrived: dict[Hashable, int] = {}
        """The nodes that have arrived, with the event of their arrival."""
        self.wanted: dict[Hashable, None] = {}
        """The nodes of the stream whose labels are wanted and that nobody has answered, in the order they came in."""
        self._ever_wanted: set[Hashable] = set()
        self.begun = 0
        """How many checks have begun."""
        self.audit: Begun | None = None
        self.learned_at_end = 0
        """How many labels there were when the last check ended; 0 before any has."""
        self.keys: dict[tuple[str, str], tuple[str, int, str, str]] = {}
        """For each person and idempotency key: the digest of the command, and the event it became."""
        self.done: dict[int, Done] = {}
        """What may be undone."""
        self.skips: dict[Hashable, dict[str, int]] = {}

    @property
    def labels(self) -> dict[Hashable, Any]:
        """Every label, in the order in which the nodes got them."""
        return self.votes.labels

    def skipped(self) -> list[Hashable]:
        """The nodes that were skipped and have no label."""
        return [node for node in self.skips if node not in self.labels]

    def last_of(self, person: str) -> Done | None:
        """What a person did last and may undo."""
        return next((done for done in reversed(self.done.values()) if done.person == person), None)

    def apply(self, event: Event) -> list[Change]:
        """Take one more event, and say which labels changed."""
        if event.seq != self.seq + 1:
            raise FileFormatError(f"event {event.seq} does not follow event {self.seq}; the log is damaged")
        step = _STEPS.get(event.kind)
        if step is None:
            raise FileFormatError(
                f"event {event.seq} is of the kind {event.kind!r}, which this version does not know; "
                "pip install --upgrade ohmline"
            )
        try:
            changes = step(self, event, event.payload) or []
        except (KeyError, TypeError, ValueError, IndexError) as error:
            if isinstance(error, FileFormatError):
                raise
            raise FileFormatError(
                f"event {event.seq} ({event.kind}) lacks something ({error}); was it written by hand?"
            ) from None
        for change in changes:
            self._want(change.node, change.after is None)
        if event.key:
            request = str(event.payload.get("request", ""))
            self.keys[event.actor, event.key] = (request, event.seq, event.hash, event.time)
        self.seq, self.hash = event.seq, event.hash
        return changes

    def _open(self, event: Event, about: Any) -> None:
        self.name, self.graph, self.classes = about["project"], about["graph"], list(about["classes"])
        self.settings = Settings(**about["settings"])
        self.looks_for = about.get("looking_for")

    def _import(self, event: Event, about: Any) -> list[Change]:
        return [self.votes.bring(id_of(node), label) for node, label in about["labels"]]

    def _add_classes(self, event: Event, about: Any) -> None:
        self.classes.extend(about["classes"])

    def _remove_class(self, event: Event, about: Any) -> None:
        self.classes.remove(about["label"])

    def _grow(self, event: Event, about: Any) -> None:
        self.added_nodes.extend((id_of(node), dict(fields)) for node, fields in about["nodes"])
        self.added_edges.extend((id_of(a), id_of(b), float(w)) for a, b, w in about["edges"])

    def _lease(self, event: Event, about: Any) -> None:
        self.leases.expire(seconds_of(event.time))
        node = id_of(about["node"])
        self.leases.drop_those_of(event.actor, node)
        self.leases.add(
            Held(
                about["lease"] or str(event.seq),
                node,
                event.actor,
                about["until"],
                about["asked"],
                about["audit"],
                about["why"],
            )
        )
        if self.returned.get(event.actor) == node:
            del self.returned[event.actor]

    def _release(self, event: Event, about: Any) -> None:
        self.leases.drop(about["lease"])

    def _label(self, event: Event, about: Any) -> list[Change]:
        node, label = id_of(about["node"]), about["label"]
        self.leases.drop_those_of(event.actor, node)
        if self.returned.get(event.actor) == node:
            del self.returned[event.actor]
        change = self.votes.say(node, event.actor, Vote(event.seq, event.time, label))
        self._did(event, (node,))
        self.tally.answered(event, self.gold.get(node))
        return [change]

    def _label_many(self, event: Event, about: Any) -> list[Change]:
        nodes = tuple(id_of(node) for node in about["nodes"])
        vote = Vote(event.seq, event.time, about["label"])
        for node in nodes:
            self.leases.drop_those_of(event.actor, node)
        changes = [self.votes.say(node, event.actor, vote) for node in nodes]
        self._did(event, nodes)
        self.tally.answered_many(event, len(nodes))
        return changes

    def _skip(self, event: Event, about: Any) -> None:
        node = id_of(about["node"])
        self.leases.drop_those_of(event.actor, node)
        if self.returned.get(event.actor) == node:
            del self.returned[event.actor]
        self.skips.setdefault(node, {})[event.actor] = event.seq
        self.wanted.pop(node, None)
        self._did(event, (node,))
        self.tally.skipped(event)

    def _undo(self, event: Event, about: Any) -> list[Change]:
        done = self.done.pop(about["seq"])
        changes: list[Change] = []
        if done.kind in ("labelled", "many-labelled"):
            changes = [self.votes.withdraw(node, done.person, done.seq) for node in done.nodes]
        elif done.kind == "adjudicated":
            changes = [self.votes.unsettle(done.nodes[0], done.seq)]
        else:
            people = self.skips.get(done.nodes[0], {})
            people.pop(done.person, None)
            if not people:
                self.skips.pop(done.nodes[0], None)
            self._want(done.nodes[0], done.nodes[0] not in self.labels)
        if len(done.nodes) == 1 and done.kind != "adjudicated":
            self.returned[done.person] = done.nodes[0]
        self.tally.undone(done.seq, done.kind, done.person)
        if self.audit is not None and done.seq < self.audit.seq and done.kind != "skipped":
            self._finish()  # its predictions were made from what was taken back
        return changes

    def _want(self, node: Hashable, open_: bool) -> None:
        """Whether the label of a node that arrived is wanted: as long as there is none, and nobody skipped it."""
        if node not in self._ever_wanted:
            return
        if open_ and node not in self.skips:
            self.wanted[node] = None
        else:
            self.wanted.pop(node, None)

    def _adjudicate(self, event: Event, about: Any) -> list[Change]:
        node = id_of(about["node"])
        change = self.votes.settle(node, Vote(event.seq, event.time, about["label"]))
        self._did(event, (node,))
        return [change]

    def _set_gold(self, event: Event, about: Any) -> None:
        node = id_of(about["node"])
        if about["label"] is None:
            self.gold.pop(node, None)
        else:
            self.gold[node] = about["label"]

    def _configure(self, event: Event, about: Any) -> None:
        self.settings = self.settings.changed(about["changes"])

    def _arrive(self, event: Event, about: Any) -> None:
        node = id_of(about["node"])
        self.arrived[node] = event.seq
        if about["wanted"]:
            self._ever_wanted.add(node)
            self.wanted[node] = None

    def _begin_audit(self, event: Event, about: Any) -> None:
        self.begun = about["number"]
        self.audit = Begun(
            about["number"],
            event.seq,
            len(self.added_nodes),
            len(self.added_edges),
            dict(self.labels),
            about["digest"],
            tuple(self.classes),
        )

    def _end_audit(self, event: Event, about: Any) -> None:
        self.tally.trust_after(about["found"], about["sampled"], about["estimate"])
        self._finish()

    def _finish(self) -> None:
        self.audit, self.learned_at_end = None, len(self.labels)

    def _did(self, event: Event, nodes: tuple[Hashable, ...]) -> None:
        self.done[event.seq] = Done(event.seq, event.kind, event.actor, nodes)

    def to_json(self) -> dict[str, Any]:
        """All of it as plain values, for a snapshot and for the digest."""
        audit = self.audit
        return {
            "seq": self.seq,
            "hash": self.hash,
            "name": self.name,
            "graph": self.graph,
            "classes": self.classes,
            # Projects of before have no such key, and their digest stays what it was.
            **({} if self.looks_for is None else {"looking_for": self.looks_for}),
            "settings": self.settings.to_json(),
            "votes": self.votes.to_json(),
            "leases": self.leases.to_json(),
            "tally": self.tally.to_json(),
            "added_nodes": [[written_id(node), fields] for node, fields in self.added_nodes],
            "added_edges": [[written_id(a), written_id(b), w] for a, b, w in self.added_edges],
            "gold": [[written_id(node), label] for node, label in self.gold.items()],
            "returned": [[person, written_id(node)] for person, node in self.returned.items()],
            "arrived": [[written_id(node), seq] for node, seq in self.arrived.items()],
            "wanted": [written_id(node) for node in self.wanted],
            "ever_wanted": [written_id(node) for node in self.arrived if node in self._ever_wanted],
            "begun": self.begun,
            "audit": None
            if audit is None
            else [
                audit.number,
                audit.seq,
                audit.nodes,
                audit.edges,
                [[written_id(node), label] for node, label in audit.labels.items()],
                audit.digest,
                list(audit.classes),
            ],
            "learned_at_end": self.learned_at_end,
            "keys": [[*name, *value] for name, value in self.keys.items()],
            "done": [[d.seq, d.kind, d.person, [written_id(n) for n in d.nodes]] for d in self.done.values()],
            "skips": [[written_id(node), people] for node, people in self.skips.items()],
        }

    @classmethod
    def from_json(cls, found: Any) -> Ledger:
        """The ledger that `to_json` wrote."""
        ledger = cls()
        for name in ("seq", "hash", "name", "graph", "classes", "begun", "learned_at_end"):
            setattr(ledger, name, found[name])
        ledger.settings = Settings(**found["settings"])
        ledger.looks_for = found.get("looking_for")
        ledger.votes = Votes.from_json(found["votes"])
        ledger.leases = Leases.from_json(found["leases"])
        ledger.tally = Tally.from_json(found["tally"])
        ledger.added_nodes = [(id_of(node), fields) for node, fields in found["added_nodes"]]
        ledger.added_edges = [(id_of(a), id_of(b), w) for a, b, w in found["added_edges"]]
        ledger.gold = {id_of(node): label for node, label in found["gold"]}
        ledger.returned = {person: id_of(node) for person, node in found["returned"]}
        ledger.arrived = {id_of(node): seq for node, seq in found["arrived"]}
        ledger.wanted = dict.fromkeys(map(id_of, found["wanted"]))
        ledger._ever_wanted = set(map(id_of, found["ever_wanted"]))
        if found["audit"] is not None:
            number, seq, nodes, edges, labels, digest, classes = found["audit"]
            known = {id_of(n): y for n, y in labels}
            ledger.audit = Begun(number, seq, nodes, edges, known, digest, tuple(classes))
        ledger.keys = {(a, b): (c, d, e, f) for a, b, c, d, e, f in found["keys"]}
        ledger.done = {d[0]: Done(d[0], d[1], d[2], tuple(map(id_of, d[3]))) for d in found["done"]}
        ledger.skips = {id_of(node): people for node, people in found["skips"]}
        return ledger


_Step = Callable[[Ledger, Event, Any], list[Change] | None]
_STEPS: dict[str, _Step] = {
    "opened": Ledger._open,
    "imported": Ledger._import,
    "classes-added": Ledger._add_classes,
    "class-removed": Ledger._remove_class,
    "grown": Ledger._grow,
    "leased": Ledger._lease,
    "released": Ledger._release,
    "labelled": Ledger._label,
    "many-labelled": Ledger._label_many,
    "skipped": Ledger._skip,
    "undone": Ledger._undo,
    "adjudicated": Ledger._adjudicate,
    "gold-set": Ledger._set_gold,
    "configured": Ledger._configure,
    "arrived": Ledger._arrive,
    "audit-begun": Ledger._begin_audit,
    "audit-ended": Ledger._end_audit,
}
