"""Files on disk: opened whether compressed or not, replaced whole or not at all."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import final

from ohmline.checks import count
from ohmline.errors import DataError, FileFormatError
from ohmline.extras import require

_LONG_NAME = 200
"""Bytes of a file's name to which some more can be added; most file systems take 255."""


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
    """The bytes of the file, decompressed where it is gzip or Zstandard."""
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
    for packing in _PACKINGS:
        if raw.startswith(packing.magic):
            return _unpacked(path, raw, packing, limits)
        if path.suffix.lower() == packing.suffix:
            raise FileFormatError(
                f"{path} ends in {packing.suffix} and is not {packing.name}; rename it, or compress it"
            )
    return raw


def _unpacked(path: Path, raw: bytes, packing: Packing, limits: FileLimits) -> bytes:
    """The bytes that were compressed, as long as they are within the limit."""
    found, size = [], 0
    try:
        for piece in packing.pieces(raw):
            found.append(piece)
            size += len(piece)
            if size > limits.size:
                raise _too_large(path, limits)
    except (EOFError, zlib.error, OSError) as error:
        raise FileFormatError(f"{path} is broken or cut short ({error}); download it again") from None
    return b"".join(found)


def _gzip_pieces(raw: bytes) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=io.BytesIO(raw)) as packed:
        while piece := packed.read(2**20):
            yield piece


def _zstandard_pieces(raw: bytes) -> Iterator[bytes]:
    """Frame after frame, in steps so small that none unpacks to more than some megabytes."""
    zstandard = require("zstandard", "io")
    place = 0
    while place < len(raw):
        frame = zstandard.ZstdDecompressor().decompressobj()
        while not frame.eof:
            if place >= len(raw):
                raise EOFError("the compressed data ends too early")
            try:
                yield frame.decompress(raw[place : place + 1024])
            except zstandard.ZstdError as error:
                raise OSError(str(error)) from None
            place += 1024
        place = min(place, len(raw)) - len(frame.unused_data)


@final
@dataclass(frozen=True)
class Packing:
    """One way to compress a file."""

    name: str
    suffix: str
    magic: bytes
    pieces: Callable[[bytes], Iterator[bytes]]
    pack: Callable[[bytes], bytes]


_PACKINGS = (
    Packing("gzip", ".gz", b"\x1f\x8b", _gzip_pieces, lambda data: gzip.compress(data, mtime=0)),
    Packing(
        "Zstandard",
        ".zst",
        b"\x28\xb5\x2f\xfd",
        _zstandard_pieces,
        lambda data: require("zstandard", "io").ZstdCompressor(write_checksum=True).compress(data),
    ),
)


def packing_of(path: Path) -> Packing | None:
    """How the name says that the file is compressed."""
    return next((packing for packing in _PACKINGS if packing.suffix == path.suffix.lower()), None)


def suffix_of(path: Path) -> str:
    """The end of the name, without that of a compression and in small letters."""
    return (path.with_suffix("") if packing_of(path) else path).suffix.lower()


def _too_large(path: Path, limits: FileLimits) -> FileFormatError:
    return FileFormatError(
        f"{path} holds more than {limits.size} bytes; if it should, pass limits=FileLimits(size=...) with a larger one"
    )


def refuse_size(files: Sequence[Path], limits: FileLimits, whole: Path | None = None) -> None:
    """Raise where files hold more bytes than they may, before any is read.

    Parameters
    ----------
    files
        The files, or the parts of one table.
    limits
        How large they may be together.
    whole
        The name of the table; None (default) for that of its only file.
    """
    try:
        size = sum(file.stat().st_size for file in files)
    except OSError:
        return  # whoever opens them says what is wrong
    if size > limits.size:
        parts = f" in {len(files)} parts" if len(files) > 1 else ""
        raise FileFormatError(
            f"{files[0] if whole is None else whole} holds {size} bytes{parts}, more than {limits.size} bytes; if it "
            f"should, pass limits=FileLimits(size=...) with {size} or more"
        )


def text(path: Path, raw: bytes) -> str:
    """The bytes of a file as UTF-8 text."""
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
    beside = beside_of(path)
    try:
        yield beside
        with beside.open("rb") as written:
            os.fsync(written.fileno())
        beside.replace(path)
    except FileNotFoundError:
        raise DataError(
            f"{path} cannot be written: the folder {path.parent} does not exist; make it, or name another"
        ) from None
    except OSError as error:
        raise DataError(
            f"{path} cannot be written: {reason(error)}; name another file, or mend that"
        ) from None
    finally:
        with suppress(OSError):  # where nothing could be written, nothing can be removed
            beside.unlink(missing_ok=True)


def reason(error: OSError) -> str:
    """Why a file could not be written; of a write that ended early, NumPy tells how far it came and no reason."""
    said = error.strerror or str(error)
    return f"the disk is probably full ({said})" if "requested and" in said else said


def beside_of(path: Path) -> Path:
    """The name to write to first, which is no longer than file systems take where that of `path` is not."""
    name = path.name
    if len(os.fsencode(name)) > _LONG_NAME:
        name = sha256(os.fsencode(name)).hexdigest()
    return path.with_name(f".{name}.{os.getpid()}.{token_hex(4)}.part")  # threads have one process number


def write_bytes(path: Path, data: bytes) -> None:
    """Replace the file by `data`, compressed if the name ends in .gz or .zst."""
    packing = packing_of(path)
    if packing is not None:
        data = packing.pack(data)
    with replacing(path) as beside:
        beside.write_bytes(data)
