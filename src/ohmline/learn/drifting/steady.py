"""The steady expert: a node's class is what most of its labels say, so that one wrong label changes little.

A node holds a class with a strength, 1 with its first label. The same label again makes it stronger, up to `FIRMEST`,
another one weaker. At strength 0 the class is contested: the neighbours choose between the two, by their scores
without the node's own label, and the next label decides. So a class that has changed is given up after a few labels,
and a wrong label is outvoted.
"""

from __future__ import annotations

from ohmline.compiled import inlined, internal
from ohmline.learn.drifting.state import OWN, STEADY, DriftState

FIRMEST = 2
"""The largest strength."""
CONTESTED = 0.5
"""The part of its precision that a contested label has."""


@inlined
def held_part(strength: int) -> float:
    """The part of its precision that a label held with this strength has."""
    return 1.0 if strength > 0 else CONTESTED


@internal
def hear_again(state: DriftState, t: int, y: int) -> tuple[int, int]:
    """The class that t holds after label y, and how firmly; the solve at t is in the scratch."""
    held, strength = state.held[t], state.strength[t]
    if held < 0:
        return y, 1
    if held == y:
        return held, min(strength + 1, FIRMEST)
    if strength == 0:
        return y, 1
    if strength > 1:
        return held, strength - 1
    # (1 - p x) times the scores without the label of t.
    score, own = (
        state.solves.score[STEADY * OWN.shape[0]],
        state.solves.x[STEADY, t] * state.solves.precision[STEADY, t],
    )
    return (y if score[y] > score[held] - own else held), 0
