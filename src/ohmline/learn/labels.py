"""A label as everybody here sees it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ohmline.checks import shown
from ohmline.errors import LabelError


def plain_label(y: Any) -> Any:
    """The label as a hashable Python object; None where it is missing, as None and NaN say in many tables.

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
    return None if y is None or y != y else y
