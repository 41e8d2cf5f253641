"""SharedLGC against ridge regression onto one-vs-rest targets, solved afresh at every trial."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ohmline as ohm
from graphs import games
from ohmline.check import Subject
from ohmline.errors import LabelError, ParameterError, UnknownNode

NAMES = ("red", "green", "blue", "black")


def kernel_of(graph: ohm.Graph) -> ohm.Kernel:
    return ohm.SpectralKernel(graph, rank=graph.n, shift=0.1)


@settings(max_examples=30)
@given(game=games(classes=4, connected=True, min_nodes=3), mu=st.sampled_from([0.01, 0.3, 2.0]))
def test_equals_ridge_regression_on_each_class(
    game: tuple[ohm.Graph, ohm.Stream, np.ndarray], mu: float
) -> None:
    graph, stream, _ = game
    kernel = kernel_of(graph)
    rows = kernel.space.rows[graph.nodes.positions(stream.nodes)]
    learner = ohm.SharedLGC(kernel, mu=mu)
    past: list[str] = []
    for t, (x, y) in enumerate(stream):
        scores = learner.scores_one(x)
        assert set(scores) == set(past)
        a = mu * np.eye(rows.shape[1]) + rows[:t].T @ rows[:t]
        for label, score in scores.items():
            target = np.array([1.0 if z == label else -1.0 for z in past])
            assert score == pytest.approx(float(rows[t] @ np.linalg.solve(a, rows[:t].T @ target)), abs=1e-8)
        view = learner.view_one(x)
        q = float(rows[t] @ np.linalg.solve(a, rows[t]))
        assert learner.variance_one(x) == pytest.approx(q / (1 + q), abs=1e-9)
        ranked = sorted(scores.values(), reverse=True)
        if len(ranked) > 1:
            assert view.margin == pytest.approx(ranked[0] - ranked[1], abs=1e-7)
            assert scores[view.prediction] == pytest.approx(ranked[0], abs=1e-7)
        learner.learn_one(x, y)
        past.append(y)


def test_two_classes_are_the_binary_learner() -> None:
    rng = np.random.default_rng(4)
    graph = ohm.Graph.from_edges([(k, (k + 1) % 15) for k in range(15)] + [(0, 7), (3, 11), (5, 9)])
    kernel = ohm.SpectralKernel(graph, rank=9)
    stream = ohm.Stream(rng.integers(15, size=40), rng.choice([-1, 1], size=40))
    binary = ohm.play(ohm.OnlineLGC(kernel, 0.2, mistake_driven=False), stream)
    shared = ohm.play(ohm.SharedLGC(kernel, [-1, 1], 0.2), stream)
    both = np.flatnonzero(np.array([len(set(binary.labels[:t])) == 2 for t in range(40)]))
    assert [shared.predictions[t] for t in both] == [binary.predictions[t] for t in both]
    np.testing.assert_allclose(shared.margin[both], 2 * np.abs(binary.margin[both]), atol=1e-9)


@settings(max_examples=25)
@given(game=games(classes=4))
def test_late_classes_are_as_if_declared(game: tuple[ohm.Graph, ohm.Stream, np.ndarray]) -> None:
    graph, stream, _ = game
    kernel = kernel_of(graph)
    declared = ohm.SharedLGC(kernel, [f"class {k}" for k in (3, 1, 0, 2)])
    late = ohm.SharedLGC(kernel)
    a, b = ohm.play(declared, stream), ohm.play(late, stream)
    assert a.predictions == b.predictions
    assert a.predictions[0] is None
    np.testing.assert_array_equal(a.margin, b.margin)
    np.testing.assert_array_equal(a.progress, b.progress)
    for t, said in enumerate(b.predictions):
        assert said is None if t == 0 else said in b.labels[:t]
    assert late.classes == tuple(dict.fromkeys(b.labels))
    assert late.scores_one(graph.nodes[0]) == pytest.approx(declared.scores_one(graph.nodes[0]))


@settings(max_examples=15)
@given(data=st.data())
def test_keeps_the_laws(data: st.DataObject) -> None:
    classes = data.draw(st.sampled_from([None, ["class 2", "class 0", "class 1"]]))
    subject = Subject(
        make=lambda g: ohm.SharedLGC(kernel_of(g), classes, 0.5),
        restore=lambda state, g: ohm.SharedLGC.restore(state, kernel_of(g)),
    )
    graph, stream, _ = data.draw(games(classes=3, named=data.draw(st.booleans())))
    query = data.draw(st.sampled_from([ohm.Always(), ohm.RandomRate(0.5), ohm.GapBelow(0.3)]))
    ohm.check.learner(subject, graph, stream.label_rate(0.8), query=query)


def test_a_class_that_nobody_asked_for_is_forgotten() -> None:
    graph = ohm.Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    learner = ohm.SharedLGC(kernel_of(graph))
    ohm.play(learner, ohm.Stream([0, 1, 2, 3], NAMES), ohm.Budget(ohm.Always(), labels=2))
    assert learner.classes == ("red", "green")
    learner.learn_one(3, "black")
    assert learner.classes == ("red", "green", "black")
    assert learner.predict_one(3) == "black"


def test_one_vs_rest_runs_the_paper_s_form() -> None:
    rng = np.random.default_rng(1)
    graph = ohm.Graph.from_edges([(k, k + 1) for k in range(29)])
    kernel = ohm.SpectralKernel(graph, rank=8)
    labels = np.array(NAMES)[np.arange(30) // 10]
    stream = ohm.Stream(rng.permutation(30), labels).ordered(rng.permutation(30))
    many = ohm.OneVsRest(lambda: ohm.OnlineLGC(kernel, 0.1))
    trace = ohm.play(many, ohm.Stream(stream.nodes, labels[np.asarray(stream.nodes)]))
    alone = ohm.OnlineLGC(kernel, 0.1)
    ohm.play(alone, ohm.Stream(trace.nodes, np.where(np.array(trace.labels) == "green", 1, -1)))
    for x in range(30):
        assert many.scores_one(x)["green"] == pytest.approx(alone.margin_one(x), abs=1e-12)
    assert trace.mistakes < 20


@settings(max_examples=10)
@given(data=st.data())
def test_one_vs_rest_keeps_the_laws(data: st.DataObject) -> None:
    subject = Subject(
        make=lambda g: ohm.OneVsRest(lambda: ohm.OnlineLGC(kernel_of(g))),
        restore=lambda state, g: ohm.OneVsRest.restore(state, lambda: ohm.OnlineLGC(kernel_of(g))),
    )
    graph, stream, _ = data.draw(games(classes=3))
    query = data.draw(st.sampled_from([ohm.Always(), ohm.RandomRate(0.5), ohm.VarianceAbove(0.5)]))
    ohm.check.learner(subject, graph, stream, query=query)


def test_bad_input_changes_nothing() -> None:
    graph = ohm.Graph.from_edges([(0, 1), (1, 2)])
    kernel = kernel_of(graph)
    learner = ohm.SharedLGC(kernel, ["red", "green"])
    learner.learn_one(0, "red")
    kept = {name: array.copy() for name, array in learner.snapshot().items()}
    with pytest.raises(LabelError, match="'blue' is not among the declared classes"):
        learner.learn_one(1, "blue")
    with pytest.raises(LabelError, match="'blue' is not among the declared classes"):
        ohm.play(learner, ohm.Stream([1, 2], ["green", "blue"]))
    with pytest.raises(UnknownNode, match="unknown node 7"):
        learner.learn_one(7, "red")
    for name, array in learner.snapshot().items():
        np.testing.assert_array_equal(array, kept[name])
    open_ended = ohm.SharedLGC(kernel)
    with pytest.raises(UnknownNode, match="unknown node 7"):
        open_ended.learn_one(7, "red")
    with pytest.raises(LabelError, match="not hashable"):
        open_ended.learn_one(1, ["red"])
    assert open_ended.classes == ()


def test_bad_options_are_named() -> None:
    kernel = kernel_of(ohm.Graph.from_edges([(0, 1), (1, 2)]))
    with pytest.raises(LabelError, match="declared twice"):
        ohm.SharedLGC(kernel, ["a", "a"])
    with pytest.raises(LabelError, match="classes is empty"):
        ohm.SharedLGC(kernel, [])
    with pytest.raises(ParameterError, match="mu must be"):
        ohm.SharedLGC(kernel, mu=0)


def test_labels_that_no_file_can_hold_are_refused_at_the_door() -> None:
    learner = ohm.SharedLGC(kernel_of(ohm.Graph.from_edges([(0, 1)])))
    with pytest.raises(LabelError, match="cannot be written into a snapshot"):
        learner.learn_one(0, ("a", 1))
    assert learner.classes == ()
