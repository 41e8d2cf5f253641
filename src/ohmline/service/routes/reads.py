"""What there is to see: predictions, nodes, history, progress, people, the map."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Hashable
from typing import Any

from msgspec import UNSET

from ohmline.errors import ParameterError
from ohmline.labelling.answers import written_id
from ohmline.project import commands as c
from ohmline.project.cards import predicted_to
from ohmline.project.unseen import seen_label
from ohmline.service.ids import node_in, node_of
from ohmline.service.people import Role
from ohmline.service.reply import Answer, answer
from ohmline.service.route import PROJECT, Call, Route
from ohmline.service.routes.doing import do, is_admin, looking, with_address
from ohmline.service.shapes import replies, requests
from ohmline.service.sight import as_seen_by

PATIENCE = 10.0
"""Seconds after which a map is said to be in the making."""
AT_ONCE = 50
"""So many nodes are predicted before other requests get their turn."""


async def predict(call: Call) -> Answer:
    """Predict one node, or several."""
    wanted: requests.Predict = call.body
    if (wanted.node is UNSET) == (wanted.nodes is UNSET):
        raise ParameterError("one of node and nodes is wanted, and not both; name a node, or list several")
    project = call.project
    if wanted.node is not UNSET:
        return _predicted(call, node_of(wanted.node), wanted.why)
    nodes = [node_of(node) for node in wanted.nodes]  # type: ignore[union-attr]
    if len(nodes) > call.state.limits.nodes:
        raise ParameterError(
            f"{len(nodes):,} nodes at once; at most {call.state.limits.nodes:,} are predicted"
        )
    seq, predictions, looks = project.seq, [], looking(call)
    for start in range(0, len(nodes), AT_ONCE):
        for node in nodes[start : start + AT_ONCE]:
            predictions.append(predicted_to(project, project.known(node), wanted.why, looks).to_json())
        await asyncio.sleep(0)
    return answer({"seq": seq, "predictions": predictions})


async def predict_by_query(call: Call) -> Answer:
    """Predict one node."""
    return _predicted(call, node_in(call.query.node), call.query.why)


def _predicted(call: Call, node: Hashable, why: int) -> Answer:
    project = call.project
    said = predicted_to(project, project.known(node), why, looking(call))
    return answer({"seq": project.seq, "predictions": [said.to_json()]})


async def node(call: Call) -> Answer:
    """Everything there is to see of a node."""
    card = call.project.card(node_in(call.query.id, "id"), call.person.name, admin=is_admin(call))
    return answer(with_address(call, card))


async def search(call: Call) -> Answer:
    """The node of an id, and nodes in whose texts some words are found."""
    project, words, most = call.project, call.query.q, call.query.limit
    named = [
        node for node in dict.fromkeys((words, _number(words))) if node is not None and node in project.nodes
    ]
    texts = await asyncio.to_thread(project.attributes.search, words, most)
    found = []
    for node in list(dict.fromkeys([*named, *texts]))[:most]:
        title, label = project.attributes.title(node), seen_label(project, node, looking(call))
        found.append({"node": written_id(node), "title": title, "label": label})
    return answer({"nodes": found})


def _number(words: str) -> int | None:
    return int(words) if words.isascii() and words.isdigit() and len(words) < 19 else None


async def history(call: Call) -> Answer:
    """Events of the log."""
    asked: requests.HistoryQuery = call.query
    project = call.project
    about = node_in(asked.node) if asked.node else None
    events = await asyncio.to_thread(project.history, asked.after, asked.limit, asked.person, about)
    shown_events = [as_seen_by(call.person, project, event) for event in events]
    return answer({"events": shown_events, "last": project.seq})


async def progress(call: Call) -> Answer:
    """How far it is."""
    return answer(call.project.progress())


async def curves(call: Call) -> Answer:
    """How it went."""
    return answer(call.project.curves())


async def audit(call: Call) -> Answer:
    """How the random check stands."""
    return answer(_audit(call))


async def do_audit(call: Call) -> Answer:
    """Begin or end a random check."""
    command = (
        c.BeginAudit(key=call.body.key) if call.body.action == "begin" else c.EndAudit(key=call.body.key)
    )
    written = await do(call, command)
    return answer({**_audit(call), "seq": written["seq"], "hash": written["hash"]})


def _audit(call: Call) -> dict[str, Any]:
    project = call.project
    now = project.progress()
    ledger = project.ledger
    return {
        "running": ledger.audit is not None,
        "number": ledger.begun,
        "more": now["more"],
        "limit": now["limit"],
    }


async def people(call: Call) -> Answer:
    """Who did what, and how far they agree; annotators see themselves, and not how they did on gold items."""
    register = call.state.register
    found = [{**each, "role": register.role_of(each["person"])} for each in call.project.people()]
    if not is_admin(call):
        found = [{**each, "gold": None} for each in found if each["person"] == call.person.name]
    return answer({"people": found, "agreement": call.project.agreement()})


async def whole_map(call: Call) -> Answer:
    """The map, or word that it is being drawn."""
    return await _drawn(call.state.workspace.map(call.path["p"]).whole(looking(call)))


async def neighbourhood(call: Call) -> Answer:
    """The nodes around one."""
    here, node = call.state.workspace.map(call.path["p"]), node_in(call.query.node)
    return await _drawn(here.around(node, call.query.hops, looking(call)))


async def _drawn(map: Awaitable[dict[str, Any] | None]) -> Answer:
    """A map, or word that it is being drawn: the process that colours it may be busy, or just starting."""
    try:
        async with asyncio.timeout(PATIENCE):
            found = await map
    except TimeoutError:
        found = None
    return answer({"state": "drawing"}, 202) if found is None else answer(found)


ROUTES = (
    Route(
        "POST",
        f"{PROJECT}/predict",
        predict,
        "Predict one node or several: class, probabilities, and the labelled nodes that carry the score.",
        replies.Predictions,
        requests.Predict,
        hot=True,
    ),
    Route(
        "GET",
        f"{PROJECT}/predict",
        predict_by_query,
        "Predict one node.",
        replies.Predictions,
        query=requests.PredictQuery,
    ),
    Route("GET", f"{PROJECT}/node", node, "Show a node.", replies.Card, query=requests.NodeQuery),
    Route(
        "GET",
        f"{PROJECT}/search",
        search,
        "Find nodes by their ids and by words in their texts.",
        replies.FoundNodes,
        query=requests.SearchQuery,
    ),
    Route(
        "GET",
        f"{PROJECT}/history",
        history,
        "List events; annotators do not see what would lead them.",
        replies.History,
        query=requests.HistoryQuery,
    ),
    Route("GET", f"{PROJECT}/progress", progress, "Say how far it is.", replies.Progress),
    Route("GET", f"{PROJECT}/curves", curves, "Say how labels, mistakes and the limit went.", replies.Curves),
    Route("GET", f"{PROJECT}/audit", audit, "Say how the random check stands.", replies.AuditState),
    Route(
        "POST",
        f"{PROJECT}/audit",
        do_audit,
        "Begin or end a random check.",
        replies.AuditState,
        requests.Audit,
        role=Role.ADMIN,
    ),
    Route(
        "GET",
        f"{PROJECT}/people",
        people,
        "Say who did what, and how far people agree; annotators see themselves only.",
        replies.PeopleState,
    ),
    Route(
        "GET",
        f"{PROJECT}/map",
        whole_map,
        "Give the whole graph with places, or a sample of it.",
        replies.Map,
        also={202: replies.Drawing},
    ),
    Route(
        "GET",
        f"{PROJECT}/neighbourhood",
        neighbourhood,
        "Give the nodes around one, with places.",
        replies.Map,
        query=requests.AroundQuery,
        also={202: replies.Drawing},
    ),
)
