"""Names and types of columns in SQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ohmline.checks import shown, text
from ohmline.errors import ParameterError

LONGEST_NAME = 63
"""Bytes of the longest name of a table or a column: PostgreSQL cuts a longer one short without a word."""


def quoted(name: Any, what: str) -> str:
    """A name between quotes, so that nothing in it can be taken for SQL.

    >>> quoted('say "hi"; DROP TABLE x', "table")
    '"say ""hi""; DROP TABLE x"'
    """
    text(name, f"the name of {what}")
    if not name.strip() or not name.isprintable() or len(name.encode("utf-8", "replace")) > LONGEST_NAME:
        raise ParameterError(
            f"the name of {what} must be 1 to {LONGEST_NAME} printable characters, got {shown(name)}; give another one"
        )
    doubled = name.replace(chr(34), chr(34) * 2)
    return f'"{doubled}"'


def kind_of(column: Sequence[Any]) -> str:
    """The type of a column in SQL.

    >>> kind_of([1, None]), kind_of([1, 0.5]), kind_of([True]), kind_of([1, "x"])
    ('BIGINT', 'DOUBLE PRECISION', 'BOOLEAN', 'TEXT')
    """
    kinds = set(map(type, column)) - {type(None)}
    if kinds == {bool}:
        return "BOOLEAN"
    if not kinds or not kinds <= {int, float} or not all(map(_fits, column)):
        return "TEXT"
    return "BIGINT" if kinds == {int} else "DOUBLE PRECISION"


def _fits(value: Any) -> bool:
    return not isinstance(value, int) or -(2**63) <= value < 2**63
