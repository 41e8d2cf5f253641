"""The online relaxation for many classes on a graph: what FastONL and its dense original have in common.

Rakhlin and Sridharan's step. For node t, column m_t of the kernel matrix M gives v = sum_j g_j M_jt over the labelled
nodes j, and scores psi = -v / sqrt(a + k T). Water filling turns them into a distribution q over the k classes, with
support S. The label's gradient g_t is that of their surrogate of the hinge loss.

| paper | here |
|---|---|
| psi_t, q_t | `score`, `chance` |
| nabla_t | a row of `gradients` |
| A_t, T_t | `totals[0]`, `totals[1]` |
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from ohmline.arrays import Bools, Floats, Ints, whole_numbers
from ohmline.checks import count, room
from ohmline.compiled import internal
from ohmline.errors import ParameterError, WeightError
from ohmline.graph.graph import Graph, expect_graph


class PushKernel(Enum):
    """The kernels that local pushes know, by their number in table 1 of the paper; lambda = `share` times n.

    With W the weights, D the degrees and N = D^-1/2 W D^-1/2:
    """

    LAPLACIAN = 1
    """2 lambda (alpha I + D - W)^-1, alpha = lambda / n."""
    NORMALISED = 2
    """2 n alpha (I - (1 - alpha) N)^-1, alpha = lambda / (n + lambda)."""
    DAMPED = 3
    """2 lambda alpha (I - (1 - alpha) N)^-1, alpha = n / (n + lambda)."""

    def constants(self, share: float, n: int) -> tuple[float, float]:
        """alpha, and the factor before the inverse."""
        lam = share * n
        if self is PushKernel.LAPLACIAN:
            return share, 2 * lam
        if self is PushKernel.NORMALISED:
            return share / (1 + share), 2.0 * n
        return 1 / (1 + share), 2 * lam


@dataclass(frozen=True, slots=True)
class Played:
    """A game in which every label is revealed after its prediction.

    Parameters
    ----------
    predictions
        The class predicted on each trial, in the order of play.
    mistakes
        How many of them were wrong.
    edges
        How many edges were read; every entry of a column counts as one where the kernel is dense.
    seconds
        How long it took, without the preparation that needs no label.
    """

    predictions: Ints
    mistakes: int
    edges: int
    seconds: float

    @property
    def error_rate(self) -> float:
        """Mistakes over trials; 0 without any trial."""
        return self.mistakes / max(len(self.predictions), 1)


def expect_pushable(graph: Any) -> None:
    """Refuse what is no graph, and negative weights."""
    expect_graph(graph)
    if graph.signed:
        raise WeightError(
            f"{graph!r} has negative weights, where the push does not converge; take their sizes, "
            "or leave these edges out"
        )


@dataclass(frozen=True, slots=True)
class Trials:
    """Checked input of a game: nothing else reaches compiled code."""

    graph: Graph
    order: Ints
    truth: Ints
    classes: int

    @classmethod
    def of(cls, graph: Any, order: Any, labels: Any, classes: Any) -> Trials:
        """Check a graph, an order of its positions without repetition, and one class for every node.

        Parameters
        ----------
        graph
            The graph, without negative weights.
        order
            The positions of the nodes to play, each at most once.
        labels
            The class of every node, as a number from 0.
        classes
            How many classes there are; None for one more than the largest label.
        """
        expect_pushable(graph)
        most = 10_000 if classes is None else count(classes, "classes", least=1)
        truth = whole_numbers(labels, "labels", low=0, high=most - 1, length=graph.n)
        places = whole_numbers(order, "order", low=0, high=max(graph.n - 1, 0))
        if len(np.unique(places)) < len(places):
            raise ParameterError("order has a node twice; the relaxation is defined for nodes that come once")
        k = most if classes is not None else int(truth.max(initial=0)) + 1
        room(8.0 * graph.n * (k + 8), f"the relaxation over {graph.n} nodes and {k} classes")
        return cls(graph, places, truth, k)


@internal
def water_fill(score: Floats, chance: Floats, inside: Bools) -> int:
    """Project the scores onto the distributions; mark the support, and say how many classes it has."""
    ascending = np.argsort(score)
    size, total = score.shape[0], score.sum()
    for place in ascending:
        if score[place] - (total - 1) / size >= 0:
            break
        size -= 1
        total -= score[place]
    level = (total - 1) / size
    for c in range(score.shape[0]):
        inside[c] = score[c] - level >= 0
        chance[c] = max(score[c] - level, 0.0)
    return size


@internal
def hinge_gradient(score: Floats, inside: Bools, size: int, y: int, gradient: Floats) -> None:
    """The gradient in the scores of the surrogate of the hinge loss; a row of `gradient`, changed in place."""
    if inside[y]:
        for c in range(score.shape[0]):
            gradient[c] = 1 / size if inside[c] else 0.0
        gradient[y] -= 1.0
        return
    rival = 0 if y != 0 else 1
    for c in range(score.shape[0]):
        gradient[c] = 0.0
        if c != y and score[c] > score[rival]:
            rival = c
    gradient[rival] = size / (size + 1)
    gradient[y] = -size / (size + 1)


@internal
def drawn(chance: Floats, dice: float) -> int:
    """The class at which the chances, summed up in turn, pass `dice`."""
    for c in range(chance.shape[0] - 1):
        dice -= chance[c]
        if dice < 0:
            return c
    return chance.shape[0] - 1


class Relaxation(NamedTuple):
    """The state of a game, and work space for its scores."""

    known: Bools
    gradients: Floats
    totals: Floats
    v: Floats
    score: Floats
    chance: Floats
    inside: Bools


@internal
def new_game(n: int, classes: int) -> Relaxation:
    """Nothing is known; T is the paper's 2 n^2."""
    return Relaxation(
        np.zeros(n, np.bool_),
        np.zeros((n, classes)),
        np.array([0.0, 2.0 * n * n]),
        np.zeros(classes),
        np.zeros(classes),
        np.zeros(classes),
        np.zeros(classes, np.bool_),
    )


@internal
def add_entry(game: Relaxation, j: int, entry: float) -> None:
    """Add what a labelled node says, times an entry of the kernel, to v."""
    for c in range(game.v.shape[0]):
        game.v[c] += game.gradients[j, c] * entry


@internal
def learn(game: Relaxation, t: int, own: float, y: int, dice: float) -> int:
    """Predict t from v, then learn y; `own` is the kernel's entry at t, and `dice` below 0 takes the largest chance."""
    k, totals, score = game.v.shape[0], game.totals, game.score
    scale = np.sqrt(max(totals[0] + k * totals[1], 1e-300))
    for c in range(k):
        score[c] = -game.v[c] / scale
    size = water_fill(score, game.chance, game.inside)
    said = int(np.argmax(game.chance)) if dice < 0 else drawn(game.chance, dice)
    gradient = game.gradients[t]
    hinge_gradient(score, game.inside, size, y, gradient)
    for c in range(k):
        totals[0] += 2 * gradient[c] * game.v[c] + own * gradient[c] ** 2
    totals[1] -= own
    game.known[t] = True
    return said
