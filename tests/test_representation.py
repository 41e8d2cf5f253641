"""Everything a user makes shows how it was made."""

from __future__ import annotations

from typing import Any

import pytest

import ohmline as ohm

GRAPH = ohm.Graph.from_edges([("a", "b"), ("b", "c")])
KERNEL = ohm.LaplacianKernel(GRAPH) + ohm.Constant(0.5)


@pytest.mark.parametrize(
    ("thing", "text"),
    [
        (ohm.Perceptron(KERNEL), f"Perceptron({KERNEL!r})"),
        (ohm.PassiveAggressive(KERNEL, 0.5), f"PassiveAggressive({KERNEL!r}, aggressiveness=0.5)"),
        (ohm.Projection.c_proj(KERNEL), f"Projection({KERNEL!r}, strategy=Strategy.ALL, cyclic=True)"),
        (ohm.Pounce(KERNEL), f"Pounce({KERNEL.without_bias()!r})"),
        (
            ohm.LocalLGC(GRAPH, ["x", "y"], mu=0.3),
            f"LocalLGC({GRAPH!r}, classes=('x', 'y'), mu=0.3, unit=1.0)",
        ),
        (
            ohm.OnlineLGC(ohm.SpectralKernel(GRAPH, rank=2), 0.2),
            "OnlineLGC(SpectralKernel(Graph(nodes=3, edges=2, components=1), rank=2), mu=0.2)",
        ),
        (ohm.NearestNeighbour(GRAPH), f"NearestNeighbour({GRAPH!r})"),
        (ohm.Halving(GRAPH, 1), f"Halving({GRAPH!r}, 1)"),
        (ohm.OnlineManifold(lambda_2=0.5), "OnlineManifold(lambda_2=0.5)"),
        (
            ohm.LocalManifold(classes=["a", "b"], memory=500),
            "LocalManifold(classes=('a', 'b'), memory=500.0)",
        ),
        (
            ohm.OnlineManifold(ohm.RBF(2.0), ohm.Buffer(50)),
            "OnlineManifold(kernel=RBF(2.0), basis=Buffer(size=50))",
        ),
        (ohm.RPTree(9, covariance=True), "RPTree(leaves=9, covariance=True)"),
        (ohm.MaxProgress(), "MaxProgress()"),
        (GRAPH.nodes, "NodeIndex(3 ids, for example 'a', 'b', 'c')"),
        (ohm.graph.NodeIndex(5), "NodeIndex(5)"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_a_repr_shows_the_parameters(thing: Any, text: str) -> None:
    assert repr(thing) == text
