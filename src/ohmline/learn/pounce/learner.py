"""POUNCE, the learner of paper 002: a perceptron that starts from the nearest mistake."""

from __future__ import annotations

from types import MappingProxyType
from typing import final

import numpy as np

from ohmline.errors import KernelError
from ohmline.graph.embedding import ExponentialEmbedding
from ohmline.kernel.contract import Kernel, expect_kernel
from ohmline.kernel.laplacian import LaplacianKernel, balanced_component
from ohmline.kernel.solver import SolverKernel
from ohmline.learn.node_learner import BinaryKernelLearner
from ohmline.learn.pounce import tree_step as tree_step  # gives its motions over a tree bodies
from ohmline.learn.pounce.step import PounceState
from ohmline.learn.ranges import MAY_BE_INFINITE, POSITIONS, POSITIONS_OR_NONE, SIGNS


@final
class Pounce(BinaryKernelLearner):
    """Predicts with the label of the nearest mistake, corrected by a projected hypothesis.

    | paper 002 | here |
    |---|---|
    | M+ | `kernel`, `LaplacianKernel(graph)`; a `Constant` is dropped, for it changes nothing; a `Ridge` does |
    | F_(X, d, a) | `kernel` too: an `ExponentialEmbedding` |
    | v_i, r(i, j) | points of the kernel, and `kernel.sqdist`, the effective resistance |
    | eta_t | the nearest mistake; among equally near ones the earliest |
    | y_eta + w(i) - w(i_eta) | `margin_one(x)` |
    | M | the trials with `Update.updated` |

    Distances exist within a component only: the first node of each is "don't know", a margin of 0,
    which the theorems count as a mistake. A repeated node with the other label is relabelled
    (its distance to itself is 0, so the printed step would divide by it); so is a node at a resistance of 0 from
    its nearest mistake, which two points of a low-rank kernel may have.

    Cost: O(1) to predict, two columns of the kernel and O(n) per mistake, nothing otherwise; with a
    rank-d kernel O(d) and O(n d). Over a `TreeKernel` O(log^2 n) to predict, and per mistake the nodes that it becomes
    the nearest of.

    Parameters
    ----------
    kernel
        A kernel, whose `Constant` is left out because it changes no distance; or an `ExponentialEmbedding` of
        points.

    Examples
    --------
    >>> import ohmline as ohm
    >>> graph = ohm.Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)])
    >>> learner = ohm.Pounce(ohm.LaplacianKernel(graph))
    >>> learner.learn_one(0, -1)
    Update(mistake=True, updated=True, progress=0.0)
    >>> round(learner.learn_one(5, 1).progress, 9)  # 2^2 over a resistance of 5
    0.8
    >>> [round(learner.margin_one(k), 3) for k in range(6)]
    [-1.0, -0.6, -0.2, 0.2, 0.6, 1.0]

    References
    ----------
    Herbster, Exploiting cluster-structure to predict the labeling of a graph, ALT 2008.
    """

    kind = "Pounce"
    ranges = MappingProxyType(
        {"label": SIGNS, "nearest": POSITIONS_OR_NONE, "closeness": MAY_BE_INFINITE, "component": POSITIONS}
    )

    def __init__(self, kernel: Kernel | ExponentialEmbedding) -> None:
        if not isinstance(kernel, ExponentialEmbedding):
            expect_kernel(kernel)
            _refuse_singular(kernel)
            kernel = kernel.without_bias()
        self.kernel = kernel  # type: ignore[assignment]  # an embedding has nodes and a space too
        self.space = kernel.space
        n = kernel.n
        self.state = PounceState(
            w=np.zeros(kernel.space.width if isinstance(kernel, Kernel) else n),
            label=np.zeros(n, dtype=np.int64),
            nearest=np.full(n, -1, dtype=np.int64),
            closeness=np.full(n, np.inf),
            component=np.array(kernel.component_of),
        )


def _refuse_singular(kernel: Kernel) -> None:
    """Theorem 2 needs a positive definite signed Laplacian; a balanced one is singular."""
    base = kernel.base
    if kernel.c > 0 or not isinstance(base, LaplacianKernel | SolverKernel) or not base.graph.signed:
        return
    singular = balanced_component(base.graph)
    if singular is not None:
        raise KernelError(
            f"the signed Laplacian is singular: the component of node {base.graph.nodes[int(singular[0])]!r} is "
            "balanced (two sides with negative edges only between them), and POUNCE's bound does not hold there; "
            "add a ridge: LaplacianKernel(graph) + Ridge(c)"
        )
