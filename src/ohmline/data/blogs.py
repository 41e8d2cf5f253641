"""Blogs that link to each other: those about the election of 2004, and those of BlogCatalog."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from ohmline.data.archive import Members
from ohmline.data.columns import whole
from ohmline.data.tables import GraphTable, Table
from ohmline.errors import DataError

LEANINGS = ("liberal", "conservative")
GROUPS = 39


def political(files: Members) -> GraphTable:
    """Adamic and Glance's blogs: who links to whom, and how each leans."""
    ends = whole(files.read("adjacency.tsv"), 2, "adjacency.tsv", separator="\t")
    labels = whole(files.read("labels.tsv"), 1, "labels.tsv", separator="\t")[:, 0]
    if len(labels) and not 0 <= labels.min() <= labels.max() < len(LEANINGS):
        raise DataError("labels.tsv must hold 0 and 1; take it from a fresh copy")
    return GraphTable.of(len(labels), ends, labels, LEANINGS)


def catalog(files: Members) -> GraphTable:
    """BlogCatalog3: who is whose friend. A blogger in one group has its label; one in several has none."""
    ends = whole(files.read("edges.csv"), 2, "edges.csv") - 1
    groups = whole(files.read("group-edges.csv"), 2, "group-edges.csv") - 1
    n = len(whole(files.read("nodes.csv"), 1, "nodes.csv"))
    if len(groups) and (groups.min() < 0 or groups[:, 0].max() >= n or groups[:, 1].max() >= GROUPS):
        raise DataError(
            "group-edges.csv names a blogger or a group that is not there; take it from a fresh copy"
        )
    times = np.bincount(groups[:, 0], minlength=n)
    labels = np.full(n, -1, dtype=np.int64)
    labels[groups[:, 0]] = groups[:, 1]
    labels[times != 1] = -1
    return GraphTable.of(n, ends, labels, tuple(f"group {k + 1}" for k in range(GROUPS)))


def counts_of(n: int, edges: int, labels: int) -> Callable[[Table], str | None]:
    """A check of published counts, for files whose checksum nobody has published."""

    def check(table: Table) -> str | None:
        assert isinstance(table, GraphTable)
        loops = table.source == table.target
        found = (table.n, int(np.count_nonzero(~loops)), int(np.count_nonzero(table.labels >= 0)))
        wanted = (n, edges, labels)
        return None if found == wanted else f"(nodes, edges, labels) are {found}, not {wanted}"

    return check


def political_counts(table: Table) -> str | None:
    """The published counts of the political blogs: 758 liberal and 732 conservative, 1,222 of them connected."""
    wrong = counts_of(1490, 16715, 1490)(table)
    if wrong is not None:
        return wrong
    assert isinstance(table, GraphTable)
    apart = table.source != table.target
    source, target = table.source[apart], table.target[apart]
    links = sparse.coo_array((np.ones(len(source)), (source, target)), shape=(table.n, table.n))
    part = connected_components(links, directed=False)[1]
    largest = part == np.bincount(part).argmax()
    found = tuple(
        int(number) for number in (*np.bincount(table.labels), largest.sum(), largest[source].sum())
    )
    wanted = (758, 732, 1222, 16714)
    words = "(liberal, conservative, connected blogs, links among them)"
    return None if found == wanted else f"{words} are {found}, not {wanted}"


def catalog_counts(table: Table) -> str | None:
    """The published counts of BlogCatalog3: 10,312 bloggers, 333,983 friendships, 39 groups."""
    assert isinstance(table, GraphTable)
    found = (table.n, int(np.count_nonzero(table.source != table.target)), len(np.unique(table.labels)) - 1)
    return None if found == (10312, 333983, GROUPS) else f"(nodes, edges, groups) are {found}"
