"""The passive-aggressive perceptron against its box, written with a dense kernel matrix."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from graphs import games
from ohmline.errors import ParameterError


def literal(kernel: np.ndarray, trials: list[tuple[int, int]], limit: float) -> list[tuple[float, float]]:
    """(margin, step) of every trial: PA-I as its figure has it."""
    alpha = np.zeros(len(kernel))
    out = []
    for i, y in trials:
        margin = float(kernel[i] @ alpha)
        loss = max(0.0, 1.0 - y * margin)
        step = min(limit, loss / kernel[i, i]) if loss > 0 else 0.0
        alpha[i] += y * step
        out.append((margin, step))
    return out


@settings(max_examples=40)
@given(games(), st.sampled_from([math.inf, 1.0, 0.2]))
def test_every_trial_equals_the_box(game: tuple[ohm.Graph, ohm.Stream, np.ndarray], limit: float) -> None:
    graph, stream, _ = game
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(0.5)
    trace = ohm.play(ohm.PassiveAggressive(kernel, limit), stream)
    trials = list(zip(graph.nodes.positions(stream.nodes).tolist(), stream.labels, strict=True))
    matrix = kernel.space.dense()
    for t, (margin, step) in enumerate(literal(matrix, trials, limit)):
        assert trace.margin[t] == pytest.approx(margin, abs=1e-9)
        assert trace.progress[t] == pytest.approx(step**2 * matrix[trials[t][0], trials[t][0]], abs=1e-9)


def test_without_a_limit_a_label_is_met_in_full() -> None:
    kernel = ohm.LaplacianKernel(ohm.graph.generate.line(9).graph) + ohm.Constant(1.0)
    learner = ohm.PassiveAggressive(kernel)
    for node, label in [(0, 1), (8, -1), (3, -1)]:
        learner.learn_one(node, label)
        assert label * learner.margin_one(node) >= 1 - 1e-12


def test_bad_parameters_are_named() -> None:
    kernel = ohm.LaplacianKernel(ohm.graph.generate.line(3).graph)
    for bad in (0.0, -1.0, float("nan"), "much"):
        with pytest.raises(ParameterError, match="aggressiveness"):
            ohm.PassiveAggressive(kernel, bad)
