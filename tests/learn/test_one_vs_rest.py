"""Many classes: late ones are handled as if they had been declared."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import ohmline as ohm
from graphs import games
from ohmline.errors import LabelError, LearnerError

NAMES = [f"class {k}" for k in range(4)]


def many(graph: ohm.Graph, classes: list[str] | None = None) -> ohm.OneVsRest:
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(0.5)
    return ohm.OneVsRest(lambda: ohm.Perceptron(kernel), classes)


@settings(max_examples=30)
@given(games(classes=4))
def test_late_classes_have_the_margins_of_declared_ones(game) -> None:
    graph, stream, _ = game
    late, declared = many(graph), many(graph, NAMES)
    for x, y in stream:
        for name in late.classes:
            assert late.scores_one(x)[name] == declared.scores_one(x)[name]
        if late.classes:
            assert late.predict_one(x) in late.classes
        else:
            assert late.predict_one(x) is None
        late.learn_one(x, y)
        declared.learn_one(x, y)
    assert set(late.classes) == set(stream.classes)


@settings(max_examples=30)
@given(games(classes=3))
def test_predicts_the_largest_of_the_binary_margins(game) -> None:
    graph, stream, _ = game
    trace = ohm.play(many(graph, NAMES[:3]), stream)
    kernel = ohm.LaplacianKernel(graph) + ohm.Constant(0.5)
    margins = np.array(
        [ohm.play(ohm.Perceptron(kernel), stream.binary(n, absent=True)).margin for n in NAMES[:3]]
    )
    assert trace.predictions == [NAMES[k] for k in margins.argmax(axis=0)]


def test_bad_input_changes_nothing() -> None:
    graph = ohm.Graph.from_edges([(0, 1), (1, 2)])
    fixed = many(graph, ["a", "b"])
    fixed.learn_one(0, "a")
    before = fixed.snapshot()
    with pytest.raises(LabelError, match="label 'z' is not among the declared classes"):
        fixed.learn_one(1, "z")
    with pytest.raises(LabelError, match="'z'"):
        ohm.play(fixed, ohm.Stream([0, 1], ["a", "z"]))
    assert all(np.array_equal(before[k], v) for k, v in fixed.snapshot().items())
    with pytest.raises(LabelError, match="declared twice"):
        many(graph, ["a", "a"])
    with pytest.raises(LabelError, match="classes is empty"):
        many(graph, [])
    with pytest.raises(LearnerError, match="what make returns must be a BinaryNodeLearner"):
        ohm.OneVsRest(lambda: None)
    with pytest.raises(LabelError, match="cannot be written into a snapshot"):
        many(graph).learn_one(0, (1, frozenset()))
