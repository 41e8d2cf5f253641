"""The checks at the doors: each lets in what it names, and refuses the rest by name."""

from __future__ import annotations

from enum import Enum
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ohmline import arrays, checks
from ohmline.errors import OhmlineError, ParameterError, ShapeError


class Side(Enum):
    LEFT = "left"
    RIGHT = "right"


NO_NUMBERS = [None, "0.5", "", b"1", True, np.True_, 1j, [1.0], np.array([1.0]), object(), Side.LEFT]
NO_FINITE = [float("nan"), float("inf"), -float("inf"), 10**400]


@pytest.mark.parametrize("check", [checks.number, checks.positive, checks.non_negative, checks.fraction])
@pytest.mark.parametrize("value", NO_NUMBERS + NO_FINITE, ids=repr)
def test_what_is_no_finite_number_is_refused_by_name(check: Any, value: Any) -> None:
    with pytest.raises(ParameterError, match=r"^mu must"):
        check(value, "mu")


@pytest.mark.parametrize(
    "value", [1, 0.5, np.int64(1), np.float32(0.5), Fraction(1, 2), np.array(0.5)], ids=repr
)
def test_numbers_of_every_kind_are_let_in(value: Any) -> None:
    for check in (checks.number, checks.positive, checks.non_negative, checks.fraction):
        assert check(value, "mu") == float(value)


def test_spans_are_kept() -> None:
    for value in (-0.1, 1.1):
        with pytest.raises(ParameterError, match="from 0 to 1"):
            checks.number(value, "mu", least=0, most=1)
        with pytest.raises(ParameterError, match="between 0 and 1"):
            checks.fraction(value, "mu")
    with pytest.raises(ParameterError, match="above 0"):
        checks.positive(0, "mu")
    with pytest.raises(ParameterError, match="at least 0"):
        checks.non_negative(-1e-300, "mu")


@pytest.mark.parametrize("value", [*NO_NUMBERS, *NO_FINITE, -1, 1.0], ids=repr)
def test_what_is_no_count_is_refused_by_name(value: Any) -> None:
    with pytest.raises(ParameterError, match=r"^trials must be a whole number"):
        checks.count(value, "trials")


@pytest.mark.parametrize("value", [None, 0, 1, "no", "", [], np.array([True]), 0.0], ids=repr)
def test_a_flag_is_true_or_false(value: Any) -> None:
    with pytest.raises(ParameterError, match="True or False"):
        checks.flag(value, "guess")
    assert checks.flag(np.True_, "guess") is True


@pytest.mark.parametrize("value", [None, -1, 1.0, "1", True, [1]], ids=repr)
def test_a_seed_is_a_whole_number(value: Any) -> None:
    with pytest.raises(ParameterError, match="seed"):
        checks.generator(value)
    assert checks.seed_of(10**400) == 10**400


@pytest.mark.parametrize(
    "values",
    [
        ["1", "2"],
        [[1.0], [1.0, 2.0]],
        [1j],
        [10**400],
        np.ma.array([1.0, 2.0], mask=[0, 1]),
        [object()],
        3.0,
        [None],
    ],
    ids=repr,
)
def test_what_is_no_vector_is_refused_by_name(values: Any) -> None:
    with pytest.raises(OhmlineError, match="point"):
        arrays.vector(values, "point")


def test_flags_and_whole_numbers_are_never_broadcast() -> None:
    with pytest.raises(ShapeError, match="3 entries, got 1"):
        arrays.flags([False], "revealed", length=3)
    with pytest.raises(ShapeError, match="True and False"):
        arrays.flags(["no"], "revealed")
    with pytest.raises(ParameterError, match=r"order\[1\] is 7"):
        arrays.whole_numbers([0, 7], "order", low=0, high=6)
    assert arrays.flags([], "revealed").dtype == bool


def test_a_value_that_cannot_be_shown_is_still_refused() -> None:
    class Shy:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    with pytest.raises(ParameterError, match="a value of type Shy"):
        checks.number(Shy(), "mu")
    with pytest.raises(ParameterError, match="int"):
        checks.number(10**5000, "mu")


def test_things_of_the_wrong_class_are_refused_by_name() -> None:
    with pytest.raises(ParameterError, match="graph must be a dict, got 3"):
        checks.instance(3, dict, "graph")
    with pytest.raises(ParameterError, match=r"side must be one of Side.LEFT, Side.RIGHT, got 'left'"):
        checks.choice("left", Side, "side")
    with pytest.raises(ParameterError, match="make must be a function"):
        checks.function(3, "make")
    with pytest.raises(ParameterError, match="nodes must be a list"):
        checks.listed(3, "nodes")
    with pytest.raises(ParameterError, match="item 1 of edges"):
        checks.pairs([(1, 2), 3], "edges")
