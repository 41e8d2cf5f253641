"""Streams: which node comes up when, with which label."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any, final

import numpy as np

from ohmline.arrays import Bools, Ints, flags, refuse_masked, whole_numbers
from ohmline.checks import count, flag, fraction, generator, hashable, instance, listed, shown
from ohmline.errors import LabelError, ParameterError, ShapeError
from ohmline.graph.doors.indexed import rows_by_index
from ohmline.graph.graph import Graph
from ohmline.graph.nodes import NodeIndex
from ohmline.learn.labels import plain_label

LARGEST_STREAM = 2**40
"""The most trials of a stream that is repeated: more would fill any memory."""


@final
class Stream:
    """A finite sequence of trials (node, label), which knows the labels that may be asked for.

    A stream never changes: every method gives a new one.

    Parameters
    ----------
    nodes
        The node of each trial, or its point as one row of an array.
    labels
        The label of each trial; None (or NaN) where nobody knows it. For `graph.nodes`, a pandas Series whose index
        holds the nodes is put in their order.
    revealed
        For each trial whether its label may be asked for. None (default) reveals every known label; an unknown one
        is never revealed.

    Examples
    --------
    >>> stream = Stream(["a", "b", "c"], [1, -1, 1])
    >>> list(stream.shuffled(seed=0))
    [('c', 1), ('a', 1), ('b', -1)]
    >>> list(stream.label_rate(0.0))
    [('a', None), ('b', None), ('c', None)]
    """

    __slots__ = ("classes", "codes", "nodes", "revealed")

    def __init__(
        self, nodes: Iterable[Any], labels: Iterable[Any], *, revealed: Iterable[bool] | None = None
    ) -> None:
        self.nodes: Any
        """The node of each trial, as a tuple, or as an array that nobody can write to."""
        self.codes: Ints
        """For each trial the place of its label in `classes`; -1 where it is not known."""
        self.classes: tuple[Any, ...]
        """The labels that occur, in order of appearance."""
        self.revealed: Bools
        """For each trial whether its label may be asked for."""
        things = _things(nodes)
        rows = rows_by_index(labels, nodes, "labels") if isinstance(nodes, NodeIndex) else None
        codes, classes = _factorise(labels if rows is None else np.asarray(labels, dtype=object)[rows])
        if len(things) != len(codes):
            raise ShapeError(
                f"a stream needs one label per node, got {len(things)} nodes and {len(codes)} labels; "
                "use None for a label that is not known"
            )
        shown = codes >= 0
        if revealed is not None:
            given = revealed if isinstance(revealed, np.ndarray) else listed(revealed, "revealed")
            shown &= flags(given, "revealed", length=len(codes))
        self._freeze(things, codes, classes, shown)

    @classmethod
    def made(cls, nodes: Any, codes: Ints, classes: tuple[Any, ...], revealed: Bools) -> Stream:
        """Make a stream of its parts, which are checked.

        Parameters
        ----------
        nodes
            The node or point of each trial, as a list or an array.
        codes
            For each trial the place of its label in `classes`; -1 where it is not known.
        classes
            The labels that occur, in order of appearance.
        revealed
            For each trial whether its label may be asked for; False where it is not known.
        """
        things, classes = _things(nodes), tuple(listed(classes, "classes"))
        codes = whole_numbers(codes, "codes", low=-1, high=len(classes) - 1, length=len(things))
        shown = flags(revealed, "revealed", length=len(things))
        if np.any(shown & (codes < 0)):
            raise ParameterError("revealed must be False where a label is not known (a code of -1)")
        self = cls.__new__(cls)
        self._freeze(things, codes, classes, shown)
        return self

    def _freeze(self, nodes: Any, codes: Ints, classes: tuple[Any, ...], revealed: Bools) -> None:
        """Keep arrays that are our own, so that nobody can change them any more."""
        parts = {"nodes": nodes, "codes": codes, "classes": classes, "revealed": revealed}
        for name, part in parts.items():
            if isinstance(part, np.ndarray):
                part.flags.writeable = False
            object.__setattr__(self, name, part)

    def __setattr__(self, name: str, value: Any) -> None:
        raise ParameterError(f"a stream never changes, so its {name} cannot be set; make another stream")

    def __reduce__(self) -> tuple[Any, ...]:  # so that a copy in another process is checked and frozen too
        return Stream.made, (self.nodes, self.codes, self.classes, self.revealed)

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        for x, y, open in zip(self.nodes, self.labels, self.revealed, strict=True):
            yield x, (y if open else None)

    @property
    def labels(self) -> list[Any]:
        """The label of every trial; None where it is not known."""
        table = (*self.classes, None)
        return [table[code] for code in self.codes.tolist()]

    def ordered(self, order: Iterable[int]) -> Stream:
        """The trials in a given order, which may leave some out or repeat some.

        Parameters
        ----------
        order
            Numbers of trials, counted from 0.
        """
        given = order if isinstance(order, np.ndarray) else listed(order, "order")
        return self._pick(whole_numbers(given, "order", low=0, high=len(self) - 1))

    def shuffled(self, seed: int = 0) -> Stream:
        """The trials in a random order, the same for the same seed.

        Parameters
        ----------
        seed
            Draws the order. Default 0.
        """
        return self._pick(generator(seed).permutation(len(self)))

    def reversed(self) -> Stream:
        """The trials from the last to the first."""
        return self._pick(np.arange(len(self))[::-1])

    def take(self, trials: int) -> Stream:
        """The first trials alone.

        Parameters
        ----------
        trials
            How many, at least 0; a number beyond the length takes them all.
        """
        trials = count(trials, "trials")
        return self if trials == len(self) else self._pick(np.arange(len(self))[:trials])

    def repeated(self, times: int) -> Stream:
        """The same trials several times over.

        Parameters
        ----------
        times
            The number of passes, at least 0.
        """
        most = LARGEST_STREAM // max(len(self), 1)
        return self._pick(np.tile(np.arange(len(self)), count(times, "times", most=most)))

    def then(self, other: Stream) -> Stream:
        """These trials, then those of another stream: with other labels of the same nodes, a sudden drift.

        Parameters
        ----------
        other
            The stream that follows.

        Examples
        --------
        >>> list(Stream("ab", [1, 1]).then(Stream("ab", [1, -1])))
        [('a', 1), ('b', 1), ('a', 1), ('b', -1)]
        """
        instance(other, Stream, "other")
        both = isinstance(self.nodes, np.ndarray) and isinstance(other.nodes, np.ndarray)
        if both and self.nodes.shape[1:] != other.nodes.shape[1:]:
            raise ShapeError(
                f"the points of the streams have shapes {self.nodes.shape[1:]} and {other.nodes.shape[1:]}; "
                "join streams over the same features"
            )
        nodes = np.concatenate([self.nodes, other.nodes]) if both else [*self.nodes, *other.nodes]
        revealed = np.concatenate([self.revealed, other.revealed])
        return Stream(nodes, self.labels + other.labels, revealed=revealed)

    def breadth_first(self, graph: Graph, seed: int = 0) -> Stream:
        """The trials in the order in which a breadth-first walk from a random node reaches their nodes.

        Each further component is walked from a random node of its own.

        Parameters
        ----------
        graph
            The graph to walk over; it must hold every node of the stream.
        seed
            Draws the nodes that the walks start from. Default 0.
        """
        instance(graph, Graph, "graph")
        rng = generator(seed)
        rank = np.empty(graph.n, dtype=np.int64)
        rank[_breadth_first(graph, rng)] = np.arange(graph.n)
        return self._pick(np.argsort(rank[graph.nodes.positions(self.nodes)], kind="stable"))

    def with_label_noise(self, rate: float, seed: int = 0) -> Stream:
        """Replace the label of each trial by another one at random.

        The same node may then come up with two labels: label noise in paper 001's sense.

        Parameters
        ----------
        rate
            The probability that a label is replaced, from 0 to 1.
        seed
            Draws the trials and their new labels. Default 0.
        """
        rate = fraction(rate, "the rate of label noise")
        rng = generator(seed)
        flip = rng.random(len(self)) < rate
        return self._relabel(
            [_other(y, self.classes, rng) if f else y for y, f in zip(self.labels, flip, strict=True)]
        )

    def with_concept_noise(self, rate: float, seed: int = 0) -> Stream:
        """Replace the label of each node by another one at random, in all of its trials alike.

        Parameters
        ----------
        rate
            The probability that a node's label is replaced, from 0 to 1.
        seed
            Draws the nodes and their new labels. Default 0.
        """
        rate = fraction(rate, "the rate of concept noise")
        rng = generator(seed)
        turned: dict[tuple[Hashable, Any], Any] = {}
        flipped: dict[Hashable, bool] = {}
        labels = []
        for x, y in zip(self.nodes, self.labels, strict=True):
            key = x.tobytes() if isinstance(x, np.ndarray) else hashable(x, "node", ParameterError)
            if key not in flipped:
                flipped[key] = bool(rng.random() < rate)
            if flipped[key]:
                if (key, y) not in turned:
                    turned[key, y] = _other(y, self.classes, rng)
                y = turned[key, y]
            labels.append(y)
        return self._relabel(labels)

    def label_rate(self, rate: float, seed: int = 0) -> Stream:
        """Hide labels at random: the trace still knows a hidden label, but no query can ask for it.

        Parameters
        ----------
        rate
            The probability that a label stays revealed, from 0 to 1.
        seed
            Draws the labels that stay revealed. Default 0.
        """
        rate = fraction(rate, "the label rate")
        shown = generator(seed).random(len(self)) < rate
        return Stream(self.nodes, self.labels, revealed=self.revealed & shown)

    def binary(self, positive: Any, *, absent: bool = False) -> Stream:
        """One class against the rest, as labels +1 and -1.

        Parameters
        ----------
        positive
            The label that becomes +1, or a set of them. Every other known label becomes -1.
        absent
            Whether `positive` may be a label that does not occur, so that all become -1. By default that is an error.
        """
        wanted = positive if isinstance(positive, set | frozenset) else {hashable(positive, "label")}
        if not flag(absent, "absent") and not any(y in wanted for y in self.classes):
            raise LabelError(
                f"no label of the stream is {shown(positive)}, so that all would be -1; its classes are "
                f"{shown(list(self.classes))}, and absent=True takes it nevertheless"
            )
        signs = np.array([1 if y in wanted else -1 for y in self.classes], dtype=np.int64)
        if len(signs) and self.codes.min(initial=0) >= 0:
            return Stream(self.nodes, signs[self.codes], revealed=self.revealed)
        return self._relabel([None if code < 0 else int(signs[code]) for code in self.codes.tolist()])

    def _pick(self, order: Ints) -> Stream:
        nodes = self.nodes[order] if isinstance(self.nodes, np.ndarray) else [self.nodes[k] for k in order]
        codes = self.codes[order]
        there = np.zeros(len(self.classes) + 1, np.bool_)
        there[codes] = True
        if not there[:-1].all():  # the classes are those that occur, in order of appearance
            table = (*self.classes, None)
            return Stream(nodes, [table[code] for code in codes], revealed=self.revealed[order])
        first = np.unique(codes[codes >= 0], return_index=True)[1]
        if np.any(np.diff(first) < 0):
            rank = np.append(np.argsort(np.argsort(first)), -1)
            classes = tuple(self.classes[k] for k in np.argsort(first).tolist())
            return Stream.made(nodes, rank[codes], classes, self.revealed[order])
        return Stream.made(nodes, codes, self.classes, self.revealed[order])

    def _relabel(self, labels: list[Any]) -> Stream:
        return Stream(self.nodes, labels, revealed=self.revealed)

    def __repr__(self) -> str:
        return f"Stream({len(self)} trials, {int(self.revealed.sum())} labels)"


def _things(nodes: Any) -> Any:
    """Nodes or points that are our own: a tuple, or an array that nobody else can write to."""
    if not isinstance(nodes, np.ndarray):
        return tuple(listed(nodes, "nodes"))
    refuse_masked(nodes, "nodes")
    if nodes.ndim not in (1, 2):
        raise ShapeError(f"nodes must be a list of nodes or one row per point, got shape {nodes.shape}")
    own = not nodes.flags.writeable and (
        nodes.base is None or not getattr(nodes.base, "flags", nodes.flags).writeable
    )
    return nodes if own else np.array(nodes)


def _factorise(labels: Iterable[Any]) -> tuple[Ints, tuple[Any, ...]]:
    """Codes and classes; arrays of numbers or strings take a faster path."""
    refuse_masked(labels, "labels")
    if isinstance(labels, np.ndarray) and labels.ndim != 1:
        raise ShapeError(f"labels must be a list with one label per trial, got shape {labels.shape}")
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "iubU":
        names, first, codes = np.unique(labels, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        return rank[codes.ravel()], tuple(names[order].tolist())
    classes: dict[Any, int] = {}
    found: list[int] = []
    for given in listed(labels, "labels"):
        y = plain_label(given)
        found.append(-1 if y is None else classes.setdefault(y, len(classes)))
    return np.array(found, dtype=np.int64), tuple(classes)


def _other(y: Any, classes: tuple[Any, ...], rng: np.random.Generator) -> Any:
    """A label other than `y`, uniformly; a lone -1 or +1 turns into its opposite."""
    others = [c for c in classes if c != y]
    if not others:
        others = [-y] if y in (-1, 1) else [y]
    return None if y is None else others[int(rng.integers(len(others)))]


def _breadth_first(graph: Graph, rng: np.random.Generator) -> Ints:
    order: list[int] = []
    seen = np.zeros(graph.n, dtype=bool)
    for start in rng.permutation(graph.n):
        if seen[start]:
            continue
        seen[start] = True
        frontier = [int(start)]
        while frontier:
            order.extend(frontier)
            following: list[int] = []
            for i in frontier:
                for j in graph.indices[graph.indptr[i] : graph.indptr[i + 1]]:
                    if not seen[j]:
                        seen[j] = True
                        following.append(int(j))
            frontier = following
    return np.array(order, dtype=np.int64)
