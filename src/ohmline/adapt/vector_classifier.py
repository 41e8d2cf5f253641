"""What scikit-learn classifiers over vectors share: rows are played in their order, with and without labels."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import validate_data

from ohmline.adapt.semi_supervised import SemiSupervised
from ohmline.arrays import AnyArray, Bools, Floats, count
from ohmline.game import Stream, play


class VectorClassifier(ClassifierMixin, SemiSupervised, BaseEstimator):  # type: ignore[misc]
    """Plays rows to a learner over vectors; a subclass makes the learner and says what it predicts."""

    passes: int
    learner_: Any

    @abstractmethod
    def _learner(self) -> Any:
        """A fresh learner of the classes 0, 1, ..., from the parameters."""

    def _settle(self) -> None:
        """What `fit` does once all rows were played."""

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
        self._settle()
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False
        return tags

    def _checked(self, X: ArrayLike, y: ArrayLike, *, reset: bool) -> tuple[Floats, AnyArray, Bools]:
        """Rows, labels, and where there is a label (None and NaN are none)."""
        rows = validate_data(self, X, dtype=np.float64, reset=reset)
        return rows, *self._labels(y, rows)

    def _play(self, X: Floats, labels: AnyArray, known: Bools) -> None:
        codes = np.searchsorted(self.classes_, labels)
        play(self.learner_, Stream(X, codes, revealed=known))
