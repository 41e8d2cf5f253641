"""The Planetoid release of the citation graphs: pickles, read without trusting them."""

from __future__ import annotations

import collections
import io
import pickle
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from ohmline.arrays import AnyArray, Ints, count, vector, whole_numbers
from ohmline.data.tables import GraphTable
from ohmline.errors import DataError

PARTS = ("graph", "ally", "ty", "test.index", "allx", "tx")


def read(files: dict[str, Path], class_names: tuple[str, ...]) -> GraphTable:
    """The graph, the labels and the words; `files` maps each of `PARTS` to its file.

    `graph` is a dictionary from a node to its neighbours, with repeats and self loops.
    `ally` holds the classes, one-hot, of the first nodes and `ty` those of the nodes that
    `test.index` lists, in its order. A node in neither has no label (fifteen of Citeseer's).
    `allx` and `tx` are sparse matrices with the words of the same nodes, in the same orders; a node in neither has
    none.
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
    words = _words(files, n, len(ally), index)
    return GraphTable.of(n, np.array(ends, dtype=np.int64), labels, class_names, features=words)


def _words(files: dict[str, Path], n: int, first: int, index: Ints) -> sparse.csr_array:
    """One row per node, from the rows of the first nodes and those of the nodes listed."""
    allx, tx = (_sparse(files[part]) for part in ("allx", "tx"))
    if allx.shape[0] != first or tx.shape[0] != len(index) or allx.shape[1] != tx.shape[1]:
        raise DataError(
            f"{files['allx']} has shape {allx.shape} and {files['tx'].name} {tx.shape}, for {first} and {len(index)} "
            "nodes; delete the files there and load again"
        )
    both = sparse.vstack([allx, tx]).tocoo()
    row = np.concatenate([np.arange(first), index])[both.row]
    found = sparse.csr_array((both.data.astype(np.float64), (row, both.col)), shape=(n, allx.shape[1]))
    found.eliminate_zeros()
    return found


class _Pickled:
    """What a pickle says of a sparse matrix, before anybody believed it."""


def _sparse(path: Path) -> sparse.csr_array:
    """A matrix of compressed sparse rows, made afresh of what a pickle says of one."""
    said = unpickle(path)
    parts = vars(said) if isinstance(said, _Pickled) else {}
    shape = parts.get("_shape", parts.get("shape"))
    arrays = [parts.get(name) for name in ("data", "indices", "indptr")]
    try:
        data, indices, indptr = (np.asarray(array) for array in arrays)
        rows, columns = (count(int(k), "a side of a sparse matrix") for k in shape)  # type: ignore[union-attr]
        data = vector(data, "data")
        indices = whole_numbers(indices, "indices", low=0, high=columns - 1, length=len(data))
        indptr = whole_numbers(indptr, "indptr", low=0, high=len(data), length=rows + 1)
        sound = indptr[0] == 0 and indptr[-1] == len(data) and not np.any(np.diff(indptr) < 0)
    except (TypeError, ValueError):  # the errors of our own checks are such too
        sound = False
    if not sound:
        raise DataError(f"{path} does not hold a matrix of compressed sparse rows; delete it and load again")
    return sparse.csr_array((data, indices, indptr), shape=(rows, columns))


def unpickle(path: Path) -> Any:
    """The content of a pickle that may hold arrays, sparse matrices, dictionaries, lists and numbers only."""
    try:
        return _Restricted(io.BytesIO(path.read_bytes()), encoding="latin1").load()
    except DataError:
        raise
    except Exception as error:  # a damaged pickle fails in any way it likes
        raise DataError(f"{path} is not a readable pickle ({error}); delete it and load again") from None


def _dtype(kind: str, *_: object) -> np.dtype[Any]:
    return np.dtype(kind)


_reconstruct = np.empty(0).__reduce__()[0]  # its module's name differs between versions of NumPy


def _remade(kind: Any, base: Any, state: Any) -> Any:
    """What the oldest pickles make an object with."""
    if kind is not _Pickled:
        raise DataError(
            f"the pickle makes an object of {kind!r}, which a data set has no need of; not loaded"
        )
    return _Pickled()


_SAFE: dict[tuple[str, str], Any] = {
    ("scipy.sparse.csr", "csr_matrix"): _Pickled,
    ("scipy.sparse._csr", "csr_matrix"): _Pickled,
    ("copy_reg", "_reconstructor"): _remade,
    ("copyreg", "_reconstructor"): _remade,
    ("__builtin__", "object"): object,
    ("builtins", "object"): object,
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
