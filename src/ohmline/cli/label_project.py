"""`ohmline label` on the folder of a project."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ohmline.cli.declared import share_of
from ohmline.cli.label_work import conclude, expect_terminal, say, user, worked
from ohmline.errors import FileFormatError, ParameterError

if TYPE_CHECKING:
    from ohmline.project.one_person import OnePerson


def _is_ours(table: Path, person: OnePerson) -> bool:
    """Whether a table of labels was written from this project: its nodes and classes are."""
    from ohmline.graph.files.spelling import spelled
    from ohmline.labelling.export import HEADER, rows_of

    rows = rows_of(table)
    nodes, classes = set(spelled(person.project.nodes, table)), {str(label) for label in person.classes}
    return (
        bool(rows)
        and rows[0] == HEADER
        and all(len(r) == 2 and r[0] in nodes and r[1] in classes for r in rows[1:])
    )


def label_project(
    folder: Path,
    given: dict[str, Any],
    goal: str,
    confidence: str,
    out: Path | None,
    predictions: Path | None,
    who: str,
    json: bool,
) -> None:
    """Ask one person, in the log that the service uses too."""
    for name, value in given.items():
        if value:
            raise ParameterError(
                f"{name} is for a graph in a file, and {folder} is a project, which knows its own; leave {name} out"
                + (", and export from the page of ohmline serve" if name == "--export" else "")
            )
    wanted = share_of(goal, "--goal") if goal else None
    sure = share_of(confidence, "--confidence")
    table = out or Path(f"{folder.resolve().name}.labels.csv")
    for flag, path in (("--out", table), ("--predictions", predictions)):
        if path is not None and path.resolve().is_relative_to(folder.resolve()):
            raise ParameterError(
                f"{flag} {path} lies in the project, whose files are its own; name another place"
            )
    expect_terminal()
    begun = time.monotonic()
    say(f"opening {folder} …")
    from ohmline.project import Project
    from ohmline.project.commands import Configure
    from ohmline.project.one_person import OnePerson

    project = Project.open(folder)
    with OnePerson(project, who or user()) as person:
        changes: dict[str, Any] = {}
        if wanted is not None and wanted != project.settings.goal:
            changes["goal"] = wanted
        if wanted is not None and sure != project.settings.confidence:
            changes["confidence"] = sure
        if changes:
            project.do(Configure(changes), person.who)
        if out is None and table.exists() and not _is_ours(table, person):
            raise FileFormatError(
                f"{table} exists and holds no labels of this project; name another file with --out"
            )
        texts = {node: project.attributes.of(node).get("text", "") for node in project.nodes}
        shown = {node: text for node, text in texts.items() if text}
        summary, signalled = worked(person, project.name, shown, table, predictions)
    conclude(summary, begun, signalled, json)
