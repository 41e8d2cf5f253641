"""Results in parts: each part whole or not at all, and a manifest that is written last."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ohmline.checks import file_path
from ohmline.errors import DataError, ParameterError
from ohmline.extras import require
from ohmline.graph.files.manifest import FORMAT, MANIFEST, checksum
from ohmline.graph.files.manifest import Manifest as Manifest
from ohmline.graph.files.manifest import Part as Part
from ohmline.graph.files.manifest import read_manifest as read_manifest
from ohmline.graph.files.paths import beside_of, replacing, write_bytes


def write_part(folder: Path, number: int, table: Any) -> Part:
    """Write one part, whole or not at all; twice is no harm."""
    parquet = require("pyarrow.parquet", "cluster")
    path = folder / f"part-{number:05d}.parquet"
    with replacing(path) as beside:
        parquet.write_table(table, beside)
    return Part(path.name, table.num_rows, checksum(path))


@contextmanager
def result_folder(out: str | os.PathLike[str]) -> Iterator[Path]:
    """A folder to write parts to, which gets the name `out` once `finish` has written its manifest, and else goes.

    A folder `work` in it is for what the workers keep on the way.
    """
    place = file_path(out, "out").resolve()
    if place.exists():
        raise ParameterError(f"{place} is there already; name another folder, or remove it first")
    if not place.parent.is_dir():
        raise ParameterError(
            f"{place} cannot be written: the folder {place.parent} does not exist; make it first"
        )
    beside = beside_of(place)
    try:
        try:
            (beside / "work").mkdir(parents=True)
        except OSError as error:
            raise DataError(
                f"{place} cannot be written: {error.strerror or error}; name another folder"
            ) from None
        yield beside
        shutil.rmtree(beside / "work")
        if (beside / MANIFEST).exists():
            try:
                os.rename(beside, place)
            except OSError as error:
                raise DataError(
                    f"{place} was made by somebody else in the meantime ({error.strerror}), and is left as it is; run "
                    "this again with another folder"
                ) from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def finish(folder: Path, kind: str, parts: Sequence[Part], about: dict[str, Any]) -> Manifest:
    """Write the manifest, the last file of all."""
    found = Manifest(kind, tuple(parts), about)
    document = {
        "format": FORMAT,
        "kind": kind,
        "rows": found.rows,
        "parts": [asdict(p) for p in parts],
        "about": about,
    }
    write_bytes(folder / MANIFEST, json.dumps(document, indent=1).encode())
    return found
