"""Online projections: Algorithm 2 of paper 000 in full."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from types import MappingProxyType
from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike

from ohmline.arrays import AnyArray, Bools, Floats, vector
from ohmline.checks import choice, flag, shown
from ohmline.errors import ConflictingLabels, KernelError, LearnerError, ParameterError, SnapshotError
from ohmline.kernel.contract import Kernel, expect_kernel
from ohmline.kernel.space import may_miss_columns, values
from ohmline.learn.belief import KernelBelief
from ohmline.learn.contract import State
from ohmline.learn.node_learner import BinaryKernelLearner
from ohmline.learn.projection.affine import AffineState, Gram, values_of
from ohmline.learn.projection.columns import Block
from ohmline.learn.projection.half_spaces import HalfSpaces, HalfSpaceState
from ohmline.learn.projection.strategy import CUSTOM, Chooser, Contradiction, Demands, Strategy
from ohmline.learn.ranges import (
    FLAGS,
    NODE_COUNT,
    POSITIONS,
    POSITIONS_OR_NONE,
    SIGNS,
    TRIALS,
    Range,
    expect_listed,
    up_to_length_of,
)
from ohmline.learn.snapshots import expect_kind, saved_count, saved_flag, saved_member, take


@final
class Projection(BinaryKernelLearner):
    """Projects the hypothesis on what the examples demand of it (paper 000, Algorithm 2).

    | paper 000 | here |
    |---|---|
    | K = L+ | `kernel` |
    | strategy(M, w, D_t) | `strategy`: a `Strategy`, or your own function of the same three |
    | cyclic, aggressive, w_1 | `cyclic`, `aggressive`, `start` (the n values of a function) |
    | 1-proj, C-proj, MNI-ag | `one_proj`, `c_proj`, `min_norm` |
    | Z of Theorem 5.1 | the sum of `Update.progress` |

    Not cyclic, the hypothesis moves to the nearest function that *equals* every label of U_t; cyclic,
    it is projected on one half-space `y f(x) >= 1` after another until all of U_t is on the right
    side. Unless `aggressive` it moves on mistakes only (a tie is one). A strategy must contain t.

    Cost per update: O(n) for `LATEST` and per half-space (O(d) with a rank-d kernel); O(t^2) for an
    affine set, by a growing Cholesky factor. Predictions cost O(1), or O(t) with an affine set over a
    dense kernel. Over a kernel of columns an affine set reads the column of every node that is predicted,
    and a cyclic one that of every listed label and those of the half-spaces that it projects on, two at a time.

    Parameters
    ----------
    kernel
        The space of the hypothesis.
    strategy
        Which examples a trial must satisfy: `Strategy.LATEST` (default), `.ALL`, `.MISTAKES`, or a function
        `strategy(mistakes, margin, examples)` that returns indices into `examples`.
    cyclic
        Project on half-spaces in turn rather than on one affine set. Default False.
    aggressive
        Move on every label, not on mistakes only. Default False; may be changed between trials.
    start
        w_1 as one value per node, a function of the kernel's space; zero by default.
    contradiction
        What happens when no hypothesis satisfies every example: `Contradiction.RAISE` (default) or `.RELABEL`.

    Examples
    --------
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
    ranges = MappingProxyType(
        {
            "label": SIGNS,
            "order": POSITIONS,
            "size": NODE_COUNT,
            "stuck": FLAGS,
            "history": TRIALS,
            "seen": up_to_length_of("history"),
            "support": POSITIONS,
            "used": up_to_length_of("support"),
            "updates": Range(0, inf),
            "enrolled": POSITIONS_OR_NONE,
        }
    )

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
        choice(contradiction, Contradiction, "contradiction")
        if not isinstance(strategy, Strategy) and not callable(strategy):
            raise ParameterError(
                f"strategy must be Strategy.LATEST, .ALL, .MISTAKES or a function, got {shown(strategy)}"
            )
        self.kernel, self.strategy, self.contradiction = expect_kernel(kernel), strategy, contradiction
        cyclic, aggressive = flag(cyclic, "cyclic"), flag(aggressive, "aggressive")
        self._given_start = None if start is None else vector(start, "start", length=kernel.n)
        self._affine = not cyclic and strategy is not Strategy.LATEST
        code = int(strategy) if isinstance(strategy, Strategy) else CUSTOM
        demands = Demands(code, cyclic, aggressive, contradiction is Contradiction.RELABEL)
        if self._affine:
            self.space = Gram.empty(kernel.space, demands)
            self.state = _empty_affine(kernel, self.values_at_start)
        else:
            # Only a strategy that keeps its examples reads many columns in one trial.
            kept = kernel.n if kernel.space.partial and strategy is not Strategy.LATEST else 0
            self.space = HalfSpaces(kernel.space, demands, Block.empty(kept))
            self.state = _empty_half_spaces(kernel, self.values_at_start)

    @classmethod
    def one_proj(cls, kernel: Kernel, **options: Any) -> Self:
        """1-proj of Table 1: U_t = {t}, moves on mistakes only.

        Parameters
        ----------
        kernel, options
            As for `Projection`.
        """
        return cls(kernel, Strategy.LATEST, **options)

    @classmethod
    def c_proj(cls, kernel: Kernel, **options: Any) -> Self:
        """C-proj of Table 1: U_t = {1..t}, cyclic, moves on mistakes only.

        Parameters
        ----------
        kernel, options
            As for `Projection`.
        """
        return cls(kernel, Strategy.ALL, cyclic=True, **options)

    @classmethod
    def min_norm(cls, kernel: Kernel, *, aggressive: bool = True, **options: Any) -> Self:
        """Minimum norm interpolation, U_t = {1..t}; aggressive it is MNI-ag of Table 1.

        Parameters
        ----------
        kernel
            The space of the hypothesis.
        aggressive
            Move on every label (default), not on mistakes only.
        options
            The other parameters of `Projection`.
        """
        return cls(kernel, Strategy.ALL, aggressive=aggressive, **options)

    @property
    def cyclic(self) -> bool:
        """Whether it projects on half-spaces in turn rather than on one affine set."""
        return bool(self.space.demands.cyclic)

    @property
    def aggressive(self) -> bool:
        """Whether it moves on every label, not on mistakes only; may be changed between trials."""
        return bool(self.space.demands.aggressive)

    @aggressive.setter
    def aggressive(self, value: bool) -> None:
        self.space = self.space._replace(demands=self.space.demands._replace(aggressive=bool(value)))

    @property
    def start(self) -> Floats | None:
        """w_1 as it was given; None for zero."""
        return self._given_start

    @property
    def values_at_start(self) -> Floats:
        """w_1, one value per node."""
        return np.zeros(self.kernel.n) if self._given_start is None else self._given_start

    @property
    def updates(self) -> int:
        """How many projections moved it so far: the executions of lines 1 and 2 of Algorithm 2 (section 4.1)."""
        return int(self.state.updates[0])

    def values(self) -> Floats:
        """The hypothesis at every position; not to be changed."""
        if isinstance(self.state, HalfSpaceState):
            explicit = self.space.kernel.explicit() is not None
            return values(self.space.kernel, self.state.w, self.kernel.n) if explicit else self.state.w
        if not may_miss_columns(self.space):
            return values_of(self.space, self.state)
        total = self.state.start.copy()
        for i in self.state.support[: self.state.used[0]].tolist():
            total += self.state.w[i] * self.kernel.column(self.nodes[i])
        return total

    def labelled(self) -> Bools | None:
        """For each position whether its node has a label; None where the strategy does not keep them all."""
        with self._still:
            return np.asarray(self.state.label != 0) if self.strategy is Strategy.ALL else None

    def belief(self) -> KernelBelief | None:
        """The interpolant of all labels, in one-hot labels; None for other strategies, which keep no variance."""
        labelled = self.labelled()
        if labelled is None or not self._affine:
            return None
        value = np.array(self.values())
        mean = np.stack([(1 - value) / 2, (1 + value) / 2], axis=1)
        return KernelBelief((-1, 1), mean, labelled, self.kernel)

    def ready(self, trials: int) -> int:
        if not isinstance(self.strategy, Strategy):
            return 0  # the user's own function is asked in Python
        return self._room(trials)

    def learn_event(self, place: int, code: int) -> tuple[int, bool, float]:
        if isinstance(self.strategy, Strategy):
            self._room(1)
            return self.learn_compiled(place, code)
        put_back = self.checkpoint()
        try:
            self._choose(self.strategy, place, code)
            self._room(1)
            return self.learn_compiled(place, code)
        except BaseException:  # the choice is written down before it is known to be possible
            put_back()
            raise

    def _room(self, trials: int) -> int:
        """How many trials fit into what the space keeps of a kernel, which grows when it is full."""
        absent: list[int] = []
        if isinstance(self.space, Gram):
            rows, wanted = len(self.space.nodes), int(self.state.size[0])
        elif len(self.space.block.row_of):
            block = self.space.block
            listed = self.state.order[: self.state.size[0]]
            # After a restore, and with a strategy of one's own, nodes are listed that have no row yet.
            both = np.concatenate([self.state.enrolled[self.state.enrolled >= 0], listed])
            absent = list(dict.fromkeys(both[block.row_of[both] < 0].tolist()))
            rows, wanted = block.room, int(block.rows[0]) + len(absent)
        else:
            return trials
        n = self.kernel.n
        if rows - wanted < min(trials, 1) and rows < n:
            rows = min(n, max(16, 2 * rows, wanted + 1))
            self.space = self.space.with_room(rows)
        for i in absent:
            self._enrol(i)
        return trials if rows == n else rows - wanted

    def _enrol(self, i: int) -> None:
        """Give a node its row, as the compiled step would."""
        block, column = self.space.block, self.kernel.column(self.nodes[i])
        self.state.enrolled[block.rows[0]] = i
        block.fill(i, column, float(self.kernel.space.lengths()[i]))

    def load(self, state: State) -> None:
        super().load(state)
        self._forget_rows()

    def checkpoint(self) -> Callable[[], None]:
        put_state_back = super().checkpoint()

        def put_back() -> None:
            put_state_back()
            self._forget_rows()

        return put_back

    def _forget_rows(self) -> None:
        """The rows of the block may be in another order than the state says: they are fetched again."""
        if isinstance(self.space, HalfSpaces):
            self.space = self.space._replace(block=Block.empty(len(self.space.block.row_of)))

    def _choose(self, strategy: Chooser, i: int, y: int) -> None:
        """Ask the user's function for U_t and lay it out for the compiled step."""
        state, t = self.state, int(self.state.seen[0])
        if t == state.history.shape[1]:
            history = np.zeros((3, max(16, 2 * t)), np.int64)
            history[:, :t] = state.history
            self.state = state = state._replace(history=history)
        margin = self.look(i)[1]
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
                        f"the strategy chose node {shown(self.nodes[node])} with both labels; no hypothesis fits: "
                        "choose one of them, or pass contradiction=Contradiction.RELABEL"
                    )
                demanded[node] = label
        state.size[0] = len(demanded)
        state.order[: len(demanded)] = list(demanded)
        for node, label in demanded.items():
            state.label[node] = label
            if isinstance(state, AffineState):
                state.value[node] = self.look(node)[1]
        self.restage()

    def settings(self) -> State:
        demands = self.space.demands
        return {
            "start": self.values_at_start.copy(),
            "strategy": np.array(demands.strategy),
            "cyclic": np.array(demands.cyclic),
            "aggressive": np.array(demands.aggressive),
            "relabel": np.array(demands.relabel),
        }

    def expected(self, state: State) -> Any:
        if isinstance(self.strategy, Strategy):
            return self.state
        trials = take(state, self.kind, "state.history").shape[-1:]  # the history is as long as the game was
        return self.state._replace(history=np.zeros((3, *trials), np.int64))

    def _expect_agreement(self, arrays: dict[str, AnyArray]) -> None:
        marked = np.zeros(self.kernel.n, bool)
        marked[expect_listed(arrays, "order", "size")] = True
        if not np.array_equal(marked, arrays["label"] != 0):
            raise SnapshotError(
                "the snapshot's label must be -1 or +1 at the nodes that its order lists and 0 at all others; the "
                "snapshot is damaged"
            )
        if "support" in arrays:
            expect_listed(arrays, "support", "used")
        if "enrolled" in arrays:
            rows = arrays["enrolled"][arrays["enrolled"] >= 0]
            if len(np.unique(rows)) != len(rows) or not np.array_equal(arrays["enrolled"][: len(rows)], rows):
                raise SnapshotError(
                    "the snapshot's enrolled must name each node once, then -1; it is damaged"
                )

    @classmethod
    def restore(cls, state: State, kernel: Kernel, strategy: Chooser | None = None) -> Self:
        """The learner that was snapshot.

        Parameters
        ----------
        state
            What `snapshot` gave.
        kernel
            The kernel that the learner was made with.
        strategy
            The strategy, where it was a function: no snapshot can hold one.
        """
        expect_kind(state, cls.kind)
        code = saved_count(state, cls.kind, "strategy")
        if code == CUSTOM and strategy is None:
            raise SnapshotError(
                "the snapshot was made with a strategy function, which no snapshot can hold; "
                "pass it again: Projection.restore(state, kernel, strategy)"
            )
        own = strategy if code == CUSTOM else None
        known = own if own is not None else saved_member(state, cls.kind, "strategy", Strategy)
        start = take(state, cls.kind, "start")
        learner = cls(
            kernel,
            known,
            cyclic=saved_flag(state, cls.kind, "cyclic"),
            aggressive=saved_flag(state, cls.kind, "aggressive"),
            start=start if start.dtype.kind != "f" or np.any(start) else None,
            contradiction=Contradiction.RELABEL
            if saved_flag(state, cls.kind, "relabel")
            else Contradiction.RAISE,
        )
        learner.load(state)
        return learner


def _trial(u: Any, t: int) -> int:
    if not isinstance(u, int | np.integer) or isinstance(u, bool) or not 0 <= u <= t:
        raise LearnerError(
            f"the strategy chose {shown(u)}; expected whole numbers from 0 to {t}, indices of examples"
        )
    return int(u)


def _empty_half_spaces(kernel: Kernel, start: Floats) -> HalfSpaceState:
    n = kernel.n
    w, sqnorm = _starting_point(kernel, start)
    return HalfSpaceState(
        w=w,
        sqnorm=sqnorm,
        gross=np.sqrt(sqnorm),
        label=np.zeros(n, np.int64),
        order=np.zeros(n, np.int64),
        size=np.zeros(1, np.int64),
        stuck=np.zeros(1, np.int64),
        history=np.zeros((3, 0), np.int64),
        seen=np.zeros(1, np.int64),
        updates=np.zeros(1),
        enrolled=np.full(n if may_miss_columns(kernel.space) else 0, -1, np.int64),
    )


def _empty_affine(kernel: Kernel, start: Floats) -> AffineState:
    n, explicit = kernel.n, kernel.space.explicit() is not None
    w, sqnorm = _starting_point(kernel, start)
    return AffineState(
        w=w if explicit else np.zeros(n),
        start=np.zeros(0) if explicit else start.copy(),
        support=np.zeros(0 if explicit else n, np.int64),
        used=np.zeros(1, np.int64),
        sqnorm=sqnorm,
        gross=np.sqrt(sqnorm),
        label=np.zeros(n, np.int64),
        value=np.zeros(n),
        order=np.zeros(n, np.int64),
        size=np.zeros(1, np.int64),
        history=np.zeros((3, 0), np.int64),
        seen=np.zeros(1, np.int64),
        updates=np.zeros(1),
    )


def _starting_point(kernel: Kernel, start: Floats) -> tuple[Floats, Floats]:
    """The start function in the representation of the kernel's space, and its squared norm."""
    if not start.any():
        return np.zeros(kernel.space.width), np.zeros(1)
    sqnorm = kernel.sqnorm(start)
    if not np.isfinite(sqnorm):
        raise KernelError(
            "start is not a function of this kernel's space (its norm is infinite); add a Constant or a "
            "Ridge to the kernel, or subtract the mean of each component"
        )
    return kernel.space.coefficients(start), np.array([sqnorm])
