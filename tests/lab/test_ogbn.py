"""The Open Graph Benchmark's anchors, on folders in its layout that are made here."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from ohmline.lab.experiment import Verdict, find, run
from ohmline.lab.experiments import ogbn
from ohmline.lab.rivals.leaderboard import ENTRIES, Listed, Scaling, scores
from ohmline.lab.runs import attempt

SIZE = 40
Ints, Floats = NDArray[np.int64], NDArray[np.float64]


def write(folder: Path, name: str, text: str) -> None:
    path = folder / f"{name}.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode()))


def column(values: Ints) -> str:
    return "".join(f"{value}\n" for value in values.tolist())


def benchmark(folder: Path, seed: int, split: str) -> tuple[Floats, Ints, dict[str, Ints]]:
    """Two groups that mostly cite themselves, as the benchmark's files; the matrix, the classes and the split."""
    rng, n = np.random.default_rng(seed), 2 * SIZE
    codes = np.repeat([0, 1], SIZE)
    near = np.where(codes[:, None] == codes, 0.12, 0.02)
    upper = np.triu(rng.random((n, n)) < near, 1)
    source, target = np.nonzero(upper)
    turned = rng.random(len(source)) < 0.5
    ends = np.where(turned[:, None], np.stack([target, source], 1), np.stack([source, target], 1))
    ends = np.concatenate(
        [ends, ends[:3, ::-1], [[5, 5]]]
    )  # three citations go both ways, and one node cites itself
    order = rng.permutation(n)
    parts = {"train": order[:20], "valid": order[20:30], "test": order[30:]}
    write(folder, "raw/num-node-list.csv", f"{n}\n")
    write(folder, "raw/edge.csv", "".join(f"{u},{v}\n" for u, v in ends.tolist()))
    write(folder, "raw/node-label.csv", column(codes))
    write(folder, "raw/node_year.csv", column(2000 + rng.integers(0, 20, n)))
    for part, places in parts.items():
        write(folder, f"split/{split}/{part}.csv", column(places))
    return (upper + upper.T).astype(np.float64), codes, parts


def literal(adjacency: Floats, known: Ints, codes: Ints, entry: Listed) -> Floats:
    """The entry's formula, node by node."""
    n, classes = len(adjacency), int(codes.max()) + 1
    degree = [sum(row) for row in adjacency]
    labels = np.zeros((n, classes))
    for i in known:
        labels[i, codes[i]] = 1
    found = labels.copy()
    for _ in range(entry.steps):
        after = np.zeros_like(found)
        for i in range(n):
            for j in range(n):
                if adjacency[i, j]:
                    by = degree[j] if entry.scaling is Scaling.COLUMNS else np.sqrt(degree[i] * degree[j])
                    after[i] += entry.alpha * adjacency[i, j] / by * found[j]
            after[i] += (1 - entry.alpha) * labels[i]
        found = np.clip(after, 0, 1)
    return found


@pytest.mark.parametrize("scaling", list(Scaling))
@pytest.mark.parametrize("alpha", [0.5, 0.9])
def test_the_entry_is_its_formula(scaling: Scaling, alpha: float) -> None:
    rng = np.random.default_rng(3)
    adjacency = np.triu(rng.random((25, 25)) < 0.15, 1).astype(float)
    adjacency[:, 24] = 0  # a node without edges
    adjacency += adjacency.T
    codes, known = rng.integers(0, 3, 25), rng.permutation(25)[:15]
    entry = Listed(alpha, scaling, 0.0, steps=9)
    found, wanted = scores(adjacency, known, codes[known], 3, entry), literal(adjacency, known, codes, entry)
    np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_a_hub_hears_more_than_one_and_is_cut() -> None:
    star = np.zeros((7, 7))
    star[0, 1:] = star[1:, 0] = 1
    found = scores(
        star, np.arange(1, 7), np.zeros(6, np.int64), 2, Listed(0.9, Scaling.COLUMNS, 0.0, steps=1)
    )
    assert found[0].tolist() == [1.0, 0.0]
    np.testing.assert_allclose(found[1:, 0], 0.1, rtol=1e-6)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OHMLINE_DATA", str(tmp_path))
    monkeypatch.setenv("OHMLINE_CACHE", str(tmp_path / "cache"))
    return tmp_path


def test_both_sets_from_folders(here: Path) -> None:
    made = {
        "ogbn-arxiv": benchmark(here / "ogbn-arxiv" / "arxiv", 1, "time"),
        "ogbn-products": benchmark(here / "ogbn-products" / "products", 2, "sales_ranking"),
    }
    result = run(find("ogbn")).result
    rows = {(row.dataset, row.method.partition(",")[0]): row for row in result.rows}
    assert len(rows) == 4
    for name, (adjacency, codes, parts) in made.items():
        entry, test = ENTRIES[name], parts["test"]
        said = literal(adjacency, parts["train"], codes, entry).argmax(axis=1)
        row = rows[name, "label propagation"]
        assert row.ours == pytest.approx(np.mean(said[test] == codes[test]))
        assert row.paper == entry.test
        assert 0.7 < rows[name, "LocalLGC"].ours <= 1.0
        assert rows[name, "LocalLGC"].paper is None
    assert not any(claim.missing for claim in result.claims)
    for claim, row in zip(result.claims, (rows[name, "label propagation"] for name in made), strict=True):
        assert claim.holds == (abs(row.ours - float(row.paper or 0)) <= ogbn.NEAR)


def test_only_the_training_labels_are_seen(here: Path) -> None:
    """Other labels of the test nodes change what is right, and nothing that is said."""
    folder = here / "ogbn-arxiv" / "arxiv"
    _, codes, parts = benchmark(folder, 1, "time")
    before = {row.method: row.ours for row in run(find("ogbn")).result.rows}
    turned = codes.copy()
    turned[parts["test"]] = 1 - turned[parts["test"]]
    write(folder, "raw/node-label.csv", column(turned))
    after = {row.method: row.ours for row in run(find("ogbn")).result.rows}
    assert after == pytest.approx({method: 1 - value for method, value in before.items()})


def test_without_the_data_it_says_what_to_fetch_and_others_run(here: Path) -> None:
    found = attempt("ogbn", 0, True)
    assert not isinstance(found, Exception), found
    assert not found.rows
    for claim, name in zip(found.claims, ENTRIES, strict=True):
        assert claim.missing == name
        assert claim.verdict(quick=False) is Verdict.OPEN
        assert f"`ohmline data get {name}`" in claim.detail
        assert "snap.stanford.edu/ogb" in claim.detail
    assert not (here / "cache").exists()  # gigabytes that nobody asked for
    other = attempt("h2008-strips", 0, True)
    assert not isinstance(other, Exception)
    assert other.rows


def test_one_set_alone_and_a_quick_run(here: Path) -> None:
    benchmark(here / "ogbn-products" / "products", 2, "sales_ranking")
    quick = run(find("ogbn"), quick=True).result
    assert not quick.rows
    products = quick.claims[1]
    assert products.verdict(quick=True) is Verdict.OPEN
    assert products.detail == "left out"
    assert not products.missing
    full = run(find("ogbn")).result
    assert {row.dataset for row in full.rows} == {"ogbn-products"}
    assert full.claims[0].missing == "ogbn-arxiv"
