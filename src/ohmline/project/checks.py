"""The random check of a project that is under way, kept in step with the events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import final

from ohmline.bound.auditing import ErrorLimit
from ohmline.errors import ParameterError
from ohmline.labelling.answers import id_of
from ohmline.labelling.checking import Check, least_looks
from ohmline.project.auditing import check_of, is_due
from ohmline.project.commands import BeginAudit, Command, EndAudit
from ohmline.project.model import Model
from ohmline.project.recipe import RecipeFunction, looks_for_a_class
from ohmline.project.votes import Change
from ohmline.store.events import Event

EVERY = 10
"""After so many answers it is foreseen again how many more the check takes: that is slow."""


@final
class Checks:
    """The check that is under way, if there is one.

    Parameters
    ----------
    model
        The project's learner and ledger.
    recipe
        The function that makes the learner.
    """

    def __init__(self, model: Model, recipe: RecipeFunction) -> None:
        self.model, self.ledger, self._recipe = model, model.ledger, recipe
        self.seeks = looks_for_a_class(recipe)
        """Whether the project looks for one class: then its query goes on asking beside a check, and after it."""
        self.running: Check | None = None
        self.limit: ErrorLimit | None = None
        """What the check says, as of its last answer."""
        self.points: list[tuple[int, int, float, int, int]] = []
        """For each answer in a check: the number of the check, labels, limit, found and sampled."""
        self._prepared: tuple[int, Check] | None = None
        self._least: tuple[tuple[object, ...], int] | None = None
        self._more: tuple[tuple[object, ...], int | None] | None = None

    def prepare(self) -> Check:
        """The check that would begin now; this takes a while on a large graph, and is done once for each event."""
        if self.ledger.audit is not None:
            raise ParameterError(f"check {self.ledger.audit.number} is under way; end it first")
        if not self.ledger.labels:
            raise ParameterError(
                "no node has a label yet, so that there is nothing to check; label a few first"
            )
        if len(self.ledger.labels) >= len(self.model.nodes):
            raise ParameterError("every node has a label; there is nothing to check")
        if self._prepared is None or self._prepared[0] != self.ledger.seq:
            self._prepared = (self.ledger.seq, check_of(self.model, self._recipe, None))
        return self._prepared[1]

    def resume(self) -> bool:
        """Take up the check that the ledger says is under way; False where its predictions come out otherwise."""
        begun = self.ledger.audit
        if begun is None:
            return True
        self.running = check_of(self.model, self._recipe, begun)
        self._start_again(self.running)
        return self.running.digest == begun.digest

    def keep_up(self, event: Event, changes: Sequence[Change]) -> None:
        """Take an event that the ledger has taken, and that changed these labels."""
        if event.kind == "audit-begun":
            assert self._prepared is not None
            self.running, self._prepared = self._prepared[1], None
            self._start_again(self.running)
        elif self.ledger.audit is None:
            self.running = self.limit = None
        elif self.running is not None:
            check = self.running
            skipped = event.kind == "skipped" and id_of(event.payload["node"]) in check.predictions
            touched = skipped or any(change.node in check.predictions for change in changes)
            if touched or event.kind in ("undone", "configured", "grown"):
                self._update(check, event, changes)

    def _update(self, check: Check, event: Event, changes: Sequence[Change]) -> None:
        """Add first labels to the check; whatever else has changed, what it counts is counted anew."""
        is_first = event.kind in ("labelled", "many-labelled") and all(
            change.before is None and change.after is not None and change.node not in self.ledger.skips
            for change in changes
        )
        if not is_first:
            self._start_again(check)
            return
        for change in changes:
            if change.node in check.predictions:
                check.audit.record(change.node, change.after)
        self._note(check)

    def _start_again(self, check: Check) -> None:
        check.start_again(self.ledger.labels, self.ledger.skipped())
        self._note(check)

    def _note(self, check: Check) -> None:
        self.limit = limit = self._beyond(check.limit(self.ledger.settings.confidence))
        self.points.append((check.number, len(self.ledger.labels), limit.share, limit.found, limit.sampled))

    def _beyond(self, limit: ErrorLimit) -> ErrorLimit:
        """The limit with the nodes that came after the check began: nobody has checked them, so all count as wrong."""
        begun = self.ledger.audit
        if begun is None or len(self.ledger.added_nodes) == begun.nodes:
            return limit
        late = self.ledger.added_nodes[begun.nodes :]
        fresh = sum(node not in self.ledger.labels for node, _ in late)
        return replace(limit, wrong=limit.wrong + fresh, remaining=limit.remaining + fresh)

    @property
    def is_reached(self) -> bool:
        """Whether the check has reached the goal."""
        goal, limit = self.ledger.settings.goal, self.limit
        return goal is not None and limit is not None and limit.share <= goal

    @property
    def is_next(self) -> bool:
        """Whether the check comes before the query: always, and every other time where a class is looked for."""
        if self.running is None or self.is_reached:
            return False
        sampled = 0 if self.limit is None else self.limit.sampled
        since = len(self.ledger.labels) - len(self.ledger.audit.labels) if self.ledger.audit else 0
        return not self.seeks or 2 * sampled <= since

    def due(self, estimate: float) -> Command | None:
        """A check that should begin or end now, if the learner's own opinion of its error is `estimate`."""
        check, settings = self.running, self.ledger.settings
        if settings.goal is None or self.is_reached:
            return None
        if check is None:
            return BeginAudit() if is_due(self.ledger, estimate) else None
        if check.limit(settings.confidence).share <= settings.goal:
            return EndAudit("the graph has grown since it began")
        if check.is_hopeless(settings.goal, settings.confidence, len(self.ledger.labels)):
            return EndAudit("too many wrong predictions")
        return None

    def more(self) -> int | None:
        """About how many more labels the check takes, as of a few answers ago; None for more than can be foreseen."""
        check, settings = self.running, self.ledger.settings
        if check is None or settings.goal is None:
            return None
        assert self.limit is not None
        key = (
            check.number,
            self.limit.found,
            self.limit.sampled // EVERY,
            settings.goal,
            settings.confidence,
        )
        if self._more is None or self._more[0] != key:
            self._more = (key, check.more_until(settings.goal, settings.confidence))
        return self._more[1]

    def least_more(self) -> int:
        """How many random labels the next check takes at least."""
        settings = self.ledger.settings
        rest = len(self.model.nodes) - len(self.ledger.labels)
        key = (rest, settings.goal, settings.confidence, self.ledger.begun)
        if self._least is None or self._least[0] != key:
            found = least_looks(rest, settings.goal or 1.0, settings.confidence, self.ledger.begun + 1)
            self._least = (key, found)
        return self._least[1]
