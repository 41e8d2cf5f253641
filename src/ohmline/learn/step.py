"""The step of a learner: generic functions, written once for each kind of state.

A compiled learner is a *space* (what it reads: a kernel, a graph, its options), a *state* (a `NamedTuple` of
arrays, changed in place) and bodies of `view`, `variance` and `learn` for the state's class. The learner calls
them for one event; the loop of a game (`ohmline.game.loop`) calls the same ones for many. There is no second
implementation that could drift.
"""

from __future__ import annotations

from struct import Struct
from typing import Any, NamedTuple

import numpy as np
from numba import typeof, types

from ohmline.compiled import (
    address_of,
    caller,
    compiled,
    fingerprint,
    generic,
    has_own_body,
    inlined,
    internal,
    loader,
    packed,
    packed_form,
    pointer_to,
    unpacked,
)

UNLABELLED = -1
"""The code of a label that did not come, for learners that learn from such points too."""


@generic("state")
def view(space: Any, state: Any, x: Any) -> tuple[int, float]:
    """(prediction code, margin) of x, a node's position or a row of numbers; pure."""
    raise TypeError("compiled code only")


def _unknown(space: Any, state: Any, x: Any) -> float:
    return np.nan


@generic("state", default=_unknown)
def variance(space: Any, state: Any, x: Any) -> float:
    """The learner's own uncertainty at x, in the units of a squared margin; pure. NaN by default."""
    raise TypeError("compiled code only")


@generic("state")
def learn(space: Any, state: Any, x: Any, y: Any, margin: Any) -> tuple[bool, float]:
    """Learn label code y at x, in place; (updated, progress).

    `margin` is what `view` just said of the same x, so that nothing is computed twice.
    """
    raise TypeError("compiled code only")


def _unmoved(space: Any, state: Any, upcoming: Any) -> None:
    return None


@generic("state", default=_unmoved)
def expect(space: Any, state: Any, upcoming: Any) -> None:
    """Say what comes next and will be asked for its variance; nothing comes when `upcoming` is empty.

    A learner may prepare for all of it at once. What it says of every x stays the same up to rounding.
    """
    raise TypeError("compiled code only")


def _all_of_it(space: Any, state: Any, x: Any, shown: Any, again: Any) -> float:
    return 1.0


@generic("state", default=_all_of_it)
def ahead(space: Any, state: Any, x: Any, shown: Any, again: Any) -> float:
    """Which part of what a label at node x would say is of use to nodes that are still to come, from 0 to 1; pure.

    `shown` marks the nodes that came up before, each of which counts `again` times as much as one that is still to
    come. 1 by default.
    """
    raise TypeError("compiled code only")


# From here on: the same functions for callers that know a space and a state by the addresses of their packed forms.


@internal
def view_through(space: Any, state: Any, x: Any) -> tuple[int, float]:
    """`view` of packed tuples."""
    code, margin = view(unpacked(space), unpacked(state), x)
    return np.int64(code), float(margin)  # type: ignore[return-value]


@internal
def variance_through(space: Any, state: Any, x: Any) -> float:
    """`variance` of packed tuples."""
    return float(variance(unpacked(space), unpacked(state), x))


@internal
def learn_through(space: Any, state: Any, x: Any, y: int, margin: float) -> tuple[bool, float]:
    """`learn` of packed tuples."""
    updated, progress = learn(unpacked(space), unpacked(state), x, y, margin)
    return bool(updated), float(progress)


@internal
def expect_through(space: Any, state: Any, upcoming: Any) -> int:
    """`expect` of packed tuples."""
    expect(unpacked(space), unpacked(state), upcoming)
    return 0


@internal
def ahead_through(space: Any, state: Any, x: Any, shown: Any, again: float) -> float:
    """`ahead` of packed tuples."""
    return float(ahead(unpacked(space), unpacked(state), x, shown, again))


SEEN = types.Tuple((types.int64, types.float64))
LEARNED = types.Tuple((types.boolean, types.float64))
call_view, call_learn = caller(SEEN), caller(LEARNED)
call_variance, call_expect = caller(types.float64), caller(types.int64)
call_ahead = caller(types.float64)


class Step(NamedTuple):
    """A learner as a loop knows it: addresses of packed tuples and of machine code; 0 where there is none."""

    space: int
    state: int
    rehearsal: int
    """A copy of the state, for a kernel that may miss a column."""
    view_code: int
    variance_code: int
    learn_code: int
    expect_code: int
    ahead_code: int
    table: int
    """The address of the rows that are read one by one."""
    row: int
    """How many bytes a row has; 0 where there are none to send for."""
    every_point: bool
    """Whether a thing without a label is learned from too."""


STEP = typeof(Step(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, False))
STEP_FORM = packed_form(STEP)
step_at = loader(STEP)
"""In compiled code: the `Step` at an address."""


@inlined
def rehearsed(step: Step, x: Any, y: int, margin: float) -> tuple[bool, float]:
    """`learn`, first on a copy of the state where the kernel may miss a column.

    A step that is interrupted by a missing column has spoiled the copy alone, so it can be taken again.
    """
    if step.rehearsal != 0:
        call_view(step.view_code, (step.space, step.rehearsal, x))
        call_learn(step.learn_code, (step.space, step.rehearsal, x, y, margin))
    return call_learn(step.learn_code, (step.space, step.state, x, y, margin))


@compiled
def view_at(address: int, x: Any) -> tuple[int, float]:
    """`view` of the step at an address, callable from Python."""
    step = step_at(address)
    return call_view(step.view_code, (step.space, step.state, x))


@compiled
def variance_at(address: int, x: Any) -> float:
    """`variance` of the step at an address, callable from Python."""
    step = step_at(address)
    return call_variance(step.variance_code, (step.space, step.state, x))


@compiled
def ahead_at(address: int, x: Any, shown: Any, again: float) -> float:
    """`ahead` of the step at an address, callable from Python."""
    step = step_at(address)
    return call_ahead(step.ahead_code, (step.space, step.state, x, shown, again))


@compiled
def learn_at(address: int, x: Any, y: int) -> tuple[int, bool, float]:
    """`view` then `learn` of the step at an address, callable from Python: (prediction code, updated, progress)."""
    step = step_at(address)
    prediction, margin = call_view(step.view_code, (step.space, step.state, x))
    updated, progress = rehearsed(step, x, y, margin)
    return prediction, updated, progress


class Program(NamedTuple):
    """What was compiled for one class of space and state and one kind of x."""

    space: Struct
    """The packed form of the space."""
    state: Struct
    """The packed form of the state."""
    codes: tuple[int, int, int, int, int]
    """The addresses of view, variance, learn, expect and ahead."""
    view: Any
    """`view_at` for this kind of x, without a look at its type."""
    learn: Any


class Bound(NamedTuple):
    """The step of one space and one state, and what must be kept alive while it is used."""

    address: int
    """Of the packed `Step`."""
    view: Any
    learn: Any
    rehearsal: Any
    watched: bool
    """Whether it can tell variances."""
    space: Any
    state: Any
    kept: Any


_PROGRAMS: dict[Any, Program] = {}


def bind(space: Any, state: Any, rehearsal: Any, x: Any, *, every_point: bool, watched: bool) -> Bound:
    """Compile what there is to compile, and hand out the address of the step.

    `x` is anything of the type that the step is called with; `watched` says whether variances will be asked for.
    """
    key = fingerprint((space, state, x)), watched
    program = _PROGRAMS.get(key)
    if program is None:
        program = _PROGRAMS[key] = compile_step(typeof(space), typeof(state), typeof(x), watched)
    rooms = [packed(space, program.space), packed(state, program.state)]
    if rehearsal is not None:
        rooms.append(packed(rehearsal, program.state))
    first, second, *third = (room.ctypes.data for room in rooms)
    table = getattr(space, "table", None)
    rows, stride = (0, 0) if table is None else (table.ctypes.data, table.strides[0])
    view_code, variance_code, learn_code, expect_code, ahead_code = program.codes
    step = Step(
        first,
        second,
        third[0] if third else 0,
        view_code,
        variance_code,
        learn_code,
        expect_code,
        ahead_code,
        rows,
        stride,
        every_point,
    )
    rooms.append(packed(step, STEP_FORM))
    return Bound(rooms[-1].ctypes.data, program.view, program.learn, rehearsal, watched, space, state, rooms)


def compile_step(space: Any, state: Any, x: Any, watched: bool) -> Program:
    """The machine code for these types."""
    pointers = pointer_to(space), pointer_to(state)
    prepares = watched and has_own_body(expect, state.instance_class)
    tells = watched and has_own_body(ahead, state.instance_class)
    codes = (
        address_of(view_through, SEEN, *pointers, x),
        address_of(variance_through, types.float64, *pointers, x) if watched else 0,
        address_of(learn_through, LEARNED, *pointers, x, types.int64, types.float64),
        address_of(expect_through, types.int64, *pointers, types.Array(types.int64, 1, "C"))
        if prepares
        else 0,
        address_of(
            ahead_through, types.float64, *pointers, x, types.Array(types.bool_, 1, "C"), types.float64
        )
        if tells
        else 0,
    )
    look = view_at.compile((types.int64, x))  # type: ignore[attr-defined]
    forms = packed_form(space), packed_form(state)
    return Program(*forms, codes, look, learn_at.compile((types.int64, x, types.int64)))  # type: ignore[attr-defined]
