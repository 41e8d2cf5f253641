"""Learners from what users have: features alone, or a classifier and the features that it is for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ohmline.checks import shown
from ohmline.errors import LearnerError
from ohmline.learn.contract import OnlineLearner
from ohmline.learn.features.learner import FeatureLearner
from ohmline.learn.features.logistic import OnlineLogistic
from ohmline.learn.features.rows import NodeFeatures


def learner_of(given: Any, what: str, classes: Iterable[Any] | None = None) -> Any:
    """A learner over nodes of features, or of a pair (features, classifier); anything else as it is.

    A classifier without features is refused: nobody could say which row belongs to which node.
    """
    if isinstance(given, NodeFeatures):
        return OnlineLogistic(given, classes)
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], NodeFeatures):
        return FeatureLearner(given[0], given[1], classes)
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], NodeFeatures):
        raise LearnerError(f"{what} is a pair with the features last; give (features, classifier)")
    verbs = ("partial_fit", "learn_one", "predict_proba_one")
    if not isinstance(given, OnlineLearner | type) and any(
        callable(getattr(given, verb, None)) for verb in verbs
    ):
        raise LearnerError(
            f"{what} is the classifier {shown(given)}, which learns rows, not nodes; give it together with the rows of "
            "the nodes: (NodeFeatures(rows, graph), classifier)"
        )
    return given
