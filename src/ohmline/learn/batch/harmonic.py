"""The harmonic function: every unlabelled node is the mean of its neighbours."""

from __future__ import annotations

from typing import final

import numpy as np
from scipy import sparse

from ohmline.arrays import Floats, Ints
from ohmline.graph.graph import Graph
from ohmline.learn.batch.labelling import Labelling
from ohmline.learn.batch.transduction import Transduction, solve_columns
from ohmline.learn.contract import learner_box


@final
class Harmonic(Transduction):
    """Labels every node of a graph by the harmonic function: each unlabelled node is the mean of its neighbours.

    L_uu F_u = W_ul Y_l, with the given labels clamped. Scores are probabilities: that of class c at a
    node is the chance that a random walk from it meets a label c before any other. It is the minimum
    norm interpolant of paper 000 in the limit of an infinite bias b. Solved by conjugate gradients,
    O(edges) per iteration.

    Parameters
    ----------
    device
        Where the scores are solved for, all classes at once: "cpu" (default), "gpu" or "auto".

    Examples
    --------
    >>> from ohmline.graph import Graph
    >>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3), (4, 5)])
    >>> model = Harmonic().fit(path, {0: "a", 3: "b"})
    >>> model.scores[:4].round(3).tolist()
    [[1.0, 0.0], [0.667, 0.333], [0.333, 0.667], [0.0, 1.0]]
    >>> model.predict([1, 2, 4])
    ['a', 'b', None]

    References
    ----------
    Zhu, Ghahramani and Lafferty, Semi-supervised learning using Gaussian fields and harmonic functions, ICML 2003.
    """

    def solve(self, graph: Graph, labelling: Labelling, reached: Ints) -> Floats:
        given = labelling.indicator()
        free = reached[~labelling.known[reached]]
        known = np.flatnonzero(labelling.known)
        laplacian = graph.laplacian()
        rows = laplacian[free]
        given[free] = solve_columns(
            sparse.csr_array(rows[:, free]), -(rows[:, known] @ given[known]), self.device
        )
        return given[reached]

    def __repr__(self) -> str:
        return "Harmonic()"

    def _repr_html_(self) -> str:
        return learner_box(self)
