"""Nearest neighbours against a literal search."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from graphs import games
from ohmline.errors import LearnerError, ParameterError, SnapshotError
from ohmline.graph import generate


def distances(graph: ohm.Graph, distance: ohm.Distance) -> np.ndarray:
    n = graph.n
    if distance is ohm.Distance.RESISTANCE:
        plus = np.linalg.pinv(graph.laplacian().toarray(), hermitian=True, rcond=1e-10)
        out = np.diag(plus)[:, None] + np.diag(plus) - 2 * plus
        out[graph.component_of[:, None] != graph.component_of] = np.inf
        return out
    out = np.full((n, n), np.inf)
    np.fill_diagonal(out, 0)
    u, v, w = graph.edges()
    out[u, v] = out[v, u] = 1 / w
    for k in range(n):  # Floyd and Warshall
        out = np.minimum(out, out[:, [k]] + out[[k], :])
    return out


def vote(row: np.ndarray, seen: dict[int, int], k: int) -> float:
    """The mean label of the k nearest: again and again the earliest among those that are equally near."""
    left = [j for j in seen if np.isfinite(row[j])]
    voters = []
    while left and len(voters) < k:
        nearest = min(row[j] for j in left)
        voters.append(next(j for j in left if row[j] <= nearest * (1 + 1e-8) + 1e-12))
        left.remove(voters[-1])
    return float(Fraction(sum(seen[j] for j in voters), len(voters))) if voters else 0.0


@settings(max_examples=150)
@given(games(), st.sampled_from(list(ohm.Distance)), st.sampled_from([1, 2, 3, 4, 5, 99]))
def test_agrees_with_a_search_through_the_labelled_nodes(game, distance: ohm.Distance, k: int) -> None:
    graph, stream, _ = game
    d = distances(graph, distance)
    stream = stream.with_label_noise(0.2, seed=1)  # so that nodes come back with other labels
    learner = ohm.NearestNeighbour(graph, distance, k)
    seen: dict[int, int] = {}  # keeps the order of first appearance
    for i, y in stream:
        for j in range(graph.n):
            assert learner.margin_one(j) == vote(d[j], seen, k)
        learner.learn_one(i, y)
        seen[i] = y


@settings(max_examples=60)
@given(st.lists(st.integers(-12, 12), min_size=2, max_size=7), st.integers(0, 10**6))
def test_resistances_are_told_apart_whatever_the_ratio_of_the_weights(powers: list[int], seed: int) -> None:
    """On a tree a resistance is the sum of 1 / w along the path, which fractions hold exactly."""
    rng = np.random.default_rng(seed)
    n = len(powers) + 1
    weights = [float(rng.integers(1, 9)) * 10.0**power for power in powers]
    up = [int(rng.integers(child)) for child in range(1, n)]
    apart = [[Fraction(0)] * n for _ in range(n)]
    for child in range(1, n):
        for other in range(child):
            far = apart[up[child - 1]][other] + 1 / Fraction(weights[child - 1])
            apart[child][other] = apart[other][child] = far
    edges = [(up[child - 1], child, weights[child - 1]) for child in range(1, n)]
    learner = ohm.NearestNeighbour(ohm.Graph.from_edges(edges, nodes=range(n)), ohm.Distance.RESISTANCE)
    np.testing.assert_allclose(learner.space.matrix, np.array(apart, dtype=float), rtol=1e-12)
    seen: dict[int, int] = {}
    for i in rng.permutation(n).tolist():
        seen[i] = int(rng.choice([-1, 1]))
        learner.learn_one(i, seen[i])
        for j in range(n):
            first, *others = sorted(seen, key=apart[j].__getitem__)
            if not others or apart[j][others[0]] > apart[j][first] * Fraction(1.001):
                assert learner.predict_one(j) == seen[first]


def test_the_heavier_one_of_two_heavy_edges_is_shorter_beside_a_light_bridge() -> None:
    graph = ohm.Graph.from_edges([("a", "b", 1e9), ("b", "c", 2e8), ("c", "d", 1e-9)])
    learner = ohm.NearestNeighbour(graph, ohm.Distance.RESISTANCE)
    learner.learn_one("c", -1)
    learner.learn_one("a", 1)
    assert learner.predict_one("b") == 1  # 1e-9 ohm from a, 5e-9 from c
    np.testing.assert_allclose(learner.space.matrix[1, [0, 2, 3]], [1e-9, 5e-9, 1e9], rtol=1e-12)


def test_a_repeated_node_takes_its_new_label() -> None:
    learner = ohm.NearestNeighbour(ohm.Graph.from_edges([(0, 1), (1, 2)]))
    learner.learn_one(0, 1)
    assert learner.predict_one(2) == 1
    assert learner.learn_one(0, -1) == ohm.Update(True, True, 1.0)
    assert learner.predict_one(2) == -1
    assert learner.learn_one(0, -1) == ohm.Update(False, False, 0.0)


def test_the_tie_rules_are_the_stated_ones() -> None:
    star = generate.star(4)  # node 0 is the hub
    learner = ohm.NearestNeighbour(star, k=2)
    assert learner.margin_one(0) == 0
    learner.learn_one(3, -1)
    assert learner.margin_one(0) == -1  # fewer than k labels: those there are vote
    learner.learn_one(1, 1)
    learner.learn_one(2, 1)
    assert learner.margin_one(0) == 0  # the first two, nodes 3 and 1, and not the two of +1
    assert learner.predict_one(0) == 1
    assert ohm.NearestNeighbour(star, k=3).margin_one(0) == 0


@pytest.mark.parametrize("distance", ohm.Distance)
@pytest.mark.parametrize("k", [1, 2, 3, 5, 8, 100])
def test_every_tip_of_the_octopus_is_a_mistake_for_every_k(distance: ohm.Distance, k: int) -> None:
    """Section 5.1: the heads are nearer than the other tips, and never fewer."""
    m = 12
    octopus = generate.octopus(m, 3)
    trace = ohm.play(ohm.NearestNeighbour(octopus.graph, distance, k), octopus.sequence)
    assert trace.charged[1::2].all()
    assert len(trace) == 2 * m


def test_a_short_tentacle_is_no_counterexample() -> None:
    """p >= 3 matters: with p = 2 and equally near heads and tips a tie may go to the tips."""
    octopus = generate.octopus(12, 1)
    trace = ohm.play(ohm.NearestNeighbour(octopus.graph, k=3), octopus.sequence)
    assert trace.charged[1::2].sum() < 12


def test_a_snapshot_that_contradicts_itself_is_refused() -> None:
    path = generate.line(6).graph
    learner = ohm.NearestNeighbour(path, k=3)
    for node, label in ((0, 1), (5, -1), (2, 1)):
        learner.learn_one(node, label)
    before = learner.snapshot()
    again = ohm.NearestNeighbour.restore(before, path)
    assert again.k == 3
    assert [again.margin_one(j) for j in range(6)] == [learner.margin_one(j) for j in range(6)]
    swapped = before["state.near"][:, ::-1].copy()
    short = before["state.near"].copy()
    short[1, 2] = -1
    for key, value in (
        ("state.near", swapped),
        ("state.near", short),
        ("state.gap", before["state.gap"] * 2),
        ("state.own", np.zeros(6, np.int64)),
        ("state.own", np.ones(6, np.int64)),
    ):
        with pytest.raises(SnapshotError, match="damaged"):
            ohm.NearestNeighbour.restore({**before, key: value}, path)
    with pytest.raises(SnapshotError, match="shape"):
        ohm.NearestNeighbour.restore({**before, "k": np.array(2)}, path)


def test_bad_input() -> None:
    with pytest.raises(LearnerError, match=r"Distance\.GEODESIC"):
        ohm.NearestNeighbour(ohm.Graph.from_edges([(0, 1)]), "geodesic")
    with pytest.raises(LearnerError, match="negative edges"):
        ohm.NearestNeighbour(ohm.Graph.from_edges([(0, 1, -1.0)], signed=True))
    for bad in (0, -1, 1.5, "3", None, True):
        with pytest.raises(ParameterError, match="k must be a whole number of at least 1"):
            ohm.NearestNeighbour(ohm.Graph.from_edges([(0, 1)]), k=bad)
