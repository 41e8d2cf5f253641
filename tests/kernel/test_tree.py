"""The kernel of a spanning tree is the exact kernel of that tree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from graphs import games, graphs
from ohmline.errors import WeightError
from ohmline.graph import spanning_tree
from ohmline.kernel.space import values


@settings(max_examples=25)
@given(graph=graphs(max_nodes=25), seed=st.integers(0, 5), data=st.data())
def test_entries_and_functions_are_those_of_the_exact_kernel(
    graph: ohm.Graph, seed: int, data: st.DataObject
) -> None:
    kernel = ohm.TreeKernel(graph, seed=seed)
    exact = ohm.LaplacianKernel(spanning_tree(graph, seed=seed))
    terms = ohm.Constant(0.3) + ohm.Ridge(0.2)
    for ours, theirs in ((kernel, exact), (2.0 * kernel + terms, 2.0 * exact + terms)):
        matrix = theirs.space.dense()
        scale = max(1.0, float(np.abs(matrix).max()))
        np.testing.assert_allclose(ours.space.dense(), matrix, atol=1e-11 * scale)
        rng = np.random.default_rng(data.draw(st.integers(0, 99)))
        c = np.where(rng.random(graph.n) < 0.5, rng.standard_normal(graph.n), 0.0)
        w = ours.space.coefficients(matrix @ c)
        np.testing.assert_allclose(values(ours.space, w, graph.n), matrix @ c, atol=1e-9 * scale)
        u = rng.standard_normal(graph.n)
        u -= (
            np.bincount(graph.component_of, u)[graph.component_of]
            / np.bincount(graph.component_of)[graph.component_of]
        )
        assert ours.sqnorm(u) == pytest.approx(theirs.sqnorm(u), rel=1e-8)
    assert kernel.sqnorm(np.ones(graph.n)) == np.inf


@pytest.mark.parametrize("learner", [ohm.Perceptron, ohm.Pounce])
@settings(max_examples=15)
@given(data=st.data())
def test_games_are_those_over_the_exact_kernel(learner: type, data: st.DataObject) -> None:
    graph, stream, _ = data.draw(games(max_nodes=20))
    tree = spanning_tree(graph)
    fast = ohm.play(learner(ohm.TreeKernel(graph) + ohm.Constant(0.5)), stream)
    slow = ohm.play(learner(ohm.LaplacianKernel(tree) + ohm.Constant(0.5)), stream)
    ohm.check.learners.same_up_to_rounding(fast, slow, "the same game")


def test_a_signed_graph_is_refused_and_a_snapshot_knows_its_tree() -> None:
    with pytest.raises(WeightError, match="TreeKernel needs weights above 0"):
        ohm.TreeKernel(ohm.Graph.from_edges([(0, 1, -1.0), (1, 2)], signed=True))
    ring = ohm.graph.generate.ring(8).graph
    assert ohm.TreeKernel(ring).fingerprint != ohm.TreeKernel(ring, seed=1).fingerprint
