"""What a snapshot of LocalLGC holds, checked whole before any of it is used."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ohmline.arrays import AnyArray
from ohmline.errors import SnapshotError
from ohmline.learn.contract import State, take

KIND = "LocalLGC"
TYPES = {"f": "floating-point numbers", "i": "whole numbers", "b": "truth values", "U": "text"}


def array(state: State, key: str, kind: str, shape: tuple[int, ...]) -> Any:
    """A copy of one array of a snapshot, of this type and shape (-1 for any length) and finite, or an error."""
    saved = take(state, KIND, key)
    if not isinstance(saved, np.ndarray) or saved.dtype.kind != kind:
        raise refused(key, f"must be an array of {TYPES[kind]}, got {_described(saved)}")
    fits = saved.ndim == len(shape) and all(b in (-1, a) for a, b in zip(saved.shape, shape, strict=True))
    if not fits:
        wanted = tuple("any" if length < 0 else length for length in shape)
        raise refused(key, f"must have shape {wanted}, got {saved.shape}")
    if kind == "f" and not np.isfinite(saved).all() and key != "caution":
        raise refused(key, "must be finite")
    types: dict[str, Any] = {"f": np.float64, "i": np.int64, "b": np.bool_}
    return np.array(saved, dtype=types.get(kind), order="C")


def between(found: AnyArray, key: str, least: float, most: float) -> Any:
    """The array itself, if all of its entries are in range."""
    if found.size and not (found.min() >= least and found.max() <= most):
        raise refused(key, f"must lie from {least:g} to {most:g}, got {found.min():g} to {found.max():g}")
    return found


def listed(state: State, key: str) -> list[Any]:
    """Ids or labels: a JSON list of strings and numbers."""
    text = str(array(state, key, "U", ()))
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not all(isinstance(value, str | int | float) for value in found):
        raise refused(key, f"must be a JSON list of strings and numbers, got {text!r:.60}")
    return found


def refused(key: str, why: str) -> SnapshotError:
    """The error for one entry of a snapshot."""
    return SnapshotError(f"the snapshot's {key!r} {why}; it is damaged, or not one of {KIND}: take a new one")


def _described(saved: Any) -> str:
    return (
        f"{saved.dtype} {saved.shape}"
        if isinstance(saved, np.ndarray)
        else f"{type(saved).__name__} {saved!r:.40}"
    )
