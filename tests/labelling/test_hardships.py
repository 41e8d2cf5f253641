"""A session under hardship: signals, other processes, files that vanish, and answers that contradict each other."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

import ohmline as ohm
from ohmline.errors import FileFormatError, JournalError
from ohmline.labelling import Session, opening
from ohmline.labelling.answers import Answers
from ohmline.store.journal import Event, Journal, read_journal

CLUB = ohm.data.load("karate")
GRAPH = CLUB.graph
TRUTH: dict[Any, Any] = dict(zip(GRAPH.nodes, CLUB.labels, strict=True))
WHEELS = ohm.Graph.from_edges(
    [(k, (k % 60 + step) % 60 + k // 60 * 60) for k in range(120) for step in (2, 4, 7)]
)
SIDES: dict[Any, Any] = {k: "left" if k < 60 else "right" for k in range(120)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "job.jsonl"


def asked(session: Session) -> Any:
    question = session.question()
    assert question is not None
    return question.node


# --- contradictions -----------------------------------------------------------------------------


def test_a_node_that_got_a_label_since_it_was_skipped_is_not_asked_again_by_undo(path: Path) -> None:
    with Session(GRAPH, CLUB.classes, journal=path) as session:
        node = asked(session)
        session.skip()
    with Session(GRAPH, journal=path, labels={node: TRUTH[node]}) as session:
        assert session.undo() is not None
        assert asked(session) != node
        session.answer(TRUTH[asked(session)])
    with Session(GRAPH, journal=path) as session:
        assert len(session.labels) == 2


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("labelled", {"node": 0, "label": CLUB.classes[0]}),
        ("labelled", {"node": 1, "label": "no class"}),
        ("labelled", {"node": "nobody", "label": "no class"}),
        ("imported", {"labels": [[1, CLUB.classes[0]], [0, CLUB.classes[0]]]}),
        ("imported", {"labels": [[1, CLUB.classes[0]], [1, CLUB.classes[0]]]}),
        ("undone", {"seq": 7}),
        ("audit-begun", {"number": 2, "labels": 1, "digest": ""}),
        ("audit-ended", {"number": 1}),
        ("labelled", {}),
    ],
)
def test_an_event_that_does_not_fit_changes_neither_the_state_nor_the_file(
    path: Path, kind: str, payload: dict[str, Any]
) -> None:
    with Session(GRAPH, CLUB.classes, journal=path, labels={0: TRUTH[0]}) as session:
        before = path.read_bytes()
        with pytest.raises(FileFormatError, match="line 3 of the journal"):
            session._write(kind, payload)
        assert path.read_bytes() == before
        assert session.labels == {0: TRUTH[0]}
    state = Answers()
    for event in read_journal(path):
        state.play(event)
    with pytest.raises(FileFormatError):
        state.play(Event(2, "", "", kind, {"label": "no class", **payload}, ""))
    assert (state.labels, state.begun, state.live) == ({0: TRUTH[0]}, 0, [])


@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_done_the_journal_opens_again_with_the_same_labels(
    path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    draw = Random(seed)
    session = Session(GRAPH, CLUB.classes, journal=path, goal=0.3, confidence=0.6)
    for _ in range(40):
        question, what = session.question(), draw.random()
        if question is not None and what < 0.55:
            session.answer(TRUTH[question.node])
        elif question is not None and what < 0.7:
            session.skip()
        elif what < 0.85:
            session.undo()
        else:
            labels = session.labels
            session.close()
            free = [node for node in GRAPH.nodes if node not in labels]
            more = {node: TRUTH[node] for node in free[: draw.randrange(2)]}
            session = Session(GRAPH, journal=path, labels=more, goal=0.3, confidence=0.6)
            assert session.labels == labels | more
    session.close()


def test_a_node_that_was_skipped_is_not_asked_again_in_a_check_and_counts_as_wrong(path: Path) -> None:
    skipped, again, checked = set(), set(), 0
    with Session(GRAPH, CLUB.classes, journal=path, goal=0.3) as session:
        while (question := session.question()) is not None:
            if question.node in skipped:
                again.add(question.node)
            checked += question.asked == "audit"
            if question.asked == "query" and len(skipped) < 3:
                skipped.add(question.node)
                session.skip()
            else:
                session.answer(TRUTH[question.node])
        limit = session.progress().limit
    assert not again
    assert checked > 0
    assert limit is not None
    with Session(GRAPH, journal=path, goal=0.3) as session:
        assert session.progress().limit == limit


# --- signals ------------------------------------------------------------------------------------


class Ended(BaseException):
    """What the signal raises."""


@pytest.fixture
def ending() -> Iterator[None]:
    def end(number: int, frame: object) -> None:
        raise Ended

    before = signal.signal(signal.SIGTERM, end)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize("kind", ["labelled", "skipped", "undone", "audit-begun", "audit-ended"])
@pytest.mark.usefixtures("ending")
def test_a_signal_while_an_event_is_written_finds_it_in_memory_too(
    path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Journal._store
    graph, truth = (WHEELS, SIDES) if kind == "audit-ended" else (GRAPH, TRUTH)
    classes = sorted(set(truth.values()))
    hit: list[int] = []

    def struck(self: Journal, line: bytes, event: Event) -> None:
        store(self, line, event)
        if event.kind == kind and not hit:
            hit.append(event.seq)
            os.kill(os.getpid(), signal.SIGTERM)

    def work(session: Session) -> None:
        for k in range(80):
            question = session.question()
            assert question is not None
            if kind in ("skipped", "undone") and k == 5:
                session.undo() if kind == "undone" else session.skip()
            else:
                right = classes.index(truth[question.node])
                wrong = question.asked == "audit" and kind == "audit-ended"
                session.answer(classes[1 - right if wrong else right])

    monkeypatch.setattr(Journal, "_store", struck)
    with Session(graph, classes, journal=path, goal=0.3) as session:
        with pytest.raises(Ended):
            work(session)
        assert hit
        assert session.journal.events[hit[0]].kind == kind
        labels = session.labels
        progress = session.progress()
        assert session.learner.labelled().sum() == len(labels)
    with Session(graph, journal=path, goal=0.3) as session:
        assert session.labels == labels
        assert session.progress().limit == progress.limit


# --- other processes ----------------------------------------------------------------------------


def test_what_another_one_wrote_before_the_lock_was_had_counts(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Session(GRAPH, CLUB.classes, journal=path)
    node = asked(first)

    def late(*arguments: Any, **options: Any) -> Journal:
        if not first.labels:
            first.answer(TRUTH[node])
            first.close()
        return Journal(*arguments, **options)

    monkeypatch.setattr(opening, "Journal", late)
    with Session(GRAPH, journal=path, labels={node: TRUTH[node]}) as second:
        assert second.labels == {node: TRUTH[node]}
    with Session(GRAPH, journal=path) as third:
        assert third.labels == {node: TRUTH[node]}


def test_a_journal_begun_by_another_one_in_between_is_gone_on_with(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(*arguments: Any, **options: Any) -> Journal:
        if not path.exists():
            about = {**arguments[1], "classes": ["x", *CLUB.classes]}
            Journal(path, about).close()
        return Journal(*arguments, **options)

    monkeypatch.setattr(opening, "Journal", late)
    with Session(GRAPH, ["new", "x", *CLUB.classes], journal=path) as session:
        assert session.classes == ("x", *CLUB.classes, "new")


@pytest.mark.parametrize("way", ["symlink", "hardlink", "head"])
def test_the_lock_holds_by_whatever_name_the_journal_is_opened(path: Path, way: str) -> None:
    other = path.with_name("other.jsonl")
    with Session(GRAPH, CLUB.classes, journal=path) as session:
        if way == "symlink":
            other.symlink_to(path)
        elif way == "hardlink":
            os.link(path, other)
        else:
            other = path
            path.with_name("job.jsonl.head").unlink()
        with pytest.raises(JournalError, match="in use by"):
            Session(GRAPH, journal=other)
        session.answer(TRUTH[asked(session)])
    with Session(GRAPH, journal=other) as session:
        assert len(session.labels) == 1


@pytest.mark.parametrize("way", ["deleted", "replaced"])
def test_nothing_is_acknowledged_into_a_file_that_lost_its_name(path: Path, way: str) -> None:
    with Session(GRAPH, CLUB.classes, journal=path) as session:
        session.answer(TRUTH[asked(session)])
        copy = path.with_name("copy")
        copy.write_bytes(path.read_bytes())
        if way == "deleted":
            path.unlink()
        else:
            copy.replace(path)
        with pytest.raises(JournalError, match=rf"job\.jsonl was {way}.* while it was open"):
            session.answer(TRUTH[asked(session)])
        with pytest.raises(JournalError, match=f"it was {way}"):
            session.skip()
        assert len(session.labels) == 1
    if way == "deleted":
        copy.replace(path)
    with Session(GRAPH, journal=path) as session:
        assert len(session.labels) == 1
