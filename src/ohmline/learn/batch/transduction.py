"""What LLGC and Harmonic share: class scores on the nodes of one graph, solved for once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Self, final

import numpy as np
from scipy import sparse

from ohmline.arrays import Floats, Ints
from ohmline.device import Device, choose
from ohmline.device.columns import solve_block
from ohmline.errors import GraphError, LearnerError
from ohmline.graph.graph import Graph, expect_graph
from ohmline.learn.batch.labelling import Labelling

TOLERANCE, ENOUGH = 1e-12, 1e-8
"""The residual that a solve aims at, and the one that is still taken where rounding allows no better."""


class Transduction(ABC):
    """Labels of some nodes in, labels of all nodes out.

    Nodes that no label reaches (their component has none) are "don't know": None.

    Parameters
    ----------
    device
        Where the scores are solved for, all classes at once: "cpu" (default), "gpu" or "auto".
    """

    def __init__(self, *, device: str | Device = "cpu") -> None:
        self.device = choose(device)

    graph: Graph | None = None
    scores: Floats
    """One row per node, one column per class; zeros where no label reaches."""
    classes: tuple[Any, ...]
    """The labels, in sorted order: the columns of `scores`."""

    @abstractmethod
    def solve(self, graph: Graph, labelling: Labelling, reached: Ints) -> Floats:
        """The class scores of the nodes that a label reaches; `fit` calls it.

        Parameters
        ----------
        graph
            The graph, without negative weights.
        labelling
            The class of each node, as a number, and which nodes have one.
        reached
            The positions of the nodes whose component has a label.

        Returns
        -------
        array
            One row per node of `reached`, one column per class.
        """

    @final
    def fit(self, graph: Graph, labels: Mapping[Hashable, Any] | Iterable[Any]) -> Self:
        """Solve for the scores of every node.

        Parameters
        ----------
        graph
            The graph, without negative weights.
        labels
            A mapping from the labelled nodes to their labels, or one label per node in the order of the graph, with
            None or NaN for no label. At least one node has a label.

        Returns
        -------
        Self
            This model, with `scores` and `classes` filled in.
        """
        if expect_graph(graph).signed:
            raise GraphError("this method needs weights above 0; drop the negative edges or use Pounce")
        labelling = Labelling.on(graph.nodes, labels)
        component = graph.component_of
        reached = np.flatnonzero(np.isin(component, component[labelling.known]))
        scores = np.zeros((graph.n, len(labelling.classes)))
        scores[reached] = self.solve(graph, labelling, reached)
        self.graph, self.scores, self.classes = graph, scores, labelling.classes
        self._reached = np.zeros(graph.n, dtype=bool)
        self._reached[reached] = True
        return self

    @final
    def predict(self, nodes: Iterable[Hashable] | None = None) -> list[Any]:
        """The class of each node; None where no label reaches.

        Parameters
        ----------
        nodes
            The ids of the nodes to predict; None (default) for all of them, in the order of the graph.
        """
        if self.graph is None:
            raise LearnerError(f"this {type(self).__name__} has not seen a graph; call fit first")
        chosen = np.arange(self.graph.n) if nodes is None else self.graph.nodes.positions(nodes)
        best = self.scores[chosen].argmax(1)
        return [
            self.classes[code] if known else None
            for code, known in zip(best.tolist(), self._reached[chosen].tolist(), strict=True)
        ]


def solve_columns(system: sparse.csr_array, right: Floats, device: Device) -> Floats:
    """A symmetric positive definite sparse system with a few right sides, by Jacobi-CG over all of them at once."""
    if not len(right):
        return right.copy()
    solved = solve_block(system, right, device, tolerance=TOLERANCE, most=50 * len(right) + 100)
    if not (solved.residuals <= ENOUGH).all():
        raise LearnerError(
            f"the linear system did not converge: its residual is {solved.residuals.max():.1e} after "
            f"{solved.iterations} iterations; the weights span too many orders of magnitude: drop the smallest or "
            "scale them"
        )
    return solved.columns
