"""Ctrl-C, as a terminal sends it: to the command and to all its workers at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from graph_parts import ring_of_rings, write_parts

PRESSED_AT = """
import os, signal, threading
from ohmline.cli import main
{when}
main()
"""
WHILE_WORKERS_START = """
from ohmline.cluster.engine import Cluster
start = Cluster.local
def pressed(*arguments, **options):
    threading.Timer({delay}, os.killpg, (0, signal.SIGINT)).start()
    return start(*arguments, **options)
Cluster.local = pressed
"""
IN_THE_MIDDLE = """
from ohmline.cluster.{module} import {owner}
work, made = {owner}.{name}, []
def pressed(*arguments, **options):
    made.append(1)
    if len(made) == {times}:
        os.killpg(0, signal.SIGINT)
    return work(*arguments, **options)
{owner}.{name} = pressed
"""
COMMAND = ("predict", "edges", "labels.csv", "--workers", "2", "--out", "said")
STEP = {"module": "spread", "owner": "SpreadRows", "name": "_call", "times": 10}
TASKS = {"module": "engine", "owner": "Cluster", "name": "map", "times": 2}


@pytest.mark.slow
@pytest.mark.parametrize(
    "when",
    [
        WHILE_WORKERS_START.format(delay=0.7),
        WHILE_WORKERS_START.format(delay=2.5),
        IN_THE_MIDDLE.format(**TASKS),
        IN_THE_MIDDLE.format(**STEP),
    ],
    ids=["workers are born", "workers load", "tasks", "a step"],
)
def test_it_ends_all_without_a_word(tmp_path: Path, when: str) -> None:
    home, temporary = tmp_path / "home", tmp_path / "temporary"
    home.mkdir()
    temporary.mkdir()
    write_parts(ring_of_rings(), home / "edges")
    (home / "labels.csv").write_text("node,label\n0,a\n40,b\n")
    done = subprocess.run(
        [sys.executable, "-c", PRESSED_AT.format(when=when), *COMMAND],
        cwd=home,
        env={**os.environ, "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        start_new_session=True,  # or the tests would hear it
    )
    assert (done.returncode, done.stdout, done.stderr) == (128 + signal.SIGINT, "", "")
    assert sorted(os.listdir(home)) == ["edges", "labels.csv"]
