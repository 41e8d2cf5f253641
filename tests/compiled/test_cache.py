"""Machine code on disk: never stale, never damaged, never in the way."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from numba import typeof, types

import ohmline as ohm
from ohmline.compiled import sources
from ohmline.compiled.cache import SealedFile, foreign

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "ohmline"
SCRIPT = """
import ohmline as ohm
kernel = ohm.LaplacianKernel(ohm.graph.generate.line(5).graph) + ohm.Constant(1.0)
print(ohm.play(ohm.Perceptron(kernel), ohm.Stream(range(5), [1, 1, -1, -1, -1])).margin.tolist())
"""


def run(source: Path, cache: Path | None = None, script: str = SCRIPT) -> str:
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("NUMBA_CACHE_DIR", None)
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = str(cache)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package that may be changed."""
    target = tmp_path / "source" / "ohmline"
    shutil.copytree(PACKAGE, target, ignore=shutil.ignore_patterns("__pycache__"))
    return target.parent


def test_a_change_in_a_called_file_is_seen_and_damage_is_repaired(copy: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    first = run(copy, cache)
    files = sorted(cache.rglob("*.nb?"))
    assert files
    for path in files:  # cut, flip, empty: whatever happens to a file, it is compiled again
        raw = bytearray(path.read_bytes())
        middle = len(raw) // 2
        raw[middle] ^= 0xFF
        path.write_bytes(bytes(raw) if len(raw) % 3 else bytes(raw[:middle]) if len(raw) % 2 else b"")
    assert run(copy, cache) == first
    step = copy / "ohmline" / "learn" / "hypothesis.py"
    text = step.read_text()
    assert "    shift(space, w, c, i)\n" in text
    step.write_text(text.replace("    shift(space, w, c, i)\n", "    shift(space, w, 2.0 * c, i)\n"))
    assert run(copy, cache) != first  # the loop and the step stand in other files than the change
    step.write_text(text)
    assert run(copy, cache) == first


def test_only_what_depends_on_a_change_is_compiled_again(copy: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    first = run(copy, cache)

    def ages() -> dict[str, int]:
        return {path.name: path.stat().st_mtime_ns for path in cache.rglob("*.nbc")}

    before = ages()
    assert before
    for elsewhere in ("cli/app.py", "learn/local_lgc/step.py", "graph/files/parquet.py"):
        with (copy / "ohmline" / elsewhere).open("a") as file:
            file.write("\n# changed\n")
    assert run(copy, cache) == first
    assert ages() == before
    body = (
        copy / "ohmline" / "kernel" / "space" / "dense.py"
    )  # the learner's step imports the stub, not this body
    text = body.read_text()
    assert "    row = space.matrix[i]\n" in text
    body.write_text(text.replace("    row = space.matrix[i]\n", "    row = 2.0 * space.matrix[i]\n"))
    assert run(copy, cache) != first
    assert ages().keys() == before.keys()  # in the place of the old ones


def test_machine_code_that_two_processes_wrote_to_one_file_is_not_mixed_up(tmp_path: Path) -> None:
    cache = SealedFile(str(tmp_path), "f", "stamp")
    one, other = ("int", "cpu", "code", "sources"), ("float", "cpu", "code", "sources")
    cache.save(one, "for int")
    late = SealedFile(str(tmp_path), "f", "stamp")
    late._save_index({one: late._data_name(1), other: late._data_name(1)})
    late._save_data(late._data_name(1), (other, "for float"))
    assert cache.load(one) is None
    assert cache.load(other) == "for float"
    cache.save(("float", "cpu", "code", "newer"), "newer")
    assert cache.load(other) is None
    assert cache.load(("float", "cpu", "code", "newer")) == "newer"


class Foreign(NamedTuple):
    size: float


def test_code_for_a_class_of_the_users_own_is_not_kept() -> None:
    theirs = typeof(Foreign(1.0))
    ours = typeof(ohm.GapBelow())
    for sig in ((theirs,), types.float64(types.CPointer(theirs)), (types.Tuple((types.int64, theirs)),)):
        assert foreign(sig)
    for sig in ((ours,), types.float64(types.CPointer(ours)), (types.int64,)):
        assert not foreign(sig)


def test_the_sources_of_a_module_are_all_that_it_imports() -> None:
    assert "ohmline.learn.contract" in sources.imports("ohmline.learn.local_lgc.certain")
    assert "ohmline.data" in sources.imports("ohmline.lab.benches.foundation")  # `from ohmline import data`
    assert sources.imports("numpy") == frozenset()
    assert sources.fingerprint(["ohmline.errors"]) != sources.fingerprint(["ohmline.checks"])


def test_a_cache_that_cannot_be_written_is_no_obstacle(copy: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert run(copy, blocked / "below").startswith("[0.0")
