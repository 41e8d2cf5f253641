"""What a release promises: the public names stay, and it says how to cite it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib import reload
from pathlib import Path

import pytest
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]


def test_the_public_names_are_those_that_are_frozen() -> None:
    frozen = set((ROOT / "docs" / "public-api.txt").read_text(encoding="utf-8").splitlines())
    # In a process of its own: other tests leave names behind.
    done = subprocess.run(
        [sys.executable, ROOT / "tests" / "public_api.py"], capture_output=True, text=True, check=True
    )
    now = set(done.stdout.splitlines())
    assert len(now) > 500
    gone, new = sorted(frozen - now), sorted(now - frozen)
    assert not gone, f"gone or changed (see docs/deprecations.md): {gone}"
    assert not new, f"new: run python tests/public_api.py > docs/public-api.txt; {new}"


def test_the_five_papers_are_cited() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8").lower()
    for title in (
        "online learning over graphs",
        "prediction on a graph with a perceptron",
        "exploiting cluster-structure to predict the labeling of a graph",
        "online manifold regularization",
        "selective sampling on graphs for classification",
    ):
        assert title in text


def test_types_are_promised() -> None:
    import ohmline

    assert (Path(ohmline.__file__).parent / "py.typed").is_file()


def test_sources_that_nobody_installed_have_the_version_that_pyproject_falls_back_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from ohmline import version

    known = version.__version__
    monkeypatch.setitem(sys.modules, "ohmline._version", None)
    try:
        fallback = reload(version).__version__
    finally:
        monkeypatch.undo()
        assert reload(version).__version__ == known
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" in project["project"]["dynamic"]
    assert project["tool"]["hatch"]["version"]["fallback-version"] == fallback
    # What is being made comes after the last release of the changelog, and no earlier than its top entry.
    top = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("## ", 2)[1].split()[0]
    assert Version(fallback).release == Version(top).release
