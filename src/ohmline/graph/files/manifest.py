"""What a folder of Parquet parts holds, where whoever wrote them left a manifest."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, final

from ohmline.checks import file_path
from ohmline.errors import DataError, FileFormatError
from ohmline.extras import require

MANIFEST = "_manifest.json"
"""Readers of Parquet folders (pandas, Polars, Spark, DuckDB's patterns) leave out what begins with an underscore."""
OLD_MANIFEST = "manifest.json"
"""What it was called before; it is still read."""
FORMAT = "ohmline-parts-1"


@final
@dataclass(frozen=True)
class Part:
    """A file of a result.

    Attributes
    ----------
    name
        Its name in the folder.
    rows
        How many rows it has.
    sha256
        The checksum of its bytes.
    """

    name: str
    rows: int
    sha256: str


@final
@dataclass(frozen=True)
class Manifest:
    """What a folder of parts holds.

    Attributes
    ----------
    kind
        What was computed: embedding, predictions or edges.
    parts
        The files, in the order of the nodes.
    about
        What else there is to know: eigenvalues, residuals, counts of classes.
    """

    kind: str
    parts: tuple[Part, ...]
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """The number of rows of all parts."""
        return sum(part.rows for part in self.parts)

    def checked(self, folder: Path, *, bytes_too: bool = False) -> Self:
        """This manifest, if every part is there with the rows it says.

        Parameters
        ----------
        folder
            Where the parts are.
        bytes_too
            Read every part and compare its checksum. Default False.
        """
        parquet = require("pyarrow.parquet", "io")
        listing = (manifest_in(folder) or folder / MANIFEST).name
        for part in self.parts:
            path = folder / part.name
            if not path.exists():
                raise DataError(
                    f"the part {path} is missing: {listing} lists {len(self.parts)} parts; write or copy it again"
                )
            try:
                rows = parquet.read_metadata(path).num_rows
            except (OSError, ValueError) as error:
                raise FileFormatError(
                    f"{path} is not Parquet, or is cut short ({error}); write it again"
                ) from None
            if rows != part.rows or (bytes_too and checksum(path) != part.sha256):
                raise DataError(
                    f"{path} is not the part that {listing} lists: it has {rows} rows and should have {part.rows}, or "
                    "its bytes have changed; write or copy it again"
                )
        return self


def manifest_in(folder: Path) -> Path | None:
    """The manifest of a folder, under its name or the one of before; None where there is none."""
    return next((folder / name for name in (MANIFEST, OLD_MANIFEST) if (folder / name).exists()), None)


def read_manifest(folder: str | os.PathLike[str]) -> Manifest:
    """The manifest of a folder of parts.

    Parameters
    ----------
    folder
        What `embed`, `knn` or `predict` wrote.
    """
    place = file_path(folder, "folder")
    path = manifest_in(place) or place / MANIFEST
    try:
        document = json.loads(path.read_bytes())
        if document["format"] != FORMAT:
            raise FileFormatError(f"{path} has format {document['format']!r}; expected {FORMAT!r}")
        parts = tuple(Part(str(p["name"]), int(p["rows"]), str(p["sha256"])) for p in document["parts"])
        if any(Path(part.name).name != part.name for part in parts):
            raise FileFormatError(f"{path} lists a part outside its folder; write the parts again")
        return Manifest(str(document["kind"]), parts, dict(document["about"]))
    except FileNotFoundError:
        raise DataError(f"{path} does not exist: the parts are not whole; write them again") from None
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, FileFormatError):
            raise
        raise FileFormatError(f"{path} is not a manifest of parts ({error}); write the parts again") from None


def checksum(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
