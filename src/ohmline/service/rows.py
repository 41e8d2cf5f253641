"""What a project knows, in rows: labels, votes, predictions, events, with who and when.

Labels and votes are found by going through the log once more, in a worker thread: they are those of one moment, and
nobody who labels waits meanwhile. Predictions come from the process that thinks ahead, some thousand at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable, Iterator
from itertools import islice
from typing import Any

from ohmline.labelling.answers import id_of, written_id
from ohmline.project import Host, Project
from ohmline.project.ledger import Ledger
from ohmline.project.surveys import seen_survey
from ohmline.project.unseen import seen_label, unseen

Row = dict[str, Any]
ROWS = 1000
"""Rows in one piece."""


async def rows_of(host: Host, what: str, person: str | None = None) -> AsyncIterator[list[Row]]:
    """Rows, piece by piece.

    Parameters
    ----------
    host
        The project.
    what
        labels, votes, predictions or events.
    person
        Who looks; None (default) for somebody who may see everything.
    """
    project = host.project
    if what == "predictions":
        async for piece in _predictions(host, person):
            yield piece
        return
    rows = _READ[what](project, project.seq)
    if person is not None:
        rows = (row for row in rows if not unseen(project, id_of(row["node"]), person))
    while piece := await asyncio.to_thread(lambda: list(islice(rows, ROWS))):
        yield piece


def _events(project: Project, last: int) -> Iterator[Row]:
    for event in project.log.read():
        if event.seq > last:
            return
        yield {
            "seq": event.seq,
            "time": event.time,
            "actor": event.actor,
            "key": event.key,
            "kind": event.kind,
            "payload": dict(event.payload),
            "hash": event.hash,
        }


def _replayed(project: Project, last: int) -> tuple[Ledger, dict[int, float | None]]:
    """What the events up to a number lead to, and how long each answer took."""
    ledger, seconds = Ledger(), {}
    for event in project.log.read():
        if event.seq > last:
            break
        ledger.apply(event)
        if event.kind == "labelled":
            seconds[event.seq] = event.payload["seconds"]
    return ledger, seconds


def _votes(project: Project, last: int) -> Iterator[Row]:
    ledger, seconds = _replayed(project, last)
    for node, said in ledger.votes.voted():
        for person, vote in said.items():
            yield {
                "node": written_id(node),
                "label": vote.label,
                "person": person,
                "time": vote.time,
                "seconds": seconds.get(vote.seq),
                "seq": vote.seq,
                **_text(project, node),
            }


def _labels(project: Project, last: int) -> Iterator[Row]:
    ledger, _ = _replayed(project, last)
    settled = {done.nodes[0]: done for done in ledger.done.values() if done.kind == "adjudicated"}
    times = {event.seq: event.time for event in _of_kind(project, last, "adjudicated")} if settled else {}
    for node, label in ledger.labels.items():
        said = ledger.votes.of(node)
        if node in settled:
            source, people, time = "settled", [settled[node].person], times[settled[node].seq]
        elif said:
            source, people = "people", [person for person, vote in said.items() if vote.label == label]
            time = max(vote.time for vote in said.values())
        else:
            source, people, time = "imported", [], ""
        yield {
            "node": written_id(node),
            "label": label,
            "source": source,
            "person": "; ".join(people),
            "time": time,
            "votes": len(said),
            **_text(project, node),
        }


def _of_kind(project: Project, last: int, kind: str) -> Iterator[Any]:
    return (event for event in project.log.read() if event.seq <= last and event.kind == kind)


_READ: dict[str, Callable[[Project, int], Iterator[Row]]] = {
    "events": _events,
    "votes": _votes,
    "labels": _labels,
}


async def _predictions(host: Host, person: str | None) -> AsyncIterator[list[Row]]:
    project, start = host.project, 0
    while start < len(project.nodes):
        nodes = [project.nodes[k] for k in range(start, min(start + ROWS, len(project.nodes)))]
        start += ROWS
        said = await host.survey(nodes)
        codes, chances = seen_survey(project, nodes, said, person)
        classes, check = project.classes, project.checks.running
        piece = []
        for node, code, chance in zip(nodes, codes, chances, strict=True):
            known = seen_label(project, node, person)
            predicted = classes[code] if 0 <= code < len(classes) else None
            if check is not None and node in check.predictions:  # the limit is about these
                predicted, chance = check.predictions[node], round(check.chances[node], 3)
            piece.append(
                {
                    "node": written_id(node),
                    "label": predicted if known is None else known,
                    "source": "prediction" if known is None else "label",
                    "probability": chance if known is None and predicted is not None else None,
                    **_text(project, node),
                }
            )
        yield piece


def _text(project: Project, node: Hashable) -> Row:
    return {"text": project.attributes.of(node).get("text")}
