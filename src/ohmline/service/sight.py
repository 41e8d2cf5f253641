"""What an annotator may see of the events of others.

Gold items test people only as long as nobody can tell them from other questions, and the answers of several people on
one node say something only as long as none saw the others'. So an annotator does not see which nodes are gold, nor,
where there are gold items or several people are asked for the same node, what the others said; nor the hashes of the
events there, with which a guess at what is hidden could be checked. Admins see everything.
"""

from __future__ import annotations

from typing import Any

from ohmline.project import Project
from ohmline.project.unseen import has_secrets
from ohmline.service.people import Person, Role

GOLD, QUERY = "gold", "query"
HIDDEN = ("label", "predicted", "probability")


def as_seen_by(person: Person, project: Project, event: dict[str, Any]) -> dict[str, Any]:
    """An event as a person may see it.

    Parameters
    ----------
    person
        Who looks.
    project
        The project.
    event
        The event as plain values.
    """
    if person.role is Role.ADMIN:
        return event
    payload, kind = event["payload"], event["kind"]
    secrets = has_secrets(project)
    if secrets:
        event = {**event, "hash": ""}
    if kind == "gold-set":
        return {**event, "payload": {}}
    if kind == "leased":
        return {**event, "payload": _leased(payload)}
    changed: dict[str, Any] = {}
    if payload.get("asked") == GOLD:
        changed["asked"] = QUERY
    if secrets and event["actor"] != person.name:
        changed |= {name: None for name in HIDDEN if name in payload}
    return {**event, "payload": {**payload, **changed}} if changed else event


def _leased(payload: dict[str, Any]) -> dict[str, Any]:
    """A lease without what tells gold from other questions."""
    hidden = {name: QUERY for name in ("asked",) if payload.get(name) == GOLD}
    found = {**payload, **hidden}
    if "questions" in found:
        found["questions"] = [
            _leased(each) if isinstance(each, dict) else each for each in found["questions"]
        ]
    return found
