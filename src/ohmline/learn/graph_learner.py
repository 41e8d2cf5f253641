"""Learners of many classes over one graph that keep the label of each node."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from typing import Any, Self, final

import numpy as np

from ohmline.arrays import AnyArray, Bools, Ints
from ohmline.checks import shown
from ohmline.compiled import undisturbed
from ohmline.errors import OhmlineError, SnapshotError
from ohmline.graph.graph import Graph
from ohmline.graph.nodes import NodeIndex
from ohmline.learn.classes import ManyClassLearner, saved_classes
from ohmline.learn.contract import State
from ohmline.learn.snapshots import expect_fingerprint, expect_kind


class GraphLearner(ManyClassLearner):
    """A learner of many classes that is made over a graph, and knows the last label of each node.

    A learner of this kind says which classes were seen, and in which order (`_seen`); how its state looks when they
    are numbered in that order (`_renumbered`); what it was made with (`settings`) and, of a snapshot, with what to
    make it again (`_options`).
    """

    graph: Graph

    @property
    def nodes(self) -> NodeIndex:
        return self.graph.nodes

    @property
    def fingerprint(self) -> str:
        return self.graph.fingerprint

    @final
    def labelled(self) -> Bools:
        """For each position whether its node has a label."""
        with self._still:
            return np.asarray(self._codes_of_nodes() >= 0)

    @final
    def label_one(self, x: Hashable) -> Any:
        """The last label learned for `x`; None if there is none.

        Parameters
        ----------
        x
            A node.
        """
        t = self.nodes.position(x)
        with self._still:
            return self.decode(self._code_of_node(t))

    def _codes_of_nodes(self) -> Ints:
        """The class of each node, -1 for none."""
        return np.asarray(self.state.label)

    def _code_of_node(self, t: int) -> int:
        """The class of the node at position t, -1 for none."""
        return int(self.state.label[t])

    @final
    def settle(self) -> None:
        known = self._seen()
        if not self._table.fixed and not np.array_equal(known, np.arange(len(self._table))):
            with undisturbed(), self._still:
                self.state = self._renumbered(known)
                self._table.keep(known)

    def _seen(self) -> Ints:
        """The classes that were learned, in the order in which they came."""
        known: Ints = self.state.order[self.state.order >= 0]
        return known

    @abstractmethod
    def _renumbered(self, known: Ints) -> Any:
        """The state in which the classes at `known` are 0, 1 and so on, and no others are left."""

    def _chances(self, scores: AnyArray) -> AnyArray:
        """The scores of the classes are probabilities already."""
        return scores

    @classmethod
    def restore(cls, state: State, kernel: Any) -> Self:
        """The learner that was snapshot.

        Parameters
        ----------
        state
            What `snapshot` gave.
        kernel
            The graph that the learner was made with.
        """
        expect_kind(state, cls.kind)
        place = cls._place_of(kernel)
        expect_fingerprint(state, cls.kind, place.fingerprint)
        names, fixed = saved_classes(state, cls.kind)
        options = cls._options(state)
        try:
            learner = cls(place, names if fixed else None, **options)
            learner.codes_of(names)
        except OhmlineError as error:
            raise SnapshotError(f"the snapshot is damaged: {error}") from error
        learner.load(state)
        return learner

    @classmethod
    def _place_of(cls, kernel: Any) -> Any:
        """What the learner is made over, if `kernel` is that."""
        if not isinstance(kernel, Graph):
            raise SnapshotError(f"a snapshot of {cls.kind} is restored over its Graph, got {shown(kernel)}")
        return kernel

    @classmethod
    @abstractmethod
    def _options(cls, state: State) -> dict[str, Any]:
        """The parameters in a snapshot, but for the graph and the classes."""

    def _wanted(self, state: State) -> dict[str, AnyArray]:
        return dict(self._kept())
