"""Scikit-learn classifiers: online manifold regularisation over vectors, and `GraphClassifier` over a graph."""

from __future__ import annotations

from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from ohmline.adapt.graph_classifier import GraphClassifier as GraphClassifier
from ohmline.adapt.local_manifold import LocalManifoldClassifier as LocalManifoldClassifier
from ohmline.adapt.scores import probabilities
from ohmline.adapt.vector_classifier import VectorClassifier
from ohmline.arrays import AnyArray, Floats
from ohmline.kernel import RBF
from ohmline.learn.manifold import Basis, Loss, Manifold, OnlineManifold


@final
class OnlineManifoldClassifier(VectorClassifier):
    """`OnlineManifold` as a scikit-learn classifier, which learns from points without a label too.

    `fit` plays the rows in their order; `partial_fit` goes on from where it was. A label that is None or NaN is
    missing; see `unlabelled` for a marker of your own. The probabilities are a logistic function of the scores: in
    the right order, and calibrated only as far as the loss makes them so (`loss="logistic"`).

    Parameters
    ----------
    kernel_width
        The width of the Gaussian kernel, above 0: sigma_K of paper 003. None (default) reads it off the data.
    graph_width
        The width of the graph's weights, above 0: sigma of paper 003. None (default) reads it off the data.
    basis
        `Buffer`, `RPTree`, `Nystroem` or `Full`. None (default) keeps a buffer of 300 points.
    loss
        `"hinge"` (default), `"squared-hinge"`, `"logistic"` or `"squared"`.
    lambda_1
        Weight of the norm, at least 0. Default 0.001.
    lambda_2
        Weight of the graph, at least 0: how much unlabelled points matter. Default 0.3.
    averaged
        Whether to predict with the average of all functions instead of the latest. Default False.
    drift
        Whether to forget the past, for streams that change. Default False.
    standardise
        Divide each feature by its standard deviation over the points that the widths are read off. Default False.
    passes
        How many times `fit` plays the rows, at least 1. Default 1.
    unlabelled
        The label that marks a missing one, by default -1, scikit-learn's own marker; it is never guessed to be a class.
        So `fit` refuses y in {-1, +1}, which has labels of one class only: pass `unlabelled=None` where -1 is a class.
        `partial_fit` takes it for a class where `classes` names it.
    random_state
        Draws the replays and the directions of a tree: a seed, a NumPy `RandomState`, or None (default) for
        NumPy's global one.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> X, truth = make_moons(2000, noise=0.08, random_state=0)
    >>> y = np.where(np.arange(2000) % 100 < 2, truth, -1)  # 2 % of the labels
    >>> model = OnlineManifoldClassifier().fit(X, y)
    >>> bool(model.score(X, truth) > 0.97)
    True
    """

    def __init__(
        self,
        *,
        kernel_width: float | None = None,
        graph_width: float | None = None,
        basis: Basis | None = None,
        loss: Loss | str = "hinge",
        lambda_1: float = 1e-3,
        lambda_2: float = 0.3,
        averaged: bool = False,
        drift: bool = False,
        standardise: bool = False,
        passes: int = 1,
        unlabelled: Any = -1,
        random_state: Any = None,
    ) -> None:
        self.kernel_width = kernel_width
        self.graph_width = graph_width
        self.basis = basis
        self.loss = loss
        self.lambda_1 = lambda_1
        self.lambda_2 = lambda_2
        self.averaged = averaged
        self.drift = drift
        self.standardise = standardise
        self.passes = passes
        self.unlabelled = unlabelled
        self.random_state = random_state

    def _settle(self) -> None:
        self.learner_.fix_widths()

    def decision_function(self, X: ArrayLike) -> Floats:
        """The scores of each point.

        Parameters
        ----------
        X
            The points, one per row.

        Returns
        -------
        array
            For two classes one score per point, above 0 for the second class; otherwise one column per class.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        function = self.learner_.average if self.averaged else self.learner_.function
        return function(X)

    def predict(self, X: ArrayLike) -> AnyArray:
        """The class of each point.

        Parameters
        ----------
        X
            The points, one per row.
        """
        scores = self.decision_function(X)
        codes = (scores > 0).astype(np.int64) if scores.ndim == 1 else scores.argmax(1)
        return np.asarray(self.classes_[codes])

    def predict_proba(self, X: ArrayLike) -> Floats:
        """The probability of each class, with one row per point and one column per class.

        Parameters
        ----------
        X
            The points, one per row.
        """
        scores = self.decision_function(X)
        both = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
        return probabilities(both, Loss(self.loss))

    def _learner(self) -> OnlineManifold:
        return OnlineManifold(
            None if self.kernel_width is None else RBF(self.kernel_width),
            self.basis,
            self.loss,
            Manifold(self.graph_width),
            classes=range(len(self.classes_)),
            lambda_1=self.lambda_1,
            lambda_2=self.lambda_2,
            averaged=self.averaged,
            drift=self.drift,
            standardise=self.standardise,
            seed=int(check_random_state(self.random_state).randint(2**31)),
        )
