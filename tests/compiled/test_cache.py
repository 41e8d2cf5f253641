"""Machine code on disk: never stale, never damaged, never in the way."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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


def test_a_cache_that_cannot_be_written_is_no_obstacle(copy: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert run(copy, blocked / "below").startswith("[0.0")
