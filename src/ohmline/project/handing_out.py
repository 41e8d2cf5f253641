"""Handing out questions: who is asked for which node, and for how long it is theirs.

A person gets, in this order: what they hold already; a node whose answer they took back; a gold item, if it is time; a
node that others have answered and that wants more answers; a node of the random check that is under way; a node of the
stream; and else what the query wants. Where a project looks for one class, check and query take turns, and the query
goes on afterwards: a goal that is met because the class is rare would end the search that the project was made for. A
node goes to as many people as the project's overlap says, and to no more.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import TYPE_CHECKING, Any

from ohmline.checks import count, text
from ohmline.errors import StaleLease
from ohmline.labelling.answers import written_id
from ohmline.project import commands as c
from ohmline.project.batch import Batch, Plan, Request
from ohmline.project.drafting import draft, single
from ohmline.project.leases import Held, time_of
from ohmline.project.ledger import AGAIN, AUDIT, GOLD, QUERY, STREAM
from ohmline.project.recipe import query_for
from ohmline.project.replies import Question, Questions
from ohmline.query import ErrorReduction

if TYPE_CHECKING:
    from ohmline.project.project import Project
    from ohmline.store.events import Event

MOST = 20
"""The most questions that a person may hold."""
HIDDEN = (AUDIT,)
"""Where the learner's opinion is not shown, so that it does not lead the person."""


def plan_lease(project: Project, request: Request, batch: Batch) -> Plan:
    """Questions for a person: those in hand, then new ones."""
    command: c.Lease = request.command  # type: ignore[assignment]
    wanted = count(command.count, "count", least=1, most=MOST)
    batch.expect_open()
    batch.touch(("person", request.actor))
    mine = [
        held for held in project.ledger.leases.of(request.actor, batch.now) if _is_open(project, held, batch)
    ]
    lasts = project.ledger.settings.lease_seconds
    until = round(batch.now + lasts, 3)
    keep = [held for held in mine[:wanted] if held.until - batch.now >= lasts / 2]
    drafts = [
        draft(request, batch, "leased", _lease(held.node, until, held.asked, held.audit, held.why, held.id))
        for held in mine[:wanted]
        if held not in keep
    ]
    if len(mine) < wanted:
        for node, asked, audit, why in _questions(project, request.actor, batch):
            batch.touch(node)
            drafts.append(draft(request, batch, "leased", _lease(node, until, asked, audit, why)))
            if len(keep) + len(drafts) == wanted:
                break

    def finish(events: list[Event]) -> Questions:
        ids = [event.payload["lease"] or str(event.seq) for event in events]
        given = [held for lease in ids if (held := project.ledger.leases.get(lease)) is not None]
        return Questions(tuple(_question(project, held) for held in keep + given), project.progress())

    return Plan(request, drafts, finish)


def plan_release(project: Project, request: Request, batch: Batch) -> Plan:
    """A question that goes back to the others."""
    command: c.Release = request.command  # type: ignore[assignment]
    held = project.ledger.leases.get(text(command.lease, "lease"))
    if held is None or held.person != request.actor:
        raise StaleLease(f"you do not hold the question {command.lease!r}; there is nothing to give back")
    batch.expect_open()
    batch.touch(held.node)
    return single(project, request, batch, "released", {"lease": command.lease})


def _lease(
    node: Hashable, until: float, asked: str, audit: int | None, why: str, lease: str = ""
) -> dict[str, Any]:
    """A question; one that is renewed keeps its id."""
    return {
        "node": written_id(node),
        "until": until,
        "asked": asked,
        "audit": audit,
        "why": why,
        "lease": lease,
    }


def _is_open(project: Project, held: Held, batch: Batch) -> bool:
    """Whether a question that a person holds still wants their answer."""
    if batch.touches(held.node):
        return False
    return held.asked == GOLD or project.desk.has_room(held.node, held.person, batch.now)


Found = tuple[Hashable, str, int | None, str]


def _questions(project: Project, person: str, batch: Batch) -> Iterator[Found]:
    """Nodes that this person may be asked for, the most wanted first."""
    ledger = project.ledger

    def free(node: Hashable) -> bool:
        return (
            not batch.touches(node)
            and not any(held.person == person for held in ledger.leases.on(node, batch.now))
            and person not in ledger.skips.get(node, ())
            and project.desk.has_room(node, person, batch.now)
        )

    back = ledger.returned.get(person)
    if back is not None and free(back):
        yield back, QUERY, None, "you took its answer back"
    yield from _gold(project, person, batch)
    if ledger.settings.overlap > 1:
        for node in project.desk.half_answered():
            if person not in ledger.votes.voters(node) and free(node):
                yield node, AGAIN, None, "somebody else is asked for it too"
    check, seeks = project.checks.running, project.checks.seeks
    if project.checks.is_reached and not seeks:
        return
    if check is not None and not project.checks.is_reached:
        checked = (
            (node, AUDIT, check.number, "a random check")
            for node in check.audit.batch(4 * MOST + 2 * len(ledger.leases))
            if free(node)
        )
        if not seeks:
            yield from checked
            return
        yield from _in_turn(checked, _learned(project, free, batch), project.checks.is_next)
        return
    yield from _learned(project, free, batch)


def _learned(project: Project, free: Callable[[Hashable], bool], batch: Batch) -> Iterator[Found]:
    """What teaches the learner: nodes of the stream, then those that the query wants."""
    ledger = project.ledger
    for node in list(ledger.wanted):
        if free(node):
            yield node, STREAM, None, "it came, and the learner is not sure of it"
    yield from ((choice.node, QUERY, None, choice.why) for choice in project.desk.wanted(free, batch.now))


def _in_turn(one: Iterator[Found], other: Iterator[Found], first: bool) -> Iterator[Found]:
    """One of each in turn, as long as there are any; no node twice."""
    given: set[Hashable] = set()
    turns = [one, other] if first else [other, one]
    while turns:
        taken = turns.pop(0)
        found = next((each for each in taken if each[0] not in given), None)
        if found is not None:
            given.add(found[0])
            turns.append(taken)
            yield found


def _gold(project: Project, person: str, batch: Batch) -> Iterator[Found]:
    """A gold item that this person has not seen, if it is time for one."""
    ledger = project.ledger
    every = ledger.settings.gold_every
    mine = ledger.tally.people.get(person)
    if project.checks.running is not None or project.model.recipe.streams:
        return  # among questions of another look it would be told at once
    if not every or mine is None or mine.since_gold < every:
        return
    for node in ledger.gold:
        held = any(each.person == person for each in ledger.leases.on(node, batch.now))
        if held or person in ledger.votes.voters(node) or person in ledger.skips.get(node, ()):
            continue
        if not batch.touches(node):
            yield node, GOLD, None, _usual_reason(project)
            return


def _usual_reason(project: Project) -> str:
    """Why an ordinary question would be asked now."""
    recipe = project.model.recipe
    if recipe.streams:
        return ErrorReduction.because
    return query_for(recipe, project.model.learner, project.ledger.labels).because


def _question(project: Project, held: Held) -> Question:
    card = project.card(held.node, held.person, blind=held.asked in HIDDEN)
    asked = QUERY if held.asked == GOLD else held.asked
    return Question(held.id, held.node, time_of(held.until), asked, held.audit, held.why, card)
