"""Ids that are no positions: hashed to owners, numbered there, and told to every part that has them.

Three rounds, in none of which anybody sees all ids: each piece of the edges writes its ids by owner; each owner sorts
those that it was sent, so that a number follows from the ids alone, and writes the numbers back; each piece reads the
numbers of its own ids.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ohmline.arrays import Ints
from ohmline.cluster.parts import EdgeParts
from ohmline.cluster.reading import id_batches
from ohmline.extras import require
from ohmline.graph.files.paths import replacing

Task = tuple[int, EdgeParts, int, Path]
"""A piece, the parts it belongs to, the number of owners, and the work folder."""

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


def hashes(ids: Any) -> Any:
    """A 64-bit hash of every id: the same on every machine, in every process and version."""
    arrow = require("pyarrow", "cluster")
    if arrow.types.is_integer(ids.type):
        return _mixed(ids.to_numpy(zero_copy_only=False).astype(np.int64).view(np.uint64))
    ids = ids.cast(arrow.large_string())
    _, offsets, data = ids.buffers()
    begin = np.frombuffer(offsets, np.int64)[ids.offset : ids.offset + len(ids) + 1]
    if not len(ids) or begin[0] == begin[-1]:
        return _mixed(np.zeros(len(ids), np.uint64))
    letters = np.frombuffer(data, np.uint8)[begin[0] : begin[-1]].astype(np.uint64)
    lengths = np.diff(begin)
    place = np.arange(len(letters)) - np.repeat(begin[:-1] - begin[0], lengths)
    powers = np.cumprod(np.full(int(lengths.max()) + 1, _MULTIPLIER))  # modulo 2^64, as all of this
    sums = np.append(np.uint64(0), np.cumsum((letters + np.uint64(1)) * powers[place]))
    return _mixed(sums[begin[1:] - begin[0]] - sums[begin[:-1] - begin[0]])


def _mixed(x: Any) -> Any:
    """The finaliser of SplitMix64: every bit of the result depends on every bit of x."""
    x = x + _MULTIPLIER
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def owner_of(ids: Any, blocks: int) -> Ints:
    """The block that owns each id."""
    return (hashes(ids) % np.uint64(blocks)).astype(np.int64)


def write_names(task: Task) -> None:
    """The different ids of a piece, by owner."""
    arrow, compute = require("pyarrow", "cluster"), require("pyarrow.compute", "cluster")
    number, parts, blocks, folder = task
    seen: Any = None
    for source, target in id_batches(parts, parts.pieces[number]):
        new = [source, target] if seen is None else [seen, source, target]
        seen = compute.unique(arrow.chunked_array(new))
    if seen is None:
        seen = arrow.array([], arrow.int64() if parts.integers else arrow.large_string())
    owner = owner_of(seen, blocks)
    order = np.argsort(owner, kind="stable")
    bounds = np.searchsorted(owner[order], np.arange(blocks + 1))
    ids = seen.take(arrow.array(order))
    with replacing(folder / f"names-{number:06d}.arrow") as beside:
        _write(beside, [ids[bounds[b] : bounds[b + 1]] for b in range(blocks)])


def write_numbers(block: int, pieces: int, folder: Path) -> int:
    """Number the ids that a block owns, ascending, and answer every piece; how many there are."""
    arrow, compute = require("pyarrow", "cluster"), require("pyarrow.compute", "cluster")
    sent = []
    for number in range(pieces):
        with opened(folder / f"names-{number:06d}.arrow") as file:
            sent.append(file.get_batch(block).column(0))
    whole = arrow.chunked_array(sent).combine_chunks()
    ids = compute.unique(whole)
    ids = ids.take(compute.sort_indices(ids))
    with replacing(ids_file(folder, block)) as beside:
        _write(beside, [ids])
    numbers = compute.index_in(whole, value_set=ids).to_numpy(zero_copy_only=False).astype(np.int64)
    for name, array in (("numbers", numbers), ("starts", np.append(0, np.cumsum([len(s) for s in sent])))):
        with replacing(folder / f"{name}-{block:05d}.npy") as beside, beside.open("wb") as out:
            np.save(out, array, allow_pickle=False)
    return len(ids)


def numbered(number: int, bounds: tuple[int, ...], folder: Path) -> tuple[Any, Ints]:
    """The ids of a piece, and the position of each."""
    arrow = require("pyarrow", "cluster")
    found: list[Ints] = []
    for block in range(len(bounds) - 1):
        starts = np.load(folder / f"starts-{block:05d}.npy", mmap_mode="r")
        numbers = np.load(folder / f"numbers-{block:05d}.npy", mmap_mode="r")
        found.append(np.asarray(numbers[starts[number] : starts[number + 1]]) + bounds[block])
    with opened(folder / f"names-{number:06d}.arrow") as file:
        names = arrow.chunked_array([file.get_batch(b).column(0) for b in range(file.num_record_batches)])
        return names.combine_chunks(), np.concatenate(found)


def ids_file(folder: Path, block: int) -> Path:
    """Where the ids of a block are, in the order of its rows."""
    return folder / f"ids-{block:05d}.arrow"


def read_ids(folder: Path, block: int) -> Any:
    """The ids of a block's rows."""
    with opened(ids_file(folder, block)) as file:
        return file.get_batch(0).column(0)


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """An Arrow file, mapped."""
    arrow, ipc = require("pyarrow", "cluster"), require("pyarrow.ipc", "cluster")
    with arrow.memory_map(str(path)) as source:
        yield ipc.open_file(source)


def _write(path: Path, batches: list[Any]) -> None:
    arrow, ipc = require("pyarrow", "cluster"), require("pyarrow.ipc", "cluster")
    schema = arrow.schema([("id", batches[0].type)])
    with ipc.new_file(str(path), schema) as out:
        for ids in batches:
            out.write_batch(arrow.record_batch([_one(arrow, ids)], schema=schema))


def _one(arrow: Any, ids: Any) -> Any:
    return ids.combine_chunks() if isinstance(ids, arrow.ChunkedArray) else ids
