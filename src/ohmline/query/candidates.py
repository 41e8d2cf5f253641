"""Scores that are exact for the most promising nodes alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ohmline.arrays import Bools, Floats, Ints
from ohmline.query.field import HELD, Field


def best_columns(
    field: Field, open: Bools, guess: Callable[[], Floats], k: int
) -> Iterator[tuple[Ints, Floats]]:
    """The columns of the k open nodes of largest guess, a few at a time: their positions, and their columns as rows.

    Nothing is guessed where all open nodes are wanted.
    """
    places = np.flatnonzero(open)
    if k < len(places):
        scores = guess()[places]
        places = np.sort(places[np.argpartition(-scores, k - 1)[:k]])
    for start in range(0, len(places), HELD):
        some = places[start : start + HELD]
        yield some, field.columns(some)
