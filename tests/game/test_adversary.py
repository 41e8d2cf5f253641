"""The adversary forces a mistake in every trial and never breaks its word."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import ohmline as ohm
from graphs import games
from ohmline.bound import PerceptronBound
from ohmline.errors import LabelError, LearnerError, ParameterError, ShapeError
from ohmline.game import play_adversary


def line_class(n: int) -> np.ndarray:
    """The labellings of a line whose cut is exactly 1."""
    steps = np.array([[1] * k + [-1] * (n - k) for k in range(1, n)])
    return np.vstack([steps, -steps])


def perceptron(graph: ohm.Graph, b: float = 1.0) -> ohm.Perceptron:
    return ohm.Perceptron(ohm.LaplacianKernel(graph) + ohm.Constant(b))


@given(games(max_nodes=7))
def test_every_trial_is_charged_and_some_concept_stays_true(game: tuple) -> None:
    graph, _, u = game
    rng = np.random.default_rng(graph.n)
    concepts = np.vstack([u, rng.choice([-1, 1], size=(5, graph.n))])
    learner = perceptron(graph)
    trace = play_adversary(learner, concepts)
    assert trace.charged.all()
    assert trace.asked_at.all()
    places = graph.nodes.positions(trace.nodes)
    alive = (concepts[:, places] == np.array(trace.labels, dtype=int)).all(axis=1)
    assert alive.any()
    # It stopped because the learner now agrees with every concept still in play, everywhere.
    margins = np.array([learner.margin_one(node) for node in graph.nodes])
    assert (margins * concepts[alive] > 0).all()
    certificate = PerceptronBound().certify(trace, concepts[alive][0])
    assert certificate.proven
    assert certificate.charged == len(trace) <= certificate.value + 1e-9


@given(games(max_nodes=8))
def test_its_trace_is_that_of_the_ordinary_game(game: tuple) -> None:
    graph, _, u = game
    forced = play_adversary(perceptron(graph), u)
    again = ohm.play(perceptron(graph), forced.stream)
    assert again.predictions == forced.predictions
    np.testing.assert_array_equal(again.margin, forced.margin)
    np.testing.assert_array_equal(again.updated, forced.updated)
    np.testing.assert_array_equal(again.progress, forced.progress)


def test_it_stops_at_the_limit() -> None:
    graph = ohm.graph.generate.line(8).graph
    assert len(play_adversary(perceptron(graph), line_class(8), limit=3)) == 3
    assert len(play_adversary(perceptron(graph), line_class(8), limit=0)) == 0


def test_bad_input_is_refused() -> None:
    graph = ohm.graph.generate.line(4).graph
    with pytest.raises(ShapeError, match="all 4 nodes"):
        play_adversary(perceptron(graph), [1, -1])
    with pytest.raises(ShapeError, match="one per row"):
        play_adversary(perceptron(graph), np.empty((0, 4)))
    with pytest.raises(LabelError, match="everywhere"):
        play_adversary(perceptron(graph), [1, -1, 0, 1])
    with pytest.raises(ParameterError, match="limit"):
        play_adversary(perceptron(graph), [1, -1, 1, 1], limit=-1)
    many = ohm.OneVsRest(lambda: perceptron(graph))
    with pytest.raises(LearnerError, match="binary learner"):
        play_adversary(many, [1, 1, 1, 1])
