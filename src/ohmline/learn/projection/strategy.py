"""Corrective strategies: which examples a projection must satisfy, and what if it cannot."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from enum import Enum, IntEnum
from typing import NamedTuple

from ohmline.arrays import Ints
from ohmline.compiled import internal
from ohmline.errors import ConflictingLabels
from ohmline.learn.contract import Label


class Strategy(IntEnum):
    """The index sets U_t of paper 000's Algorithm 2 that have compiled steps."""

    LATEST = 0
    """{t}: the newest example alone."""
    ALL = 1
    """{1, ..., t}: every example so far."""
    MISTAKES = 2
    """The mistaken trials so far, and t."""


CUSTOM = 3
"""The code of a strategy that is the user's own function."""

DEPENDENT = 1e-13
"""A point whose squared distance from the span of the others is below this share of its length depends on them, for
that is rounding: its value is theirs, and its label must agree or contradicts them."""

Chooser = Callable[
    [Sequence[int], Callable[[Hashable], float], Sequence[tuple[Hashable, Label]]], Iterable[int]
]
"""`strategy(mistakes, margin, examples)`: U_t as indices into `examples`, whose last is trial t.

`mistakes` are the indices of the mistaken trials (t too, if it is one), `margin(node)` is the
hypothesis before the update, and `examples` are the pairs (node, label) of all trials.
"""


class Contradiction(Enum):
    """What to do when no hypothesis satisfies every example of U_t."""

    RAISE = "raise"
    """Raise an error and leave the learner as it was."""
    RELABEL = "relabel"
    """A node's newest label replaces its older one; if the examples still contradict one another,
    those that contradict earlier ones are passed over, except t, which is then satisfied alone."""


class Demands(NamedTuple):
    """What is asked of the hypothesis in every trial, as compiled code reads it."""

    strategy: int
    """A `Strategy`, or `CUSTOM`."""
    cyclic: bool
    aggressive: bool
    relabel: bool
    """Whether a contradiction is resolved in favour of the newest label."""


SAME, NEW, TURNED = range(3)
"""What `enlist` did."""


@internal
def enlist(label: Ints, order: Ints, size: Ints, i: int, y: int, relabel: bool) -> int:
    """Add the example (i, y) to the constraints; a node that is there already keeps its place."""
    if label[i] == y:
        return SAME
    if label[i] != 0:
        if not relabel:
            raise ConflictingLabels(
                "the node of this trial came before with the other label, so no hypothesis fits both; "
                "pass contradiction=Contradiction.RELABEL to let the newest label of a node win"
            )
        label[i] = y
        return TURNED
    label[i] = y
    order[size[0]] = i
    size[0] += 1
    return NEW


@internal
def forget(label: Ints, order: Ints, size: Ints) -> None:
    """Drop every constraint."""
    for k in range(size[0]):
        label[order[k]] = 0
        order[k] = 0
    size[0] = 0


@internal
def record(label: Ints, order: Ints, size: Ints, history: Ints, seen: Ints, wrong: bool) -> None:
    """The end of a trial under a custom strategy: its example becomes history, U_t is forgotten."""
    history[2, seen[0]] = wrong
    seen[0] += 1
    forget(label, order, size)


@internal
def dismiss(label: Ints, order: Ints, size: Ints, i: int) -> None:
    """Take back the newest constraint, which is node i."""
    size[0] -= 1
    order[size[0]] = 0
    label[i] = 0
