"""What would take all memory is refused before it does."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import numpy as np
import pytest

import ohmline as ohm
from ohmline.checks import MEMORY, SHARE, room
from ohmline.errors import FileFormatError, ParameterError
from ohmline.graph import FileLimits, generate
from ohmline.graph.doors import arrow_stream
from ohmline.graph.files import stream_edges
from ohmline.memory import memory_there, memory_under


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
    there = memory_there()
    limit = MEMORY * 2**30 if there is None else SHARE * there
    room(limit, "a table")
    with pytest.raises(ParameterError, match=r"a table would take .* GiB.*set OHMLINE_MEMORY"):
        room(limit + 1, "a table")
    for wrong in ("much", "-1", "nan", ""):
        monkeypatch.setenv("OHMLINE_MEMORY", wrong)
        with pytest.raises(ParameterError, match=r"OHMLINE_MEMORY must be a number of GiB, .*got"):
            room(1, "a table")
    monkeypatch.setenv("OHMLINE_MEMORY", "0.5")
    with pytest.raises(ParameterError, match=r"more than 0\.5"):
        room(2**30, "a table")
    monkeypatch.setenv("OHMLINE_MEMORY", "2")
    room(2**30, "a table")


def test_the_memory_is_that_of_the_machine_or_of_its_container(tmp_path: Path) -> None:
    whole = memory_under(tmp_path)  # no control groups at all
    assert whole is None or whole > 0
    (tmp_path / "proc" / "self").mkdir(parents=True)
    groups = tmp_path / "sys" / "fs" / "cgroup"
    (tmp_path / "proc/self/cgroup").write_text("0::/outer/inner\n")
    (groups / "outer" / "inner").mkdir(parents=True)
    (groups / "outer" / "inner" / "memory.max").write_text("max\n")
    assert memory_under(tmp_path) == whole
    (groups / "outer" / "memory.max").write_text("5000\n")  # of the group around it
    assert memory_under(tmp_path) == 5000
    (tmp_path / "proc/self/cgroup").write_text("5:cpu,cpuacct:/\n4:memory:/job\n1:name=systemd:/\n")
    (groups / "memory" / "job").mkdir(parents=True)
    (groups / "memory" / "job" / "memory.limit_in_bytes").write_text("4000\n")
    (groups / "memory" / "memory.limit_in_bytes").write_text(f"{2**63 - 4096}\n")
    assert memory_under(tmp_path) == 4000
    (tmp_path / "proc/self/cgroup").write_text("4:memory:/elsewhere\n")  # as a container sees it from within
    (groups / "memory" / "memory.limit_in_bytes").write_text("3000\n")
    assert memory_under(tmp_path) == 3000


def test_a_csv_whose_graph_does_not_fit_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_edges, "LARGE", 1)
    monkeypatch.setattr(stream_edges, "LOOK", 1 << 12)
    path, rows = tmp_path / "edges.csv", 300_000
    path.write_text("\n".join(f"{k % 1000},{k}" for k in range(rows)))
    steps: list[int] = []
    assert ohm.graph.read(path, progress=steps.append).n == rows
    whole = sum(steps)
    steps.clear()
    monkeypatch.setenv("OHMLINE_MEMORY", "0.001")  # its graph takes 4.8 MB
    words = (
        r"the graph of the about [\d,]+ edges of .*edges\.csv would take .* GiB of memory, more than 0\.001; write it "
        r"to a graph file, .*\(ohmline graph convert .*edges\.csv edges\.ohmg\), and open that with "
        r'Graph\.open\("edges\.ohmg"\), or set OHMLINE_MEMORY'
    )
    with pytest.raises(ParameterError, match=words) as found:
        ohm.graph.read(path, progress=steps.append)
    about = int(re.search(r"about ([\d,]+)", str(found.value))[1].replace(",", ""))  # type: ignore[index]
    assert about == pytest.approx(rows, rel=0.2)
    assert sum(steps) <= whole / 2  # of a text that was read in two pieces
    goal = tmp_path / "edges.ohmg"
    ohm.graph.convert(path, goal)  # as the error says
    assert ohm.Graph.open(goal).n_edges == ohm.Graph.open(goal, verify=True).n_edges == rows - 1000


def test_a_compressed_file_is_refused_once_too_many_rows_have_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_edges, "LARGE", 1)
    path = tmp_path / "edges.csv.gz"
    path.write_bytes(gzip.compress("\n".join(f"{k % 1000},{k}" for k in range(300_000)).encode()))
    monkeypatch.setenv("OHMLINE_MEMORY", "0.001")
    with pytest.raises(
        ParameterError, match=r"the graph of the first [\d,]+ edges of .*edges\.ohmg"
    ) as found:
        ohm.graph.read(path)
    first = int(re.search(r"first ([\d,]+)", str(found.value))[1].replace(",", ""))  # type: ignore[index]
    assert first < 200_000


def test_parquet_whose_graph_does_not_fit_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pl = pytest.importorskip("polars")
    monkeypatch.setattr(arrow_stream, "LARGE", 1)
    folder = tmp_path / "parts"
    folder.mkdir()
    for k in range(4):
        ends = np.arange(50_000) + 50_000 * k
        pl.DataFrame({"source": ends % 1000, "target": ends}).write_parquet(folder / f"part-{k}.parquet")
    monkeypatch.setenv("OHMLINE_MEMORY", "0.001")
    steps: list[int] = []
    with pytest.raises(
        ParameterError, match=r"about 200,000 edges of .*parts .*graph convert .*parts parts\.ohmg"
    ):
        ohm.graph.read(folder, progress=steps.append)
    assert not steps
    size = sum(part.stat().st_size for part in folder.iterdir())
    few = FileLimits(size=999)
    too_large = rf"parts holds {size} bytes in 4 parts, more than 999 bytes"
    with pytest.raises(FileFormatError, match=too_large):
        ohm.graph.read(folder, limits=few)
    with pytest.raises(FileFormatError, match=too_large):
        ohm.graph.convert(folder, tmp_path / "g.ohmg", limits=few)
    with pytest.raises(FileFormatError, match=too_large):
        ohm.graph.read(folder, nodes=[1, 2], limits=few)
    with pytest.raises(FileFormatError, match=r"parts declares 200000 rows.*3200000 or more"):
        ohm.graph.read(folder, limits=FileLimits(size=max(size, 3_199_999)))


def test_a_conversion_has_no_limit_that_nobody_has_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_edges, "LARGE", 1)
    monkeypatch.setattr(FileLimits, "size", 2000)  # the default, in miniature
    monkeypatch.setattr(FileLimits.__init__, "__defaults__", (2000, 10**8, 10**6))
    rows = "\n".join(f"{k % 10},{k}" for k in range(2000))
    path, packed, goal = tmp_path / "edges.csv", tmp_path / "edges.csv.gz", tmp_path / "g.ohmg"
    path.write_text(rows)
    packed.write_bytes(gzip.compress(rows.encode()))
    with pytest.raises(FileFormatError, match=r"holds \d+ bytes, more than 2000 bytes; .*FileLimits"):
        ohm.graph.read(path)
    ohm.graph.convert(path, goal)
    assert ohm.Graph.open(goal).n == 2000
    with pytest.raises(FileFormatError, match="more than 2000 bytes"):
        ohm.graph.convert(packed, tmp_path / "other.ohmg")
    ohm.graph.convert(packed, goal, limits=FileLimits(size=10**6))
    with pytest.raises(FileFormatError, match="more than 1500 bytes"):
        ohm.graph.convert(path, tmp_path / "other.ohmg", limits=FileLimits(size=1500))


def test_a_relation_of_duckdb_that_does_not_fit_can_be_converted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    duckdb = pytest.importorskip("duckdb")
    monkeypatch.setattr(arrow_stream, "LARGE", 1)
    with duckdb.connect() as connection:
        query = "SELECT i % 1000 AS source, i AS target FROM range(200000) t(i)"
        small = "SELECT i AS source, i + 1 AS target FROM range(5) t(i)"
        steps: list[int] = []
        graph = ohm.Graph.from_duckdb(query, connection, progress=steps.append)
        assert sum(steps) == 200_000
        goal = tmp_path / "g.ohmg"
        with monkeypatch.context() as patch:
            patch.setenv("OHMLINE_MEMORY", "0.001")
            with pytest.raises(
                ParameterError, match=r"the first [\d,]+ edges of the relation .*graph\.convert"
            ):
                ohm.Graph.from_duckdb(query, connection)
            steps.clear()
            ohm.graph.convert(connection.sql(query), goal, progress=steps.append)
            assert sum(steps) == 200_000
        assert ohm.Graph.open(goal, verify=True) == graph
        monkeypatch.setattr(arrow_stream, "LARGE", 1 << 20)
        ohm.graph.convert(connection.sql(small), goal)
        assert ohm.Graph.open(goal).n_edges == 5
    with pytest.raises(ParameterError, match="edges must be the name of a file"):
        ohm.graph.convert(5, goal)


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
