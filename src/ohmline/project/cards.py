"""What a person reads about a node: its fields, what the learner thinks and why, its neighbours and its votes."""

from __future__ import annotations

import logging
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from ohmline.labelling.answers import written_id
from ohmline.learn import LocalLGC
from ohmline.learn.local_lgc.shares import shares_of
from ohmline.project.replies import Because, Predicted

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
        because = tuple(
            Because(share.node, project.attributes.title(share.node), share.label, share.share)
            for share in shares_of(learner, node, why)
        )
    return Predicted(node, prediction, confidence, ranked, bool(because), because)


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
    said = None if blind else predicted(project, node, CARRIERS)
    votes = project.ledger.votes.of(node)
    return {
        "node": written_id(node),
        "title": project.attributes.title(node),
        "text": fields.get("text", ""),
        "image": f"images/{image}" if image else None,
        "fields": {name: value for name, value in fields.items() if name not in OWN},
        "label": None if blind else project.ledger.labels.get(node),
        "prediction": None if said is None else said.prediction,
        "probabilities": []
        if said is None
        else [[label, round(chance, 4)] for label, chance in said.probabilities],
        "reached": said is not None and said.reached,
        "because": [] if said is None else [each.to_json() for each in said.because],
        "neighbours": _neighbours(project, node, blind),
        "degree": len(project.model.neighbours(node)),
        "votes": [
            {"person": who, "label": vote.label, "seq": vote.seq, "time": vote.time}
            for who, vote in votes.items()
            if admin or who == person
        ],
    }


def _neighbours(project: Project, node: Hashable, blind: bool) -> list[dict[str, Any]]:
    labels = project.ledger.labels
    found = sorted(
        project.model.neighbours(node).items(), key=lambda item: (-abs(item[1]), labels.get(item[0]) is None)
    )[:NEIGHBOURS]
    rows = []
    for other, weight in found:
        label = labels.get(other)
        opinion = None if blind or label is not None else predicted(project, other, 0).prediction
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
