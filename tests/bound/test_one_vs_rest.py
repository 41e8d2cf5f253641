"""The bound of many classes, and what is said where there is none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from graphs import games
from ohmline.bound import OneVsRestBound, best_bound
from ohmline.errors import LearnerError


def kernel_of(graph: ohm.Graph) -> ohm.Kernel:
    return ohm.LaplacianKernel(graph) + ohm.Constant(0.5)


@settings(max_examples=40)
@given(
    games(classes=3),
    st.sampled_from([ohm.Perceptron, ohm.Pounce, ohm.Projection.one_proj]),
    st.booleans(),
    st.booleans(),
)
def test_never_beaten(
    game: tuple[ohm.Graph, ohm.Stream, np.ndarray], member: object, fixed: bool, live: bool
) -> None:
    graph, stream, labelling = game
    kernel = kernel_of(graph)
    classes = sorted(set(stream.classes)) if fixed else None
    trace = ohm.play(ohm.OneVsRest(lambda: member(kernel), classes), stream.label_rate(0.9))
    certificate = OneVsRestBound().certify(trace, None if live else labelling.tolist())
    wrong = int((trace.mistake & trace.asked_at).sum())
    assert certificate.valid
    assert wrong <= certificate.charged <= certificate.value * (1 + 1e-9) + 1e-9
    best = best_bound(trace, None if live else labelling.tolist())
    assert best.value == min(certificate.value, trace.asked)


def test_a_learner_that_had_learned_before_is_noticed() -> None:
    graph = ohm.graph.generate.line(12).graph
    many = ohm.OneVsRest(lambda: ohm.Perceptron(kernel_of(graph)), classes=["a", "b", "c"])
    for node in range(12):
        many.learn_one(node, "c")
    trace = ohm.play(many, ohm.Stream(range(12), ["a"] * 4 + ["b"] * 8))
    assert not OneVsRestBound().certify(trace).valid


def test_a_learner_without_a_theorem_is_told_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ohmline.bound.best.MANY_SOLVES", 0)
    graph = ohm.graph.generate.line(6).graph
    trace = ohm.play(ohm.LocalLGC(graph), ohm.Stream(range(6), "aaabbb"))
    with pytest.raises(LearnerError, match=r"no theorem here is about LocalLGC.*certain_one") as error:
        best_bound(trace)
    assert "best_bound" not in str(error.value)
    nearest = ohm.play(ohm.NearestNeighbour(graph), ohm.Stream(range(6), [1, 1, 1, -1, -1, -1]))
    with pytest.raises(LearnerError, match=r"it erred in \d+ of 6 trials"):
        best_bound(nearest)
