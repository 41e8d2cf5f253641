"""The table of completeness: every name in it exists, every test in it too, and the document shows it."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ohmline.cli.app import app
from ohmline.errors import ParameterError
from ohmline.lab.papers import Item, Paper, markdown, papers
from ohmline.lab.papers.item import resolve

ROOT = Path(__file__).parents[2]
BEGIN = "<!-- made by: ohmline papers --markdown -->\n\n"
END = "\n<!-- end of what is made -->"
EACH = [
    pytest.param(paper, item, id=f"{paper.key}: {item.number}") for paper in papers() for item in paper.items
]


@pytest.mark.parametrize(("paper", "item"), EACH)
def test_every_name_and_every_test_exists(paper: Paper, item: Item) -> None:
    for name in item.names:
        resolve(name)
    for test in item.tests:
        file, _, name = test.partition("::")
        tree = ast.parse((ROOT / "tests" / file).read_text())
        there = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert name in there, f"{paper.key}, {item.number}: {file} has no {name}"
    assert "|" not in item.number + item.says + item.because, "a bar would break the table"


def test_no_item_is_listed_twice() -> None:
    for paper in papers():
        numbers = [item.number for item in paper.items]
        assert sorted(set(numbers)) == sorted(numbers)


def test_the_document_shows_the_table() -> None:
    text = (ROOT / "docs" / "papers.md").read_text()
    shown = text.partition(BEGIN)[2].partition(END)[0]
    assert shown == markdown(papers()), "put the output of ohmline papers --markdown into docs/papers.md"


@pytest.mark.parametrize("name", ["learn.Nothing", "nothing", "learn.Pounce.fly", "reproduce nothing"])
def test_a_name_that_does_not_exist_is_found(name: str) -> None:
    with pytest.raises(ParameterError):
        resolve(name)


def test_an_item_says_where_or_why_and_who_holds_it() -> None:
    with pytest.raises(ParameterError, match="Lemma 9 has neither names nor a reason"):
        Item("Lemma 9", "nothing")
    with pytest.raises(ParameterError, match="Lemma 9 has names and no tests"):
        Item("Lemma 9", "nothing", ("learn.Pounce",))


def test_the_command_lists_one_paper_or_what_is_missing() -> None:
    run = CliRunner().invoke(app, ["papers", "hp2006", "--json"])
    assert run.exit_code == 0
    (found,) = json.loads(run.output)
    assert found["key"] == "hp2006"
    assert {"number", "says", "names", "tests", "because"} == set(found["items"][0])
    missing = json.loads(CliRunner().invoke(app, ["papers", "--missing", "--json"]).output)
    assert all(item["because"] and not item["names"] for paper in missing for item in paper["items"])
    assert "Theorem 2.1" in CliRunner().invoke(app, ["papers"]).output
    wrong = CliRunner().invoke(app, ["papers", "hp2007"])
    assert wrong.exit_code == 2
