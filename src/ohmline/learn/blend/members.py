"""The members of a blend: whether they fit together, and what each is restored over."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ohmline.checks import instance, listed, shown
from ohmline.compiled import undisturbed
from ohmline.errors import LearnerError
from ohmline.graph.nodes import NodeIndex
from ohmline.learn.compiled_learner import CompiledLearner
from ohmline.learn.contract import BinaryLearner, OnlineLearner, Update, expect_learner
from ohmline.learn.features.given import GivenProbabilities
from ohmline.learn.features.learner import FeatureLearner
from ohmline.learn.features.made import learner_of
from ohmline.learn.node_learner import arrays_of
from ohmline.learn.one_vs_rest import OneVsRest

Member = OnlineLearner[Any, Any]


def checked_members(learners: Iterable[Any]) -> tuple[Member, ...]:
    """The members, or what they are made of, if they fit together."""
    members = tuple(learner_of(each, f"learners[{k}]") for k, each in enumerate(listed(learners, "learners")))
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
    if nodes_of(member) is None and not any(hasattr(member, name) for name in ("learners", "learner")):
        return None  # a learner over vectors says everything in its snapshot
    if getattr(member, "prior", None) is not None:
        return member.graph, member.prior
    for name in ("learners", "relations", "kernel", "graph", "features", "learner"):
        if hasattr(member, name):
            return getattr(member, name)
    return None


def order_of_learning(members: tuple[Member, ...]) -> list[int]:
    """Who learns first: every member but the last is copied at each label, so that the largest comes last."""

    def size(k: int) -> float:
        member = members[k]
        if isinstance(member, CompiledLearner) and hasattr(member.state, "_asdict"):
            return float(sum(array.nbytes for array in arrays_of(member.state).values()))
        return 0.0 if is_copied_at_once(member) else 1e9

    return sorted(range(len(members)), key=size)


def is_copied_at_once(member: Member) -> bool:
    """Whether a checkpoint of it costs nothing, however much it has learned."""
    return isinstance(member, FeatureLearner | GivenProbabilities)


def teach_all(
    members: tuple[Member, ...], order: list[int], x: Any, y: Any, written: Callable[[], None]
) -> list[Update]:
    """All members learn a label, in this order, and `written` puts down what follows from it; or nothing happens.

    The last one is copied only where that costs nothing: otherwise a Ctrl-C waits until it has learned its label.
    """
    copied = order if is_copied_at_once(members[order[-1]]) else order[:-1]
    put_back = together([members[k].checkpoint() for k in copied])
    done = False
    try:
        found = {k: members[k].learn_one(x, y) for k in copied}
        with undisturbed():
            found |= {k: members[k].learn_one(x, y) for k in order[len(copied) :]}
            written()
            done = True
    except BaseException:
        if not done:
            put_back()
        raise
    return [found[k] for k in range(len(found))]


def together(parts: list[Callable[[], None]]) -> Callable[[], None]:
    """One function that puts back all."""

    def put_back() -> None:
        with undisturbed():
            for part in parts:
                part()

    return put_back
