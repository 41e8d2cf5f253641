"""A project on the disk: whole or not at all, and refused with a reason where it is damaged."""

from __future__ import annotations

import subprocess
import sys

import pytest

import ohmline as ohm
from ohmline.errors import (
    FileFormatError,
    LabelError,
    OhmlineError,
    ParameterError,
    ProjectInUse,
    UnknownNode,
    UnknownProject,
)
from ohmline.project import Project, Recipe, Settings
from ohmline.project import commands as c
from ohmline.project.snapshots import write_snapshot
from project.conftest import grid


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"classes": ["one"]}, LabelError),
        ({"classes": "ab"}, LabelError),
        ({"classes": ["a", "a"]}, LabelError),
        ({"classes": ["a", True]}, LabelError),
        ({"classes": ["a", "b"], "labels": {"zz": "a"}}, UnknownNode),
        ({"classes": ["a", "b"], "labels": {"0-0": "c"}}, LabelError),
        ({"classes": ["a", "b"], "nodes": {"zz": {}}}, UnknownNode),
        ({"classes": ["a", "b"], "nodes": {"0-0": {"text": 3}}}, ParameterError),
        ({"classes": ["a", "b"], "nodes": {"0-0": {"node": "x"}}}, ParameterError),
        ({"classes": ["a", "b"], "images": "no such folder"}, ParameterError),
        ({"classes": ["a", "b"], "store": "postgresql://127.0.0.1:1/none"}, OhmlineError),
    ],
)
def test_a_project_that_cannot_be_made_leaves_nothing_behind(tmp_path, options, error):
    with pytest.raises(error):
        Project.create(tmp_path / "new", graph=grid(), **options)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_there_is_not_overwritten(tmp_path):
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "mine.txt").write_text("mine")
    with pytest.raises(ParameterError, match="not empty"):
        Project.create(tmp_path / "new", graph=grid(), classes=["a", "b"])
    assert (tmp_path / "new" / "mine.txt").read_text() == "mine"


def test_what_was_given_is_there(tmp_path):
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "a.png").write_bytes(b"png")
    folder = Project.create(
        tmp_path / "new",
        graph=grid(),
        classes=[1, 2],
        name='Größe "x" \\ \U0001f600',
        labels={"0-0": 1},
        nodes={"0-0": {"text": "first\nsecond", "image": "a.png", "year": "1999"}},
        images=tmp_path / "pictures",
        settings=Settings(goal=0.05, overlap=2),
        actor="eve",
    )
    with Project.open(folder) as project:
        assert project.name == 'Größe "x" \\ \U0001f600'
        assert project.settings.overlap == 2
        assert project.ledger.labels == {"0-0": 1}
        card = project.card("0-0", "eve")
        assert (card["title"], card["image"], card["fields"]) == ("first", "images/a.png", {"year": "1999"})
        assert project.progress()["imported"] == 1


def test_a_newer_format_and_a_damaged_folder_are_named(folder):
    about = folder / "project.toml"
    whole = about.read_text()
    for text, words in [
        (whole.replace("format = 1", "format = 99"), "upgrade"),
        (whole.replace("format = 1", "format = 'x'"), "no format"),
        ("[[[", "cannot be read"),
        ("format = 1\nname = 3\n", "name is 3"),
    ]:
        about.write_text(text)
        with pytest.raises(FileFormatError, match=words):
            Project.open(folder)
    about.unlink()
    with pytest.raises(UnknownProject, match="no project"):
        Project.open(folder)
    about.write_text(whole)
    Project.open(folder).close()
    other = Project.create(folder.parent / "other", graph=grid(4), classes=["left", "right"])
    (folder / "graph.ohm").write_bytes((other / "graph.ohm").read_bytes())
    with pytest.raises(FileFormatError, match="not the one"):
        Project.open(folder)
    (folder / "graph.ohm").write_bytes(b"nonsense")
    with pytest.raises(FileFormatError, match="damaged"):
        Project.open(folder)


def test_two_processes_cannot_have_one_project(folder):
    code = (
        "import sys; from ohmline.project import Project; p = Project.open(sys.argv[1]); print('open', flush=True); "
        "sys.stdin.read()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout.readline() == "open\n"
        with pytest.raises(ProjectInUse, match=str(child.pid)):
            Project.open(folder)
    finally:
        child.communicate("")
    Project.open(folder).close()


def test_a_damaged_snapshot_is_passed_over(folder):
    with Project.open(folder) as project:
        for node in ("0-0", "5-5", "3-3"):
            project.do(c.Label(node, "left"), "ann")
        path = write_snapshot(project.folder, project.ledger, project.model.learner.snapshot())
        project.do(c.Label("1-1", "right"), "ann")
        digest = project.digest()
    whole = path.read_bytes()
    flips = [whole[:k] + bytes([whole[k] ^ 4]) + whole[k + 1 :] for k in range(50, len(whole), 997)]
    for damaged in (b"", whole[: len(whole) // 2], *flips):
        path.write_bytes(damaged)
        with Project.open(folder) as project:
            assert project.digest() == digest
            if damaged not in flips:  # a flipped bit may be in a place that says nothing
                assert "passed over" in project.notes[0]
    path.write_bytes(whole)
    with Project.open(folder) as project:
        assert project.digest() == digest
        assert project.notes == []


def test_a_password_does_not_stay_in_the_folder(tmp_path):
    from ohmline.project.folder import About, read_about, write_about

    write_about(tmp_path, About("x", store="postgresql://eve:secret@db.example/labels?sslmode=require"))
    assert "secret" not in (tmp_path / "project.toml").read_text()
    assert read_about(tmp_path).store == "postgresql://eve@db.example/labels?sslmode=require"


def test_a_prior_in_a_recipe_is_taught_again_where_a_label_is_taken_back(tmp_path):
    def recipe(graph, classes, seed):
        words = ohm.NodeFeatures([[1.0, 0.0], [0.0, 1.0]] * (graph.n // 2), graph)
        return Recipe(ohm.LocalLGC(graph, classes, prior=words), ohm.Always())

    folder = Project.create(tmp_path / "told", graph=grid(), classes=["left", "right"])
    with Project.open(folder, recipe=recipe) as project:
        for node, label in [("0-0", "left"), ("0-5", "right"), ("3-0", "left"), ("3-3", "right")]:
            project.do(c.Label(node, label), "ann")
        project.do(c.Label("3-3", "left"), "ann")
        project.do(c.Undo(), "ann")
        labels = dict(project.ledger.labels)
        said = project.model.learner.predict_proba_one("2-2")
    fresh = recipe(grid(), ("left", "right"), 0).learner
    fresh.learn_many(labels)
    assert said == pytest.approx(fresh.predict_proba_one("2-2"), abs=1e-12)
    with Project.open(folder, recipe=recipe) as project:
        assert project.model.learner.predict_proba_one("2-2") == pytest.approx(said, abs=1e-12)
