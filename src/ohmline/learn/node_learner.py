"""Learners over the nodes of a graph or kernel."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, ClassVar, Self, final

import numpy as np

from ohmline.arrays import AnyArray, Ints
from ohmline.errors import SnapshotError
from ohmline.graph.nodes import NodeIndex
from ohmline.kernel.contract import Kernel
from ohmline.learn.compiled_learner import CompiledLearner
from ohmline.learn.contract import BinaryLearner, Label, State, Y, binary_code, expect_kind, take


class NodeLearner(CompiledLearner[Hashable, Y]):
    """A compiled learner whose things are the nodes of an index; a place is a position."""

    kind: ClassVar[str]
    """The name in a snapshot."""

    @property
    @abstractmethod
    def nodes(self) -> NodeIndex:
        """The nodes it may be asked about."""

    @final
    def locate(self, x: Hashable) -> int:
        return self.nodes.position(x)

    @final
    def locate_all(self, xs: Iterable[Hashable]) -> Ints:
        return self.nodes.positions(xs)

    @final
    def snapshot(self) -> State:
        arrays = {f"state.{name}": np.array(value) for name, value in self._kept()}
        return {"kind": np.array(self.kind), "n": np.array(len(self.nodes)), **arrays, **self.settings()}

    @abstractmethod
    def settings(self) -> State:
        """The hyper-parameters, as arrays, for the snapshot."""

    def load(self, state: State) -> None:
        """Put the arrays of a snapshot into this learner, which was made with the same parameters.

        Raises `SnapshotError` where they are of another class of learner or do not fit.

        Parameters
        ----------
        state
            What `snapshot` gave.
        """
        expect_kind(state, self.kind)
        if int(take(state, self.kind, "n")) != len(self.nodes):
            raise SnapshotError(
                f"the snapshot is of {int(state['n'])} nodes, the kernel has {len(self.nodes)}; "
                "restore it over the kernel it was made with"
            )
        found: dict[str, AnyArray] = {}
        for name, value in self._kept():
            saved = take(state, self.kind, f"state.{name}")
            if saved.shape != value.shape:
                raise SnapshotError(
                    f"the snapshot's {name} has shape {saved.shape}, this kernel needs {value.shape}; "
                    "restore it over the kernel it was made with"
                )
            found[name] = np.array(saved, dtype=value.dtype)
        self.state = self.state._replace(**found)

    def _kept(self) -> list[tuple[str, AnyArray]]:
        """The arrays of the state by name; a tuple in it is work space, not knowledge."""
        return [item for item in self.state._asdict().items() if isinstance(item[1], np.ndarray)]


class BinaryNodeLearner(NodeLearner[Label], BinaryLearner[Hashable]):
    """A learner of -1 and +1 over the nodes of an index: its codes are its labels."""

    @final
    def margin_one(self, x: Hashable) -> float:
        return self.look(self.nodes.position(x))[1]

    @final
    def encode(self, y: Any) -> int:
        return binary_code(y)

    @final
    def codes_of(self, labels: Sequence[Any]) -> list[int]:
        return [binary_code(y) for y in labels]

    @final
    def decode(self, code: int) -> Label:
        return 1 if code > 0 else -1


class BinaryKernelLearner(BinaryNodeLearner):
    """A learner of -1 and +1 whose hypothesis is a function of a kernel's space."""

    kernel: Kernel

    @property
    @final
    def nodes(self) -> NodeIndex:
        return self.kernel.nodes

    def settings(self) -> State:
        return {}

    @classmethod
    def restore(cls, state: State, kernel: Any) -> Self:
        learner = cls(kernel)  # type: ignore[call-arg]
        learner.load(state)
        return learner
