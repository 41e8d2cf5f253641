"""What is wrong with addresses, parts and memory is said before any work is done, and nothing stays behind."""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from graph_parts import ring_of_rings, write_parts
from ohmline.cli.app import app
from ohmline.cluster import Cluster, embed, read_manifest
from ohmline.cluster.layout import BlockSize, Layout, dealt
from ohmline.cluster.loading import load
from ohmline.cluster.manifest import Part, finish, result_folder, write_part
from ohmline.cluster.parts import EdgeParts, Piece, edge_parts
from ohmline.errors import (
    ClusterError,
    DataError,
    FileFormatError,
    MissingExtra,
    OhmlineError,
    ParameterError,
)


@pytest.fixture
def edges(tmp_path: Path) -> Path:
    return write_parts(ring_of_rings(), tmp_path / "edges")


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://x", "tcp://127.0.0.1:no"])
def test_a_wrong_address(address: str) -> None:
    with pytest.raises(
        ClusterError, match=r"no scheduler answers at .*give the address that `dask scheduler` prints"
    ):
        Cluster.connect(address, timeout=0.3)


def test_parts_that_are_not_there(tmp_path: Path, edges: Path) -> None:
    (tmp_path / "empty").mkdir()
    for place, words in (
        (tmp_path / "empty", "has no .parquet files"),
        (tmp_path / "edges" / "*.csv", "no file matches"),
        (tmp_path / "gone", "does not exist"),
    ):
        with pytest.raises(DataError, match=words):
            edge_parts(place)
    assert len(edge_parts(f"{edges}/part-[01].parquet").pieces) == 2
    (edges / "part-1.parquet").unlink()
    with pytest.raises(
        DataError, match=r"part-1\.parquet is missing: the 2 parts there are numbered up to 2"
    ):
        edge_parts(edges)


def test_a_part_that_the_manifest_lists_is_missing_or_another(tmp_path: Path) -> None:
    parts = [write_part(tmp_path, k, pa.table({"source": [k], "target": [k + 1]})) for k in range(3)]
    finish(tmp_path, "edges", parts, {})
    assert edge_parts(tmp_path).rows == 3
    pq.write_table(pa.table({"source": [7], "target": [8]}), tmp_path / "part-00001.parquet")
    assert edge_parts(tmp_path).rows == 3  # the rows agree; only the bytes tell
    with pytest.raises(DataError, match=r"part-00001.parquet is not the part that _manifest.json lists"):
        read_manifest(tmp_path).checked(tmp_path, bytes_too=True)
    (tmp_path / "part-00001.parquet").unlink()
    with pytest.raises(DataError, match=r"part-00001.parquet is missing: _manifest.json lists 3 parts"):
        edge_parts(tmp_path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("no json", "is not a manifest"),
        ('{"format": "other"}', "has format 'other'"),
        ('{"format": "ohmline-parts-1"}', "is not a manifest"),
        (
            '{"format": "ohmline-parts-1", "kind": "edges", "about": {}, '
            '"parts": [{"name": "../x", "rows": 1, "sha256": ""}]}',
            "outside its folder",
        ),
    ],
)
def test_a_manifest_that_is_none(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(FileFormatError, match=words):
        read_manifest(tmp_path)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"source": [1], "target": [2], "colour": ["red"]}, "colour' are of type string; write numbers"),
        (
            {"source": [1.5], "target": [2.5], "weight": [1.0]},
            "are of type double; write whole numbers or strings",
        ),
        ({"source": [1], "target": ["b"], "weight": [1.0]}, "one end is a whole number"),
        ({"source": ["a"], "target": ["b"], "weight": [1.0]}, "has other columns .* than .*part-2"),
        ({"from": [1], "to": [2], "weight": [1.0]}, "has other columns"),
        ({"a": [1], "b": [2], "c": [1.0], "d": [1.0]}, "say which are the ends"),
    ],
)
def test_a_part_with_other_columns(edges: Path, columns: dict[str, Any], words: str) -> None:
    pq.write_table(pa.table(columns), edges / "part-3.parquet")
    with pytest.raises(FileFormatError, match=words):
        edge_parts(edges)


def test_a_part_that_is_cut_short(edges: Path) -> None:
    whole = (edges / "part-1.parquet").read_bytes()
    (edges / "part-1.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FileFormatError, match=r"part-1.parquet is not Parquet, or is cut short"):
        edge_parts(edges)


def test_what_a_worker_finds_is_said_and_nothing_stays(cluster: Cluster, tmp_path: Path, edges: Path) -> None:
    table = pa.table({"source": [0, 1], "target": [1, None], "weight": [1.0, 1.0]})
    pq.write_table(table, edges / "part-3.parquet")
    with pytest.raises(OhmlineError, match="1 rows have no id in 'target'"):
        embed(edges, tmp_path / "out", cluster, rank=2)
    pq.write_table(pa.table({"source": [0], "target": [1], "weight": [-1.0]}), edges / "part-3.parquet")
    with pytest.raises(OhmlineError, match=r"a weight in 'weight' is -1.0; weights must be finite"):
        embed(edges, tmp_path / "out", cluster, rank=2)
    assert os.listdir(tmp_path) == ["edges"]


def test_what_does_not_fit_is_refused_before_it_is_read(
    cluster: Cluster, tmp_path: Path, edges: Path
) -> None:
    with pytest.raises(
        ClusterError, match=r"need .* GiB on the workers .*3 workers have .*add workers or memory"
    ):
        embed(edges, tmp_path / "out", cluster, rank=100, nodes=20_000_000)
    many = EdgeParts((Piece("many.parquet", 0, 1, 10**9),), "source", "target", None, integers=True)
    with pytest.raises(
        ClusterError, match=r"1,000,000,000 edges in 5 blocks needs .* GiB to be put together"
    ):
        load(cluster, many, tmp_path, blocks=5)
    with pytest.raises(ParameterError, match="rank 100 is above the number of nodes, 72"):
        embed(edges, tmp_path / "out", cluster, rank=100)
    (tmp_path / "out").mkdir()
    with pytest.raises(ParameterError, match="is there already; name another folder"):
        embed(edges, tmp_path / "out", cluster)
    with pytest.raises(ParameterError, match="does not exist; make it first"):
        embed(edges, tmp_path / "no" / "out", cluster)
    with pytest.raises(ParameterError, match="cluster must be a Cluster"):
        embed(edges, tmp_path / "new", "tcp://127.0.0.1:1")  # type: ignore[arg-type]
    assert sorted(os.listdir(tmp_path)) == ["edges", "out"]


def test_more_blocks_are_advised_only_where_they_help() -> None:
    def placed(entries: int, room: float) -> dict[str, list[int]]:
        sizes = (BlockSize(10, entries, 0),) * 3
        layout = Layout(Path(), (0, 10, 20, 30), sizes, named=False, weight=0.0, top=0.0)
        return dealt(layout, {"one": room, "two": room}, columns=1, live=1)

    need = BlockSize(10, 1000, 0).bytes(1, 1)
    assert sorted(map(len, placed(1000, 2 * need).values())) == [1, 2]
    with pytest.raises(ClusterError, match=r"add workers or memory, lower the rank, or make more blocks$"):
        placed(1000, 1.6 * need)  # there is room for all, and not for whole blocks
    with pytest.raises(ClusterError, match=r"add workers or memory, or lower the rank$"):
        placed(1000, 1.4 * need)


def test_a_missing_extra_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "distributed":
            raise ModuleNotFoundError("no", name="distributed")
        return real(name, *rest, **more)

    monkeypatch.delitem(sys.modules, "distributed", raising=False)
    monkeypatch.setattr("importlib.import_module", without)
    with pytest.raises(MissingExtra, match=r"pip install 'ohmline\[cluster\]'"):
        Cluster.local()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["embed", "edges", "--cluster", "tcp://127.0.0.1:1", "--workers", "2"], "both given"),
        (["embed", "edges", "--workers", "2", "--symmetrise"], "--symmetrise is not for workers"),
        (["embed", "edges", "--blocks", "2"], "add --cluster or --workers"),
        (["embed", "edges"], "read them with --workers 2"),
        (["predict", "edges", "l.csv", "--workers", "2", "--save", "m"], "--save is not for workers"),
        (["predict", "edges", "--workers", "2"], "give LABELS"),
    ],
)
@pytest.mark.usefixtures("edges")
def test_options_that_do_not_go_together(
    arguments: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert words in result.stderr


def test_of_two_that_write_one_folder_the_first_to_end_has_it(tmp_path: Path) -> None:
    out = tmp_path / "out"

    def write(meanwhile: Callable[[], None]) -> None:
        with result_folder(out) as folder:
            finish(folder, "edges", [write_part(folder, 0, pa.table({"a": [1]}))], {})
            meanwhile()

    def late() -> None:  # in one process, with one name: they do not meet on the way
        with pytest.raises(DataError, match="was made by somebody else in the meantime"):
            write(lambda: write(lambda: None))

    late()
    assert read_manifest(out).rows == 1
    assert os.listdir(tmp_path) == ["out"]


def test_parts_compare(tmp_path: Path) -> None:
    one = write_part(tmp_path, 3, pa.table({"a": [1]}))
    assert one == Part("part-00003.parquet", 1, one.sha256)
    assert one != write_part(tmp_path, 3, pa.table({"a": [2]}))
