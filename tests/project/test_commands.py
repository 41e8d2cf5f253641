"""What people do, and what it leads to."""

from __future__ import annotations

import random

import pytest

from ohmline.errors import (
    ConflictingLabels,
    Forbidden,
    GraphError,
    JournalError,
    KeyReused,
    LabelError,
    ParameterError,
    StaleLease,
    UnknownNode,
)
from ohmline.project import Project, Settings
from ohmline.project import commands as c
from project.conftest import truth


def ask(project, person, count=1):
    return project.do(c.Lease(count), person).questions


def test_a_question_belongs_to_one_person_until_it_expires(project, clock):
    [first] = ask(project, "ann")
    assert [q.node for q in ask(project, "ann")] == [first.node], "the same until it is answered"
    [other] = ask(project, "bob")
    assert other.node != first.node
    clock.now += project.settings.lease_seconds + 1
    [again] = ask(project, "bob")
    nodes = {q.node for q in ask(project, "cid", 2)} | {again.node}
    assert first.node in nodes, "what expired goes to others"


def test_a_label_is_learned_and_the_next_question_is_another(project):
    [question] = ask(project, "ann")
    reply = project.do(c.Label(question.node, "left", question.lease, 1.5), "ann")
    assert (reply.seq, reply.hash) == (project.seq, project.hash)
    assert project.model.learner.label_one(question.node) == "left"
    assert ask(project, "ann")[0].node != question.node
    assert project.people()[0]["seconds_median"] == 1.5


def test_a_repeated_key_is_done_once_and_answered_alike(project):
    [question] = ask(project, "ann")
    command = c.Label(question.node, "left", question.lease, key="k1")
    first = project.do(command, "ann")
    before = project.digest()
    assert project.do(command, "ann") == first
    assert project.digest() == before
    with pytest.raises(KeyReused, match="another request"):
        project.do(c.Label(question.node, "right", question.lease, key="k1"), "ann")
    assert project.digest() == before
    assert project.do(c.Label(question.node, "right", key="k1"), "bob").seq == first.seq + 1, (
        "keys are per person"
    )


def test_undo_takes_back_exactly_what_was_done(project):
    for node in ("0-0", "5-5", "2-2"):
        project.do(c.Label(node, truth(node), key=node), "ann")
    before = (dict(project.ledger.labels), project.ledger.tally.to_json()["trials"])
    project.do(c.Label("4-4", "right"), "ann")
    project.do(c.LabelMany(("1-1", "1-2", "0-0"), "right"), "bob")
    assert project.ledger.labels.get("0-0") is None, "one says left and one right: undecided"
    reply = project.do(c.Undo(), "bob")
    assert reply.detail["nodes"] == ["1-1", "1-2", "0-0"]
    project.do(c.Undo(), "ann")
    assert (dict(project.ledger.labels), project.ledger.tally.to_json()["trials"]) == (
        {"5-5": "right", "2-2": "left", "0-0": "left"},
        before[1],
    )
    assert ask(project, "ann")[0].node == "4-4", "what was taken back is asked for next"


def test_only_admins_undo_what_others_did(project):
    done = project.do(c.Label("0-0", "left"), "ann")
    with pytest.raises(Forbidden, match="by ann"):
        project.do(c.Undo(done.seq), "bob")
    project.do(c.Undo(done.seq), "bob", admin=True)
    assert not project.ledger.labels
    with pytest.raises(ParameterError, match="undone already"):
        project.do(c.Undo(done.seq), "ann")


def test_a_correction_replaces_a_vote_and_undo_brings_it_back(project):
    project.do(c.Label("0-0", "left"), "ann")
    project.do(c.Label("0-0", "right"), "ann")
    assert project.ledger.labels == {"0-0": "right"}
    assert project.model.learner.label_one("0-0") == "right"
    project.do(c.Undo(), "ann")
    assert project.ledger.labels == {"0-0": "left"}
    assert project.model.learner.label_one("0-0") == "left"


def test_disagreement_is_settled_by_adjudication(project):
    project.do(c.Label("0-0", "left"), "ann")
    project.do(c.Label("0-0", "right"), "bob")
    assert project.ledger.labels == {}
    assert project.model.learner.label_one("0-0") is None
    [row] = project.disagreements()
    assert {vote["person"]: vote["label"] for vote in row["votes"]} == {"ann": "left", "bob": "right"}
    settled = project.do(c.Adjudicate("0-0", "right"), "eve")
    assert project.ledger.labels == {"0-0": "right"}
    assert project.disagreements() == []
    project.do(c.Undo(settled.seq), "eve")
    assert project.ledger.labels == {}


def test_a_stale_answer_is_refused_only_where_somebody_else_has_the_node(project, clock):
    [question] = ask(project, "ann")
    clock.now += 1000
    project.do(c.Label(question.node, "left", question.lease), "ann")  # nobody else wanted it: kept
    [question] = ask(project, "ann")
    clock.now += 1000
    taken = {q.node: q for q in ask(project, "bob", 5)}
    assert question.node in taken
    before = project.digest()
    with pytest.raises(StaleLease, match="went back to the others"):
        project.do(c.Label(question.node, "left", question.lease), "ann")
    assert project.digest() == before


def test_overlap_asks_as_many_people_as_it_says(tmp_path, clock):
    from project.conftest import grid

    folder = Project.create(
        tmp_path / "two", graph=grid(3), classes=["left", "right"], settings=Settings(overlap=2, gold_every=0)
    )
    with Project.open(folder, clock=clock) as project:
        [mine] = ask(project, "ann")
        project.do(c.Label(mine.node, "left", mine.lease), "ann")
        [theirs] = ask(project, "bob")
        assert (theirs.node, theirs.asked) == (mine.node, "again")
        assert mine.node not in {q.node for q in ask(project, "cid", 8)}, "ann and bob are two"
        project.do(c.Label(theirs.node, "left", theirs.lease), "bob")
        assert project.agreement() == {"alpha": None, "nodes": 1, "pairs": 1}


def test_gold_items_look_like_others_and_are_counted(tmp_path, clock):
    from project.conftest import grid

    folder = Project.create(
        tmp_path / "gold", graph=grid(), classes=["left", "right"], settings=Settings(gold_every=3)
    )
    with Project.open(folder, clock=clock) as project:
        project.do(c.SetGold("0-0", "left"), "eve")
        seen = []
        for _ in range(4):
            [question] = ask(project, "ann")
            seen.append(question)
            project.do(c.Label(question.node, "left", question.lease), "ann")
        assert [q.node for q in seen].index("0-0") == 3
        gold = seen[3]
        assert gold.asked == "query"
        assert gold.card["prediction"] == "left"  # as an ordinary question shows it
        assert gold.card["probabilities"]
        assert gold.why == "its label is expected to settle most mistakes"
        assert project.people()[0]["gold"] == {"right": 1, "seen": 1}
        asked = [
            row["payload"]["asked"] for row in project.history() if row["kind"] in ("leased", "labelled")
        ]
        assert asked == ["query"] * 8


def test_skips_are_not_asked_again_of_the_same_person(project):
    skipped = set()
    for _ in range(5):
        [question] = ask(project, "ann")
        assert question.node not in skipped
        skipped.add(question.node)
        project.do(c.Skip(question.node, question.lease, "blurred"), "ann")
    assert project.progress()["skipped"] == 5
    project.do(c.Undo(), "ann")
    assert project.progress()["skipped"] == 4


@pytest.mark.parametrize(
    ("command", "error", "words"),
    [
        (c.Label("9-9", "left"), UnknownNode, "unknown node '9-9'"),
        (c.Label("0-0", "up"), LabelError, "not among the classes"),
        (c.Label("0-0", True), LabelError, "True is not among"),
        (c.Label("0-0", None), LabelError, "None is not among"),
        (c.Label(True, "left"), UnknownNode, "unknown node True"),
        (c.Label("0-0", "left", seconds=-1.0), ParameterError, "seconds"),
        (c.Label("0-0", "left", key="x" * 300), ParameterError, "key must be"),
        (c.LabelMany((), "left"), ParameterError, "no nodes"),
        (c.LabelMany(("0-0", "7-7"), "left"), UnknownNode, "'7-7'"),
        (c.Skip("0-0", reason="x" * 2000), ParameterError, "reason"),
        (c.Undo(), ParameterError, "nothing to undo"),
        (c.Undo(0), ParameterError, "cannot be undone"),
        (c.Undo(10**9), ParameterError, "cannot be undone"),
        (c.Lease(0), ParameterError, "count"),
        (c.Release("7"), StaleLease, "do not hold"),
        (c.Configure({"goal": 2.0}), ParameterError, "goal"),
        (c.Configure({"seed": 2}), ParameterError, "no setting 'seed'"),
        (c.Configure({"overlap": 0}), ParameterError, "overlap"),
        (c.AddClasses(("left",)), LabelError, "same in a file"),
        (c.AddClasses(()), LabelError, "no class"),
        (c.RemoveClass("left"), LabelError, "last two"),
        (c.RemoveClass("up"), LabelError, "not among"),
        (c.EndAudit(), ParameterError, "no check"),
        (c.Grow((("0-0", {}),)), GraphError, "already"),
        (c.Grow((), (("0-0", "0-0", 1.0),)), GraphError, "two different"),
        (c.Grow((), (("0-0", "0-1", 1.0),)), GraphError, "already"),
        (c.Grow((), (("0-0", "x", 1.0),)), GraphError, "not in the graph"),
        (c.Grow((("x", {}), ("x", {})), ()), GraphError, "twice"),
        (c.Grow((("x", {}),), (("x", "0-0", -1.0),)), GraphError, "weight"),
        (c.Grow((("x", {}),), (("x", "0-0", float("nan")),)), ParameterError, "weight"),
        (c.Grow((), ()), GraphError, "neither"),
        (c.Arrive("0-0"), ParameterError, "pool"),
        (c.Import((("0-0", "left"), ("0-0", "right"))), ConflictingLabels, "keep one"),
    ],
)
def test_what_does_not_fit_changes_nothing(project, command, error, words):
    before, events = project.digest(), project.log.head
    with pytest.raises(error, match=words):
        project.do(command, "ann")
    assert (project.digest(), project.log.head) == (before, events)


def test_a_commit_that_fails_leaves_memory_as_it_was(project, monkeypatch):
    [question] = ask(project, "ann")
    before = project.digest()
    monkeypatch.setattr(
        type(project.log),
        "append",
        lambda self, drafts: (_ for _ in ()).throw(JournalError("the disk is full")),
    )
    with pytest.raises(JournalError, match="full"):
        project.do(c.Label(question.node, "left", question.lease), "ann")
    assert project.digest() == before
    monkeypatch.undo()
    project.do(c.Label(question.node, "left", question.lease), "ann")


def test_classes_come_and_go(project):
    project.do(c.Label("0-0", "left"), "ann")
    project.do(c.AddClasses(("middle",)), "eve")
    project.do(c.Label("2-2", "middle"), "ann")
    with pytest.raises(LabelError, match="label of 1 nodes"):
        project.do(c.RemoveClass("middle"), "eve")
    project.do(c.Undo(), "ann")
    project.do(c.RemoveClass("middle"), "eve")
    assert project.classes == ("left", "right")
    with pytest.raises(LabelError, match="not among"):
        project.do(c.Label("2-2", "middle"), "ann")


def test_a_graph_grows_and_new_nodes_are_predicted(project):
    project.do(c.Label("0-0", "left"), "ann")
    project.do(c.Label("5-5", "right"), "ann")
    project.do(c.Grow((("new", {"text": "hello\nworld"}),), (("new", "5-5", 2.0),)), "eve")
    [said] = project.predict(["new"], why=2)
    assert said.prediction == "right"
    assert said.because[0].node == "5-5"
    card = project.card("new", "ann")
    assert (card["title"], card["degree"]) == ("hello", 1)
    assert project.graph.n == 37
    assert "new" in project.graph.nodes
    project.do(c.Label("new", "left"), "ann")
    assert project.ledger.labels["new"] == "left"


def test_events_replay_to_the_identical_state(folder, clock):
    """Random commands by three people; at every tenth the project is opened anew, with and without a snapshot."""
    rng = random.Random(5)
    nodes = [f"{i}-{j}" for i in range(6) for j in range(6)]
    project = Project.open(folder, clock=clock)
    for step in range(160):
        who = rng.choice(["ann", "bob", "cid"])
        clock.now += rng.choice([1.0, 40.0, 200.0])
        kind = rng.randrange(10)
        try:
            if kind < 4:
                for question in ask(project, who, rng.randrange(1, 4))[:1]:
                    label = truth(question.node) if rng.random() < 0.8 else "left"
                    project.do(c.Label(question.node, label, question.lease, key=f"k{step}"), who)
            elif kind == 4:
                project.do(c.Label(rng.choice(nodes), rng.choice(["left", "right"])), who)
            elif kind == 5:
                project.do(c.Undo(), who)
            elif kind == 6:
                project.do(c.LabelMany(tuple(rng.sample(nodes, 3)), "left"), who)
            elif kind == 7:
                project.do(c.Skip(rng.choice(nodes)), who)
            elif kind == 8:
                project.do(c.Grow(((f"new{step}", {}),), ((f"new{step}", rng.choice(nodes), 1.0),)), who)
            else:
                project.do(c.Adjudicate(rng.choice(nodes), "right"), who)
        except (ParameterError, StaleLease):
            pass
        votes = project.ledger.votes
        assert votes.labels == {node: votes._label(node) for node in votes.labels}
        learned = {n: project.model.learner.label_one(n) for n in project.nodes}
        assert {n: y for n, y in learned.items() if y is not None} == votes.labels
        if step % 10 == 9:
            digest = project.digest()
            if step % 20 == 9:
                from ohmline.project.snapshots import write_snapshot

                write_snapshot(project.folder, project.ledger, project.model.learner.snapshot())
            project.close()
            project = Project.open(folder, clock=clock)
            assert project.digest() == digest
            assert project.notes == []
    project.close()
