"""Batch manifold regularisation: the reference f* of paper 003."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike

from ohmline.arrays import Floats, matrix, non_negative, positive
from ohmline.checks import function, none_or
from ohmline.errors import LearnerError, ParameterError, ShapeError
from ohmline.graph.graph import Graph
from ohmline.kernel.vector import RBF, VectorKernel
from ohmline.learn.batch.between import between
from ohmline.learn.batch.deformed import solve_deformed
from ohmline.learn.batch.labelling import Labelling
from ohmline.learn.contract import learner_box
from ohmline.learn.manifold.arguments import expect_moderate
from ohmline.learn.manifold.choices import member
from ohmline.learn.manifold.loss import Loss
from ohmline.learn.travel import expect_named


@final
class LapSVM:
    """Learns from labelled and unlabelled vectors at once: manifold regularisation, solved to the last digits.

    It finds f* = argmin J(f) of paper 003, eq. (1):

        J(f) = 1/l sum_labelled c(f(x_t), y_t) + lambda_1/2 ||f||^2 + lambda_2/(2T) sum_st w_st (f_s - f_t)^2

    | paper | here |
    |---|---|
    | K, sigma_K | `kernel`: `RBF(sigma_K)`, for example |
    | w_st, sigma | `weights`: `RBF(sigma)` is the paper's Gaussian |
    | c | `loss` |
    | f* = sum alpha_i K(x_i, .) | `coefficients`, one column per function |
    | f*(x_i), norm of f* squared | `values` and `sqnorm` |
    | J(f*) | `risk`, and `gap`, a proven limit on how far it is above the minimum |

    The sum over all ordered pairs is twice f'Lf, so both regularisers together are half the
    squared norm of a *deformed* space, whose kernel on the points is
    K~ = (lambda_1 I + 2 lambda_2/T K L)^-1 K (Sindhwani, Niyogi and Belkin 2005). There the problem
    is an ordinary kernel machine without a bias on the l labelled points: a linear system for the
    squared loss, Newton's method for the logistic one; for the hinge losses the dual, a quadratic
    over a box, solved by an interior-point method, and as bounded least squares where the loss is squared.

    Two classes make one function (the later label, in sorted order, is positive); more make
    one against the rest each, over one shared factorisation. Cost O(T^3 + T^2 l), memory O(T^2).

    Parameters
    ----------
    kernel
        The space of f; None (default) takes an `RBF` as wide as the median distance between points.
    weights
        The weights between points, all at least 0: a vector kernel, any function of two tables of points that gives
        such a matrix, or a `Graph` whose positions are the rows of the points. None (default) takes an `RBF` a
        quarter as wide as the median distance between points.
    lambda_1
        Weight of the norm, above 0. Default 1e-4.
    lambda_2
        Weight of the graph, at least 0: how much unlabelled points matter. Default 1.
    loss
        `"hinge"` (default), `"squared-hinge"`, `"logistic"` or `"squared"`.

    Examples
    --------
    >>> import ohmline as ohm
    >>> X = np.array([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]])
    >>> model = LapSVM(ohm.RBF(0.3), ohm.RBF(0.1)).fit(X, [-1, None, None, None, None, 1])
    >>> model.predict([[0.15], [0.95]])
    [-1, 1]
    >>> model.gap < 1e-9
    True

    References
    ----------
    Belkin, Niyogi and Sindhwani, Manifold regularization, JMLR 2006.
    Goldberg, Li and Zhu, Online manifold regularization, ECML 2008.
    """

    def __init__(
        self,
        kernel: VectorKernel | None = None,
        weights: VectorKernel | Callable[[Floats, Floats], Floats] | Graph | None = None,
        *,
        lambda_1: float = 1e-4,
        lambda_2: float = 1.0,
        loss: Loss | str = Loss.HINGE,
    ) -> None:
        self.kernel = none_or(function, kernel, "kernel", remedy="give RBF(width), for example")
        self.weights = weights
        if not isinstance(weights, Graph):
            none_or(function, weights, "weights", remedy="give a Graph, or RBF(width), for example")
        self.lambda_1 = positive(lambda_1, "lambda_1")
        self.lambda_2 = non_negative(lambda_2, "lambda_2")
        self.loss = member(Loss, loss, "loss")
        self._points: Floats | None = None

    def fit(self, points: ArrayLike, labels: Iterable[Any]) -> Self:
        """Solve for f*.

        Parameters
        ----------
        points
            One row per point, labelled or not.
        labels
            One label per point, with None or NaN where there is none. At least two classes, or -1 and +1 of which
            one may be missing.

        Returns
        -------
        Self
            This model, with f* in it.
        """
        x = matrix(points, "points")
        labelling = Labelling.of(labels, len(x))
        targets = labelling.targets()
        expect_moderate(x, "points")
        kernel = self.kernel if self.kernel is not None else RBF(median_distance(x))
        gram = between(kernel, x, x, "kernel")
        spread = (2 * self.lambda_2 / len(x)) * self._laplacian_times(gram, x)
        known = np.flatnonzero(labelling.known)
        solved = solve_deformed(gram, spread, self.lambda_1, known, targets, self.loss)
        self.coefficients, self.values = solved.coefficients, solved.values
        self.risk, self.gap, self.sqnorm = solved.risk, solved.gap, solved.sqnorm
        self.classes = labelling.classes
        self._points, self._fitted = x, kernel
        return self

    def margins(self, points: ArrayLike) -> Floats:
        """f*(x) for each point; `LearnerError` before `fit`.

        Parameters
        ----------
        points
            One row per point, with the columns that `fit` saw.

        Returns
        -------
        array
            One number per point for two classes, positive for the later one; else one column per class.
        """
        if self._points is None:
            raise LearnerError("this LapSVM has not seen any data; call fit first")
        x = matrix(points, "points")
        if x.shape[1] != self._points.shape[1]:
            raise ShapeError(
                f"points have {x.shape[1]} columns, but fit saw {self._points.shape[1]}; use the same ones"
            )
        scores = between(self._fitted, x, self._points, "kernel") @ self.coefficients
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, points: ArrayLike) -> list[Any]:
        """The class of each point; a zero margin predicts the later of two classes, as online.

        Parameters
        ----------
        points
            One row per point, with the columns that `fit` saw.
        """
        scores = self.margins(points)
        return said(scores, self.classes)

    def _laplacian_times(self, gram: Floats, x: Floats) -> Floats:
        """L K, with L = D - W of the weights between the points."""
        if self.lambda_2 == 0:
            return np.zeros_like(gram)
        if isinstance(self.weights, Graph):
            if self.weights.n != len(x):
                raise ShapeError(
                    f"the graph of weights has {self.weights.n} nodes for {len(x)} points; "
                    "build it over the same points"
                )
            return np.asarray(self.weights.laplacian() @ gram, dtype=np.float64)
        weights = self.weights if self.weights is not None else RBF(median_distance(x) / 4)
        w = between(weights, x, x, "weights")
        if (w < 0).any():
            raise ParameterError("weights must give one weight of at least 0 for each pair of points")
        return np.asarray(w.sum(1)[:, None] * gram - w @ gram, dtype=np.float64)

    def __getstate__(self) -> object:
        expect_named(self, "kernel", self.kernel, "RBF(1.0)(a, b)")
        expect_named(self, "weights", self.weights, "RBF(1.0)(a, b)")
        return super().__getstate__()

    def __repr__(self) -> str:
        return (
            f"LapSVM({self.kernel!r}, {self.weights!r}, lambda_1={self.lambda_1:g}, "
            f"lambda_2={self.lambda_2:g}, loss={str(self.loss)!r})"
        )

    def _repr_html_(self) -> str:
        return learner_box(self)


def said(scores: Floats, classes: tuple[Any, ...]) -> list[Any]:
    """The class of each row of scores; a zero margin is the later of two classes, as online."""
    codes = (scores >= 0).astype(np.int64) if scores.ndim == 1 else scores.argmax(1)
    return [classes[code] for code in codes]


def median_distance(x: Floats, most: int = 500) -> float:
    """The median distance between (at most 500, evenly picked) points; 1 when they coincide."""
    some = x[np.linspace(0, len(x) - 1, min(len(x), most)).astype(np.int64)]
    sq = (some * some).sum(1)[:, None] + (some * some).sum(1) - 2 * some @ some.T
    apart = np.sqrt(np.maximum(sq[np.triu_indices(len(some), 1)], 0.0))
    middle = float(np.median(apart)) if len(apart) else 0.0
    return middle if middle > 0 else 1.0
