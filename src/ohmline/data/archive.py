"""The files of a data set, whether they lie in a folder or in an archive that was downloaded."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from ohmline.errors import DataError

LARGEST = 4 * 2**30
"""No file of a data set here is larger when it is unpacked; a larger one is a trap."""


class Members(Protocol):
    """Files by name."""

    def read(self, *names: str) -> bytes:
        """The content of the first of these files that is there, unpacked where its name ends in .gz."""

    def __contains__(self, name: object) -> bool: ...


class Folder:
    """The files below a folder; a name may lie any number of folders down."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _find(self, name: str) -> Path | None:
        direct = self.folder / name
        if direct.is_file():
            return direct
        return next(
            (path for path in sorted(self.folder.rglob(Path(name).name)) if _ends_with(path, name)), None
        )

    def __contains__(self, name: object) -> bool:
        return self._find(str(name)) is not None

    def read(self, *names: str) -> bytes:
        for name in names:
            path = self._find(name)
            if path is not None:
                try:
                    return unpacked(path.read_bytes(), str(path))
                except OSError as error:
                    raise DataError(f"{path} cannot be read ({error.strerror or error})") from None
        raise _missing(names, str(self.folder))


def _ends_with(path: Path, name: str) -> bool:
    return path.is_file() and path.as_posix().endswith("/" + name)


class Archive:
    """The files of one or several zip and tar archives; a name may lie any number of folders down."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = tuple(paths)

    def __contains__(self, name: object) -> bool:
        try:
            self._read(str(name), look=True)
        except KeyError:
            return False
        return True

    def read(self, *names: str) -> bytes:
        for name in names:
            try:
                return unpacked(self._read(name), name)
            except KeyError:
                continue
        raise _missing(names, ", ".join(path.name for path in self.paths))

    def _read(self, name: str, *, look: bool = False) -> bytes:
        for path in self.paths:
            try:
                found = (
                    _from_zip(path, name, look) if zipfile.is_zipfile(path) else _from_tar(path, name, look)
                )
            except (zipfile.BadZipFile, tarfile.TarError, EOFError, OSError) as error:
                raise DataError(f"{path} is damaged ({error}); delete it and load again") from None
            if found is not None:
                return found
        raise KeyError(name)


def _from_zip(path: Path, name: str, look: bool) -> bytes | None:
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if ("/" + member.filename).endswith("/" + name):
                expect_size(member.file_size, f"{path}: {member.filename}")
                return b"" if look else archive.read(member)
    return None


def _from_tar(path: Path, name: str, look: bool) -> bytes | None:
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isfile() and ("/" + member.name).endswith("/" + name):
                expect_size(member.size, f"{path}: {member.name}")
                file = archive.extractfile(member)
                return b"" if look or file is None else file.read()
    return None


def unpacked(content: bytes, name: str) -> bytes:
    """The content, without gzip around it."""
    if not name.endswith(".gz"):
        return content
    try:
        with gzip.open(io.BytesIO(content)) as file:
            found = file.read(LARGEST + 1)
    except (OSError, EOFError) as error:
        raise DataError(f"{name} is damaged ({error}); delete it and load again") from None
    expect_size(len(found), name)
    return found


def expect_size(size: int, name: str) -> None:
    """Refuse what would not be a file of a data set."""
    if size > LARGEST:
        raise DataError(
            f"{name} unpacks to more than {LARGEST / 2**30:g} GiB; it is not the file of the data set"
        )


def _missing(names: Sequence[str], where: str) -> DataError:
    return DataError(f"{' or '.join(names)} is not in {where}; take it from a fresh copy of the data set")
