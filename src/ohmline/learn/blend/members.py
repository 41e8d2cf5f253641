"""The members of a blend: whether they fit together, and what each is restored over."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ohmline.checks import instance, listed, shown
from ohmline.errors import LearnerError
from ohmline.graph.nodes import NodeIndex
from ohmline.learn.compiled_learner import CompiledLearner
from ohmline.learn.contract import BinaryLearner, OnlineLearner, expect_learner
from ohmline.learn.features.given import GivenProbabilities
from ohmline.learn.features.learner import FeatureLearner
from ohmline.learn.node_learner import arrays_of
from ohmline.learn.one_vs_rest import OneVsRest

Member = OnlineLearner[Any, Any]


def checked_members(learners: Iterable[Member]) -> tuple[Member, ...]:
    """The members, if they fit together."""
    members = tuple(listed(learners, "learners"))
    if not members:
        raise LearnerError("a blend of no learners; give one or more")
    for k, member in enumerate(members):
        instance(member, OnlineLearner, f"learners[{k}]", "give learners, made over one graph", LearnerError)
        expect_learner(member)
    twice = [k for k, member in enumerate(members) if any(member is other for other in members[:k])]
    if twice:
        raise LearnerError(
            f"learners[{twice[0]}] is there twice, and would learn every label twice; give a copy: copy.copy(learner)"
        )
    expect_same_nodes(members)
    return members


def expect_same_nodes(members: tuple[Member, ...]) -> None:
    """Raise where members are about different things."""
    first = nodes_of(members[0])
    for k, member in enumerate(members[1:], start=1):
        mine = nodes_of(member)
        if (first is None) != (mine is None):
            raise LearnerError(
                "some of the learners are over nodes and others over vectors, and a blend asks all of them about the "
                "same things; FeatureLearner(NodeFeatures(rows, graph), learner) teaches a learner over vectors the "
                "rows of nodes"
            )
        if first is not None and mine is not None and first.fingerprint != mine.fingerprint:
            raise LearnerError(
                f"learners[0] knows {len(first)} nodes and learners[{k}] {len(mine)}, or other ones; make them over "
                "the same graph"
            )


def agreed_classes(members: tuple[Member, ...]) -> tuple[tuple[Any, ...] | None, tuple[Any, ...]]:
    """The classes that members were declared with, None where all learn them as they come; and those known already."""
    declared: tuple[Any, ...] | None = None
    for k, member in enumerate(members):
        mine = member.declared_classes
        if mine is None:
            continue
        if declared is not None and set(mine) != set(declared):
            raise LearnerError(
                f"the learners disagree on the classes: learners[{k}] was declared with {shown(mine)}, another with "
                f"{shown(declared)}; declare the same ones"
            )
        declared = mine if declared is None else declared
    met = {k: known_classes(m) for k, m in enumerate(members) if m.declared_classes is None}
    for k, mine in met.items():
        strange = set(mine) - set(declared if declared is not None else next(iter(met.values())))
        lacking = set() if declared is not None else set(next(iter(met.values()))) - set(mine)
        if strange or lacking:
            raise LearnerError(
                f"learners[{k}] has learned the classes {shown(mine)} already, and the others have not: it comes from "
                "other data; give learners that have learned nothing, or the same labels"
            )
    return declared, (next(iter(met.values())) if met and declared is None else ())


def known_classes(member: Member) -> tuple[Any, ...]:
    """The classes that a member has met."""
    return (-1, 1) if isinstance(member, BinaryLearner) else tuple(getattr(member, "classes", ()))


def nodes_of(member: Member) -> NodeIndex | None:
    """The nodes of a member; None for one over vectors."""
    found = getattr(member, "nodes", None)
    return found if isinstance(found, NodeIndex) else None


def stands_on(member: Any) -> Any:
    """What `restore` of a member's class wants: a kernel, a graph, features, a function, or the member itself."""
    if isinstance(member, OneVsRest):
        return member.make
    if isinstance(member, FeatureLearner | GivenProbabilities):
        return member
    if nodes_of(member) is None and not hasattr(member, "learners"):
        return None  # a learner over vectors says everything in its snapshot
    for name in ("learners", "kernel", "graph", "features"):
        if hasattr(member, name):
            return getattr(member, name)
    return None


def order_of_learning(members: tuple[Member, ...]) -> list[int]:
    """Who learns first: every member but the last is copied at each label, so that the largest comes last."""

    def size(k: int) -> float:
        member = members[k]
        if isinstance(member, CompiledLearner) and hasattr(member.state, "_asdict"):
            return float(sum(array.nbytes for array in arrays_of(member.state).values()))
        return 0.0 if isinstance(member, FeatureLearner | GivenProbabilities) else 1e9

    return sorted(range(len(members)), key=size)


def together(parts: list[Callable[[], None]]) -> Callable[[], None]:
    """One function that puts back all."""

    def put_back() -> None:
        for part in parts:
            part()

    return put_back
