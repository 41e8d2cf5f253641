"""Generic functions, packed tuples, and calls through addresses."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import typeof, types

import ohmline as ohm
from ohmline.compiled import (
    address_of,
    caller,
    compiled,
    generic,
    implements,
    internal,
    packed,
    packed_form,
    pointer_to,
    unpacked,
)
from ohmline.errors import LearnerError
from ohmline.learn.node_learner import BinaryKernelLearner


class Inside(NamedTuple):
    flag: bool
    table: np.ndarray


class Outside(NamedTuple):
    count: int
    inside: Inside
    ratio: float
    other: bool
    row: np.ndarray


def test_a_packed_tuple_is_what_compiled_code_sees() -> None:
    @internal
    def through(pointer: Any, i: int) -> float:
        bundle = unpacked(pointer)
        bundle.row[0] += 1.0
        sign = 1.0 if bundle.inside.flag and not bundle.other else -1.0
        return sign * (bundle.count * bundle.ratio + bundle.inside.table[i, 1] + bundle.row[i])

    call = caller(types.float64)

    @compiled
    def ask(code: int, address: int, i: int) -> float:
        return call(code, (address, i))

    bundle = Outside(3, Inside(True, np.arange(6.0).reshape(3, 2)), 0.5, False, np.array([10.0, 20.0, 30.0]))
    kind = typeof(bundle)
    room = packed(bundle, packed_form(kind))
    code = address_of(through, types.float64, pointer_to(kind), types.int64)
    before = [sys.getrefcount(bundle.row), sys.getrefcount(bundle.inside.table)]
    for _ in range(1000):
        assert ask(code, room.ctypes.data, 2) == 1.5 + 5.0 + 30.0
    assert bundle.row[0] == 1010.0
    assert [sys.getrefcount(bundle.row), sys.getrefcount(bundle.inside.table)] == before


def test_a_body_must_fit_and_comes_once() -> None:
    class Thing(NamedTuple):
        value: float

    @generic("thing")
    def weigh(thing: Any, unit: Any) -> float: ...

    with pytest.raises(TypeError, match=r"takes \('thing',\)"):

        @implements(weigh, Thing)
        def wrong(thing: Any) -> float:
            return thing.value

    @implements(weigh, Thing)
    def weigh_thing(thing: Any, unit: Any) -> float:
        return thing.value * unit

    with pytest.raises(TypeError, match="already"):
        implements(weigh, Thing)(weigh_thing)


def test_a_learner_without_bodies_is_told_what_to_write() -> None:
    class Bare(NamedTuple):
        w: np.ndarray

    class Unfinished(BinaryKernelLearner):
        kind = "Unfinished"

        def __init__(self, kernel: ohm.Kernel) -> None:
            self.kernel, self.space, self.state = kernel, kernel.space, Bare(np.zeros(3))

    learner = Unfinished(ohm.LaplacianKernel(ohm.graph.generate.line(3).graph))
    with pytest.raises(LearnerError, match=r"Bare has no body of view.*@implements\(view, Bare\)"):
        learner.predict_one(0)
