"""Games that come as they come: iterators, oracles, limits, and queries of the user's own."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

import ohmline as ohm
from ohmline.compiled import implements
from ohmline.errors import LearnerError, ParameterError
from ohmline.learn.contract import View

RING = ohm.Graph.from_edges([(k, (k + 1) % 30) for k in range(30)])
LABELS = ["a"] * 15 + ["b"] * 15
STREAM = ohm.Stream(range(30), LABELS).shuffled(seed=4).repeated(3)


class NearHalf(NamedTuple):
    """Asks where the margin is below a limit, and now and then by a coin."""

    limit: float
    rate: float
    needs_variance = True
    needs_coin = True


@implements(ohm.query.asks, NearHalf)
def near_half_asks(query: Any, sight: Any) -> bool:
    return sight.margin < query.limit * sight.variance or sight.draw < query.rate or sight.spent < 3


class NearHalfInPython:
    needs_variance = True
    needs_coin = True

    def __init__(self, limit: float, rate: float) -> None:
        self.limit, self.rate = limit, rate

    def wants(self, view: View[Any], *, trial: int, spent: int, draw: float) -> bool:
        return view.margin < self.limit * view.variance or draw < self.rate or spent < 3


def same(one: ohm.Trace, other: ohm.Trace) -> None:
    assert one.predictions == other.predictions
    for name in ("margin", "variance", "asked_at", "updated", "progress"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


@pytest.mark.parametrize("wrap", [lambda q: q, lambda q: ohm.Budget(q, labels=9)], ids=["bare", "budget"])
def test_a_compiled_query_of_ones_own_and_the_same_in_python_give_one_trace(wrap: Any) -> None:
    compiled = ohm.play(ohm.LocalLGC(RING), STREAM, wrap(NearHalf(0.3, 0.1)), seed=7)
    events = ohm.play(ohm.LocalLGC(RING), STREAM, wrap(NearHalf(0.3, 0.1)), seed=7, compiled=False)
    python = ohm.play(ohm.LocalLGC(RING), STREAM, wrap(NearHalfInPython(0.3, 0.1)), seed=7)
    drawn = ohm.play(ohm.LocalLGC(RING), iter(STREAM), wrap(NearHalf(0.3, 0.1)), seed=7)
    assert 3 <= compiled.asked < 90
    same(compiled, events)
    same(compiled, python)
    same(compiled, drawn)


def test_a_query_may_hold_arrays_and_other_queries() -> None:
    class Planned(NamedTuple):
        wanted: np.ndarray
        rest: Any

    @implements(ohm.query.asks, Planned)
    def planned_asks(query: Any, sight: Any) -> bool:
        if sight.trial <= query.wanted.shape[0]:
            return query.wanted[sight.trial - 1]
        return ohm.query.asks(query.rest, sight)

    wanted = np.array([True, False, True])
    trace = ohm.play(ohm.LocalLGC(RING), STREAM, Planned(wanted, ohm.Budget(ohm.Always(), labels=5)))
    assert np.flatnonzero(trace.asked_at).tolist() == [0, 2, 3, 4, 5]


def test_an_error_in_a_query_is_raised() -> None:
    class Broken(NamedTuple):
        at: int

    @implements(ohm.query.asks, Broken)
    def broken_asks(query: Any, sight: Any) -> bool:
        if sight.trial == query.at:
            raise ValueError("this query is broken")
        return True

    with pytest.raises(ValueError, match="this query is broken"):
        ohm.play(ohm.LocalLGC(RING), STREAM, Broken(5))


@pytest.mark.parametrize("bad", [3, "often", ohm.Always, (1, 2), object()])
def test_what_is_no_query_is_refused(bad: Any) -> None:
    with pytest.raises(LearnerError, match=r"expected a query on a stream|make one first: Always\(\)"):
        ohm.play(ohm.LocalLGC(RING), STREAM, bad)
    with pytest.raises(ParameterError, match="Budget wraps a stream query"):
        ohm.Budget(bad, labels=1)


def test_an_iterator_is_never_drawn_ahead_of_the_learner() -> None:
    learner = ohm.LocalLGC(RING)
    seen: list[int] = []

    def source() -> Iterator[tuple[int, str]]:
        for node, label in zip(range(30), LABELS, strict=True):
            assert int(learner.state.counts.sum()) == len(seen)  # all that came before is learned
            seen.append(node)
            yield node, label

    assert len(ohm.play(learner, source())) == 30


def test_an_oracle_is_asked_only_when_the_query_asks() -> None:
    asked: list[int] = []

    def oracle(node: int) -> str:
        asked.append(node)
        return LABELS[node]

    trace = ohm.play(
        ohm.LocalLGC(RING),
        itertools.cycle(range(30)),
        ohm.GapBelow(0.05),
        oracle=oracle,
        until=ohm.Until(trials=90),
    )
    assert len(trace) == 90
    assert asked == [x for x, ask in zip(trace.nodes, trace.asked_at, strict=True) if ask]
    listed = ohm.play(ohm.LocalLGC(RING), ohm.Stream(list(range(30)) * 3, LABELS * 3), ohm.GapBelow(0.05))
    np.testing.assert_array_equal(trace.asked_at, listed.asked_at)
    assert trace.predictions == listed.predictions
    # A trial whose label nobody gave cannot be judged.
    assert not trace.known[~trace.asked_at].any()


def test_once_a_budget_is_spent_nothing_more_is_asked() -> None:
    asked: list[int] = []
    query = ohm.Budget(ohm.Always(), labels=4)
    trace = ohm.play(ohm.LocalLGC(RING), range(30), query, oracle=lambda x: asked.append(x) or LABELS[x])
    assert asked == [0, 1, 2, 3]
    assert (trace.asked, len(trace)) == (4, 30)


def test_an_answer_of_none_costs_nothing() -> None:
    trace = ohm.play(
        ohm.LocalLGC(RING),
        range(30),
        ohm.Budget(ohm.Always(), labels=5),
        oracle=lambda x: None if x % 2 else LABELS[x],
    )
    assert np.flatnonzero(trace.asked_at).tolist() == [0, 2, 4, 6, 8]


def test_an_oracle_that_stops_ends_the_game_and_keeps_what_was_learned() -> None:
    def oracle(node: int) -> str:
        if node == 7:
            raise StopIteration
        return LABELS[node]

    learner = ohm.LocalLGC(RING)
    trace = ohm.play(learner, range(30), oracle=oracle)
    assert len(trace) == 7
    assert learner.label_one(6) == "a"

    def interrupted(node: int) -> str:
        if node == 9:
            raise KeyboardInterrupt
        return LABELS[node]

    with pytest.raises(KeyboardInterrupt):
        ohm.play(learner, range(7, 30), oracle=interrupted)
    assert learner.label_one(8) == "a"


@pytest.mark.parametrize("drawn", [False, True])
def test_a_game_ends_at_its_limits(drawn: bool) -> None:
    def stream() -> Any:
        return iter(STREAM) if drawn else STREAM

    assert len(ohm.play(ohm.LocalLGC(RING), stream(), until=ohm.Until(trials=11))) == 11
    labels = ohm.play(ohm.LocalLGC(RING), stream(), ohm.RandomRate(0.5), until=ohm.Until(labels=6))
    assert labels.asked == 6
    assert labels.asked_at[-1]
    whole = ohm.play(ohm.LocalLGC(RING), STREAM, ohm.RandomRate(0.5))
    np.testing.assert_array_equal(labels.margin, whole.margin[: len(labels)])
    assert len(ohm.play(ohm.LocalLGC(RING), stream(), until=ohm.Until(trials=0))) == 0
    assert len(ohm.play(ohm.LocalLGC(RING), stream(), until=lambda trace: trace.mistakes == 3)) < 90
    start = time.perf_counter()
    ohm.play(ohm.LocalLGC(RING), itertools.cycle(STREAM), until=ohm.Until(seconds=0.2))
    assert time.perf_counter() - start < 5


def test_a_predicate_sees_the_trace_so_far() -> None:
    lengths = []

    def enough(trace: ohm.Trace) -> bool:
        lengths.append(len(trace))
        assert len(trace.nodes) == len(trace.margin) == len(trace.labels)
        return trace.asked == 3

    trace = ohm.play(ohm.LocalLGC(RING), STREAM, until=enough)
    assert lengths == [1, 2, 3]
    assert len(trace) == 3


def test_bad_limits_and_streams_are_named() -> None:
    for bad in (7, "soon"):
        with pytest.raises(ParameterError, match="until must be"):
            ohm.play(ohm.LocalLGC(RING), STREAM, until=bad)
    for options in ({"trials": -1}, {"labels": 1.5}, {"seconds": 0}):
        with pytest.raises(ParameterError, match="of Until"):
            ohm.Until(**options)
    with pytest.raises(ParameterError, match=r"oracle="):
        ohm.play(ohm.LocalLGC(RING), [1, 2, 3])
    with pytest.raises(ParameterError, match="item 2 of the stream is 5"):
        ohm.play(ohm.LocalLGC(RING), iter([(0, "a"), 5]))
    with pytest.raises(ParameterError, match=r"stream\.nodes"):
        ohm.play(ohm.LocalLGC(RING), STREAM, oracle=lambda x: "a")


def test_vectors_are_played_lazily_too() -> None:
    source = ohm.Spirals(label_rate=0.1)
    learner = ohm.OnlineManifold(ohm.RBF(0.1), smoothness=ohm.Manifold(0.05))
    trace = ohm.play(learner, source.endless(seed=1), until=ohm.Until(trials=300))
    assert len(trace) == 300 == learner.trials
    points, labels = source.sample(np.arange(200), np.random.default_rng(3))
    truth = {tuple(x): int(y) for x, y in zip(points, labels, strict=True)}
    asked = ohm.play(learner, points, ohm.RandomRate(0.2), oracle=lambda x: truth[tuple(x)])
    assert 20 < asked.asked < 65
    assert learner.trials == 500


def test_reports_of_progress_add_up() -> None:
    for stream in (STREAM, iter(STREAM)):
        told: list[int] = []
        ohm.play(ohm.LocalLGC(RING), stream, progress=told.append)
        assert sum(told) == 90
