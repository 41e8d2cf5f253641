"""Learners over vectors as river classifiers."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, final

import numpy as np

from ohmline.adapt.scores import probabilities
from ohmline.arrays import Floats
from ohmline.checks import number
from ohmline.extras import require
from ohmline.kernel import RBF
from ohmline.learn.local_manifold import LocalManifold
from ohmline.learn.manifold import Buffer, Keep, Loss, Manifold, OnlineManifold

base: Any = require("river.base", "river")


class _OverPoints(base.Classifier):  # type: ignore[misc]
    """What both share: features by name become rows, in the order of the first point."""

    _learner: Any
    _features: list[Hashable] | None

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: dict[Hashable, Any], y: Any) -> None:
        """Learn from a point, with its label or with None.

        Parameters
        ----------
        x
            The features of a point, by name.
        y
            Its label; None when it has none.
        """
        features = sorted(x, key=repr) if self._features is None else self._features
        self._learner.learn_one(_row(x, features), y)
        self._features = features


@final
class OnlineManifoldClassifier(_OverPoints):
    """`OnlineManifold` with river's verbs, over dictionaries of numbers.

    `learn_one(x, None)` learns from a point without a label. Classes are learned as they come: one
    that appears late is treated exactly as if it had been known from the start, since one function
    that has been told "not this" at every label is always kept and becomes the newcomer's.

    The features are those of the first point learned. One that is missing later counts as 0, one
    that is new later is ignored; so scale them first (`preprocessing.StandardScaler() | ...`, or `standardise=True`).

    Parameters
    ----------
    kernel_width
        The width of the Gaussian kernel, above 0: sigma_K of paper 003. None (default) reads it off the first 100
        points.
    graph_width
        The width of the graph's weights, above 0: sigma of paper 003. None (default) reads it off the first 100 points.
    buffer_size
        How many points are kept, at least 1. Default 300.
    loss, lambda_1, lambda_2
        As for `OnlineManifold`: the loss and the weights of the norm and of the graph.
    drift
        Whether to forget the past, for streams that change. Default False.
    standardise
        Divide each feature by its standard deviation over the points that the widths are read off. Default False.
    seed
        Draws the replays under `drift`. Default 0.

    Examples
    --------
    >>> model = OnlineManifoldClassifier(kernel_width=1.0)
    >>> model.learn_one({"height": 1.0, "weight": 2.0}, "cat")
    >>> model.learn_one({"height": 5.0, "weight": 6.0}, "dog")
    >>> model.learn_one({"height": 4.5, "weight": 6.0}, None)
    >>> model.predict_one({"height": 4.8, "weight": 6.2})
    'dog'
    """

    def __init__(
        self,
        kernel_width: float | None = None,
        graph_width: float | None = None,
        buffer_size: int = 300,
        loss: str = "hinge",
        lambda_1: float = 1e-3,
        lambda_2: float = 0.3,
        drift: bool = False,
        standardise: bool = False,
        seed: int = 0,
    ) -> None:
        self.kernel_width = kernel_width
        self.graph_width = graph_width
        self.buffer_size = buffer_size
        self.loss = loss
        self.lambda_1 = lambda_1
        self.lambda_2 = lambda_2
        self.drift = drift
        self.standardise = standardise
        self.seed = seed
        self._features: list[Hashable] | None = None
        self._learner = OnlineManifold(
            None if kernel_width is None else RBF(kernel_width),
            Buffer(buffer_size, keep=Keep.NEWEST if drift else Keep.STRONGEST),
            loss,
            Manifold(graph_width),
            late_classes=True,
            lambda_1=lambda_1,
            lambda_2=lambda_2,
            drift=drift,
            standardise=standardise,
            seed=seed,
        )

    def predict_proba_one(self, x: dict[Hashable, Any], **kwargs: Any) -> dict[Any, float]:
        """The probability of every class seen so far; empty before the first label.

        Parameters
        ----------
        x
            The features of a point, by name.
        kwargs
            Not used; part of river's signature.
        """
        if self._features is None or not self._learner.classes:
            return {}
        scores = self._learner.scores_one(_row(x, self._features))
        chances = probabilities(scores[None], Loss(self.loss))[0]
        return dict(zip(self._learner.classes, chances.tolist(), strict=True))


@final
class LocalManifoldClassifier(_OverPoints):
    """`LocalManifold` with river's verbs, over dictionaries of numbers.

    `learn_one(x, None)` learns from a point without a label. Classes are learned as they come. The features are those
    of the first point learned: one that is missing later counts as 0, one that is new later is ignored; scale them
    first.

    Parameters
    ----------
    size
        How many nodes stand for the stream, at least 2. Default 300.
    memory
        After so many points what was learned weighs 1/e of what is new, for streams that change. None (default)
        forgets nothing.
    label_weight
        How much a label weighs against the neighbours of its node, above 0. None (default) takes the points seen over
        the labels seen.
    drift
        Finds out by itself how much to forget: see `LocalManifold`. Not together with `memory`. Default False.

    Examples
    --------
    >>> model = LocalManifoldClassifier()
    >>> model.learn_one({"height": 1.0, "weight": 2.0}, "cat")
    >>> model.learn_one({"height": 5.0, "weight": 6.0}, "dog")
    >>> model.learn_one({"height": 4.5, "weight": 6.0}, None)
    >>> model.predict_one({"height": 4.8, "weight": 6.2})
    'dog'
    """

    def __init__(
        self,
        size: int = 300,
        memory: float | None = None,
        label_weight: float | None = None,
        drift: bool = False,
    ) -> None:
        self.size = size
        self.memory = memory
        self.label_weight = label_weight
        self.drift = drift
        self._features: list[Hashable] | None = None
        self._learner = LocalManifold(size, memory=memory, drift=drift, label_weight=label_weight)

    def predict_proba_one(self, x: dict[Hashable, Any], **kwargs: Any) -> dict[Any, float]:
        """The probability of every class seen so far; empty before the first label.

        Parameters
        ----------
        x
            The features of a point, by name.
        kwargs
            Not used; part of river's signature.
        """
        return {} if self._features is None else self._learner.predict_proba_one(_row(x, self._features))


def _row(x: dict[Hashable, Any], features: list[Hashable]) -> Floats:
    return np.array([_value(x.get(name, 0.0), name) for name in features])


def _value(value: Any, name: Hashable) -> float:
    return float(value) if isinstance(value, bool) else number(value, f"feature {name!r}")
