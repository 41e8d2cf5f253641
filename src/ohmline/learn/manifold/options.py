"""The options of a learner, as the user gave them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from ohmline.arrays import Ints
from ohmline.errors import ParameterError
from ohmline.kernel.vector import VectorKernel
from ohmline.learn.manifold.bandwidth import Bandwidth
from ohmline.learn.manifold.basis import Basis
from ohmline.learn.manifold.loss import Loss
from ohmline.learn.manifold.smoothness import FOREIGN, Manifold, Smoothness
from ohmline.learn.manifold.step import Proximal, Step


@final
@dataclass(frozen=True, slots=True)
class Options:
    """What the user asked for; widths may still be open."""

    kernel: VectorKernel | None
    basis: Basis
    loss: Loss
    smoothness: Smoothness
    step: Step
    label_rate: float | None
    lambda_1: float
    lambda_2: float
    averaged: bool
    drift: bool
    bandwidth: Bandwidth
    seed: int

    @property
    def compiled(self) -> bool:
        """Whether a whole trial runs in compiled code."""
        return self.smoothness.rule != FOREIGN

    @property
    def replays(self) -> int:
        """Steps repeated after each point."""
        return self.step.replays if isinstance(self.step, Proximal) else 0

    @property
    def open_width(self) -> bool:
        """Whether a width must be read off the data."""
        graph = self.smoothness
        return self.kernel is None or (
            isinstance(graph, Manifold) and graph.width is None and graph.weight is None
        )

    def columns(self, dimension: int) -> Ints:
        """The feature columns of each view of points of that dimension; -1 pads."""
        views = self.smoothness.views
        if views is None:
            return np.arange(dimension)[None]
        last = max(max(view) for view in views)
        if last >= dimension:
            raise ParameterError(
                f"{self.smoothness!r} names column {last}, but the points have {dimension} features"
            )
        table = np.full((len(views), max(map(len, views))), -1, dtype=np.int64)
        for row, view in zip(table, views, strict=True):
            row[: len(view)] = view
        return table

    def check(self) -> None:
        """Refuse combinations that make no sense, with the remedy."""
        if self.replays and not self.basis.replayable:
            raise ParameterError(
                f"{self.basis!r} keeps no points of the stream, so none can be replayed; "
                "use a Buffer, or Proximal(replays=0)"
            )
        if self.replays and not self.compiled:
            raise ParameterError(
                "points are replayed in compiled code, which cannot call a regulariser written in Python; "
                "use Manifold(width) or Multiview, or Proximal(replays=0)"
            )
        self.basis.check(self.smoothness)
