"""A process that is killed in the midst of its work: nothing that it acknowledged is lost, nothing is there twice."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time

import pytest

from ohmline.errors import OhmlineError
from ohmline.project import Project, Settings
from ohmline.project import commands as c
from ohmline.project.folder import SNAPSHOTS
from project.conftest import grid

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="needs os.fork, which this system does not have"
)


def work(folder, seed, pipe):
    """Do random things for ever, and say of each that it was acknowledged."""
    rng = random.Random(seed)
    project = Project.open(folder)
    nodes = list(project.nodes)
    for step in range(10**6):
        who = rng.choice(["ann", "bob"])
        key = f"{seed}-{step}"
        kind = rng.randrange(8)
        try:
            if kind < 4:
                reply = project.do(c.Label(rng.choice(nodes), rng.choice(["left", "right"]), key=key), who)
            elif kind == 4:
                reply = project.do(c.Undo(key=key), who)
            elif kind == 5:
                reply = project.do(c.LabelMany(tuple(rng.sample(nodes, 3)), "left", key=key), who)
            elif kind == 6:
                reply = project.do(c.Skip(rng.choice(nodes), key=key), who)
            else:
                project.do(c.Lease(2), who)
                continue
        except OhmlineError:
            continue
        os.write(pipe, f"{reply.seq} {reply.hash} {who} {key}\n".encode())


def kill_once(folder, seed):
    """Let a child work for a moment and kill it; what it acknowledged."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            work(folder, seed, write)
        finally:
            os._exit(1)
    os.close(write)
    rng = random.Random(seed)
    os.read(read, 1)  # it has begun
    time.sleep(rng.uniform(0, 0.15))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    said = b"?"
    while piece := os.read(read, 65536):
        said += piece
    os.close(read)
    lines = said[: said.rfind(b"\n") + 1].decode().splitlines()
    return [line.split() for line in lines[1:]]  # of the first line one byte was read already


def killed(folder, times):
    acknowledged: dict[int, tuple[str, str, str]] = {}
    for seed in range(times):
        for seq, digest, who, key in kill_once(folder, seed):
            acknowledged[int(seq)] = (digest, who, key)
        with Project.open(folder) as project:
            events = {event.seq: event for event in project.log.read()}
            for seq, (digest, who, key) in acknowledged.items():
                assert (events[seq].hash, events[seq].actor, events[seq].key) == (digest, who, key)
            keys = [(event.actor, event.key) for event in events.values() if event.key]
            assert len(keys) == len(set(keys)), "an event is there twice"
            state = project.digest()
            project.keep()
        if seed % 20 == 19:  # without its snapshots it comes to the same
            shutil.rmtree(folder / SNAPSHOTS, ignore_errors=True)
            with Project.open(folder) as project:
                assert project.digest() == state
    return len(acknowledged)


def make(tmp_path):
    """A project, and the machine code for it in this process, so that its children have it too."""
    options = {"graph": grid(), "classes": ["left", "right"], "settings": Settings(gold_every=0)}
    with Project.open(Project.create(tmp_path / "warm", **options)) as project:
        for node in ("0-0", "5-5"):
            project.do(c.Lease(2), "ann")
            project.do(c.Label(node, "left"), "ann")
        project.do(c.Undo(), "ann")
        project.digest()
    return Project.create(tmp_path / "killed", **options)


def test_killed_a_few_times(tmp_path):
    assert killed(make(tmp_path), 6) > 10


@pytest.mark.slow
def test_killed_200_times(tmp_path):
    assert killed(make(tmp_path), 200) > 500
