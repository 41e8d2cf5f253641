"""Neighbours of 32 bits, which ordinary graphs have, and of 64, which only enormous ones need, play the same game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ohmline as ohm
from ohmline.graph.graph import graph_over
from ohmline.graph.rows import Rows

LEARNERS: dict[str, Callable[[ohm.Graph], Any]] = {
    "Laplacian": lambda g: ohm.Perceptron(ohm.LaplacianKernel(g) + ohm.Constant(0.5)),
    "spectral": lambda g: ohm.Pounce(ohm.SpectralKernel(g, rank=g.n, shift=0.1)),
    "nearest": ohm.NearestNeighbour,
}
COMPILED_OVER_ROWS: dict[str, Callable[[ohm.Graph], Any]] = {
    "local": ohm.LocalLGC,
    "spanning": lambda g: ohm.SpanningTree(g, seed=3),
    "weighted": lambda g: ohm.WeightedTree(g, seed=3),
    "columns": lambda g: ohm.PassiveAggressive(ohm.SolverKernel(g, b=0.5)),
}


def both_widths(weighted: bool) -> tuple[ohm.Graph, ohm.Graph, list[int]]:
    rng = np.random.default_rng(5)
    ends = rng.integers(40, size=(90, 2))
    ends = np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1), axis=0)
    weights = rng.choice([0.5, 1.0, 2.0], size=len(ends)) if weighted else None
    graph = ohm.Graph.from_columns(ends[:, 0], ends[:, 1], weights, nodes=range(40))
    rows = Rows(graph.indptr, ohm.arrays.frozen(graph.indices.astype(np.int64)), graph.weights)
    return graph, graph_over(rows, graph.nodes), np.where(rng.random(40) < 0.4, -1, 1).tolist()


def the_same_game(make: Callable[[ohm.Graph], Any], weighted: bool) -> None:
    graph, wide, labels = both_widths(weighted)
    assert (graph.indices.dtype, wide.indices.dtype) == (np.int32, np.int64)
    stream = [(i, labels[i]) for i in np.random.default_rng(6).permutation(40).tolist()]
    short, long = (ohm.play(make(g), stream) for g in (graph, wide))
    assert short.predictions == long.predictions
    assert short.margin.tolist() == long.margin.tolist()
    assert short.progress.tolist() == long.progress.tolist()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", LEARNERS)
def test_a_game_does_not_depend_on_the_width(name: str, weighted: bool) -> None:
    the_same_game(LEARNERS[name], weighted)


@pytest.mark.slow  # compiles these learners for graphs that no other test has
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", COMPILED_OVER_ROWS)
def test_nor_where_the_rows_themselves_are_walked(name: str, weighted: bool) -> None:
    the_same_game(COMPILED_OVER_ROWS[name], weighted)


def test_graphs_of_both_widths_are_one_graph() -> None:
    graph, wide, _ = both_widths(True)
    assert graph == wide
    assert hash(graph) == hash(wide)
    assert graph.fingerprint == wide.fingerprint
    assert graph.component_of.tolist() == wide.component_of.tolist()
    assert all(ends.dtype == np.int64 for ends in (*graph.edges()[:2], *wide.edges()[:2]))
    assert (graph.laplacian() != wide.laplacian()).nnz == 0
    assert np.shares_memory(graph.adjacency.indices, graph.indices)
    again = ohm.Graph(graph.adjacency, graph.nodes)
    assert again.indices.dtype == np.int32
    assert not np.shares_memory(again.indices, graph.indices)
