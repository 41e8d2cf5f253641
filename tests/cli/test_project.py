"""`ohmline project`, and `ohmline label` on what it made."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cli.terminal import Terminal
from ohmline.errors import ParameterError
from ohmline.project import Project

COMMAND = [sys.executable, "-c", "from ohmline.cli import main; main()"]


@pytest.fixture
def files(tmp_path):
    edges = [(f"n{i}", f"n{i + 1}") for i in range(11)] + [("n0", "n5"), ("n6", "n11")]
    (tmp_path / "edges.csv").write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in edges))
    (tmp_path / "labels.csv").write_text("node,label\nn0,cat\nn11,dog\n")
    rows = "".join(f'n{i},"Animal {i}, at home",{1990 + i}\n' for i in range(12))
    (tmp_path / "texts.csv").write_text(f"node,about,year\n{rows}")
    return tmp_path


def run(folder, *arguments):
    return subprocess.run([*COMMAND, *arguments], cwd=folder, capture_output=True, text=True, timeout=300)


def test_a_project_is_made_from_files_and_labelled_in_a_terminal(files):
    done = run(
        files, "project", "zoo", "edges.csv", "labels.csv", "--text", "texts.csv", "--goal", "20%", "--json"
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "project": "zoo",
        "nodes": 12,
        "edges": 13,
        "classes": ["cat", "dog"],
        "labels": 2,
    }
    terminal = Terminal(["label", "zoo", "--who", "ann"], files)
    terminal.until("1/c cat")
    assert "at home" in terminal.screen
    for _ in range(3):
        node = terminal.node()
        terminal.press("1")
        terminal.until(rf"(?s)^(?!.*node {node} ).*node \S+.*q quit.*saved #\d+: {node} ")
    terminal.press("u")
    terminal.until("(?s)q quit.*open again")
    terminal.pump(1.0)
    terminal.press("q")
    assert terminal.wait() == 0
    with Project.open(files / "zoo") as project:
        people = {row["person"]: row for row in project.people()}
        assert people["ann"]["labels"] == 2
        assert people["ann"]["undone"] == 1
        assert len(project.ledger.labels) == 4
        assert project.card("n3", "ann")["fields"] == {"year": "1993"}
        assert not project.ledger.leases.of("ann", project.clock()), "what was not answered goes back"
    assert len((files / "zoo.labels.csv").read_text().splitlines()) == 5
    terminal = Terminal(["label", "zoo", "--who", "ann"], files)  # the same command goes on
    terminal.node()
    terminal.press("q")
    assert terminal.wait() == 0
    (files / "zoo.labels.csv").write_text("mine\n")
    terminal = Terminal(["label", "zoo", "--who", "ann"], files)
    assert terminal.wait() == 2
    assert "holds no labels of this project" in terminal.text
    assert (files / "zoo.labels.csv").read_text() == "mine\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["project", "zoo", "edges.csv"], "two classes"),
        (["project", "edges.csv", "edges.csv", "labels.csv"], "not empty"),
        (["project", "no/zoo", "edges.csv", "labels.csv"], "no folder"),
        (["project", "zoo", "edges.csv", "labels.csv", "--recipe", "mine"], "recipe"),
        (["project", "zoo", "edges.csv", "labels.csv", "--goal", "7"], "--goal"),
        (["project", "zoo", "edges.csv", "labels.csv", "--classes", "cat,cow"], "dog"),
        (["project", "zoo", "nothing.csv", "labels.csv"], "nothing.csv"),
    ],
)
def test_what_cannot_be_made_is_said_and_leaves_nothing(files, arguments, words):
    before = sorted(files.iterdir())
    done = run(files, *arguments)
    assert done.returncode in (2, 3), done.stdout + done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(files.iterdir()) == before


def test_label_refuses_what_a_project_knows_itself(files):
    run(files, "project", "zoo", "edges.csv", "labels.csv")
    done = run(files, "label", "zoo", "--classes", "a,b")
    assert done.returncode == 2
    assert "--classes is for a graph in a file" in done.stderr


def test_the_recipe_for_accounts_says_what_it_looks_for(files):
    (files / "known.csv").write_text("node,label\nn0,fraud\nn11,legit\nn10,legit\n")
    done = run(files, "project", "bank", "edges.csv", "known.csv", "--recipe", "accounts")
    assert done.returncode == 0, done.stderr
    assert "looking for: fraud" in done.stdout
    arguments = ["project", "other", "edges.csv", "known.csv", "--recipe", "accounts", "--wanted", "legit"]
    assert json.loads(run(files, *arguments, "--json").stdout)["looking_for"] == "legit"
    for folder, wanted in (("bank", "fraud"), ("other", "legit")):
        with Project.open(files / folder) as project:
            assert project.model.recipe.query.wanted == wanted
    done = run(files, "project", "third", "edges.csv", "known.csv", "--wanted", "fraud")
    assert done.returncode == 2
    assert "add --recipe accounts" in done.stderr
    assert not (files / "third").exists()


def test_serve_says_where_the_recipes_that_ship_belong(files, monkeypatch):
    from ohmline.cli.serve import _recipe

    run(files, "project", "zoo", "edges.csv", "labels.csv")
    done = run(files, "serve", "zoo", "--recipe", "accounts", "--no-browser", "--port", "0")
    assert done.returncode == 2
    assert "ohmline project PROJECT_DIR GRAPH LABELS --recipe accounts, then" in done.stderr
    done = run(files, "serve", "zoo", "--recipe", "mine.py", "--no-browser", "--port", "0")
    assert done.returncode == 3
    assert "mine.py does not exist" in done.stderr
    run(files, "project", "bank", "edges.csv", "labels.csv", "--recipe", "accounts")
    monkeypatch.chdir(files)
    assert _recipe(Path("accounts"), Path("bank")) is None, "the project has it already"
    (files / "accounts").write_text("")
    with pytest.raises(ParameterError, match="is no Python file"):
        _recipe(Path("accounts"), Path("bank"))
