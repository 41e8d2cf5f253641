"""The exact scores of `LocalLGC` by a block solve through the array module, against the dense solution."""

from __future__ import annotations

import numpy as np
import pytest

import ohmline as ohm
from ohmline.device import Device, choose
from ohmline.errors import DeviceError, MissingExtra, OhmlineError, ParameterError
from ohmline.learn.local_lgc.exact_device import solved_on


@pytest.fixture(params=["cpu", "gpu"])
def device(request: pytest.FixtureRequest) -> Device:
    try:
        return choose(request.param)
    except OhmlineError as error:
        pytest.skip(f"no GPU here: {error}")


def learner_of(kind: str) -> ohm.LocalLGC:
    rng = np.random.default_rng(4)
    ends = rng.integers(60, size=(240, 2))
    ends = np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1), axis=0)
    weights = np.ones(len(ends)) if kind == "plain" else rng.uniform(0.2, 3.0, len(ends))
    if kind == "signed":
        weights[::5] *= -1
    edges = [(int(a), int(b), float(w)) for (a, b), w in zip(ends, weights, strict=True)]
    graph = ohm.Graph.from_edges(edges, nodes=range(62), signed=kind == "signed")
    learner = ohm.LocalLGC(graph)
    for node in rng.permutation(60)[:15].tolist():
        learner.learn_one(node, f"class {node % 6}")
    learner.learn_one(3, "class 1")
    learner.forget_one(3)
    return learner


@pytest.mark.parametrize("kind", ["plain", "weighted", "signed"])
def test_scores_are_those_of_the_dense_solution(device: Device, kind: str) -> None:
    learner = learner_of(kind)
    graph, wide = learner.graph, len(learner.classes)
    q = graph.laplacian().toarray() / learner.unit + learner.ridge * np.eye(graph.n)
    labels = learner.state.label[: graph.n]
    b = np.zeros((graph.n, wide))
    known = np.flatnonzero(labels >= 0)
    q[known, known] += 1 / learner.mu
    b[known, labels[known]] = 1 / learner.mu
    wanted = np.linalg.solve(q, b)
    scores, error = solved_on(device, learner.space, learner.state, np.zeros((graph.n, wide)))
    assert (np.abs(scores - wanted) <= error[:, None] + 1e-15).all()
    assert error.max() < 1e-3
    begun = learner.state.estimate[: graph.n, :wide].copy()
    again, _ = solved_on(device, learner.space, learner.state, begun)
    np.testing.assert_allclose(again, wanted, atol=1e-3)
    np.testing.assert_array_equal(begun, learner.state.estimate[: graph.n, :wide])


def test_both_ways_agree_within_what_is_proven(device: Device) -> None:
    learner = learner_of("plain")
    before = learner.snapshot()
    compiled = learner.exact_many()
    wide = len(learner.classes)
    scores, error = solved_on(device, learner.space, learner.state, learner.state.estimate[:62, :wide])
    assert (np.abs(scores - compiled.scores) <= (error + compiled.error)[:, None]).all()
    found = learner.exact_many([5, 6, 61], device=device)
    np.testing.assert_allclose(found.scores, compiled.scores[[5, 6, 61]], atol=1e-3)
    assert found.codes[2] == -1  # no label reaches it
    after = learner.snapshot()
    assert all(np.array_equal(before[name], after[name]) for name in before)


def test_nothing_learned_is_nothing_to_solve(device: Device) -> None:
    learner = ohm.LocalLGC(ohm.Graph.from_edges([(0, 1), (1, 2)]), classes=["a", "b"])
    scores, error = solved_on(device, learner.space, learner.state, np.zeros((3, 2)))
    assert not scores.any()
    assert error.max() < 1e-12


def test_a_wrong_device_is_named() -> None:
    learner = learner_of("plain")
    with pytest.raises(ParameterError, match="device must be one of"):
        learner.exact_many(device="tpu")
    try:
        choose("gpu")
    except OhmlineError:
        with pytest.raises((MissingExtra, DeviceError)):
            learner.exact_many(device="gpu")
