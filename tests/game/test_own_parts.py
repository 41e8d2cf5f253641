"""Learners and queries that users write: whatever they return, the game is right or says what is wrong."""

from __future__ import annotations

import copy
import gc
import weakref
from typing import Any, NamedTuple

import numpy as np
import pytest

import ohmline as ohm
from ohmline.compiled import implements
from ohmline.errors import KernelError, LearnerError
from ohmline.kernel.space import entry
from ohmline.learn.hypothesis import margin_at, move, signed
from ohmline.learn.node_learner import BinaryKernelLearner
from ohmline.learn.step import learn, view
from side_by_side import in_threads

LINE = ohm.Graph.from_edges([(k, k + 1) for k in range(9)])
STREAM = ohm.Stream(range(10), [1] * 5 + [-1] * 5)


class Nth(NamedTuple):
    n: int


@implements(ohm.query.asks, Nth)
def nth_asks(query: Any, sight: Any) -> Any:
    return sight.trial % query.n


class Portion(NamedTuple):
    share: float


@implements(ohm.query.asks, Portion)
def portion_asks(query: Any, sight: Any) -> Any:
    return query.share * sight.spent


class Silent(NamedTuple):
    n: int


@implements(ohm.query.asks, Silent)
def silent_asks(query: Any, sight: Any) -> Any:
    return None


class Misspelled(NamedTuple):
    n: int


@implements(ohm.query.asks, Misspelled)
def misspelled_asks(query: Any, sight: Any) -> Any:
    return sight.margn > 0


class Narrow(NamedTuple):
    n: Any


@implements(ohm.query.asks, Narrow)
def narrow_asks(query: Any, sight: Any) -> bool:
    return sight.trial % query.n == 0


class Narrower(Narrow):
    """A query that derives from another one and has no body of its own."""


@pytest.mark.parametrize(
    "query", [Nth(3), Portion(0.5), Silent(1), Narrow(3), Narrow(np.int32(3)), Narrower(3)]
)
def test_what_a_query_returns_is_taken_for_true_or_false(query: Any) -> None:
    fast = ohm.play(ohm.LocalLGC(LINE), STREAM, query)
    slow = ohm.play(ohm.LocalLGC(LINE), STREAM, query, compiled=False)
    assert fast.asked_at.tolist() == slow.asked_at.tolist()


@pytest.mark.parametrize(
    ("query", "said"), [(Misspelled(1), "asks for Misspelled .* 'margn'"), (Narrow("x"), "unicode")]
)
def test_a_query_that_cannot_be_compiled_says_why(query: Any, said: str) -> None:
    with pytest.raises(LearnerError, match=said):
        ohm.play(ohm.LocalLGC(LINE), STREAM, query)


class OptionSpace(NamedTuple):
    """Options go into the space, as CONTRIBUTING says; nothing is said of columns."""

    kernel: Any
    rate: float


class OptionState(NamedTuple):
    w: np.ndarray
    sqnorm: np.ndarray
    gross: np.ndarray
    seen: np.ndarray


class Rated(BinaryKernelLearner):
    kind = "Rated"

    def __init__(self, kernel: ohm.Kernel) -> None:
        self.kernel = kernel
        self.space = OptionSpace(kernel.space, 0.5)
        self.state = OptionState(
            np.zeros(kernel.space.width), np.zeros(1), np.zeros(1), np.zeros(1, np.int64)
        )


@implements(view, OptionState)
def view_rated(space: Any, state: Any, x: int) -> Any:
    margin = margin_at(space.kernel, state.w, state.sqnorm, state.gross, x)
    return np.int32(1 if margin >= 0 else -1), margin


@implements(learn, OptionState)
def learn_rated(space: Any, state: Any, x: int, y: int, margin: float) -> Any:
    state.seen[0] += 1
    if margin * y > 0:
        return 0.0, 0.0
    return 0.5, move(
        space.kernel,
        state.w,
        state.sqnorm,
        state.gross,
        space.rate * y * entry(space.kernel, x, 0) ** 0,
        margin,
        x,
    )


def test_options_in_the_space_do_not_hide_that_columns_may_be_missing() -> None:
    rng = np.random.default_rng(1)
    nodes = rng.integers(0, 10, 60)
    stream = ohm.Stream(nodes.tolist(), np.where((nodes < 5) ^ (rng.random(60) < 0.2), 1, -1).tolist())
    wanted = ohm.play(Rated(ohm.LaplacianKernel(LINE) + ohm.Constant(1.0)), stream)
    assert wanted.learner.state.seen[0] == 60
    assert wanted.updated.sum() == wanted.charged.sum() > 0
    for columns in (2, 3, 32):
        for compiled in (True, False):
            kernel = ohm.SolverKernel(LINE, b=1.0, columns=columns)
            found = ohm.play(Rated(kernel), stream, compiled=compiled)
            assert found.learner.state.seen[0] == 60
            assert found.predictions == wanted.predictions
            np.testing.assert_allclose(found.margin, wanted.margin, atol=1e-9)


class OddState(NamedTuple):
    w: np.ndarray


class Odd(Rated):
    kind = "Odd"

    def __init__(self, kernel: ohm.Kernel) -> None:
        super().__init__(kernel)
        self.state = OddState(np.zeros(kernel.n))


@implements(view, OddState)
def view_odd(space: Any, state: Any, x: int) -> Any:
    return signed(state.w[x])


@implements(learn, OddState)
def learn_odd(space: Any, state: Any, x: int, y: int, margin: float) -> Any:
    return None


def test_a_step_that_returns_nothing_says_so() -> None:
    with pytest.raises(LearnerError, match="learn for OptionSpace, OddState cannot be compiled"):
        ohm.play(Odd(ohm.LaplacianKernel(LINE)), STREAM)


@pytest.mark.parametrize(
    "make",
    [
        lambda: ohm.Halving(LINE, 3),
        lambda: ohm.OneVsRest(lambda: ohm.Perceptron(ohm.LaplacianKernel(LINE) + ohm.Constant(1.0))),
        lambda: ohm.LocalLGC(LINE),
    ],
)
def test_coins_fall_alike_on_every_path(make: Any) -> None:
    query = ohm.RandomRate(0.5)
    ways = [
        ohm.play(make(), STREAM, query, seed=3),
        ohm.play(make(), STREAM, query, seed=3, compiled=False),
        ohm.play(make(), iter(list(STREAM)), query, seed=3),
        ohm.play(make(), STREAM, query, seed=3, until=ohm.Until(trials=10)),
    ]
    assert {tuple(way.asked_at.tolist()) for way in ways} == {tuple(ways[0].asked_at.tolist())}


def test_an_interrupted_loop_gives_back_what_it_borrowed() -> None:
    nodes = np.random.default_rng(0).integers(0, 10, 2000)
    stream = ohm.Stream(nodes.tolist(), np.where(nodes < 5, 1, -1).tolist())
    kernel = ohm.SolverKernel(LINE, b=1.0, columns=2)
    trace = ohm.play(ohm.Perceptron(kernel), stream)
    margin = weakref.ref(trace.log.margin)
    del trace
    gc.collect()
    assert margin() is None


def test_threads_that_read_a_kernel_of_columns_get_their_own_columns() -> None:
    kernel = ohm.SolverKernel(LINE, b=1.0, columns=2)
    wanted = [ohm.LaplacianKernel(LINE).column(i) + 1.0 for i in range(10)]
    wrong: list[int] = []

    def read(seed: int) -> None:
        for i in np.random.default_rng(seed).integers(0, 10, 300).tolist():
            if not np.allclose(kernel.column(i), wanted[i], atol=1e-9):
                wrong.append(i)

    in_threads(read, 4)
    assert wrong == []


def test_an_interrupted_game_leaves_one_against_the_rest_as_it_was() -> None:
    kernel = ohm.LaplacianKernel(LINE) + ohm.Constant(1.0)
    learner = ohm.OneVsRest(lambda: ohm.Perceptron(kernel))
    learner.learn_one(0, "a")
    before = learner.snapshot()

    def stop(trials: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ohm.play(learner, ohm.Stream(range(10), list("aabbbccccd")), progress=stop)
    after = learner.snapshot()
    assert before.keys() == after.keys()
    assert all(np.array_equal(before[key], after[key]) for key in before)


def test_a_copy_of_a_learner_has_a_state_of_its_own() -> None:
    learner = ohm.Perceptron(ohm.LaplacianKernel(LINE) + ohm.Constant(1.0))
    other = copy.copy(learner)
    other.learn_one(0, -1)
    assert learner.margin_one(0) == 0.0
    assert other.margin_one(0) < 0


def test_a_generator_may_use_its_buffer_again() -> None:
    def points() -> Any:
        buffer = np.zeros(2)
        for k in range(5):
            buffer[:] = k, -k
            yield buffer, 1 if k % 2 else -1

    trace = ohm.play(ohm.OnlineManifold(), points())
    np.testing.assert_array_equal(trace.nodes, [[k, -k] for k in range(5)])


def test_sums_of_kernels_commute_and_print_as_they_are() -> None:
    parts = ohm.Graph.from_edges([(0, 1), (2, 3), (3, 4)], nodes=range(10))
    a, b = ohm.LaplacianKernel(LINE), ohm.LaplacianKernel(parts)
    left, right = a + b + ohm.Constant(1.0), b + a + ohm.Constant(1.0)
    np.testing.assert_allclose(left.space.dense(), right.space.dense(), atol=1e-12)
    for kernel in (2 * (a + b), a + (b + ohm.Constant(1.0)), 2 * (a + (b + a)) + ohm.Ridge(0.5)):
        text = repr(kernel).replace(repr(a), "a").replace(repr(b), "b")
        again = eval(text, {"a": a, "b": b, "Constant": ohm.Constant, "Ridge": ohm.Ridge})
        np.testing.assert_allclose(again.space.dense(), kernel.space.dense(), atol=1e-12)
    solver = ohm.SolverKernel(LINE, columns=2, fill_limit=0)
    assert repr(solver + ohm.Constant(2.0)) == (
        f"SolverKernel({LINE!r}, columns=2, fill_limit=0) + Constant(2.0)"
    )
    assert repr(ohm.SpectralKernel(LINE, rank=3, shift=0.2)) == f"SpectralKernel({LINE!r}, rank=3, shift=0.2)"
    for add in (lambda: solver + a, lambda: a + solver):
        with pytest.raises(KernelError, match="LaplacianKernel instead"):
            add()
    for grow in (lambda: 1e308 * (1e308 * a), lambda: 1e-320 * (1e-320 * a)):
        with pytest.raises(ohm.OhmlineError, match="product of all factors"):
            grow()
