"""Random checks: when they begin, what they count, when they end, and that they go on after a restart."""

from __future__ import annotations

import random

import pytest

from ohmline.errors import ParameterError
from ohmline.project import Project, Settings
from ohmline.project import commands as c
from project.conftest import grid, truth


def labelled(project, person, label_of, n):
    done = []
    for _ in range(n):
        questions = project.do(c.Lease(), person).questions
        if not questions:
            break
        [question] = questions
        done.append(question)
        project.do(c.Label(question.node, label_of(question.node), question.lease), person)
    return done


@pytest.fixture
def big(tmp_path, clock):
    folder = Project.create(
        tmp_path / "big",
        graph=grid(18),
        classes=["left", "right"],
        settings=Settings(goal=0.15, gold_every=0),
    )
    with Project.open(folder, clock=clock) as project:
        yield project


def side(node):
    return "left" if int(node.split("-")[1]) < 9 else "right"


def test_a_goal_is_reached_by_a_check_and_then_nothing_more_is_asked(big):
    done = labelled(big, "ann", side, 300)
    kinds = [question.asked for question in done]
    assert kinds.index("audit") >= 20
    assert set(kinds[kinds.index("audit") :]) == {"audit"}
    progress = big.progress()
    assert progress["stage"] == "reached"
    assert progress["may_stop"]
    assert progress["limit"]["share"] <= 0.15
    assert "You may stop" in progress["sentence"]
    rest = [node for node in big.nodes if node not in big.ledger.labels]
    wrong = sum(big.checks.running.predictions[node] != side(node) for node in rest)
    assert wrong <= progress["limit"]["wrong"]


def test_the_opinion_is_not_shown_during_a_check(big):
    with pytest.raises(ParameterError, match="no node has a label"):
        big.do(c.BeginAudit(), "eve")
    big.do(c.Label("0-0", "left"), "ann")
    big.do(c.BeginAudit(), "eve")
    [question] = big.do(c.Lease(), "ann").questions
    assert question.asked == "audit"
    card = question.card
    assert card["prediction"] is None
    assert card["because"] == []
    assert card["probabilities"] == []
    assert all(other["prediction"] is None for other in card["neighbours"])


def test_a_check_goes_on_after_a_restart(big, clock):
    while big.checks.running is None:
        labelled(big, "ann", side, 1)
    labelled(big, "ann", side, 3)
    big.do(c.Skip(big.do(c.Lease(), "ann").questions[0].node), "ann")
    before, folder = (big.progress(), big.digest()), big.folder
    big.close()
    with Project.open(folder, clock=clock) as again:
        assert again.checks.running is not None
        assert (again.progress(), again.digest()) == before


def test_an_undo_of_what_came_before_ends_the_check_and_one_within_it_does_not(big):
    first = big.do(c.Label("0-0", "left"), "ann")
    big.do(c.BeginAudit(), "eve")
    [question] = big.do(c.Lease(), "ann").questions
    wrong = "left" if big.checks.running.predictions[question.node] == "right" else "right"
    big.do(c.Label(question.node, wrong, question.lease), "ann")
    assert (big.checks.limit.sampled, big.checks.limit.found) == (1, 1)
    big.do(c.Undo(), "ann")
    assert (big.checks.limit.sampled, big.checks.limit.found) == (0, 0)
    big.do(c.Undo(first.seq), "ann")
    assert big.checks.running is None
    assert big.ledger.audit is None


def test_several_people_answer_one_check_in_any_order(big):
    big.do(c.Label("0-0", "left"), "eve")
    big.do(c.BeginAudit(), "eve")
    rng = random.Random(3)
    held = [(who, q) for who in ("ann", "bob", "cid") for q in big.do(c.Lease(5), who).questions]
    assert len({q.node for _, q in held}) == 15
    rng.shuffle(held)
    for who, question in held:
        big.do(c.Label(question.node, truth(question.node), question.lease), who)
    expected = big.checks.running.audit.at_most(0.95)
    assert big.checks.limit == expected
    assert expected.sampled == 15


def test_a_hopeless_check_ends_and_the_learner_learns_on(tmp_path, clock):
    rng = random.Random(0)
    noise = {f"{i}-{j}": rng.choice(["left", "right"]) for i in range(14) for j in range(14)}
    folder = Project.create(
        tmp_path / "noise",
        graph=grid(14),
        classes=["left", "right"],
        settings=Settings(goal=0.05, gold_every=0),
    )
    with Project.open(folder, clock=clock) as project:
        labelled(project, "ann", noise.__getitem__, 170)
        ended = [row for row in project.history(limit=1000) if row["kind"] == "audit-ended"]
        assert ended
        assert ended[0]["payload"]["reason"] == "too many wrong predictions"
