"""Every point as the basis: Algorithm 1 of paper 003 as it is printed."""

from __future__ import annotations

import sys
from typing import Any, final

from ohmline.learn.manifold.bases.buffer import BufferState
from ohmline.learn.manifold.bases.contract import Basis
from ohmline.learn.manifold.pursuit import Pursuit
from ohmline.learn.manifold.smoothness import Smoothness


@final
class Full(Basis):
    """A basis of all points so far: for reference and for short streams.

    Memory grows with the square of the stream. Cost of trial t: t x (neighbours of the point), which
    with a fixed graph width is a fixed share of t, so the whole stream costs the cube of its length
    (the paper says the square).

    Examples
    --------
    >>> Full()
    Full()
    """

    grows = True
    replayable = True

    def __init__(self) -> None:
        self.pursuit = Pursuit()

    @property
    def capacity(self) -> int:
        return 256

    def start(self, dimension: int, width: float) -> BufferState:
        # A buffer that is never full.
        return BufferState(sys.maxsize, False, False)

    def check(self, smoothness: Smoothness) -> None:
        pass  # any regulariser will do

    def settings(self) -> dict[str, Any]:
        return {}
