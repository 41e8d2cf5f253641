"""Predictions of many nodes, without what a person may not see yet."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from ohmline.project.cards import predicted_to
from ohmline.project.unseen import unseen

if TYPE_CHECKING:
    from ohmline.project.project import Project


def seen_survey(
    project: Project, nodes: Sequence[Hashable], said: dict[str, Any], person: str | None
) -> tuple[list[int], list[float]]:
    """The code of the predicted class at each node, -1 for none, and its probability, as a person may see them."""
    codes, confidence = list(said["codes"]), list(said["confidence"])
    known = {label: code for code, label in enumerate(project.classes)}
    for place, node in enumerate(nodes):
        if unseen(project, node, person):
            seen = predicted_to(project, node, 0, person)
            codes[place] = known.get(seen.prediction, -1)
            confidence[place] = seen.confidence
    return codes, confidence
