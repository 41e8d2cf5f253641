"""Many nodes or points at once: what one of them needs, in a loop of compiled code."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ohmline.arrays import AnyArray, Bools, Floats, Ints
from ohmline.checks import listed, shown
from ohmline.compiled import compiled
from ohmline.errors import LabelError, ShapeError
from ohmline.learn.labels import plain_label
from ohmline.learn.step import call_view, rehearsed, step_at

BLOCK = 4096
"""Trials between two moments at which Ctrl-C is heard."""


@dataclass(frozen=True, slots=True)
class Learned:
    """What many trials did to a learner.

    Attributes
    ----------
    labels
        How many labels were learned; the things without one are not counted.
    mistakes
        How many of them were predicted wrongly, each just before it was learned.
    updates
        How often the hypothesis moved.
    progress
        The sum of the squared lengths of the moves.
    """

    labels: int
    mistakes: int
    updates: int
    progress: float


@compiled
def views_at(address: int, places: AnyArray, done: Ints, codes: Ints, margins: Floats) -> None:
    """`view` of the step at an address, for the places from `done` on."""
    step = step_at(address)
    for k in range(done[0], codes.shape[0]):
        codes[k], margins[k] = call_view(step.view_code, (step.space, step.state, places[k]))
        done[0] = k + 1


@compiled
def learns_at(
    address: int,
    places: AnyArray,
    codes: Ints,
    done: Ints,
    last: int,
    said: Ints,
    moved: Bools,
    lengths: Floats,
) -> None:
    """`learn` of the step at an address, for the places from `done` up to `last`."""
    step = step_at(address)
    for k in range(done[0], last):
        said[k], margin = call_view(step.view_code, (step.space, step.state, places[k]))
        moved[k], lengths[k] = rehearsed(step, places[k], codes[k], margin)
        done[0] = k + 1


def softmax(scores: Floats) -> Floats:
    """One row of probabilities for each row of scores; only differences of scores count."""
    if not scores.shape[1]:
        return np.zeros_like(scores)
    with np.errstate(over="ignore", invalid="ignore"):
        lead = scores - scores.max(axis=1, keepdims=True)
        weights = np.exp(np.where(np.isfinite(lead), lead, np.where(scores > 0, 0.0, -np.inf)))
    return weights / weights.sum(axis=1, keepdims=True)


def both_sides(margins: Floats) -> Floats:
    """The scores of -1 and +1."""
    return np.column_stack([-margins, margins])


def examples(
    nodes: Mapping[Hashable, Any] | Iterable[Any], labels: Iterable[Any] | None
) -> tuple[list[Any], list[Any]]:
    """Things and their labels, from a mapping or from two sequences of one length; None marks a missing label."""
    if labels is None:
        if not isinstance(nodes, Mapping):
            raise LabelError(
                f"labels are missing, got only {shown(nodes)}; give learn_many a dict from nodes to labels, or nodes "
                "and labels"
            )
        things, said = list(nodes.keys()), list(nodes.values())
    elif isinstance(nodes, Mapping):
        raise LabelError("nodes is a dict that has labels, and labels are given too; give one of the two")
    else:
        things, said = listed(nodes, "nodes"), listed(labels, "labels")
    if len(things) != len(said):
        raise ShapeError(
            f"{len(things)} nodes and {len(said)} labels; give one label for each node, None for none"
        )
    return things, [plain_label(y) for y in said]
