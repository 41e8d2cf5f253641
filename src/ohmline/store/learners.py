"""A learner as plain values and arrays, with whatever it is made of, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ohmline import learn
from ohmline.arrays import AnyArray
from ohmline.checks import shown
from ohmline.errors import FileFormatError, SnapshotError
from ohmline.learn import (
    Blend,
    Compatibility,
    ConformalSets,
    FeatureLearner,
    GivenProbabilities,
    LocalLGC,
    LocalManifold,
    OneVsRest,
    OnlineLearner,
    OnlineLogistic,
    OnlineManifold,
    State,
    TypedLGC,
)
from ohmline.learn.blend.learner import part_of
from ohmline.learn.classes import written as written_classes
from ohmline.learn.node_learner import BinaryNodeLearner
from ohmline.learn.snapshots import saved_list
from ohmline.store.places import Described, Found, Written

KINDS: Mapping[str, type[OnlineLearner[Any, Any]]] = {
    kind.__name__: kind
    for kind in vars(learn).values()
    if isinstance(kind, type) and issubclass(kind, OnlineLearner) and hasattr(kind, "kind")
}
"""The learners that can be in a file, by name."""


OVER_VECTORS = (OnlineManifold, LocalManifold)
"""Learners that stand on nothing: their snapshot says everything."""


def described(learner: Any, to: Written) -> tuple[Described, State]:
    """What a file says of a learner, and its arrays."""
    kind = type(learner).__name__
    if KINDS.get(kind) is not type(learner):
        raise SnapshotError(
            f"{kind} is not a learner of this library, so no file can say how to make it; keep its snapshot() instead"
        )
    state: State = learner.snapshot()
    about: Described = {"learner": kind, "place": None}
    if isinstance(learner, Blend):
        return _blend(learner, state, about, to)
    if isinstance(learner, FeatureLearner):
        return _over_features(learner, state, about, to)
    if isinstance(learner, ConformalSets):
        inner, arrays = described(learner.learner, to)
        state = {key: value for key, value in state.items() if not key.startswith("learner/")}
        return {**about, "inner": inner}, state | {f"learner/{key}": value for key, value in arrays.items()}
    if not isinstance(learner, OVER_VECTORS):
        about["place"] = to.place(_stands_on(learner))
    if isinstance(learner, LocalLGC) and learner.prior is not None:
        about["prior"], arrays = described(learner.prior, to)
        state = {key: value for key, value in state.items() if not key.startswith("prior/")}
        state |= {f"prior/{key}": value for key, value in arrays.items()}
    if isinstance(learner, GivenProbabilities):
        state["probabilities"] = np.array(learner.probabilities)
        state["classes"] = np.array(written_classes(learner.classes, "classes"))
    if isinstance(learner, OneVsRest):
        about["member"] = type(learner.unseen).__name__
        state |= {f"fresh/{key}": value for key, value in learner.fresh().snapshot().items()}
    return about, state


def _blend(blend: Blend, state: State, about: Described, to: Written) -> tuple[Described, State]:
    parts = [described(member, to) for member in blend.learners]
    state = {key: value for key, value in state.items() if not key.partition("/")[0].isdigit()}
    for k, (_, arrays) in enumerate(parts):
        state |= {f"{k}/{key}": value for key, value in arrays.items()}
    return {**about, "members": [part for part, _ in parts]}, state


def _over_features(
    learner: FeatureLearner, state: State, about: Described, to: Written
) -> tuple[Described, State]:
    if not isinstance(learner.model, OVER_VECTORS):
        raise SnapshotError(
            f"{shown(learner.model)} is of another library, so no file can say how to make it; keep snapshot(), and "
            "restore it over a fresh one"
        )
    model, arrays = described(learner.model, to)
    state |= {f"model/{key}": value for key, value in arrays.items()}
    return {**about, "place": to.place(learner.features), "model": model}, state


def revived(about: Described, state: State, of: Found) -> Any:
    """The learner of a description."""
    kind = known_kind(about.get("learner"))
    if kind in OVER_VECTORS:
        return kind.restore(state, None)
    if kind is Blend:
        members = [revived(part, part_of(state, str(k)), of) for k, part in enumerate(about["members"])]
        for k, member in enumerate(members):  # without what the file needs to make them
            own = member.snapshot()
            state = {key: value for key, value in state.items() if not key.startswith(f"{k}/")}
            state |= {f"{k}/{key}": value for key, value in own.items()}
        return Blend.restore(state, members)
    if kind is ConformalSets:
        member = revived(about["inner"], part_of(state, "learner"), of)
        state = {key: value for key, value in state.items() if not key.startswith("learner/")}
        return ConformalSets.restore(
            state | {f"learner/{key}": value for key, value in member.snapshot().items()}, member
        )
    place = of.place(about["place"])
    if about.get("prior") is not None:
        prior = revived(about["prior"], part_of(state, "prior"), of)
        state = {key: value for key, value in state.items() if not key.startswith("prior/")}
        own = prior.snapshot()
        return LocalLGC.restore(state | {f"prior/{key}": value for key, value in own.items()}, (place, prior))
    if kind is FeatureLearner:
        return FeatureLearner.restore(state, (place, revived(about["model"], part_of(state, "model"), of)))
    if kind is GivenProbabilities:
        classes = saved_list(state, kind.__name__, "classes")
        return GivenProbabilities.restore(state, GivenProbabilities(state["probabilities"], place, classes))
    if kind is not OneVsRest:
        return kind.restore(state, place)
    member_kind = known_kind(about.get("member"))
    if not issubclass(member_kind, BinaryNodeLearner):
        raise FileFormatError(f"OneVsRest is made of binary learners, not of {member_kind.__name__}")
    rest = {key: value for key, value in state.items() if not key.startswith("fresh/")}
    return OneVsRest.restore(rest, Maker(member_kind, part_of(state, "fresh"), place))


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes fresh binary learners for `OneVsRest`, as the function did that the saved one was made with."""

    kind: type[BinaryNodeLearner]
    state: dict[str, AnyArray]
    place: Any

    def __call__(self) -> BinaryNodeLearner:
        return self.kind.restore({key: np.array(value) for key, value in self.state.items()}, self.place)


def known_kind(name: Any) -> type[OnlineLearner[Any, Any]]:
    """The class of a learner by its name in a file."""
    if not isinstance(name, str) or name not in KINDS:
        raise FileFormatError(f"the file holds a {name!r}, which this version does not know; upgrade ohmline")
    return KINDS[name]


def _stands_on(learner: Any) -> Any:
    """The kernel, graph or features that `restore` wants."""
    if isinstance(learner, OneVsRest):
        return _stands_on(learner.unseen)
    if isinstance(learner, OnlineLogistic):
        return learner.features
    if isinstance(learner, Compatibility | TypedLGC):
        return learner.relations
    return learner.kernel if hasattr(learner, "kernel") else learner.graph
