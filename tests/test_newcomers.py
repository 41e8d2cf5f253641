"""What is easily mistaken at first gets an answer that says what to write instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ohmline as ohm
from ohmline.errors import LearnerError, OhmlineError, ParameterError

GRAPH = ohm.Graph.from_edges([(k, k + 1) for k in range(5)])
KERNEL = ohm.LaplacianKernel(GRAPH) + ohm.Constant(1.0)
STREAM = ohm.Stream(range(6), [1, 1, 1, -1, -1, -1])


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: ohm.OneVsRest(ohm.Perceptron(KERNEL)), ParameterError, r"lambda: Perceptron\(kernel\)"),
        (lambda: ohm.OneVsRest(ohm.Projection), ParameterError, r"lambda: Projection\(kernel\)"),
        (lambda: ohm.OneVsRest(lambda kernel: None), ParameterError, "without arguments"),
        (lambda: ohm.OneVsRest(lambda: None), LearnerError, "what make returns"),
        (lambda: ohm.bound.best_bound(ohm.Perceptron(KERNEL)), LearnerError, r"play\(learner, stream\)"),
        (lambda: ohm.play(STREAM, ohm.Perceptron(KERNEL)), LearnerError, "the learner comes first"),
        (lambda: ohm.play(ohm.Perceptron, STREAM), LearnerError, r"make one first: Perceptron\("),
        (lambda: ohm.Budget(ohm.Always()), ParameterError, "number of labels"),
        (lambda: ohm.Budget(20), ParameterError, r"Budget\(Always\(\), labels=20\)"),
    ],
)
def test_the_error_says_what_to_write(call: Callable[[], Any], error: type[OhmlineError], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


def test_a_class_that_needs_no_arguments_makes_learners() -> None:
    class Mine(ohm.learn.node_learner.BinaryKernelLearner):
        def __new__(cls) -> Any:
            return ohm.Perceptron(KERNEL)

    assert ohm.OneVsRest(Mine).nodes == GRAPH.nodes


def test_a_budget_alone_asks_always() -> None:
    assert ohm.Budget(labels=3) == ohm.Budget(ohm.Always(), labels=3)
    assert ohm.play(ohm.Perceptron(KERNEL), STREAM, ohm.Budget(labels=3)).asked == 3


@pytest.mark.parametrize(
    ("thing", "text"),
    [
        (ohm.bound.PerceptronBound(), "PerceptronBound()"),
        (ohm.bound.PerceptronBound(ohm.bound.Fit.MISTAKEN), "PerceptronBound(fit=Fit.MISTAKEN)"),
        (ohm.bound.ProjectionBound(active=4), "ProjectionBound(active=4)"),
        (ohm.bound.HalvingBound(), "HalvingBound()"),
        (ohm.Spirals(), "Spirals()"),
        (ohm.Spirals(noise=0.5, period=9), "Spirals(noise=0.5, period=9.0)"),
        (ohm.SwissRoll(stripes=3), "SwissRoll(stripes=3)"),
        (ohm.Images(np.zeros((4, 2, 2)), "abab"), "Images(4 pictures, label_rate=0.02)"),
    ],
)
def test_bounds_and_sources_show_how_they_were_made(thing: Any, text: str) -> None:
    assert repr(thing) == text


def test_one_is_not_many() -> None:
    trace = ohm.play(ohm.Perceptron(KERNEL), ohm.Stream([0], [-1]))
    assert repr(trace) == "Trace(1 trial, 1 mistake, 1 label asked)"


def test_labels_of_any_kind_keep_their_kind() -> None:
    source = ohm.Images(np.zeros((3, 2, 2)), [1, "a", (2, 3)], classes=[1, (2, 3)])
    assert source.labels.tolist() == [1, (2, 3)]


def test_what_a_newcomer_gives_instead_is_answered_with_the_remedy() -> None:
    path = ohm.Graph.from_edges([(0, 1), (1, 2), (3, 3)], nodes=range(4))
    networkx = pytest.importorskip("networkx")
    kernel = ohm.LaplacianKernel(path)
    cases: list[tuple[Any, str]] = [
        (
            lambda: ohm.LaplacianKernel(networkx.karate_club_graph()),
            r"Graph\.from_networkx\(graph\) takes it",
        ),
        (lambda: ohm.LaplacianKernel("edges.csv"), r"Graph\.read\(path\) reads a file"),
        (lambda: ohm.LocalLGC(kernel), r"give its graph: \.graph"),
        (lambda: ohm.Perceptron(ohm.RBF(1.0)), r"RBF\(1\.0\)\.over\(points\)"),
        (lambda: kernel + 1.0, r"add Constant\(1\.0\) or Ridge\(1\.0\)"),
        (lambda: ohm.play(ohm.LocalLGC(path), [(0, "a")], ohm.GapBelow), r"make one first: GapBelow\(\)"),
        (lambda: ohm.Stream([0, 1], ["a", "b"]).binary("c"), r"no label of the stream is 'c'.*\['a', 'b'\]"),
    ]
    for wrong, words in cases:
        with pytest.raises(OhmlineError, match=words):
            wrong()
    assert ohm.Stream([0, 1], ["a", "b"]).binary("c", absent=True).labels == [-1, -1]


def test_a_certificate_is_not_above_the_labels_and_says_first_that_it_is_void() -> None:
    path = ohm.Graph.from_edges([(k, k + 1) for k in range(11)])
    kernel = ohm.LaplacianKernel(path) + ohm.Constant(1.0)
    stream = ohm.Stream(range(12), [k % 3 for k in range(12)])
    trace = ohm.play(ohm.OneVsRest(lambda: ohm.Perceptron(kernel)), stream)
    assert ohm.bound.best_bound(trace).value <= trace.asked
    learner = ohm.Perceptron(kernel)
    ohm.play(learner, stream.binary(0))
    again = ohm.bound.PerceptronBound().certify(ohm.play(learner, stream.binary(0)))
    assert str(again).startswith("nothing is certified (")
    whole = ohm.bound.Certificate("a theorem", 7.63, 2)
    assert str(whole).startswith("at most 7 mistakes")
