"""Projects: list, make, look at, change, grow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import UNSET

from ohmline.errors import ParameterError
from ohmline.project import Host, Project, Settings
from ohmline.project import commands as c
from ohmline.recipes import find
from ohmline.service.building import edges_of, fields_of, graph_of, labels_of
from ohmline.service.ids import label_of, node_of
from ohmline.service.people import Role
from ohmline.service.reply import Answer, answer
from ohmline.service.route import PROJECT, Call, Route
from ohmline.service.routes.doing import do
from ohmline.service.shapes import replies, requests


async def projects(call: Call) -> Answer:
    """Every project, also those that cannot be opened."""
    workspace = call.state.workspace
    found = [_summary(id, host) for id, host in workspace]
    found += [{"id": id, "name": id, "problem": why} for id, why in workspace.broken.items()]
    return answer({"projects": found})


async def create(call: Call) -> Answer:
    """Make a project, whole or not at all."""
    new: requests.NewProject = call.body
    settings = Settings(**_set(new.settings)) if new.settings is not None else Settings()
    classes = [label_of(each) for each in new.classes]
    wanted = None if new.wanted is None else label_of(new.wanted)
    if new.recipe:
        find(new.recipe)

    def make(folder: Path) -> None:
        Project.create(
            folder,
            graph=graph_of(new.graph, new.nodes),
            classes=classes,
            name=new.name,
            labels=labels_of(new.labels),
            nodes={node_of(each.id): fields_of(each) for each in new.nodes},
            settings=settings,
            recipe=new.recipe,
            actor=call.person.name,
            wanted=wanted,
        )

    host = await call.state.workspace.create(new.id, new.name, make)
    return answer(_summary(host.project.id, host), 201)


async def project(call: Call) -> Answer:
    """What a project is, and how far."""
    here = call.project
    return answer(
        {
            "id": call.path["p"],
            "name": here.name,
            "classes": here.classes,
            "settings": here.settings.to_json(),
            "mode": "stream" if here.model.recipe.streams else "pool",
            "nodes": len(here.nodes),
            "edges": here.graph.n_edges,
            "seq": here.seq,
            "hash": here.hash,
            "progress": here.progress(),
            "role": call.person.role.value,
            "person": call.person.name,
            "looking_for": here.ledger.looks_for,
        }
    )


async def configure(call: Call) -> Answer:
    """Change settings."""
    changes = _set(call.body)
    if not changes:
        raise ParameterError("no setting is named; name one, such as goal")
    return answer(await do(call, c.Configure(changes)))


async def classes(call: Call) -> Answer:
    """Add classes, or remove one."""
    change: requests.ClassChange = call.body
    if (change.add is None) == (change.remove is None):
        raise ParameterError(
            "one of add and remove is wanted, and not both; name classes to add, or one to remove"
        )
    if change.add is not None:
        return answer(await do(call, c.AddClasses(tuple(map(label_of, change.add)), key=change.key)))
    return answer(await do(call, c.RemoveClass(label_of(change.remove), key=change.key)))


async def add_nodes(call: Call) -> Answer:
    """Add nodes."""
    new: requests.NewNodes = call.body
    nodes = tuple((node_of(each.id), fields_of(each)) for each in new.nodes)
    return answer(await do(call, c.Grow(nodes, key=new.key)))


async def add_edges(call: Call) -> Answer:
    """Add edges."""
    new: requests.NewEdges = call.body
    return answer(await do(call, c.Grow(edges=tuple(edges_of(new.edges)), key=new.key)))


async def arrive(call: Call) -> Answer:
    """A node of the stream."""
    new: requests.Arrived = call.body
    command = c.Arrive(node_of(new.node), new.fields or None, tuple(edges_of(new.edges)), key=new.key)
    return answer(await do(call, command))


def _set(changes: Any) -> dict[str, Any]:
    found = {name: getattr(changes, name) for name in changes.__struct_fields__}
    return {name: value for name, value in found.items() if value is not UNSET}


def _summary(id: str, host: Host) -> dict[str, Any]:
    here = host.project
    labels = len(here.ledger.labels)
    return {"id": id, "name": here.name, "nodes": len(here.nodes), "labels": labels, "classes": here.classes}


ROUTES = (
    Route("GET", "/api/projects", projects, "List the projects.", replies.Projects),
    Route(
        "POST",
        "/api/projects",
        create,
        "Make a project from a graph and its classes.",
        replies.Summary,
        requests.NewProject,
        role=Role.ADMIN,
        size="large",
        status=201,
        may_be=(404, 409),
    ),
    Route("GET", PROJECT, project, "Say what a project is, and how far.", replies.ProjectState),
    Route(
        "POST",
        f"{PROJECT}/settings",
        configure,
        "Change settings.",
        replies.Written,
        requests.Changes,
        role=Role.ADMIN,
    ),
    Route(
        "POST",
        f"{PROJECT}/classes",
        classes,
        "Add classes, or remove one that no label has.",
        replies.Written,
        requests.ClassChange,
        role=Role.ADMIN,
    ),
    Route(
        "POST",
        f"{PROJECT}/nodes",
        add_nodes,
        "Add nodes.",
        replies.Written,
        requests.NewNodes,
        role=Role.ADMIN,
        size="large",
    ),
    Route(
        "POST",
        f"{PROJECT}/edges",
        add_edges,
        "Add edges.",
        replies.Written,
        requests.NewEdges,
        role=Role.ADMIN,
        size="large",
    ),
    Route(
        "POST",
        f"{PROJECT}/arrivals",
        arrive,
        "Say that a node of the stream has come; the reply says whether its label is wanted.",
        replies.Arrival,
        requests.Arrived,
        role=Role.ADMIN,
    ),
)
