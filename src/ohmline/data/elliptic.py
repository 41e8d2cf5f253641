"""The Elliptic data set: Bitcoin transactions of 49 time steps, some of them known to be licit or illicit."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ohmline.arrays import Ints
from ohmline.data.archive import Members
from ohmline.data.columns import read, whole
from ohmline.data.tables import GraphTable
from ohmline.errors import DataError

FEATURES, CLASSES, EDGES = (
    "elliptic_txs_features.csv",
    "elliptic_txs_classes.csv",
    "elliptic_txs_edgelist.csv",
)
NAMES = ("illicit", "licit")
KNOWN = {"1": 0, "2": 1}
"""The classes as the file has them; anything else is unknown."""


def transactions(files: Members) -> GraphTable:
    """Payments between transactions; `times` has the step of each, and features its 165 numbers."""
    columns = read(files.read(FEATURES), FEATURES)
    if len(columns) < 3:
        raise DataError(
            f"{FEATURES} has {len(columns)} columns, and a number, a time and features are needed"
        )
    ids = np.asarray(columns[0]).astype(np.int64)
    order = np.argsort(ids, kind="stable")
    if (np.diff(ids[order]) == 0).any():
        raise DataError(f"{FEATURES} lists a transaction twice; take it from a fresh copy")
    named, words = read(files.read(CLASSES), CLASSES, header=True)[:2]
    labels = np.full(len(ids), -1, dtype=np.int64)
    codes = np.array([KNOWN.get(str(word), -1) for word in words])
    labels[_places(ids, order, np.asarray(named).astype(np.int64), CLASSES)] = codes
    ends = whole(files.read(EDGES), 2, EDGES, header=True)
    places = _places(ids, order, ends.ravel(), EDGES).reshape(-1, 2)
    features = sparse.csr_array(np.column_stack(columns[2:]).astype(np.float64))
    table = GraphTable.of(len(ids), places, labels, NAMES, features=features)
    return table._replace(times=np.asarray(columns[1]).astype(np.int64))


def _places(ids: Ints, order: Ints, wanted: Ints, name: str) -> Ints:
    """The places of transactions among all."""
    at = order[np.minimum(np.searchsorted(ids, wanted, sorter=order), len(ids) - 1)]
    strange = np.flatnonzero(ids[at] != wanted)
    if len(strange):
        raise DataError(
            f"{name} names transaction {wanted[strange[0]]}, which {FEATURES} does not have; take fresh copies"
        )
    return at
