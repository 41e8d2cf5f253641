"""The passive-aggressive perceptron in a kernel's space: moves as little as a margin of 1 demands."""

from __future__ import annotations

from math import inf
from typing import NamedTuple, Self, final

import numpy as np

from ohmline.arrays import Floats
from ohmline.checks import or_infinite, positive
from ohmline.compiled import implements
from ohmline.kernel.contract import Kernel, expect_kernel
from ohmline.kernel.space import Space, sqlength
from ohmline.learn.contract import State
from ohmline.learn.hypothesis import margin_at, move, signed
from ohmline.learn.node_learner import BinaryKernelLearner
from ohmline.learn.snapshots import expect_kind, saved_number
from ohmline.learn.step import learn, view


class Aggression(NamedTuple):
    """A kernel, and how far one label may move the hypothesis."""

    kernel: Space
    limit: float


class PassiveAggressiveState(NamedTuple):
    """The hypothesis and its squared norm."""

    w: Floats
    sqnorm: Floats
    gross: Floats


@final
class PassiveAggressive(BinaryKernelLearner):
    """w moves to the nearest hypothesis with y <w, v_i> >= 1, by steps of at most C.

    | paper | here |
    |---|---|
    | l_t = max(0, 1 - y_t w_t . x_t) | the loss of the trial; nothing moves where it is 0 |
    | tau_t = min(C, l_t / ||x_t||^2) | the step (PA-I) |
    | C | `aggressiveness` |

    Unlike the perceptron it also moves where the prediction was right by less than 1. Cost per trial: O(1) to
    predict and O(n) per move with a dense kernel, O(d) for both with a rank-d one.

    Parameters
    ----------
    kernel
        The space of the hypothesis.
    aggressiveness
        C, above 0: the most that one label may move the hypothesis along its point. Infinity (default) meets
        every label in full, which is best without noise.

    Examples
    --------
    >>> import ohmline as ohm
    >>> graph = ohm.Graph.from_edges([(0, 1), (1, 2), (3, 4), (4, 5), (2, 3)])
    >>> learner = ohm.PassiveAggressive(ohm.LaplacianKernel(graph) + ohm.Constant(1.0))
    >>> learner.learn_one(0, -1).updated, round(learner.margin_one(0), 9)
    (True, -1.0)
    >>> learner.learn_one(0, -1).updated
    False

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz and Singer, Online passive-aggressive algorithms, JMLR 7, 2006.
    """

    kind = "PassiveAggressive"

    def __init__(self, kernel: Kernel, aggressiveness: float = inf) -> None:
        self.kernel = expect_kernel(kernel)
        self.aggressiveness = or_infinite(positive, aggressiveness, "aggressiveness")
        self.space = Aggression(kernel.space, self.aggressiveness)
        self.state = PassiveAggressiveState(np.zeros(kernel.space.width), np.zeros(1), np.zeros(1))

    def settings(self) -> State:
        return {"aggressiveness": np.array(self.aggressiveness)}

    @classmethod
    def restore(cls, state: State, kernel: Kernel) -> Self:
        expect_kind(state, cls.kind)
        learner = cls(kernel, saved_number(state, cls.kind, "aggressiveness"))
        learner.load(state)
        return learner


@implements(view, PassiveAggressiveState)
def view_passive_aggressive(space: Aggression, state: PassiveAggressiveState, x: int) -> tuple[int, float]:
    return signed(margin_at(space.kernel, state.w, state.sqnorm, state.gross, x))


@implements(learn, PassiveAggressiveState)
def learn_passive_aggressive(
    space: Aggression, state: PassiveAggressiveState, x: int, y: int, margin: float
) -> tuple[bool, float]:
    loss, length = 1.0 - y * margin, sqlength(space.kernel, x)
    if loss <= 0.0 or length <= 0.0:
        return False, 0.0
    return True, move(
        space.kernel, state.w, state.sqnorm, state.gross, y * min(space.limit, loss / length), margin, x
    )
