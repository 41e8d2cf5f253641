"""The OpenAPI document, from the same table that routes and checks come from."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from ohmline.service.ids import DEEPEST, LARGEST, LONGEST_TEXT, MOST_PARTS
from ohmline.service.people import Role
from ohmline.service.route import Route
from ohmline.service.shapes.replies import ProblemDocument
from ohmline.version import __version__

REF = "#/components/schemas/{name}"
_ID = {
    "anyOf": [
        {"type": "string", "minLength": 1, "maxLength": LONGEST_TEXT},
        {"type": "integer", "minimum": -LARGEST, "maximum": LARGEST - 1},
        {"type": "number"},
    ]
}
HAND_MADE = {
    "Label": {"description": "A class: a string or a number.", **_ID},
    "Node": {
        "description": f"A node: a string, a number, or a list of such, up to {DEEPEST} deep.",
        "anyOf": [
            *_ID["anyOf"],
            {"type": "array", "items": _ID, "minItems": 1, "maxItems": MOST_PARTS},
        ],
    },
    "Edge": {
        "description": "Two nodes, and a weight if it is not 1.",
        "type": "array",
        "prefixItems": [
            {"$ref": REF.format(name="Node")},
            {"$ref": REF.format(name="Node")},
            {"type": "number", "minimum": -1e12, "maximum": 1e12},
        ],
        "minItems": 2,
        "maxItems": 3,
    },
    "Pair": {
        "description": "A node and its class.",
        "type": "array",
        "prefixItems": [{"$ref": REF.format(name="Node")}, {"$ref": REF.format(name="Label")}],
        "minItems": 2,
        "maxItems": 2,
    },
}
_MARKS = {
    '{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"number"},{"type":"array"}]}': "Node",
    '{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"number"}]}': "Label",
    '{"type":"array","maxItems":3,"minItems":2}': "Edge",
    '{"type":"array","minItems":2,"maxItems":3}': "Edge",
    '{"type":"array","maxItems":2,"minItems":2}': "Pair",
    '{"type":"array","minItems":2,"maxItems":2}': "Pair",
}
"""How msgspec writes the shapes that only a check by hand knows whole."""
EVERYWHERE = (400, 405, 421, 500, 503)
WITH_TOKEN = (401, 403, 429)
_PARAMETER = re.compile(r"{(\w+)}")


def document(routes: Iterable[Route]) -> dict[str, Any]:
    """The OpenAPI 3.1 document of a table of routes.

    Parameters
    ----------
    routes
        The table.
    """
    table = tuple(routes)
    shapes: set[type[msgspec.Struct]] = {ProblemDocument}
    for route in table:
        shapes |= {s for s in (route.body, route.query, route.reply, *route.also.values()) if s is not None}
    ordered = sorted(shapes, key=lambda shape: shape.__name__)
    _, components = msgspec.json.schema_components(ordered, ref_template=REF)
    schemas = {name: _marked(schema) for name, schema in components.items()}
    paths: dict[str, Any] = {}
    for route in table:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, schemas)
    for shape in {route.query for route in table if route.query is not None}:
        schemas.pop(shape.__name__, None)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Ohmline",
            "version": __version__,
            "description": "A graph, a live learner and the people who label. Errors are problem documents (RFC 9457).",
            "license": {"name": "BSD-3-Clause", "identifier": "BSD-3-Clause"},
        },
        "paths": paths,
        "components": {
            "schemas": dict(sorted((schemas | HAND_MADE).items())),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(route: Route, schemas: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "summary": route.about,
        "operationId": f"{route.method.lower()}_{re.sub('[^a-z]+', '_', route.path.lower()).strip('_')}",
        "responses": _responses(route),
    }
    if route.role is not None:
        found["security"] = [{"token": []}]
    if route.role is Role.ADMIN:
        found["description"] = "For admins."
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in _PARAMETER.findall(route.path)
    ]
    if route.query is not None:
        parameters += _query_parameters(schemas[route.query.__name__])
    if parameters:
        found["parameters"] = parameters
    if route.body is not None:
        schema = {"$ref": REF.format(name=route.body.__name__)}
        found["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    elif route.takes_body:
        found["requestBody"] = {"required": True, "content": {kind: {"schema": {}} for kind in route.takes}}
    return found


def _query_parameters(schema: dict[str, Any]) -> list[dict[str, Any]]:
    required = schema.get("required", [])
    return [
        {"name": name, "in": "query", "required": name in required, "schema": about}
        for name, about in schema["properties"].items()
    ]


def _responses(route: Route) -> dict[str, Any]:
    problems = {*EVERYWHERE, *route.may_be}
    if route.role is not None:
        problems |= set(WITH_TOKEN)
    if route.of_project:
        problems |= {404, 409}
    if route.takes_body:
        problems |= {413, 415}
    problems.add(422)
    media = {} if route.reply is None else {"schema": {"$ref": REF.format(name=route.reply.__name__)}}
    found: dict[str, Any] = {
        str(route.status): {"description": "Done.", "content": dict.fromkeys(route.media_types, media)}
    }
    for status, shape in route.also.items():
        content = {"application/json": {"schema": {"$ref": REF.format(name=shape.__name__)}}}
        found[str(status)] = {"description": "Not yet.", "content": content}
    problem = {"schema": {"$ref": REF.format(name="ProblemDocument")}}
    for status in sorted(problems):
        found[str(status)] = {"description": "A problem.", "content": {"application/problem+json": problem}}
    return dict(sorted(found.items()))


def _marked(schema: Any) -> Any:
    """A schema with the shapes that only a check by hand knows whole, by reference."""
    if isinstance(schema, list):
        return [_marked(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    mark = _MARKS.get(msgspec.json.encode(schema).decode())
    if mark is not None:
        return {"$ref": REF.format(name=mark)}
    kinds = schema.get("anyOf")
    if kinds is not None and {"type": "null"} in kinds:
        rest = [kind for kind in kinds if kind != {"type": "null"}]
        mark = _MARKS.get(msgspec.json.encode({"anyOf": rest}).decode())
        if mark is not None:
            return {**schema, "anyOf": [{"$ref": REF.format(name=mark)}, {"type": "null"}]}
    return {name: _marked(value) for name, value in schema.items()}
