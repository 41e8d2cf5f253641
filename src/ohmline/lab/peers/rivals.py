"""What has no package to install, as we wrote it: the relaxation, FastONL, and label propagation at scale."""

from __future__ import annotations

from functools import partial

from ohmline.arrays import Ints
from ohmline.errors import ParameterError
from ohmline.graph import Graph
from ohmline.lab.peers.contract import Problem, System
from ohmline.lab.rivals.dense_relaxation import DenseRelaxation
from ohmline.lab.rivals.fastonl import FastONL
from ohmline.lab.rivals.label_propagation import propagate
from ohmline.lab.rivals.relaxation import PushKernel

DENSE = 5_000
"""The dense relaxation inverts a matrix: from so many nodes on that alone takes minutes."""


def spread(problem: Problem, known: Ints) -> Ints:
    """Label propagation as the leaderboards of large graphs run it."""
    return propagate(problem.adjacency, known, problem.codes[known], problem.classes)


def play(problem: Problem, order: Ints, learner: FastONL | DenseRelaxation) -> int:
    """A game of the relaxation."""
    if isinstance(learner, DenseRelaxation) and problem.n > DENSE:
        raise ParameterError(f"cubic in the nodes: not tried above {DENSE:,}")
    return learner.play(Graph.from_scipy(problem.adjacency), order, problem.codes, problem.classes).mistakes


def _row(name: str, learner: FastONL | DenseRelaxation, note: str) -> System:
    return System(name, "ohmline", "ohmline", play=partial(play, learner=learner), note=note)


SYSTEMS = (
    _row(
        "FastONL, first kernel", FastONL(PushKernel.LAPLACIAN, 0.1), "lambda = 0.1 n; written from the paper"
    ),
    _row(
        "FastONL, second kernel",
        FastONL(PushKernel.NORMALISED, 0.1),
        "lambda = 0.1 n; written from the paper",
    ),
    _row("dense relaxation", DenseRelaxation(), "Rakhlin and Sridharan 2017; written from the paper"),
    System(
        "label propagation, float32",
        "ohmline",
        "ohmline",
        fit=spread,
        note="50 steps, alpha 0.9; written here",
    ),
)
