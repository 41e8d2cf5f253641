"""The benchmarks on large graphs run, at a size for tests, and measure what they say."""

from __future__ import annotations

import numpy as np
import pytest

from ohmline.lab.benches import million
from ohmline.lab.benches.large_graphs import FAMILIES
from ohmline.lab.benches.local_lgc import ring_of_accesses
from ohmline.lab.benches.many_classes import many_classes
from ohmline.lab.benches.million import SWEPT, _write, access_seconds, one_run
from ohmline.lab.benches.predict import predict_large
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
    for name in ("Pounce", "SpanningTree", "LocalLGC", SWEPT):
        found = one_run(str(tmp_path), name, 300, 2)
        assert found["nodes"] == 900
        assert 0 < found["mistakes"] < 300
        assert found["peak_bytes"] > 0
        assert found["seconds_per_trial"] > 0
        assert found["nanoseconds_an_access"] > 0


@pytest.mark.slow
def test_million_says_what_was_wanted_and_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(million, "FAMILIES", {"hubs": FAMILIES["hubs"]})
    monkeypatch.setattr(
        million, "LEARNERS", {name: million.LEARNERS[name] for name in ("Pounce", "LocalLGC")}
    )
    found = million.million(4000, 400, 1)
    assert set(found.details) == {"Pounce, hubs", "LocalLGC, hubs", "targets"}
    assert {line["target"] for line in found.details["targets"]} == {
        "Pounce, hubs: peak bytes",
        "LocalLGC, hubs: peak bytes",
        "LocalLGC, hubs: time per trial over a tenth's",
        "LocalLGC, hubs: seconds",
    }
    row = found.details["LocalLGC, hubs"]
    assert row["ratio"] == pytest.approx(row["microseconds_per_trial"] / row["microseconds_on_a_tenth"])
    assert found.ratio == pytest.approx(million.LIMITS["LocalLGC", "hubs"] / row["ratio"])
    assert 0 < row["mistakes"] < 200


def test_a_chain_of_accesses_visits_all_that_it_may() -> None:
    ring, place, seen = ring_of_accesses(800), 0, set()
    for _ in range(100):
        seen.add(place)
        place = int(ring[place])
    assert seen == set(range(100))
    assert place == 0
    assert access_seconds(800, steps=1000) > 0


def test_predict_large_is_right_as_often_as_the_exact_scores() -> None:
    found = predict_large(3000, 1)
    right = found.details["right"]
    assert right["ours"] > 0.5
    assert right["ours"] >= right["conjugate_gradients"] - 0.02
    assert set(found.details["seconds"]) == set(right) - {"ours_exactly_and_levelled"} | {
        "ours_with_proof_of_certain"
    }
    assert abs(right["ours_exactly"] - right["conjugate_gradients"]) < 0.002
    assert found.details["exact_residual"] < 1e-3


def test_many_classes_compares_two_games_of_one_stream() -> None:
    found = many_classes(600, (12,), words=False)
    assert found.ratio > 0
    part = found.details["12 communities"]
    assert 0 < part["few"]["mistakes"] <= 60
    assert part["few"]["estimate_gib"] * 2**30 == 600 * 8 * 16
    assert part["all"]["estimate_gib"] * 2**30 == 600 * 12 * 8
    assert len(found.details["targets"]) == 2
