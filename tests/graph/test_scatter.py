"""Rows put together from edges in any order, beside a set of pairs."""

from __future__ import annotations

import numpy as np
import pytest

from ohmline.graph.edges import Parallel
from ohmline.graph.streaming import Edges, Numbers, Unusual
from ohmline.graph.streaming.scatter import FEW
from ohmline.graph.streaming.spill import NONE


@pytest.mark.parametrize("twins", [0, 3])
def test_rows_of_every_length_are_sorted_and_have_every_pair_once(twins: int) -> None:
    rng = np.random.default_rng(twins)
    # Node k has about k neighbours: rows on either side of the length up to which they are sorted by counting.
    ends = [(k, int(v)) for k in range(2 * FEW + 10) for v in rng.integers(0, 400, k)]
    ends += [(v, u) for u, v in ends[: len(ends) * twins // 10]] + [(5, 5), (399, 399)]
    listed = np.array(ends)[rng.permutation(len(ends))]
    wanted = {(u, v) for a, b in ends for u, v in ((a, b), (b, a)) if u != v}
    coder = Numbers(10_000)
    with Edges(signed=False, symmetrise=False, parallel=Parallel.MAX) as edges:
        for part in np.array_split(listed, 7):
            edges.add(coder.codes(part), NONE, coder.top)
        graph = edges.graph(coder)
    found = [
        (int(u), int(v)) for u in range(graph.n) for v in graph.indices[graph.indptr[u] : graph.indptr[u + 1]]
    ]
    assert graph.n == 400
    assert found == sorted(wanted)
    assert graph.dropped_loops == sum(u == v for u, v in ends)


def test_a_node_with_a_loop_or_an_edge_of_no_weight_alone_is_a_node() -> None:
    coder = Numbers(100)
    with Edges(signed=False, symmetrise=False, parallel=None) as edges:
        edges.add(coder.codes(np.array([[3, 3], [7, 9], [1, 2]])), np.array([1.0, 0.0, 2.0]), coder.top)
        graph = edges.graph(coder)
    assert list(graph.nodes) == [1, 2, 3, 7, 9]
    assert graph.n_edges == 1


def test_twins_are_refused_where_they_must_be() -> None:
    coder = Numbers(100)
    with Edges(signed=False, symmetrise=False, parallel=Parallel.REFUSE) as edges:
        edges.add(coder.codes(np.array([[3, 4], [4, 3]])), NONE, coder.top)
        with pytest.raises(Unusual, match="twice"):
            edges.graph(coder)
