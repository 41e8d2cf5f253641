"""What a command does is told on standard error, and only where that is a terminal."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

MAIN = (sys.executable, "-c", "from ohmline.cli import main; main()")
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder with a ring and two labels."""
    (tmp_path / "edges.csv").write_text("".join(f"{k},{(k + 1) % 40}\n" for k in range(40)))
    (tmp_path / "labels.csv").write_text("0,red\n20,blue\n")
    return tmp_path


def on_a_terminal(folder: Path, *arguments: str) -> tuple[str, str]:
    """Run a command whose standard error is a terminal; what it printed on standard output, and what it told there."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*MAIN, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=theirs, text=True
    ) as process:
        os.close(theirs)
        told = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # Linux has it so that the other end was closed
                break
            if not piece:
                break
            told += piece
        os.close(ours)
        said, _ = process.communicate()
    assert process.returncode == 0, told
    return said, ESCAPES.sub("", told.decode())


PREDICT = ("predict", "edges.csv", "labels.csv", "--json")
GET = ("data", "get", "karate", "--json")


@pytest.mark.parametrize(
    ("arguments", "stages"),
    [
        (
            PREDICT,
            ["reading labels.csv", "learning 2 labels", "predicting 40 nodes", "writing predictions.csv"],
        ),
        (GET, ["loading karate", "describing karate"]),
        ((*GET, "--out", "."), ["loading karate", "writing karate", "describing karate"]),
    ],
)
def test_a_terminal_hears_of_every_stage(here: Path, arguments: tuple[str, ...], stages: list[str]) -> None:
    said, told = on_a_terminal(here, *arguments)
    places = [told.find(stage) for stage in stages]
    assert places[0] > -1
    assert places == sorted(places), told
    assert not any(stage in said for stage in stages)
    assert said.startswith("{")


@pytest.mark.parametrize("arguments", [PREDICT, GET])
def test_nobody_else_hears_of_it(here: Path, arguments: tuple[str, ...]) -> None:
    done = subprocess.run([*MAIN, *arguments], cwd=here, capture_output=True, text=True, check=True)
    assert done.stderr == ""


def test_a_data_set_of_the_folder_tells_what_is_read_and_how_large_it_is(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    land = np.arange(12 * 24).reshape(12, 24) % 3 == 0
    np.savez(here / "landmask.npz", land_m5=np.packbits(land, axis=1), shape_m5=np.array([12, 24]))
    digest = hashlib.sha256((here / "landmask.npz").read_bytes()).hexdigest()
    (here / "landmask.json").write_text(json.dumps({"sha256": digest}))
    monkeypatch.setenv("OHMLINE_DATA", str(here))
    said, told = on_a_terminal(here, "data", "get", "landmask5", "--json")
    assert json.loads(said)["graph"]["nodes"] == 288
    told = " ".join(told.split())  # a narrow terminal folds its lines
    assert "reading landmask5 in" in told
    assert "building a graph of 288 nodes and 552 edges" in told


def test_the_name_of_a_file_is_no_markup(here: Path) -> None:
    (here / "labels.csv").rename(here / "[bold]a[ ]b[red].csv")
    said, told = on_a_terminal(here, "predict", "edges.csv", "[bold]a[ ]b[red].csv")
    assert "2 of 40 nodes are labelled" in said
    assert "reading [bold]a[ ]b[red].csv" in told


@pytest.mark.slow
def test_the_first_demo_says_why_it_takes_so_long(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "machine")}
    command = [*MAIN, "demo", "--json"]
    told = []
    for _ in range(2):
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
        assert json.loads(done.stdout)["job"]["labels"] == 40
        told.append(done.stderr)
    assert re.fullmatch(r"ohmline: the first time, machine code is made, [^\n]*\n", told[0])
    assert told[1] == ""
