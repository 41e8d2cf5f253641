"""Measures of predictions agree with scikit-learn's, rare classes included."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

import ohmline as ohm
from ohmline.errors import LabelError, ParameterError, ShapeError, UnknownNode
from ohmline.game.measures import in_order, measures_of
from ohmline.game.ranking import average_precision, precision_at

SCORES = st.lists(
    st.tuples(st.booleans(), st.sampled_from([-2.0, -0.5, 0.0, 0.25, 1.0, 3.0])), min_size=1, max_size=40
)


@given(SCORES)
def test_average_precision_is_that_of_scikit_learn(pairs: list[tuple[bool, float]]) -> None:
    member, score = np.array([m for m, _ in pairs]), np.array([s for _, s in pairs])
    if member.any():
        assert average_precision(member, score) == pytest.approx(
            metrics.average_precision_score(member, score)
        )
    else:
        assert average_precision(member, score) == 0.0


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 2)), min_size=1, max_size=6), st.integers(1, 8))
def test_precision_at_k_is_the_mean_over_every_order_of_equal_scores(
    pairs: list[tuple[bool, int]], k: int
) -> None:
    member, score = np.array([m for m, _ in pairs]), np.array([float(s) for _, s in pairs])
    orders = [order for order in permutations(range(len(pairs))) if all(np.diff(score[list(order)]) <= 0)]
    brute = np.mean([member[list(order)[:k]].mean() for order in orders])
    assert precision_at(member, score, k) == pytest.approx(brute)


def test_nothing_to_rank() -> None:
    nothing = np.zeros(0, dtype=bool), np.zeros(0)
    assert average_precision(*nothing) == 0.0
    assert precision_at(*nothing, 3) == 0.0


LABELS = st.sampled_from(["a", "b", "c", None])


@given(st.lists(st.tuples(LABELS, LABELS), max_size=30))
def test_recall_precision_and_confusion_are_those_of_scikit_learn(pairs: list[tuple[Any, Any]]) -> None:
    truth, said = [y for y, _ in pairs], [p for _, p in pairs]
    found = measures_of(truth, said, {}, ranked=True, k=None)
    judged = [(y, "?" if p is None else p) for y, p in pairs if y is not None]
    if not judged:
        assert (found.judged, found.mistakes, found.accuracy, found.per_class) == (0, 0, 0.0, {})
        return
    y, p = [a for a, _ in judged], [b for _, b in judged]
    classes = list(found.confusion.classes)
    theirs = metrics.confusion_matrix(y, p, labels=[*classes, "?"])
    np.testing.assert_array_equal(found.confusion.counts, theirs[:-1])
    assert found.accuracy == pytest.approx(metrics.accuracy_score(y, p))
    assert found.unsure == p.count("?")
    here = sorted(set(y))
    recall = metrics.recall_score(y, p, labels=here, average=None, zero_division=0)
    precision = metrics.precision_score(y, p, labels=here, average=None, zero_division=0)
    for k, label in enumerate(here):
        assert found.per_class[label]["recall"] == pytest.approx(recall[k])
        assert found.per_class[label]["precision"] == pytest.approx(precision[k])
    assert found.balanced_accuracy == pytest.approx(np.mean(recall))


def rare_game(share: int = 60) -> ohm.Trace:
    """A class of one in `share`, in a cluster of its own."""
    edges = [(u, v) for u in range(10) for v in range(u)]
    edges += [
        (u, (u + step - 10) % (10 * share - 10) + 10) for u in range(10, 10 * share) for step in (1, 2, 7)
    ]
    graph = ohm.Graph.from_edges([*edges, (0, 10)])
    labels = [1 if node < 10 else -1 for node in graph.nodes]
    learner = ohm.Perceptron(ohm.LaplacianKernel(graph) + ohm.Constant(1.0))
    return ohm.play(learner, ohm.Stream(graph.nodes, labels).shuffled(seed=3))


def test_a_binary_trace_ranks_by_its_signed_margin() -> None:
    trace = rare_game()
    found = trace.measures(k=5)
    truth = np.array(trace.labels)
    assert found.ranked
    for label in (-1, 1):
        row = found.per_class[label]
        wanted = metrics.average_precision_score(truth == label, label * trace.margin)
        assert row["average_precision"] == pytest.approx(wanted)
        top = np.argsort(-label * trace.margin, kind="stable")[:5]
        if len(set(np.sort(label * trace.margin)[-6:])) == 6:
            assert row["precision_at_k"] == pytest.approx(np.mean(truth[top] == label))
        assert row["k"] == 5
    assert trace.error_rate < 0.05  # which says little: the rare class is what matters
    assert found.per_class[1]["recall"] < found.accuracy


def test_a_trace_of_many_classes_ranks_what_was_called_by_its_gap() -> None:
    ring = ohm.Graph.from_edges([(k, (k + 1) % 30) for k in range(30)])
    stream = ohm.Stream(range(30), ["abc"[k // 10] for k in range(30)]).shuffled(seed=1)
    trace = ohm.play(ohm.LocalLGC(ring), stream)
    found = trace.measures()
    assert not found.ranked
    for label in "abc":
        score = [
            margin if said == label else -1.0
            for said, margin in zip(trace.predictions, trace.margin, strict=True)
        ]
        truth = [y == label for y in trace.labels]
        wanted = metrics.average_precision_score(truth, score)
        assert found.per_class[label]["average_precision"] == pytest.approx(wanted)
    assert found.unsure == trace.predictions.count(None) > 0
    assert found.mistakes == trace.mistakes
    assert trace.per_class() == found.per_class


def test_k_is_checked() -> None:
    with pytest.raises(ParameterError, match="k must be a whole number of at least 1, got 0"):
        rare_game(3).measures(k=0)


def test_a_confusion_can_be_read_and_is_escaped() -> None:
    line = ohm.Graph.from_edges([(k, k + 1) for k in range(5)])
    labels = ["<script>alert(1)</script>"] * 3 + ["don't know"] * 3
    table = ohm.play(ohm.LocalLGC(line), ohm.Stream(range(6), labels)).confusion()
    assert table.counts.sum() == 6
    assert "<script>" not in table._repr_html_()
    assert "&lt;script&gt;" in table._repr_html_()
    frame = table.to_frame()
    assert frame.columns[-1] == "don't know "  # a class of that name is another thing than no answer
    assert frame.shape == (2, 4)
    assert str(table).splitlines()[0].startswith("true \\ predicted")


def test_classes_come_in_the_order_that_people_expect() -> None:
    assert in_order([10, 9, True, "b", "a", (2, 1)]) == (True, 9, 10, "a", "b", (2, 1))


# --- tables of predictions ----------------------------------------------------------------------


def test_a_mapping_is_measured_where_labels_are_known() -> None:
    found = ohm.measure({1: "a", 2: None, 3: "b", 4: "a"}, {1: "a", 2: "b", 3: float("nan"), 4: "b"}, k=1)
    assert (found.judged, found.mistakes, found.unsure, found.ranked) == (3, 2, 1, False)
    assert found.per_class["a"]["average_precision"] == metrics.average_precision_score([1, 0, 0], [1, 0, 1])
    assert ohm.measure({1: "a", 2: "b"}, ["a", None]).accuracy == 1.0


def test_a_table_ranks_by_its_probabilities_and_puts_dont_know_last() -> None:
    ring = [(k, (k + 1) % 30) for k in range(30)]
    graph = ohm.Graph.from_edges([*ring, (30, 31)])
    truth = {k: "abc"[k // 10] if k < 30 else "c" for k in range(32)}
    table = ohm.fit(graph, {2: "a", 7: "a", 15: "b", 24: "c"}).predict_many()
    rest = {node: y for node, y in truth.items() if node not in (2, 7, 15, 24)}
    found = ohm.measure(table, rest, k=3)
    assert found.ranked
    assert found.unsure == 2  # nothing reaches 30 and 31
    judged = [node in rest for node in table.nodes]
    for k, label in enumerate(table.classes):
        member = [truth[node] == label for node in rest]
        score = np.nan_to_num(table.probabilities[judged, k], nan=-1.0)
        row = found.per_class[label]
        assert row["average_precision"] == pytest.approx(metrics.average_precision_score(member, score))
        top = np.sort(score)[-4:]
        if top[0] < top[1]:
            assert row["precision_at_k"] == pytest.approx(np.mean(np.array(member)[np.argsort(-score)[:3]]))
    assert ohm.measure(table, [truth[node] for node in table.nodes]).judged == 32


@pytest.mark.parametrize(
    ("predictions", "labels", "error", "words"),
    [
        ({1: "a"}, {2: "a"}, UnknownNode, "label for node 2 and no prediction"),
        ({1: "a"}, ["a", "b"], ShapeError, "each of the 1 predictions, got 2"),
        (["a"], ["a"], ParameterError, "what predict_many gave"),
        ({1: "a"}, 3, ParameterError, "labels must be a list"),
        ({1: "a"}, [[]], LabelError, "not hashable"),
    ],
)
def test_labels_that_do_not_fit_are_refused(
    predictions: Any, labels: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        ohm.measure(predictions, labels)


def test_true_labels_come_as_a_frame_or_a_file(tmp_path: Path) -> None:
    import pandas as pd

    said = {"a": "x", "b": "y", "c": "x"}
    truth = {"node": ["a", "b"], "label": ["x", "x"]}
    pd.DataFrame(truth).to_csv(tmp_path / "truth.csv", index=False)
    expected = ohm.measure(said, {"a": "x", "b": "x"}).accuracy
    assert ohm.measure(said, pd.DataFrame(truth)).accuracy == expected
    assert ohm.measure(said, tmp_path / "truth.csv").accuracy == expected
