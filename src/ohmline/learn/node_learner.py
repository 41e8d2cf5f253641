"""Learners over the nodes of a graph or kernel."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Self, final

import numpy as np
from numpy.typing import ArrayLike

from ohmline.arrays import AnyArray, Ints, flags, fraction
from ohmline.checks import listed, shown
from ohmline.compiled import has_own_body
from ohmline.errors import ParameterError
from ohmline.graph.nodes import NodeIndex
from ohmline.kernel.contract import Kernel
from ohmline.learn.compiled_learner import CompiledLearner
from ohmline.learn.contract import BinaryLearner, Label, State, Y, binary_code
from ohmline.learn.predictions import Predictions
from ohmline.learn.ranges import Range, in_range
from ohmline.learn.snapshots import expect_kind, expect_place, expect_settings, take
from ohmline.learn.step import ahead, ahead_at


class NodeLearner(CompiledLearner[Hashable, Y]):
    """A compiled learner whose things are the nodes of an index; a place is a position."""

    kind: ClassVar[str]
    """The name in a snapshot."""
    ranges: ClassVar[Mapping[str, Range]] = {}
    """What the arrays of the state may hold: every one of whole numbers, and those that may be infinite."""

    @property
    @abstractmethod
    def nodes(self) -> NodeIndex:
        """The nodes it may be asked about."""

    @property
    def fingerprint(self) -> str:
        """What a snapshot knows its graph or kernel by."""
        return self.nodes.fingerprint

    @final
    def locate(self, x: Hashable) -> int:
        return self.nodes.position(x)

    @final
    def locate_all(self, xs: Iterable[Hashable]) -> Ints:
        return self.nodes.positions(xs)

    @final
    def _surveyed(self, nodes: Iterable[Hashable] | None) -> tuple[Any, Ints]:
        if nodes is None:
            index = self.nodes
            return index, np.arange(len(index))
        things = listed(nodes, "nodes")
        return things, self.locate_all(things)

    @final
    def _placed(self, place: Any) -> int:
        if type(place) is not int and not isinstance(place, np.integer):
            raise ParameterError(f"a place must be what locate gives, a whole number; got {shown(place)}")
        if not 0 <= place < len(self.nodes):
            raise ParameterError(
                f"place {shown(place)} is beyond the {len(self.nodes)} nodes; locate gives one"
            )
        return int(place)

    @final
    def part_ahead(self, place: int, came: ArrayLike, again: float) -> float:
        """Which part of what a label would say is of use to nodes that are still to come; never changes the learner.

        Each counts as far as it is undecided.

        Parameters
        ----------
        place
            What `locate` gave.
        came
            Which nodes came up before: True or False for each, in the order of `nodes`.
        again
            How much a node that came up before counts, from 0 to 1, where one that is still to come counts 1.

        Returns
        -------
        float
            From 0 to 1; 1 for a learner that cannot tell.
        """
        place = self._placed(place)
        before = flags(came, "came", length=len(self.nodes))
        again = fraction(again, "again")
        if not has_own_body(ahead, type(self.state)):
            return 1.0
        with self._still:
            bound = self.step(watched=True)
            return float(ahead_at(bound.address, place, before, again))

    @final
    def snapshot(self) -> State:
        with self._still:
            return {
                "kind": np.array(self.kind),
                "n": np.array(len(self.nodes)),
                "fingerprint": np.array(self.fingerprint),
                **{f"state.{name}": np.array(value) for name, value in self._kept()},
                **self.settings(),
                **self._also_kept(),
            }

    def _also_kept(self) -> State:
        """What else a snapshot holds, under its own names: of a learner within this one, say."""
        return {}

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
        expect_place(state, self.kind, self.fingerprint, len(self.nodes))
        expect_settings(state, self.kind, self.settings())
        wanted = self._wanted(state)
        saved = {name: take(state, self.kind, f"state.{name}") for name in wanted}
        found = in_range(self, self.ranges, wanted, saved)
        self._expect_agreement(found)
        self.state = self._loaded(found)

    def _wanted(self, state: State) -> dict[str, AnyArray]:
        """Arrays of the types and shapes that a snapshot must have, by name."""
        return arrays_of(self.expected(state))

    def _expect_agreement(self, arrays: dict[str, AnyArray]) -> None:
        """Raise `SnapshotError` where the arrays of a snapshot contradict one another; here none can."""

    def _loaded(self, arrays: dict[str, AnyArray]) -> Any:
        """The state of a snapshot's arrays, which were checked."""
        return self.state._replace(**arrays)

    def expected(self, state: State) -> Any:
        """A state of the shapes that a snapshot must have: those of this one, unless they follow the snapshot.

        Parameters
        ----------
        state
            What `snapshot` gave.
        """
        return self.state

    def _kept(self) -> list[tuple[str, AnyArray]]:
        """The arrays of the state that a snapshot holds, by name."""
        return list(arrays_of(self.state).items())


def arrays_of(state: Any) -> dict[str, AnyArray]:
    """The arrays of a state by name; a tuple in it is work space, not knowledge."""
    return {name: value for name, value in state._asdict().items() if isinstance(value, np.ndarray)}


class BinaryNodeLearner(NodeLearner[Label], BinaryLearner[Hashable]):
    """A learner of -1 and +1 over the nodes of an index: its codes are its labels."""

    @final
    def margin_one(self, x: Hashable) -> float:
        return self._look(self.nodes.position(x))[1]

    @final
    def _predict_at(self, things: Any, places: AnyArray) -> Predictions:
        return self._signed(things, self._views(places)[1])

    @final
    def encode(self, y: Any) -> int:
        return binary_code(y)

    @final
    def _codes(self) -> tuple[int, int]:
        return -1, 1

    @final
    def codes_of(self, labels: Sequence[Any]) -> list[int]:
        return [binary_code(y) for y in listed(labels, "labels")]

    @final
    def decode(self, code: int) -> Label:
        return 1 if self._coded(code) > 0 else -1


class OverKernel:
    """What a learner over a kernel has from it."""

    kernel: Kernel

    @property
    @final
    def nodes(self) -> NodeIndex:
        return self.kernel.nodes

    @property
    @final
    def fingerprint(self) -> str:
        return self.kernel.fingerprint


class BinaryKernelLearner(OverKernel, BinaryNodeLearner):
    """A learner of -1 and +1 whose hypothesis is a function of a kernel's space."""

    def settings(self) -> State:
        return {}

    @classmethod
    def restore(cls, state: State, kernel: Any) -> Self:
        learner = cls(kernel)
        learner.load(state)
        return learner
