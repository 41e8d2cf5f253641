"""What the whole graph's labels say of each node: two more votes for `predict_many`, while labels are few.

The estimate and a few sweeps say what labels near by say. Where labels are few most nodes have none near by, and what
little reaches them is drowned by the largest classes. The exact f = Q^-1 b knows more: not by which class is largest at
a node, but by which is larger there than elsewhere. With f of all classes at node j,

  share_c = f_c / sum f,    base_c = sum_j f_c / sum_j sum f,    p_c = (labels of c + 1) / (labels + C),

class c gets so many votes more, with its excess in standard deviations of a draw at its base, and C classes learned:

  VOTES few p_c max(share_c - base_c, 0) sqrt((C - 1) / (base_c (1 - base_c))),    few = 1 - labels / (MANY nodes).

A vote of a labelled neighbour moves a score by about 1 / Q_jj. So two votes are little where labels are near, and all
there is where none are. p_c keeps a rare class from being said wherever it is a little likelier than elsewhere. The sum
of the scores of a node stays as it was, and so does its largest probability: a class that comes to the front takes over
that of the one that was there. From one label in ten nodes on nothing is added.

Right before and with them, from one label of each class and 10, 25, 50 and 100 random ones more, and from 2 and 5 % of
all labels (means of 5 to 10 draws, seeds 200 on; form and numbers were chosen on other draws of Cora, PubMed, USPS and
wikimovies4, and on generated graphs):

| | before | with them |
|---|---|---|
| Cora | .616 .684 .729 .759, .724 .768 | .627 .691 .735 .764, .733 .776 |
| PubMed | .638 .681 .703 .715, .768 .793 | .668 .726 .733 .744, .781 .797 |
| block model with communities | .530 .605 .662 .705, .634 .725 | .578 .647 .684 .725, .662 .741 |
| USPS, neighbours | .766 .815 .861 .905, .920 .943 | .840 .848 .869 .910, .923 .943 |
| digits, 10 neighbours | .919 .928 .950 .961, .928 .965 | .917 .926 .947 .961, .926 .965 |
| wikimovies4 | .430 .434 .443 .483, .485 .511 | .436 .427 .447 .487, .482 .509 |

Not as good on some of them: scores divided by the mass of each class (wikimovies4, and from 5 % labels on) or by its
root, the mean of each class taken away, the estimate in place of the exact f, and no p_c (rare classes). A smaller
ridge gains nothing.
"""

from __future__ import annotations

import numpy as np

from ohmline.arrays import Floats, Ints
from ohmline.compiled import compiled
from ohmline.learn.local_lgc.adjacency import Adjacency
from ohmline.learn.local_lgc.chances import chances_of
from ohmline.learn.local_lgc.exact import WIDE, correct, halves_of, residual_of
from ohmline.learn.local_lgc.state import LocalState

VOTES = 2.0
"""So much may all labels together say of a node."""
MANY = 0.1
"""From this share of labelled nodes on they add nothing."""
NEAR = 0.03
"""How exact f must be, as a share of the mean of its sum ..."""
STEPS = 100
"""... within so many steps; where f takes more, the graph is so long that it is left out."""


def fewness(adjacency: Adjacency, state: LocalState) -> float:
    """From 1, without labels, down to 0; 0 also where there is nothing to tell apart, and where scores have signs."""
    if adjacency.least < 0 or np.count_nonzero(state.counts) < 2:
        return 0.0
    return max(1.0 - float(state.counts.sum()) / (MANY * float(adjacency.extent[0])), 0.0)


def room_for_votes(adjacency: Adjacency, state: LocalState, classes: int) -> float:
    """The bytes that `add_votes` takes."""
    return 8.0 * float(adjacency.extent[0]) * (classes + 16) if fewness(adjacency, state) else 0.0


def add_votes(adjacency: Adjacency, state: LocalState, scores: Floats) -> bool:
    """Add what all labels say to the scores of all nodes; whether anything was added."""
    few = fewness(adjacency, state)
    if few == 0.0:
        return False
    goal = NEAR * float(scores.sum()) / len(scores)
    field = roughly(adjacency, state, scores, goal)
    if field is None:
        return False
    counts = state.counts[: scores.shape[1]]
    mass = np.where(counts > 0, field.sum(axis=0), 0.0)
    base = mass / mass.sum()
    if np.count_nonzero(base) < 2:
        return False
    known = np.count_nonzero(counts)
    often = np.where(counts > 0, (counts + 1.0) / (counts.sum() + known), 0.0)
    spread = base * (1 - base)
    ratio = np.divide(known - 1, spread, out=np.zeros(len(base)), where=spread > 0)
    share_out(
        field,
        goal,
        base,
        VOTES * few * often * np.sqrt(ratio),
        np.array(state.precision[: len(scores)]),
        scores,
    )
    return True


def exchange(
    state: LocalState, scores: Floats, places: Ints, before: Ints, codes: Ints, chances: Floats
) -> None:
    """Give the class that is said now the probability of the one that was said before, and that one its own.

    So that a node is as sure as before: the powers of probabilities were fitted to what labels near by say.
    """
    moved = np.flatnonzero((codes != before) & (codes >= 0) & (before >= 0))
    old, new = before[moved], codes[moved]
    chances[moved, old], chances[moved, new] = chances[moved, new], chances[moved, old]
    fresh = np.flatnonzero((before < 0) & (codes >= 0))
    if len(fresh):
        at = places[fresh]
        chances[fresh] = chances_of(state, scores[at], state.precision[at], codes[fresh])


@compiled
def share_out(
    field: Floats, goal: float, base: Floats, weight: Floats, precision: Floats, scores: Floats
) -> None:
    """Each class of a node gets `weight` votes for each unit by which its share of the field exceeds its base.

    The sum of the scores of a node stays what it was, or becomes that of the field where this is more.
    """
    classes = scores.shape[1]
    for j in range(scores.shape[0]):
        total, before = 0.0, 0.0
        for c in range(classes):
            total += field[j, c]
            before += scores[j, c]
        if total > goal:  # less may be an error, and says nothing
            after = before
            for c in range(classes):
                vote = weight[c] * max(field[j, c] / total - base[c], 0.0) / precision[j]
                scores[j, c] += vote
                after += vote
            scale = max(total, before) / after if after > 0.0 else 0.0
            for c in range(classes):
                scores[j, c] *= scale


def roughly(adjacency: Adjacency, state: LocalState, start: Floats, goal: float) -> Floats | None:
    """The exact scores of all nodes, nearly; None where that would take too long."""
    n, classes = start.shape
    field, residual = np.empty((n, classes)), np.empty((n, WIDE))
    halves, precision = halves_of(adjacency, np.float32), np.array(state.precision[:n])
    for first in range(0, classes, WIDE):
        last = min(first + WIDE, classes)
        block = np.zeros((n, WIDE))
        block[:, : last - first] = start[:, first:last]
        residual_of(adjacency, state.nodes, first, last, block, residual)
        if not correct(halves, precision, residual, block, goal, most=STEPS):
            return None
        field[:, first:last] = block[:, : last - first]
    return field
