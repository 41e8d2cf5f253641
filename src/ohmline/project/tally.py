"""Who did how much, how well and how fast, and how often the learner was wrong: counts that the events add up to."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Any, final

from ohmline.labelling.answers import BELIEF, TRUST
from ohmline.store.events import Event

KEPT = 200
"""Of how many answers of a person the time is remembered."""


@final
@dataclass(slots=True)
class Account:
    """What one person did.

    Attributes
    ----------
    labels, skips, undone
        How many nodes were labelled, how many skipped, and how much was taken back.
    gold_seen, gold_right
        How many gold items were answered, and how many of them rightly.
    since_gold
        How many answers came since the last gold item.
    last
        When something was done last.
    seconds
        How long the last answers took.
    """

    labels: int
    skips: int
    undone: int
    gold_seen: int
    gold_right: int
    since_gold: int
    last: str
    seconds: list[float]

    def to_json(self) -> dict[str, Any]:
        """What a page shows of it."""
        return {
            "labels": self.labels,
            "skips": self.skips,
            "undone": self.undone,
            "seconds_median": round(median(self.seconds), 2) if self.seconds else None,
            "last": self.last,
            "gold": {"right": self.gold_right, "seen": self.gold_seen},
        }


@final
class Tally:
    """The counts of a project."""

    def __init__(self) -> None:
        self.people: dict[str, Account] = {}
        self.trials: dict[int, tuple[int, bool]] = {}
        """For each answer to a question: how many labels it gave, and whether the prediction was wrong."""
        self.trust = TRUST
        """How many times as large the error of the last check was as the learner had believed."""
        self._gold: dict[int, bool] = {}

    def account(self, person: str) -> Account:
        """The counts of one person."""
        return self.people.setdefault(person, Account(0, 0, 0, 0, 0, 0, "", []))

    def answered(self, event: Event, gold: Any) -> None:
        """A node was labelled; `gold` is its label where that was known."""
        about, mine = event.payload, self.account(event.actor)
        mine.labels += 1
        mine.last = event.time
        mine.since_gold += 1
        if about["seconds"] is not None:
            mine.seconds = [*mine.seconds[-KEPT + 1 :], about["seconds"]]
        if gold is not None:
            right = about["label"] == gold
            mine.gold_seen, mine.gold_right = mine.gold_seen + 1, mine.gold_right + right
            mine.since_gold = 0
            self._gold[event.seq] = right
        wrong = (
            about["asked"] != "free"
            and about["predicted"] is not None
            and about["predicted"] != about["label"]
        )
        self.trials[event.seq] = (1, wrong)

    def answered_many(self, event: Event, nodes: int) -> None:
        """Many nodes were labelled at once."""
        mine = self.account(event.actor)
        mine.labels += nodes
        mine.last = event.time
        self.trials[event.seq] = (nodes, False)

    def skipped(self, event: Event) -> None:
        """A node was skipped."""
        mine = self.account(event.actor)
        mine.skips += 1
        mine.last = event.time

    def undone(self, seq: int, kind: str, person: str) -> None:
        """Something was taken back."""
        mine = self.account(person)
        mine.undone += 1
        if kind == "skipped":
            mine.skips -= 1
        mine.labels -= self.trials.pop(seq, (0, False))[0]
        right = self._gold.pop(seq, None)
        if right is not None:
            mine.gold_seen, mine.gold_right = mine.gold_seen - 1, mine.gold_right - right

    def trust_after(self, found: int, sampled: int, estimate: float) -> None:
        """A check has found so many wrong predictions among so many, and the learner had expected that share."""
        if sampled and estimate > 0:
            self.trust = (found + BELIEF * TRUST * estimate) / (sampled + BELIEF) / estimate

    def to_json(self) -> dict[str, Any]:
        """All of it as plain values."""
        names = Account.__slots__
        return {
            "people": [
                [name, *(getattr(each, part) for part in names)] for name, each in self.people.items()
            ],
            "trials": [[seq, *trial] for seq, trial in self.trials.items()],
            "trust": self.trust,
            "gold": [[seq, right] for seq, right in self._gold.items()],
        }

    @classmethod
    def from_json(cls, found: Any) -> Tally:
        """The counts that `to_json` wrote."""
        tally = cls()
        tally.people = {
            name: Account(**dict(zip(Account.__slots__, rest, strict=True)))
            for name, *rest in found["people"]
        }
        tally.trials = {seq: (count, wrong) for seq, count, wrong in found["trials"]}
        tally.trust = found["trust"]
        tally._gold = dict(found["gold"])
        return tally
