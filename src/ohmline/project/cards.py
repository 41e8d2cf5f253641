"""What a person reads about a node: its fields, what the learner thinks and why, its neighbours and its votes."""

from __future__ import annotations

import logging
from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ohmline.labelling.answers import written_id
from ohmline.learn import LocalLGC
from ohmline.learn.local_lgc.shares import Share, chances_without, shares_of
from ohmline.project.replies import Because, Predicted
from ohmline.project.unseen import GOLD, VOTES, seen_label, unseen

if TYPE_CHECKING:
    from ohmline.project.project import Project

log = logging.getLogger("ohmline.project")
CARRIERS = 5
"""How many of the labelled nodes that carry a score a card names."""
NEIGHBOURS = 24
"""How many neighbours a card shows."""
OWN = ("text", "title", "image")
"""Fields that have a place of their own on a card."""


def predicted(project: Project, node: Hashable, why: int) -> Predicted:
    """What the learner says of a node, and the `why` labelled nodes that carry most of it."""
    learner: Any = project.model.learner
    chances = _chances(learner, node)
    ranked = tuple(sorted(chances.items(), key=lambda item: -item[1]))
    prediction = (
        learner.predict_one(node) if not ranked or not isinstance(learner, LocalLGC) else ranked[0][0]
    )
    confidence = chances.get(prediction, 0.0) if prediction is not None else 0.0
    because: tuple[Because, ...] = ()
    if why and isinstance(learner, LocalLGC):
        because = tuple(_because(project, share) for share in shares_of(learner, node, why))
    return Predicted(node, prediction, confidence, ranked, bool(because), because)


def predicted_to(project: Project, node: Hashable, why: int, person: str | None) -> Predicted:
    """What the learner says of a node, without what this person may not see yet; None is somebody who sees all."""
    hidden = unseen(project, node, person)
    if hidden == VOTES:
        return Predicted(node, None, 0.0, (), False, ())
    said = predicted_without(project, node, why) if hidden == GOLD else predicted(project, node, why)
    if not said.because:
        return said
    because = tuple(each for each in said.because if not unseen(project, each.node, person))
    return replace(said, because=because)


def predicted_without(project: Project, node: Hashable, why: int) -> Predicted:
    """What the learner would say of a node if it had no label.

    A label scales what all others contribute to the score of its own node by the same factor. So leaving its own share
    out gives the shares of the others as they would be without it.
    """
    learner: Any = project.model.learner
    if node not in project.ledger.labels:
        return predicted(project, node, why)
    if not isinstance(learner, LocalLGC):
        return Predicted(node, None, 0.0, (), False, ())
    others = [each for each in shares_of(learner, node, len(learner.nodes)) if each.node != node]
    whole = sum(each.share for each in others)
    if not whole > 0:
        return Predicted(node, None, 0.0, (), False, ())
    chances = chances_without(learner, node)
    ranked = tuple(sorted(chances.items(), key=lambda item: -item[1]))
    because = tuple(_because(project, replace(each, share=each.share / whole)) for each in others[:why])
    return Predicted(node, *ranked[0], ranked, bool(because), because)


def _because(project: Project, share: Share) -> Because:
    return Because(share.node, project.attributes.title(share.node), share.label, share.share)


def _chances(learner: Any, node: Hashable) -> dict[Any, float]:
    probabilities = getattr(learner, "predict_proba_one", None)
    if probabilities is None:
        prediction = learner.predict_one(node)
        return {} if prediction is None else {prediction: 1.0}
    found: dict[Any, float] = probabilities(node)
    return found


def card(project: Project, node: Hashable, person: str, *, blind: bool, admin: bool) -> dict[str, Any]:
    """All that is shown of a node."""
    fields = dict(project.attributes.of(node))
    image = fields.get("image", "")
    show = project.model.recipe.show
    if show is not None:
        try:
            fields |= {str(name): str(value) for name, value in show(node).items()}
        except Exception as error:  # a card without it is better than none
            log.exception("show of the recipe failed for node %r", node)
            fields["recipe"] = f"show failed for this node ({type(error).__name__}: {error})"
    looks = None if admin else person
    hidden = unseen(project, node, looks) == VOTES
    said = None if blind or hidden else predicted_to(project, node, CARRIERS, looks)
    votes = project.ledger.votes.of(node)
    return {
        "node": written_id(node),
        "title": project.attributes.title(node),
        "text": fields.get("text", ""),
        "image": f"images/{image}" if image else None,
        "fields": {name: value for name, value in fields.items() if name not in OWN},
        "label": None if blind else seen_label(project, node, looks),
        "prediction": None if said is None else said.prediction,
        "probabilities": []
        if said is None
        else [[label, round(chance, 4)] for label, chance in said.probabilities],
        "reached": said is not None and said.reached,
        "because": [] if said is None else [each.to_json() for each in said.because],
        "neighbours": _neighbours(project, node, looks, blind=blind or hidden),
        "degree": len(project.model.neighbours(node)),
        "votes": [
            {"person": who, "label": vote.label, "seq": vote.seq, "time": vote.time}
            for who, vote in votes.items()
            if admin or who == person
        ],
    }


def _neighbours(project: Project, node: Hashable, person: str | None, *, blind: bool) -> list[dict[str, Any]]:
    labels = project.ledger.labels
    found = sorted(
        project.model.neighbours(node).items(), key=lambda item: (-abs(item[1]), labels.get(item[0]) is None)
    )[:NEIGHBOURS]
    rows = []
    for other, weight in found:
        label = seen_label(project, other, person)
        opinion = None if blind or label is not None else predicted_to(project, other, 0, person).prediction
        rows.append(
            {
                "node": written_id(other),
                "title": project.attributes.title(other),
                "weight": weight,
                "label": label,
                "prediction": opinion,
            }
        )
    return rows
