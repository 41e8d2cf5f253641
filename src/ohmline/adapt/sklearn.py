"""Online manifold regularisation as a scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    assert_all_finite,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from ohmline.adapt.scores import probabilities
from ohmline.arrays import AnyArray, Bools, Floats, count
from ohmline.errors import LabelError
from ohmline.game import Stream, play
from ohmline.kernel import RBF
from ohmline.learn.manifold import Basis, Loss, Manifold, OnlineManifold


@final
class OnlineManifoldClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
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

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn from scratch.

        Parameters
        ----------
        X
            The points, one per row.
        y
            The label of each point, with labels of at least two classes.
        """
        passes = count(self.passes, "passes", least=1)
        X, labels, known = self._checked(X, y, reset=True)
        found = np.unique(labels[known])
        if self._is_marker(found).any():
            known[known] = ~self._is_marker(labels[known])
            found = found[~self._is_marker(found)]
            if len(found) < 2:
                raise LabelError(
                    f"y has {'one class' if len(found) else 'no label'} only, {found.tolist()}, beside "
                    f"{self.unlabelled!r}, which marks a missing label; pass unlabelled=None where it is a class"
                )
        if len(found) < 2:
            raise LabelError(
                f"y has {'one class' if len(found) else 'no label'} only, {found.tolist()}; "
                "a classifier needs labels of at least two classes"
            )
        self.classes_ = found
        self.learner_ = self._learner()
        for _ in range(passes):
            self._play(X, labels, known)
        self.learner_.fix_widths()
        return self

    def partial_fit(self, X: ArrayLike, y: ArrayLike, classes: Sequence[Any] | None = None) -> Self:
        """Learn from some more points.

        Parameters
        ----------
        X
            The points, one per row.
        y
            The label of each point.
        classes
            All classes, two or more. The first call must name them; later ones may leave them out (None, the default).
        """
        first = not hasattr(self, "learner_")
        if first and classes is None:
            raise LabelError(
                "the first call of partial_fit must name all classes: partial_fit(X, y, classes)"
            )
        declared = self.classes_ if classes is None else np.unique(np.asarray(classes))
        if not first and not np.array_equal(declared, self.classes_):
            raise LabelError(
                f"classes {declared.tolist()} are not those of the first call, {self.classes_.tolist()}"
            )
        if len(declared) < 2:
            raise LabelError(f"a classifier needs at least two classes, got {declared.tolist()}")
        X, labels, known = self._checked(X, y, reset=first)
        if not self._is_marker(declared).any():
            known[known] = ~self._is_marker(labels[known])
        strange = labels[known][~np.isin(labels[known], declared)]
        if len(strange):
            raise LabelError(f"label {strange[0]} is not one of the classes {declared.tolist()}")
        if first:
            self.classes_ = declared
            self.learner_ = self._learner()
        self._play(X, labels, known)
        return self

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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False
        return tags

    def _checked(self, X: ArrayLike, y: ArrayLike, *, reset: bool) -> tuple[Floats, AnyArray, Bools]:
        """Rows, labels, and where there is a label (None and NaN are none)."""
        if y is None:
            raise LabelError(
                f"{type(self).__name__} requires y to be passed, but the target y is None; "
                "give a list with None for each point without a label"
            )
        rows = validate_data(self, X, dtype=np.float64, reset=reset)
        labels = column_or_1d(np.asarray(y), warn=True)
        check_consistent_length(rows, labels)
        if labels.dtype.kind == "O":
            known = np.array([v is not None and v == v for v in labels], dtype=bool)
            plain = np.array(labels[known].tolist())
            labels = np.zeros(len(known), dtype=plain.dtype if known.any() else np.int64)
            labels[known] = plain
        else:
            known = ~np.isnan(labels) if labels.dtype.kind == "f" else np.ones(len(labels), dtype=bool)
        assert_all_finite(labels[known], input_name="y")
        if known.any():
            check_classification_targets(labels[known])
        return rows, labels, known

    def _is_marker(self, labels: AnyArray) -> Bools:
        """Where a label is the marker of a missing one."""
        if self.unlabelled is None or (labels.dtype.kind in "US" and not isinstance(self.unlabelled, str)):
            return np.zeros(len(labels), dtype=bool)
        return np.asarray(labels == self.unlabelled, dtype=bool)

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

    def _play(self, X: Floats, labels: AnyArray, known: Bools) -> None:
        codes = np.searchsorted(self.classes_, labels)
        play(self.learner_, Stream(X, codes, revealed=known))
