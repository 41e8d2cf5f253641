"""The desk of a project: which nodes want an answer, of whom, and how wrong the learner believes itself to be."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, final

import numpy as np

from ohmline.learn.contract import View
from ohmline.project.model import Model
from ohmline.project.questions import Choice, best_questions, estimated_error
from ohmline.project.votes import Change
from ohmline.query import PoolQuery
from ohmline.query.asking import needs_variance, wants

TRIES = 200
"""How many nodes are drawn at random before they are gone through in order."""
IN_A_HURRY = "drawn at random, because the learner is still thinking"


@final
class Desk:
    """What is to be asked.

    Parameters
    ----------
    model
        The project's learner and ledger.
    """

    def __init__(self, model: Model) -> None:
        self.model, self.ledger = model, model.ledger
        self.ahead: list[Choice] | None = None
        """Questions that were chosen ahead, by somebody else; None to choose when somebody asks."""
        self._estimate: tuple[int, float] | None = None
        self._half: dict[Hashable, None] = {}
        for node, _ in self.ledger.votes.voted():
            self._half[node] = None

    def keep_up(self, changes: Iterable[Change]) -> None:
        """Take changes of labels."""
        for node, _, _ in changes:
            if self.ledger.votes.of(node):
                self._half[node] = None
            else:
                self._half.pop(node, None)

    def has_room(self, node: Hashable, person: str, now: float) -> bool:
        """Whether a node wants an answer of this person: it is not settled, and not enough others have or hold it."""
        votes, leases = self.ledger.votes, self.ledger.leases
        if votes.settled(node) or node in votes.imported:
            return False
        voters = set(votes.voters(node))
        if person in voters:
            return False
        others = {held.person for held in leases.on(node, now) if held.person != person}
        return len(voters | others) < self.ledger.settings.overlap

    def half_answered(self) -> list[Hashable]:
        """The nodes that somebody has answered, but not as many people as the overlap says."""
        wanted, votes = self.ledger.settings.overlap, self.ledger.votes
        done = [n for n in self._half if len(votes.of(n)) >= wanted or votes.settled(n)]
        if wanted > 1:
            for node in done:
                del self._half[node]
        return list(self._half)

    def wanted(self, free: Callable[[Hashable], bool], now: float) -> Iterator[Choice]:
        """The nodes that the query wants, of those that are free."""
        if self.ahead is not None:
            yield from (choice for choice in self.ahead if free(choice.node))
            yield from (choice for choice in self._at_hand() if free(choice.node))
            return
        taken: set[Hashable] = {*self.ledger.leases.nodes(now), *self.ledger.skips}
        while found := best_questions(self.model, 1, taken, self.ledger.settings.seed):
            taken.add(found[0].node)
            if free(found[0].node):
                yield found[0]

    def _at_hand(self) -> Iterator[Choice]:
        """Nodes in random order: those who ask faster than the learner thinks do not wait for it."""
        if not isinstance(self.model.recipe.query, PoolQuery):
            return
        nodes, labels = self.model.nodes, self.ledger.labels
        rng = np.random.default_rng([self.ledger.settings.seed, self.ledger.seq + 1])
        for place in rng.integers(0, len(nodes), TRIES).tolist():
            if nodes[place] not in labels:
                yield Choice(nodes[place], IN_A_HURRY)
        for node in nodes:
            if node not in labels:
                yield Choice(node, IN_A_HURRY)

    def estimate(self) -> float:
        """The share of wrong predictions among the rest, in the learner's own opinion."""
        known = len(self.ledger.labels)
        if self._estimate is None or (self._estimate[0] != known and self.ahead is None):
            self._estimate = (known, estimated_error(self.model, self.ledger.settings.seed))
        return self._estimate[1]

    def believe(self, labels: int, estimate: float) -> None:
        """Take over an estimate that was made elsewhere, from so many labels."""
        self._estimate = (labels, estimate)

    def wants(self, node: Hashable) -> bool:
        """Whether the label of a node that arrives is worth asking for."""
        learner: Any = self.model.learner
        query = self.model.recipe.query
        view = learner.view_one(node)
        if needs_variance(query):
            view = View(view.prediction, view.margin, learner.variance_one(node))
        trial, spent = len(self.ledger.arrived) + 1, len(self.ledger.labels)
        draw = float(np.random.default_rng([self.ledger.settings.seed, trial]).random())
        asked = wants(query, view, trial=trial, spent=spent, draw=draw, repeats=self._repeats())
        return asked and node not in self.ledger.labels

    def _repeats(self) -> int:
        """How many labels in a row, up to the last, brought no class that had not come before."""
        seen: set[Any] = set()
        newest = -1
        for place, label in enumerate(self.ledger.labels.values()):
            if label not in seen:
                seen.add(label)
                newest = place
                if len(seen) == len(self.ledger.classes):
                    break
        return len(self.ledger.labels) - 1 - newest
