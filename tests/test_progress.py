"""One bar: in a terminal, in a notebook, and nowhere else."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

import ohmline as ohm
from ohmline.errors import ParameterError

GAME = """
import ohmline as ohm
graph = ohm.Graph.from_edges([(k, (k + 1) % 60) for k in range(60)])
stream = ohm.Stream([k % 60 for k in range(3000)], ["a", "b", "c"] * 1000)
trace = ohm.play(ohm.LocalLGC(graph), stream, progress=True)
"""


def test_without_a_terminal_nothing_is_printed() -> None:
    done = subprocess.run([sys.executable, "-c", GAME], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_terminal_shows_a_bar_on_standard_error() -> None:
    import pty

    ours, theirs = pty.openpty()
    done = subprocess.Popen([sys.executable, "-c", GAME], stdout=subprocess.PIPE, stderr=theirs, text=True)
    os.close(theirs)
    seen = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        seen += piece
    os.close(ours)
    assert done.communicate()[0] == ""
    assert done.returncode == 0
    assert b"playing" in seen


def ran(code: str) -> Any:
    """The outputs of a cell that a real kernel runs."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    nbclient.NotebookClient(book, timeout=300, kernel_name="python3").execute()
    return book.cells[0].outputs


@pytest.mark.slow
def test_a_notebook_shows_one_bar_that_ends_full() -> None:
    (shown,) = ran(GAME)
    assert shown.output_type == "display_data"
    assert shown.data["text/plain"] == "playing: 3,000 of 3,000"
    assert '<progress value="3000" max="3000">' in shown.data["text/html"]


@pytest.mark.slow
def test_a_notebook_shows_pictures_and_boxes() -> None:
    shown = ran(GAME + "display(trace.plot(), trace, graph, trace.report())")[1:]
    assert "image/png" in shown[0].data
    for output in shown[1:3]:
        assert output.data["text/html"].startswith('<div class="ohmline">')
    assert shown[3].data["text/html"].startswith("<iframe")


def test_a_function_is_told_of_every_trial_once() -> None:
    graph = ohm.Graph.from_edges([(0, 1), (1, 2)])
    told: list[int] = []
    ohm.play(ohm.LocalLGC(graph), ohm.Stream([0, 1, 2], "aab"), progress=told.append)
    assert sum(told) == 3
    with pytest.raises(ParameterError, match="give True for a bar"):
        ohm.play(ohm.LocalLGC(graph), ohm.Stream([0], "a"), progress="yes")
