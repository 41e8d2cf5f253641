"""How LocalLGC changes otherwise than by a label: labels are withdrawn, nodes and edges come."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from ohmline.arrays import Bools, Ints
from ohmline.checks import flag, shown
from ohmline.compiled import undisturbed
from ohmline.errors import GraphError, LearnerError
from ohmline.graph.nodes import NodeIndex
from ohmline.learn.belief import SparseBelief
from ohmline.learn.classes import ManyClassLearner, writable
from ohmline.learn.local_lgc.adjacency import precision_of
from ohmline.learn.local_lgc.few import FewClasses, is_single, longer_rows, with_classes
from ohmline.learn.local_lgc.few_relax import error_few, mend_few, relax_few
from ohmline.learn.local_lgc.growing_graph import GrowingGraph, bare
from ohmline.learn.local_lgc.limits import expect_room, within
from ohmline.learn.local_lgc.nodes import STALE, longer_nodes, relabelled
from ohmline.learn.local_lgc.relax import largest_error, mend, relax
from ohmline.learn.local_lgc.remembered import remembered
from ohmline.learn.local_lgc.scratch import UNFINISHED, UNKNOWN, LocalSolve
from ohmline.learn.local_lgc.state import LocalState
from ohmline.learn.local_lgc.step import withdraw


class ChangingLearner(ManyClassLearner):
    """A learner over a graph that grows, whose labels can be taken back."""

    _growing: GrowingGraph

    def __getstate__(self) -> dict[str, Any]:
        with self._still:
            return {**super().__getstate__(), "_space": bare(self.space)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        vars(self)["_space"] = self._growing.whole(state["_space"])

    @property
    def nodes(self) -> NodeIndex:
        return self._growing.nodes

    def labelled(self) -> Bools:
        """For each position whether its node has a label."""
        with self._still:
            return np.asarray(self.state.label[: len(self.nodes)] >= 0)

    def belief(self) -> SparseBelief:
        """Q without labels, and the labels: what queries that look at all nodes start from."""
        with self._still:
            n, space = len(self.nodes), self.space
            return SparseBelief(
                self.classes,
                self.state.label[:n].copy(),
                float(space.mu),
                (n, int(space.extent[1])),
                lambda: precision_of(space, n),
            )

    def forget_one(self, x: Hashable) -> None:
        """Withdraw the label of `x`: every score is as if it had never been learned, to within `tolerance`.

        Where no label is left that can be reached, the scores are exactly 0. What stays is the class, in `classes`,
        and what its label said about how sure to be of probabilities.

        Parameters
        ----------
        x
            A node that has a label.
        """
        t = self.nodes.position(x)
        with self.alone(), self._still:
            if self.state.label[t] < 0:
                raise LearnerError(f"node {shown(x)} has no label to forget; learn_one(x, y) gives it one")
            withdraw(self.space, self.state, t)

    def add_node(self, node: Hashable) -> None:
        """A new node, isolated until `add_edge` joins it to others.

        Parameters
        ----------
        node
            An id that the graph does not have yet: a string or a number.
        """
        with self.alone(), undisturbed(), self._still:
            plain = node.item() if isinstance(node, np.generic) else node
            if getattr(plain, "__hash__", None) is not None and not writable(plain):
                raise GraphError(
                    f"node {shown(plain)} cannot be written into a snapshot; use a string or a number"
                )
            nodes, old = self.nodes.with_node(node), self.state
            n = len(nodes)
            if n > len(old.nodes):
                room = 2 * n
                self.state = old._replace(
                    estimate=longer_rows(old.estimate, room)
                    if isinstance(old.estimate, FewClasses)
                    else _longer(old.estimate, room, 0.0),
                    nodes=longer_nodes(old.nodes, room),
                    labelled=_longer(old.labelled, room, 0),
                    solve=LocalSolve.empty(room, len(old.counts)),
                )
            self.space = self._growing.resized(self.space, n)
            self.state.nodes["q"][n - 1] = self.space.ridge
            self.state.solve.forget()
            self._growing.nodes = nodes  # last, so that nobody asks about it before there is room for it

    def add_edge(self, u: Hashable, v: Hashable, weight: float = 1.0) -> None:
        """Join two nodes; every score is then within `tolerance` of that of the new graph.

        Parameters
        ----------
        u, v
            The ids of two nodes that are not joined yet.
        weight
            The weight of the edge, above 0 and at most 1e12 units. Default 1.
        """
        with self.alone(), self._still:
            i, j, w = self._growing.check_edge(u, v, weight)
            with undisturbed(), self._still:
                self.space = self._growing.with_room(self.space, i, j)
                self._growing.add_edge(self.space, self.state, i, j, w)
            if self.state.counts.any():
                few = isinstance(self.state.estimate, FewClasses)
                (mend_few if few else mend)(self.space, self.state, i, j)

    def refine(self, tolerance: float = 1e-6) -> float:
        """Solve Q F = b everywhere, until no entry of F is off by more than `tolerance`.

        After it, the learner no longer remembers in which order its labels and edges came. With `classes_kept` that
        can only be brought about for what is kept; what then is returned counts what is not kept too.

        Parameters
        ----------
        tolerance
            The largest error that may be left, above 0. Default 1e-6.

        Returns
        -------
        float
            The bound on the error that was reached; with `classes_kept` at most 1, which is no bound.
        """
        tolerance = within(tolerance, "tolerance")
        n, state = len(self.nodes), self.state
        with self.alone(), self._still:
            state.nodes["mark"][:n] |= STALE
            if isinstance(state.estimate, FewClasses):
                relax_few(self.space, state, tolerance)
                return float(error_few(self.space, state).max(initial=0.0))
            relax(self.space, state, tolerance)
        return float(largest_error(self.space, state, np.arange(n)))

    def _grown(self) -> tuple[int, int]:
        return len(self.nodes), self._growing.count

    def _remembered(self) -> Callable[[], Any]:
        again = remembered(self.state)
        return lambda: again(self.state)

    def watch(self, on: bool) -> None:
        on, found = flag(on, "on"), self.state.solve.found
        if not on and found[0]["worths"] == UNFINISHED:
            found["worths"] = UNKNOWN
        found["watched"] = on

    def settle(self) -> None:
        known = self.state.order[self.state.order >= 0]
        if not self._table.fixed and not np.array_equal(known, np.arange(len(self._table))):
            place = np.full(len(self._table) + 1, -1)
            place[known] = np.arange(len(known))  # the last entry translates "no label"
            with undisturbed(), self._still:
                self.state = self._resized(known, 0)._replace(
                    nodes=relabelled(self.state.nodes, place), order=np.arange(len(known))
                )
                self._table.keep(known)

    def _resized(self, keep: Ints, fresh: int) -> LocalState:
        """The state with the columns of the classes at `keep`, and `fresh` empty ones: as many again, at least.

        Columns to spare are what makes a thousand late classes cost little more than one.
        """
        old, need = self.state, len(keep) + fresh
        held = len(old.counts)
        if fresh and need <= held:
            return old
        columns = max(need, 2 * held) if fresh else need
        few, estimate = isinstance(old.estimate, FewClasses), old.estimate
        places = estimate.rows.shape[1] if few else None
        expect_room(len(old.nodes), columns, single=is_single(estimate), places=places)
        if few:
            estimate = with_classes(estimate, keep)
        else:
            estimate = np.zeros((len(old.nodes), columns), old.estimate.dtype)
            estimate[:, : len(keep)] = old.estimate[:, keep]
        counts, order = np.zeros(columns, np.int64), np.full(columns, -1)
        counts[: len(keep)] = old.counts[keep]
        order[: len(keep)] = old.order[: len(keep)]
        solve = old.solve.with_classes(columns)
        return old._replace(estimate=estimate, counts=counts, order=order, solve=solve)


def _longer(array: Any, length: int, fill: float) -> Any:
    more = np.full((length - len(array), *array.shape[1:]), fill, array.dtype)
    return np.concatenate([array, more])
