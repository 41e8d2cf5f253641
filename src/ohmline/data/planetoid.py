"""The Planetoid release of the citation graphs: pickles, read without trusting them."""

from __future__ import annotations

import collections
import io
import pickle
from pathlib import Path
from typing import Any

import numpy as np

from ohmline.arrays import AnyArray, Ints
from ohmline.data.tables import GraphTable
from ohmline.errors import DataError

PARTS = ("graph", "ally", "ty", "test.index")


def read(files: dict[str, Path], class_names: tuple[str, ...]) -> GraphTable:
    """The graph and the labels; `files` maps each of `PARTS` to its file.

    `graph` is a dictionary from a node to its neighbours, with repeats and self loops.
    `ally` holds the classes, one-hot, of the first nodes and `ty` those of the nodes that
    `test.index` lists, in its order. A node in neither has no label (fifteen of Citeseer's).
    """
    graph, ally, ty = (unpickle(files[part]) for part in ("graph", "ally", "ty"))
    index = _lines(files["test.index"])
    if not isinstance(graph, dict) or not _is_one_hot(ally) or not _is_one_hot(ty) or len(ty) != len(index):
        raise DataError(
            f"{files['graph'].parent} does not hold a Planetoid data set (a dictionary of neighbours and "
            "two one-hot tables); delete the files there and load again"
        )
    n = max(max(graph), len(ally) - 1, int(index.max(initial=-1))) + 1
    labels = np.full(n, -1, dtype=np.int64)
    labels[: len(ally)] = np.where(ally.any(axis=1), ally.argmax(axis=1), -1)
    labels[index] = np.where(ty.any(axis=1), ty.argmax(axis=1), -1)
    ends = [(u, v) for u, neighbours in graph.items() for v in neighbours]
    return GraphTable.of(n, np.array(ends, dtype=np.int64), labels, class_names)


def unpickle(path: Path) -> Any:
    """The content of a pickle that may hold arrays, dictionaries, lists and numbers only."""
    try:
        return _Restricted(io.BytesIO(path.read_bytes()), encoding="latin1").load()
    except DataError:
        raise
    except Exception as error:  # a damaged pickle fails in any way it likes
        raise DataError(f"{path} is not a readable pickle ({error}); delete it and load again") from None


def _dtype(kind: str, *_: object) -> np.dtype[Any]:
    return np.dtype(kind)


_reconstruct = np.empty(0).__reduce__()[0]  # its module's name differs between versions of NumPy

_SAFE: dict[tuple[str, str], Any] = {
    ("collections", "defaultdict"): collections.defaultdict,
    ("__builtin__", "list"): list,
    ("builtins", "list"): list,
    ("_codecs", "encode"): lambda text, encoding: text.encode(encoding),
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): _dtype,
    ("numpy.core.multiarray", "_reconstruct"): _reconstruct,
    ("numpy._core.multiarray", "_reconstruct"): _reconstruct,
}


class _Restricted(pickle.Unpickler):
    """Refuses everything that is not in the list above, so a pickle cannot run code."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _SAFE:
            raise DataError(
                f"the pickle asks for {module}.{name}, which a data set has no need of; not loaded"
            )
        return _SAFE[module, name]


def _is_one_hot(table: Any) -> bool:
    return isinstance(table, np.ndarray) and table.ndim == 2 and table.dtype.kind in "iufb"


def _lines(path: Path) -> Ints:
    try:
        numbers: AnyArray = np.array(path.read_text(encoding="ascii").split(), dtype=np.int64)
    except ValueError as error:
        raise DataError(
            f"{path} must hold one node number a line ({error}); delete it and load again"
        ) from None
    return numbers
