"""From commands to events: each command is checked against the memory, and becomes drafts, or an error."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

from ohmline.checks import count, non_negative, none_or, shown, text
from ohmline.errors import (
    ConflictingLabels,
    Forbidden,
    KeyReused,
    LabelError,
    OhmlineError,
    ParameterError,
    StaleLease,
)
from ohmline.labelling.answers import written_id
from ohmline.labelling.opening import expect_written
from ohmline.learn.classes import writable
from ohmline.project import commands as c
from ohmline.project.batch import Batch, Later, Plan, Request
from ohmline.project.drafting import reply_to, single
from ohmline.project.growth import plan_arrive, plan_grow
from ohmline.project.handing_out import plan_lease, plan_release
from ohmline.project.leases import Held
from ohmline.project.ledger import FREE

if TYPE_CHECKING:
    from ohmline.project.project import Project

LONGEST_REASON = 1000
"""The most characters of a reason for skipping."""


def plan(project: Project, requests: list[Request], time: str, now: float) -> Batch:
    """The commands that can be written together, in the order in which they came."""
    batch = Batch(time, now)
    for request in requests:
        try:
            repeated = _repeated(project, request, batch)
            batch.plans.append(repeated or PLANS[type(request.command)](project, request, batch))
        except Later:
            batch.later.append(request)
        except OhmlineError as error:
            batch.failed.append((request, error))
    return batch


def _repeated(project: Project, request: Request, batch: Batch) -> Plan | None:
    """How a command with a key that was seen before is answered; None where it is new."""
    key = c.expect_key(request.command.key)
    if not key or isinstance(request.command, c.Lease):
        return None
    batch.touch(("key", request.actor, key))
    before = project.ledger.keys.get((request.actor, key))
    if before is None:
        return None
    if before[0] != request.command.digest():
        raise KeyReused(
            f"the key {shown(key)} came with another request before (event {before[1]}); use a new key for each request"
        )
    event = project.event(before[1])
    return Plan(request, [], lambda _: reply_to(project, event))


def _held(project: Project, lease: str, node: Hashable, request: Request, batch: Batch) -> Held | None:
    """The question that is answered; None where there was none, or it expired and the node is still free."""
    if not text(lease, "lease"):
        return None
    held = project.ledger.leases.get(lease)
    if held is not None and held.node != node:
        raise StaleLease(
            f"the question {shown(lease)} is about node {shown(held.node)}, not {shown(node)}; answer what was asked"
        )
    if held is not None and held.person == request.actor and held.until > batch.now:
        return held
    if not project.desk.has_room(node, request.actor, batch.now):
        raise StaleLease(
            f"the question {shown(lease)} about node {shown(node)} went back to the others: somebody else has it, "
            "or has answered it; ask for the next one"
        )
    return None


def plan_label(project: Project, request: Request, batch: Batch) -> Plan:
    """A label for one node."""
    command: c.Label = request.command  # type: ignore[assignment]
    node, label = project.known(command.node), project.class_of(command.label)
    seconds = none_or(non_negative, command.seconds, "seconds")
    batch.expect_open()
    batch.touch(node)
    held = _held(project, command.lease, node, request, batch)
    predicted, probability = project.predicted_for(node, held)
    payload = {
        "node": written_id(node),
        "label": label,
        "lease": command.lease,
        "asked": FREE if held is None else held.asked,
        "audit": None if held is None else held.audit,
        "predicted": predicted,
        "probability": None if probability is None else round(probability, 6),
        "seconds": None if seconds is None else round(seconds, 3),
        "resolved": project.ledger.votes.with_vote(node, request.actor, label),
    }
    return single(project, request, batch, "labelled", payload)


def plan_label_many(project: Project, request: Request, batch: Batch) -> Plan:
    """One label for many nodes."""
    command: c.LabelMany = request.command  # type: ignore[assignment]
    nodes = tuple(dict.fromkeys(project.known(node) for node in command.nodes))
    label = project.class_of(command.label)
    if not nodes:
        raise ParameterError("no nodes are named; name those that have the label")
    batch.expect_open()
    batch.touch(*nodes)
    return single(
        project,
        request,
        batch,
        "many-labelled",
        {"nodes": [written_id(node) for node in nodes], "label": label},
    )


def plan_skip(project: Project, request: Request, batch: Batch) -> Plan:
    """No label for a node."""
    command: c.Skip = request.command  # type: ignore[assignment]
    node = project.known(command.node)
    reason = text(command.reason, "reason")
    if len(reason) > LONGEST_REASON:
        raise ParameterError(f"reason has {len(reason):,} characters; at most {LONGEST_REASON:,} are kept")
    batch.expect_open()
    batch.touch(node)
    held = _held(project, command.lease, node, request, batch)
    payload = {
        "node": written_id(node),
        "lease": command.lease,
        "asked": FREE if held is None else held.asked,
        "audit": None if held is None else held.audit,
        "reason": reason,
    }
    return single(project, request, batch, "skipped", payload)


def plan_undo(project: Project, request: Request, batch: Batch) -> Plan:
    """Take something back."""
    command: c.Undo = request.command  # type: ignore[assignment]
    batch.alone()
    if command.seq is None:
        done = project.ledger.last_of(request.actor)
        if done is None:
            raise ParameterError("there is nothing to undo: you have answered nothing that still counts")
    else:
        found = project.ledger.done.get(count(command.seq, "seq"))
        if found is None:
            raise ParameterError(
                f"event {command.seq} cannot be undone: it is no answer, skip or settlement, or was undone already"
            )
        done = found
    if done.person != request.actor and not request.admin:
        raise Forbidden(f"event {done.seq} is by {done.person}; only they and admins may undo it")
    payload = {"seq": done.seq, "nodes": [written_id(node) for node in done.nodes]}
    return single(project, request, batch, "undone", payload)


def plan_adjudicate(project: Project, request: Request, batch: Batch) -> Plan:
    """Settle what a node is."""
    command: c.Adjudicate = request.command  # type: ignore[assignment]
    node, label = project.known(command.node), project.class_of(command.label)
    batch.expect_open()
    batch.touch(node)
    return single(project, request, batch, "adjudicated", {"node": written_id(node), "label": label})


def plan_set_gold(project: Project, request: Request, batch: Batch) -> Plan:
    """Make a node a gold item, or an ordinary one."""
    command: c.SetGold = request.command  # type: ignore[assignment]
    node = project.known(command.node)
    label = None if command.label is None else project.class_of(command.label)
    batch.expect_open()
    batch.touch(node)
    return single(project, request, batch, "gold-set", {"node": written_id(node), "label": label})


def plan_configure(project: Project, request: Request, batch: Batch) -> Plan:
    """Change settings."""
    command: c.Configure = request.command  # type: ignore[assignment]
    batch.alone()
    project.ledger.settings.changed(command.changes)
    return single(project, request, batch, "configured", {"changes": dict(command.changes)})


def plan_add_classes(project: Project, request: Request, batch: Batch) -> Plan:
    """More classes."""
    command: c.AddClasses = request.command  # type: ignore[assignment]
    batch.alone()
    if not command.classes:
        raise LabelError("no class is named; name those to add")
    for label in command.classes:
        if isinstance(label, bool) or not writable(label):
            raise LabelError(f"{shown(label)} cannot be a class; use texts or numbers")
    expect_written(command.classes, project.ledger.classes)
    return single(project, request, batch, "classes-added", {"classes": list(command.classes)})


def plan_remove_class(project: Project, request: Request, batch: Batch) -> Plan:
    """One class less."""
    command: c.RemoveClass = request.command  # type: ignore[assignment]
    batch.alone()
    label = project.class_of(command.label)
    uses = project.ledger.votes.uses(label)
    if uses or label in project.ledger.gold.values():
        raise LabelError(
            f"class {shown(label)} is the label of {uses:,} nodes, or of a gold item; label those otherwise, or undo, "
            "before it is removed"
        )
    if label == project.ledger.looks_for:
        raise LabelError(
            f"class {shown(label)} is what this project looks for, and stays; make a project that looks for another"
        )
    if len(project.ledger.classes) <= 2:
        raise LabelError(f"class {shown(label)} is one of the last two; a project needs two classes")
    return single(project, request, batch, "class-removed", {"label": label})


def plan_begin_audit(project: Project, request: Request, batch: Batch) -> Plan:
    """Begin a random check of what is predicted now."""
    batch.alone()
    check = project.checks.prepare()
    payload = {"number": check.number, "labels": len(project.ledger.labels), "digest": check.digest}
    return single(project, request, batch, "audit-begun", payload)


def plan_end_audit(project: Project, request: Request, batch: Batch) -> Plan:
    """End the check that is under way."""
    command: c.EndAudit = request.command  # type: ignore[assignment]
    batch.alone()
    check, limit = project.checks.running, project.checks.limit
    if check is None or limit is None:
        raise ParameterError("no check is under way; begin one first")
    payload = {
        "number": check.number,
        "reason": command.reason,
        "found": limit.found,
        "sampled": limit.sampled,
        "estimate": round(check.estimate, 6),
    }
    return single(project, request, batch, "audit-ended", payload)


def plan_import(project: Project, request: Request, batch: Batch) -> Plan:
    """Labels that were known before anybody was asked."""
    command: c.Import = request.command  # type: ignore[assignment]
    batch.alone()
    fresh: dict[Hashable, Any] = {}
    for given, said in command.labels:
        node, label = project.known(given), project.class_of(said)
        before = fresh.get(node, project.ledger.labels.get(node))
        if before is not None and before != label:
            raise ConflictingLabels(
                f"node {shown(node)} has the label {shown(label)} here, and {shown(before)} already; keep one of them"
            )
        if node not in project.ledger.labels:
            fresh[node] = label
    payload = {
        "labels": [[written_id(n), y] for n, y in fresh.items()],
        "source": text(command.source, "source"),
    }
    return single(project, request, batch, "imported", payload)


PLANS: dict[type, Callable[[Any, Request, Batch], Plan]] = {
    c.Label: plan_label,
    c.LabelMany: plan_label_many,
    c.Skip: plan_skip,
    c.Undo: plan_undo,
    c.Lease: plan_lease,
    c.Release: plan_release,
    c.Adjudicate: plan_adjudicate,
    c.SetGold: plan_set_gold,
    c.Grow: plan_grow,
    c.Configure: plan_configure,
    c.AddClasses: plan_add_classes,
    c.RemoveClass: plan_remove_class,
    c.BeginAudit: plan_begin_audit,
    c.EndAudit: plan_end_audit,
    c.Arrive: plan_arrive,
    c.Import: plan_import,
}
"""How each command becomes events."""
