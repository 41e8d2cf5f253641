"""A label as everybody here sees it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline.checks import shown
from ohmline.errors import LabelError
from ohmline.graph.doors.frames import is_missing


def plain_label(y: Any) -> Any:
    """The label as a hashable Python object; None where it is missing, as None, NaN and pandas' NA say in many tables.

    Examples
    --------
    >>> plain_label(np.int64(3)), plain_label(float("nan")) is None
    (3, True)
    """
    y = y.item() if isinstance(y, np.generic) else y
    try:
        hash(y)
    except TypeError:
        raise LabelError(f"label {shown(y)} is not hashable; use numbers or strings as labels") from None
    try:
        return None if y is None or y != y else y
    except (
        TypeError,
        ValueError,
    ):  # pandas.NA is neither equal to itself nor not, and other things refuse to say
        if is_missing(y):
            return None
        raise LabelError(f"label {shown(y)} cannot be compared; use numbers or strings as labels") from None
