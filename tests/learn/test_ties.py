"""What counts as a margin of 0: a tie is a tie whatever the scale, and whatever was added and taken away before."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import ohmline as ohm

PAIR = ohm.Graph.from_edges([(0, 1)])
PATH = ohm.Graph.from_edges([(0, 1), (1, 2), (2, 3)])


def test_a_hypothesis_that_came_back_to_zero_ties() -> None:
    learner = ohm.Perceptron(ohm.LaplacianKernel(PAIR))
    trace = ohm.play(learner, ohm.Stream([1, 0, 1], [1, 1, 1]))
    assert trace.margin.tolist()[0] == 0.0
    assert trace.margin.tolist()[2] == 0.0  # v_1 + v_0 = 0


@pytest.mark.parametrize("scale", [1e-200, 1e-150, 1.0, 1e150, 1e200])
@pytest.mark.parametrize(
    "make",
    [ohm.Perceptron, ohm.Projection.one_proj, ohm.Projection.c_proj, ohm.Projection.min_norm, ohm.Pounce],
)
def test_a_game_does_not_depend_on_the_unit_of_the_weights(make: Any, scale: float) -> None:
    scaled = ohm.Graph.from_edges([(0, 1, scale), (1, 2, scale), (2, 3, scale)])
    stream = ohm.Stream([0, 3, 1, 2, 0, 1, 2, 3], [1, -1, 1, -1, 1, 1, -1, -1])

    def predicted(graph: ohm.Graph) -> Any:
        bias = 0.1 / float(graph.weights[0])
        trace = ohm.play(make(ohm.LaplacianKernel(graph) + ohm.Constant(bias)), stream)
        return trace.predictions, (trace.margin == 0).tolist(), trace.updated.tolist()

    assert predicted(scaled) == predicted(PATH)


def test_online_lgc_at_rank_one_ties_where_its_weight_is_zero() -> None:
    """One feature m = 1: after +1 and -1 the exact weight is 0, and w comes back to it through rounding."""
    for mu in (Fraction(1, 10), Fraction(1, 3), Fraction(7, 5)):
        kernel = ohm.SpectralKernel(PAIR, rank=1)  # the constant: both nodes have the same feature
        learner = ohm.OnlineLGC(kernel, mu=float(mu), mistake_driven=False)
        trace = ohm.play(learner, ohm.Stream([0, 1] * 6, [1, -1] * 6))
        # Before an odd trial as many +1 as -1 were learned, so the exact weight is 0.
        assert trace.margin[::2].tolist() == [0.0] * 6
        assert np.all(trace.margin[1::2] > 0)


def test_minimum_norm_fits_what_can_be_fitted_across_a_weak_bridge() -> None:
    graph = ohm.Graph.from_edges([(0, 1, 10.0), (1, 2, 1e-10), (2, 3, 10.0)])
    labels = [1, -1, 1, -1]
    learner = ohm.Projection.min_norm(ohm.LaplacianKernel(graph) + ohm.Constant(1.0))
    for node, label in enumerate(labels):
        learner.learn_one(node, label)
    assert [learner.margin_one(node) for node in range(4)] == pytest.approx(labels, abs=1e-4)
    cyclic = ohm.Projection.c_proj(ohm.LaplacianKernel(graph) + ohm.Constant(1.0))
    with pytest.raises(ohm.OhmlineError, match=r"millions of steps.*use Projection\.min_norm"):
        ohm.play(cyclic, ohm.Stream(range(4), labels))


def test_minimum_norm_still_refuses_what_the_kernel_cannot_say() -> None:
    learner = ohm.Projection.min_norm(ohm.LaplacianKernel(PATH))
    for node in (0, 1, 2):
        learner.learn_one(node, 1)
    with pytest.raises(ohm.OhmlineError, match="add a Constant"):
        learner.learn_one(3, 1)
