"""Reading the folder that `OHMLINE_DATA` names: NAME.npz with its NAME.json beside it."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path

import numpy as np
from scipy import sparse

from ohmline.arrays import AnyArray, vector, whole_numbers
from ohmline.data.tables import GraphTable, PictureTable
from ohmline.errors import DataError, ParameterError

Arrays = dict[str, AnyArray]


def read_arrays(folder: Path, stem: str) -> Arrays:
    """The arrays of `stem`.npz, once its SHA-256 is the one that `stem`.json states."""
    path, card = folder / f"{stem}.npz", folder / f"{stem}.json"
    try:
        stated = json.loads(card.read_text(encoding="utf-8"))["sha256"]
    except FileNotFoundError:
        raise DataError(
            f"{path} has no {card.name} beside it that states its sha256; copy both files, "
            "or unset OHMLINE_DATA to download"
        ) from None
    except (ValueError, KeyError, TypeError):
        raise DataError(f"{card} is not a JSON object with a sha256; copy it again") from None
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from None
    found = hashlib.sha256(content).hexdigest()
    if found != stated:
        raise DataError(
            f"{path} has sha256 {found}, but {card.name} states {stated}: the file is damaged "
            "or of another version; copy both again"
        )
    try:
        with np.load(path, allow_pickle=False) as archive:
            return {key: archive[key] for key in archive.files}
    except (ValueError, OSError, zipfile.BadZipFile) as error:
        raise DataError(f"{path} is not an archive of plain arrays ({error}); copy it again") from None


def graph_table(arrays: Arrays) -> GraphTable:
    """The layout of the citation graphs: edge_src, edge_dst, n_nodes, labels, class_names."""
    weight = arrays.get("edge_weight")
    return GraphTable.of(
        int(_take(arrays, "n_nodes")),
        np.stack([_take(arrays, "edge_src"), _take(arrays, "edge_dst")], axis=1),
        _take(arrays, "labels"),
        tuple(_take(arrays, "class_names").tolist()),
        None if weight is None else weight.astype(np.float64),
        _features(arrays),
    )


def _features(arrays: Arrays) -> sparse.csr_array | None:
    """The rows of the nodes, as feature_data, feature_indices, feature_indptr and n_features; they may be missing."""
    if "feature_indptr" not in arrays:
        return None
    n, columns = int(_take(arrays, "n_nodes")), int(_take(arrays, "n_features"))
    try:
        data = vector(_take(arrays, "feature_data"), "feature_data")
        indices = whole_numbers(
            _take(arrays, "feature_indices"), "feature_indices", low=0, high=columns - 1, length=len(data)
        )
        indptr = whole_numbers(
            arrays["feature_indptr"], "feature_indptr", low=0, high=len(data), length=n + 1
        )
    except ParameterError as error:
        raise DataError(f"the features of the archive are damaged: {error}") from None
    if indptr[0] != 0 or indptr[-1] != len(data) or np.any(np.diff(indptr) < 0):
        raise DataError("feature_indptr of the archive must ascend from 0 to the number of entries")
    return sparse.csr_array((data, indices, indptr), shape=(n, columns))


def usps_table(arrays: Arrays) -> PictureTable:
    """USPS: grey levels in thousandths, from -1 (background) to 1."""
    return PictureTable(
        _take(arrays, "images"), _take(arrays, "labels"), _take(arrays, "is_test"), 1000.0, (16, 16)
    )


def mnist_table(arrays: Arrays) -> PictureTable:
    """MNIST 0, 1, 2 at 16 x 16: the training pictures, then the test pictures."""
    train, test = _take(arrays, "train_labels"), _take(arrays, "test_labels")
    return PictureTable(
        np.concatenate([_take(arrays, "train_images"), _take(arrays, "test_images")]),
        np.concatenate([train, test]),
        np.repeat([0, 1], [len(train), len(test)]),
        255.0,
        (16, 16),
    )


def landmask_table(arrays: Arrays, minutes: int) -> GraphTable:
    """Land or ocean on a grid of latitudes and longitudes that closes around the globe."""
    rows, columns = (int(k) for k in _take(arrays, f"shape_m{minutes}"))
    land = np.unpackbits(_take(arrays, f"land_m{minutes}"), axis=1)[:, :columns]
    place = np.arange(rows * columns).reshape(rows, columns)
    east = np.stack([place.ravel(), np.roll(place, -1, axis=1).ravel()], axis=1)
    south = np.stack([place[:-1].ravel(), place[1:].ravel()], axis=1)
    return GraphTable.of(
        rows * columns, np.concatenate([east, south]), land.ravel().astype(np.int64), ("ocean", "land")
    )


def _take(arrays: Arrays, key: str) -> AnyArray:
    if key not in arrays:
        raise DataError(f"the archive has no array {key!r}; it has {', '.join(sorted(arrays))}")
    return arrays[key]
