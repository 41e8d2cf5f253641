"""Learning with local and global consistency, in closed form."""

from __future__ import annotations

from typing import final

import numpy as np
from scipy import sparse

from ohmline.arrays import Floats, Ints
from ohmline.checks import number, shown
from ohmline.device import Device
from ohmline.errors import ParameterError
from ohmline.graph.graph import Graph
from ohmline.learn.batch.labelling import Labelling
from ohmline.learn.batch.transduction import Transduction, solve_columns
from ohmline.learn.contract import learner_box


@final
class LLGC(Transduction):
    """Labels every node of a graph from a few labels, by local and global consistency, in closed form.

    F = (1 - alpha) (I - alpha S)^-1 Y with S = D^-1/2 W D^-1/2: the batch method that paper 004 turns
    into an online one. Labels may be overruled by their surroundings. The system is solved by conjugate
    gradients: O(edges) per iteration, about 1/sqrt(1 - alpha) iterations.

    Parameters
    ----------
    alpha
        How much the neighbours of a node count against its own given label, strictly between 0 and 1. Default 0.9.
    device
        Where the scores are solved for, all classes at once: "cpu" (default), "gpu" or "auto".

    Examples
    --------
    >>> from ohmline.graph import Graph
    >>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3), (4, 5)])
    >>> LLGC().fit(path, {0: "left", 3: "right"}).predict()
    ['left', 'left', 'right', 'right', None, None]

    References
    ----------
    Zhou, Bousquet, Lal, Weston and Schoelkopf, Learning with local and global consistency, NIPS 2003.
    """

    def __init__(self, alpha: float = 0.9, *, device: str | Device = "cpu") -> None:
        super().__init__(device=device)
        self.alpha = number(alpha, "alpha")
        if not 0 < self.alpha < 1:
            raise ParameterError(f"alpha must lie strictly between 0 and 1, got {shown(alpha)}")

    def solve(self, graph: Graph, labelling: Labelling, reached: Ints) -> Floats:
        degree = graph.degree[reached]
        scale = sparse.diags_array(np.where(degree > 0, degree, 1.0) ** -0.5)
        similar = scale @ graph.adjacency[reached][:, reached] @ scale
        system = sparse.csr_array(sparse.eye_array(len(reached)) - self.alpha * similar)
        return solve_columns(system, (1 - self.alpha) * labelling.indicator()[reached], self.device)

    def __repr__(self) -> str:
        return f"LLGC({self.alpha:g})"

    def _repr_html_(self) -> str:
        return learner_box(self)
