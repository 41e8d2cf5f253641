"""Wheel and sdist: everything is in them and nothing else, and an empty environment plays the demo from them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "src" / "ohmline"
VERSION = "9.8.7"
"""The tag of the tree that is built, which no release has."""
WRITTEN = {"ohmline/_version.py"}

pytestmark = pytest.mark.slow


class Built(NamedTuple):
    """A copy of the tree, what was built from it, and the environment that built it."""

    tree: Path
    wheel: Path
    sdist: Path
    tools: Path


def environment() -> dict[str, str]:
    """The variables of this process without those that would show it the sources of this tree."""
    own = ("PYTHON", "NUMBA_", "OHMLINE_", "SETUPTOOLS_SCM_", "VIRTUAL_ENV", "COVERAGE_")
    return {name: value for name, value in os.environ.items() if not name.startswith(own)}


def said(*command: str | Path, cwd: Path) -> str:
    """What a command printed; it must succeed."""
    done = subprocess.run(command, cwd=cwd, env=environment(), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{command}: {done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout


def empty_environment(folder: Path) -> Path:
    """The folder of the commands of a new virtual environment."""
    venv.create(folder, with_pip=True, symlinks=os.name != "nt")
    return folder / ("Scripts" if os.name == "nt" else "bin")


def belongs(path: Path) -> bool:
    """What a checkout holds, and not what running the code left there."""
    left = {"__pycache__", "_version.py"}
    return not (left & set(path.parts)) and path.suffix not in {".pyc", ".nbi", ".nbc"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    git = shutil.which("git")
    if git is None:
        pytest.skip("git is not here, and the version comes from its tags")
    folder = tmp_path_factory.mktemp("built")
    tree = folder / "tree"
    for top in ("src", "tests", "docs", "tools", "frontend", ".ci"):
        shutil.copytree(ROOT / top, tree / top, ignore=lambda place, names: [
            name for name in names if not belongs(Path(place, name)) or name in {"node_modules", ".cache"}
        ])  # fmt: skip
    for path in ROOT.iterdir():
        if path.is_file() and path.name != "report.html" and path.name != ".git":
            shutil.copy(path, tree)
    # What a builder's machine has lying around, and a release must not.
    for stray in (
        ".cache/secret",
        "src/ohmline/__pycache__/x.pyc",
        "dist/old.whl",
        "results/mine.json",
        "report.html",
    ):
        (tree / stray).parent.mkdir(parents=True, exist_ok=True)
        (tree / stray).write_text("stray", encoding="utf-8")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"], ["tag", f"v{VERSION}"]):
        said(git, "-c", "user.name=a", "-c", "user.email=a@b.example", *words, cwd=tree)
    tools = empty_environment(folder / "tools")
    fetched = subprocess.run(
        [tools / "python", "-m", "pip", "install", "-q", "build", "hatchling", "hatch-vcs", "editables"],
        env=environment(), capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    if fetched.returncode:
        pytest.skip(f"the tools that build cannot be fetched: {fetched.stderr.strip().splitlines()[-1]}")
    # The sdist is made from the tree, and the wheel from the sdist, where there is no git.
    said(tools / "python", "-m", "build", "--no-isolation", "-o", folder / "dist", cwd=tree)
    (wheel,), (sdist,) = (folder / "dist").glob("*.whl"), (folder / "dist").glob("*.tar.gz")
    yield Built(tree, wheel, sdist, tools)
    shutil.rmtree(folder, ignore_errors=True)  # environments of several hundred megabytes


def test_the_names_carry_the_tag(built: Built) -> None:
    assert built.wheel.name == f"ohmline-{VERSION}-py3-none-any.whl"
    assert built.sdist.name == f"ohmline-{VERSION}.tar.gz"


def test_the_wheel_holds_the_package_and_nothing_else(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as archive:
        found = {name for name in archive.namelist() if ".dist-info/" not in name}
        about = {name.split(".dist-info/")[1] for name in archive.namelist() if ".dist-info/" in name}
        wrong = [name for name in found - WRITTEN if archive.read(name) != (ROOT / "src" / name).read_bytes()]
    wanted = {
        str(path.relative_to(SOURCES.parent).as_posix())
        for path in SOURCES.rglob("*")
        if path.is_file() and belongs(path)
    }
    assert {"ohmline/py.typed", "ohmline/lab/page.css", "ohmline/service/static/app.js"} <= wanted
    assert found == wanted | WRITTEN
    assert not wrong
    assert about == {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}


def test_the_sdist_holds_what_belongs(built: Built) -> None:
    tracked = set(said("git", "ls-files", cwd=built.tree).splitlines())
    machine = [str(place).encode() for place in (ROOT, built.tree, sys.prefix)]
    found, leaking = set(), []
    with tarfile.open(built.sdist) as archive:
        for member in archive.getmembers():
            name = member.name.split("/", 1)[1]
            found.add(name)
            content = archive.extractfile(member)
            assert content is not None, f"{name} is no plain file"
            text = content.read()
            leaking += [name for place in machine if place in text]
            assert (member.uid, member.uname) in {(0, ""), (0, "root")}
    assert not leaking
    assert found - tracked == {"PKG-INFO", "src/ohmline/_version.py"}
    # The script of the machines that test a checkout is the one thing that stays behind.
    assert tracked - found == {".ci/run"}


def test_an_empty_environment_plays_the_demo(built: Built, tmp_path: Path) -> None:
    commands = empty_environment(tmp_path / "empty")
    said(commands / "python", "-m", "pip", "install", "-q", built.wheel, cwd=tmp_path)
    ours = commands / "ohmline"
    asked = (
        "import importlib.metadata as m, ohmline as o; print(m.version('ohmline'), o.__version__, o.__file__)"
    )
    known, own, place = said(commands / "python", "-c", asked, cwd=tmp_path).split(maxsplit=2)
    assert known == own == VERSION
    assert Path(place.strip()).is_relative_to(tmp_path)
    assert said(ours, "--version", cwd=tmp_path).strip() == f"ohmline {VERSION}"
    document = json.loads(said(ours, "demo", "--json", cwd=tmp_path))
    assert document["job"]["right"] > document["job"]["right_with_random_labels"]
    assert len(document["games"]) == 2
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert document["job"]["sentence"].split(";")[0] in page
    assert (SOURCES / "lab" / "page.css").read_text(encoding="utf-8").strip()[:40] in page
    shutil.rmtree(tmp_path / "empty")


@pytest.mark.parametrize("way", ["sdist", "editable"])
def test_version_and_metadata_agree_however_it_is_installed(built: Built, tmp_path: Path, way: str) -> None:
    what = [built.sdist] if way == "sdist" else ["-e", built.tree]
    pip = (built.tools / "python", "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation")
    said(*pip, "--force-reinstall", *what, cwd=tmp_path)
    asked = "import importlib.metadata as m, ohmline; print(m.version('ohmline'), ohmline.__version__)"
    known, own = said(built.tools / "python", "-c", asked, cwd=tmp_path).split()
    assert known == own == VERSION
