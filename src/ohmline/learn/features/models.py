"""Online classifiers of other libraries behind one face: rows in, probabilities out.

A model of another library cannot be asked for its state as plain arrays. So what it learned is remembered as the nodes
and labels in their order, and taught again to a copy of the model as it was given. Its coins must fall alike then.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Protocol, final

import numpy as np

from ohmline.arrays import Floats
from ohmline.checks import shown
from ohmline.errors import LearnerError, OhmlineError
from ohmline.learn.belief import TellsChances
from ohmline.learn.contract import OnlineLearner
from ohmline.learn.features.rows import NodeFeatures
from ohmline.learn.step import UNLABELLED

Event = tuple[int, int]
"""A position, and the code of the label learned there."""
SEED = 0
"""Of a classifier of scikit-learn whose `random_state` is left open."""


class Model(Protocol):
    """A classifier over the rows of features; a label is a code, a place in the names of the classes."""

    learns_unlabelled: bool

    def learn(self, events: list[Event], names: tuple[Any, ...]) -> None:
        """Learn the last of the events; these are the classes by now."""

    def chances(self, place: int, names: tuple[Any, ...]) -> Floats | None:
        """The probability of each class at a position; None for "don't know"."""


@final
class ScikitModel:
    """A classifier of scikit-learn with `partial_fit` and `predict_proba`.

    It is told its classes at the first label. Where another comes, a fresh one learns all labels again; with a single
    class there is nothing to fit yet.
    """

    learns_unlabelled = False

    def __init__(self, fresh: Any, features: NodeFeatures) -> None:
        self._fresh, self._features = seeded(fresh), features
        self._model: Any = None
        self._classes = 0
        self._rows = features.matrix if features.is_sparse else None

    def learn(self, events: list[Event], names: tuple[Any, ...]) -> None:
        """Learn the last of the events, or all of them where a class is new."""
        if len(names) < 2:
            return
        late, model = events[-1:], self._model
        if model is None or len(names) != self._classes:
            late, model = events, deepcopy(self._fresh)
        for place, code in late:
            model.partial_fit(self._row(place), np.array([code]), classes=np.arange(len(names)))
        self._model, self._classes = model, len(names)

    def chances(self, place: int, names: tuple[Any, ...]) -> Floats | None:
        """What `predict_proba` says."""
        if self._model is None:
            return np.ones(1) if len(names) == 1 else None
        mine = getattr(self._model, "classes_", None)
        if mine is not None and not np.array_equal(mine, np.arange(len(names))):
            raise LearnerError(
                f"{shown(self._fresh)} has the columns {shown(mine)} in classes_, and partial_fit was told the classes "
                f"0 to {len(names) - 1}; let classes_ be the classes that it is told, in their order"
            )
        return np.asarray(self._model.predict_proba(self._row(place)), dtype=np.float64)[0]

    def _row(self, place: int) -> Any:
        return self._features.dense_at(place)[None] if self._rows is None else self._rows[[place]]


@final
class RiverModel:
    """A classifier of river: `learn_one` and `predict_proba_one` over dictionaries."""

    learns_unlabelled = False

    def __init__(self, fresh: Any, features: NodeFeatures) -> None:
        self._model, self._features = deepcopy(fresh), features

    def learn(self, events: list[Event], names: tuple[Any, ...]) -> None:
        """Learn the last of the events."""
        place, code = events[-1]
        self._model.learn_one(self._features.named_at(place), code)

    def chances(self, place: int, names: tuple[Any, ...]) -> Floats | None:
        """What `predict_proba_one` says."""
        said = self._model.predict_proba_one(self._features.named_at(place))
        return _shares(np.array([said.get(code, 0.0) for code in range(len(names))], dtype=np.float64))


@final
class VectorModel:
    """A learner of this library over vectors, which learns from rows without a label too."""

    learns_unlabelled = True

    def __init__(self, fresh: OnlineLearner[Any, Any], features: NodeFeatures) -> None:
        self._model, self._features = deepcopy(fresh), features
        self._teller = self._model if isinstance(self._model, TellsChances) else None

    def learn(self, events: list[Event], names: tuple[Any, ...]) -> None:
        """Learn the last of the events."""
        place, code = events[-1]
        label = None if code == UNLABELLED else names[code]
        self._model.learn_one(self._features.dense_at(place), label)

    def chances(self, place: int, names: tuple[Any, ...]) -> Floats | None:
        """What `predict_proba_one` says, or `predict_many` where there is none."""
        row = self._features.dense_at(place)
        if self._teller is not None:
            said = self._teller.predict_proba_one(row)
        else:
            table = self._model.predict_many([row])
            known = table.codes[0] >= 0
            said = dict(zip(table.classes, table.probabilities[0].tolist(), strict=True)) if known else {}
        return _shares(np.array([said.get(name, 0.0) for name in names], dtype=np.float64))


def _shares(chance: Floats) -> Floats | None:
    """Probabilities that sum to 1; None where all are 0."""
    total = float(chance.sum())
    return chance / total if total > 0 else None


def model_of(fresh: Any, features: NodeFeatures) -> Model:
    """The face of a model that has learned nothing, by the verbs that it has."""
    if isinstance(fresh, type):
        raise LearnerError(
            f"model must be a classifier, got the class {fresh.__name__}; make one first: {fresh.__name__}(...)"
        )
    if isinstance(fresh, OnlineLearner):
        if getattr(fresh, "nodes", None) is not None:
            raise LearnerError(f"{shown(fresh)} learns nodes, not rows; give it to Blend beside the features")
        return VectorModel(fresh, features)
    if callable(getattr(fresh, "partial_fit", None)):
        return _scikit(fresh, features)
    if callable(getattr(fresh, "learn_one", None)) and callable(getattr(fresh, "predict_proba_one", None)):
        if getattr(fresh, "_is_stochastic", False):
            raise LearnerError(
                f"{shown(fresh)} draws by chance and has no seed, so that what it learned cannot be taught again; give "
                f"one with a seed: {type(fresh).__name__}(..., seed=0)"
            )
        return RiverModel(fresh, features)
    raise LearnerError(
        f"{shown(fresh)} is no online classifier with probabilities; give one of scikit-learn with partial_fit and "
        "predict_proba, one of river, or a learner of this library over vectors"
    )


def _scikit(fresh: Any, features: NodeFeatures) -> ScikitModel:
    if not callable(getattr(fresh, "predict_proba", None)):
        raise LearnerError(
            f"{shown(fresh)} has no predict_proba, and probabilities are needed; choose a loss that has them, such as "
            'SGDClassifier(loss="log_loss")'
        )
    if hasattr(fresh, "classes_"):
        raise LearnerError(
            f"{shown(fresh)} has been fitted already, with classes of its own; give sklearn.base.clone of it, or what "
            "it says as GivenProbabilities"
        )
    return ScikitModel(fresh, features)


def seeded(fresh: Any) -> Any:
    """A copy of a classifier of scikit-learn in which every `random_state` that is open is `SEED`."""
    copy = deepcopy(fresh)
    if callable(getattr(copy, "get_params", None)) and callable(getattr(copy, "set_params", None)):
        found = copy.get_params(deep=True).items()
        ours = [name for name, value in found if value is None and name.split("__")[-1] == "random_state"]
        if ours:
            copy.set_params(**dict.fromkeys(ours, SEED))
    return copy


def asked(model: Model, fresh: Any, place: int, names: tuple[Any, ...]) -> Floats | None:
    """`chances` of a model, checked: other people's code may say anything."""
    try:
        with np.errstate(all="ignore"):  # what comes of it is checked
            chance = model.chances(place, names)
    except OhmlineError:
        raise
    except Exception as error:
        raise LearnerError(f"{shown(fresh)} failed to predict: {error}") from error
    if chance is None or (chance.shape == (len(names),) and bool(np.isnan(chance).all())):
        return None
    sound = chance.shape == (len(names),) and bool(np.isfinite(chance).all()) and bool((chance >= 0).all())
    if not sound or not abs(float(chance.sum()) - 1) < 1e-3:
        raise LearnerError(
            f"{shown(fresh)} says {shown(chance.tolist())}, which is no distribution over {len(names)} classes: "
            "they must be at least 0 and sum to 1, or all be NaN where nothing is known; mend its predict_proba, or "
            "give probabilities of your own as GivenProbabilities"
        )
    return np.asarray(chance / chance.sum())


def learn(model: Model, fresh: Any, events: list[Event], names: tuple[Any, ...]) -> None:
    """`learn` of a model, whose errors name it."""
    try:
        with np.errstate(all="ignore"):
            model.learn(events, names)
    except OhmlineError:
        raise
    except Exception as error:
        negative = "negative" in str(error).lower()
        remedy = "; if the features were scaled, give NodeFeatures(..., scaled=False)" if negative else ""
        raise LearnerError(f"{shown(fresh)} failed to learn: {error}{remedy}") from error


def taught(fresh: Any, features: NodeFeatures, events: list[Event], names: tuple[Any, ...]) -> Model:
    """A model that has learned these events, in their order."""
    model = model_of(fresh, features)
    if isinstance(model, ScikitModel):  # all at once, as at a new class
        if events:
            learn(model, fresh, events, names)
        return model
    for event in events:
        learn(model, fresh, [event], names)
    return model
