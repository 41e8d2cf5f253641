"""The inner product on which most steps spend their time."""

from __future__ import annotations

from typing import Any

from ohmline.compiled.decorators import reassociated


@reassociated
def dot(a: Any, b: Any, length: int) -> float:
    """Sum of the first `length` products of two vectors, in the type of the first."""
    total = a.dtype.type(0)
    for k in range(length):
        total += a[k] * b[k]
    return total
