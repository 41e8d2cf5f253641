"""The graph perceptron of paper 001."""

from __future__ import annotations

from typing import Any, NamedTuple, Self, final

import numpy as np

from ohmline.arrays import Floats
from ohmline.compiled import implements
from ohmline.graph.nodes import NodeIndex
from ohmline.kernel.contract import Kernel
from ohmline.kernel.space import evaluate, shift, sqlength, width
from ohmline.learn.contract import TIE, State
from ohmline.learn.position import BinaryPositionLearner
from ohmline.learn.stepping import learn, view


class PerceptronState(NamedTuple):
    """The hypothesis and its squared norm."""

    w: Floats
    sqnorm: Floats


@final
class Perceptron(BinaryPositionLearner):
    """w_{t+1} = w_t + y_t v_{i_t} on every mistake (paper 001, Figure 1).

    | paper | here |
    |---|---|
    | K_c^b | ``kernel``, for example ``LaplacianKernel(g) + Constant(b) + Ridge(c)`` |
    | w_t | the hypothesis; ``margin_one(x)`` is its value at x |
    | M_A | the trials with ``Update.updated`` |

    A tie counts as a mistake in the sense of the theorems, so it updates, although the user
    is told +1. Cost per trial: O(1) to predict and O(n) per mistake with a dense kernel, O(d)
    for both with a rank-d one.

    >>> import ohmline as ohm
    >>> graph = ohm.Graph.from_edges([(0, 1), (1, 2), (3, 4), (4, 5), (2, 3)])
    >>> learner = ohm.Perceptron(ohm.LaplacianKernel(graph) + ohm.Constant(1.0))
    >>> learner.learn_one(0, -1)
    Update(mistake=True, updated=True, progress=2.52...)
    >>> learner.predict_one(1), learner.margin_one(1)
    (-1, -1.69...)

    References
    ----------
    Herbster and Pontil, Prediction on a graph with a perceptron, NIPS 2006.
    """

    kind = "Perceptron"

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.space = kernel.space
        self.state = PerceptronState(np.zeros(width(self.space)), np.zeros(1))

    @property
    def nodes(self) -> NodeIndex:
        return self.kernel.nodes

    def prepare(self, i: int, y: int) -> None:
        if self.per_event and self.glance_at(i)[1] * y <= 0:
            self.kernel.fetch(i)

    def settings(self) -> State:
        return {}

    @classmethod
    def restore(cls, state: State, kernel: Kernel) -> Self:
        learner = cls(kernel)
        learner.load(state)
        return learner


@implements(view, PerceptronState, "state")
def _(space: Any, state: PerceptronState, i: int) -> tuple[int, float, float]:
    margin = evaluate(space, state.w, i)
    # |<w, v>| <= ||w|| ||v||: the largest size that this margin could have.
    if abs(margin) <= TIE * np.sqrt(max(state.sqnorm[0], 0.0) * sqlength(space, i)):
        margin = 0.0
    return (1 if margin >= 0 else -1), margin, np.nan


@implements(learn, PerceptronState, "state")
def _(
    space: Any, state: PerceptronState, i: int, y: int, margin: float, variance: float
) -> tuple[bool, float]:
    if margin * y > 0:
        return False, 0.0
    length = sqlength(space, i)
    shift(space, state.w, float(y), i)
    state.sqnorm[0] += 2 * y * margin + length
    return True, length
