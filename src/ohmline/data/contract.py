"""What a data set is: a graph with labels, or vectors with labels."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import numpy as np

from ohmline.arrays import AnyArray, Bools, Floats, Ints, matrix, vector, whole_numbers
from ohmline.checks import hashable, instance, listed, shown, text
from ohmline.errors import LabelError, ShapeError
from ohmline.game.stream import Stream
from ohmline.graph.graph import Graph, expect_graph
from ohmline.learn.labels import plain_label


@final
@dataclass(frozen=True, eq=False)
class Dataset:
    """A graph whose nodes have labels.

    Loaded by `ohmline.data.load`; `signs`, `stream` and `largest_component` make of it what a game needs.

    Attributes
    ----------
    name
        The name of the data set.
    graph
        The graph.
    labels
        The label of each node, in the order of `graph.nodes`; None where it is not known.
    classes
        The labels that occur, in the order of the source's codes. Empty by default.
    source
        Where the data come from, for a caption. Empty by default.
    features
        What is known of each node beside the graph: a sparse matrix with one row per node, for `NodeFeatures`. None
        (default) where there is nothing.
    times
        When each node came up, one number per node, by which `stream` orders them. None (default) where nobody says.
    parts
        The source's own split, such as train, valid and test: for each name the positions of its nodes. Empty by
        default.

    Examples
    --------
    >>> from ohmline.data import load
    >>> karate = load("karate")
    >>> karate
    Dataset('karate', Graph(nodes=34, edges=78, components=1), 2 classes, 34 labels)
    >>> karate.label_of(33)
    'officer'
    """

    name: str
    graph: Graph
    labels: Sequence[Any] = field(repr=False)
    classes: tuple[Any, ...] = ()
    source: str = ""
    features: Any = field(default=None, repr=False)
    times: Any = field(default=None, repr=False)
    parts: Mapping[str, Ints] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        text(self.name, "the name of a data set")
        expect_graph(self.graph)
        if self.times is not None:
            vector(self.times, f"the times of data set {self.name!r}", length=self.graph.n)
        instance(self.parts, Mapping, "parts", "give positions of nodes by name")
        for part, places in self.parts.items():
            whole_numbers(
                places, f"part {shown(part)} of data set {self.name!r}", low=0, high=self.graph.n - 1
            )
        try:
            shape = np.shape(self.features)
        except ValueError:
            shape = ("rows of several lengths",)
        if self.features is not None and shape[:1] != (self.graph.n,):
            raise ShapeError(
                f"data set {self.name!r} has {self.graph.n} nodes and features of shape {shape}; "
                "one row per node is needed"
            )
        labels = listed(self.labels, "the labels of a data set")
        if len(labels) != self.graph.n:
            raise ShapeError(
                f"data set {self.name!r} has {self.graph.n} nodes and {len(labels)} labels; one label per node is "
                "needed, None where it is not known"
            )
        known = dict.fromkeys(y for y in map(plain_label, labels) if y is not None)
        classes = [hashable(y, "class") for y in listed(self.classes, "classes")]
        unknown = set(known).difference(classes)
        if classes and unknown:
            raise LabelError(
                f"data set {self.name!r} has the label {shown(next(iter(unknown)))}, which is not among its classes"
            )

    @cached_property
    def codes(self) -> Ints:
        """For each node the place of its label in `classes`; -1 where it is not known."""
        place = {label: k for k, label in enumerate(self.classes)}
        return np.array([-1 if y is None else place[y] for y in self.labels], dtype=np.int64)

    def label_of(self, node: Hashable) -> Any:
        """The label of a node; None where it is not known.

        Parameters
        ----------
        node
            The id of the node.
        """
        return self.labels[self.graph.nodes.position(node)]

    def largest_component(self) -> Dataset:
        """The same data on the largest connected component alone."""
        graph = self.graph.largest_component()
        places = self.graph.nodes.positions(graph.nodes)
        labels = [self.labels[i] for i in places]
        features = None if self.features is None else self.features[places]
        times = None if self.times is None else np.asarray(self.times)[places]
        new = np.full(self.graph.n, -1)
        new[places] = np.arange(len(places))
        parts = {part: new[old][new[old] >= 0] for part, old in self.parts.items()}
        return Dataset(self.name, graph, labels, self.classes, self.source, features, times, parts)

    def stream(self) -> Stream:
        """One trial for each node whose label is known, in the order of their times, or else of the nodes."""
        order = range(self.graph.n) if self.times is None else np.argsort(self.times, kind="stable").tolist()
        known = [k for k in order if self.labels[k] is not None]
        nodes = self.graph.nodes
        return Stream([nodes[k] for k in known], [self.labels[k] for k in known])

    def signs(self, positive: Any) -> Floats:
        """One class against the rest: +1 or -1 for each node, in the order of the nodes.

        Parameters
        ----------
        positive
            The label that becomes +1, or a set of them. Every other node is -1, also where its label is not known.
        """
        return _signs(self.labels, self.classes, positive)

    def __repr__(self) -> str:
        known = sum(y is not None for y in self.labels)
        return f"Dataset({self.name!r}, {self.graph!r}, {len(self.classes)} classes, {known} labels)"


@final
@dataclass(frozen=True, eq=False)
class Vectors:
    """Points with labels.

    Build a graph of them with `ohmline.graph.knn`, or play them to `OnlineManifold` as they are.

    Attributes
    ----------
    name
        The name of the data set.
    points
        The points, one per row.
    labels
        The class of each point, as a whole number.
    is_test
        For each point whether the source has it in its test set; nowhere if it has none.
    shape
        Rows and columns of the picture that each point is; None (default) for points that are no pictures.
    source
        Where the data come from, for a caption. Empty by default.

    Examples
    --------
    >>> from ohmline.data import load
    >>> digits = load("digits")
    >>> digits
    Vectors('digits', 1797 points in 64 dimensions, 10 classes)
    >>> digits.only(0, 1).labels[:4]
    array([0, 1, 0, 1])
    """

    name: str
    points: Floats = field(repr=False)
    labels: Ints = field(repr=False)
    is_test: Bools = field(repr=False)
    shape: tuple[int, int] | None = None
    source: str = ""

    def __post_init__(self) -> None:
        text(self.name, "the name of a data set")
        rows = len(matrix(self.points, "points"))
        for name, column in (("labels", self.labels), ("is_test", self.is_test)):
            if not isinstance(column, np.ndarray) or column.shape != (rows,):
                raise ShapeError(
                    f"data set {self.name!r} has {rows} points, so its {name} must be an array of as many entries, "
                    f"got {shown(column)}"
                )

    @property
    def classes(self) -> tuple[int, ...]:
        """The classes that occur, ascending."""
        return tuple(np.unique(self.labels).tolist())

    @property
    def train(self) -> Vectors:
        """The points outside the source's test set."""
        return self.where(~self.is_test)

    @property
    def test(self) -> Vectors:
        """The points of the source's test set."""
        return self.where(self.is_test)

    def only(self, *classes: int) -> Vectors:
        """The points of some classes.

        Parameters
        ----------
        classes
            The classes to keep, one or more.
        """
        return self.where(np.isin(self.labels, classes))

    def where(self, mask: AnyArray) -> Vectors:
        """Some of the points.

        Parameters
        ----------
        mask
            One boolean per point, or the places of the points to keep.
        """
        return Vectors(
            self.name, self.points[mask], self.labels[mask], self.is_test[mask], self.shape, self.source
        )

    def signs(self, positive: Any) -> Floats:
        """One class against the rest: +1 or -1 for each point.

        Parameters
        ----------
        positive
            The class that becomes +1, or a set of them. Every other point is -1.
        """
        return _signs(self.labels.tolist(), self.classes, positive)

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        n, d = self.points.shape
        return f"Vectors({self.name!r}, {n} points in {d} dimensions, {len(self.classes)} classes)"


def _signs(labels: Sequence[Any], classes: Sequence[Any], positive: Any) -> Floats:
    wanted = set(positive) if isinstance(positive, set | frozenset) else {hashable(positive, "label")}
    unknown = wanted.difference(classes)
    if unknown:
        raise LabelError(f"no class {min(map(shown, unknown))}; the classes are {shown(list(classes))}")
    return np.array([1.0 if y in wanted else -1.0 for y in labels])


def fingerprint(*arrays: AnyArray) -> str:
    """A digest of whole numbers that does not depend on how they are stored."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(repr(array.shape).encode())
        digest.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
    return digest.hexdigest()
