"""A command that is asked to end leaves nothing behind. Real signals, in processes of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SENT_AT = """
import os, signal, sys
from ohmline.cli import main
from {module} import {owner}
work, left = {owner}.{name}, [{times}]
def hit(*arguments, **options):
    left[0] -= 1
    if left[0] == 0:
        for _ in range({often}):
            os.kill(os.getpid(), signal.{signal})
    return work(*arguments, **options)
{owner}.{name} = hit
main()
"""
STREAM = ("ohmline.graph.streaming", "Edges", "add")
WRITE = ("ohmline.graph.mapped.writing", "GraphWriter", "put")
FINISH = ("ohmline.graph.mapped.writing", "GraphWriter", "finish")


def ended(tmp_path: Path, at: tuple[str, str, str], name: str, *, times: int = 1, often: int = 1) -> int:
    """Convert a large edge list, be asked to end at that call, and say the exit code; nothing was left anywhere."""
    home, temporary = tmp_path / "home", tmp_path / "temporary"
    home.mkdir()
    temporary.mkdir()
    rows = "".join(f"{k},{k + 1}\n" for k in range(700_000))
    (home / "edges.csv").write_text(rows)
    (home / "graph.ohmg").write_text("what lay there before")
    module, owner, method = at
    code = SENT_AT.format(module=module, owner=owner, name=method, times=times, often=often, signal=name)
    done = subprocess.run(
        [sys.executable, "-c", code, "graph", "convert", "edges.csv", "graph.ohmg"],
        cwd=home,
        env={**os.environ, "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stderr == ""
    assert sorted(os.listdir(home)) == ["edges.csv", "graph.ohmg"]
    assert os.listdir(temporary) == []
    assert (home / "graph.ohmg").read_bytes().startswith(b"what lay there before") == (done.returncode != 0)
    return done.returncode


@pytest.mark.parametrize("at", [STREAM, WRITE, FINISH])
def test_whoever_asks_for_the_end_finds_nothing_half_done(tmp_path: Path, at: tuple[str, str, str]) -> None:
    assert ended(tmp_path, at, "SIGTERM") == 143


def test_a_closed_terminal_is_the_same(tmp_path: Path) -> None:
    assert ended(tmp_path, WRITE, "SIGHUP", times=2) == 129


def test_being_asked_twice_in_a_moment_is_being_asked_once(tmp_path: Path) -> None:
    assert ended(tmp_path, WRITE, "SIGTERM", often=3) == 143


def test_a_call_that_never_comes_leaves_the_command_alone(tmp_path: Path) -> None:
    assert ended(tmp_path, WRITE, "SIGTERM", times=10**6) == 0


def python(code: str) -> subprocess.Popen[str]:
    """A process of its own, whose output can be read."""
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)


def test_a_forked_process_does_not_put_its_parents_things_in_order() -> None:
    """And whoever ignores the signal, as `nohup` has it, goes on ignoring it."""
    process = python(
        "import os, signal\n"
        "from ohmline.cli.ending import in_order\n"
        "signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "in_order()\n"
        "signal.raise_signal(signal.SIGHUP)\n"
        "try:\n"
        "    child = os.fork()\n"
        "    if not child:\n"
        "        signal.raise_signal(signal.SIGTERM)\n"
        "    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)\n"
        "finally:\n"
        "    print('put in order', flush=True)\n"
    )
    said, _ = process.communicate(timeout=60)
    assert (said, process.returncode) == ("143\nput in order\n", 0)


def test_an_end_that_takes_too_long_is_cut_short_by_asking_again() -> None:
    process = python(
        "import time\n"
        "import ohmline.cli.ending as ending\n"
        "ending.PATIENCE = 0.2\n"
        "ending.in_order()\n"
        "try:\n"
        "    print('begun', flush=True)\n"
        "    time.sleep(60)\n"
        "finally:\n"
        "    print('ending', flush=True)\n"
        "    time.sleep(60)\n"
    )
    assert process.stdout is not None
    with process.stdout as said:
        assert said.readline() == "begun\n"
        process.send_signal(signal.SIGTERM)
        assert said.readline() == "ending\n"
        time.sleep(0.4)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 143
