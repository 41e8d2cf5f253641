"""The benchmarks on large graphs run, at a size for tests, and measure what they say."""

from __future__ import annotations

import numpy as np

from ohmline.lab.benches.large_graphs import FAMILIES
from ohmline.lab.benches.million import _write, one_run
from ohmline.lab.benches.trees import random_tree, trees


def test_the_families_are_what_they_are_called() -> None:
    for name, make in FAMILIES.items():
        graph, labels = make(900, 0)
        assert graph.n == len(labels) == 900
        assert set(labels.tolist()) == {-1, 1}
        u, v, _ = graph.edges()
        assert np.mean(labels[u] == labels[v]) > 0.7
        assert (np.diff(graph.indptr).max() > 30) == (name == "hubs")
    assert random_tree(200).n_edges == 199


def test_trees_counts_trials() -> None:
    found = trees(2000, 1000, 1)
    assert set(found.details["trials_per_second"]) >= {"SpanningTree", "WeightedTree"}
    assert all(rate > 0 for rate in found.details["trials_per_second"].values())
    assert found.ratio > 0


def test_million_plays_every_learner(tmp_path) -> None:  # type: ignore[no-untyped-def]
    _write(tmp_path, *FAMILIES["grid"](900, 0))
    for name in ("Pounce", "SpanningTree"):
        found = one_run(str(tmp_path), name, 300, 2)
        assert found["nodes"] == 900
        assert 0 < found["mistakes"] < 300
        assert found["peak_bytes"] > 0
