"""Errors give the flag of the command, not the argument of the library."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from ohmline import graph
from ohmline.cli import files
from ohmline.cli.app import app
from ohmline.cli.files import column, weight_column
from ohmline.cli.flags import in_flags

FLAGS = {
    "symmetrise": ("--symmetrise", ""),
    "header": ("--header", "--no-header"),
    "parallel": ("--parallel", ""),
    "source": ("--source", ""),
    "skip_unknown": ("--skip-unknown", ""),
    "rank": ("--rank", ""),
}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("pass symmetrise=True to take", "pass --symmetrise to take"),
        ("and header=False says", "and --no-header says"),
        ("pass parallel='sum' or parallel='max'", "pass --parallel sum or --parallel max"),
        ("pass source=... with one of them", "pass --source ... with one of them"),
        ("source= is given", "--source is given"),
        ("or pass skip_unknown=True to leave", "or pass --skip-unknown to leave"),
        ("rank must be a whole number", "--rank must be a whole number"),
        ("the rank must be below", "the rank must be below"),
        ("below 0; pass signed=True if", "below 0; in Python, pass signed=True if"),
        ("not Graph(source=3, rank=(1, 2)); rank=3", "not Graph(source=3, rank=(1, 2)); --rank 3"),
        ("got Graph(source=3, x...", "got Graph(source=3, x..."),
        ("my_source=3, x.source=4", "my_source=3, x.source=4"),
        ("node 'header' and source == 3", "node 'header' and source == 3"),
    ],
)
def test_parameters_become_flags(message: str, expected: str) -> None:
    assert in_flags(message, FLAGS) == expected


def test_the_command_line_names_its_flag(tmp_path: Path) -> None:
    edges, labels = tmp_path / "edges.csv", tmp_path / "labels.csv"
    edges.write_text("a,b,1\nb,a,2\n")
    labels.write_text("a,x\nb,y\n")
    result = CliRunner().invoke(app, ["play", str(edges), str(labels)])
    assert result.exit_code == 2
    assert "pass --symmetrise to take" in result.output
    assert "symmetrise=True" not in result.output


def test_the_ways_to_treat_parallel_edges_are_those_of_the_library() -> None:
    assert [*files.Parallel] == [*graph.Parallel]


def test_columns_are_names_or_numbers() -> None:
    assert [column(value) for value in ("0", "12", "x1", None)] == [0, 12, "x1", None]
    assert weight_column("none") is False
    assert weight_column("2") == 2
