"""A session of labelling: what is asked, what is kept, what is taken back, and what is refused."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ohmline as ohm
from ohmline.errors import (
    ConflictingLabels,
    FileFormatError,
    JournalError,
    LabelError,
    ParameterError,
    UnknownNode,
)
from ohmline.labelling import Session, Stage, asking
from ohmline.labelling.answers import Answers
from ohmline.labelling.export import labels_in
from ohmline.store.journal import Journal, read_journal

EDGES = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e"), ("e", "f"), ("f", "d"), ("g", "h")]
GRAPH = ohm.Graph.from_edges(EDGES)
TRUTH = dict(zip("abcdefgh", ["red"] * 3 + ["blue"] * 5, strict=True))
CLASSES = ["red", "blue"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "job.jsonl"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Coarser choices, which do not matter in some tests, so that they take less time."""
    monkeypatch.setattr(asking, "SAMPLE", 20)


def answer_all(session: Session, truth: dict[Hashable, Any], most: int = 10**6) -> int:
    """Answer until nothing is asked; how many answers that took."""
    given = 0
    while given < most and (question := session.question()) is not None:
        session.answer(truth[question.node])
        given += 1
    return given


def blocks(n: int, classes: int, noise: float, seed: int) -> tuple[ohm.Graph, dict[Hashable, int]]:
    """A graph of communities whose labels are their class, but for a share of noise."""
    rng = np.random.default_rng(seed)
    side = np.arange(n) % classes
    same = side[:, None] == side[None, :]
    joined = np.triu(rng.random((n, n)) < np.where(same, 8.0 * classes / n, 0.5 / n), 1)
    joined[np.arange(n - classes), np.arange(n - classes) + classes] = True
    graph = ohm.Graph.from_edges(
        list(zip(*(ends.tolist() for ends in joined.nonzero()), strict=True)), nodes=range(n)
    )
    flipped = rng.random(n) < noise
    label = np.where(flipped, rng.integers(0, classes, n), side)
    return graph, dict(enumerate(label.tolist()))


# --- asking -------------------------------------------------------------------------------------


def test_every_node_is_asked_once_and_no_more(path: Path) -> None:
    with Session(GRAPH, CLASSES, journal=path) as session:
        assert answer_all(session, TRUTH) == 8
        assert session.labels == TRUTH
        assert session.progress().stage is Stage.FINISHED
        with pytest.raises(ParameterError, match="nothing is asked"):
            session.answer("red")


def test_a_question_stays_until_it_is_answered(path: Path) -> None:
    with Session(GRAPH, CLASSES, journal=path) as session:
        first = session.question()
        session.progress()
        assert session.question() == first
        with pytest.raises(LabelError, match="'green' is not among the classes"):
            session.answer("green")
        assert session.question() == first
        session.answer("red")
        assert session.question() != first


def test_undo_takes_back_one_answer_after_the_other_and_asks_again(path: Path) -> None:
    with Session(GRAPH, CLASSES, journal=path) as session:
        asked = []
        for _ in range(3):
            question = session.question()
            assert question is not None
            asked.append(question.node)
            session.answer(TRUTH[question.node])
        for node in reversed(asked):
            assert session.undo() is not None
            question = session.question()
            assert question is not None
            assert question.node == node
            assert node not in session.labels
        assert session.undo() is None
        assert session.labels == {}
        assert session.learner.predict_one("a") is None


def test_a_skipped_node_is_not_asked_again_and_is_not_labelled(path: Path) -> None:
    with Session(GRAPH, CLASSES, journal=path) as session:
        question = session.question()
        assert question is not None
        session.skip()
        answer_all(session, TRUTH)
        assert set(session.labels) == set(TRUTH) - {question.node}
        assert session.progress().skipped == 1
        for _ in range(7):
            session.undo()
        assert session.progress().skipped == 1
        session.undo()
        assert session.progress().skipped == 0
        again = session.question()
        assert again is not None
        assert again.node == question.node


def test_the_reasons_are_shares_of_labelled_nodes(path: Path) -> None:
    with Session(GRAPH, CLASSES, journal=path, labels={"a": "red", "e": "blue"}) as session:
        opinion = session.opinion("b")
        assert opinion.prediction == "red"
        assert list(opinion.probabilities) == ["red", "blue"]
        assert [share.node for share in opinion.because] == ["a", "e"]
        assert sum(share.share for share in opinion.because) == pytest.approx(1)
        unreached = session.opinion("g")
        assert not unreached.reached
        assert unreached.because == ()
        assert session.neighbours("c")[0].node == "a"


def test_shares_are_those_of_the_exact_solution(path: Path) -> None:
    graph, truth = blocks(60, 2, 0.0, 3)
    known = {node: truth[node] for node in range(0, 60, 7)}
    with Session(graph, [0, 1], journal=path, labels=known) as session:
        learner = session.learner
        unit = float(graph.weights.mean())
        q = graph.laplacian().toarray() / unit + learner.ridge * np.eye(60)
        q[list(known), list(known)] += 1 / learner.mu
        x = np.linalg.solve(q, np.eye(60)[:, 5])
        exact = {node: x[node] for node in known}
        total = sum(exact.values())
        for share in session.opinion(5).because:
            assert share.share == pytest.approx(exact[share.node] / total, abs=0.01)
            assert share.label == truth[share.node]


# --- going on -----------------------------------------------------------------------------------


def test_a_session_goes_on_where_it_was_left(path: Path) -> None:
    with Session(GRAPH, CLASSES, journal=path, who="ann") as session:
        answer_all(session, TRUTH, 3)
        session.skip()
        answer_all(session, TRUTH, 1)
        session.undo()
        before, skipped, waiting = session.labels, session.progress().skipped, session.question()
    with Session(GRAPH, journal=path, who="bob") as session:
        assert session.labels == before
        assert session.progress().skipped == skipped
        assert session.classes == tuple(CLASSES)
        question = session.question()
        assert question is not None
        assert waiting is not None
        session.answer(TRUTH[question.node])
    assert {event.actor for event in read_journal(path)} == {"ann", "bob"}
    assert len(labels_in(path)) == len(before) + 1


@pytest.mark.usefixtures("quick")
def test_a_check_goes_on_where_it_was_left(path: Path) -> None:
    graph, truth = blocks(200, 2, 0.0, 0)
    options: dict[str, Any] = {"journal": path, "goal": 0.2}
    limits = []
    for _ in range(40):  # a new process after each answer
        with Session(graph, [0, 1], **options) as session:
            answer_all(session, truth, 2)
            limits.append(session.progress().limit)
            stage = session.progress().stage
        if stage is Stage.REACHED:
            break
    assert stage is Stage.REACHED
    sampled = [limit.sampled for limit in limits if limit is not None]
    assert sampled == sorted(sampled)
    with Session(graph, [0, 1], **options) as session:
        assert session.question() is None
        assert session.predictions()[0][0] == truth[0]


@pytest.mark.usefixtures("quick")
def test_undo_in_a_check_and_before_it(path: Path) -> None:
    graph, truth = blocks(200, 2, 0.0, 0)
    with Session(graph, [0, 1], journal=path, goal=0.2) as session:
        while session.progress().limit is None:
            answer_all(session, truth, 1)
        question = session.question()
        assert question is not None
        assert question.audit == 1
        session.answer(1 - truth[question.node])
        assert session.progress().limit.found == 1  # type: ignore[union-attr]
        session.undo()
        assert session.question() == question
        session.answer(truth[question.node])
        assert session.progress().limit.found == 0  # type: ignore[union-attr]
        session.undo()
        session.skip()
        assert session.progress().limit.found == 1  # type: ignore[union-attr]
        session.undo()
        session.undo()  # the last answer before the check
        assert session.notes == ["the answer was older than check 1, which is therefore given up"]
        after = session.question()
        assert after is not None
        assert after.asked == "query"
        session.answer(truth[after.node])
        again = session.question()
        assert again is not None
    with Session(graph, [0, 1], journal=path, goal=0.2) as session:
        assert session.question() is not None


@pytest.mark.usefixtures("quick")
def test_predictions_that_come_out_otherwise_are_checked_anew(path: Path) -> None:
    graph, truth = blocks(200, 2, 0.0, 0)
    with Session(graph, [0, 1], journal=path, goal=0.2) as session:
        while session.progress().limit is None:
            answer_all(session, truth, 1)
        events = session.journal.events
    other = path.with_name("other.jsonl")
    with Journal(
        other, {k: v for k, v in events[0].payload.items() if k not in ("format", "version")}
    ) as journal:
        for event in events[1:]:
            changed = {"digest": "0" * 64} if event.kind == "audit-begun" else {}
            journal.append(event.kind, event.payload | changed)
    with Session(graph, [0, 1], journal=other, goal=0.2) as session:
        assert "a new check will begin" in session.notes[0]
        answer_all(session, truth)
        assert session.progress().stage is Stage.REACHED
        assert [e.payload["number"] for e in session.journal.events if e.kind == "audit-begun"] == [1, 2]


def test_classes_can_be_added_but_not_taken_away(path: Path) -> None:
    with Session(GRAPH, CLASSES, journal=path) as session:
        answer_all(session, TRUTH, 2)
    with Session(GRAPH, ["blue", "green", "red"], journal=path) as session:
        assert session.classes == ("red", "blue", "green")
        session.answer("green")
    with Session(GRAPH, journal=path) as session:
        assert session.classes == ("red", "blue", "green")
    with pytest.raises(LabelError, match=r"has the class 'blue', which is not among"):
        Session(GRAPH, ["red", "green"], journal=path)


def test_known_labels_are_kept_in_the_journal_once(path: Path) -> None:
    with Session(GRAPH, CLASSES, journal=path, labels={"a": "red"}, source="mine.csv") as session:
        assert session.progress().imported == 1
        assert session.undo() is None
    with Session(GRAPH, journal=path, labels={"a": "red", "b": "red"}) as session:
        assert session.labels == {"a": "red", "b": "red"}
    kinds = [event.kind for event in read_journal(path)]
    assert kinds == ["opened", "imported", "imported"]
    with pytest.raises(ConflictingLabels, match=r"'b' has the label 'blue', and .* says 'red'"):
        Session(GRAPH, journal=path, labels={"b": "blue"})


# --- bad input: an error, and nothing written ---------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"classes": None}, LabelError, "no classes are declared"),
        ({"classes": []}, LabelError, "classes is empty"),
        ({"classes": ["a", "a"]}, LabelError, "declared twice"),
        ({"classes": [None]}, LabelError, "no class"),
        ({"labels": {"zz": "red"}}, UnknownNode, "unknown node 'zz'"),
        ({"labels": {"a": "green"}}, LabelError, "'green', which is not among the classes"),
        ({"labels": ["a"]}, ParameterError, "labels must be a Mapping"),
        ({"goal": 0}, ParameterError, "goal"),
        ({"goal": 5}, ParameterError, "goal"),
        ({"goal": "5%"}, ParameterError, "goal"),
        ({"confidence": 1}, ParameterError, "confidence"),
        ({"seed": -1}, ParameterError, "seed"),
        ({"who": 3}, ParameterError, "who"),
        ({"graph": "graph.csv"}, Exception, "graph"),
    ],
)
def test_bad_input_is_refused_and_nothing_is_written(
    path: Path, options: dict[str, Any], error: type[Exception], words: str
) -> None:
    given = {"graph": GRAPH, "classes": CLASSES, "journal": path} | options
    with pytest.raises(error, match=words):
        Session(**given)
    assert list(path.parent.iterdir()) == []


def test_another_graph_is_refused(path: Path) -> None:
    Session(GRAPH, CLASSES, journal=path).close()
    before = path.read_bytes()
    with pytest.raises(JournalError, match="about another graph, with 8 nodes and 8 edges"):
        Session(ohm.Graph.from_edges(EDGES[:-1]), CLASSES, journal=path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("kind", "payload", "words"),
    [
        ("labelled", {"node": "zz", "label": "red"}, "'zz' is not in the graph"),
        ("labelled", {"node": "a", "label": "green"}, "'green' is not among the classes"),
        ("labelled", {"node": "a"}, "lacks something"),
        ("undone", {"seq": 7}, "undoes event 7"),
        ("audit-ended", {"number": 1}, "has not begun"),
        ("audit-begun", {"number": 5, "labels": 0, "digest": ""}, "begins audit 5"),
        ("leased", {}, "'leased', which this version does not know"),
    ],
)
def test_an_event_that_makes_no_sense_is_refused_with_its_line(
    path: Path, kind: str, payload: dict[str, Any], words: str
) -> None:
    Session(GRAPH, CLASSES, journal=path).close()
    with Journal(path, {}) as journal:
        journal.append(kind, payload)
    with pytest.raises(FileFormatError, match=f"line 2 of the journal.*{words}"):
        Session(GRAPH, journal=path)


def test_a_write_that_fails_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Session(GRAPH, CLASSES, journal=path) as session:
        answer_all(session, TRUTH, 2)
        before, question = session.labels, session.question()

        def full(*arguments: Any) -> int:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr("os.write", full)
            for act in (lambda: session.answer("red"), session.skip, session.undo):
                with pytest.raises(JournalError, match="No space left on device"):
                    act()
        assert session.labels == before
        assert session.question() == question
        session.answer("red")
    assert len(labels_in(path)) == 3


def test_ids_of_every_kind_come_back(path: Path) -> None:
    graph = ohm.Graph.from_edges([((1, "x"), (2, "y")), ((2, "y"), 3), (3, "é\u2028")])
    with Session(graph, CLASSES, journal=path) as session:
        answer_all(session, dict.fromkeys(graph.nodes, "red"))
    answers = Answers(graph.nodes)
    for event in read_journal(path):
        answers.play(event)
    assert set(answers.labels) == set(graph.nodes)


def test_a_check_that_the_common_class_would_pass_says_so(tmp_path):
    """One node in a hundred is bad: to say of all that they are ordinary passes a goal of 5 %."""
    places = [(a, b) for a in range(20) for b in range(20)]
    edges = [((a, b), (a + 1, b)) for a, b in places if a < 19] + [
        ((a, b), (a, b + 1)) for a, b in places if b < 19
    ]
    graph = ohm.Graph.from_edges([(f"{a}", f"{b}") for a, b in edges])
    nodes = list(graph.nodes)
    for name, bad, words in (
        ("none.jsonl", [], "nothing is known of 'bad'"),
        ("few.jsonl", nodes[:2], "% of the predictions are 'good'"),
    ):
        known = dict.fromkeys(bad, "bad") | dict.fromkeys(nodes[10::20], "good")
        with Session(graph, ["good", "bad"], journal=tmp_path / name, labels=known, goal=0.05) as session:
            for _ in range(60):
                question = session.question()
                if session.notes:
                    break
                session.answer("good")
            assert question.asked == "audit"
            [note] = session.notes
            assert words in note, note
            assert "5 %" in note
            assert "My class is rare" in note


def test_a_check_of_classes_of_one_size_needs_no_word(path, quick):
    graph = ohm.data.load("karate").graph
    truth = dict(zip(graph.nodes, ohm.data.load("karate").labels, strict=True))
    with Session(graph, list(set(truth.values())), journal=path, goal=0.2) as session:
        for _ in range(25):
            question = session.question()
            if question is None or question.asked == "audit":
                break
            session.answer(truth[question.node])
        assert question.asked == "audit"
        assert session.notes == []
