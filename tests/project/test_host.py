"""Many people at once: no question twice, nobody stuck, nothing lost when the disk fails or the thinker dies."""

from __future__ import annotations

import asyncio
import os
import random
import signal

import pytest

from ohmline.errors import JournalError, OhmlineError
from ohmline.project import Host, Project, Settings
from ohmline.project import commands as c
from project.conftest import grid


def side(node):
    return "left" if int(node.split("-")[1]) < 9 else "right"


def hosted(folder, work):
    """Run `work(host)` over a project, and check afterwards that its events lead to the same state again."""

    async def run():
        project = Project.open(folder)
        host = Host(project)
        await host.start()
        try:
            result = await work(host)
        finally:
            await host.stop()
            digest = project.digest()
            project.close()
        return result, digest

    result, digest = asyncio.run(run())
    with Project.open(folder) as project:
        assert project.digest() == digest
    return result


@pytest.fixture
def plain(tmp_path):
    return Project.create(
        tmp_path / "plain", graph=grid(18), classes=["left", "right"], settings=Settings(gold_every=0)
    )


async def person(host, name, seen, most=10**9):
    """Answer until nothing is left; every question is noted."""
    rng = random.Random(name)
    for _ in range(most):
        questions = (await host.submit(c.Lease(rng.randrange(1, 4)), name)).questions
        if not questions:
            return
        for question in questions:
            seen.setdefault(question.node, set()).add(name)
        question = questions[0]
        if rng.random() < 0.05:
            await host.submit(c.Release(question.lease), name)
        else:
            key = f"{name}-{question.node}"
            await host.submit(c.Label(question.node, side(question.node), question.lease, key=key), name)


def test_many_people_answer_everything_once(plain):
    seen: dict[str, set[str]] = {}

    async def work(host):
        await asyncio.gather(*(person(host, f"p{k}", seen) for k in range(12)))
        assert len(host.project.ledger.labels) == 18 * 18, "nothing is stuck"
        return host.project.ledger.votes

    votes = hosted(plain, work)
    assert all(len(votes.of(node)) == 1 for node in votes.labels), "no question is answered twice"


@pytest.mark.slow
def test_32_people_and_10000_items(tmp_path):
    folder = Project.create(
        tmp_path / "large", graph=grid(100), classes=["left", "right"], settings=Settings(gold_every=0)
    )
    held: dict[str, str] = {}

    async def one(host, name):
        while questions := (await host.submit(c.Lease(2), name)).questions:
            for question in questions:
                assert held.setdefault(question.node, name) == name, "two people hold one node"
            question = questions[0]
            await host.submit(c.Label(question.node, side(question.node), question.lease), name)

    async def work(host):
        await asyncio.gather(*(one(host, f"p{k}") for k in range(32)))
        return len(host.project.ledger.labels)

    assert hosted(folder, work) == 10_000


def test_listeners_hear_every_event_once_and_in_order(plain):
    async def work(host):
        heard: list[int] = []
        late: list[int] = []

        async def listen(into, after):
            async for event in host.events(after):
                into.append(event.seq)

        first = asyncio.create_task(listen(heard, -1))
        await person(host, "ann", {}, 20)
        second = asyncio.create_task(listen(late, 10))
        await person(host, "bob", {}, 20)
        last = host.project.seq
        while not heard or heard[-1] < last or not late or late[-1] < last:
            await asyncio.sleep(0.01)
        first.cancel()
        second.cancel()
        assert heard == list(range(last + 1))
        assert late == list(range(11, last + 1))
        await asyncio.gather(first, second, return_exceptions=True)
        assert host.listeners == 0

    hosted(plain, work)


def test_a_disk_that_fails_refuses_and_goes_on_when_there_is_room(plain, monkeypatch):
    async def work(host):
        project = host.project
        await person(host, "ann", {}, 3)
        before, append = project.digest(), project.log.append
        state = {"full": True}

        def failing(drafts):
            if state["full"]:
                raise JournalError("the disk is full")
            return append(drafts)

        monkeypatch.setattr(project.log, "append", failing)
        replies = await asyncio.gather(
            *(host.submit(c.Label(f"0-{k}", "left"), "ann") for k in range(5)), return_exceptions=True
        )
        assert all(isinstance(reply, JournalError) for reply in replies)
        assert project.digest() == before
        assert project.predict(["0-0"])[0].node == "0-0", "reads go on"
        state["full"] = False
        await host.submit(c.Label("0-0", "left"), "ann")
        assert project.ledger.labels["0-0"] == "left"

    hosted(plain, work)


def test_commands_of_one_group_that_meet_are_done_one_after_the_other(plain):
    async def work(host):
        same = c.Label("3-3", "left", key="same")
        replies = await asyncio.gather(*(host.submit(same, "ann") for _ in range(20)))
        assert len({reply.seq for reply in replies}) == 1, "one key, one event"
        both = await asyncio.gather(
            host.submit(c.Label("4-4", "left"), "ann"),
            host.submit(c.Undo(), "ann"),
            host.submit(c.Label("4-4", "right"), "ann"),
            host.submit(c.Label("4-4", "up"), "ann"),
            return_exceptions=True,
        )
        assert isinstance(both[3], OhmlineError)
        assert host.project.ledger.labels["4-4"] == "right"
        assert [reply.seq for reply in both[:3]] == sorted(reply.seq for reply in both[:3])

    hosted(plain, work)


def test_a_thinker_that_dies_is_started_again(plain):
    async def work(host):
        await person(host, "ann", {}, 5)
        process = None
        for _ in range(500):
            process = getattr(host._thinker, "_process", None)
            if process is not None:
                break
            await asyncio.sleep(0.02)
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)
        await person(host, "ann", {}, 5)
        for _ in range(3000):
            again = getattr(host._thinker, "_process", None)
            if again is not None and again.pid != process.pid:
                break
            await asyncio.sleep(0.02)
            await person(host, "ann", {}, 1)
        assert again.pid != process.pid
        said = await host.survey(["0-0", "5-5"])
        assert len(said["codes"]) == 2

    hosted(plain, work)


def test_the_nodes_of_a_stream_arrive_once_also_after_a_restart(tmp_path):
    import ohmline as ohm
    from ohmline.project import Recipe

    nodes = [f"{i}-{j}" for i in range(6) for j in range(6)]

    def recipe(graph, classes, seed):
        return Recipe(ohm.LocalLGC(graph, classes, guess=True), ohm.Always(), stream=nodes)

    folder = Project.create(
        tmp_path / "stream", graph=grid(6), classes=["left", "right"], settings=Settings(gold_every=0)
    )

    async def some(most):
        project = Project.open(folder, recipe=recipe)
        host = Host(project)
        await host.start()
        done = 0
        while done < most and len(project.ledger.labels) < 36:
            questions = (await host.submit(c.Lease(), "ann")).questions
            if not questions:
                await asyncio.sleep(0.02)
                continue
            assert questions[0].asked == "stream"
            await host.submit(c.Label(questions[0].node, "left", questions[0].lease), "ann")
            done += 1
        await host.stop()
        arrived = list(project.ledger.arrived)
        project.close()
        return arrived

    first = asyncio.run(some(5))
    assert 5 <= len(first) <= 5 + 21
    assert asyncio.run(some(100)) == nodes


def test_what_was_taken_is_written_before_it_stops(plain):
    async def work(host):
        waiting = [asyncio.create_task(host.submit(c.Label(f"1-{k}", "left"), "ann")) for k in range(10)]
        await asyncio.sleep(0)
        await host.stop()
        replies = await asyncio.gather(*waiting)
        assert len({reply.seq for reply in replies}) == 10
        with pytest.raises(JournalError, match="stopping"):
            await host.submit(c.Label("2-2", "left"), "ann")

    hosted(plain, work)
