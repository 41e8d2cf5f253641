"""Values that nobody means."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import ohmline as ohm


class Boom(Exception):
    """What a hostile value raises by itself: it may pass through, because it is not ours."""


def _boom(*arguments: Any, **options: Any) -> Any:
    raise Boom


def _broken_generator() -> Iterator[int]:
    yield 0
    raise Boom


class Hostile:
    """An object that fails whatever is asked of it, its own repr included."""

    __len__ = __iter__ = __eq__ = __repr__ = __float__ = __int__ = __array__ = _boom  # type: ignore[assignment]
    __hash__ = _boom  # type: ignore[assignment]


class Foreign:
    """A class of somebody else that takes no arguments.

    Not one such as int: what the caller's own function raises is for the caller, and its TypeError looks like ours.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        if arguments or options:
            raise Boom


def graph() -> ohm.Graph:
    return ohm.Graph.from_edges([(k, k + 1) for k in range(5)])


def _read_only() -> Any:
    array = np.arange(6.0)
    array.flags.writeable = False
    return array


NASTY: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "False": lambda: False,
    "0": lambda: 0,
    "1": lambda: 1,
    "-1": lambda: -1,
    "3": lambda: 3,
    "10**400": lambda: 10**400,
    "10**5000": lambda: 10**5000,
    "2**63": lambda: 2**63,
    "-2**63-1": lambda: -(2**63) - 1,
    "10**12": lambda: 10**12,
    "0.5": lambda: 0.5,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "-inf": lambda: -float("inf"),
    "1e308": lambda: 1e308,
    "5e-324": lambda: 5e-324,
    "-0.0": lambda: -0.0,
    "1j": lambda: 1j,
    "empty string": lambda: "",
    "'no'": lambda: "no",
    "'0.5'": lambda: "0.5",
    "a string with a zero": lambda: "a\0b",
    "a lone surrogate": lambda: "\ud800",
    "bytes": lambda: b"\xff",
    "[]": list,
    "[[]]": lambda: [[]],
    "[None]": lambda: [None],
    "[nan]": lambda: [float("nan")],
    "ragged": lambda: [[1.0], [1.0, 2.0]],
    "[-1]": lambda: [-1],
    "[10**7]": lambda: [10**7],
    "list of strings": lambda: ["a", "b"],
    "()": lambda: (),
    "a pair": lambda: (0, 1),
    "{}": dict,
    "{0: []}": lambda: {0: []},
    "{'x': 1}": lambda: {"x": 1},
    "set": lambda: {1},
    "object": object,
    "a class": lambda: Foreign,
    "a function that raises": lambda: _boom,
    "a function of nothing": lambda: lambda *a, **k: None,
    "a broken generator": _broken_generator,
    "a hostile object": Hostile,
    "an empty array": lambda: np.zeros(0),
    "an empty matrix": lambda: np.zeros((0, 0)),
    "an array without rows": lambda: np.zeros((0, 2)),
    "an array without columns": lambda: np.zeros((2, 0)),
    "an array of nan": lambda: np.full(6, np.nan),
    "a matrix of inf": lambda: np.full((6, 2), np.inf),
    "a 0-d array": lambda: np.array(3.0),
    "a masked array": lambda: np.ma.array(np.arange(6.0), mask=[0, 0, 1, 0, 0, 0]),
    "a complex array": lambda: np.ones(6) * 1j,
    "an object array": lambda: np.array([None, 1, "a", [], {}, object()], dtype=object),
    "a bool array": lambda: np.array([True, False, True, False, True, False]),
    "a text array": lambda: np.array(list("abcdef")),
    "whole numbers": lambda: np.arange(6),
    "large positions": lambda: np.full(6, 10**9),
    "negative positions": lambda: np.full(6, -7),
    "uint64": lambda: np.array([2**64 - 1] * 6, dtype=np.uint64),
    "a read-only array": _read_only,
    "a reversed array": lambda: np.arange(6.0)[::-1],
    "a cube": lambda: np.zeros((2, 2, 2)),
    "a long array": lambda: np.zeros(300_000),
    "a date": lambda: np.datetime64("NaT"),
    "a structured array": lambda: np.zeros(6, dtype=[("a", float)]),
    "a graph": graph,
    "a kernel": lambda: ohm.LaplacianKernel(graph()),
    "a learner": lambda: ohm.NearestNeighbour(graph()),
    "a stream": lambda: ohm.Stream([0, 1], [1, -1]),
    "an empty stream": lambda: ohm.Stream([], []),
    "a query": lambda: ohm.RandomRate(0.5),
    "an enum": lambda: ohm.Distance.RESISTANCE,
    "a node index": lambda: graph().nodes,
}
