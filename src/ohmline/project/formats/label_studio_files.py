"""Reading what Label Studio has exported; see `label_studio` for what stands where."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping
from typing import Any

from ohmline.checks import shown, text
from ohmline.errors import FileFormatError
from ohmline.labelling.answers import id_of
from ohmline.learn.classes import writable
from ohmline.project.formats.task import Task, Vote

ABOUT = frozenset(
    ("id", "node", "annotator", "annotation_id", "completed_by", "created_at", "updated_at", "lead_time")
)
"""Columns of JSON-MIN that are about the task and nothing to read."""
LONGEST = 256 << 20
"""The most characters of a file."""
DEEPEST = 4
"""How deep an id may be nested."""


def read_tasks(content: str | bytes, control: str = "") -> list[Task]:
    """Tasks from a file of Label Studio, in either format.

    Parameters
    ----------
    content
        What stands in the file.
    control
        The name of the control whose choices are the labels; "" (default) where there is only one. JSON-MIN does not
        say which of its columns that is: without a name it is `label`, `choice`, `choices` or `sentiment`.
    """
    control, rows = text(control, "control"), _loaded(content)
    if not isinstance(rows, list):
        raise FileFormatError(
            f"a file of Label Studio is a list of tasks, got {shown(rows)}; export JSON or JSON-MIN"
        )
    tasks = []
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise FileFormatError(f"task {number} is {shown(row)}; expected an object")
        read = _task if "data" in row else _short
        tasks.append(read(f"task {number}", row, control))
    return tasks


def _loaded(content: str | bytes) -> Any:
    if not isinstance(content, str | bytes) or len(content) > LONGEST:
        raise FileFormatError(
            f"expected the content of a file of at most {LONGEST >> 20} MB, got {shown(content)}"
        )
    try:
        return json.loads(content, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise FileFormatError(
            f"not a file of Label Studio: {shown(content)} ({type(error).__name__}: {error}); export JSON or JSON-MIN"
        ) from None


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _task(where: str, row: dict[str, Any], control: str) -> Task:
    """A task of the format JSON."""
    data = _object(row["data"], f"{where}: data")
    annotations = [
        _object(each, f"{where}: an annotation")
        for name in ("annotations", "completions")
        for each in _list(row.get(name), f"{where}: {name}")
    ]
    known = _list(_object(row.get("meta") or {}, f"{where}: meta").get("votes"), f"{where}: meta.votes")
    by = known if len(known) == len(annotations) else [{}] * len(annotations)
    votes = tuple(
        _vote(where, one, _object(about, f"{where}: meta.votes"), control)
        for one, about in zip(annotations, by, strict=True)
    )
    prediction, probability = None, None
    for said in _list(row.get("predictions"), f"{where}: predictions")[:1]:
        said = _object(said, f"{where}: a prediction")
        prediction = _choice(f"{where}: a prediction", said, control)
        probability = _number(said.get("score"))
    return Task(_node(where, row, data), _fields(data, ABOUT - {"id"}), votes, prediction, probability)


def _short(where: str, row: dict[str, Any], control: str) -> Task:
    """A row of the format JSON-MIN."""
    names = [control] if control else ["label", "choice", "choices", "sentiment"]
    column = next((name for name in names if name in row), "")
    label = None
    if column:
        said = row[column]
        said = said.get("choices") if isinstance(said, dict) else said
        label = _one(where, said if isinstance(said, list) else [said])
    person, time = row.get("annotator", row.get("completed_by", "")), row.get("created_at", "")
    vote = Vote(label, _person(person), time if isinstance(time, str) else "", _seconds(row.get("lead_time")))
    asked = column or "annotation_id" in row
    return Task(_node(where, row, row), _fields(row, ABOUT | {column}), (vote,) if asked else ())


def _vote(where: str, annotation: dict[str, Any], about: dict[str, Any], control: str) -> Vote:
    time, seconds = annotation.get("created_at") or about.get("time"), annotation.get("lead_time")
    cancelled = annotation.get("was_cancelled") is True
    return Vote(
        None if cancelled else _choice(f"{where}: an annotation", annotation, control),
        _person(annotation.get("completed_by")) or _person(about.get("person")),
        time if isinstance(time, str) else "",
        _seconds(seconds if seconds is not None else about.get("seconds")),
    )


def _choice(where: str, annotation: dict[str, Any], control: str) -> str | None:
    """The one choice of an annotation; None where it made none."""
    chosen: dict[str, list[Any]] = {}
    for region in _regions(where, annotation):
        choices = _object(region.get("value") or {}, f"{where}: a value").get("choices")
        if choices is not None:
            name = region.get("from_name")
            chosen.setdefault(name if isinstance(name, str) else "", []).extend(
                _list(choices, f"{where}: choices")
            )
    if control:
        return _one(where, chosen.get(control, []))
    if len(chosen) > 1:
        raise FileFormatError(
            f"{where} has the controls {shown(sorted(chosen))}; say which one has the labels: control=..."
        )
    return _one(where, [choice for choices in chosen.values() for choice in choices])


def _regions(where: str, annotation: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for region in _list(annotation.get("result"), f"{where}: result"):
        yield _object(region, f"{where}: a part of a result")


def _one(where: str, chosen: list[Any]) -> str | None:
    for choice in chosen:
        if not isinstance(choice, str) or not choice:
            raise FileFormatError(f"{where}: the choice {shown(choice)} is no text")
    if len(set(chosen)) > 1:
        raise FileFormatError(f"{where} chooses {shown(chosen)}; a node has one label")
    return chosen[0] if chosen else None


def _node(where: str, row: Mapping[str, Any], data: Mapping[str, Any]) -> Hashable:
    value = data.get("node", row.get("id"))
    if not _is_id(value, DEEPEST):
        raise FileFormatError(
            f"{where} has the node {shown(value)}; expected data.node or id, a text or a number"
        )
    return id_of(value)


def _is_id(value: Any, depth: int) -> bool:
    if isinstance(value, list):
        return depth > 0 and bool(value) and all(_is_id(part, depth - 1) for part in value)
    return value is not None and not isinstance(value, bool | dict) and writable(value)


def _fields(data: Mapping[str, Any], without: frozenset[str]) -> dict[str, str]:
    """What there is to read: texts and numbers."""
    return {
        name: str(value)
        for name, value in data.items()
        if name not in without and isinstance(value, str | int | float) and not isinstance(value, bool)
    }


def _person(value: Any) -> str:
    """Who: a text, a number of a user, or a user with an address, a name or a number."""
    if isinstance(value, dict):
        found = (value.get(name) for name in ("email", "username", "id"))
        return next((_person(each) for each in found if each), "")
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def _seconds(value: Any) -> float | None:
    found = _number(value)
    return found if found is not None and 0 <= found < 1e9 else None


def _number(value: Any) -> float | None:
    usual = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300
    return float(value) if usual else None


def _object(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise FileFormatError(f"{what} is {shown(value)}; expected an object")
    return value


def _list(value: Any, what: str) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise FileFormatError(f"{what} is {shown(value)}; expected a list")
    return value
