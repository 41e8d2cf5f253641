"""Neighbours that are not all looked for, against those that are."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ohmline.errors import DataError, MissingExtra, ParameterError, ShapeError
from ohmline.graph import Gaussian, Search, knn
from ohmline.graph.clustered_neighbours import by_clusters, groups, parts, put
from ohmline.graph.neighbour_search import neighbours, recall_of, without_themselves
from ohmline.graph.stored_rows import Rows


def cloud(n: int = 1500, d: int = 8) -> np.ndarray:
    rng = np.random.default_rng(0)
    centres = 4 * rng.standard_normal((12, d))
    return centres[rng.integers(12, size=n)] + rng.standard_normal((n, d))


def brute(X: np.ndarray, k: int) -> np.ndarray:
    square = ((X[:, None] - X) ** 2).sum(axis=2)
    np.fill_diagonal(square, np.inf)
    return np.lexsort((np.broadcast_to(np.arange(len(X)), square.shape), square), axis=1)[:, :k]


@pytest.mark.parametrize("search", [Search.APPROXIMATE, Search.CLUSTERS])
def test_nearly_all_neighbours_are_found_and_the_summary_says_so(search: Search) -> None:
    X = cloud()
    exact = knn(X, 7)
    graph = knn(X, 7, search=search, weights=Gaussian())
    told = graph.summary()
    assert told["neighbour_search"] == search.value
    assert told["neighbour_recall"] > 0.97
    assert told["neighbour_sample"] == 200
    assert "neighbour_recall" not in exact.summary()
    both = (graph.adjacency.toarray() > 0) & (exact.adjacency.toarray() > 0)
    assert both.sum() / 2 > 0.95 * exact.n_edges
    assert graph.fingerprint == knn(X, 7, search=search, weights=Gaussian()).fingerprint


def test_the_recall_is_that_of_brute_force() -> None:
    X = cloud(150)
    exact = brute(X, 5)
    found = exact.copy()
    found[::3, 1] = brute(X, 149)[::3, -1]  # the furthest row instead of the second nearest
    wanted = 1 - 50 / (5 * 150)
    assert recall_of(Rows(X), exact, np.random.default_rng(0)) == (1.0, 150)
    assert recall_of(Rows(X), found, np.random.default_rng(0))[0] == pytest.approx(wanted)


def test_small_clusters_overlap_enough() -> None:
    X = cloud(1200)
    assert len(groups(Rows(X), 32, np.random.default_rng(1))) > 16
    found = by_clusters(Rows(X), 6, np.random.default_rng(1), size=150)
    exact = brute(X, 6)
    shared = np.mean([len(set(a) & set(b)) / 6 for a, b in zip(exact.tolist(), found.tolist(), strict=True)])
    assert shared > 0.95
    assert all(len(set(row)) == 6 and i not in row for i, row in enumerate(found.tolist()))


def test_equal_rows_fill_the_table_too() -> None:
    X = np.zeros((500, 3))
    found = by_clusters(Rows(X), 4, np.random.default_rng(0), size=20)
    assert found.min() >= 0
    assert all(len(set(row)) == 4 and i not in row for i, row in enumerate(found.tolist()))
    pieces = parts(np.arange(100), 30, 4, np.random.default_rng(0))
    assert sorted(np.concatenate(pieces).tolist()) == list(range(100))
    assert max(map(len, pieces)) <= 30


@settings(max_examples=40)
@given(data=st.data())
def test_a_merge_keeps_the_nearest_of_both(data: st.DataObject) -> None:
    k = data.draw(st.integers(1, 4))
    found, lengths = np.full((1, k), -1, np.int64), np.full((1, k), np.inf)
    best: dict[int, float] = {}
    far = {name: float(data.draw(st.integers(0, 5))) for name in range(12)}
    for _ in range(3):
        names = data.draw(st.lists(st.integers(0, 11), min_size=1, max_size=5, unique=True))
        put(np.array([0]), np.array([names]), np.array([[far[j] for j in names]]), k, found, lengths)
        best |= {j: far[j] for j in names}
        wanted = sorted(best, key=lambda j: (best[j], j))[:k]
        assert found[0].tolist() == wanted + [-1] * (k - len(wanted))


def test_rows_in_a_file_give_the_same_graph(tmp_path: Path) -> None:
    X = cloud(800).astype(np.float32)
    path = tmp_path / "points.npy"
    np.save(path, X)
    mapped = np.load(path, mmap_mode="r")
    graphs = [knn(given, 5, search=Search.CLUSTERS) for given in (X, mapped, path, str(path))]
    assert len({graph.fingerprint for graph in graphs}) == 1
    assert knn(path, 5).fingerprint == knn(X, 5).fingerprint  # few rows: exact


def test_bad_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "points.npy"
    with pytest.raises(DataError, match=r"cannot be read as an \.npy file"):
        knn(path, 2)
    path.write_bytes(b"\x93NUMPY damaged")
    with pytest.raises(DataError, match=r"numpy\.save"):
        knn(path, 2)
    np.save(path, np.array(["a", "b"]))
    with pytest.raises(ShapeError, match="two dimensions of numbers"):
        knn(path, 1)
    X = cloud(60)
    X[30, 2] = np.nan
    np.save(path, X)
    with pytest.raises(ParameterError, match="finite"):
        knn(path, 2, search=Search.CLUSTERS)
    with pytest.raises(ParameterError, match=r"Search\.EXACT"):
        knn(cloud(60), 2, search="exact")  # type: ignore[arg-type]


def test_the_default_goes_by_size_and_by_what_is_installed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    monkeypatch.setattr("ohmline.graph.neighbour_search.FEW", 100)
    X = cloud(200)
    assert knn(X[:100], 3).summary().get("neighbour_search") is None
    assert knn(X, 3).summary()["neighbour_search"] == "approximate"
    np.save(tmp_path / "points.npy", X)
    assert knn(tmp_path / "points.npy", 3).summary()["neighbour_search"] == "clusters"

    def absent(name: str) -> Any:
        return None

    monkeypatch.setattr("importlib.util.find_spec", absent)
    with caplog.at_level(logging.WARNING, "ohmline"):
        assert neighbours(Rows(X), 3, None, 0)[1] == {}
    assert "pip install 'ohmline[ann]'" in caplog.text
    monkeypatch.setitem(__import__("sys").modules, "voyager", None)
    with pytest.raises(MissingExtra, match=r"ohmline\[ann\]"):
        neighbours(Rows(X), 3, Search.APPROXIMATE, 0)


def test_nobody_is_its_own_neighbour_even_among_equal_rows() -> None:
    found = np.array([[0, 2, 1], [2, 0, 1], [0, 1, 3], [3, 1, 0]])
    assert without_themselves(found, 2).tolist() == [[2, 1], [2, 0], [0, 1], [1, 0]]


def test_a_search_by_clusters_tells_how_far_it_is() -> None:
    X = np.random.default_rng(0).random((9000, 2))
    steps: list[int] = []
    graph = knn(X, 3, search=Search.CLUSTERS, progress=steps.append)
    assert len(steps) == sum(steps) == 9  # clusters of 4,000 rows, each row in four
    assert graph == knn(X, 3, search=Search.CLUSTERS)
    with pytest.raises(ParameterError, match="progress"):
        knn(X, 3, search=Search.CLUSTERS, progress="yes")  # type: ignore[arg-type]
