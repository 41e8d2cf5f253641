"""The recipes that ship: what they ask is worth more than what chance asks, and what they show can be read."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ohmline.errors import LabelError, ParameterError
from ohmline.project import Project, Settings, commands
from ohmline.project.creating import sought
from ohmline.project.ledger import Ledger
from ohmline.project.recipe import made
from ohmline.recipes import RECIPES, accounts, demo, find
from ohmline.recipes.ledgers import accounts as some_accounts
from ohmline.recipes.papers import WORDS, papers
from ohmline.recipes.records import pairs
from ohmline.sources import from_iterable, pump


def answered(project: Project, truth: Any, count: int) -> None:
    """As many questions as that, each with its true answer."""
    for _ in range(count):
        (question,) = project.do(commands.Lease(), "ann").questions
        project.do(commands.Label(question.node, truth(question.node), question.lease), "ann")


@pytest.mark.parametrize("name", sorted(RECIPES))
def test_every_recipe_has_a_demo_that_opens(name: str, tmp_path: Path) -> None:
    folder = demo(tmp_path / "it", name)
    with Project.open(folder, recipe=find(name)) as project:
        assert project.graph.n >= 300
        card = project.card(project.nodes[0], "ann")
        assert card["text"]
        assert card["title"]
        recipe = made(find(name), project.graph, project.classes, 0)
        assert recipe.streams == (name == "matches")
    assert f'recipe = "{name}"' in (folder / "project.toml").read_text()
    with pytest.raises(ParameterError, match="exists and is not empty"):
        demo(tmp_path / "it", name)


@pytest.mark.parametrize("name", ["", "Citations", "../x", None, 3, ["citations"]])
def test_what_is_no_recipe_is_refused(name: Any, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="there are accounts, citations, matches"):
        find(name)
    with pytest.raises(ParameterError, match="there is no recipe"):
        demo(tmp_path / "it", name)
    assert not (tmp_path / "it").exists()


def read(words: str) -> str:
    """The topic that most words of a text belong to: what a person would say who reads it."""
    topic_of = {word: topic for topic, own in WORDS.items() for word in own.split()}
    seen = Counter(topic_of[word] for word in re.findall(r"[a-z]+", words.lower()) if word in topic_of)
    return seen.most_common(1)[0][0]


def test_papers_can_be_told_by_reading_them() -> None:
    made_up = papers(600, seed=3)
    right = [read(" ".join(made_up.nodes[node].values())) == topic for node, topic in made_up.topics.items()]
    assert np.mean(right) > 0.97
    source, target, _ = made_up.graph.edges()
    ids, topics = made_up.graph.nodes, made_up.topics
    alike = [topics[ids[a]] == topics[ids[b]] for a, b in zip(source.tolist(), target.tolist(), strict=True)]
    assert 0.7 < np.mean(alike) < 0.9
    assert papers(50, seed=1).nodes == papers(50, seed=1).nodes
    assert papers(50, seed=1).graph != papers(50, seed=2).graph


def wrong_among_the_rest(project: Project, topics: Any) -> float:
    rest = [node for node in project.nodes if node not in project.ledger.labels]
    return float(np.mean([said.prediction != topics[said.node] for said in project.predict(rest)]))


def test_asking_for_papers_beats_chance(tmp_path: Path) -> None:
    made_up = papers(300, seed=11)
    with Project.open(demo(tmp_path / "asked", size=300, seed=11), recipe=find("citations")) as project:
        answered(project, made_up.topics.__getitem__, 20)
        asked = wrong_among_the_rest(project, made_up.topics)
    drawn = []
    for seed in range(3):
        with Project.open(
            demo(tmp_path / f"drawn{seed}", size=300, seed=11), recipe=find("citations")
        ) as project:
            for node in np.random.default_rng(seed).choice(list(made_up.topics), 20, replace=False).tolist():
                project.do(commands.Label(node, made_up.topics[node]), "ann")
            drawn.append(wrong_among_the_rest(project, made_up.topics))
    assert asked < 0.75 * np.mean(drawn)


def test_few_accounts_are_bad_and_they_are_found(tmp_path: Path) -> None:
    made_up = some_accounts(1500, seed=5)
    assert len(made_up.bad) == 15
    with Project.open(
        demo(tmp_path / "it", "accounts", size=1500, seed=5), recipe=find("accounts")
    ) as project:
        assert project.ledger.votes.imported
        assert accounts.found_so_far(project) == accounts.Found(0, 0)
        answered(project, lambda node: "bad" if node in made_up.bad else "ordinary", 40)
        found = accounts.found_so_far(project)
        assert found.answers == 40
        assert found.found >= 5  # chance finds 0.4 of the 13 that are left
        assert str(found) == f"{found.found} found in 40 answers"
    with Project.open(tmp_path / "it", recipe=find("accounts")) as project:
        assert accounts.found_so_far(project) == found


def test_the_query_for_accounts_explores_as_often_as_it_is_told() -> None:
    made_up = some_accounts(300, seed=1)
    learner = made(find("accounts"), made_up.graph, ("ordinary", "bad"), 0).learner
    learner.learn_one(sorted(map(str, made_up.bad))[0], "bad")
    learner.learn_one(next(node for node in made_up.graph.nodes if node not in made_up.bad), "ordinary")
    open_, rng = np.ones(300, np.bool_), np.random.default_rng(0)
    assert len({accounts.Likeliest("bad", 0.0).choose(learner, open_, rng) for _ in range(60)}) < 10
    assert len({accounts.Likeliest("bad", 1.0).choose(learner, open_, rng) for _ in range(60)}) > 30
    with pytest.raises(ParameterError, match="explore"):
        accounts.Likeliest("bad", 2.0)


def test_pairs_that_arrive_are_asked_for_where_the_learner_is_not_sure(tmp_path: Path) -> None:
    made_up = pairs(40, seed=7)
    rng, shown, mistakes = np.random.default_rng(0), [], []
    with Project.open(demo(tmp_path / "it", "matches", size=40, seed=7), recipe=find("matches")) as project:
        order = [
            node for node in rng.permutation(list(made_up.same)).tolist() if node not in project.ledger.labels
        ]

        def learn(item: Any, arrival: Any) -> None:
            mistakes.append(arrival.prediction != made_up.same[item.node])
            if arrival.wanted:
                (question,) = project.do(commands.Lease(), "ann").questions
                shown.append(question.node)
                assert question.asked == "stream"
                project.do(commands.Label(question.node, made_up.same[question.node], question.lease), "ann")

        done = pump(from_iterable(order), project, on_arrival=learn)
        assert (done.items, done.wanted) == (len(order), len(shown))
        assert 0.03 < done.wanted / done.items < 0.5
        share = np.mean([kind == "same" for kind in made_up.same.values()])
        assert np.mean(mistakes) < share  # better than always "different"
        again = pump(from_iterable(order), project)  # the same keys: nothing is doubled
        assert again.items == len(order)
        assert len(project.ledger.arrived) == len(order)


def ring_and_crowd() -> Any:
    """Accounts, fifteen of which pay each other; what they are."""
    made_up = some_accounts(1500, seed=5)
    return made_up.graph, {node: "fraud" if node in made_up.bad else "legit" for node in made_up.graph.nodes}


def some_known(truth: Any) -> dict[Any, str]:
    of = {kind: [node for node, each in truth.items() if each == kind] for kind in ("fraud", "legit")}
    return dict.fromkeys(of["legit"][:40], "legit") | dict.fromkeys(of["fraud"][:3], "fraud")


def test_accounts_looks_for_the_rarest_class_whatever_the_classes_are_called(tmp_path: Path) -> None:
    graph, truth = ring_and_crowd()
    folder = Project.create(
        tmp_path / "it", graph=graph, classes=["fraud", "legit"], labels=some_known(truth), recipe="accounts"
    )
    with Project.open(folder) as project:
        assert project.ledger.looks_for == "fraud"
        answered(project, truth.__getitem__, 25)
        found, digest = accounts.found_so_far(project), project.digest()
        assert found.found >= 5  # of the 12 that are left; it was 0 when the last class was looked for
        project.do(commands.AddClasses(("unsure",)), "ann")
        assert project.ledger.looks_for == "fraud"
        assert project.model.recipe.query.wanted == "fraud"
        later = project.digest()
    assert later != digest
    with Project.open(folder) as project:
        assert (project.ledger.looks_for, project.digest()) == ("fraud", later)
        assert accounts.found_so_far(project) == found
        assert Ledger.from_json(project.ledger.to_json()).looks_for == "fraud"  # what a snapshot keeps


def test_the_class_that_is_looked_for_stays(tmp_path: Path) -> None:
    graph, truth = ring_and_crowd()
    classes = ["mule", "fraud", "legit"]
    folder = Project.create(
        tmp_path / "it",
        graph=graph,
        classes=classes,
        labels=some_known(truth),
        recipe="accounts",
        wanted="mule",
    )
    with Project.open(folder) as project:
        with pytest.raises(LabelError, match="'mule' is what this project looks for"):
            project.do(commands.RemoveClass("mule"), "ann")
        assert (list(project.classes), project.model.recipe.query.wanted) == (classes, "mule")


def test_a_project_that_names_no_class_looks_for_the_last_one_as_before(tmp_path: Path) -> None:
    """Before, no project wrote down what it looks for, and `project.toml` alone named the recipe."""
    graph, truth = ring_and_crowd()
    folder = Project.create(
        tmp_path / "it", graph=graph, classes=["fraud", "legit"], labels=some_known(truth)
    )
    with (folder / "project.toml").open("a", encoding="utf-8") as file:
        file.write('recipe = "accounts"\n')
    with Project.open(folder) as project:
        assert project.ledger.looks_for is None
        assert "looking_for" not in project.ledger.to_json()
        assert project.model.recipe.query.wanted == "legit"
        answered(project, truth.__getitem__, 3)
        assert accounts.found_so_far(project).answers == 3


@pytest.mark.parametrize(
    ("classes", "labels", "wanted", "found"),
    [
        (["fraud", "legit"], "fll", None, "fraud"),
        (["legit", "fraud"], "fll", None, "fraud"),
        (["legit", "fraud"], "fll", "legit", "legit"),
        (["ordinary", "bad"], "", None, "bad"),
        (["fraud", "legit"], "ll", None, "fraud"),
        (["fraud", "legit"], "fl", None, "legit"),
        (["a", "fraud", "legit", "z"], "fll", None, "fraud"),
        ([1, 0], "", "1", 1),
    ],
)
def test_what_is_looked_for(classes: Any, labels: str, wanted: Any, found: Any) -> None:
    known = {k: {"f": "fraud", "l": "legit"}[letter] for k, letter in enumerate(labels)}
    assert sought("accounts", classes, known, wanted) == found
    assert sought("citations", classes, known) is None
    assert sought("", classes, known) is None


def test_a_class_that_is_not_there_cannot_be_looked_for(tmp_path: Path) -> None:
    graph, _ = ring_and_crowd()
    with pytest.raises(LabelError, match=r"'froud', is not there; there are 'fraud', 'legit'"):
        Project.create(
            tmp_path / "it", graph=graph, classes=["fraud", "legit"], recipe="accounts", wanted="froud"
        )
    with pytest.raises(ParameterError, match="wanted='fraud' is for a recipe that looks for one class"):
        Project.create(tmp_path / "it", graph=graph, classes=["fraud", "legit"], wanted="fraud")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("named", [True, False])
def test_a_goal_that_a_rare_class_meets_does_not_end_the_search(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, named: bool
) -> None:
    world = some_accounts(800, share=0.01, seed=3)
    bad = sorted(map(str, world.bad))
    known = {bad[0]: "bad"} | dict.fromkeys(
        sorted(set(map(str, world.graph.nodes)) - set(bad))[:30], "ordinary"
    )
    folder = Project.create(
        tmp_path / "bank",
        graph=world.graph,
        classes=["bad", "ordinary"],
        labels=known,
        settings=Settings(goal=0.1, gold_every=0),
        recipe="accounts",
        wanted="bad" if named else None,
    )
    assert "goal is 10 % of all predictions wrong" in caplog.text
    assert "look for 'bad' go on" in caplog.text
    asked: list[str] = []
    with Project.open(folder, recipe=find("accounts")) as project:

        def answer() -> None:
            (question,) = project.do(commands.Lease(), "ann").questions
            asked.append(question.asked)
            label = "bad" if question.node in world.bad else "ordinary"
            project.do(commands.Label(question.node, label, question.lease), "ann")

        while project.progress()["stage"] != "reached":
            assert len(asked) < 200
            answer()
        progress = project.progress()
        said = "of the predictions are 'ordinary': to say so of every node would pass as well"
        assert said in progress["sentence"]
        assert "The project looks for 'bad': its questions go on" in progress["sentence"]
        during = asked[asked.index("audit") :]
        assert (
            0.8 < during.count("audit") / during.count("query") < 1.25
        )  # in turn, but for nodes that are both
        for _ in range(10):
            answer()
        assert asked[-10:].count("query") >= 8  # a random one now and then, where fewer remain
        rest = [node for node in project.nodes if node not in project.ledger.labels]
        wrong = sum((project.checks.running.predictions[n] == "bad") != (n in world.bad) for n in rest)
        assert wrong <= project.progress()["limit"]["wrong"]


def test_several_questions_at_once_are_of_both_kinds_in_turn(tmp_path: Path) -> None:
    folder = demo(tmp_path / "bank", "accounts", size=400)
    with Project.open(folder, recipe=find("accounts")) as project:
        project.do(commands.Configure({"goal": 0.01, "gold_every": 0}), "eve", admin=True)
        project.do(commands.BeginAudit(), "eve", admin=True)
        questions = project.do(commands.Lease(6), "ann").questions
        assert [question.asked for question in questions] == ["audit", "query"] * 3
        assert len({question.node for question in questions}) == 6


def test_a_goal_without_a_recipe_is_warned_of_and_ends_as_before(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    world = some_accounts(300, share=0.02, seed=3)
    known = {str(n): "bad" if n in world.bad else "ordinary" for n in world.graph.nodes}
    folder = Project.create(
        tmp_path / "bank",
        graph=world.graph,
        classes=["bad", "ordinary"],
        labels=known,
        settings=Settings(goal=0.05),
    )
    assert "of the known labels are 'ordinary'" in caplog.text
    assert "leave the goal out and name the class" in caplog.text
    with Project.open(folder) as project:
        assert not project.checks.seeks
