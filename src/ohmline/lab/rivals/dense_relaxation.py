"""The online relaxation with the exact kernel (Rakhlin and Sridharan 2017): cubic in the nodes, for small graphs."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from ohmline.arrays import Floats, Ints, positive
from ohmline.checks import room
from ohmline.compiled import compiled
from ohmline.lab.rivals.relaxation import Played, Trials, add_entry, learn, new_game


@compiled
def play_dense(kernel: Floats, order: Ints, truth: Ints, classes: int, predictions: Ints) -> None:
    """A whole game over a kernel matrix."""
    game = new_game(kernel.shape[0], classes)
    game.totals[1] = np.trace(kernel)
    for trial in range(order.shape[0]):
        t = order[trial]
        game.v[:] = 0.0
        for before in range(trial):
            add_entry(game, order[before], kernel[t, order[before]])
        predictions[trial] = learn(game, t, kernel[t, t], truth[t], -1.0)


@dataclass(frozen=True, slots=True)
class DenseRelaxation:
    """The relaxation that FastONL approximates, over (N / (2 lambda) + I / (2 n))^-1 with N the normalised Laplacian.

    Parameters
    ----------
    share
        lambda, as a multiple of the number of nodes, above 0. Default 1.

    Examples
    --------
    >>> from ohmline import Graph
    >>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)])
    >>> DenseRelaxation().play(path, [0, 5, 1, 4, 2, 3], [0, 0, 0, 1, 1, 1]).predictions
    array([0, 0, 0, 1, 0, 1])

    References
    ----------
    Rakhlin, Sridharan, Efficient Online Multiclass Prediction on Graphs via Surrogate Losses, AISTATS 2017.
    """

    share: float = 1.0

    def __post_init__(self) -> None:
        positive(self.share, "share")

    def play(self, graph: Any, order: Any, labels: Any, classes: int | None = None) -> Played:
        """Play the nodes in turn: predict, reveal, learn.

        Parameters
        ----------
        graph
            The graph, without negative weights.
        order
            The positions of the nodes to play, each at most once.
        labels
            The class of every node, as a number from 0.
        classes
            How many classes there are. None (default) for one more than the largest label.
        """
        trials = Trials.of(graph, order, labels, classes)
        n = trials.graph.n
        room(24.0 * n * n, f"the kernel matrix of {n} nodes", "take FastONL instead")
        precision = trials.graph.laplacian(normalised=True).toarray() / (2 * self.share * max(n, 1))
        precision[np.diag_indices(n)] += 1 / (2 * max(n, 1))
        kernel = np.ascontiguousarray(np.linalg.inv(precision))
        predictions = np.empty(len(trials.order), np.int64)
        start = time.perf_counter()
        play_dense(kernel, trials.order, trials.truth, trials.classes, predictions)
        seconds = time.perf_counter() - start
        wrong = int((predictions != trials.truth[trials.order]).sum())
        return Played(predictions, wrong, len(trials.order) * n, seconds)
