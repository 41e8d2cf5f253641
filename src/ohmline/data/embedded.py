"""Small data that come with the package or its dependencies: no network, no folder."""

from __future__ import annotations

import gzip
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from ohmline.arrays import Floats
from ohmline.data.contract import Dataset, Vectors
from ohmline.graph.graph import Graph

# Zachary 1977, Figure 3: for each member, the members of higher number met outside the club.
_MEETS = {
    0: (1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 17, 19, 21, 31),
    1: (2, 3, 7, 13, 17, 19, 21, 30),
    2: (3, 7, 8, 9, 13, 27, 28, 32),
    3: (7, 12, 13),
    4: (6, 10),
    5: (6, 10, 16),
    6: (16,),
    8: (30, 32, 33),
    9: (33,),
    13: (33,),
    14: (32, 33),
    15: (32, 33),
    18: (32, 33),
    19: (33,),
    20: (32, 33),
    22: (32, 33),
    23: (25, 27, 29, 32, 33),
    24: (25, 27, 31),
    25: (31,),
    26: (29, 33),
    27: (33,),
    28: (31, 33),
    29: (32, 33),
    30: (32, 33),
    31: (32, 33),
    32: (33,),
}
_WITH_INSTRUCTOR = {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 16, 17, 19, 21}


def karate() -> Dataset:
    """Zachary's karate club and the side that each member took when it split."""
    edges = [(u, v) for u, others in _MEETS.items() for v in others]
    labels = ["instructor" if k in _WITH_INSTRUCTOR else "officer" for k in range(34)]
    return Dataset(
        "karate", Graph.from_edges(edges), labels, ("instructor", "officer"), "Zachary 1977, embedded"
    )


def digits() -> Vectors:
    """scikit-learn's handwritten digits, 8 x 8, grey levels from 0 to 1."""
    table = _digits_table()
    return Vectors(
        "digits",
        table[:, :64] / 16.0,
        table[:, 64].astype(np.int64),
        np.zeros(len(table), dtype=np.bool_),
        (8, 8),
        "UCI optical digits, in scikit-learn",
    )


def _digits_table() -> Floats:
    """64 grey levels and the digit in each row, from scikit-learn's file; importing the package would take longer."""
    package = find_spec("sklearn")
    folder = Path(package.origin).parent if package is not None and package.origin is not None else Path()
    try:
        with gzip.open(folder / "datasets" / "data" / "digits.csv.gz", "rt", encoding="ascii") as file:
            table = np.loadtxt(file, delimiter=",")
    except (OSError, ValueError):
        table = np.empty((0, 0))
    if table.shape != (1797, 65):  # the file has moved
        from sklearn.datasets import load_digits

        bunch = load_digits()
        table = np.column_stack([bunch.data, bunch.target])
    return np.asarray(table, np.float64)
