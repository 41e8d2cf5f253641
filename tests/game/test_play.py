"""Streams, play and traces."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ohmline as ohm
from graphs import games
from ohmline.errors import LabelError, LearnerError, ParameterError, ShapeError


def line(n: int = 6) -> ohm.Graph:
    return ohm.Graph.from_edges([(k, k + 1) for k in range(n - 1)])


def perceptron(n: int = 6) -> ohm.Perceptron:
    return ohm.Perceptron(ohm.LaplacianKernel(line(n)) + ohm.Constant(1.0))


@given(st.lists(st.sampled_from(["a", "b", None]), max_size=20), st.integers(0, 5))
def test_shuffles_permute_and_repeat_with_the_seed(labels: list[str | None], seed: int) -> None:
    stream = ohm.Stream(range(len(labels)), labels)
    once, again = stream.shuffled(seed), stream.shuffled(seed)
    assert list(once) == list(again)
    assert sorted(once, key=lambda pair: pair[0]) == list(stream)
    assert list(stream.reversed().reversed()) == list(stream)
    assert list(stream.repeated(2)) == list(stream) * 2
    assert list(stream.take(3)) == list(stream)[:3]
    assert list(stream.ordered(range(len(labels)))) == list(stream)


@given(st.integers(0, 1000))
def test_label_noise_turns_trials_and_concept_noise_turns_nodes(seed: int) -> None:
    stream = ohm.Stream(list(range(50)) * 4, ["red", "green", "blue", "red", "green"] * 40)
    noisy = stream.with_label_noise(0.3, seed)
    turned = [a != b for (_, a), (_, b) in zip(stream, noisy, strict=True)]
    assert 20 < sum(turned) < 110
    assert set(noisy.labels) <= {"red", "green", "blue"}
    concept = stream.with_concept_noise(0.3, seed)
    by_node: dict[int, set[object]] = {}
    for x, y in concept:
        by_node.setdefault(x, set()).add(y)
    assert all(len(labels) == 1 for labels in by_node.values())
    assert any(a != b for a, b in zip(stream.labels, concept.labels, strict=True))
    assert stream.with_label_noise(0.0).labels == stream.labels == stream.with_concept_noise(0.0).labels
    assert all(a != b for a, b in zip(stream.labels, stream.with_label_noise(1.0).labels, strict=True))


def test_label_rate_hides_labels_but_still_judges() -> None:
    stream = ohm.Stream(range(1000), [1] * 1000).label_rate(0.2, seed=3)
    assert 150 < sum(y is not None for _, y in stream) < 250
    trace = ohm.play(perceptron(1000), stream)
    assert trace.asked == int(stream.revealed.sum())
    assert trace.known.all()
    assert trace.error_rate == trace.mistakes / 1000


def test_one_class_against_the_rest() -> None:
    stream = ohm.Stream("abcd", ["x", "y", None, "z"])
    assert stream.binary("x").labels == [1, -1, None, -1]
    assert stream.binary({"x", "z"}).labels == [1, -1, None, 1]


def test_a_sudden_drift_is_one_stream_after_another() -> None:
    before, after = ohm.Stream(np.arange(6), [1] * 6), ohm.Stream(np.arange(6), [-1] * 6).label_rate(0.5)
    joined = before.then(after)
    assert joined.labels == before.labels + after.labels
    assert joined.revealed.tolist() == before.revealed.tolist() + after.revealed.tolist()
    assert isinstance(joined.nodes, np.ndarray)
    assert ohm.play(perceptron(), joined).mistakes > 0


def test_breadth_first_reaches_neighbours_before_strangers() -> None:
    graph = line(30)
    order = [x for x, _ in ohm.Stream(range(30), [1] * 30).breadth_first(graph, seed=2)]
    start = order[0]
    assert [abs(x - start) for x in order] == sorted(abs(x - start) for x in order)
    assert sorted(order) == list(range(30))


def test_labels_of_every_type() -> None:
    array = ohm.Stream(np.arange(4), np.array([3, 1, 3, 2]))
    assert array.classes == (3, 1, 2)
    assert array.labels == [3, 1, 3, 2]
    assert ohm.Stream([0], np.array(["x"])).labels == ["x"]
    assert ohm.Stream([0, 1], [float("nan"), 1.0]).labels == [None, 1.0]
    assert ohm.Stream([0, 1], np.array([np.nan, 1.0])).labels == [None, 1.0]


@given(games())
def test_the_trace_counts_what_happened(game) -> None:
    graph, stream, _ = game
    trace = ohm.play(ohm.Perceptron(ohm.LaplacianKernel(graph) + ohm.Constant(1.0)), stream)
    wrong = [p != y for p, (_, y) in zip(trace.predictions, stream, strict=True)]
    assert trace.mistake.tolist() == wrong
    assert trace.mistakes == sum(wrong)
    assert trace.mistake_curve.tolist() == np.cumsum(wrong).tolist()
    assert [trace.future_mistakes(t) for t in range(len(trace) + 1)] == [
        sum(wrong[t:]) for t in range(len(trace) + 1)
    ]
    table = trace.per_class()
    assert sum(row["mistakes"] for row in table.values()) == trace.mistakes
    assert sum(row["trials"] for row in table.values()) == len(trace)
    assert (trace.charged >= trace.mistake).all()


def test_the_trace_as_a_frame() -> None:
    frame = ohm.play(perceptron(), ohm.Stream(range(6), [1, 1, 1, -1, -1, None])).to_frame()
    assert frame.height == 6
    assert frame["label"].to_list() == ["1", "1", "1", "-1", "-1", None]
    assert frame.columns[:4] == ["trial", "node", "label", "prediction"]


def test_any_iterable_of_pairs_will_do() -> None:
    assert ohm.play(perceptron(), ((k, 1) for k in range(6))).mistakes == 0
    assert len(ohm.play(perceptron(), [])) == 0
    assert ohm.play(perceptron(), []).error_rate == 0.0


def test_progress_adds_up_to_the_trials() -> None:
    nodes = ohm.Stream(list(range(6)) * 1000, [1] * 6000)
    points = ohm.Stream(np.random.default_rng(0).standard_normal((5000, 2)), [1, -1] * 2500)
    for compiled in (True, False):
        for learner, stream in ((perceptron(), nodes), (ohm.OnlineManifold(), points)):
            told: list[int] = []
            ohm.play(learner, stream, compiled=compiled, progress=told.append)
            assert sum(told) == len(stream)
            assert len(told) > 1


@pytest.mark.parametrize("compiled", [True, False])
def test_queries_ask_as_they_say(compiled: bool) -> None:
    stream = ohm.Stream(list(range(6)) * 100, [1, 1, 1, -1, -1, -1] * 100)
    rate = ohm.play(perceptron(), stream, ohm.RandomRate(0.25), seed=5, compiled=compiled)
    assert 100 < rate.asked < 200
    again = ohm.play(perceptron(), stream, ohm.RandomRate(0.25), seed=5, compiled=compiled)
    assert (rate.asked_at == again.asked_at).all()
    assert ohm.play(perceptron(), stream, ohm.Budget(ohm.Always(), 7), compiled=compiled).asked == 7
    assert ohm.play(perceptron(), stream, ohm.Budget(ohm.RandomRate(0.5), 0), compiled=compiled).asked == 0


@pytest.mark.parametrize("compiled", [True, False])
def test_a_query_that_needs_a_variance_says_so(compiled: bool) -> None:
    for query in (ohm.VarianceAbove(0.4), ohm.Budget(ohm.GapBelow(), 3)):
        with pytest.raises(LearnerError, match="knows its own variance"):
            ohm.play(perceptron(), ohm.Stream([0], [1]), query, compiled=compiled)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: ohm.Stream([1, 2], [1]), ShapeError, "2 nodes and 1 labels"),
        (lambda: ohm.Stream([1], [[1]]), LabelError, "not hashable"),
        (lambda: ohm.Stream([1], [1]).with_label_noise(1.5), ParameterError, "between 0 and 1, got 1.5"),
        (lambda: ohm.Stream([1], [1]).ordered([1]), ParameterError, "from 0 to 0"),
        (lambda: ohm.RandomRate(-0.1), ParameterError, "between 0 and 1"),
        (lambda: ohm.Budget(ohm.Always(), -1), ParameterError, "at least 0, got -1"),
        (lambda: ohm.Budget("always", 3), ParameterError, "wraps a stream query"),
        (lambda: ohm.GapBelow(-1), ParameterError, "at least 0"),
        (lambda: ohm.play(perceptron(), [(0, 1)], query="always"), LearnerError, "a query on a stream"),
        (lambda: ohm.play(perceptron(), []).future_mistakes(1), ParameterError, "the 0 trials played"),
    ],
)
def test_bad_input(make, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


def test_a_dict_of_labels_is_refused_with_what_to_write_instead() -> None:
    learner = ohm.LocalLGC(ohm.Graph.from_edges([("ab", "cd")]))  # ids of two letters look like pairs
    with pytest.raises(ParameterError, match=r"comes in an order.*list\(labels.items\(\)\)"):
        ohm.play(learner, {"ab": "x", "cd": "y"})
    assert ohm.play(learner, {"ab": 0, "cd": 1}, oracle={"ab": "x", "cd": "y"}.get).asked == 2
