"""Online projections: Algorithm 2 of paper 000 in full."""

from __future__ import annotations

from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike

from ohmline.arrays import Floats, Ints, vector
from ohmline.errors import ConflictingLabels, KernelError, LearnerError, ParameterError, SnapshotError
from ohmline.graph.nodes import NodeIndex
from ohmline.kernel.contract import Kernel, dense_matrix
from ohmline.kernel.space import Columns, Dense, Features, values, width
from ohmline.learn.affine import AffineState, Gram, values_of
from ohmline.learn.contract import State, take
from ohmline.learn.corrective import (
    AGGRESSIVE,
    CUSTOM,
    CYCLIC,
    RELABEL,
    STRATEGY,
    Chooser,
    Contradiction,
    Strategy,
)
from ohmline.learn.position import BinaryPositionLearner
from ohmline.learn.stepping import Log, Trials
from ohmline.learn.sweep import SweepState


@final
class Projection(BinaryPositionLearner):
    """Projects the hypothesis on what the examples demand of it (paper 000, Algorithm 2).

    | paper 000 | here |
    |---|---|
    | K = L+ | ``kernel`` |
    | strategy(M, w, D_t) | ``strategy``: a :class:`Strategy`, or your own function of the same three |
    | cyclic, aggressive, w_1 | ``cyclic``, ``aggressive``, ``start`` (the n values of a function) |
    | 1-proj, C-proj, MNI-ag | :meth:`one_proj`, :meth:`c_proj`, :meth:`min_norm` |
    | Z of Theorem 5.1 | the sum of ``Update.progress`` |

    Not cyclic, the hypothesis moves to the nearest function that *equals* every label of U_t; cyclic,
    it is projected on one half-space ``y f(x) >= 1`` after another until all of U_t is on the right
    side. Unless ``aggressive`` it moves on mistakes only (a tie is one); ``aggressive`` may be changed
    between trials. A strategy must contain t.

    Cost per update: O(n) for ``LATEST`` and per half-space (O(d) with a rank-d kernel); O(t^2) for an
    affine set, by a growing Cholesky factor. Predictions cost O(1), or O(t) with an affine set over a
    dense kernel.

    >>> import ohmline as ohm
    >>> graph = ohm.Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)])
    >>> kernel = ohm.LaplacianKernel(graph) + ohm.Constant(1.0)
    >>> learner = ohm.Projection.min_norm(kernel)
    >>> _ = learner.learn_one(0, -1), learner.learn_one(4, 1)
    >>> [round(learner.margin_one(k), 3) for k in range(5)]
    [-1.0, -0.5, 0.0, 0.5, 1.0]

    References
    ----------
    Herbster, Pontil and Wainer, Online learning over graphs, ICML 2005.
    """

    kind = "Projection"

    def __init__(
        self,
        kernel: Kernel,
        strategy: Strategy | Chooser = Strategy.LATEST,
        *,
        cyclic: bool = False,
        aggressive: bool = False,
        start: ArrayLike | None = None,
        contradiction: Contradiction = Contradiction.RAISE,
    ) -> None:
        if not isinstance(contradiction, Contradiction):
            raise ParameterError(
                f"contradiction must be Contradiction.RAISE or .RELABEL, got {contradiction!r}"
            )
        if not isinstance(strategy, Strategy) and not callable(strategy):
            raise ParameterError(
                f"strategy must be Strategy.LATEST, .ALL, .MISTAKES or a function, got {strategy!r}"
            )
        self.kernel, self.strategy, self.contradiction = kernel, strategy, contradiction
        self.affine = not cyclic and strategy is not Strategy.LATEST
        if isinstance(kernel.space, Columns) and strategy is not Strategy.LATEST:
            raise LearnerError(
                f"{kernel!r} gives columns on demand, and this strategy reads many at once; "
                "use Strategy.LATEST, or a LaplacianKernel or SpectralKernel"
            )
        self.start: Floats = np.zeros(kernel.n) if start is None else vector(start, "start", length=kernel.n)
        """w_1, as values at the nodes."""
        code = int(strategy) if isinstance(strategy, Strategy) else CUSTOM
        options = np.array([code, cyclic, aggressive, contradiction is Contradiction.RELABEL], np.int64)
        self.space = Gram(kernel.space, *_no_factor()) if self.affine else kernel.space
        self.state = _empty_state(kernel, self.start, options, affine=self.affine)

    @classmethod
    def one_proj(cls, kernel: Kernel, **options: Any) -> Self:
        """1-proj of Table 1: U_t = {t}, moves on mistakes only."""
        return cls(kernel, Strategy.LATEST, **options)

    @classmethod
    def c_proj(cls, kernel: Kernel, **options: Any) -> Self:
        """C-proj of Table 1: U_t = {1..t}, cyclic, moves on mistakes only."""
        return cls(kernel, Strategy.ALL, cyclic=True, **options)

    @classmethod
    def min_norm(cls, kernel: Kernel, *, aggressive: bool = True, **options: Any) -> Self:
        """Minimum norm interpolation, U_t = {1..t}; aggressive it is MNI-ag of Table 1."""
        return cls(kernel, Strategy.ALL, aggressive=aggressive, **options)

    @property
    def cyclic(self) -> bool:
        """Whether it projects on half-spaces in turn rather than on one affine set."""
        return bool(self.state.options[CYCLIC])

    @property
    def aggressive(self) -> bool:
        """Whether it moves on every label, not on mistakes only; may be changed between trials."""
        return bool(self.state.options[AGGRESSIVE])

    @aggressive.setter
    def aggressive(self, value: bool) -> None:
        self.state.options[AGGRESSIVE] = bool(value)

    @property
    def nodes(self) -> NodeIndex:
        return self.kernel.nodes

    def values(self) -> Floats:
        """The hypothesis at every position; not to be changed."""
        if self.affine:
            return values_of(self.space, self.state)
        if isinstance(self.space, Features):
            return values(self.space, self.state.w, self.kernel.n)
        return self.state.w  # type: ignore[no-any-return]

    @property
    def per_event(self) -> bool:
        """A strategy of the user's own is asked in Python, trial by trial."""
        return not isinstance(self.strategy, Strategy) or isinstance(self.space, Columns)

    def drive(self, trials: Trials, spent: int, log: Log) -> int:
        if self.affine:
            self._reserve(min(self.kernel.n, int(self.state.size[0]) + len(trials.where)))
        return super().drive(trials, spent, log)

    def prepare(self, i: int, y: int) -> None:
        if not isinstance(self.strategy, Strategy):
            self._choose(self.strategy, i, y)
        elif self.per_event and (self.aggressive or self.glance_at(i)[1] * y <= 0):
            self.kernel.fetch(i)
        if self.affine:
            self._reserve(min(self.kernel.n, int(self.state.size[0]) + 1))

    def _reserve(self, rows: int) -> None:
        """Room for the Cholesky factor of that many examples."""
        if rows * (rows + 1) // 2 <= len(self.space.factor):
            return
        rows = min(self.kernel.n, max(rows, 2 * len(self.space.nodes), 16))
        factor, nodes = np.zeros(rows * (rows + 1) // 2), np.zeros(rows, np.int64)
        factor[: len(self.space.factor)] = self.space.factor
        nodes[: len(self.space.nodes)] = self.space.nodes
        self.space = self.space._replace(factor=factor, nodes=nodes)

    def _choose(self, strategy: Chooser, i: int, y: int) -> None:
        """Ask the user's function for U_t and lay it out for the compiled step."""
        state, t = self.state, int(self.state.seen[0])
        if t == state.history.shape[1]:
            history = np.zeros((3, max(16, 2 * t)), np.int64)
            history[:, :t] = state.history
            self.state = state = state._replace(history=history)
        margin = self.margin_one(self.nodes[i])
        state.history[:, t] = i, y, margin * y <= 0
        rows = state.history[:, : t + 1]
        examples = [(self.nodes[int(node)], self.decode(int(label))) for node, label, _ in rows.T]
        chosen = sorted(
            {_trial(u, t) for u in strategy(np.flatnonzero(rows[2]).tolist(), self.margin_one, examples)}
        )
        if t not in chosen:
            raise LearnerError(
                f"the strategy chose {chosen} and leaves out trial {t}, the newest; a corrective strategy "
                "contains it: add len(examples) - 1 to what it returns"
            )
        demanded: dict[int, int] = {}
        for node, label, _ in rows[:, chosen].T.tolist():
            if demanded.setdefault(node, label) != label:
                if self.contradiction is Contradiction.RAISE:
                    raise ConflictingLabels(
                        f"the strategy chose node {self.nodes[node]!r} with both labels; no hypothesis fits: "
                        "choose one of them, or pass contradiction=Contradiction.RELABEL"
                    )
                demanded[node] = label
        state.size[0] = len(demanded)
        state.order[: len(demanded)] = list(demanded)
        for node, label in demanded.items():
            state.label[node] = label
            if self.affine:
                state.value[node] = self.margin_one(self.nodes[node])

    def settings(self) -> State:
        return {"start": self.start.copy()}

    def load(self, state: State) -> None:
        if not isinstance(self.strategy, Strategy):  # the history is as long as the game was
            trials = take(state, self.kind, "state.history")
            self.state = self.state._replace(history=np.zeros_like(trials))
        super().load(state)

    @classmethod
    def restore(cls, state: State, kernel: Kernel, strategy: Chooser | None = None) -> Self:
        """The learner that was snapshot; a strategy of your own has to be given again."""
        options = take(state, cls.kind, "state.options")
        code = int(options[STRATEGY])
        if code == CUSTOM and strategy is None:
            raise SnapshotError(
                "the snapshot was made with a strategy function, which no snapshot can hold; "
                "pass it again: Projection.restore(state, kernel, strategy)"
            )
        learner = cls(
            kernel,
            strategy if code == CUSTOM and strategy is not None else Strategy(code),
            cyclic=bool(options[CYCLIC]),
            start=take(state, cls.kind, "start"),
            contradiction=Contradiction.RELABEL if options[RELABEL] else Contradiction.RAISE,
        )
        learner.load(state)
        return learner


def _trial(u: Any, t: int) -> int:
    if not isinstance(u, int | np.integer) or isinstance(u, bool) or not 0 <= u <= t:
        raise LearnerError(
            f"the strategy chose {u!r}; expected whole numbers from 0 to {t}, indices of examples"
        )
    return int(u)


def _no_factor() -> tuple[Floats, Ints, Ints]:
    return np.zeros(0), np.zeros(0, np.int64), np.zeros(1, np.int64)


def _empty_state(kernel: Kernel, start: Floats, options: Ints, *, affine: bool) -> SweepState | AffineState:
    n = kernel.n
    w, sqnorm = _starting_point(kernel, start)
    label, order, size = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(1, np.int64)
    history, seen = np.zeros((3, 0), np.int64), np.zeros(1, np.int64)
    if not affine:
        return SweepState(w, sqnorm, label, order, size, np.zeros(1, np.int64), history, seen, options)
    dense = isinstance(kernel.space, Dense)
    return AffineState(
        w=np.zeros(n) if dense else w,
        start=start.copy() if dense else np.zeros(0),
        support=np.zeros(n if dense else 0, np.int64),
        used=np.zeros(1, np.int64),
        sqnorm=sqnorm,
        label=label,
        value=np.zeros(n),
        order=order,
        size=size,
        history=history,
        seen=seen,
        options=options,
    )


def _starting_point(kernel: Kernel, start: Floats) -> tuple[Floats, Floats]:
    """The start function in the representation of the kernel's space, and its squared norm."""
    space = kernel.space
    if not start.any():
        return np.zeros(width(space)), np.zeros(1)
    sqnorm = kernel.sqnorm(start)
    if not np.isfinite(sqnorm):
        raise KernelError(
            "start is not a function of this kernel's space (its norm is infinite); add a Constant or a "
            "Ridge to the kernel, or subtract the mean of each component"
        )
    if isinstance(space, Features):
        coefficients = np.linalg.lstsq(dense_matrix(space), start, rcond=None)[0]
        weights = space.rows.T @ coefficients
        return np.append(weights, space.ridge * coefficients) if space.ridge > 0 else weights, np.array(
            [sqnorm]
        )
    return start.copy(), np.array([sqnorm])
