"""What a game that is refused puts back: the knowledge in a state, in half the memory of the state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ohmline.learn.local_lgc.nodes import HEAVY_EDGES, STALE, blank
from ohmline.learn.local_lgc.scratch import UNKNOWN, LocalSolve
from ohmline.learn.local_lgc.state import LocalState
from ohmline.learn.one_at_a_time import copied


def remembered(state: LocalState) -> Callable[[LocalState], LocalState]:
    """What makes the state of now of a later one, whose work space and records it takes.

    The last solve is not kept, which is no knowledge: neither its queue nor its x and r in the records of the nodes.
    What is known of the worth of labels is, since a snapshot holds it too.
    """
    nodes = state.nodes
    label, q, mark = nodes["label"].copy(), nodes["q"].copy(), nodes["mark"] & (STALE | HEAVY_EDGES)
    bare: Any = {"nodes": (), "solve": ()}
    kept = copied(state._replace(**bare))
    found = state.solve.found.copy()
    found["node"], found["touched"] = -1, 0
    known = state.solve.found[0]["worths"] != UNKNOWN
    worth = {name: getattr(state.solve, name).copy() for name in ("worth", "due", "owed") if known}

    def again(later: LocalState) -> LocalState:
        records = later.nodes if len(later.nodes) == len(label) else blank(len(label))
        records["x"], records["r"] = 0.0, 0.0
        records["label"], records["q"], records["mark"] = label, q, mark
        classes = len(kept.counts)
        room = later.solve if len(later.nodes) == len(label) else LocalSolve.empty(len(label), classes)
        solve = room._replace(base=np.zeros(classes), score=np.zeros(classes), found=found, **worth)
        remembering: LocalState = kept._replace(nodes=records, solve=solve)
        return remembering

    return again
