"""`LocalManifold` as a scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ohmline.adapt.semi_supervised import SemiSupervised
from ohmline.arrays import AnyArray, Bools, Floats, count
from ohmline.game import Stream, play
from ohmline.learn.local_manifold import LocalManifold


@final
class LocalManifoldClassifier(ClassifierMixin, SemiSupervised, BaseEstimator):  # type: ignore[misc]
    """`LocalManifold` as a scikit-learn classifier, which learns from points without a label too.

    `fit` plays the rows in their order; `partial_fit` goes on from where it was. A label that is None or NaN is
    missing; see `unlabelled` for a marker of your own. The probabilities are calibrated online by one parameter.

    Parameters
    ----------
    size
        How many nodes stand for the rows, at least 2. Default 300.
    memory
        After so many rows what was learned weighs 1/e of what is new, for streams that change. None (default)
        forgets nothing.
    label_weight
        How much a label weighs against the neighbours of its node, above 0. None (default) takes the rows seen over the
        labels seen.
    passes
        How many times `fit` plays the rows, at least 1. Default 1.
    unlabelled
        The label that marks a missing one, by default -1, scikit-learn's own marker; None where -1 is a class.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> X, truth = make_moons(2000, noise=0.08, random_state=0)
    >>> y = np.where(np.arange(2000) % 200 < 2, truth, -1)  # 1 % of the labels
    >>> model = LocalManifoldClassifier().fit(X, y)
    >>> bool(model.score(X, truth) > 0.98)
    True
    """

    def __init__(
        self,
        *,
        size: int = 300,
        memory: float | None = None,
        label_weight: float | None = None,
        passes: int = 1,
        unlabelled: Any = -1,
    ) -> None:
        self.size = size
        self.memory = memory
        self.label_weight = label_weight
        self.passes = passes
        self.unlabelled = unlabelled

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
        self.classes_ = self._found_classes(labels, known)
        self.learner_ = self._learner()
        for _ in range(passes):
            self._play(X, labels, known)
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
        declared = self._declared_classes(classes, first=first)
        X, labels, known = self._checked(X, y, reset=first)
        self._refuse_strange(labels, known, declared)
        if first:
            self.classes_ = declared
            self.learner_ = self._learner()
        self._play(X, labels, known)
        return self

    def predict(self, X: ArrayLike) -> AnyArray:
        """The class of each point; the first class where no label was seen yet.

        Parameters
        ----------
        X
            The points, one per row.
        """
        check_is_fitted(self)
        rows = validate_data(self, X, dtype=np.float64, reset=False)
        return np.asarray(self.classes_[np.maximum(self.learner_.predict_many(rows).codes, 0)])

    def predict_proba(self, X: ArrayLike) -> Floats:
        """The probability of each class, with one row per point and one column per class.

        Parameters
        ----------
        X
            The points, one per row.
        """
        check_is_fitted(self)
        rows = validate_data(self, X, dtype=np.float64, reset=False)
        found = self.learner_.predict_many(rows).probabilities
        return np.where(np.isnan(found), 1 / len(self.classes_), found)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False
        return tags

    def _checked(self, X: ArrayLike, y: ArrayLike, *, reset: bool) -> tuple[Floats, AnyArray, Bools]:
        """Rows, labels, and where there is a label (None and NaN are none)."""
        rows = validate_data(self, X, dtype=np.float64, reset=reset)
        return rows, *self._labels(y, rows)

    def _learner(self) -> LocalManifold:
        return LocalManifold(
            self.size, range(len(self.classes_)), memory=self.memory, label_weight=self.label_weight
        )

    def _play(self, X: Floats, labels: AnyArray, known: Bools) -> None:
        codes = np.searchsorted(self.classes_, labels)
        play(self.learner_, Stream(X, codes, revealed=known))
