"""LabelSpreading in a process of its own finds what it finds here, whatever becomes of the process."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from ohmline.lab.label_spreading import Aside, shares

POINTS = np.random.default_rng(0).normal(size=(60, 3)) + np.repeat([[0.0], [4.0]], 30, axis=0)
LABELS = np.repeat([0, 1], 30)
DRAWS = np.array([[0, 59, 5], [1, 31, 2]])


def found() -> list[float] | None:
    with Aside() as aside:
        aside.begin(POINTS, LABELS, DRAWS)
        return aside.found()


def test_the_process_finds_the_same() -> None:
    known = shares(POINTS, LABELS, DRAWS)
    assert found() == known
    assert known[0] != known[1]  # one for each draw, in their order


@pytest.mark.parametrize("program", ["false", "there-is-none", "true"])
def test_a_process_that_fails_is_made_up_for_here(
    monkeypatch: pytest.MonkeyPatch, program: str, tmp_path: Path
) -> None:
    known = shares(POINTS, LABELS, DRAWS)
    path = tmp_path / program
    if program != "there-is-none":
        path.write_text(f"#!/bin/sh\n{program}\n", encoding="utf-8")
        path.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(path))
    assert found() == known


def test_without_scikit_learn_there_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/there/is/none")
    monkeypatch.setitem(sys.modules, "sklearn.semi_supervised", None)
    assert found() is None


def test_a_process_that_nobody_needs_ends_with_the_block() -> None:
    with Aside() as aside:
        process = aside._process
        assert process is not None
        assert process.poll() is None
    assert process.poll() is not None
