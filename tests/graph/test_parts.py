"""A table of edges in Parquet parts is one graph, or an error that names the part that is missing or different."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import ohmline as ohm
from ohmline.cli.app import app
from ohmline.errors import DataError, FileFormatError
from ohmline.graph.doors import arrow_stream

RNG = np.random.default_rng(3)
ENDS = RNG.integers(60, size=(300, 2))
WEIGHTS = 1.0 + (ENDS[:, 0] * ENDS[:, 1] + ENDS.sum(axis=1)) % 7  # the same both ways


def write_parts(folder: Path, names: list[str], *, text: bool = False, weighted: bool = True) -> Path:
    folder.mkdir()
    for k, name in enumerate(names):
        mine = slice(k * 300 // len(names), (k + 1) * 300 // len(names))
        ends: list[Any] = [ENDS[mine, c].tolist() for c in range(2)]
        if text:
            ends = [[f"n{i}" for i in column] for column in ends]
        columns = {"source": ends[0], "target": ends[1]} | ({"weight": WEIGHTS[mine]} if weighted else {})
        frame = pl.DataFrame(columns)
        (frame if k % 2 == 0 else frame.select(reversed(frame.columns))).write_parquet(folder / name)
    return folder


def expected(*, text: bool, weighted: bool) -> ohm.Graph:
    ends = np.array([[f"n{i}" for i in row] for row in ENDS.tolist()]) if text else ENDS
    return ohm.Graph.from_columns(ends[:, 0].tolist(), ends[:, 1].tolist(), WEIGHTS if weighted else None)


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_parts_are_one_graph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, streamed: bool, text: bool, weighted: bool
) -> None:
    if streamed:
        monkeypatch.setattr(arrow_stream, "LARGE", 10)
    names = [f"part-{k}.parquet" for k in range(12)]  # part-10 comes after part-9
    folder = write_parts(tmp_path / "parts", names, text=text, weighted=weighted)
    (folder / "_SUCCESS").touch()
    (folder / ".part-3.parquet.17.part").touch()
    graph = ohm.graph.read(folder)
    assert graph == expected(text=text, weighted=weighted)
    assert ohm.graph.read(folder, nodes=list(graph.nodes)) == graph
    ohm.graph.convert(folder, tmp_path / "g.ohmg")
    assert ohm.Graph.open(tmp_path / "g.ohmg") == graph
    assert ohm.graph.read(folder / "*.parquet").n_edges == graph.n_edges
    assert ohm.graph.read(folder, source="target", target="source", weight=False).n_edges == graph.n_edges


def test_the_command_takes_a_folder(tmp_path: Path) -> None:
    folder = write_parts(tmp_path / "parts", ["part-0.parquet", "part-1.parquet"])
    found = CliRunner().invoke(app, ["graph", "convert", str(folder), str(tmp_path / "g.ohmg"), "--json"])
    assert json.loads(found.stdout)["nodes"] == expected(text=False, weighted=True).n


@pytest.mark.parametrize(
    ("names", "missing"),
    [
        (["part-00000.parquet", "part-00001.parquet", "part-00003.parquet"], "part-00002.parquet"),
        (
            ["part-00003-a1b2.snappy.parquet", "part-00004-a1b2.snappy.parquet"],
            "part-00001-a1b2.snappy.parquet",
        ),
        (["part.2.parquet"], "part.1.parquet"),
        (["0.parquet", "2.parquet"], "1.parquet"),
        (["edges-1.parquet", "edges-2.parquet", "edges-9.parquet"], "edges-3.parquet"),
        (["train-00000-of-00003.parquet", "train-00001-of-00003.parquet"], "train-00002-of-00003.parquet"),
        (["x-00002-of-00003.parquet", "x-00001-of-00003.parquet"], "x-00000-of-00003.parquet"),
        (["x-00002-of-00003.parquet", "x-00003-of-00003.parquet"], "x-00001-of-00003.parquet"),
    ],
)
def test_a_gap_in_the_numbers_is_a_missing_part(tmp_path: Path, names: list[str], missing: str) -> None:
    folder = write_parts(tmp_path / "parts", names)
    goal = tmp_path / "g.ohmg"
    for call in (lambda: ohm.graph.read(folder), lambda: ohm.graph.convert(folder, goal)):
        with pytest.raises(DataError, match=f"the part .*{missing} is missing.*pattern"):
            call()
    assert [path.name for path in tmp_path.iterdir()] == ["parts"]
    assert ohm.graph.read(str(folder / "*.parquet")).n == 60  # as the error says


@pytest.mark.parametrize(
    "names",
    [
        ["2019.parquet", "2022.parquet"],
        ["edges-2019.parquet", "edges-2022.parquet"],
        ["a.parquet", "b.parquet"],
        ["part-1-x.parquet", "part-7-y.parquet"],
        ["train-00001-of-00002.parquet", "train-00002-of-00002.parquet"],
    ],
)
def test_other_names_are_no_numbering(tmp_path: Path, names: list[str]) -> None:
    assert ohm.graph.read(write_parts(tmp_path / "parts", names)).n == 60


OTHER: list[tuple[dict[str, Any], str]] = [
    ({"source": ["a"], "target": ["b"], "weight": [1.0]}, r"source \(strings\)"),
    ({"from": [1], "to": [2], "weight": [1.0]}, r"from \(whole numbers\)"),
    ({"source": [1], "target": [2]}, "has other columns than part-0.parquet"),
    ({"source": [1], "target": [2], "weight": ["x"]}, r"weight \(strings\)"),
    ({"source": [1], "a": [1], "b": [1], "c": [1]}, "part-2.parquet"),
]


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(("columns", "message"), OTHER)
def test_a_part_with_other_columns_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, streamed: bool, columns: dict[str, Any], message: str
) -> None:
    if streamed:
        monkeypatch.setattr(arrow_stream, "LARGE", 10)
    folder = write_parts(tmp_path / "parts", ["part-0.parquet", "part-1.parquet"])
    pl.DataFrame(columns).write_parquet(folder / "part-2.parquet")
    for call in (lambda: ohm.graph.read(folder), lambda: ohm.graph.convert(folder, tmp_path / "g.ohmg")):
        with pytest.raises(FileFormatError, match=message):
            call()
    assert [path.name for path in tmp_path.iterdir()] == ["parts"]


def test_weights_may_be_whole_in_one_part(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    pl.DataFrame({"source": [0], "target": [1], "weight": [2]}).write_parquet(folder / "part-0.parquet")
    pl.DataFrame({"source": [1], "target": [2], "weight": [0.5]}).write_parquet(folder / "part-1.parquet")
    assert ohm.graph.read(folder).degree.tolist() == [2.0, 2.5, 0.5]


def test_folders_that_hold_no_table(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    with pytest.raises(DataError, match=r"no \.parquet files"):
        ohm.graph.read(folder)
    with pytest.raises(DataError, match="no file matches"):
        ohm.graph.read(folder / "*.parquet")
    (folder / "part-0.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(FileFormatError, match=r"part-0\.parquet is not Parquet, or is cut short"):
        ohm.graph.read(folder)
    graph = ohm.Graph.from_edges([("a", "b")], nodes="abc")
    graph.write(folder / "part-0.parquet")
    assert ohm.graph.read(folder) == graph  # one part may list its nodes
    graph.write(folder / "part-1.parquet")
    with pytest.raises(FileFormatError, match="lists the nodes of a graph of its own"):
        ohm.graph.read(folder)


def test_a_manifest_names_the_parts(tmp_path: Path) -> None:
    from ohmline.cluster.manifest import finish, write_part

    folder = tmp_path / "parts"
    folder.mkdir()
    tables = [pl.DataFrame({"source": [k], "target": [k + 1]}).to_arrow() for k in range(3)]
    finish(folder, "edges", [write_part(folder, k, table) for k, table in enumerate(tables)], {})
    assert ohm.graph.read(folder).n_edges == 3
    (folder / "part-00002.parquet").unlink()
    with pytest.raises(DataError, match=r"part-00002\.parquet is missing"):
        ohm.graph.read(folder)


def test_a_manifest_is_in_nobodys_way_and_may_have_its_name_of_before(tmp_path: Path) -> None:
    from ohmline.cluster.manifest import finish, read_manifest, write_part

    folder = tmp_path / "parts"
    folder.mkdir()
    tables = [pl.DataFrame({"source": [k], "target": [k + 1]}).to_arrow() for k in range(3)]
    finish(folder, "edges", [write_part(folder, k, table) for k, table in enumerate(tables)], {})
    pandas = pytest.importorskip("pandas")
    assert pandas.read_parquet(folder)["source"].tolist() == [0, 1, 2]
    assert pl.read_parquet(folder / "*.parquet")["target"].to_list() == [1, 2, 3]
    found = read_manifest(folder)
    (folder / "_manifest.json").rename(folder / "manifest.json")
    assert read_manifest(folder) == found
    assert ohm.graph.read(folder).n_edges == 3
    (folder / "part-00001.parquet").unlink()
    with pytest.raises(DataError, match=r"part-00001\.parquet is missing: manifest\.json lists 3 parts"):
        ohm.graph.read(folder)


def test_the_features_that_embed_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is a table to pandas; each column is an eigenvector over the root of its eigenvalue and the shift."""
    monkeypatch.chdir(tmp_path)
    graph = ohm.data.load("karate").graph
    graph.write(tmp_path / "g.csv")
    asked = ["embed", "g.csv", "--rank", "4", "--out", "emb"]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.output
    pandas = pytest.importorskip("pandas")
    rows = np.stack(pandas.read_parquet(tmp_path / "emb")["features"].to_list())
    values, vectors = ohm.SpectralKernel(graph, rank=4).eigenpairs
    np.testing.assert_allclose(np.abs(rows), np.abs(vectors / np.sqrt(values + 1e-4)), atol=1e-9)
    np.testing.assert_allclose(np.abs(rows[:, 0]), 1 / np.sqrt(graph.n * 1e-4))
    again = CliRunner().invoke(app, asked)
    assert again.exit_code == 2, "a folder that is there is no missing data"
    assert "is there already" in again.output
