"""The exponential embedding of paper 002: points become a network of resistors e^{a d}."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import cached_property
from hashlib import sha256
from typing import NamedTuple, Self, final

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csgraph

from ohmline.arrays import Floats, Ints, matrix, numbers
from ohmline.checks import or_infinite, positive, shown
from ohmline.errors import GraphError, ParameterError, ShapeError, WeightError
from ohmline.graph.graph import Graph
from ohmline.graph.nodes import NodeIndex
from ohmline.graph.spanning import SpanningForest, below, largest_edge, spanning_forest
from ohmline.graph.starmesh import log_resistances, unit_voltages


class Mesh(NamedTuple):
    """The compiled form for a finite a: every conductance, as a logarithm."""

    log_conductance: Floats


@final
class ExponentialEmbedding:
    """A complete network with conductance e^{-a d(x_i, x_j)} between points i and j.

    | paper 002 | here |
    |---|---|
    | X, d | `points` with the Euclidean distance, or `from_distances` with any other |
    | a | `a` |
    | G^a | never formed: its entries span e^{a D}, beyond the precision of any factorisation |

    `Pounce` runs on it for every a. Scaling all conductances changes nothing that Pounce does, so they
    are scaled to make the largest 1; voltages and resistances come from elimination without
    subtraction, in logarithms. In the limit a = inf all current takes the minimum spanning tree, and
    a voltage drops at the largest edge of a path alone. Distances that are equal there are taken as if
    they differed by an amount too small to see; where distances
    tie, a game at a = inf can therefore differ from one at a large finite a, in which two equal paths share the
    current. Theorem 8 holds for both. Memory: O(n^2), and O(n^2 d) for a moment while the
    distances of points in d dimensions are computed.

    Parameters
    ----------
    points
        One row of coordinates per point, at least one; every entry is finite.
    a
        How steeply conductances fall with distance, above 0; `math.inf` for the limit of Theorem 8.
    nodes
        One id per point, in the order of the points; 0..n-1 by default.

    Examples
    --------
    >>> import ohmline as ohm
    >>> embedding = ohm.ExponentialEmbedding([[0.0], [1.0], [1.5], [4.0]], a=1000)
    >>> embedding.voltages(0, 3)
    array([1., 1., 1., 0.])
    >>> learner = ohm.Pounce(embedding)
    >>> _ = learner.learn_one(0, -1), learner.learn_one(3, 1)
    >>> [learner.predict_one(k) for k in range(4)]
    [-1, -1, -1, 1]

    References
    ----------
    Herbster, Exploiting cluster-structure to predict the labeling of a graph, ALT 2008.
    """

    def __init__(self, points: ArrayLike, a: float, *, nodes: Iterable[Hashable] | None = None) -> None:
        table = matrix(points, "points")
        sq = np.sum((table[:, None, :] - table) ** 2, axis=2) if len(table) else np.zeros((0, 0))
        self._set(np.sqrt(sq), a, nodes)

    @classmethod
    def from_distances(
        cls, distances: ArrayLike, a: float, *, nodes: Iterable[Hashable] | None = None
    ) -> Self:
        """Build the embedding from distances of any kind instead of coordinates.

        Parameters
        ----------
        distances
            A symmetric square table of numbers of at least 0, with zeros on the diagonal; `inf` where two points
            are not to be joined.
        a, nodes
            As for the class.
        """
        table = np.array(numbers(distances, "distances", 2, "two dimensions"))
        if table.ndim != 2 or table.shape[0] != table.shape[1]:
            raise ShapeError(f"distances must be a square table, got shape {table.shape}")
        bad = np.argwhere(~(table >= 0))
        if len(bad):
            i, j = bad[0]
            raise WeightError(
                f"the distance ({i}, {j}) is {table[i, j]}; distances must be at least 0, or inf"
            )
        if np.diagonal(table).any():
            i = int(np.flatnonzero(np.diagonal(table))[0])
            raise WeightError(f"the distance of point {i} to itself is {table[i, i]}; it must be 0")
        uneven = np.argwhere(table != table.T)
        if len(uneven):
            i, j = uneven[0]
            raise WeightError(
                f"the distance ({i}, {j}) is {table[i, j]} one way and {table[j, i]} the other; "
                "distances must be symmetric"
            )
        self = cls.__new__(cls)
        self._set(table, a, nodes)
        return self

    def _set(self, distances: Floats, a: float, nodes: Iterable[Hashable] | None) -> None:
        if not len(distances):
            raise GraphError("an embedding needs at least one point")
        self.a = or_infinite(positive, a, "a")
        self.distances = distances
        self.distances.flags.writeable = False
        self.nodes = NodeIndex(len(distances) if nodes is None else nodes)
        if len(self.nodes) != len(distances):
            raise ShapeError(f"nodes must name the {len(distances)} points, got {len(self.nodes)} ids")

    @cached_property
    def fingerprint(self) -> str:
        """A digest of ids, distances and `a`, by which a snapshot knows the embedding that it was made over."""
        digest = sha256(f"{self.nodes.fingerprint}:{self.a!r}:".encode())
        digest.update(np.ascontiguousarray(self.distances).tobytes())
        return digest.hexdigest()

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.nodes)

    @cached_property
    def component_of(self) -> Ints:
        """For each position the number of its connected component."""
        joined = np.isfinite(self.distances)
        return np.asarray(csgraph.connected_components(joined, directed=False)[1], dtype=np.int64)

    @cached_property
    def shortest(self) -> float:
        """d_min: the smallest distance between two points, whose conductance is scaled to 1."""
        apart = self.distances[~np.eye(self.n, dtype=bool)]
        return float(apart.min(initial=np.inf)) if np.isfinite(apart).any() else 0.0

    @cached_property
    def space(self) -> Mesh | SpanningForest:
        """The compiled form."""
        if np.isinf(self.a):
            return spanning_forest(np.where(np.eye(self.n, dtype=bool), np.inf, self.distances))
        log_conductance = -self.a * (self.distances - self.shortest)
        np.fill_diagonal(log_conductance, -np.inf)
        return Mesh(log_conductance)

    def voltages(self, source: Hashable, ground: Hashable) -> Floats:
        """phi: the voltage of every point when one is held at 1 and another at 0.

        Parameters
        ----------
        source
            The id of the point at voltage 1.
        ground
            The id of the point at voltage 0: another one, connected to `source`.

        Returns
        -------
        Floats
            One voltage per position; NaN at points that neither reaches.
        """
        i, j = self.nodes.position(source), self.nodes.position(ground)
        if i == j or self.component_of[i] != self.component_of[j]:
            raise GraphError(
                f"voltages need two different, connected points, got {shown(source)} and {shown(ground)}"
            )
        members = np.flatnonzero(self.component_of == self.component_of[i])
        phi = np.full(self.n, np.nan)
        space = self.space
        if isinstance(space, Mesh):
            unit_voltages(space.log_conductance, members, i, j, phi)
        else:
            edge = largest_edge(space, i, j)
            side = below(space, edge, i)
            phi[members] = [below(space, edge, int(k)) == side for k in members]
        return phi

    def log_resistances(self, node: Hashable) -> Floats:
        """The log of every effective resistance to one point, in units of the smallest one-edge resistance.

        At a = inf resistances have an order but no size, and `ParameterError` is raised.

        Parameters
        ----------
        node
            The id of a point.

        Returns
        -------
        Floats
            One logarithm per position: -inf at the point itself, and inf at points that it does not reach.
        """
        space = self.space
        if not isinstance(space, Mesh):
            raise ParameterError(
                "at a = inf resistances have an order but no size; use a finite a, or the distances"
            )
        i = self.nodes.position(node)
        out = np.full(self.n, np.inf)
        members = np.flatnonzero(self.component_of == self.component_of[i])
        log_resistances(space.log_conductance, members, i, out)
        return out

    def graph(self) -> Graph:
        """The same network as an ordinary weighted graph, for learners that need a kernel.

        Refused with `WeightError` where the weights span more than a factor of e^25: there only `Pounce` on the
        embedding itself is sound.
        """
        if np.isinf(self.a):
            raise WeightError(
                "at a = inf there is no network left, only its spanning tree; use Pounce on the embedding itself, or a "
                "finite a"
            )
        span = self.a * (float(self.distances[np.isfinite(self.distances)].max()) - self.shortest)
        if span > 25:
            raise WeightError(
                f"at a = {self.a:g} the weights span a factor e^{span:.0f}, and no Laplacian kernel can be "
                "inverted there; use Pounce on the embedding itself, or a smaller a"
            )
        weights = np.where(
            np.isfinite(self.distances), np.exp(-self.a * (self.distances - self.shortest)), 0.0
        )
        np.fill_diagonal(weights, 0.0)
        return Graph.from_scipy(weights, nodes=self.nodes)

    def __repr__(self) -> str:
        return f"ExponentialEmbedding({self.n} points, a={self.a:g})"
