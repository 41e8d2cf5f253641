"""Graphs from vectors: nearest neighbours and balls, with Gaussian weights."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from os import PathLike
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from ohmline.arrays import Floats, Ints, matrix, vector
from ohmline.checks import count, flag, generator, instance, positive, seed_of
from ohmline.device import Device, choose
from ohmline.errors import ParameterError, WeightError
from ohmline.graph.graph import Graph
from ohmline.graph.nearest import lengths_of, nearest, rounding
from ohmline.graph.neighbour_search import Search as Search
from ohmline.graph.neighbour_search import neighbours
from ohmline.graph.stored_rows import Rows
from ohmline.progress import Advance


@final
@dataclass(frozen=True)
class Gaussian:
    """Weights exp(-d^2 / 2 width^2) for edges of length d.

    Attributes
    ----------
    width
        The length at which a weight has fallen to exp(-1/2) = 0.61; above 0. None (default) takes the median
        length of the graph's own edges, those of length 0 left out, so that a typical edge weighs 0.61.
    """

    width: float | None = None

    def __post_init__(self) -> None:
        if self.width is not None:
            positive(self.width, "the width of Gaussian")

    def weights(self, lengths: Floats) -> Floats:
        """The weights of edges with these lengths.

        Parameters
        ----------
        lengths
            One length of at least 0 per edge. One so long that its weight would be 0 raises `WeightError`.
        """
        lengths = vector(lengths, "lengths")
        width = self.width
        if width is None:
            longer = lengths[lengths > 0]
            width = float(np.median(longer)) if len(longer) else 1.0
        weights = np.exp(-0.5 * (lengths / width) ** 2)
        if len(weights) and weights.min() == 0:
            raise WeightError(
                f"the Gaussian width {width:g} is so small that an edge of length {lengths.max():g} would "
                "weigh 0 and vanish; give a larger width"
            )
        return np.asarray(weights, dtype=np.float64)


def knn(
    X: ArrayLike | str | PathLike[str],
    k: int,
    *,
    mutual: bool = False,
    weights: Gaussian | None = None,
    nodes: Iterable[Hashable] | None = None,
    search: Search | None = None,
    seed: int = 0,
    device: str | Device = "cpu",
    progress: Advance | bool | None = None,
) -> Graph:
    """The k-nearest-neighbour graph of the rows of X, by Euclidean distance.

    Up to 20,000 rows it is exact: among equally near rows the one that comes first wins, so the graph depends on
    nothing but X. Above, nearly all neighbours are found, and `summary()` of the graph says how many of the exact ones
    of 200 sampled rows were: `neighbour_recall`.

    Parameters
    ----------
    X
        One row per node, at least two; every entry is finite. An array mapped from a file, or the name of an `.npy`
        file, is read some rows at a time.
    k
        How many nearest rows are the neighbours of a row, from 1 to the number of rows less one.
    mutual
        True joins two rows when each is among the k nearest of the other. False (default) joins them when
        either is.
    weights
        What edges of a given length weigh, such as `Gaussian()`; 1 each by default.
    nodes
        One id per row, in the order of the rows; 0..n-1 by default.
    search
        How neighbours are found: `Search.EXACT`, `Search.APPROXIMATE` (needs the extra `ann`) or `Search.CLUSTERS`,
        which never has all rows in memory. None (default) takes the first up to 20,000 rows, above them the third for
        rows in a file and the second for others; without the extra the first, with a warning in the log.
    seed
        Draws what a search that is not exact draws. Default 0.
    device
        Where rows are compared: "cpu" (default), "gpu" or "auto". A GPU searches exactly, however many rows there are.
    progress
        True for a bar, or a function that is told the clusters done, where the search is by clusters; None (default)
        for neither.

    Examples
    --------
    >>> knn([[0.0], [1.0], [3.0]], 1)
    Graph(nodes=3, edges=2, components=1)
    >>> knn([[0.0], [1.0], [3.0]], 1, mutual=True)
    Graph(nodes=3, edges=1, components=2)
    >>> knn([[0.0], [1.0], [3.0]], 1, weights=Gaussian(1.0)).neighbours(1)
    {0: 0.606..., 2: 0.135...}
    """
    rows = Rows(X)
    k = count(k, "k", least=1)
    if k >= rows.n:
        raise ParameterError(f"k is {k}; {rows.n} rows have at most {rows.n - 1} neighbours each")
    mutual, seed = flag(mutual, "mutual"), seed_of(seed)
    found, facts = neighbours(rows, k, search, seed, choose(device), progress)
    edges, times = _pairs(found)
    graph = _join(rows, edges[times == 2] if mutual else edges, weights, nodes)
    return graph.with_facts(facts) if facts else graph


def _pairs(found: Ints) -> tuple[Ints, Ints]:
    """The different pairs of a row and a neighbour, smaller first, and from how many of the two sides each comes."""
    n, k = found.shape
    sources = np.repeat(np.arange(n), k)
    low, high = np.minimum(sources, found.ravel()), np.maximum(sources, found.ravel())
    keys, times = np.unique(low * n + high, return_counts=True)
    return np.column_stack([keys // n, keys % n]), times


def epsilon_ball(
    X: ArrayLike,
    radius: float,
    *,
    weights: Gaussian | None = None,
    nodes: Iterable[Hashable] | None = None,
) -> Graph:
    """The graph that joins the rows of X where they are near each other, by Euclidean distance.

    Parameters
    ----------
    X, weights, nodes
        As for `knn`.
    radius
        The largest distance at which two rows are joined, above 0.

    Examples
    --------
    >>> epsilon_ball([[0.0], [1.0], [3.0]], 1.0)
    Graph(nodes=3, edges=1, components=2)
    """
    rows = _rows(X)
    radius = min(positive(radius, "radius"), 1e150)  # whose square is a number still
    from sklearn.neighbors import NearestNeighbors

    centred = rows - rows.mean(axis=0)
    # The search may round; it looks a little further, and the lengths themselves decide.
    slack = rounding(centred)
    found = NearestNeighbors(radius=float(np.sqrt(radius**2 + slack))).fit(centred).radius_neighbors_graph()
    coo = found.tocoo()
    upper = coo.row < coo.col
    edges = np.column_stack([coo.row[upper], coo.col[upper]]).astype(np.int64)
    return _join(rows, edges[lengths_of(rows, edges) <= radius], weights, nodes)


def median_width(X: ArrayLike, *, sample: int = 1000, seed: int = 0) -> float:
    """The median distance between two different rows of X: the scale of the whole set.

    Parameters
    ----------
    X
        One row per point, at least two of them different; every entry is finite.
    sample
        The most rows that are compared, at least 2. Of more rows a random sample is taken. Default 1000.
    seed
        Draws the sample. Default 0.

    Examples
    --------
    >>> median_width([[0.0], [1.0], [3.0]])
    2.0
    """
    rows = _rows(X)
    rng = generator(seed)
    if len(rows) > count(sample, "sample", least=2):
        rows = rows[np.sort(rng.choice(len(rows), sample, replace=False))]
    low, high = np.triu_indices(len(rows), 1)
    return _positive_median(lengths_of(rows, np.column_stack([low, high])))


def neighbour_width(X: ArrayLike, k: int = 7) -> float:
    """The median distance of a row of X to its k-th nearest: the scale of the neighbourhoods.

    Parameters
    ----------
    X
        One row per point, at least two; every entry is finite. Distances of 0 are left out of the median.
    k
        Which neighbour counts, at least 1; with fewer rows, the furthest. Default 7.

    Examples
    --------
    >>> neighbour_width([[0.0], [1.0], [3.0]], k=1)
    1.0
    """
    rows = _rows(X)
    k = min(count(k, "k", least=1), len(rows) - 1)
    furthest = nearest(rows, k)[:, -1]
    return _positive_median(lengths_of(rows, np.column_stack([np.arange(len(rows)), furthest])))


def _rows(X: ArrayLike) -> Floats:
    rows = matrix(X, "X")
    if len(rows) < 2 or rows.shape[1] == 0:
        raise ParameterError(f"X must have at least two rows and one column, got shape {rows.shape}")
    return rows


def _positive_median(lengths: Floats) -> float:
    longer = lengths[lengths > 0]
    if not len(longer):
        raise ParameterError("all rows of X are equal, so no width can be read off them; give one")
    return float(np.median(longer))


def _join(rows: Any, edges: Ints, weighting: Gaussian | None, nodes: Iterable[Hashable] | None) -> Graph:
    from scipy import sparse

    if weighting is not None:
        instance(weighting, Gaussian, "weights")
    values = np.ones(len(edges)) if weighting is None else weighting.weights(lengths_of(rows, edges))
    upper = sparse.coo_array((values, (edges[:, 0], edges[:, 1])), shape=(len(rows), len(rows)))
    return Graph.from_scipy(upper + upper.T, nodes=nodes)
