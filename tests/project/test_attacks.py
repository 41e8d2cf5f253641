"""What once broke a project, each as it was found."""

from __future__ import annotations

import asyncio

import pytest

import ohmline as ohm
from ohmline.errors import OhmlineError, ParameterError, StaleLease
from ohmline.project import Host, Project, Recipe, Settings
from ohmline.project import commands as c
from project.conftest import grid


def side(node):
    return "left" if int(str(node).split("-")[1]) < 3 else "right"


def test_a_second_vote_during_a_check_is_counted_anew(project):
    project.do(c.Label("0-0", "left"), "ann")
    project.do(c.BeginAudit(), "eve")
    [question] = project.do(c.Lease(), "ann").questions
    project.do(c.Label(question.node, "left", question.lease), "ann")
    project.do(c.Label(question.node, "right"), "ann")
    assert project.ledger.labels[question.node] == "right"
    assert not project.broken
    expected = project.checks.running.predictions[question.node] != "right"
    assert (project.checks.limit.sampled, project.checks.limit.found) == (1, expected)


def test_a_check_that_cannot_begin_fails_nobody_else(folder):
    async def work():
        project = Project.open(folder)
        host = Host(project)
        await host.start()
        await host.submit(c.Label("0-0", "left"), "ann")
        replies = await asyncio.gather(
            *(
                host.submit(c.BeginAudit() if k % 3 == 0 else c.Label(f"{k // 6}-{k % 6}", "left"), "ann")
                for k in range(1, 30)
            ),
            return_exceptions=True,
        )
        await host.stop()
        project.close()
        return replies

    replies = asyncio.run(work())
    failed = [reply for reply in replies if isinstance(reply, OhmlineError)]
    assert len(failed) == 8, "all checks but the first, and no label"
    assert all("under way" in str(error) for error in failed)


def streaming(tmp_path, clock):
    def recipe(graph, classes, seed):
        return Recipe(ohm.LocalLGC(graph, classes, guess=True), ohm.Always())

    folder = Project.create(
        tmp_path / "stream",
        graph=grid(),
        classes=["left", "right"],
        settings=Settings(gold_every=0, lease_seconds=60),
    )
    return Project.open(folder, recipe=recipe, clock=clock)


def test_a_node_that_arrived_is_wanted_until_it_is_answered(tmp_path, clock):
    with streaming(tmp_path, clock) as project:
        for k in range(4):
            assert project.do(c.Arrive(f"0-{k}"), "eve").wanted
        [question] = project.do(c.Lease(), "ann").questions
        clock.now += 100
        nodes = {q.node for q in project.do(c.Lease(10), "bob").questions}
        assert nodes == {"0-0", "0-1", "0-2", "0-3"}, "what expired goes to others"
        assert question.node in nodes
        project.do(c.LabelMany(("0-0", "0-1"), "left"), "bob")
        project.do(c.Skip("0-2"), "bob")
        assert list(project.ledger.wanted) == ["0-3"], "answered otherwise, or skipped: no longer wanted"
        project.do(c.Undo(), "bob")
        assert set(project.ledger.wanted) == {"0-2", "0-3"}


def test_nothing_grows_for_a_node_that_cannot_arrive(project, tmp_path, clock):
    before = (len(project.nodes), project.log.head)
    with pytest.raises(ParameterError, match="pool"):
        project.do(c.Arrive("evil", {}, (("evil", "0-0", 1.0), ("0-0", "3-3", 1.0))), "ann")
    assert (len(project.nodes), project.log.head) == before
    with streaming(tmp_path, clock) as stream:
        arrive = c.Arrive("new", {"text": "x"}, (("new", "0-0", 1.0), ("0-0", "3-3", 1.0)), key="k" * 200)
        first = stream.do(arrive, "eve")
        head = stream.log.head
        assert stream.do(arrive, "eve") == first
        assert stream.log.head == head
        with pytest.raises(ParameterError, match="arrived already"):
            stream.do(c.Arrive("new", {}, (("new", "5-5", 1.0),)), "eve")
        assert stream.log.head == head


def test_a_limit_says_nothing_of_nodes_that_came_later(tmp_path, clock):
    folder = Project.create(
        tmp_path / "grows",
        graph=grid(12),
        classes=["left", "right"],
        settings=Settings(goal=0.3, gold_every=0),
    )
    with Project.open(folder, clock=clock) as project:
        for _ in range(140):
            questions = project.do(c.Lease(), "ann").questions
            if not questions:
                break
            node = questions[0].node
            project.do(
                c.Label(node, "left" if int(node.split("-")[1]) < 6 else "right", questions[0].lease), "ann"
            )
        assert project.progress()["stage"] == "reached"
        project.do(c.Grow(tuple((f"n{k}", {}) for k in range(200))), "eve")
        progress = project.progress()
        assert progress["stage"] == "checking"
        assert not progress["may_stop"]
        assert project.do(c.Lease(), "ann").questions, "learning goes on"
        ended = [row["payload"] for row in project.history(limit=1000) if row["kind"] == "audit-ended"]
        assert ended[-1]["reason"] == "the graph has grown since it began"


def test_asking_alone_leaves_the_same_state_after_a_restart(tmp_path, clock):
    folder = Project.create(tmp_path / "lease", graph=grid(), classes=["left", "right"])
    with Project.open(folder, clock=clock) as project:
        project.do(c.Lease(), "bob")
        digest, people = project.digest(), project.people()
    with Project.open(folder, clock=clock) as project:
        assert (project.digest(), project.people()) == (digest, people)


def test_a_check_outlives_a_change_of_classes(project, folder, clock):
    project.do(c.Label("0-0", "left"), "ann")
    project.do(c.BeginAudit(), "eve")
    project.do(c.AddClasses(("middle",)), "eve")
    [question] = project.do(c.Lease(), "ann").questions
    project.do(c.Label(question.node, "middle", question.lease), "ann")
    seen = (project.digest(), project.progress())
    project.close()
    with Project.open(folder, clock=clock) as again:
        assert (again.digest(), again.progress()) == seen
        assert again.notes == []


def test_a_lease_answers_its_own_node_only(project):
    [question] = project.do(c.Lease(), "ann").questions
    other = "0-0" if question.node != "0-0" else "5-5"
    before = project.digest()
    with pytest.raises(StaleLease, match="is about node"):
        project.do(c.Label(other, "left", question.lease), "ann")
    assert project.digest() == before


def test_a_question_that_is_renewed_stays_the_same_question(project, clock):
    [first] = project.do(c.Lease(), "ann").questions
    clock.now += 0.6 * project.settings.lease_seconds
    [again] = project.do(c.Lease(), "ann").questions
    assert (again.lease, again.node) == (first.lease, first.node)
    assert again.until > first.until
    clock.now += 0.6 * project.settings.lease_seconds
    reply = project.do(c.Label(first.node, "left", first.lease), "ann")
    assert project.event(reply.seq).payload["asked"] == "query", "it was asked, and answered in time"


def test_a_recipe_that_fails_stops_nobody(tmp_path, clock, caplog):
    heard = []

    def on_event(event):
        heard.append(event.seq)
        raise RuntimeError("hook")

    def show(node):
        raise KeyError(node)

    def recipe(graph, classes, seed):
        return Recipe(
            ohm.LocalLGC(graph, classes, guess=True), ohm.query.ErrorReduction(), None, show, on_event
        )

    folder = Project.create(tmp_path / "bad", graph=grid(), classes=["left", "right"])
    with Project.open(folder, recipe=recipe, clock=clock) as project:
        [question] = project.do(c.Lease(), "ann").questions
        assert "show failed" in question.card["fields"]["recipe"]
        project.do(c.Label(question.node, "left", question.lease), "ann")
        assert heard == [1, 2]
        assert not project.broken
    assert "on_event of the recipe failed" in caplog.text


def test_a_repeated_key_is_answered_as_it_was_whatever_came_since(project):
    command = c.Label("0-0", "left", key="k")
    first = project.do(command, "ann")
    project.do(c.Label("0-0", "right"), "bob")
    assert project.do(command, "ann") == first
    assert first.detail["resolved"] == "left"


def test_a_project_opens_with_the_recipe_that_it_names(tmp_path):
    folder = Project.create(tmp_path / "named", graph=grid(), classes=["a", "b"], recipe="matches")
    with Project.open(folder) as project:
        assert project.recipe.__module__ == "ohmline.recipes.matches"
        assert project.model.recipe.streams
    with pytest.raises(ParameterError, match="no recipe 'os'"):
        Project.create(tmp_path / "other", graph=grid(), classes=["a", "b"], recipe="os")
    assert not (tmp_path / "other").exists()
    other = Project.create(tmp_path / "other", graph=grid(), classes=["a", "b"], recipe="matches")
    about = (other / "project.toml").read_text().replace('"matches"', '"os"')
    (other / "project.toml").write_text(about)
    with pytest.raises(ParameterError, match="no recipe 'os'"):
        Project.open(other)


@pytest.mark.parametrize(
    ("name", "words"),
    [("sub/p.png", "plain name"), ("../p.png", "plain name"), ("no.png", "not in"), (".h", "plain")],
)
def test_pictures_that_are_not_there_are_named(tmp_path, name, words):
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "p.png").write_bytes(b"x")
    (tmp_path / "pictures" / "notes.txt").write_text("mine")
    options = {"graph": grid(), "classes": ["a", "b"], "images": tmp_path / "pictures"}
    with pytest.raises(ParameterError, match=words):
        Project.create(tmp_path / "new", nodes={"0-0": {"image": name}}, **options)
    with pytest.raises(ParameterError, match="no folder"):
        Project.create(tmp_path / "new", graph=grid(), classes=["a", "b"], nodes={"0-0": {"image": "p.png"}})
    folder = Project.create(tmp_path / "new", nodes={"0-0": {"image": "p.png"}}, **options)
    assert [path.name for path in (folder / "images").iterdir()] == ["p.png"]


def test_gold_items_are_not_asked_during_a_check(tmp_path, clock):
    folder = Project.create(
        tmp_path / "gold", graph=grid(), classes=["left", "right"], settings=Settings(gold_every=1)
    )
    with Project.open(folder, clock=clock) as project:
        project.do(c.SetGold("0-0", "left"), "eve")
        project.do(c.Label("5-5", "right"), "ann")
        project.do(c.Label("5-4", "right"), "ann")
        project.do(c.BeginAudit(), "eve")
        questions = project.do(c.Lease(3), "ann").questions
        assert {question.asked for question in questions} == {"audit"}
        project.do(c.EndAudit(), "eve")
        for question in questions:
            project.do(c.Release(question.lease), "ann")
        assert "0-0" in {question.node for question in project.do(c.Lease(3), "ann").questions}
