"""What a project says about itself: how far it is, how it went, who did what, and where people disagree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ohmline.checks import count, shown, text
from ohmline.labelling.answers import id_of, written_id
from ohmline.labelling.checking import Check, most_of
from ohmline.project.agreement import krippendorff
from ohmline.project.auditing import sentence
from ohmline.project.ledger import GOLD, QUERY

if TYPE_CHECKING:
    from ohmline.project.project import Project
    from ohmline.store.events import Event

POINTS = 1000
"""The most points of a curve."""


def progress(project: Project) -> dict[str, Any]:
    """How far a project is."""
    ledger, settings, check = project.ledger, project.settings, project.checks.running
    nodes, labels, skipped = len(project.nodes), len(ledger.labels), len(ledger.skipped())
    limit = project.checks.limit
    reached = settings.goal is not None and limit is not None and limit.share <= settings.goal
    stage = "reached" if reached else "checking" if check is not None else "learning"
    if stage != "reached" and labels + skipped >= nodes:
        stage = "finished"
    more: int | None = None
    if stage in ("reached", "finished"):
        more = 0
    elif settings.goal is not None and check is not None:
        more = project.checks.more()
    elif settings.goal is not None and nodes > labels:
        more = project.checks.least_more()
    if more is not None and project.checks.seeks:
        more *= 2  # every other question looks for the class
    found = {
        "stage": stage,
        "nodes": nodes,
        "labels": labels,
        "imported": len(ledger.votes.imported),
        "skipped": skipped,
        "estimate": project.desk.estimate(),
        "goal": settings.goal,
        "confidence": settings.confidence,
        "limit": None
        if limit is None
        else {
            "share": limit.share,
            "wrong": limit.wrong,
            "remaining": limit.remaining,
            "sampled": limit.sampled,
            "found": limit.found,
        },
        "more": more,
        "may_stop": stage in ("reached", "finished"),
    }
    words = sentence(found)
    if check is not None and settings.goal is not None and stage in ("checking", "reached"):
        words += _about_rare(check, settings.goal, project.checks.seeks, ledger.looks_for)
    return {**found, "sentence": words}


def _about_rare(check: Check, goal: float, seeks: bool, wanted: Any) -> str:
    """What the limit of a check does not say where one common class would pass it, or one class is looked for."""
    words = ""
    if 1 - check.commonest_share < goal:
        words = (
            f" {most_of(check.commonest_share)} of the predictions are {shown(check.commonest)}: to say so of every "
            "node would pass as well, so this does not say how many of the others are found."
        )
    if seeks:
        sought = "a class" if wanted is None else shown(wanted)
        words += f" The project looks for {sought}: its questions go on beside the check and after it."
    return words


def curves(project: Project) -> dict[str, Any]:
    """How labels, mistakes and the limit went."""
    trials = project.ledger.tally.trials
    seqs, counts, wrong, of = [], [], [], []
    labels, mistakes, asked = len(project.ledger.votes.imported), 0, 0
    for seq, (given, is_wrong) in trials.items():
        labels, asked, mistakes = labels + given, asked + (given == 1), mistakes + is_wrong
        seqs.append(seq)
        counts.append(labels)
        wrong.append(mistakes)
        of.append(asked)
    rate = f"{100 * mistakes / asked:.3g} %" if asked else "none"
    return {
        "labels": {"seq": _thin(seqs), "count": _thin(counts)},
        "mistakes": {
            "count": _thin(wrong),
            "of": _thin(of),
            "certificate": None,
            "certificate_says": "this learner has no theorem that limits its mistakes; the random check does that",
        },
        "audit": _audited(project.checks.points),
        "sentences": {
            "labels": f"{labels:,} labels so far, {len(project.ledger.votes.imported):,} of them were there before.",
            "mistakes": (
                f"Of {asked:,} answers, {mistakes:,} were not what the learner had predicted ({rate}). A query asks "
                "for what is hard, so that this is more than the share of wrong predictions among the rest."
            ),
            "audit": project.progress()["sentence"],
        },
    }


def _audited(points: list[tuple[int, int, float, int, int]]) -> dict[str, list[Any]]:
    """The limit after each answer in a check; between two checks stands a row of None, so that a curve has a gap."""
    rows: list[tuple[Any, ...]] = []
    for k, (number, *row) in enumerate(points):
        if k and points[k - 1][0] != number:
            rows.append((row[0], None, None, None))
        rows.append(tuple(row))
    return {
        name: _thin([row[k] for row in rows]) for k, name in enumerate(("at", "share", "found", "sampled"))
    }


def people(project: Project) -> list[dict[str, Any]]:
    """Who did how much, how fast and how well."""
    return [{"person": name, **account.to_json()} for name, account in project.ledger.tally.people.items()]


def agreement(project: Project) -> dict[str, Any]:
    """Krippendorff's alpha of all votes."""
    votes = ([vote.label for vote in said.values()] for _, said in project.ledger.votes.voted())
    found = krippendorff(votes)
    return {"alpha": found.alpha, "nodes": found.nodes, "pairs": found.pairs}


def disagreements(project: Project) -> list[dict[str, Any]]:
    """The nodes on which people disagree and that nobody has settled."""
    rows = []
    for node, said in project.ledger.votes.voted():
        if len({vote.label for vote in said.values()}) < 2 or project.ledger.votes.settled(node):
            continue
        votes = [
            {"person": who, "label": vote.label, "seq": vote.seq, "time": vote.time}
            for who, vote in said.items()
        ]
        rows.append({"node": written_id(node), "title": project.attributes.title(node), "votes": votes})
    return rows


def gold(project: Project) -> list[dict[str, Any]]:
    """The gold items, and how they were answered."""
    rows = []
    for node, label in project.ledger.gold.items():
        said = project.ledger.votes.of(node)
        rows.append(
            {
                "node": written_id(node),
                "title": project.attributes.title(node),
                "label": label,
                "right": sum(vote.label == label for vote in said.values()),
                "seen": len(said),
            }
        )
    return rows


def history(project: Project, after: int, limit: int, person: str, node: Any) -> list[dict[str, Any]]:
    """Events after a number, from the log."""
    most, wanted = count(limit, "limit", least=1, most=10_000), text(person, "person")
    rows: list[dict[str, Any]] = []
    for event in project.log.read(count(after + 1, "after") - 1):
        if (wanted and event.actor != wanted) or (node is not None and not _is_about(event, node)):
            continue
        rows.append(event_json(project, event))
        if len(rows) == most:
            break
    return rows


def event_json(project: Project, event: Event) -> dict[str, Any]:
    """An event as a page shows it; a gold item looks like any other question."""
    undoable = event.kind in ("labelled", "many-labelled", "skipped", "adjudicated")
    payload = {name: value for name, value in event.payload.items() if name != "request"}
    if payload.get("asked") == GOLD:
        payload["asked"] = QUERY
    return {
        "seq": event.seq,
        "time": event.time,
        "actor": event.actor,
        "kind": event.kind,
        "payload": payload,
        "hash": event.hash,
        "undone": undoable and event.seq not in project.ledger.done,
    }


def _is_about(event: Event, node: Any) -> bool:
    about = event.payload
    return ("node" in about and id_of(about["node"]) == node) or (
        "nodes" in about and any(id_of(each) == node for each in about["nodes"] if not isinstance(each, dict))
    )


def _thin(values: list[Any]) -> list[Any]:
    """At most so many points of a curve, the last one among them."""
    if len(values) <= POINTS:
        return values
    step = len(values) / POINTS
    return [values[min(len(values) - 1, int((k + 1) * step) - 1)] for k in range(POINTS)]
