"""Decisions are logged under the name `ohmline`, once each; nobody hears them who does not listen."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ohmline as ohm

GRAPH = ohm.Graph.from_edges([(k, (k + 1) % 60) for k in range(60)])


def grid(side: int) -> ohm.Graph:
    across = [((i, j), (i, j + 1)) for i in range(side) for j in range(side - 1)]
    return ohm.Graph.from_edges([*across, *[((j, i), (j + 1, i)) for (i, j), _ in across]])


@pytest.mark.parametrize(
    ("decide", "name", "words"),
    [
        (lambda: ohm.LaplacianKernel(GRAPH).space, "ohmline.kernel.laplacian", "dense kernel of 60 nodes"),
        (lambda: ohm.SpectralKernel(GRAPH, rank=5).space, "ohmline.kernel.spectral", "by LAPACK, dense"),
        (
            lambda: ohm.SpectralKernel(grid(40), rank=5, method="filter").space,
            "ohmline.kernel.spectral",
            "by filtered Lanczos, sparse",
        ),
        (lambda: ohm.SolverKernel(GRAPH).column(0), "ohmline.kernel.solver", "by a sparse Cholesky factor"),
        (
            lambda: ohm.SolverKernel(grid(12), fill_limit=10).column((0, 0)),
            "ohmline.kernel.solver",
            "within fill_limit: columns by conjugate gradients",
        ),
    ],
    ids=["dense", "LAPACK", "Lanczos", "factor", "iteration"],
)
def test_a_decision_is_logged(
    decide: Callable[[], Any], name: str, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="ohmline"):
        decide()
    (found,) = [record for record in caplog.records if words in record.getMessage()]
    assert found.name == name
    assert found.levelno == logging.INFO


def test_the_format_of_a_file_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "mine.csv").write_text("a,b\nb,c\n")
    with caplog.at_level(logging.INFO, logger="ohmline"):
        ohm.graph.read(tmp_path / "mine.csv")
    assert any("mine.csv as edge list" in record.getMessage() for record in caplog.records)


def test_the_header_of_a_file_and_the_learner_of_a_fit_are_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "mine.csv").write_text("source,target\na,b\nb,c\n")
    with caplog.at_level(logging.INFO, logger="ohmline"):
        ohm.fit(ohm.graph.read(tmp_path / "mine.csv"), {"a": "x"})
    said = [record.getMessage() for record in caplog.records]
    assert any("the first row names the columns" in words for words in said)
    assert "no learner given: LocalLGC for 3 nodes and 2 edges" in said


@pytest.mark.parametrize(
    "make",
    [
        lambda: ohm.Perceptron(ohm.SolverKernel(GRAPH, b=1.0, columns=2)),
        lambda: ohm.OneVsRest(lambda: ohm.Perceptron(ohm.SpectralKernel(GRAPH, rank=4))),
        lambda: ohm.LocalLGC(GRAPH),
    ],
    ids=["columns", "one vs rest", "local"],
)
@pytest.mark.parametrize("compiled", [True, False])
def test_no_trial_is_logged(
    make: Callable[[], Any], compiled: bool, caplog: pytest.LogCaptureFixture
) -> None:
    def records(trials: int) -> int:
        caplog.clear()
        stream = ohm.Stream(np.arange(trials) % 60, [1, -1] * (trials // 2))
        with caplog.at_level(1, logger="ohmline"):
            ohm.play(make(), stream, compiled=compiled)
        return len([record for record in caplog.records if record.name.startswith("ohmline")])

    assert 1 <= records(10) == records(300)


def test_nobody_hears_anything_unasked() -> None:
    script = (
        "import logging, ohmline as ohm\n"
        "graph = ohm.Graph.from_edges([(0, 1), (1, 2)])\n"
        "ohm.play(ohm.Perceptron(ohm.LaplacianKernel(graph)), ohm.Stream([0, 1], [1, -1]))\n"
        "logging.getLogger('ohmline.kernel').warning('even a warning')\n"
        "assert not logging.getLogger().handlers\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
