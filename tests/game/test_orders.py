"""Many orders at once against `play`, one order at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ohmline as ohm
from ohmline.device import Device, choose
from ohmline.errors import LabelError, LearnerError, OhmlineError, ParameterError, ShapeError, UnknownNode
from ohmline.game import play_orders

N, MANY = 40, 12


@pytest.fixture(params=["cpu", "gpu"])
def device(request: pytest.FixtureRequest) -> Device:
    try:
        return choose(request.param)
    except OhmlineError as error:
        pytest.skip(f"no GPU here: {error}")


def ring() -> ohm.Graph:
    names = [f"n{k}" for k in range(N)]
    rng = np.random.default_rng(0)
    chords = [(names[a], names[b]) for a, b in rng.integers(0, N, (15, 2)) if a != b]
    return ohm.Graph.from_edges([(names[k], names[(k + 1) % N]) for k in range(N)] + chords)


GRAPH = ring()
LEARNERS: dict[str, Callable[[], Any]] = {
    "Perceptron, dense": lambda: ohm.Perceptron(ohm.LaplacianKernel(GRAPH) + ohm.Constant(0.3)),
    "Perceptron, ridge": lambda: ohm.Perceptron(ohm.SpectralKernel(GRAPH, 6) + ohm.Ridge(0.1)),
    "Perceptron, features": lambda: ohm.Perceptron(ohm.SpectralKernel(GRAPH, 6)),
    "OnlineLGC": lambda: ohm.OnlineLGC(ohm.SpectralKernel(GRAPH, 6)),
    "OnlineLGC, every label": lambda: ohm.OnlineLGC(ohm.SpectralKernel(GRAPH, 6), mistake_driven=False),
    "SharedLGC": lambda: ohm.SharedLGC(ohm.SpectralKernel(GRAPH, 6)),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_as_play_does(name: str, device: Device) -> None:
    rng = np.random.default_rng(1)
    nodes = list(GRAPH.nodes)
    words = ["a", "b", "c"] if name == "SharedLGC" else [-1, 1]
    truth = {node: words[k * len(words) // N] for k, node in enumerate(nodes)}
    for node in rng.choice(N, 5, replace=False):
        truth[nodes[node]] = words[0]
    orders = [[nodes[k] for k in rng.integers(0, N, 60)] for _ in range(MANY)]
    played = play_orders(LEARNERS[name](), truth, orders, device=device)
    assert played.mistaken.shape == (MANY, 60)
    for order, mistaken in zip(orders, played.mistaken, strict=True):
        learner = LEARNERS[name]()
        for t, node in enumerate(order):
            update = learner.learn_one(node, truth[node])
            assert bool(mistaken[t]) == update.mistake, (t, node)
    np.testing.assert_array_equal(played.mistakes, played.mistaken.sum(axis=1))
    np.testing.assert_allclose(played.error_rates, played.mistakes / 60)


def test_bad_input() -> None:
    learner = LEARNERS["Perceptron, dense"]()
    truth = dict.fromkeys(GRAPH.nodes, 1)
    with pytest.raises(UnknownNode, match="nobody"):
        play_orders(learner, truth, [["n0", "nobody"]])
    with pytest.raises(LabelError, match=r"'n1'.*no label"):
        play_orders(learner, {"n0": 1}, [["n0", "n1"]])
    with pytest.raises(LabelError, match="-1 and 1"):
        play_orders(learner, {"n0": "x"}, [["n0"]])
    with pytest.raises(ShapeError, match="one length"):
        play_orders(learner, truth, [["n0"], ["n0", "n1"]])
    with pytest.raises(ParameterError, match="labels must map"):
        play_orders(learner, [1] * N, [["n0"]])  # type: ignore[arg-type]
    with pytest.raises(LearnerError, match="Perceptron, an OnlineLGC"):
        play_orders(ohm.LocalLGC(GRAPH), truth, [["n0"]])  # type: ignore[arg-type]
    learner.learn_one("n0", -1)
    with pytest.raises(LearnerError, match="fresh"):
        play_orders(learner, truth, [["n0"]])
