"""Stream queries: each asks where its formula says, for both drivers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ohmline as ohm
from ohmline.errors import LearnerError, ParameterError
from ohmline.learn import View
from ohmline.query import StreamQuery
from ohmline.query.asking import Unweighed

LINE = ohm.Graph.from_edges([(k, k + 1) for k in range(59)])
KERNEL = ohm.SpectralKernel(LINE, rank=12)
STREAM = ohm.Stream(range(60), [1] * 25 + [-1] * 35).shuffled(seed=4).repeated(3)


def view(margin: float = 0.3, variance: float = 0.5) -> View[int]:
    return View(1, margin, variance)


@given(kappa=st.floats(0, 1), variance=st.floats(0, 1), trial=st.integers(1, 10**6))
def test_variance_above(kappa: float, variance: float, trial: int) -> None:
    query = ohm.VarianceAbove(kappa)
    assert query.wants(view(variance=variance), trial=trial) == (variance > trial**-kappa)


@given(c=st.floats(0, 10), margin=st.floats(-3, 3), variance=st.floats(0, 2), trial=st.integers(1, 10**6))
def test_gap_below(c: float, margin: float, variance: float, trial: int) -> None:
    asked = ohm.GapBelow(c).wants(view(margin, variance), trial=trial)
    assert asked == (margin * margin <= c * variance * np.log(trial + 1.0))


@given(repeats=st.integers(0, 20), needed=st.integers(0, 20), margin=st.floats(0, 1))
def test_a_gap_is_not_believed_before_classes_repeat(repeats: int, needed: int, margin: float) -> None:
    query, seen = ohm.GapBelow(0.01, repeats=needed), view(margin, 0.5)
    believed = query.wants(seen, trial=9)
    assert query.wants(seen, trial=9, repeats=repeats) == (believed or repeats < needed)


@pytest.mark.parametrize("classes", [None, [0, 1]])
@pytest.mark.parametrize("seed", range(5))
def test_it_does_not_starve_on_a_small_graph(seed: int, classes: list[int] | None) -> None:
    """The karate club: it used to ask for 1 to 9 labels of 34, and to make up to 18 mistakes."""
    club = ohm.data.load("karate")
    order = np.random.default_rng(seed).permutation(club.graph.n)
    stream = ohm.Stream(order, club.codes[order])
    every = ohm.play(ohm.LocalLGC(club.graph, classes), stream)
    trace = ohm.play(ohm.LocalLGC(club.graph, classes), stream, ohm.GapBelow(0.001))
    assert trace.asked <= 17
    assert trace.mistakes <= every.mistakes + 4
    asked = [y for y, given in zip(stream.labels, trace.asked_at, strict=True) if given]
    assert len(set(asked)) == 2


def test_one_class_is_not_asked_for_for_ever() -> None:
    stream = ohm.Stream(range(20), ["same"] * 20)
    for compiled in (True, False):
        trace = ohm.play(ohm.LocalLGC(LINE), stream, ohm.GapBelow(0.0, repeats=5), compiled=compiled)
        assert trace.asked_at.tolist() == [True] * 6 + [False] * 14


def test_a_tie_is_always_worth_asking() -> None:
    assert ohm.GapBelow(0.0).wants(view(margin=0.0), trial=1)


@given(p=st.floats(0, 1), draw=st.floats(0, 1, exclude_max=True))
def test_random_rate(p: float, draw: float) -> None:
    assert ohm.RandomRate(p).wants(view(), trial=1, draw=draw) == (draw < p)


def test_random_rate_asks_for_its_share() -> None:
    stream = STREAM.repeated(100)
    trace = ohm.play(ohm.Perceptron(KERNEL), stream, ohm.RandomRate(0.3), seed=1)
    deviation = np.sqrt(0.3 * 0.7 * len(stream))
    assert abs(trace.asked - 0.3 * len(stream)) < 4 * deviation
    again = ohm.play(ohm.Perceptron(KERNEL), stream, ohm.RandomRate(0.3), seed=1)
    other = ohm.play(ohm.Perceptron(KERNEL), stream, ohm.RandomRate(0.3), seed=2)
    np.testing.assert_array_equal(trace.asked_at, again.asked_at)
    assert (trace.asked_at != other.asked_at).any()


@pytest.mark.parametrize(
    "query",
    [
        ohm.Always(),
        ohm.RandomRate(0.4),
        ohm.VarianceAbove(0.3),
        ohm.GapBelow(0.5),
        ohm.GapAhead(0.5),
        ohm.Budget(ohm.GapBelow(0.5), labels=11),
        ohm.Budget(ohm.Budget(ohm.RandomRate(0.9), labels=20), labels=50),
    ],
    ids=repr,
)
def test_both_drivers_ask_for_the_same_labels(query: StreamQuery) -> None:
    traces = [
        ohm.play(ohm.OnlineLGC(KERNEL), STREAM.label_rate(0.8), query, compiled=compiled)
        for compiled in (True, False)
    ]
    np.testing.assert_array_equal(traces[0].asked_at, traces[1].asked_at)
    np.testing.assert_array_equal(traces[0].variance, traces[1].variance)
    assert traces[0].asked > 0
    # The log itself shows that the rule was followed.
    spent = repeats = 0
    given: set[object] = set()
    draws = np.random.default_rng(0).random(len(STREAM))
    for t in range(len(STREAM)):
        seen = View(None, float(traces[0].margin[t]), float(traces[0].variance[t]))
        wanted = query.wants(seen, trial=t + 1, spent=spent, draw=float(draws[t]), repeats=repeats)
        assert traces[0].asked_at[t] == (wanted and bool(traces[0].stream.revealed[t]))
        if traces[0].asked_at[t]:
            spent += 1
            repeats = repeats + 1 if traces[0].stream.labels[t] in given else 0
            given.add(traces[0].stream.labels[t])


def test_a_budget_is_what_its_query_asks_until_it_is_spent() -> None:
    plain = ohm.play(ohm.OnlineLGC(KERNEL), STREAM, ohm.VarianceAbove(0.5))
    capped = ohm.play(ohm.OnlineLGC(KERNEL), STREAM, ohm.Budget(ohm.VarianceAbove(0.5), labels=15))
    assert plain.asked > 15 == capped.asked
    first = np.flatnonzero(plain.asked_at)[:15]
    np.testing.assert_array_equal(np.flatnonzero(capped.asked_at), first)
    assert ohm.play(ohm.OnlineLGC(KERNEL), STREAM, ohm.Budget(ohm.Always(), labels=0)).asked == 0
    nested = ohm.Budget(ohm.Budget(ohm.Always(), labels=3), labels=9)
    assert ohm.play(ohm.OnlineLGC(KERNEL), STREAM, nested).asked == 3


def test_more_confidence_asks_for_fewer_labels() -> None:
    learners = [ohm.OnlineLGC(KERNEL, mistake_driven=False) for _ in range(3)]
    queries = [ohm.VarianceAbove(kappa) for kappa in (0.2, 0.5, 1.0)]
    asked = [ohm.play(a, STREAM, b).asked for a, b in zip(learners, queries, strict=True)]
    assert asked[0] < asked[1] < asked[2]
    asked = [ohm.play(ohm.SharedLGC(KERNEL), STREAM, ohm.GapBelow(c)).asked for c in (0.01, 1.0, 100.0)]
    assert asked[0] < asked[1] < asked[2]


@pytest.mark.parametrize("query", [ohm.VarianceAbove(), ohm.GapBelow(), ohm.GapAhead()], ids=repr)
def test_a_learner_without_a_variance_is_refused(query: StreamQuery) -> None:
    for compiled in (True, False):
        learner = ohm.Perceptron(KERNEL)
        with pytest.raises(LearnerError, match="knows its own variance"):
            ohm.play(learner, STREAM, query, compiled=compiled)
        assert learner.margin_one(0) == 0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ohm.RandomRate(1.2), "rate p"),
        (lambda: ohm.RandomRate("often"), "rate p"),
        (lambda: ohm.VarianceAbove(-0.1), "kappa"),
        (lambda: ohm.GapBelow(-1), "c of GapBelow"),
        (lambda: ohm.GapBelow(float("nan")), "c of GapBelow"),
        (lambda: ohm.GapBelow(repeats=-1), "repeats of GapBelow"),
        (lambda: ohm.Budget(ohm.Always(), labels=-1), "labels"),
        (lambda: ohm.Budget(ohm.Always(), labels=2.5), "labels"),
        (lambda: ohm.Budget("all", labels=2), "stream query"),
    ],
)
def test_bad_parameters_are_named(make: object, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()


def test_a_query_says_what_it_is() -> None:
    assert repr(ohm.Budget(ohm.GapBelow(0.02), labels=5)) == "Budget(GapBelow(c=0.02, repeats=8), labels=5)"
    assert repr(ohm.VarianceAbove()) == "VarianceAbove(kappa=0.4)"


class Curious:
    """Reads the variance without a word about it."""

    def wants(self, view: View[int], *, trial: int, spent: int, draw: float) -> bool:
        return view.variance > 0.1


class Honest(Curious):
    needs_variance = True


@pytest.mark.parametrize(
    "make",
    [lambda: ohm.LocalLGC(LINE), lambda: ohm.OnlineLGC(KERNEL), lambda: ohm.Perceptron(KERNEL)],
    ids=["LocalLGC", "OnlineLGC", "Perceptron"],
)
@pytest.mark.parametrize(
    "wrap", [lambda query: query, lambda query: ohm.Budget(query, 3)], ids=["bare", "budget"]
)
def test_a_variance_that_nobody_asked_for_cannot_be_read(make: Any, wrap: Any) -> None:
    with pytest.raises(LearnerError, match="needs_variance = True in its class Curious"):
        ohm.play(make(), STREAM, wrap(Curious()))
    told = Unweighed.of(View(1, 0.25), Curious())
    assert (told.prediction, told.margin, repr(told)) == (1, 0.25, "View(prediction=1, margin=0.25)")


def test_a_query_in_python_gets_the_variance_it_asks_for() -> None:
    trace = ohm.play(ohm.LocalLGC(LINE), STREAM, Honest())
    np.testing.assert_array_equal(trace.asked_at, trace.variance > 0.1)
    with pytest.raises(LearnerError, match="knows its own variance"):
        ohm.play(ohm.Perceptron(KERNEL), STREAM, Honest())
