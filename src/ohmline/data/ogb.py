"""ogbn-arxiv and ogbn-products: the raw files of the Open Graph Benchmark, as they are published."""

from __future__ import annotations

import numpy as np

from ohmline.arrays import AnyArray, Ints
from ohmline.data.archive import Members
from ohmline.data.columns import read as columns_of
from ohmline.data.columns import whole
from ohmline.data.tables import GraphTable
from ohmline.errors import DataError

PARTS = ("train", "valid", "test")


def arxiv(files: Members) -> GraphTable:
    """Papers of arXiv that cite each other, with the year of each and its subject."""
    years = whole(files.read("raw/node_year.csv.gz", "raw/node_year.csv"), 1, "node_year.csv")[:, 0]
    return _graph(files, "time", years, "mapping/labelidx2arxivcategeory.csv.gz")


def products(files: Members) -> GraphTable:
    """Products of a shop that are bought together, with their category."""
    return _graph(files, "sales_ranking", None, "mapping/labelidx2productcategory.csv.gz")


def _graph(files: Members, split: str, times: Ints | None, mapping: str) -> GraphTable:
    counts = whole(files.read("raw/num-node-list.csv.gz", "raw/num-node-list.csv"), 1, "num-node-list.csv")
    n = int(counts.sum())
    ends = whole(files.read("raw/edge.csv.gz", "raw/edge.csv"), 2, "edge.csv")
    labels = whole(files.read("raw/node-label.csv.gz", "raw/node-label.csv"), 1, "node-label.csv")[:, 0]
    if len(labels) != n or (times is not None and len(times) != n):
        raise DataError(f"there are {n} nodes and {len(labels)} labels; take the files from a fresh copy")
    parts = {}
    for part in PARTS:
        name = f"split/{split}/{part}.csv"
        parts[part] = whole(files.read(f"{name}.gz", name), 1, name)[:, 0]
        if len(parts[part]) and not 0 <= parts[part].min() <= parts[part].max() < n:
            raise DataError(f"{name} names a node that is not there; take it from a fresh copy")
    names = _names(files, mapping, int(labels.max(initial=0)) + 1)
    return GraphTable.of(n, ends, labels, names)._replace(times=times, parts=parts)


def _names(files: Members, mapping: str, classes: int) -> tuple[str, ...]:
    """The name of each class; its number where the source has no names, or the same one twice."""
    if mapping not in files:
        return tuple(map(str, range(classes)))
    columns: list[AnyArray] = columns_of(files.read(mapping), mapping, header=True)
    named = dict(zip(np.asarray(columns[0]).tolist(), map(str, columns[-1]), strict=True))
    found = tuple(named.get(k, str(k)) for k in range(classes))
    return found if len(set(found)) == len(found) else tuple(f"{k} {name}" for k, name in enumerate(found))
