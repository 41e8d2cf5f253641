"""Batch multiview learning: functions of different features that must agree (paper 003, section 2.1, ii)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike

from ohmline.arrays import Floats, matrix, non_negative, positive
from ohmline.checks import function, none_or
from ohmline.errors import LearnerError, ParameterError
from ohmline.kernel.vector import RBF, VectorKernel
from ohmline.learn.batch.between import between
from ohmline.learn.batch.deformed import solve_deformed
from ohmline.learn.batch.labelling import Labelling
from ohmline.learn.batch.lapsvm import median_distance, said
from ohmline.learn.contract import learner_box
from ohmline.learn.manifold.arguments import expect_moderate
from ohmline.learn.manifold.choices import member
from ohmline.learn.manifold.function import KernelFunction
from ohmline.learn.manifold.loss import Loss
from ohmline.learn.manifold.smoothness import Multiview
from ohmline.learn.travel import expect_named


@final
class MultiviewSVM:
    """Learns one function per view from labelled and unlabelled vectors at once, solved to the last digits.

    It finds the f_1 .. f_M that minimise

        1/l sum_labelled sum_i c(f_i(x_t), y_t) + lambda_1/2 sum_i ||f_i||^2
            + lambda_2/T sum_t sum_ij (f_i(x_t) - f_j(x_t))^2

    (paper 003, section 2.1; Differs: there the last sum lacks 1/T, which the manifold's has). It is the batch
    solution of `OnlineManifold(smoothness=Multiview(...))`; the prediction is that of the mean of the functions.

    The last term is f'Mf with M = 2 lambda_2/T (M I - 11') between the views of each point, so the problem is a kernel
    machine in a deformed space of M T values, as `LapSVM` is in one of T. Cost O((M T)^3), memory O((M T)^2). Two
    classes make M functions (the later label, in sorted order, is positive); more make M against the rest each.

    Parameters
    ----------
    *views
        Two or more lists of feature columns, counted from 0: one function each. They may share columns.
    kernel
        The space of every f_i; None (default) takes for each view an `RBF` as wide as the median distance in it.
    lambda_1
        Weight of the norms, above 0. Default 1e-4.
    lambda_2
        Weight of the agreement, at least 0: how much unlabelled points matter. Default 1.
    loss
        `"hinge"` (default), `"squared-hinge"`, `"logistic"` or `"squared"`.

    Examples
    --------
    >>> import ohmline as ohm
    >>> X = np.array([[0.0, 5.0], [0.1, 5.1], [1.0, 7.0], [1.1, 7.1]])
    >>> model = MultiviewSVM([0], [1], kernel=ohm.RBF(0.5)).fit(X, [-1, None, None, 1])
    >>> model.predict([[0.05, 5.0], [1.0, 7.1]])
    [-1, 1]
    >>> model.gap < 1e-9
    True

    References
    ----------
    Sindhwani, Niyogi and Belkin, A co-regularized approach to semi-supervised learning with multiple views, 2005.
    """

    def __init__(
        self,
        *views: Sequence[int],
        kernel: VectorKernel | None = None,
        lambda_1: float = 1e-4,
        lambda_2: float = 1.0,
        loss: Loss | str = Loss.HINGE,
    ) -> None:
        self.views = Multiview(*views).views
        none_or(function, kernel, "kernel", remedy="give RBF(width), for example")
        self.kernel = kernel
        self.lambda_1 = positive(lambda_1, "lambda_1")
        self.lambda_2 = non_negative(lambda_2, "lambda_2")
        self.loss = member(Loss, loss, "loss")
        self._function: KernelFunction | None = None

    def fit(self, points: ArrayLike, labels: Iterable[Any]) -> Self:
        """Solve for f_1 .. f_M.

        Parameters
        ----------
        points, labels
            As for `LapSVM.fit`.

        Returns
        -------
        Self
            This model, with the functions in it.
        """
        x = matrix(points, "points")
        labelling = Labelling.of(labels, len(x))
        targets, known = labelling.targets(), np.flatnonzero(labelling.known)
        last, views, n = max(map(max, self.views)), len(self.views), len(x)
        if last >= x.shape[1]:
            raise ParameterError(f"a view names column {last}, but the points have {x.shape[1]} features")
        expect_moderate(x, "points")
        columns = tuple(np.array(view) for view in self.views)
        kernels = tuple(
            RBF(median_distance(x[:, view])) if self.kernel is None else self.kernel for view in columns
        )
        gram = np.zeros((views * n, views * n))
        for v, (kernel, view) in enumerate(zip(kernels, columns, strict=True)):
            gram[v * n : v * n + n, v * n : v * n + n] = between(kernel, x[:, view], x[:, view], "kernel")
        apart = 4 * self.lambda_2 / n * (views * np.eye(views) - 1)
        spread = np.einsum("vw,wtk->vtk", apart, gram.reshape(views, n, -1)).reshape(gram.shape)
        everywhere = (np.arange(views)[:, None] * n + known).ravel()
        solved = solve_deformed(
            gram, spread, self.lambda_1, everywhere, np.tile(targets, (views, 1)), self.loss, float(views)
        )
        self.risk, self.gap, self.sqnorm = solved.risk, solved.gap, solved.sqnorm
        alpha = solved.coefficients.T.reshape(-1, views, n).transpose(1, 0, 2)
        self._function = KernelFunction(kernels, columns, x.copy(), np.ascontiguousarray(alpha))
        self.classes = labelling.classes
        return self

    @property
    def function(self) -> KernelFunction:
        """The functions, as one: its value is their mean. `LearnerError` before `fit`."""
        if self._function is None:
            raise LearnerError("this MultiviewSVM has not seen any data; call fit first")
        return self._function

    def margins(self, points: ArrayLike) -> Floats:
        """The mean of the functions at each point; `LearnerError` before `fit`.

        Parameters
        ----------
        points
            As for `LapSVM.margins`.

        Returns
        -------
        array
            Of the same shape as those of `LapSVM`.
        """
        return self.function(points)

    def predict(self, points: ArrayLike) -> list[Any]:
        """The class that the mean of the functions says of each point; a tie is the later of two classes.

        Parameters
        ----------
        points
            As for `margins`.
        """
        return said(self.margins(points), self.classes)

    def __getstate__(self) -> object:
        expect_named(self, "kernel", self.kernel, "RBF(1.0)(a, b)")
        return super().__getstate__()

    def __repr__(self) -> str:
        views = ", ".join(map(str, self.views))
        return (
            f"MultiviewSVM({views}, kernel={self.kernel!r}, lambda_1={self.lambda_1:g}, "
            f"lambda_2={self.lambda_2:g}, loss={str(self.loss)!r})"
        )

    def _repr_html_(self) -> str:
        return learner_box(self)
