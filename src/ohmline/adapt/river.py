"""Online manifold regularisation as a river classifier."""

from __future__ import annotations

import json
from collections.abc import Hashable
from typing import Any, final

import numpy as np

from ohmline.adapt.scores import probabilities
from ohmline.arrays import Floats
from ohmline.extras import require
from ohmline.kernel import RBF
from ohmline.learn.manifold import Buffer, Keep, Loss, Manifold, OnlineManifold

base: Any = require("river.base", "river")


@final
class OnlineManifoldClassifier(base.Classifier):  # type: ignore[misc]
    """``OnlineManifold`` with river's verbs, over dictionaries of numbers.

    ``learn_one(x, None)`` learns from a point without a label. Classes are learned as they come: one
    that appears late is treated exactly as if it had been known from the start, since one function
    that has been told "not this" at every label is always kept and becomes the newcomer's.

    The features are those of the first point learned. One that is missing later counts as 0, one
    that is new later is ignored; so scale them first (``preprocessing.StandardScaler() | ...``).

    Parameters
    ----------
    kernel_width
        sigma_K of paper 003; read off the first hundred points when None.
    graph_width
        sigma of the graph weights; read off the first hundred points when None.
    buffer_size
        Points kept.
    loss
        ``"hinge"``, ``"squared-hinge"``, ``"logistic"`` or ``"squared"``.
    lambda_1
        Weight of the norm.
    lambda_2
        Weight of the graph: how much unlabelled points matter.
    drift
        Forget the past: for streams that change.
    seed
        For the replays under ``drift``.

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
        seed: int = 0,
    ) -> None:
        self.kernel_width = kernel_width
        self.graph_width = graph_width
        self.buffer_size = buffer_size
        self.loss = loss
        self.lambda_1 = lambda_1
        self.lambda_2 = lambda_2
        self.drift = drift
        self.seed = seed
        self._features: list[Hashable] | None = None
        self._classes: list[Any] = []
        # More functions than classes seen, always: the last has had every label against it.
        self._learner = OnlineManifold(
            None if kernel_width is None else RBF(kernel_width),
            Buffer(buffer_size, keep=Keep.NEWEST if drift else Keep.LABELLED),
            loss,
            Manifold(graph_width),
            classes=range(3),
            lambda_1=lambda_1,
            lambda_2=lambda_2,
            drift=drift,
            seed=seed,
        )

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: dict[Hashable, Any], y: Any) -> None:
        """Learn from a point, with its label or with None."""
        features = sorted(x, key=repr) if self._features is None else self._features
        row = _row(x, features)
        learner, classes = self._learner, self._classes
        y = y.item() if isinstance(y, np.generic) else y
        if y is not None and y not in classes:
            classes = [*classes, y]
            if len(classes) == len(learner.classes):
                learner = with_one_more_class(learner)
        learner.learn_one(row, None if y is None else classes.index(y))
        self._features, self._learner, self._classes = features, learner, classes

    def predict_proba_one(self, x: dict[Hashable, Any], **kwargs: Any) -> dict[Any, float]:
        """The probability of every class seen so far; empty before the first label."""
        if self._features is None or not self._classes:
            return {}
        scores = self._learner.scores_one(_row(x, self._features))[: len(self._classes)]
        chances = probabilities(scores[None], Loss(self.loss))[0]
        return dict(zip(self._classes, chances.tolist(), strict=True))


def _row(x: dict[Hashable, Any], features: list[Hashable]) -> Floats:
    return np.array([float(x.get(name, 0.0)) for name in features])


def with_one_more_class(learner: OnlineManifold) -> OnlineManifold:
    """The same learner with a class more: its last function, which never had a label, is doubled."""
    state = learner.snapshot()
    settings = json.loads(str(state["settings"]))
    settings["classes"] = list(range(len(settings["classes"]) + 1))
    state["settings"] = np.array(json.dumps(settings))
    for name in ("alpha", "mean", "value"):
        key = f"expansion.{name}"
        if key in state:
            state[key] = np.concatenate([state[key], state[key][:, -1:]], axis=1)
    return OnlineManifold.restore(state)
