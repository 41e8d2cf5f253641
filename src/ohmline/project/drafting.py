"""What a command becomes, and how it is answered once that is on the disk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ohmline.labelling.answers import id_of
from ohmline.project.batch import Batch, Plan, Request
from ohmline.project.replies import Arrival, Written
from ohmline.store.events import Draft, Event

if TYPE_CHECKING:
    from ohmline.project.project import Project


def draft(request: Request, batch: Batch, kind: str, payload: dict[str, Any]) -> Draft:
    """An event that a command becomes."""
    if request.command.key:
        payload["request"] = request.command.digest()
    return Draft(batch.time, request.actor, request.command.key, kind, payload)


def answered(event: Event, **detail: Any) -> Written:
    """The reply to a command that became one event."""
    return Written(event.seq, event.hash, event.kind, event.time, detail)


def reply_to(project: Project, event: Event) -> Any:
    """The reply to the command that became an event, now or when it comes again."""
    about = event.payload
    if event.kind == "labelled":
        was = {"prediction": about["predicted"], "probability": about["probability"]}
        kept = {name: about[name] for name in ("node", "label", "resolved")}
        return answered(event, was=was, **kept)
    if event.kind in ("many-labelled", "imported"):
        return answered(event, count=len(about["nodes" if event.kind == "many-labelled" else "labels"]))
    if event.kind == "undone":
        return answered(event, undone=about["seq"], nodes=about["nodes"])
    if event.kind == "arrived":
        return arrival(event)
    kept = {name: value for name, value in about.items() if name != "request"}
    return answered(event, **kept)


def single(project: Project, request: Request, batch: Batch, kind: str, payload: dict[str, Any]) -> Plan:
    """A command that becomes one event."""
    drafts = [draft(request, batch, kind, payload)]
    return Plan(request, drafts, lambda events: reply_to(project, events[0]))


def arrival(event: Event) -> Arrival:
    """The reply to a node that arrived."""
    about = event.payload
    chances = tuple((label, chance) for label, chance in about["probabilities"])
    node = id_of(about["node"])
    return Arrival(event.seq, event.hash, node, about["predicted"], chances, about["wanted"], about["why"])
