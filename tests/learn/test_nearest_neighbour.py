"""Nearest neighbour against a literal search."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ohmline as ohm
from graphs import games
from ohmline.errors import LearnerError


def distances(graph: ohm.Graph, distance: ohm.Distance) -> np.ndarray:
    n = graph.n
    if distance is ohm.Distance.RESISTANCE:
        plus = np.linalg.pinv(graph.laplacian().toarray(), hermitian=True, rtol=1e-10)
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


@given(games(), st.sampled_from(list(ohm.Distance)))
def test_agrees_with_a_search_through_the_labelled_nodes(game, distance: ohm.Distance) -> None:
    graph, stream, _ = game
    d = distances(graph, distance)
    learner = ohm.NearestNeighbour(graph, distance)
    seen: dict[int, int] = {}  # keeps the order of first appearance
    for i, y in stream:
        reach = {j: d[i, j] for j in seen if np.isfinite(d[i, j])}
        if reach:
            nearest = min(reach.values())
            wanted = next(seen[j] for j in seen if d[i, j] <= nearest * (1 + 1e-8) + 1e-12)
        else:
            wanted = 0
        assert learner.margin_one(i) == wanted
        learner.learn_one(i, y)
        seen[i] = y


def test_a_repeated_node_takes_its_new_label() -> None:
    learner = ohm.NearestNeighbour(ohm.Graph.from_edges([(0, 1), (1, 2)]))
    learner.learn_one(0, 1)
    assert learner.predict_one(2) == 1
    assert learner.learn_one(0, -1) == ohm.Update(True, True, 1.0)
    assert learner.predict_one(2) == -1


def test_bad_input() -> None:
    with pytest.raises(LearnerError, match=r"Distance\.GEODESIC"):
        ohm.NearestNeighbour(ohm.Graph.from_edges([(0, 1)]), "geodesic")
    with pytest.raises(LearnerError, match="negative edges"):
        ohm.NearestNeighbour(ohm.Graph.from_edges([(0, 1, -1.0)], signed=True))
