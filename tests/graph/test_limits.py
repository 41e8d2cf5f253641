"""What would take all memory is refused before it does."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import ohmline as ohm
from ohmline.checks import MEMORY, room
from ohmline.errors import FileFormatError, ParameterError
from ohmline.graph import FileLimits, generate


def test_a_small_gzip_that_holds_a_large_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" * 100_000))
    assert path.stat().st_size < 2000
    with pytest.raises(FileFormatError, match=r"bomb.*holds more than 2000 bytes.*FileLimits"):
        ohm.graph.read(path, limits=FileLimits(size=2000))
    assert ohm.graph.read(path, limits=FileLimits(size=400_000)).n == 2


def test_a_large_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    path.write_text("a,b\n" * 100)
    with pytest.raises(FileFormatError, match="holds more than 399 bytes"):
        ohm.graph.read(path, limits=FileLimits(size=399))
    assert ohm.graph.read(path, limits=FileLimits(size=400)).n == 2


def test_a_matrix_may_not_declare_nodes_without_end(tmp_path: Path) -> None:
    path = tmp_path / "declared.mtx"
    path.write_text("%%MatrixMarket matrix coordinate real symmetric\n1000000000 1000000000 1\n2 1 1.0\n")
    with pytest.raises(FileFormatError, match=r"1000000000.*FileLimits"):
        ohm.graph.read(path)
    path.write_text("%%MatrixMarket matrix coordinate real symmetric\n9 9 1\n2 1 1.0\n")
    with pytest.raises(FileFormatError, match="nodes"):
        ohm.graph.read(path, limits=FileLimits(nodes=8))
    assert ohm.graph.read(path, limits=FileLimits(nodes=9)).n == 9


def test_a_line_without_an_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text(f"a,{'b' * 50}\n")
    with pytest.raises(FileFormatError, match=r"line 1.*FileLimits\(line="):
        ohm.graph.read(path, limits=FileLimits(line=40))
    assert ohm.graph.read(path).n == 2


@pytest.mark.parametrize("value", [0, -1, 1.5, None, "1"])
@pytest.mark.parametrize("name", ["size", "nodes", "line"])
def test_a_limit_is_a_whole_number(name: str, value: object) -> None:
    with pytest.raises(ParameterError, match=f"{name} of FileLimits"):
        FileLimits(**{name: value})  # type: ignore[arg-type]


def test_what_needs_more_room_than_there_is_names_the_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OHMLINE_MEMORY", raising=False)
    room(MEMORY * 2**30, "a table")
    with pytest.raises(ParameterError, match=r"a table would take .* GiB.*set OHMLINE_MEMORY"):
        room(MEMORY * 2**30 + 1, "a table")
    monkeypatch.setenv("OHMLINE_MEMORY", "0.5")
    with pytest.raises(ParameterError, match=r"more than 0\.5"):
        room(2**30, "a table")
    monkeypatch.setenv("OHMLINE_MEMORY", "2")
    room(2**30, "a table")


HUGE = 10**12


@pytest.mark.parametrize(
    "make",
    [
        lambda: generate.line(HUGE),
        lambda: generate.ring(HUGE),
        lambda: generate.clique(10**6),
        lambda: generate.star(HUGE),
        lambda: generate.tree(HUGE),
        lambda: generate.hypercube(39),
        lambda: generate.flower(3, HUGE),
        lambda: generate.octopus(HUGE, 3),
        lambda: generate.octopus(10**6, 10**6),
        lambda: generate.octopus(3, 3, HUGE),
        lambda: generate.k_out(HUGE, 2),
        lambda: generate.hierarchical(HUGE, 2),
        lambda: generate.barbell(10**6),
        lambda: generate.random_geometric(HUGE, 0.1),
        lambda: generate.stochastic_block_model([HUGE], [[0.5]]),
        lambda: generate.two_moons(HUGE),
        lambda: ohm.Spirals().stream(HUGE),
        lambda: ohm.SwissRoll().at(0, HUGE),
        lambda: ohm.Graph.from_edges([(0, 1)], nodes=range(HUGE)),
        lambda: ohm.SolverKernel(generate.line(5).graph, b=1.0, columns=HUGE),
    ],
)
def test_what_is_too_large_is_refused_at_once(make: object) -> None:
    with pytest.raises(ParameterError, match=r"OHMLINE_MEMORY|at most"):
        make()  # type: ignore[operator]
