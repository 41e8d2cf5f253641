"""What scikit-learn classifiers share that learn from points without a label too."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, check_consistent_length

from ohmline.arrays import AnyArray, Bools
from ohmline.errors import LabelError


class SemiSupervised:
    """Reads labels of which some are missing: None, NaN, or the marker `unlabelled`."""

    unlabelled: Any
    classes_: AnyArray

    def _labels(self, y: ArrayLike, rows: Any) -> tuple[AnyArray, Bools]:
        """The labels, one for each row, and where there is one."""
        if y is None:
            raise LabelError(
                f"{type(self).__name__} requires y to be passed, but the target y is None; "
                "give a list with None for each point without a label"
            )
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
        return labels, known

    def _found_classes(self, labels: AnyArray, known: Bools) -> AnyArray:
        """The classes among the labels, two or more; where the marker stands, `known` becomes False."""
        found = np.unique(labels[known])
        beside = ""
        if self._is_marker(found).any():
            known[known] = ~self._is_marker(labels[known])
            found = found[~self._is_marker(found)]
            beside = f", beside {self.unlabelled!r}, which marks a missing label"
            beside += "; pass unlabelled=None where it is a class"
        if len(found) < 2:
            raise LabelError(
                (f"y has one class only, {found.tolist()}" if len(found) else "y has no label")
                + (beside or "; a classifier needs labels of at least two classes")
            )
        return found

    def _declared_classes(self, classes: Any, *, first: bool) -> AnyArray:
        """The classes of `partial_fit`: named by its first call, and the same ever after."""
        if first and classes is None:
            raise LabelError(
                "the first call of partial_fit must name all classes: partial_fit(X, y, classes)"
            )
        declared: AnyArray = self.classes_ if classes is None else np.unique(np.asarray(classes))
        if not first and not np.array_equal(declared, self.classes_):
            raise LabelError(
                f"classes {declared.tolist()} are not those of the first call, {self.classes_.tolist()}"
            )
        if len(declared) < 2:
            raise LabelError(f"a classifier needs at least two classes, got {declared.tolist()}")
        return declared

    def _refuse_strange(self, labels: AnyArray, known: Bools, declared: AnyArray) -> None:
        """Raise where a label is none of the classes; where the marker stands, `known` becomes False."""
        if not self._is_marker(declared).any():
            known[known] = ~self._is_marker(labels[known])
        strange = labels[known][~np.isin(labels[known], declared)]
        if len(strange):
            raise LabelError(f"label {strange[0]} is not one of the classes {declared.tolist()}")

    def _is_marker(self, labels: AnyArray) -> Bools:
        """Where a label is the marker of a missing one."""
        if self.unlabelled is None:
            return np.zeros(len(labels), dtype=bool)
        # Among strings NumPy writes the marker -1 as "-1".
        marker = str(self.unlabelled) if labels.dtype.kind in "US" else self.unlabelled
        return np.asarray(labels == marker, dtype=bool)
