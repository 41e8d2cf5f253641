"""The arrays of a data set, whatever they were read from, and how they become a `Dataset` or `Vectors`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy import sparse

from ohmline.arrays import AnyArray, Floats, Ints
from ohmline.data.contract import Dataset, Vectors, fingerprint
from ohmline.errors import DataError
from ohmline.graph.graph import Graph


class GraphTable(NamedTuple):
    """Each undirected edge once, lower end first, sorted; a self loop once."""

    n: int
    source: Ints
    target: Ints
    weight: Floats | None
    labels: Ints
    """-1 where a node has none."""
    class_names: tuple[str, ...]
    features: sparse.csr_array | None = None
    """One row per node, where the source has any."""
    times: Ints | None = None
    """When each node came up, where the source says so."""
    parts: Mapping[str, Ints] | None = None
    """The source's own split, by name, where it has one."""

    @classmethod
    def of(
        cls,
        n: int,
        ends: AnyArray,
        labels: AnyArray,
        class_names: tuple[str, ...],
        weight: Floats | None = None,
        features: sparse.csr_array | None = None,
    ) -> GraphTable:
        """From pairs in any order; unweighted pairs may repeat."""
        pairs = np.sort(np.asarray(ends, dtype=np.int64).reshape(-1, 2), axis=1)
        if len(pairs) and (pairs.min() < 0 or pairs.max() >= n):
            raise DataError(f"an edge names node {pairs.max()}, but there are {n} nodes: the file is damaged")
        if weight is None:
            key = np.sort(pairs[:, 0] * n + pairs[:, 1])  # several times faster than np.unique
            first = np.ones(len(key), np.bool_)
            first[1:] = key[1:] != key[:-1]
            pairs = np.stack(np.divmod(key[first], n), axis=1)
        else:
            order = np.lexsort((pairs[:, 1], pairs[:, 0]))
            pairs, weight = pairs[order], weight[order]
        codes = np.asarray(labels, dtype=np.int64)
        return cls(n, pairs[:, 0], pairs[:, 1], weight, codes, class_names, features)

    @property
    def fingerprint(self) -> str:
        """A digest of the nodes, the edges and the labels; features have the checksums of their files."""
        return fingerprint(np.array([self.n]), np.stack([self.source, self.target], axis=1), self.labels)

    def dataset(self, name: str, source: str) -> Dataset:
        """The graph with the labels by name; self loops are counted and dropped."""
        weight = np.ones(len(self.source)) if self.weight is None else self.weight
        upper = sparse.coo_array((weight, (self.source, self.target)), shape=(self.n, self.n))
        graph = Graph.from_scipy(upper + upper.T)
        names = (*self.class_names, None)  # code -1 is the last entry
        labels = [names[code] for code in self.labels.tolist()]
        parts = {part: places.copy() for part, places in (self.parts or {}).items()}
        return Dataset(name, graph, labels, self.class_names, source, self.features, self.times, parts)


class PictureTable(NamedTuple):
    """Pictures as whole numbers, with the grey levels that they stand for."""

    pixels: AnyArray
    labels: AnyArray
    is_test: AnyArray
    scale: float
    """Grey level = pixel / scale."""
    shape: tuple[int, int]

    @property
    def fingerprint(self) -> str:
        """A digest of the pixels, the labels and the split."""
        return fingerprint(self.pixels, self.labels, self.is_test)

    def vectors(self, name: str, source: str) -> Vectors:
        """The points in grey levels."""
        return Vectors(
            name,
            self.pixels.reshape(len(self.labels), -1) / self.scale,
            self.labels.astype(np.int64),
            self.is_test.astype(np.bool_),
            self.shape,
            source,
        )


Table = GraphTable | PictureTable
