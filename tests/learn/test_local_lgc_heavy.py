"""LocalLGC beside edges that are many orders of magnitude heavier than the others."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest

import ohmline as ohm

WEIGHTS = [1e3, 1e4, 1e6, 1e9, 1e12]
RIDGE, MU = 0.1, 0.6


def exact_scores(graph: ohm.Graph, unit: float, labels: dict[int, int], classes: int) -> list[list[float]]:
    """f = Q^-1 b in fractions, by elimination: no rounding, however heavy an edge."""
    n = graph.n
    rows = [[Fraction(0)] * (n + classes) for _ in range(n)]
    for i in range(n):
        rows[i][i] += Fraction(RIDGE)
        for p in range(graph.indptr[i], graph.indptr[i + 1]):
            weight = Fraction(float(graph.weights[p])) / Fraction(unit)
            rows[i][i] += weight
            rows[i][int(graph.indices[p])] -= weight
        if i in labels:
            rows[i][i] += 1 / Fraction(MU)
            rows[i][n + labels[i]] += 1 / Fraction(MU)
    for k in range(n):
        for i in range(n):
            if i != k and rows[i][k]:
                share = rows[i][k] / rows[k][k]
                rows[i] = [a - share * b if b else a for a, b in zip(rows[i], rows[k], strict=True)]
    return [[float(rows[i][n + c] / rows[i][i]) for c in range(classes)] for i in range(n)]


def clique(nodes: range, weight: float) -> list[tuple[int, int, float]]:
    return [(i, j, weight) for i in nodes for j in nodes if i < j]


def edges_of(shape: str, w: float) -> list[tuple[int, int, float]]:
    path = [(i, j, 1.0) for i, j in pairwise(range(8))]
    return {
        "edge": [(0, 1, 1.0), (2, 3, w)],
        "edge in a path": [*path[:3], (3, 4, w), *path[4:]],
        "path": [(i, j, w) for i, j in pairwise(range(6))] + [(5, 6, 1.0), (6, 7, 1.0)],
        "clique": [*clique(range(5), w), (4, 5, 1.0), *clique(range(5, 9), 1.0)],
        "bridge": [*clique(range(4), 1.0), (3, 4, w), *clique(range(4, 8), 1.0)],
        "star": [(0, j, w) for j in range(1, 6)] + [(j, j + 5, 1.0) for j in range(1, 6)],
    }[shape]


@pytest.mark.parametrize("unit", [None, 1.0])
@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("shape", ["edge", "edge in a path", "path", "clique", "bridge", "star"])
def test_scores_beside_heavy_edges_are_the_exact_ones(shape: str, weight: float, unit: float | None) -> None:
    graph = ohm.Graph.from_edges(edges_of(shape, weight))
    learner = ohm.LocalLGC(graph, [0, 1], unit=unit)
    labels = {0: 0, 2: 1, graph.n - 1: 0} if shape != "edge" else {0: 0, 2: 1}
    for x, y in labels.items():
        learner.learn_one(x, y)
    exact = exact_scores(graph, learner.unit, labels, 2)
    for x in range(graph.n):
        scores = list(learner.scores_one(x).values())
        assert scores == pytest.approx(exact[x], abs=0.01)
        said = learner.certain_one(x)
        if said.certain:
            assert exact[x][said.prediction] >= exact[x][1 - said.prediction] + said.lead - 1e-12


@pytest.mark.parametrize("weight", WEIGHTS)
def test_a_heavy_edge_in_a_large_graph_ends(weight: float) -> None:
    """What is pushed to and fro along the edge is handed to a global solve in the end."""
    side = 30
    grid = [(i, i + 1, 1.0) for i in range(side * side - 1) if (i + 1) % side]
    grid += [(i, i + side, 1.0) for i in range(side * (side - 1))]
    middle = side * side // 2
    heavy = [(u, v, weight if u == middle else 1.0) for u, v, _ in grid]
    learner = ohm.LocalLGC(ohm.Graph.from_edges(heavy), ["a", "b"], unit=1.0)
    learner.learn_one(middle, "a")
    learner.learn_one(0, "b")
    assert learner.scores_one(middle + 1)["a"] == pytest.approx(learner.scores_one(middle)["a"], abs=0.01)
    assert learner.scores_one(middle + 1)["a"] > 0.3
    learner.forget_one(middle)
    assert learner.scores_one(middle + 1)["a"] == 0


def test_a_label_across_a_heavy_edge_can_be_withdrawn() -> None:
    for weight in WEIGHTS[:4]:
        graph = ohm.Graph.from_edges(edges_of("bridge", weight))
        learner = ohm.LocalLGC(graph, [0, 1], unit=1.0)
        for x, y in ((0, 0), (5, 1), (4, 0)):
            learner.learn_one(x, y)
        learner.forget_one(4)
        exact = exact_scores(graph, 1.0, {0: 0, 5: 1}, 2)
        for x in range(graph.n):
            assert list(learner.scores_one(x).values()) == pytest.approx(exact[x], abs=0.01)
