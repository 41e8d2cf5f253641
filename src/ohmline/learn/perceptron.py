"""The graph perceptron of paper 001."""

from __future__ import annotations

from typing import Any, NamedTuple, final

import numpy as np

from ohmline.arrays import Floats
from ohmline.compiled import implements
from ohmline.kernel.contract import Kernel, expect_kernel
from ohmline.learn.hypothesis import margin_at, move, signed
from ohmline.learn.node_learner import BinaryKernelLearner
from ohmline.learn.step import learn, view


class PerceptronState(NamedTuple):
    """The hypothesis, its squared length, and the lengths of its moves together."""

    w: Floats
    sqnorm: Floats
    gross: Floats


@final
class Perceptron(BinaryKernelLearner):
    """w_{t+1} = w_t + y_t v_{i_t} on every mistake (paper 001, Figure 1).

    | paper | here |
    |---|---|
    | K_c^b | `kernel`, for example `LaplacianKernel(g) + Constant(b) + Ridge(c)` |
    | w_t | the hypothesis; `margin_one(x)` is its value at x |
    | M_A | the trials with `Update.updated` |

    A tie counts as a mistake in the sense of the theorems, so it updates, although the user
    is told +1. Cost per trial: O(1) to predict and O(n) per mistake with a dense kernel, O(d)
    for both with a rank-d one.

    Parameters
    ----------
    kernel
        The space of the hypothesis.

    Examples
    --------
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
        self.kernel = expect_kernel(kernel)
        self.space = kernel.space
        self.state = PerceptronState(np.zeros(kernel.space.width), np.zeros(1), np.zeros(1))


@implements(view, PerceptronState)
def view_perceptron(space: Any, state: PerceptronState, x: int) -> tuple[int, float]:
    return signed(margin_at(space, state.w, state.sqnorm, state.gross, x))


@implements(learn, PerceptronState)
def learn_perceptron(space: Any, state: PerceptronState, x: int, y: int, margin: float) -> tuple[bool, float]:
    if margin * y > 0:
        return False, 0.0
    return True, move(space, state.w, state.sqnorm, state.gross, float(y), margin, x)
