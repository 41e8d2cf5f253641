"""Files on disk: opened whether compressed or not, replaced whole or not at all."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ohmline.errors import DataError, FileFormatError

_GZIP = b"\x1f\x8b"


def content(path: Path) -> bytes:
    """The bytes of the file, decompressed where it is gzip."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise DataError(f"{path} does not exist; check the name and the folder") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from None
    if not raw:
        raise FileFormatError(f"{path} is empty; write or download it again")
    if not raw.startswith(_GZIP):
        if path.suffix == ".gz":
            raise FileFormatError(f"{path} ends in .gz and is not gzip; rename it, or compress it")
        return raw
    try:
        return gzip.decompress(raw)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FileFormatError(f"{path} is broken or cut short ({error}); download it again") from None


def text(path: Path) -> str:
    """The file as UTF-8 text."""
    raw = content(path)
    try:
        decoded = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise FileFormatError(
            f"{path}, line {line}: byte {raw[error.start]:#04x} is not UTF-8 text; "
            "give the format that the file has, or convert it to UTF-8"
        ) from None
    if "\0" in decoded:
        line = decoded[: decoded.index("\0")].count("\n") + 1
        raise FileFormatError(
            f"{path}, line {line}: the file is binary, not text; give the format that it has"
        )
    return decoded


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A name beside `path` to write to, which takes its place if all goes well.

    After an error the old file is as it was and nothing else is left.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield beside
        with beside.open("rb") as written:
            os.fsync(written.fileno())
        beside.replace(path)
    except FileNotFoundError:
        raise DataError(f"{path} cannot be written: the folder {path.parent} does not exist") from None
    except OSError as error:
        raise DataError(f"{path} cannot be written: {error.strerror or error}") from None
    finally:
        beside.unlink(missing_ok=True)


def write_bytes(path: Path, data: bytes) -> None:
    """Replace the file by `data`, compressed if the name ends in .gz."""
    if path.suffix == ".gz":
        data = gzip.compress(data, mtime=0)
    with replacing(path) as beside:
        beside.write_bytes(data)
