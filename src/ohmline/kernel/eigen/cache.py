"""Eigenpairs on disk, by the fingerprint of their graph: found once, read ever after."""

from __future__ import annotations

import logging
import os
from hashlib import sha256
from pathlib import Path
from tempfile import mkstemp
from typing import Any

import numpy as np

from ohmline.arrays import Floats
from ohmline.checks import file_path
from ohmline.errors import ParameterError

log = logging.getLogger("ohmline.kernel.spectral")

VERSION = 1


def cache_folder(value: Any) -> Path:
    """A folder that can be written to; made where it is not there."""
    folder = file_path(value, "cache")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ParameterError(
            f"cache {str(folder)!r} cannot be made a folder: {error.strerror or error}; give another one, or None"
        ) from None
    if not os.access(folder, os.W_OK):
        raise ParameterError(f"cache {str(folder)!r} cannot be written to; give another folder, or None")
    return folder


def cached_pairs(folder: Path, key: tuple[str, ...], n: int, d: int) -> tuple[Floats, Floats] | None:
    """The pairs that were stored under `key`; None where there are none, or a damaged file, which is logged."""
    path = _place(folder, key)
    if not path.exists():
        return None
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            values, vectors, digest, version = (
                file[name] for name in ("values", "vectors", "digest", "version")
            )
        problem = _problem(values, vectors, str(digest), version.item(), n, d)
    except (
        Exception
    ) as error:  # a damaged archive raises nearly anything; whatever it is, the pairs are found again
        problem = f"it cannot be read ({error})"
    if problem:
        log.warning("the cached eigenpairs in %s are not used: %s; they are found again", path, problem)
        return None
    log.info("%d eigenpairs of %d nodes from %s", d, n, path)
    return values, vectors


def store_pairs(folder: Path, key: tuple[str, ...], values: Floats, vectors: Floats) -> None:
    """Write pairs for `key`; where that fails it is logged, since they have been found."""
    try:
        _write(folder, key, values, vectors)
    except OSError as error:
        log.warning("the eigenpairs could not be kept in %s: %s", folder, error)


def _write(folder: Path, key: tuple[str, ...], values: Floats, vectors: Floats) -> None:
    """To another name first, so that nothing half-written is ever found."""
    path = _place(folder, key)
    handle, beside = mkstemp(dir=folder, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(
                file,
                values=values,
                vectors=vectors,
                digest=np.array(_digest(values, vectors)),
                version=VERSION,
            )
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def _place(folder: Path, key: tuple[str, ...]) -> Path:
    return folder / f"eigenpairs-{sha256(chr(10).join(key).encode()).hexdigest()[:32]}.npz"


def _digest(values: Floats, vectors: Floats) -> str:
    found = sha256(np.ascontiguousarray(values).tobytes())
    found.update(np.ascontiguousarray(vectors).tobytes())
    return found.hexdigest()


def _problem(values: Any, vectors: Any, digest: str, version: Any, n: int, d: int) -> str:
    if version != VERSION:
        return f"version {version}, expected {VERSION}"
    if values.dtype != np.float64 or vectors.dtype != np.float64:
        return "they are not numbers of 64 bits"
    if values.shape != (d,) or vectors.shape != (n, d):
        return f"shapes {values.shape} and {vectors.shape}, expected {(d,)} and {(n, d)}"
    return "" if _digest(values, vectors) == digest else "the checksum does not match"
