"""The tables of results: each block writes its part."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ohmline.arrays import Floats
from ohmline.cluster.labels import Given
from ohmline.cluster.manifest import Part, write_part
from ohmline.cluster.naming import ids_file, read_ids
from ohmline.cluster.rows import RowBlock
from ohmline.extras import require


def ids_of(block: RowBlock) -> Any:
    """The ids of a block's nodes: their own, or their positions."""
    arrow = require("pyarrow", "cluster")
    if ids_file(block.folder, block.number).exists():
        return read_ids(block.folder, block.number)
    return arrow.array(np.arange(block.first, block.first + block.n))


def write_features(block: RowBlock, x: int, folder: Path) -> Part:
    """The part of a block: each node with its features."""
    return write_part(folder, block.number, feature_table(ids_of(block), block.columns[x]))


def feature_table(ids: Any, values: Floats) -> Any:
    """One row for each node: its id and its features, a list of fixed length."""
    arrow = require("pyarrow", "cluster")
    flat = arrow.array(np.ascontiguousarray(values).ravel())
    features = arrow.FixedSizeListArray.from_arrays(flat, values.shape[1])
    return arrow.table({"node": ids, "features": features})


def write_predictions(
    block: RowBlock,
    given: Given,
    x: int,
    folder: Path,
    classes: tuple[Any, ...],
    balance: Floats,
    error: float,
    tie: float,
    floor: float,
) -> tuple[Part, list[int]]:
    """The part of a block; how many nodes are of each class, unreached and labelled."""
    arrow = require("pyarrow", "cluster")
    scores = np.clip(block.columns[x], 0.0, 1.0) * balance
    rows, given_codes = given.at(block)
    label = np.full(block.n, -1)
    label[rows] = given_codes
    code, top, second = _first_two(scores)
    known = top > 0
    code = np.where(known, code, -1)
    gap = np.where(top - second > tie, top - second, 0.0)
    chances = _chances(scores, known, floor)
    confidence = np.where(known, chances[np.arange(block.n), code], np.nan)
    names = _names(arrow, classes)
    columns = {
        "node": ids_of(block),
        "label": names.take(arrow.array(label, mask=label < 0)),
        "prediction": names.take(arrow.array(code, mask=code < 0)),
        "probability": arrow.array(confidence, from_pandas=True),
        "margin": arrow.array(gap),
        "known": arrow.array(known),
        "certain": arrow.array(known & (top - second > 2 * error)),
    }
    written = [str(name) for name in classes]
    if len(set(written)) < len(written):  # the classes 1 and "1", say
        written = [repr(name) for name in classes]
    for k, name in enumerate(written):
        columns[f"p({name})"] = arrow.array(chances[:, k], from_pandas=True)
    counts = np.bincount(code[known], minlength=len(classes)).tolist()
    part = write_part(folder, block.number, arrow.table(columns))
    return part, [*counts, int((~known).sum()), int((label >= 0).sum())]


def _first_two(scores: Floats) -> tuple[Any, Floats, Floats]:
    """The best class of each row, its score and that of the next."""
    if not len(scores):
        return np.empty(0, np.int64), np.empty(0), np.empty(0)
    code = scores.argmax(axis=1)
    every = np.arange(len(scores))
    top = scores[every, code]
    rest = scores.copy()
    rest[every, code] = 0.0
    return code, top, rest.max(axis=1)


def _chances(scores: Floats, known: Any, floor: float) -> Floats:
    """Shares of the score with a floor, as `LocalLGC` has them before any label has told it how sure to be."""
    with np.errstate(invalid="ignore", divide="ignore"):
        share = scores / scores.sum(axis=1, keepdims=True) + floor
    share /= share.sum(axis=1, keepdims=True)
    share[~known] = np.nan
    found: Floats = share
    return found


def _names(arrow: Any, classes: tuple[Any, ...]) -> Any:
    """The classes as a column: of their own type where they have one, else as text."""
    plain = {type(name) for name in classes} in ({int}, {str}, {float}, {bool})
    return arrow.array(list(classes) if plain else [str(name) for name in classes])
