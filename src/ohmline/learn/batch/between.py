"""What a kernel or a weight function of the user's says of two tables of points, checked."""

from __future__ import annotations

from collections.abc import Callable

from ohmline.arrays import Floats, matrix
from ohmline.checks import shown
from ohmline.errors import OhmlineError, ParameterError, ShapeError


def between(function: Callable[[Floats, Floats], Floats], a: Floats, b: Floats, name: str) -> Floats:
    """The matrix that `function` gives: one finite number for each row of `a` and each of `b`.

    >>> import numpy as np
    >>> between(lambda a, b: np.eye(2), np.zeros((3, 1)), np.zeros((3, 1)), "kernel")
    Traceback (most recent call last):
    ohmline.errors.ShapeError: kernel must give one number for each pair of 3 and 3 points, got the shape (2, 2)
    """
    try:
        found = function(a, b)
    except OhmlineError:
        raise
    except Exception as error:
        raise ParameterError(
            f"{name} cannot take {len(a)} and {len(b)} points: {type(error).__name__}: {shown(str(error))}; it takes "
            "two tables of points and gives a matrix, as RBF(width) does"
        ) from error
    given = matrix(found, name)
    if given.shape != (len(a), len(b)):
        raise ShapeError(
            f"{name} must give one number for each pair of {len(a)} and {len(b)} points, got the shape {given.shape}"
        )
    return given
