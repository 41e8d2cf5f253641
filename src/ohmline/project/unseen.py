"""What a person may not see of a node yet: what others said of it, before they have spoken themselves.

Several answers on one node say something only as long as none was led by another, and a gold item tests people only as
long as it cannot be told from other questions. So the label of a gold item that a person has not answered is not shown
to them, and where several people are asked for each node, neither is that of a node that still waits for answers.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ohmline.project.project import Project

NOTHING, VOTES, GOLD = "", "votes", "gold"
"""What is hidden of a node: nothing; what people said of it and all that follows from it; that it is a gold item."""


def has_secrets(project: Project) -> bool:
    """Whether a project has anything that not everybody may see."""
    return project.settings.overlap > 1 or bool(project.ledger.gold)


def unseen(project: Project, node: Hashable, person: str | None) -> str:
    """What a person may not see of a node; None is somebody who may see everything."""
    ledger = project.ledger
    if person is None or (ledger.settings.overlap == 1 and not ledger.gold):
        return NOTHING
    voters = tuple(ledger.votes.voters(node))  # an export looks from another thread
    if node in ledger.gold:
        return NOTHING if person in voters else GOLD
    waits = len(voters) < ledger.settings.overlap and any(each != person for each in voters)
    return VOTES if waits and not ledger.votes.settled(node) else NOTHING


def seen_label(project: Project, node: Hashable, person: str | None) -> Any:
    """The label of a node as a person may see it: where that of all is hidden, what they said themselves."""
    if unseen(project, node, person):
        mine = project.ledger.votes.of(node).get(person or "")
        return None if mine is None else mine.label
    return project.ledger.labels.get(node)
