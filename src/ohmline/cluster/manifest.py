"""Results in parts: each part whole or not at all, and a manifest that is written last."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self, final

from ohmline.checks import file_path
from ohmline.errors import DataError, FileFormatError
from ohmline.extras import require
from ohmline.graph.files.paths import replacing, write_bytes

MANIFEST = "manifest.json"
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
        parquet = require("pyarrow.parquet", "cluster")
        for part in self.parts:
            path = folder / part.name
            if not path.exists():
                raise DataError(
                    f"the part {path} is missing: {MANIFEST} lists {len(self.parts)} parts; write or copy it again"
                )
            try:
                rows = parquet.read_metadata(path).num_rows
            except (OSError, ValueError) as error:
                raise FileFormatError(
                    f"{path} is not Parquet, or is cut short ({error}); write it again"
                ) from None
            if rows != part.rows or (bytes_too and checksum(path) != part.sha256):
                raise DataError(
                    f"{path} is not the part that {MANIFEST} lists: it has {rows} rows and should have {part.rows}, or "
                    "its bytes have changed; write or copy it again"
                )
        return self


def read_manifest(folder: str | os.PathLike[str]) -> Manifest:
    """The manifest of a folder of parts.

    Parameters
    ----------
    folder
        What `embed`, `knn` or `predict` wrote.
    """
    path = file_path(folder, "folder") / MANIFEST
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
        raise DataError(f"{place} is there already; name another folder, or remove it first")
    if not place.parent.is_dir():
        raise DataError(f"{place} cannot be written: the folder {place.parent} does not exist; make it first")
    beside = place.with_name(f".{place.name}.{os.getpid()}.part")
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
            os.rename(beside, place)
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
