"""A kernel machine that looks at the labelled points only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike

from ohmline.arrays import Floats, matrix
from ohmline.checks import listed
from ohmline.kernel.vector import RBF, VectorKernel
from ohmline.learn.batch.labelling import Labelling
from ohmline.learn.batch.lapsvm import LapSVM, median_distance
from ohmline.learn.contract import learner_box
from ohmline.learn.manifold.loss import Loss
from ohmline.learn.travel import expect_named


@final
class LabelledOnly:
    """Learns from the labelled vectors alone: the baseline that unlabelled points have to beat.

    A support vector machine with the hinge loss, kernel ridge regression with the squared one; any
    loss is J(f) of paper 003 at lambda_2 = 0, where by the representer theorem points without a label
    play no part and are dropped before solving.

    Parameters
    ----------
    kernel
        The space of f; None (default) takes an `RBF` as wide as the median distance between all points, labelled or
        not.
    lambda_1
        Weight of the norm, above 0. Default 1e-4.
    loss
        `"hinge"` (default), `"squared-hinge"`, `"logistic"` or `"squared"`.

    Examples
    --------
    >>> import ohmline as ohm
    >>> X = np.array([[0.0], [0.1], [1.0], [1.1]])
    >>> LabelledOnly(ohm.RBF(0.3)).fit(X, ["low", None, None, "high"]).predict([[0.2], [0.9]])
    ['low', 'high']
    """

    def __init__(
        self,
        kernel: VectorKernel | None = None,
        *,
        lambda_1: float = 1e-4,
        loss: Loss | str = Loss.HINGE,
    ) -> None:
        self.kernel = kernel
        self._machine = LapSVM(kernel, lambda_1=lambda_1, lambda_2=0.0, loss=loss)

    def fit(self, points: ArrayLike, labels: Iterable[Any]) -> Self:
        """Solve on the labelled points.

        Parameters
        ----------
        points, labels
            As for `LapSVM.fit`; what has no label is passed over.

        Returns
        -------
        Self
            This model, with f in it.
        """
        x = matrix(points, "points")
        given = listed(labels, "labels")
        known = np.flatnonzero(Labelling.of(given, len(x)).known)
        settings = self._machine
        kernel = self.kernel if self.kernel is not None else RBF(median_distance(x))
        machine = LapSVM(kernel, lambda_1=settings.lambda_1, lambda_2=0.0, loss=settings.loss)
        self._machine = machine.fit(x[known], [given[k] for k in known])
        return self

    @property
    def risk(self) -> float:
        """J(f) at lambda_2 = 0."""
        return self._machine.risk

    @property
    def classes(self) -> tuple[Any, ...]:
        """The labels, in sorted order."""
        return self._machine.classes

    def margins(self, points: ArrayLike) -> Floats:
        """f(x) for each point, as `LapSVM.margins` gives it.

        Parameters
        ----------
        points
            One row per point, with the columns that `fit` saw.
        """
        return self._machine.margins(points)

    def predict(self, points: ArrayLike) -> list[Any]:
        """The class of each point, as `LapSVM.predict` gives it.

        Parameters
        ----------
        points
            One row per point, with the columns that `fit` saw.
        """
        return self._machine.predict(points)

    def __getstate__(self) -> object:
        expect_named(self, "kernel", self.kernel, "RBF(1.0)(a, b)")
        return super().__getstate__()

    def __repr__(self) -> str:
        machine = self._machine
        return f"LabelledOnly({self.kernel!r}, lambda_1={machine.lambda_1:g}, loss={str(machine.loss)!r})"

    def _repr_html_(self) -> str:
        return learner_box(self)
