"""One file of named arrays with a header, written whole or not at all, and read only if it is whole.

A model file is a ZIP archive: `header.json`, and one `.npy` file for each array. Nothing in it is pickled, so that
reading one never runs code. The header says which format the file has; a reader refuses a newer one by name.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ohmline.arrays import AnyArray
from ohmline.checks import file_path, room
from ohmline.errors import DataError, FileFormatError
from ohmline.graph.files.paths import replacing
from ohmline.version import __version__

FORMAT = "ohmline model"
VERSION = 1
"""The format that is written; every one up to it is read."""
HEADER = "header.json"
_LONGEST_HEADER = 2**30
_DATE = (1980, 1, 1, 0, 0, 0)  # so that the same learner gives the same bytes


def write(path: Path, header: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> None:
    """Write a file, or leave the old one as it was."""
    about = {"format": FORMAT, "version": VERSION, "written_by": f"ohmline {__version__}", **header}
    with (
        replacing(path) as beside,
        zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
    ):
        archive.writestr(_member(HEADER), json.dumps({**about, "arrays": sorted(arrays)}))
        for name in sorted(arrays):
            with archive.open(_member(f"{name}.npy"), "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(arrays[name]), allow_pickle=False)


def read(path: Any) -> tuple[dict[str, Any], dict[str, AnyArray]]:
    """The header and the arrays of a file, or an error that says what is wrong with it."""
    where = file_path(path)
    try:
        with zipfile.ZipFile(where) as archive:
            header = _header(where, archive)
            arrays = {name: _array(where, archive, f"{name}.npy") for name in header["arrays"]}
    except FileNotFoundError:
        raise DataError(f"{where} does not exist; check the name and the folder") from None
    except IsADirectoryError:
        raise DataError(f"{where} is a folder, not a model file") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise FileFormatError(
            f"{where} is no model file, or is damaged or cut off ({error}); save the learner again"
        ) from None
    except OSError as error:
        raise DataError(f"{where} cannot be read: {error.strerror or error}") from None
    return header, arrays


def _header(path: Path, archive: zipfile.ZipFile) -> dict[str, Any]:
    names = {info.filename: info.file_size for info in archive.infolist()}
    if HEADER not in names or names[HEADER] > _LONGEST_HEADER:
        raise FileFormatError(f"{path} has no {HEADER}, so it is not a file that ohmline.save wrote")
    room(sum(names.values()), f"the arrays of {path}")
    try:
        header = json.loads(archive.read(HEADER))
    except (ValueError, RecursionError) as error:
        raise FileFormatError(
            f"the header of {path} cannot be read ({error}); save the learner again"
        ) from None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise FileFormatError(
            f"{path} does not say that it is an {FORMAT}; give a file that ohmline.save wrote"
        )
    version = header.get("version")
    if type(version) is not int or version < 1:
        raise FileFormatError(f"the header of {path} is damaged: version {version!r} is no version")
    if version > VERSION:
        raise FileFormatError(
            f"{path} has format {version}, and this is ohmline {__version__}, which reads formats up to {VERSION}; "
            "pip install --upgrade ohmline"
        )
    listed = header.get("arrays")
    if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
        raise FileFormatError(f"the header of {path} is damaged: it does not list its arrays")
    missing = [name for name in listed if f"{name}.npy" not in names]
    if missing:
        raise FileFormatError(f"{path} lacks its array {missing[0]!r}; it is damaged, save the learner again")
    return header


def _array(path: Path, archive: zipfile.ZipFile, name: str) -> AnyArray:
    raw = archive.read(name)  # checks the member's checksum
    try:
        found: AnyArray = np.lib.format.read_array(io.BytesIO(raw), allow_pickle=False)
    except (ValueError, TypeError, SyntaxError, OverflowError, MemoryError) as error:
        raise FileFormatError(f"{name} in {path} is no array ({error}); save the learner again") from None
    return found


def _member(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _DATE)
    info.compress_type = zipfile.ZIP_DEFLATED
    return info
