"""How the server is, for those who run it; the document; and the live events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from ohmline.project.reports import event_json
from ohmline.service.endpoint import cookie_of
from ohmline.service.live import Live
from ohmline.service.metrics import MEDIA_TYPE
from ohmline.service.people import Role
from ohmline.service.problems import Problem
from ohmline.service.reply import JSON, Answer, Reply, answer
from ohmline.service.route import PROJECT, Call, Route
from ohmline.service.shapes import replies, requests
from ohmline.service.sight import as_seen_by


async def health(call: Call) -> Answer:
    """The process answers."""
    return answer({"status": "ok"})


async def readiness(call: Call) -> Answer:
    """Every project is open and can be written."""
    state = call.state
    if not state.ready:
        raise Problem(
            503, "starting", "the projects are not open", "try again in a moment", [(b"retry-after", b"1")]
        )
    stuck = [f"{id}: {why}" for id, host in state.workspace if (why := trouble(host))]
    if stuck:
        remedy = "mend that; where it says that a project is closed to changes, start the server again"
        raise Problem(503, "storage", "; ".join(stuck), remedy, [(b"retry-after", b"5")])
    return answer({"status": "ok"})


def trouble(host: Any) -> str:
    """Why a project cannot be written; "" where it can.

    Parameters
    ----------
    host
        The project's host.
    """
    project = host.project
    return str(
        project.broken or ("" if project.log.writable else project.log.broken or "the log cannot be written")
    )


async def metrics(call: Call) -> Answer:
    """Counts for Prometheus."""
    state = call.state
    hosts = [(f'project="{id}"', host) for id, host in state.workspace]
    gauges: dict[str, tuple[str, list[tuple[str, float]]]] = {
        "ohmline_events_total": ("Events in the log.", [(p, h.project.seq + 1) for p, h in hosts]),
        "ohmline_labels": ("Nodes that have a label.", [(p, len(h.project.ledger.labels)) for p, h in hosts]),
        "ohmline_nodes": ("Nodes of the graph.", [(p, len(h.project.nodes)) for p, h in hosts]),
        "ohmline_leases": (
            "Questions in somebody's hands.",
            [(p, len(h.project.ledger.leases)) for p, h in hosts],
        ),
        "ohmline_storage_writable": ("Whether answers can be kept.", [(p, not trouble(h)) for p, h in hosts]),
        "ohmline_queue": ("Commands that wait for the disk.", [(p, h.waiting) for p, h in hosts]),
        "ohmline_commits_total": ("Writes to the log.", [(p, h.commits) for p, h in hosts]),
        "ohmline_commit_seconds_total": ("Time that writes took.", [(p, h.commit_seconds) for p, h in hosts]),
        "ohmline_live_connections": ("Pages that follow the events.", [("", len(state.live))]),
    }
    return Reply(state.metrics.text(gauges).encode(), 200, MEDIA_TYPE)


async def document(call: Call) -> Answer:
    """The OpenAPI document."""
    return Reply(call.state.document, 200, JSON)


async def events(call: Call) -> Answer:
    """Events as they happen."""
    state, project, person = call.state, call.project, call.person
    state.live.expect_room(person.name)
    after = call.query.after
    if call.told.last_event_id:
        text = call.told.last_event_id
        if not (text.isdigit() and len(text) < 19) and text != b"-1":
            raise Problem(
                400, "malformed", "Last-Event-ID must be the number of an event", "send the last id you got"
            )
        after = int(text)
        if after > project.seq:
            raise Problem(
                422,
                "ahead",
                f"Last-Event-ID {after} is beyond the last event, {project.seq}: it is another log's",
                "load the project anew, and follow its events without Last-Event-ID",
            )
    if after is None:
        after = project.seq
    session = "" if call.told.authorization else cookie_of(call.told, state.cookie_start)

    async def seen() -> AsyncIterator[dict[str, Any]]:
        async with aclosing(call.at.events(after)) as found:  # type: ignore[type-var]
            async for event in found:
                yield as_seen_by(person, project, event_json(project, event))

    def may() -> bool:
        return state.register.by_id(person.id) == person and (not session or state.sessions.is_open(session))

    return Live(seen(), state.live, person.name, project.progress, state.ending, may)


ROUTES = (
    Route("GET", "/healthz", health, "Say that the process answers.", replies.Health, role=None),
    Route(
        "GET",
        "/readyz",
        readiness,
        "Say whether every project is open and can be written.",
        replies.Health,
        role=None,
        may_be=(503,),
    ),
    Route(
        "GET",
        "/metrics",
        metrics,
        "Count for Prometheus.",
        role=Role.ADMIN,
        media_types=("text/plain",),
    ),
    Route("GET", "/openapi.json", document, "Give this document.", role=None),
    Route(
        "GET",
        f"{PROJECT}/events",
        events,
        "Follow the events as they happen, from a number on (`Last-Event-ID` or `after`); without it from now on.",
        query=requests.LiveQuery,
        media_types=("text/event-stream",),
    ),
)
