"""Pictures of digits from their public sources: MNIST's IDX files and LIBSVM's USPS."""

from __future__ import annotations

import bz2
import gzip
import zlib
from pathlib import Path

import numpy as np

from ohmline.arrays import AnyArray, Ints
from ohmline.data.tables import PictureTable
from ohmline.errors import DataError


def read_idx(path: Path) -> AnyArray:
    """A gzipped IDX file of unsigned bytes: magic number, lengths, content."""
    try:
        content = gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path} is not a gzip file ({error}); delete it and load again") from None
    dimensions = content[3] if len(content) > 3 else 0
    head = 4 + 4 * dimensions
    if content[:3] != b"\0\0\x08" or len(content) < head:
        raise DataError(f"{path} is not an IDX file of bytes; delete it and load again")
    shape = tuple(np.frombuffer(content, dtype=">i4", count=dimensions, offset=4).tolist())
    if len(content) - head != int(np.prod(shape)):
        raise DataError(
            f"{path} states the shape {shape} and holds {len(content) - head} bytes; delete it and load again"
        )
    return np.frombuffer(content, dtype=np.uint8, offset=head).reshape(shape)


def mnist012(files: dict[str, Path]) -> PictureTable:
    """Digits 0, 1 and 2, training then test, at 16 x 16."""
    pixels, labels, is_test = [], [], []
    for k, part in enumerate(("train", "t10k")):
        label = read_idx(files[f"{part}-labels-idx1-ubyte.gz"])
        picked = label < 3
        pixels.append(shrink(read_idx(files[f"{part}-images-idx3-ubyte.gz"])[picked], 16))
        labels.append(label[picked])
        is_test.append(np.full(int(picked.sum()), k))
    return PictureTable(
        np.concatenate(pixels), np.concatenate(labels), np.concatenate(is_test), 255.0, (16, 16)
    )


def shrink(pictures: AnyArray, side: int) -> AnyArray:
    """Square pictures at `side` x `side`: the mean over each output pixel's window, with halves rounded up.

    The windows have fractional borders (28 / 16 = 1.75), so the sums are taken in units of
    1 / side of a pixel, in whole numbers: rounding is exact.
    """
    given = pictures.shape[-1]
    overlap = np.zeros((side, given), dtype=np.int64)
    for k in range(side):
        for j in range(given):
            overlap[k, j] = max(0, min((k + 1) * given, (j + 1) * side) - max(k * given, j * side))
    area = given * given
    sums: Ints = np.empty((len(pictures), side, side), dtype=np.int64)
    for start in range(0, len(pictures), 4096):
        part = pictures[start : start + 4096].astype(np.float64)  # exact: sums stay far below 2^53
        sums[start : start + 4096] = np.rint(overlap @ part @ overlap.T)
    return np.asarray((2 * sums + area) // (2 * area), dtype=np.uint8)


def usps(files: dict[str, Path]) -> PictureTable:
    """LIBSVM's files: a class from 1 to 10 (the digit plus one), then `index:value` pairs."""
    parts = [_libsvm(files[name]) for name in ("usps.bz2", "usps.t.bz2")]
    return PictureTable(
        np.concatenate([pixels for pixels, _ in parts]),
        np.concatenate([labels for _, labels in parts]),
        np.repeat([0, 1], [len(labels) for _, labels in parts]),
        1000.0,
        (16, 16),
    )


def _libsvm(path: Path) -> tuple[Ints, Ints]:
    try:
        lines = bz2.decompress(path.read_bytes()).decode("ascii").splitlines()
        pixels = np.zeros((len(lines), 256), dtype=np.int64)
        labels = np.empty(len(lines), dtype=np.int64)
        for k, line in enumerate(lines):
            label, *pairs = line.split()
            labels[k] = int(label) - 1
            for pair in pairs:
                place, _, value = pair.partition(":")
                pixels[k, int(place) - 1] = round(1000 * float(value))
    except (OSError, ValueError, IndexError) as error:
        raise DataError(
            f"{path} is not a LIBSVM file of 256 features ({error}); delete it and load again"
        ) from None
    return pixels, labels
