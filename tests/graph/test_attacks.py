"""What broke once: damaged packed files, writers side by side, weights and rows at the ends of what numbers hold."""

from __future__ import annotations

import gzip
import resource
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ohmline as ohm
from ohmline.errors import DataError, FileFormatError, GraphError, OhmlineError, ParameterError
from ohmline.graph import Draw, Search
from ohmline.graph.files.paths import replacing
from ohmline.graph.neighbour_search import recall_of
from ohmline.graph.stored_rows import Rows


@pytest.fixture
def streamed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small files go the way of large ones."""
    monkeypatch.setattr("ohmline.graph.files.stream_edges.LARGE", 0)


def text(edges: int = 40_000) -> bytes:
    ends = np.random.default_rng(0).integers(5000, size=(edges, 2))
    return b"".join(b"%d,%d\n" % (a, b) for a, b in ends.tolist())


@pytest.mark.usefixtures("streamed")
@pytest.mark.parametrize("how", ["cut", "flipped", "followed"])
@pytest.mark.parametrize("suffix", [".zst", ".gz"])
def test_a_damaged_packed_file_is_an_error(tmp_path: Path, suffix: str, how: str) -> None:
    zstandard = pytest.importorskip("zstandard")
    packed = zstandard.ZstdCompressor().compress(text()) if suffix == ".zst" else gzip.compress(text())
    middle = len(packed) // 2
    bad = {
        "cut": packed[:middle],
        "flipped": packed[:middle]
        + bytes(255 - b for b in packed[middle : middle + 50])
        + packed[middle + 50 :],
        "followed": packed + b"not a frame",
    }[how]
    path = tmp_path / f"edges.csv{suffix}"
    path.write_bytes(bad)
    with pytest.raises((FileFormatError, DataError, GraphError)):
        ohm.graph.read(path)
    path.write_bytes(packed)
    assert ohm.graph.read(path).n > 4000


@pytest.mark.usefixtures("streamed")
def test_two_frames_are_one_text(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    whole = text(4000)
    cut = whole.index(b"\n", len(whole) // 2) + 1
    pack = zstandard.ZstdCompressor().compress
    (tmp_path / "two.csv.zst").write_bytes(pack(whole[:cut]) + pack(whole[cut:]))
    (tmp_path / "one.csv").write_bytes(whole)
    assert ohm.graph.read(tmp_path / "two.csv.zst") == ohm.graph.read(tmp_path / "one.csv")


def test_threads_that_write_one_file_leave_one_of_their_graphs(tmp_path: Path) -> None:
    graphs = [
        ohm.Graph.from_edges(np.random.default_rng(k).integers(300 + k, size=(900, 2))) for k in range(2)
    ]
    path, failed = tmp_path / "both.ohmg", []

    def write(graph: ohm.Graph) -> None:
        try:
            graph.write(path)
        except BaseException as error:
            failed.append(error)

    for _ in range(12):
        threads = [threading.Thread(target=write, args=(graph,)) for graph in graphs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failed
        assert ohm.Graph.open(path, verify=True) in graphs
    assert [each.name for each in tmp_path.iterdir()] == ["both.ohmg"]


def test_walks_that_cannot_end_are_refused() -> None:
    far = ohm.Graph.from_edges([(0, 1, 1.0), (1, 2, 1e-17), (2, 3, 1.0), (3, 4, 1.0), (3, 5, 1.0)])
    with pytest.raises(GraphError, match=r"never take the lightest.*CLOCKS"):
        ohm.SpanningTree(far, draw=Draw.WILSON)
    assert ohm.graph.spanning_tree(far).n_components == 1


@pytest.mark.parametrize("scale", [1e4, 1e6])
def test_recall_beside_outliers(scale: float) -> None:
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.random((300, 4)) * 1e-3, rng.random((5, 4)) * scale])
    exact = ohm.graph.neighbour_search.nearest(X, 5)
    assert recall_of(Rows(X), exact, rng)[0] == 1.0


@pytest.mark.parametrize("scale", [1e200, 1e-200])
@pytest.mark.parametrize("search", list(Search))
def test_rows_whose_squares_are_no_numbers_are_refused(scale: float, search: Any) -> None:
    with pytest.raises(ParameterError, match="range of numbers; scale X"):
        ohm.graph.knn(np.random.default_rng(0).random((40, 3)) * scale, 3, search=search)


@pytest.mark.usefixtures("streamed")
def test_no_room_for_what_is_read_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "edges.csv"
    path.write_bytes(text(4000))

    class Full:
        def __init__(self, *args: Any, **options: Any) -> None: ...
        def write(self, data: Any) -> None: ...
        def flush(self) -> None:
            raise OSError(28, "No space left on device")

        close = flush

    monkeypatch.setattr("ohmline.graph.streaming.spill.tempfile.TemporaryFile", Full)
    with pytest.raises(OhmlineError, match=r"No space left.*TMPDIR"):
        ohm.graph.read(path)


def test_a_write_that_ends_early_says_that_the_disk_is_full(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))  # a disk of that size, for this process
    try:
        with (
            pytest.raises(
                DataError, match=r"rows\.npy cannot be written: the disk is probably full \(100000 "
            ),
            replacing(tmp_path / "rows.npy") as beside,
            beside.open("wb") as out,
        ):
            np.save(out, np.zeros(100_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(tmp_path.iterdir()) == []


def test_a_cell_without_an_end_is_called_that(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("x" * 900_000 + ",b\nb,c\n")
    with pytest.raises(FileFormatError, match=r"line 1: a cell of more than 131,072 characters"):
        ohm.graph.read(tmp_path / "edges.csv")
