"""Files on disk: opened whether compressed or not, replaced whole or not at all."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import final

from ohmline.checks import count
from ohmline.errors import DataError, FileFormatError

_GZIP = b"\x1f\x8b"


@final
@dataclass(frozen=True)
class FileLimits:
    """How large a file may be, so that a small one cannot fill the memory.

    Attributes
    ----------
    size
        The most bytes, also after decompression. Default 4 GiB.
    nodes
        The most nodes that a file may declare. Default 100 million.
    line
        The most characters in one line of a table. Default one million.
    """

    size: int = 4 * 2**30
    nodes: int = 10**8
    line: int = 10**6

    def __post_init__(self) -> None:
        for name in ("size", "nodes", "line"):
            count(getattr(self, name), f"{name} of FileLimits", least=1)


def content(path: Path, limits: FileLimits) -> bytes:
    """The bytes of the file, decompressed where it is gzip."""
    try:
        raw = path.read_bytes() if path.stat().st_size <= limits.size else None
    except FileNotFoundError:
        raise DataError(f"{path} does not exist; check the name and the folder") from None
    except (OSError, ValueError) as error:
        raise DataError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if raw is None:
        raise _too_large(path, limits)
    if not raw:
        raise FileFormatError(f"{path} is empty; write or download it again")
    if not raw.startswith(_GZIP):
        if is_gzip(path):
            raise FileFormatError(f"{path} ends in .gz and is not gzip; rename it, or compress it")
        return raw
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as packed:
            data = b"".join(_pieces(packed, limits.size + 1))
    except (EOFError, zlib.error, OSError) as error:
        raise FileFormatError(f"{path} is broken or cut short ({error}); download it again") from None
    if len(data) > limits.size:
        raise _too_large(path, limits)
    return data


def _pieces(packed: gzip.GzipFile, most: int) -> Iterator[bytes]:
    """The first bytes, piece by piece: a reader that is asked for 4 GiB at once takes room for them."""
    while most > 0 and (piece := packed.read(min(most, 2**20))):
        most -= len(piece)
        yield piece


def is_gzip(path: Path) -> bool:
    """Whether the name says that the file is compressed."""
    return path.suffix.lower() == ".gz"


def suffix_of(path: Path) -> str:
    """The end of the name, without .gz and in small letters."""
    return (path.with_suffix("") if is_gzip(path) else path).suffix.lower()


def _too_large(path: Path, limits: FileLimits) -> FileFormatError:
    return FileFormatError(
        f"{path} holds more than {limits.size} bytes; if it should, pass limits=FileLimits(size=...) with a larger one"
    )


def text(path: Path, limits: FileLimits) -> str:
    """The file as UTF-8 text."""
    raw = content(path, limits)
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
    if is_gzip(path):
        data = gzip.compress(data, mtime=0)
    with replacing(path) as beside:
        beside.write_bytes(data)
