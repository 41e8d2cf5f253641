"""Node ids and labels as they come in JSON: a string, a number, or a list of such, which is a tuple.

`true`, `false` and `null` are no ids: Python would take the first two for 1 and 0.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import msgspec

from ohmline.checks import shown
from ohmline.errors import ParameterError
from ohmline.service.problems import Problem

Node = str | int | float | list[Any]
"""A node id, as a request has it."""
Label = str | int | float
"""A class, as a request has it."""

LONGEST_TEXT = 1000
"""The most characters of an id or a class."""
LARGEST = 2**63
"""Whole numbers lie between minus this and this."""
DEEPEST = 4
"""So many lists may lie in each other ..."""
MOST_PARTS = 16
"""... with so many parts each."""


def node_of(written: Any, depth: int = 0) -> Hashable:
    """The node that a request means.

    >>> node_of(["paper", 7.0])
    ('paper', 7)

    Parameters
    ----------
    written
        What JSON had.
    depth
        In how many lists it lies.
    """
    kind = type(written)
    if kind is str:
        if len(written) <= LONGEST_TEXT and written:
            return str(written)
    elif kind is int:
        if -LARGEST <= written < LARGEST:
            return int(written)
    elif kind is float:
        whole = written.is_integer() and -LARGEST <= written < LARGEST
        return (
            int(written) if whole else float(written)
        )  # 1.0 and 1 are the same key of a dict, and the same node
    elif kind is list and depth < DEEPEST and 0 < len(written) <= MOST_PARTS:
        return tuple([node_of(part, depth + 1) for part in written])
    raise ParameterError(
        f"{shown(written)} is no node id; an id is a string of 1 to {LONGEST_TEXT} characters, a number below 2**63, "
        f"or a list of up to {MOST_PARTS} of them"
    )


def label_of(written: Any) -> Any:
    """The class that a request means.

    Parameters
    ----------
    written
        What JSON had.
    """
    if type(written) in (str, int, float) and not (
        (type(written) is str and not 0 < len(written) <= LONGEST_TEXT)
        or (type(written) is int and not -LARGEST <= written < LARGEST)
    ):
        return written
    raise ParameterError(
        f"{shown(written)} is no class; a class is a string of 1 to {LONGEST_TEXT} characters or a number below 2**63"
    )


def node_in(parameter: str, name: str = "node") -> Hashable:
    """The node that a query parameter names in JSON: `?node="a"` or `?node=7`.

    Parameters
    ----------
    parameter
        The value of the parameter.
    name
        Its name.
    """
    try:
        return node_of(msgspec.json.decode(parameter))
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        raise Problem(
            400,
            "malformed",
            f"{name} must be a node in JSON, got {shown(parameter)}",
            f'write {name}="a" for the node a, {name}=7 for the node 7',
        ) from None
