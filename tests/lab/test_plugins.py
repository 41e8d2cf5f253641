"""Learners, queries, data sets and experiments of others, by file and by package; a plug-in written from the docs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ohmline as ohm
from ohmline import lab
from ohmline.errors import DataError, ParameterError, PluginError
from ohmline.lab import experiment, plugins

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "laboratory.md"


@pytest.fixture(autouse=True)
def registries() -> Iterator[None]:
    """Empty registries, and the catalog as it is; changed in place, because their names are imported elsewhere."""
    kept = [
        (each, dict(each)) for each in (experiment._ADDED, plugins.LEARNERS, plugins.QUERIES, plugins._FILES)
    ]
    kept += [(plugins._PACKAGES, dict(plugins._PACKAGES)), (ohm.data.CATALOG, dict(ohm.data.CATALOG))]
    for registry, _ in kept[:-1]:
        registry.clear()
    yield
    for registry, before in kept:
        registry.clear()
        registry.update(before)


def ran(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from ohmline.cli import main; main()", *words],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
        env=os.environ,
    )


def test_the_file_of_the_docs_works_as_the_docs_say(tmp_path: Path) -> None:
    text = PAGE.read_text()
    (code,) = re.findall(r"```python\n# mine\.py\n(.*?)```", text, re.S)
    (tmp_path / "mine.py").write_text(code)
    commands = re.findall(r"^\$ ohmline (.*--with mine\.py.*)$", text, re.M)
    assert len(commands) >= 3
    (tmp_path / "edges.csv").write_text("a,b\nb,c\nc,d\nd,e\ne,f\n")
    (tmp_path / "labels.csv").write_text("a,red\nb,red\ne,blue\nf,blue\n")
    for command in commands:
        done = ran(tmp_path, *command.split())
        assert done.returncode == 0, done.stderr
    report = (tmp_path / "results" / "mine-on-villages.html").read_text()
    assert "firm" in report
    assert "<svg" in report


def test_names_must_be_free_and_plain() -> None:
    lab.add_learner("mine", "words")(lambda graph, classes: None)
    with pytest.raises(ParameterError, match="there is a learner 'mine' already"):
        lab.add_learner("mine", "words")
    lab.add_query("mine", "words")(lambda: ohm.Always())
    for bad in ("", " x", "a:b", "a,b"):
        with pytest.raises(ParameterError, match="cannot be the name of a query"):
            lab.add_query(bad, "words")
    with pytest.raises(ParameterError, match="must be a string"):
        lab.add_learner(3, "words")  # type: ignore[arg-type]
    for id in ("hp2006-line", "all"):
        with pytest.raises(ParameterError, match=r"already|every one"):
            lab.add_experiment(id, "t")(lambda settings: lab.Result([], []))
    with pytest.raises(ParameterError, match="there is a data set 'karate' already"):
        lab.add_dataset("karate", "t")(lambda: None)
    with pytest.raises(ParameterError, match="must be a function"):
        lab.add_experiment("own", "t")(3)  # type: ignore[type-var]


def test_a_data_set_that_is_none_is_refused() -> None:
    lab.add_dataset("nothing", "t")(lambda: 3)
    with pytest.raises(DataError, match=r"the function that loads nothing gave 3; let it return a Dataset"):
        ohm.data.load("nothing")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 +", "SyntaxError"),
        ("import no_such_module_anywhere", r"ModuleNotFoundError: .*\(line 1\)"),
        ("x = 1\nraise ValueError('a bad day')", r"ValueError: a bad day \(line 2\)"),
    ],
)
def test_a_file_that_cannot_be_imported_is_named_with_its_line(tmp_path: Path, text: str, words: str) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text(text)
    with pytest.raises(PluginError, match=f"bad.py could not be imported: {words}"):
        lab.load_file(bad)
    assert plugins.loaded_files() == ()
    with pytest.raises(PluginError, match="is not there"):
        lab.load_file(tmp_path / "nothing.py")
    (tmp_path / "mine.txt").write_text("x = 1")
    with pytest.raises(PluginError, match=r"must end in \.py"):
        lab.load_file(tmp_path / "mine.txt")


def test_the_rest_works_beside_a_file_that_does_not(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("raise ValueError('a bad day')")
    done = ran(tmp_path, "reproduce", "hp2006-octopus", "--quick", "--json", "--with", "bad.py")
    assert done.returncode == 3
    assert "bad.py could not be imported: ValueError: a bad day" in done.stderr
    assert '"id": "hp2006-octopus"' in done.stdout
    (tmp_path / "edges.csv").write_text("a,b\nb,c\n")
    (tmp_path / "labels.csv").write_text("a,red\nb,blue\n")
    refused = ran(tmp_path, "play", "edges.csv", "labels.csv", "--learner", "mine", "--with", "bad.py")
    assert refused.returncode == 2
    assert not (tmp_path / "report.html").exists()


def test_of_a_file_that_is_not_there_nothing_else_is_said(tmp_path: Path) -> None:
    done = ran(tmp_path, "reproduce", "mine-on-villages", "--with", "nope.py")
    assert done.returncode == 3
    assert "nope.py is not there" in done.stderr
    assert "unknown experiment" not in done.stderr
    alone = ran(tmp_path, "reproduce", "local-manifod")
    assert alone.returncode == 2
    assert "did you mean 'local-manifold'?" in alone.stderr


def install(folder: Path, name: str, code: str) -> None:
    """A package as an installer leaves it: a module, its metadata, and its entry point of ours."""
    folder.mkdir(exist_ok=True)
    (folder / f"{name}_addon.py").write_text(code)
    about = folder / f"{name}_addon-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-addon\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{plugins.GROUP}]\n{name} = {name}_addon\n")
    (about / "RECORD").write_text(f"{name}_addon.py,,\n{name}_addon-1.0.dist-info/METADATA,,\n")


GOOD = """
import ohmline as ohm
from ohmline import lab

@lab.add_learner("good", "from a package")
def good(graph, classes):
    return ohm.LocalLGC(graph, classes)

@lab.add_experiment("good-one", "from a package, too")
def good_one(settings):
    return lab.Result([lab.Row("d", "m", "x", ours=4.0)], [])
"""


@pytest.mark.parametrize("broken", [False, True])
def test_installed_packages_add_and_broken_ones_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, broken: bool
) -> None:
    installed = tmp_path / "installed"
    install(installed, "good", GOOD)
    if broken:
        install(installed, "bad", "raise RuntimeError('too old')")
    monkeypatch.setenv("PYTHONPATH", str(installed), prepend=os.pathsep)
    (tmp_path / "edges.csv").write_text("a,b\nb,c\nc,d\n")
    (tmp_path / "labels.csv").write_text("a,red\nb,red\nc,blue\nd,blue\n")
    wrong = "bad-addon adds 'bad_addon' to Ohmline, which could not be imported: RuntimeError: too old"
    done = ran(tmp_path, "play", "edges.csv", "labels.csv", "--learner", "good", "--json")
    assert done.returncode == 0, done.stderr
    assert (wrong in done.stderr) is broken
    found = ran(tmp_path, "reproduce", "good-one", "--json")
    assert found.returncode == (3 if broken else 0), found.stderr
    assert '"ours": 4.0' in found.stdout
    listed = ran(tmp_path, "reproduce", "--list")
    assert "from a package, too" in listed.stdout
    assert (wrong in listed.stderr) is broken


def test_packages_are_imported_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install(tmp_path / "installed", "good", GOOD)
    install(tmp_path / "installed", "bad", "raise RuntimeError('too old')")
    monkeypatch.syspath_prepend(tmp_path / "installed")
    (error,) = plugins.load_packages()
    assert "RuntimeError: too old" in str(error)
    assert "good" in lab.LEARNERS
    assert plugins.load_packages() == []


def test_compare_plays_the_same_orders_and_judges_by_a_paired_test() -> None:
    def stubborn(graph: Any, classes: tuple[Any, ...]) -> Any:
        return ohm.LocalLGC(graph, classes, ridge=1e6)

    found = lab.compare({"local": ohm.LocalLGC, "stubborn": stubborn}, ["karate"], shuffles=6)
    rates = {row.method: row.ours for row in found.rows if row.metric == "mistake rate"}
    (claim,) = found.claims
    assert (rates["local"] < rates["stubborn"]) >= claim.holds
    assert {row.runs for row in found.rows} == {6}
    again = lab.compare({"local": ohm.LocalLGC}, [ohm.data.load("karate")], shuffles=6)
    assert again.rows[0].ours == rates["local"]
    assert not again.claims
    quick = lab.compare({"local": ohm.LocalLGC}, ["karate"], settings=lab.Settings(quick=True))
    assert quick.rows[0].runs == 2
    with pytest.raises(ParameterError, match="learners is empty"):
        lab.compare({}, ["karate"])
    with pytest.raises(ParameterError, match="digits holds points and no graph"):
        lab.compare({"local": ohm.LocalLGC}, ["digits"])
