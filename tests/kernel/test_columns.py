"""Columns on demand: fetched when they are read, never read when they are not there."""

from __future__ import annotations

import numpy as np
import pytest

import ohmline as ohm
from ohmline.errors import KernelError
from ohmline.kernel.space import MissingColumn, entry_at

GRAPH = ohm.graph.generate.random_geometric(60, 0.25, seed=3)
STREAM = ohm.Stream(range(60), GRAPH.labels).shuffled(seed=2).repeated(2)


def test_a_column_that_is_not_there_is_an_error() -> None:
    kernel = ohm.SolverKernel(GRAPH.graph)
    space = kernel.space
    with pytest.raises(MissingColumn, match="not been fetched"):
        entry_at(space, 3, 4)
    assert space.wanted() == ([3], [3])
    with pytest.raises(MissingColumn, match="column 5"):
        space.column(5)
    kernel.fetch(3)
    assert entry_at(space, 3, 4) == entry_at(space, 4, 3) == kernel.entry(3, 4)


@pytest.mark.parametrize("make", [ohm.Perceptron, ohm.Pounce, ohm.PassiveAggressive, ohm.Projection.one_proj])
@pytest.mark.parametrize("columns", [2, 5, 60])
def test_a_game_is_the_same_however_few_columns_fit(make: object, columns: int) -> None:
    dense = ohm.play(make(ohm.LaplacianKernel(GRAPH.graph) + ohm.Constant(0.3)), STREAM)
    lazy = ohm.SolverKernel(GRAPH.graph, b=0.3, columns=columns)
    compiled = ohm.play(make(lazy), STREAM)
    events = ohm.play(make(lazy), STREAM, compiled=False)
    assert compiled.predictions == events.predictions == dense.predictions
    np.testing.assert_allclose(compiled.margin, dense.margin, atol=1e-7)
    np.testing.assert_array_equal(compiled.margin, events.margin)


def test_two_columns_are_enough_for_cyclic_projections() -> None:
    few = ohm.Projection.c_proj(ohm.SolverKernel(GRAPH.graph, b=0.3, columns=2))
    dense = ohm.Projection.c_proj(ohm.LaplacianKernel(GRAPH.graph) + ohm.Constant(0.3))
    assert ohm.play(few, STREAM).predictions == ohm.play(dense, STREAM).predictions


def test_columns_that_do_not_fit_together_are_refused_with_the_remedy() -> None:
    kernel = ohm.SolverKernel(GRAPH.graph, b=0.3, columns=2)
    with pytest.raises(KernelError, match=r"3 columns at once do not fit into the 2 .*columns=3"):
        kernel.fetch(0, 1, 2)
    asked = {0, 1}
    kernel.fetch(0, 1)
    kernel.fetch(2, 3)
    kernel.space.missing[:] = 0, -1
    with pytest.raises(KernelError, match=r"reads more columns than the 2 .*columns=4"):
        kernel.supply(asked)


def test_learners_that_need_features_say_so() -> None:
    for make in (ohm.OnlineLGC, ohm.SharedLGC):
        with pytest.raises(KernelError, match="columns on demand; use SpectralKernel"):
            make(ohm.SolverKernel(GRAPH.graph))


def test_iterated_columns_know_lengths_only_where_they_were_read() -> None:
    kernel = ohm.SolverKernel(GRAPH.graph, b=0.3, fill_limit=0)
    dense = ohm.LaplacianKernel(GRAPH.graph) + ohm.Constant(0.3)
    lazy = ohm.play(ohm.Perceptron(kernel), STREAM)
    assert lazy.predictions == ohm.play(ohm.Perceptron(dense), STREAM).predictions
    assert (
        0 < int(np.isnan(kernel.space.diagonal).sum()) < 60
    )  # one column per mistake, not one per prediction


def test_the_values_of_an_interpolant_over_columns() -> None:
    labels = {0: 1, 30: -1, 55: 1}
    lazy = ohm.Projection.min_norm(ohm.SolverKernel(GRAPH.graph, b=0.3, columns=2))
    dense = ohm.Projection.min_norm(ohm.LaplacianKernel(GRAPH.graph) + ohm.Constant(0.3))
    for node, label in labels.items():
        lazy.learn_one(node, label)
        dense.learn_one(node, label)
    np.testing.assert_allclose(lazy.values(), dense.values(), atol=1e-8)
