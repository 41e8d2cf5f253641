"""New nodes and edges, and nodes that arrive on a stream."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

from ohmline.checks import number, shown, text
from ohmline.errors import GraphError, ParameterError
from ohmline.labelling.answers import written_id
from ohmline.learn.classes import writable
from ohmline.project import commands as c
from ohmline.project.batch import Batch, Plan, Request
from ohmline.project.cards import predicted
from ohmline.project.drafting import single

if TYPE_CHECKING:
    from ohmline.project.project import Project

LONGEST_FIELD = 100_000
"""The most characters of one field of a node."""


def plan_grow(project: Project, request: Request, batch: Batch) -> Plan:
    """New nodes and edges."""
    command: c.Grow = request.command  # type: ignore[assignment]
    batch.alone()
    nodes = [(_id(node), checked_fields(fields)) for node, fields in command.nodes]
    edges = [(a, b, number(weight, "weight of an edge")) for a, b, weight in command.edges]
    if not nodes and not edges:
        raise GraphError("there is neither a node nor an edge to add; name some")
    project.model.expect_room_for((node for node, _ in nodes), edges)
    payload = {
        "nodes": [[written_id(node), fields] for node, fields in nodes],
        "edges": [[written_id(a), written_id(b), weight] for a, b, weight in edges],
    }
    return single(project, request, batch, "grown", payload)


def before_arrival(project: Project, command: c.Arrive, actor: str) -> c.Grow | None:
    """What has to be added to the graph before a node can arrive; None where it has it already, or nothing fits."""
    if (actor, command.key) in project.ledger.keys and command.key:
        return None  # it came before, and is answered as it was
    for end in (end for edge in command.edges for end in edge[:2] if end != command.node):
        project.known(end)
    fresh = command.node not in project.nodes
    _expect_arrival(project, command.node)
    nodes = ((command.node, command.fields or {}),) if fresh else ()
    edges = tuple(edge for edge in command.edges if not _is_there(project, edge))
    return c.Grow(nodes, edges) if nodes or edges else None


def _is_there(project: Project, edge: tuple[Hashable, Hashable, float]) -> bool:
    a, b = edge[:2]
    return a in project.nodes and b in project.model.neighbours(a)


def _expect_arrival(project: Project, node: Hashable) -> None:
    """Refuse a node that cannot arrive, before anything is added for it."""
    if not project.model.recipe.streams:
        raise ParameterError(
            "nodes arrive in a project whose recipe has a query on a stream (GapBelow, VarianceAbove), and this one "
            "has a pool; ask for questions with next instead"
        )
    if node in project.ledger.arrived:
        raise ParameterError(f"node {shown(node)} has arrived already; a node arrives once")


def plan_arrive(project: Project, request: Request, batch: Batch) -> Plan:
    """A node that arrives: predicted now, and wanted or not."""
    command: c.Arrive = request.command  # type: ignore[assignment]
    batch.alone()
    node = project.known(command.node)
    _expect_arrival(project, node)
    said, wanted = predicted(project, node, 0), project.desk.wants(node)
    why = "the learner is not sure of it" if wanted else "the learner is sure enough, or knows it"
    payload = {
        "node": written_id(node),
        "wanted": wanted,
        "predicted": said.prediction,
        "probabilities": [[label, round(chance, 6)] for label, chance in said.probabilities],
        "why": why,
    }
    return single(project, request, batch, "arrived", payload)


def checked_fields(fields: Any) -> dict[str, str]:
    """Fields of a node: texts by name."""
    if not isinstance(fields, Mapping):
        raise ParameterError(f"the fields of a node must be a dict from names to texts, got {shown(fields)}")
    for name, value in fields.items():
        if (
            len(text(name, "a field's name")) > 200
            or len(text(value, f"field {shown(name)}")) > LONGEST_FIELD
        ):
            raise ParameterError(
                f"field {shown(name)} is too long; a name has at most 200 characters, a text {LONGEST_FIELD:,}"
            )
    return dict(fields)


def _id(node: Any) -> Hashable:
    if isinstance(node, bool) or not writable(node):  # a learner takes no other once it has begun
        raise GraphError(f"{shown(node)} cannot be the id of a new node; use a text or a number")
    if isinstance(node, float) and node.is_integer():
        return int(node)  # 1.0 and 1 are the same key of a dict, and the same node
    found: Hashable = node
    return found
