"""Learners over the nodes of an index: the streaming driver of the compiled step."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import Any, ClassVar, Protocol, final, runtime_checkable

import numpy as np
from numba import typeof, types

from ohmline.arrays import AnyArray, Bools, Ints
from ohmline.compiled import compiled
from ohmline.errors import SnapshotError
from ohmline.graph.nodes import NodeIndex
from ohmline.kernel.space import Columns
from ohmline.learn.contract import (
    BinaryLearner,
    Label,
    OnlineLearner,
    State,
    Update,
    View,
    Y,
    binary_code,
    expect_kind,
    take,
)
from ohmline.learn.stepping import (
    BLOCK,
    Batch,
    Log,
    Rule,
    Trials,
    distinct,
    learn_at,
    reads_variance,
    run,
    silent,
    view_at,
)


@runtime_checkable
class ArrayPlayer(Protocol):
    """A learner that can play many trials at once, exactly as if one by one."""

    def can_play(self, rule: Rule) -> bool:
        """Whether it can, under this query."""
        ...

    def play_arrays(
        self, batch: Batch, rule: Rule, progress: Callable[[int], None]
    ) -> tuple[dict[int, Any], Log]:
        """Play every trial; the meaning of the prediction codes, and the log."""
        ...


class PositionLearner(OnlineLearner[Hashable, Y]):
    """A learner over the nodes of an index: subclasses give the space, the state and the codes."""

    space: Any
    """The compiled kernel, in whatever form the learner's step reads it."""
    state: Any
    kind: ClassVar[str]
    _ready: tuple[Any, Any, Any, Any] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_ready"}

    @property
    @abstractmethod
    def nodes(self) -> NodeIndex:
        """The nodes it may be asked about."""

    @abstractmethod
    def encode(self, y: Any) -> int:
        """The code of a label in compiled code, or ``LabelError``."""

    @abstractmethod
    def decode(self, code: int) -> Y | None:
        """The label of a code."""

    def prepare(self, i: int, y: int) -> None:
        """Called before a label is learned; kernels of columns fetch what the step will read."""

    @property
    def per_event(self) -> bool:
        """Whether ``prepare`` has work to do in Python between the trials."""
        return isinstance(self.space, Columns)

    def settle(self) -> None:
        """Called after a play, whose labels were all encoded ahead, also those nobody asked for.

        A learner that admits classes as they come forgets the latter here.
        """

    @property
    def watched(self) -> Any:
        """The same arrays as ``state``, in the type whose ``view`` also works out the variance.

        A learner whose variance is dear overrides this, and leaves it out of ``view(state)``.
        """
        return self.state

    def drive(self, trials: Trials, spent: int, log: Log) -> int:
        """``run`` on some trials; a learner may know a quicker road to the same predictions."""
        state = self.watched if reads_variance(trials.rule) else self.state
        return run(self.space, state, trials, spent, log)

    @final
    def can_play(self, rule: Rule) -> bool:
        """Not when something has to be done in Python between the trials."""
        return not self.per_event

    @final
    def play_arrays(
        self, batch: Batch, rule: Rule, progress: Callable[[int], None]
    ) -> tuple[dict[int, Any], Log]:
        # Every node and label is checked before the first trial, so an error changes nothing.
        positions = self.nodes.positions(batch.nodes)
        truth = self.encode_all(batch.codes, batch.classes, batch.revealed)
        trials = Trials(positions, truth, batch.revealed, rule, batch.draws, 1)
        log, spent = Log.empty(len(positions)), 0
        block = len(positions) if progress is silent else BLOCK
        for start in range(0, len(positions), max(block, 1)):
            part = slice(start, min(start + block, len(positions)))
            spent = self.drive(trials.part(part), spent, log.part(part))
            progress(part.stop - part.start)
        meaning = {code: self.decode(code) for code in distinct(log.prediction)}
        self.settle()
        return meaning, log

    @final
    def encode_all(self, codes: Ints, classes: Sequence[Any], revealed: Bools) -> Ints:
        """The learner's codes of the revealed labels; every class is encoded once."""
        table = np.zeros(len(classes) + 1, dtype=np.int64)
        for code in np.flatnonzero(_occurring(codes, revealed, len(classes))).tolist():
            table[code] = self.encode(classes[code])
        return table.take(codes)

    @final
    def glance_at(self, i: int) -> tuple[int, float, float]:
        """``view`` at a position, without a variance that is dear: (prediction code, margin, variance)."""
        _, _, look, _ = self._machine_code()
        return look(self.space, self.state, i)  # type: ignore[no-any-return]

    @final
    def _machine_code(self) -> tuple[Any, Any, Any, Any]:
        """The space and state in use, and ``view_at`` and ``learn_at`` for their types.

        Working out the types of all arrays takes longer than a step, so it is done once, and
        again when the space or the state is replaced.
        """
        ready = self._ready
        if ready is None or ready[0] is not self.space or ready[1] is not self.state:
            kinds = typeof(self.space), typeof(self.state)
            look = view_at.compile((*kinds, types.int64))  # type: ignore[attr-defined]
            step = learn_at.compile((*kinds, types.int64, types.int64))  # type: ignore[attr-defined]
            ready = self._ready = (self.space, self.state, look, step)
        return ready

    @final
    def view_one(self, x: Hashable) -> View[Y]:
        code, margin, variance = view_at(self.space, self.watched, self.nodes.position(x))
        return View(self.decode(code), margin, variance)

    @final
    def glance_one(self, x: Hashable) -> View[Y]:
        code, margin, variance = self.glance_at(self.nodes.position(x))
        return View(self.decode(code), margin, variance)

    @final
    def learn_one(self, x: Hashable, y: Y | None) -> Update:
        i = self.nodes.position(x)
        if y is None:
            return Update(None, False, 0.0)
        code = self.encode(y)
        self.prepare(i, code)
        _, _, _, step = self._machine_code()
        prediction, updated, progress = step(self.space, self.state, i, code)
        return Update(prediction != code, updated, progress)

    @final
    def snapshot(self) -> State:
        arrays = {f"state.{name}": np.array(value) for name, value in self._kept()}
        return {"kind": np.array(self.kind), "n": np.array(len(self.nodes)), **arrays, **self.settings()}

    @abstractmethod
    def settings(self) -> State:
        """The hyper-parameters, as arrays, for the snapshot."""

    def load(self, state: State) -> None:
        """Put a snapshot's arrays into this freshly made learner."""
        expect_kind(state, self.kind)
        if int(take(state, self.kind, "n")) != len(self.nodes):
            raise SnapshotError(
                f"the snapshot is of {int(state['n'])} nodes, the kernel has {len(self.nodes)}; "
                "restore it over the kernel it was made with"
            )
        for name, value in self._kept():
            saved = take(state, self.kind, f"state.{name}")
            if saved.shape != value.shape:
                raise SnapshotError(
                    f"the snapshot's {name} has shape {saved.shape}, this kernel needs {value.shape}; "
                    "restore it over the kernel it was made with"
                )
            value[...] = saved

    @final
    def _kept(self) -> list[tuple[str, AnyArray]]:
        """The arrays of the state by name; a ``scratch`` in it is work space, not knowledge."""
        return [(name, value) for name, value in self.state._asdict().items() if name != "scratch"]


class BinaryPositionLearner(PositionLearner[Label], BinaryLearner[Hashable]):
    """A learner of -1 and +1 over the nodes of an index: its codes are its labels."""

    @final
    def margin_one(self, x: Hashable) -> float:
        return self.glance_at(self.nodes.position(x))[1]

    @final
    def encode(self, y: Any) -> int:
        return binary_code(y)

    @final
    def decode(self, code: int) -> Label:
        return 1 if code > 0 else -1


@compiled
def _occurring(codes: Ints, revealed: Bools, n_classes: int) -> Bools:
    """For each class whether one of its labels can be had."""
    found = np.zeros(n_classes, np.bool_)
    for t in range(codes.shape[0]):
        if revealed[t]:
            found[codes[t]] = True
    return found
