"""`LocalManifold` as a scikit-learn classifier."""

from __future__ import annotations

from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted, validate_data

from ohmline.adapt.vector_classifier import VectorClassifier
from ohmline.arrays import AnyArray, Floats
from ohmline.learn.local_manifold import LocalManifold


@final
class LocalManifoldClassifier(VectorClassifier):
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
    drift
        Finds out by itself how much to forget: see `LocalManifold`. Not together with `memory`. Default False.
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
        drift: bool = False,
        label_weight: float | None = None,
        passes: int = 1,
        unlabelled: Any = -1,
    ) -> None:
        self.size = size
        self.memory = memory
        self.drift = drift
        self.label_weight = label_weight
        self.passes = passes
        self.unlabelled = unlabelled

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

    def _learner(self) -> LocalManifold:
        return LocalManifold(
            self.size,
            range(len(self.classes_)),
            memory=self.memory,
            drift=self.drift,
            label_weight=self.label_weight,
        )
