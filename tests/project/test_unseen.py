"""What a node would be said to be without its own label."""

from __future__ import annotations

import pytest

from ohmline.project import Project, Settings
from ohmline.project import commands as c
from ohmline.project.cards import predicted, predicted_to, predicted_without
from project.conftest import grid


@pytest.fixture
def open_project(tmp_path):
    settings = Settings(overlap=2, gold_every=0)
    folder = Project.create(tmp_path / "p", graph=grid(), classes=["left", "right"], settings=settings)
    with Project.open(folder) as project:
        for node, label in (("0-0", "left"), ("0-4", "right"), ("4-4", "right"), ("2-2", "left")):
            project.do(c.Label(node, label), "ann")
        yield project


def test_without_its_label_a_node_is_what_it_was_before(open_project):
    before = predicted(open_project, "1-2", 5)
    open_project.do(c.Label("1-2", "right"), "bob")
    after = predicted_without(open_project, "1-2", 5)
    assert predicted(open_project, "1-2", 0).prediction == "right" != before.prediction
    assert (after.prediction, after.reached) == (before.prediction, True)
    assert [each.node for each in after.because] == [each.node for each in before.because]
    for mine, theirs in zip(after.because, before.because, strict=True):
        assert mine.share == pytest.approx(theirs.share, abs=0.01)
    power = float(open_project.model.learner.state.sharpness[0])
    assert dict(after.probabilities)["left"] == pytest.approx(
        dict(before.probabilities)["left"], abs=0.2 * power
    )


def test_a_first_label_has_nothing_without_itself(open_project):
    for _ in range(4):
        open_project.do(c.Undo(), "ann")
    open_project.do(c.Label("1-2", "right"), "bob")
    said = predicted_without(open_project, "1-2", 5)
    assert (said.prediction, said.probabilities, said.reached) == (None, (), False)


def test_what_others_said_carries_nothing_that_is_shown(open_project):
    assert predicted_to(open_project, "1-2", 9, None).because
    assert predicted_to(open_project, "1-2", 9, "ann").because
    assert (
        predicted_to(open_project, "1-2", 9, "cid").because == ()
    )  # all of it is ann's, and cid may be asked
    assert predicted_to(open_project, "0-0", 9, "cid").prediction is None
    open_project.do(c.Adjudicate("0-0", "left"), "eve", admin=True)
    assert predicted_to(open_project, "0-0", 9, "cid").prediction == "left"
