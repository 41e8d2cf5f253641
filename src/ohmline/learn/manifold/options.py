"""The options of a learner, as the user gave them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.errors import ParameterError
from ohmline.kernel.vector import RBF, Linear, VectorKernel
from ohmline.learn.manifold.bandwidth import Bandwidth
from ohmline.learn.manifold.bases.contract import Basis
from ohmline.learn.manifold.descent import Proximal, Step
from ohmline.learn.manifold.expansion import GAUSSIAN, LINEAR
from ohmline.learn.manifold.loss import Loss
from ohmline.learn.manifold.smoothness import FOREIGN, Manifold, Smoothness
from ohmline.learn.manifold.step import Terms

SMALLEST_WIDTH, LARGEST_WIDTH = 1e-140, 1e140


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
    standardise: bool
    seed: int

    @property
    def compiled(self) -> bool:
        """Whether a whole trial runs in compiled code."""
        return self.smoothness.form != FOREIGN

    @property
    def replays(self) -> int:
        """Steps repeated after each point."""
        return self.step.replays if isinstance(self.step, Proximal) else 0

    @property
    def open_width(self) -> bool:
        """Whether a width, or the scale of the features, must be read off the data."""
        graph = self.smoothness
        return (
            self.standardise
            or self.kernel is None
            or (isinstance(graph, Manifold) and graph.width is None and graph.weight is None)
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
        for width, name in ((getattr(self.kernel, "width", None), "kernel"), (self._graph_width, "graph")):
            if width is not None and not SMALLEST_WIDTH <= width <= LARGEST_WIDTH:
                raise ParameterError(
                    f"the width of the {name} must lie from {SMALLEST_WIDTH:g} to {LARGEST_WIDTH:g}, so that it can "
                    f"be squared, got {width:g}; scale the features first"
                )
        self.basis.check(self.smoothness)

    @property
    def _graph_width(self) -> float | None:
        return self.smoothness.width if isinstance(self.smoothness, Manifold) else None

    def terms(
        self,
        columns: Ints,
        scale: Floats,
        kernels: tuple[VectorKernel, ...],
        graph_width: float | None,
        *,
        binary: bool,
    ) -> Terms:
        """The same options as compiled code reads them, once every width is known."""
        step, graph = self.step, self.smoothness
        return Terms(
            columns=columns,
            scale=scale,
            kernel=LINEAR if isinstance(kernels[0], Linear) else GAUSSIAN,
            gain=np.array([1 / (2 * k.width**2) if isinstance(k, RBF) else 0.0 for k in kernels]),
            smoothness=graph.form,
            sharpness=1.0 if graph_width is None else 1 / (2 * graph_width**2),
            reach=graph.reach if isinstance(graph, Manifold) else 0.0,
            loss=self.loss.code,
            proximal=isinstance(step, Proximal),
            gamma=float(step.gamma),
            decaying=step.decaying if isinstance(step, Proximal) else True,
            replays=self.replays,
            steady=self.drift,
            lambda_1=self.lambda_1,
            lambda_2=self.lambda_2,
            ratio=0.0 if self.label_rate is None else 1 / self.label_rate,
            reduction=float(self.basis.pursuit.reduction),
            atoms=int(self.basis.pursuit.atoms),
            averaged=self.averaged,
            binary=binary,
        )
