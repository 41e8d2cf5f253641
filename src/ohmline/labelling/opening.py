"""A journal for one graph: made, or found and compared with the graph, the classes and the labels."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ohmline.checks import file_path, instance, listed, shown, text
from ohmline.errors import ConflictingLabels, JournalError, LabelError, UnknownNode
from ohmline.graph.files.labels import is_label, written_form
from ohmline.graph.graph import Graph, expect_graph
from ohmline.labelling.answers import Answers, written_id
from ohmline.learn import LocalLGC
from ohmline.learn.labels import plain_label
from ohmline.store.graphs import known_by
from ohmline.store.journal import FIRST, Event, Journal, read_journal


def opened(
    graph: Graph,
    classes: Iterable[Any] | None,
    path: Any,
    *,
    labels: Mapping[Hashable, Any] | None,
    source: str,
    who: str,
    seed: int,
) -> Journal:
    """The journal, with the labels that it lacks; nothing is written where something does not fit."""
    expect_graph(graph)
    place = file_path(path, "journal")
    known = _plain_labels(graph, labels)
    found = read_journal(place) if place.exists() else []
    wanted, fresh = _plan(found, graph, classes, known, source, place)
    about = {"graph": known_by(graph), "classes": list(wanted), "seed": seed}
    journal = Journal(place, about, actor=text(who, "who"))
    try:
        if not found or [e.hash for e in found] != [e.hash for e in journal.events]:
            # Only now is nobody else at it: what another one wrote in between counts too.
            found = journal.events
            wanted, fresh = _plan(found, graph, classes, known, source, place)
        there = sum(len(e.payload["classes"]) for e in found if e.kind in (FIRST, "classes-added"))
        if len(wanted) > there:
            journal.append("classes-added", {"classes": wanted[there:]})
        if fresh:
            pairs = [[written_id(node), label] for node, label in fresh.items()]
            journal.append("imported", {"labels": pairs, "source": source})
    except BaseException:
        journal.close()
        raise
    return journal


def _plan(
    events: list[Event],
    graph: Graph,
    classes: Iterable[Any] | None,
    known: Mapping[Hashable, Any],
    source: str,
    path: Path,
) -> tuple[list[Any], dict[Hashable, Any]]:
    """The classes that a journal shall have, and the labels that it lacks; refused where something does not fit."""
    if events:
        _expect_same(events[0], graph, path)
    before = Answers(graph.nodes)
    for event in events:
        before.play(event)
    wanted = _classes(before.classes, classes, known, path)
    LocalLGC(graph, wanted, guess=True)  # refuses what cannot be learned, before anything is written
    named = {written_form(label): label for label in wanted}
    known = {node: named.get(written_form(label), label) for node, label in known.items()}
    return wanted, _fresh(before, known, wanted, source or "the labels", path)


def _expect_same(first: Event, graph: Graph, path: Path) -> None:
    """Refuse a journal about another graph."""
    about = first.payload.get("graph")
    there = about if isinstance(about, dict) else {}
    if there.get("fingerprint") != graph.fingerprint:
        raise JournalError(
            f"{path} is about another graph, with {there.get('nodes')} nodes and {there.get('edges')} edges; this one "
            f"has {graph.n} and {graph.n_edges}, or other ids or weights: give that graph, or another journal"
        )


def _plain_labels(graph: Graph, labels: Mapping[Hashable, Any] | None) -> dict[Hashable, Any]:
    if labels is None:
        return {}
    found: dict[Hashable, Any] = {}
    for node, label in instance(labels, Mapping, "labels", "give a dict from nodes to labels").items():
        if node not in graph.nodes:
            raise UnknownNode(
                f"labels: unknown node {shown(node)}; the graph has {graph.n} nodes, for example {graph.nodes[0]!r}"
            )
        if (plain := plain_label(label)) is not None:
            found[graph.nodes[graph.nodes.position(node)]] = plain
    return found


def _classes(
    before: list[Any], classes: Iterable[Any] | None, known: Mapping[Hashable, Any], path: Path
) -> list[Any]:
    """The classes that are wanted: those of the journal first."""
    if classes is None:
        if not before and not known:
            raise LabelError("no classes are declared, and no label names one; declare them in classes")
        wanted = before or sorted(set(known.values()), key=lambda label: (isinstance(label, str), label))
    else:
        known_as = {written_form(label): label for label in before}
        declared = [plain_label(label) for label in listed(classes, "classes")]
        declared = [known_as.get(written_form(label), label) for label in declared]
        missing = [label for label in before if label not in declared]
        if missing:
            raise LabelError(
                f"{path} has the class {missing[0]!r}, which is not among the declared ones; a class can be added "
                "later, but not taken away"
            )
        wanted = before + [label for label in declared if label not in before]
        if len(declared) != len(set(declared)):
            twice = next(label for label in declared if declared.count(label) > 1)
            raise LabelError(f"class {twice!r} is declared twice; name each class once")
    expect_written(wanted[len(before) :], before)
    return list(wanted)


def expect_written(fresh: Iterable[Any], before: Iterable[Any]) -> None:
    """Refuse classes that could not be told apart, or not be read back, once they are written into a file."""
    there = {written_form(label): label for label in before}
    for label in fresh:
        form = written_form(label)
        if form in there:
            raise LabelError(
                f"classes {there[form]!r} and {label!r} would be the same in a file; rename one of them"
            )
        if label is not None and not is_label(form):
            raise LabelError(
                f"class {label!r} could not be read back from a file: it is empty, says that a label is missing, or "
                "has blanks around it or control characters in it; rename it"
            )
        there[form] = label


def _fresh(
    before: Answers, known: Mapping[Hashable, Any], classes: list[Any], source: str, path: Path
) -> dict[Hashable, Any]:
    """The labels that the journal does not have yet, none of which may contradict it."""
    for node, label in known.items():
        if label not in classes:
            raise LabelError(
                f"{source}: node {node!r} has the label {label!r}, which is not among the classes {shown(classes)}; "
                "declare it, or mend the label"
            )
        if node in before.labels and before.labels[node] != label:
            raise ConflictingLabels(
                f"{source}: node {node!r} has the label {label!r}, and {path} says {before.labels[node]!r}; keep one "
                "of the two"
            )
    return {node: label for node, label in known.items() if node not in before.labels}
